"""Entailment pairs of every year: each spelling in, the official names out."""

from __future__ import annotations

import pytest
from corpus_files import write_pairs_xml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from postil.data.formats.rte import Pair, read_pairs, read_pairs_tsv, read_pairs_xml, write_pairs_tsv
from postil.errors import InputError, InputWarning, PostilError


def corpus(*pairs: str, root: str = "entailment-corpus", doctype: str = "") -> str:
    return f"<?xml version='1.0' encoding='UTF-8'?>\n{doctype}<{root}>\n{''.join(pairs)}</{root}>\n"


def pair(id: str, attributes: str = "") -> str:
    return f'<pair id="{id}" {attributes}>\n<t>A cat sat.</t>\n<h>A cat.</h>\n</pair>\n'


def labels(path) -> list[str | None]:
    return [item.label for item in read_pairs(path)]


def test_rte_1(tmp_path):
    path = tmp_path / "dev.xml"
    path.write_text(corpus(pair("1", 'value="TRUE" task="IR"'), pair("2", 'value="FALSE" task="CD"')))
    assert read_pairs(path) == [
        Pair("1", "A cat sat.", "A cat.", "ENTAILMENT", "IR"),
        Pair("2", "A cat sat.", "A cat.", "NO_ENTAILMENT", "CD"),
    ]


def test_rte_3_with_a_doctype(tmp_path):
    path = tmp_path / "dev.xml"
    doctype = '<!DOCTYPE entailment-corpus SYSTEM "rte.dtd">\n'
    path.write_text(
        corpus(
            pair("1", 'entailment="YES" task="QA" length="short"'),
            pair("2", 'entailment="NO" task="SUM" length="long"'),
            doctype=doctype,
        )
    )
    first, second = read_pairs(path)
    assert first == Pair("1", "A cat sat.", "A cat.", "ENTAILMENT", "QA", "short")
    assert (second.label, second.length, second.is_long, first.is_long) == (
        "NO_ENTAILMENT",
        "long",
        True,
        False,
    )


@pytest.mark.parametrize("root", ["entailment-corpus", "devset", "testset"])
def test_rte_4_and_5(tmp_path, root):
    path = tmp_path / "test.xml"
    content = corpus(
        *(pair(label[0], f'entailment="{label}"') for label in ("ENTAILMENT", "CONTRADICTION", "UNKNOWN")),
        root=root,
    )
    path.write_bytes(content.replace("\n", "\r\n").encode())
    assert labels(path) == ["ENTAILMENT", "CONTRADICTION", "UNKNOWN"]
    assert read_pairs(path)[0].text == "A cat sat."


def test_unlabelled_pairs_and_markup_in_texts(tmp_path):
    path = tmp_path / "test.xml"
    path.write_text(
        corpus('<pair id="1"><t> A <b>big</b> cat\nsat. </t><h/></pair>', pair("2", 'entailment=""'))
    )
    assert read_pairs(path)[0] == Pair("1", "A big cat\nsat.", "")
    assert labels(path) == [None, None]


@pytest.mark.parametrize(
    ("no", "others", "means"),
    [
        ("NO", ("YES",), "NO_ENTAILMENT"),
        ("NO", ("YES", "UNKNOWN"), "CONTRADICTION"),
        ("no", ("yes", "contradiction"), "CONTRADICTION"),
        ("No  Entailment", ("Entailment",), "NO_ENTAILMENT"),
        ("FALSE", (), "NO_ENTAILMENT"),
    ],
)
def test_what_no_means_beside_other_labels(tmp_path, no, others, means):
    path = tmp_path / "a.xml"
    path.write_text(corpus(*(pair(str(n), f'entailment="{label}"') for n, label in enumerate((no, *others)))))
    assert labels(path)[0] == means


THREE_WAY = (
    "id\tentailment_3way\ttask\tlength\tt\th\n"
    "1\tYES\tIE\tshort\tA cat sat.\tA cat.\n"
    "2\tNO\tIE\t\tA cat sat.\tNo cat.\n"
    "3\tUNKNOWN\tQA\tlong\tA cat sat.\tA dog.\n"
)


@pytest.mark.parametrize("name", ["three.tsv", "three.TSV", "three.txt"])
def test_three_way_table(tmp_path, name):
    path = tmp_path / name
    path.write_text(THREE_WAY)
    assert read_pairs(path) == [
        Pair("1", "A cat sat.", "A cat.", "ENTAILMENT", "IE", "short"),
        Pair("2", "A cat sat.", "No cat.", "CONTRADICTION", "IE"),
        Pair("3", "A cat sat.", "A dog.", "UNKNOWN", "QA", "long"),
    ]


def test_the_finer_column_is_preferred(tmp_path):
    path = tmp_path / "both.tsv"
    path.write_text(
        "id\tentailment_2way\tentailment_3way\tt\th\n1\tNO\tUNKNOWN\ta\tb\n2\tYES\tYES\ta\tb\n3\t\t\ta\tb\n"
    )
    assert labels(path) == ["UNKNOWN", "ENTAILMENT", None]


