"""Alignment files: what the task's own files hold, round trips, and every broken line named."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from postil.data.formats.ists import parse_alignments, read_alignments, write_alignments
from postil.data.judgements import TYPES, AlignedPair, Alignment
from postil.errors import InputError, InputWarning

WA = """<sentence id="1" status="">
// path. at 10:30 isn't open
// a // path < 5
<source>
1 path. :\x20
2 at :\x20
3 10:30 :\x20
4 isn't :\x20
5 open :\x20
</source>
<translation>
1 a :\x20
2 // :\x20
3 path :\x20
4 < :\x20
5 : :\x20
</translation>
<alignment>
1 <==> 1 3 // EQUI_POL // 5 // path. <==> a path\x20
2 3 <==> 4 // SIMI // 2.5 // at 10:30 <==> <\x20
4 5 <==> 0 // NOALI // NIL // isn't open <==> -not aligned-\x20
0 <==> 2 5 // NOALI // 0 // -not aligned- <==> // :
</alignment>
</sentence>
"""

PAIR = AlignedPair(
    id="1",
    source=("path.", "at", "10:30", "isn't", "open"),
    target=("a", "//", "path", "<", ":"),
    alignments=(
        Alignment((1,), (1, 3), ("EQUI", "POL"), 5.0),
        Alignment((2, 3), (4,), ("SIMI",), 2.5),
        Alignment((4, 5), (), ("NOALI",), None),
        Alignment((), (2, 5), ("NOALI",), 0.0),
    ),
    source_text="path. at 10:30 isn't open",
    target_text="a // path < 5",
)


def test_read(file):
    assert read_alignments(file(WA)) == [PAIR]
    assert read_alignments(file("\ufeff" + WA.replace("\n", "\r\n"))) == [PAIR]
    assert read_alignments(file(WA.replace(' status=""', "") + "\n\n" + WA.replace('id="1"', 'id="2"'))) == [
        PAIR,
        replace(PAIR, id="2"),
    ]


def test_type_without_what_stands_beside_it():
    assert [item.type for item in PAIR.alignments] == ["EQUI", "SIMI", "NOALI", "NOALI"]
    assert Alignment((1,), (1,), ("FACT", "SPE1"), 4).type == "SPE1"


@pytest.mark.parametrize(
    ("old", "new", "what", "line"),
    [
        ("EQUI_POL", "EQUAL", "'EQUAL' is not one of EQUI", 19),
        ("EQUI_POL", "POL", "'POL' is not one of", 19),
        ("EQUI_POL", "EQUI_SIMI", "is not one of", 19),
        ("// 5 //", "// 6 //", "score '6'", 19),
        ("// 5 //", "// five //", "score 'five'", 19),
        ("// 5 //", "// nan //", "score 'nan'", 19),
        ("1 <==> 1 3", "1 <==> 1 9", "there is no token 9 in the second sentence, which has 5", 19),
        ("1 <==> 1 3", "1 <==> 1 " + "9" * 5000, "token", 19),
        ("1 <==> 1 3", "1 <==> a", "whole numbers", 19),
        ("1 <==> 1 3", "1 <=> 1 3", "an alignment line should be", 19),
        ("// EQUI_POL // 5 // path. <==> a path", "// EQUI", "an alignment line should be", 19),
        ("3 10:30 :", "4 10:30 :", "token number 4 where 3 was expected", 7),
        ("3 10:30 :", "9" * 5000 + " 10:30 :", "token", 7),
        ("3 10:30 :", "3 :", "a token line should be", 7),
        ("3 10:30 :", "10:30 :", "a token line should be", 7),
        ("<source>\n", "", "neither a sentence", 4),
        ("</alignment>\n</sentence>\n", "", "ends before </sentence>", 22),
        ("</sentence>\n", "</sentence>\n</sentence>\n", "</sentence> without <sentence>", 25),
        ("</sentence>\n", "</sentence>\nstray\n", "text outside <sentence>", 25),
        ('<sentence id="1" status="">\n', "", "text outside <sentence>", 3),
        ("// a // path", "a // path", "neither a sentence", 3),
        (
            "</sentence>\n",
            '</sentence>\n<sentence id="1" status="">\n</sentence>\n',
            "also on line 1",
            25,
        ),
    ],
)
def test_broken_lines_are_named(file, old, new, what, line):
    assert old in WA
    path = file(WA.replace(old, new, 1))
    with pytest.raises(InputError, match=what) as caught:
        read_alignments(path)
    assert caught.value.line == line
    assert caught.value.path == str(path)
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize(
    ("old", "new", "what", "line"),
    [
        ("EQUI_POL", "equi_pol", "'equi_pol', and read as EQUI_POL", 19),
        ("EQUI_POL", "EQUI_POL_", "read as EQUI_POL", 19),
        ("// NIL //", "//  //", "the score is missing", 21),
        ("1 <==> 1 3", "1 1 <==> 1 3", "first sentence is named twice", 19),
        ("1 <==> 1 3", "0 <==> 0 // EQUI // 5\n1 <==> 1 3", "both sides are 0", 19),
        ("3 10:30 :", "3 10:30", "the colon is missing", 7),
        ("</source>\n", "", "<translation> comes before </source>", 10),
        ("</alignment>\n", "", "</sentence> comes before </alignment>", 23),
        ("</sentence>\n", "", "ends before </sentence>", 23),
        ("<source>\n", "// checked twice\n<source>\n", "neither a sentence nor in a section", 4),
        ('<sentence id="1"', '<?xml version="1.0"?>\n<sentence id="1"', "outside <sentence>", 1),
        ("</sentence>\n", "</sentence>\n// end\n", "outside <sentence>", 25),
    ],
)
def test_irregular_lines_are_read_with_a_warning(file, old, new, what, line):
    assert old in WA
    path = file(WA.replace(old, new, 1))
    with pytest.warns(InputWarning, match=what) as caught:
        assert read_alignments(path) == [PAIR]
    (warning,) = (item.message for item in caught)
    assert [problem.line for problem in warning.problems] == [line]


def test_spelling_that_needs_no_warning(file):
    content = WA.replace("<source>", "<Source>").replace("4 5 <==> 0 //", "4\t 5  <==>\t0  //")
    assert read_alignments(file(content.replace("NIL", "nil"))) == [PAIR]


def test_a_missing_end_of_a_sentence(file):
    content = WA.replace("</sentence>\n", "") + WA.replace('id="1"', 'id="2"')
    with pytest.warns(InputWarning, match="a new sentence begins before </sentence>"):
        assert read_alignments(file(content)) == [PAIR, replace(PAIR, id="2")]


@pytest.mark.parametrize("block", ["<alignment>\n</alignment>\n", ""])
def test_a_pair_without_alignments(file, block):
    start, end = WA.index("<alignment>"), WA.index("</sentence>")
    bare = WA[:start] + block + WA[end:]
    with pytest.warns(InputWarning, match=r"\(line 25\).* the pair has no alignment"):
        pairs = read_alignments(file(WA + bare.replace('id="1"', 'id="2"')))
    assert pairs == [PAIR, replace(PAIR, id="2", alignments=())]
    assert read_alignments(file(bare)) == [replace(PAIR, alignments=())]  # a system's input, and no warning


def test_no_sentence_at_all(file):
    with pytest.raises(InputError, match="text outside"):
        read_alignments(file("id\tlabel\n"))


def test_parsing_goes_on_after_a_problem(file):
    content = WA.replace("EQUI_POL", "EQUAL").replace("// 2.5", "// 25") + WA.replace('id="1"', 'id="2"')
    parsed = parse_alignments(file(content))
    assert [problem.line for problem in parsed.problems] == [19, 20]
    assert [problem.record for problem in parsed.problems] == ["sentence 1"] * 2
    assert [len(pair.alignments) for pair in parsed.pairs] == [2, 4]
    assert parsed.starts == [1, 25]
    assert parsed.lines == [[21, 22], [43, 44, 45, 46]]
    with pytest.raises(InputError, match="There are 1 more problems"):
        read_alignments(file(content))


# --- round trips ------------------------------------------------------------------------------------------

line_characters = st.characters(exclude_categories=["Cs"], exclude_characters="\0\n\r")
texts = st.text(line_characters, max_size=20).map(str.strip)
words = (
    (st.text(line_characters, min_size=1, max_size=6) | st.text("10:/<=>[]-", min_size=1, max_size=4))
    .map(lambda text: "".join(text.split()))
    .filter(bool)
)
names = st.text(line_characters.filter(lambda c: c != '"'), max_size=8)
labels = st.builds(
    lambda type, extra: (type, *extra), st.sampled_from(TYPES), st.sampled_from([(), ("FACT",), ("POL",)])
)


@st.composite
def aligned_pairs(draw) -> AlignedPair:
    sides = [tuple(draw(st.lists(words, min_size=1, max_size=4))) for _ in range(2)]

    def numbers(side):
        return st.lists(st.integers(1, len(sides[side])), unique=True, max_size=3).map(tuple)

    score = st.none() | st.sampled_from([0.0, 1.0, 4.5, 5.0]) | st.floats(0, 5)
    alignments = st.builds(Alignment, numbers(0), numbers(1), labels, score).filter(
        lambda item: item.source or item.target
    )
    return AlignedPair(
        id=draw(names),
        source=sides[0],
        target=sides[1],
        alignments=tuple(draw(st.lists(alignments, max_size=4))),
        source_text=draw(texts) or " ".join(sides[0]),
        target_text=draw(texts) or " ".join(sides[1]),
        status=draw(names),
    )


@pytest.mark.filterwarnings("ignore:.*the pair has no alignment:postil.errors.InputWarning")
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pairs=st.lists(aligned_pairs(), min_size=1, max_size=3, unique_by=lambda pair: pair.id))
def test_round_trip(tmp_path, pairs):
    write_alignments(tmp_path / "a.wa", pairs)
    assert read_alignments(tmp_path / "a.wa") == pairs


def test_texts_are_made_of_the_tokens_where_there_are_none(tmp_path):
    write_alignments(tmp_path / "a.wa", [replace(PAIR, source_text="", target_text="")])
    assert read_alignments(tmp_path / "a.wa") == [replace(PAIR, target_text="a // path < :")]


def test_written_as_the_task_writes(tmp_path):
    write_alignments(tmp_path / "a.wa", [PAIR])
    assert "\n2 3 <==> 4 // SIMI // 2.5 // at 10:30 <==> < \n" in (tmp_path / "a.wa").read_text()
    assert (
        "\n4 5 <==> 0 // NOALI // NIL // isn't open <==> -not aligned- \n" in (tmp_path / "a.wa").read_text()
    )


@pytest.mark.parametrize(
    "broken",
    [
        replace(PAIR, id='a"b'),
        replace(PAIR, id="a\nb"),
        replace(PAIR, status='"'),
        replace(PAIR, source_text="a\nb"),
        replace(PAIR, source=("a b", *PAIR.source[1:])),
        replace(PAIR, source=("", *PAIR.source[1:])),
        replace(PAIR, target=("a\n</source>", *PAIR.target[1:])),
    ],
)
def test_what_the_format_cannot_hold_is_refused(tmp_path, broken):
    with pytest.raises(InputError, match="cannot be written"):
        write_alignments(tmp_path / "a.wa", [PAIR, broken])
    assert not list(tmp_path.iterdir())
