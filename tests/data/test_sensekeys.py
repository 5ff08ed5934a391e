"""Keys, runs and sense maps: lines in, lines out, and every broken line named."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from postil.data.formats.sensekeys import (
    SenseAnswer,
    SenseMap,
    read_sense_answers,
    read_sense_key,
    read_sense_map,
    sense_key,
    write_sense_answers,
)
from postil.data.formats.senseval import SenseInstance, Token
from postil.errors import InputError

# --- keys and answers -------------------------------------------------------------------------------------


def test_key(file):
    path = file(
        "\ufeffbank.n bank.n.1 bank%1:14:00:: U\r\n\r\n!! only a comment\nbank.n\tbank.n.2  P !! unsure/2\n"
    )
    assert read_sense_key(path) == [
        SenseAnswer("bank.n.1", "bank.n", (("bank%1:14:00::", None), ("U", None))),
        SenseAnswer("bank.n.2", "bank.n", (("P", None),)),
    ]


@pytest.mark.parametrize(
    ("word", "sense", "weight"),
    [
        ("bank%1", "bank%1", None),
        ("bank%1/0.5", "bank%1", 0.5),
        ("bank%1/94", "bank%1", 94.0),
        ("bank%1/.5", "bank%1", 0.5),
        ("bank%1/5.", "bank%1", 5.0),
        ("bank%1/+1e-3", "bank%1", 0.001),
        ("bank%1/0", "bank%1", 0.0),
        ("and/or", "and/or", None),
        ("and/or/2", "and/or", 2.0),
        ("a/2nd", "a/2nd", None),
        ("a/e", "a/e", None),
        ("a/٣", "a/٣", None),
        ("9/11", "9", 11.0),
    ],
)
def test_only_a_number_after_the_last_slash_is_a_weight(file, word, sense, weight):
    (answer,) = read_sense_answers(file(f"w i {word}\n"))
    assert answer.senses == ((sense, weight),)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("bank.n", "too few fields"),
        ("bank.n bank.n.2", "too few fields"),
        ("bank.n bank.n.2 !! no sense", "too few fields"),
        ("bank.n bank.n.1 a", "already on line 1"),
        ("bank.n bank.n.2 a a", "'a' occurs twice"),
        ("bank.n bank.n.2 a/0.5 a/0.2", "'a' occurs twice"),
        ("bank.n bank.n.2 a/-0.5", "negative"),
        ("bank.n bank.n.2 a/-0", "negative"),
        ("bank.n bank.n.2 a/", "is not a weight"),
        ("bank.n bank.n.2 a/0,5", "is not a weight"),
        ("bank.n bank.n.2 a/1.2.3", "is not a weight"),
        ("bank.n bank.n.2 a/nan", "is not a weight"),
        ("bank.n bank.n.2 a/-inf", "is not a weight"),
        ("bank.n bank.n.2 a/1e999", "is not a weight"),
        ("bank.n bank.n.2 /0.5", "no sense before the weight"),
    ],
)
@pytest.mark.parametrize("reader", [read_sense_key, read_sense_answers])
def test_broken_lines(file, reader, line, message):
    with pytest.raises(InputError, match=message) as caught:
        reader(file(f"bank.n bank.n.1 a\n\n{line}\n"))
    assert caught.value.line == 3


def test_the_same_instance_name_may_serve_two_words(file):
    assert len(read_sense_key(file("bother-v 700001 a\nfloat-n 700001 b\n"))) == 2


@pytest.mark.parametrize("reader", [read_sense_key, read_sense_answers, read_sense_map])
def test_bad_files(file, tmp_path, reader):
    for content, message in [("", "is empty"), ("!! nothing\n", "holds no"), ("a\0b c d", "NUL")]:
        with pytest.raises(InputError, match=message):
            reader(file(content))
    with pytest.raises(InputError, match="cannot be read"):
        reader(tmp_path / "none")
    with pytest.raises(InputError, match="this is a folder"):
        reader(tmp_path)
    with pytest.raises(InputError, match="is not UTF-8"):
        reader(file("niño niño.1 a\n".encode("latin-1")), encoding="utf-8")


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-16"])
def test_encodings(file, encoding):
    assert read_sense_key(file("niño niño.1 año\n".encode(encoding)))[0].instance == "niño.1"


def test_a_huge_number_takes_no_time(file):
    with pytest.raises(InputError, match="is not a weight"):
        read_sense_answers(file("w i a/" + "9" * 1_000_000 + ",\n"))
    with pytest.raises(InputError, match="not a branching count"):
        read_sense_map(file("a " + "9" * 1_000_000 + " b\n"))


names = st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"]), min_size=1, max_size=6).filter(
    lambda name: (
        "!!" not in name and "/" not in name and name.split() == [name] and not name.startswith("\ufeff")
    )
)
weights = st.none() | st.floats(min_value=0, allow_infinity=False, allow_nan=False)


@given(
    st.lists(
        st.builds(
            SenseAnswer,
            names,
            names,
            st.dictionaries(names, weights, min_size=1, max_size=3).map(lambda d: tuple(d.items())),
        ),
        min_size=1,
        max_size=5,
        unique_by=lambda answer: (answer.lexelt, answer.instance),
    )
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_round_trip(tmp_path, answers):
    path = tmp_path / "run.txt"
    write_sense_answers(path, answers)
    assert read_sense_answers(path) == answers


@given(st.text(st.sampled_from("ab/.-019!e %\n\t"), min_size=1, max_size=80))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_is_read_or_refused_plainly(tmp_path, text):
    path = tmp_path / "noise.txt"
    path.write_text(text, encoding="utf-8")
    try:
        answers = read_sense_answers(path)
    except InputError:
        return
    write_sense_answers(path, answers)
    assert read_sense_answers(path) == answers


def test_small_weights_are_written_without_exponents(tmp_path):
    write_sense_answers(tmp_path / "run", [SenseAnswer("i", "w", (("a", 1e-7), ("b", 0.25), ("c", -0.0)))])
    assert (tmp_path / "run").read_text(encoding="utf-8") == "w i a/0.0000001 b/0.25 c/0.0\n"


@pytest.mark.parametrize(
    "answers",
    [
        [SenseAnswer("i", "w", ())],
        [SenseAnswer("i", "w", (("a", None), ("a", 0.5)))],
        [SenseAnswer("i", "w", (("a", None),)), SenseAnswer("i", "w", (("b", None),))],
        [SenseAnswer("", "w", (("a", None),))],
        [SenseAnswer("i", "w x", (("a", None),))],
        [SenseAnswer("i", "w", (("a b", None),))],
        [SenseAnswer("i", "w", (("a!!b", None),))],
        [SenseAnswer("i", "w", (("a/2", None),))],
        [SenseAnswer("i", "w", (("a", -1.0),))],
        [SenseAnswer("i", "w", (("a", float("nan")),))],
        [SenseAnswer("i", "w", (("a", float("inf")),))],
    ],
)
def test_what_cannot_be_read_back_is_not_written(tmp_path, answers):
    with pytest.raises(InputError, match="cannot be written"):
        write_sense_answers(tmp_path / "run", answers)
    assert not (tmp_path / "run").exists()


def test_key_of_labelled_instances():
    labelled = SenseInstance("i", "w", (Token("a"),), (0,), (0,), ("s", "t"))
    unlabelled = SenseInstance("j", "w", (Token("a"),), (0,), (0,))
    assert sense_key([labelled, unlabelled]) == [SenseAnswer("i", "w", (("s", None), ("t", None)))]


# --- sense maps -------------------------------------------------------------------------------------------


def test_sense_map(file):
    found = read_sense_map(file("a1 2 a 3 top\na2 2 a 3 top\na 3 top\ntop\nU\n"))
    assert found == SenseMap(
        {
            "a1": ((2, "a"), (3, "top")),
            "a2": ((2, "a"), (3, "top")),
            "a": ((3, "top"),),
            "top": (),
            "U": (),
        }
    )
    assert [found.coarsest(sense) for sense in ("a1", "a", "top", "U", "never seen")] == [
        *("top", "top", "top", "U", "never seen")
    ]  # fmt: skip
    assert found.share("a", "a1") == 1 / 2
    assert found.share("top", "a1") == 1 / 6
    assert found.share("a1", "a") == found.share("a1", "a2") == found.share("a", "never seen") == 0
    assert found.share("U", "U") == found.share("never seen", "never seen") == 1


def test_a_group_may_be_named_after_one_of_its_senses(file):
    found = read_sense_map(file("a 2 a\nb 2 a\n"))
    assert found.coarsest("a") == found.coarsest("b") == "a"
    assert found.share("a", "b") == 1 / 2


def test_repeated_lines_that_agree_are_accepted(file):
    assert read_sense_map(file("a 2 b\na 2 b\n")).ancestors == {"a": ((2, "b"),)}


@pytest.mark.parametrize(
    ("lines", "message", "line"),
    [
        ("a\nb 2", "no parent after it", 2),
        ("a x b", "not a branching count", 1),
        ("a 0 b", "not a branching count", 1),
        ("a -1 b", "not a branching count", 1),
        ("a 1.5 b", "not a branching count", 1),
        ("a 2 b 2 a", "cycle", 1),
        ("a 2 b 2 b", "cycle", 1),
        ("a 2 b\nb 2 a", "'b' is one of 2 under 'a' here and topmost in line 1", 2),
        ("a 2 b\nc 3 a\n", "'a' is topmost here and one of 2 under 'b' in line 1", 2),
        ("a 2 b\na 2 c", "'a' is one of 2 under 'c' here", 2),
        ("a 2 b 2 t\nc 2 b 3 t", "'b' is one of 3 under 't' here", 2),
    ],
)
def test_broken_maps(file, lines, message, line):
    with pytest.raises(InputError, match=message) as caught:
        read_sense_map(file(lines))
    assert caught.value.line == line