@pytest.mark.parametrize(
    ("length", "size", "long"),
    [("", 270, False), ("", 271, True), ("Long", 1, True), ("short", 999, False)],
)
def test_what_is_long(length, size, long):
    assert Pair("1", "x" * size, "h", length=length).is_long is long


def test_length_counts_bytes():
    assert Pair("1", "é" * 136, "h").is_long
    assert not Pair("1", "é" * 135, "h").is_long


@pytest.mark.parametrize(
    ("content", "what", "line"),
    [
        (corpus(pair("1", 'entailment="MAYBE"')), r"\(1\): the label 'MAYBE' is unknown", 3),
        (corpus(pair("1"), pair("1")), r"pair id '1' occurs twice \(first on line 3\)", 7),
        (corpus("<pair><t>a</t><h>b</h></pair>"), "no 'id'", 3),
        (corpus('<pair id="1"><t>a</t></pair>'), r"\(pair 1\): the pair has no <t> or no <h>", 3),
        (corpus(), "no <pair>", None),
        (
            corpus(pair("1", 'entailment="UNKNOWN"'), pair("2", 'entailment="NO ENTAILMENT"')),
            "mixes two-way",
            None,
        ),
    ],
)
def test_broken_pairs_are_named(tmp_path, content, what, line):
    path = tmp_path / "a.xml"
    path.write_text(content)
    with pytest.raises(InputError, match=what) as caught:
        read_pairs(path)
    assert caught.value.line == line
    assert caught.value.path == str(path)


@pytest.mark.parametrize(
    ("content", "what", "line"),
    [
        ("id\tt\th\tentailment_3way\n1\ta\tb\tYEP\n", "label 'YEP'", 2),
        ("id\tt\th\n1\ta\tb\n1\ta\tb\n", "occurs twice", 3),
        ("id\tt\th\n\ta\tb\n", "no pair id", 2),
        ("id\tt\n1\ta\n", "no column 'h'", 1),
        ("id\tt\th\n", "no record", None),
    ],
)
def test_broken_table(tmp_path, content, what, line):
    path = tmp_path / "a.tsv"
    path.write_text(content)
    with pytest.raises(InputError, match=what) as caught:
        read_pairs(path)
    assert caught.value.line == line


# --- round trips ------------------------------------------------------------------------------------------

xml_characters = st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff") | (
    st.sampled_from("\t\n\r\x7f\x85<>&\"']")
)
line_characters = st.characters(exclude_categories=["Cs"], exclude_characters="\0\t\n\r")
round_trip = settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@st.composite
def pairs(draw, characters) -> list[Pair]:
    texts = st.text(characters, max_size=20).map(str.strip)
    label = draw(
        st.sampled_from(
            [
                st.none(),
                st.none() | st.sampled_from(["ENTAILMENT", "NO_ENTAILMENT"]),
                st.none() | st.sampled_from(["ENTAILMENT", "CONTRADICTION", "UNKNOWN"]),
            ]
        )
    )
    built = st.builds(Pair, texts.filter(bool), texts, texts, label, texts, texts)
    return draw(st.lists(built, min_size=1, max_size=4, unique_by=lambda item: item.id))


@round_trip
@given(items=pairs(xml_characters))
def test_xml_round_trip(tmp_path, items):
    write_pairs_xml(tmp_path / "a.xml", items)
    assert read_pairs_xml(tmp_path / "a.xml") == items
    assert read_pairs(tmp_path / "a.xml") == items


@round_trip
@given(items=pairs(line_characters))
def test_tsv_round_trip(tmp_path, items):
    write_pairs_tsv(tmp_path / "a.tsv", items)
    assert read_pairs_tsv(tmp_path / "a.tsv") == items
    assert read_pairs(tmp_path / "a.tsv") == items


def test_what_a_line_cannot_hold_is_refused(tmp_path):
    with pytest.raises(PostilError, match="tab"):
        write_pairs_tsv(tmp_path / "a.tsv", [Pair("1", "a\tb", "h")])
    assert not list(tmp_path.iterdir())


def test_a_release_with_a_doctype_carriage_returns_and_a_bare_ampersand(file):
    content = (
        '\ufeff<?xml version="1.0" encoding="UTF-8"?>\r\n<!DOCTYPE entailment-corpus SYSTEM "rte.dtd">\r\n'
        '<testset>\r\n<pair id="1" value="TRUE" task="IE">\r\n<t>AT&T grew.</t>\r\n<h>It grew.</h></pair>'
        '\r\n<pair id="2" value="false"><t>a</t><h>b</h></pair>\r\n</testset>\r\n'
    )
    with pytest.warns(InputWarning, match=r"1 irregular place \(line 5\)"):
        pairs = read_pairs_xml(file(content, "a.xml"))
    assert [(pair.text, pair.label) for pair in pairs] == [
        ("AT&T grew.", "ENTAILMENT"),
        ("a", "NO_ENTAILMENT"),
    ]
