"""Entailment runs and keys: tables with confidences, ranked lists, and pairs used as a key."""

from __future__ import annotations

import pytest
from corpus_files import write_pairs_xml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from postil.data.formats.rte import (
    EntailmentRun,
    Pair,
    PairJudgement,
    read_gold,
    read_run,
    write_pairs_tsv,
    write_run,
)
from postil.data.labels import ENTAILMENT_SCHEMES
from postil.errors import InputError


@pytest.mark.parametrize(
    ("first", "ranked"),
    [
        ("ranked: yes", True),
        ("Ranked: No", False),
        ("RANKED:yes ", True),
        ("ranked : no", False),
        ("ranked:\tyes", True),
    ],
)
def test_challenge_list(file, first, ranked):
    path = file(f"\ufeff{first}\r\n3 YES\r\n\r\n1\tNO\r\n 2  UNKNOWN \r\n")
    assert read_run(path) == EntailmentRun(
        (
            PairJudgement("3", "ENTAILMENT"),
            PairJudgement("1", "CONTRADICTION"),
            PairJudgement("2", "UNKNOWN"),
        ),
        ranked=ranked,
    )


def test_two_way_no(file):
    run = read_run(file("ranked: no\n1 YES\n2 NO\n3 NO ENTAILMENT\n"))
    assert [item.label for item in run.judgements] == ["ENTAILMENT", "NO_ENTAILMENT", "NO_ENTAILMENT"]


@pytest.mark.parametrize("column", ["label", "entailment", "judgement"])
def test_table(file, column):
    run = read_run(file(f"id\t{column}\tconfidence\n1\tYES\t0.9\n2\tno\t1e-3\n"))
    assert run == EntailmentRun(
        (PairJudgement("1", "ENTAILMENT", 0.9), PairJudgement("2", "NO_ENTAILMENT", 0.001))
    )


@pytest.mark.parametrize(
    ("content", "what", "line"),
    [
        ("ranked: maybe\n1 YES\n", "'ranked: yes' or 'ranked: no'", 1),
        ("ranked: yes\n\n", "no judgement", None),
        ("ranked: yes\n1 YES\n1 NO\n", r"pair id '1' occurs twice \(first on line 2\)", 3),
        ("ranked: yes\n1 YES\n2\n", r"\(2\): the label '' is unknown", 3),
        ("ranked: yes\n1 PERHAPS\n", "'PERHAPS' is unknown", 2),
        ("id\tlabel\n1\tYES\n1\tYES\n", "occurs twice", 3),
        ("id\tlabel\n\tYES\n", "no pair id", 2),
        ("id\tlabel\n1\tPERHAPS\n", "'PERHAPS' is unknown", 2),
        ("id\tlabel\tconfidence\n1\tYES\t1.5\n", "'1.5' is not a number from 0 to 1", 2),
        ("id\tlabel\tconfidence\n1\tYES\tnan\n", "'nan' is not a number", 2),
        ("id\tlabel\tconfidence\n1\tYES\thigh\n", "'high' is not a number", 2),
        ("id\tlabel\tconfidence\n1\tYES\t0.5\n2\tNO\t\n", "only 1 of 2 lines have a confidence", None),
        ("id\tlabel\n1\tNO ENTAILMENT\n2\tCONTRADICTION\n", "mixes two-way", None),
        ("ranked: no\n1 NO ENTAILMENT\n2 UNKNOWN\n", "mixes two-way", None),
        ("id label\n1 YES\n", "no column 'id'", 1),
        ("1 YES\n2 NO\n", "no column 'id'", 1),
    ],
)
def test_broken_runs_are_named(file, content, what, line):
    path = file(content)
    with pytest.raises(InputError, match=what) as caught:
        read_run(path)
    assert caught.value.line == line
    assert caught.value.path == str(path)


PAIRS = [Pair("1", "t", "h", "ENTAILMENT"), Pair("2", "t", "h", "UNKNOWN")]


def test_a_key_in_each_form(tmp_path, file):
    write_pairs_xml(tmp_path / "gold.xml", PAIRS)
    write_pairs_tsv(tmp_path / "gold.tsv", PAIRS)
    table = (tmp_path / "gold.tsv").read_text()
    assert read_gold(tmp_path / "gold.xml") == PAIRS
    assert read_gold(tmp_path / "gold.tsv") == PAIRS
    assert read_gold(file(table, "gold.txt")) == PAIRS
    assert read_gold(file("id\tlabel\n1\tYES\n2\tUNKNOWN\n")) == [
        Pair("1", "", "", "ENTAILMENT"),
        Pair("2", "", "", "UNKNOWN"),
    ]


def test_a_key_needs_all_its_labels(tmp_path):
    write_pairs_xml(tmp_path / "gold.xml", [*PAIRS, Pair("9", "t", "h")])
    with pytest.raises(InputError, match=r"\(9\): 1 pairs have no label"):
        read_gold(tmp_path / "gold.xml")


ids = (
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\t\n\r"), max_size=15)
    .map(str.strip)
    .filter(bool)
)


@st.composite
def judgements(draw) -> list[PairJudgement]:
    confidence = draw(st.sampled_from([st.none(), st.floats(0, 1)]))
    scheme = draw(st.sampled_from(list(ENTAILMENT_SCHEMES.values())))
    built = st.builds(PairJudgement, ids, st.sampled_from(scheme.labels), confidence)
    return draw(st.lists(built, min_size=1, max_size=5, unique_by=lambda item: item.id))


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(items=judgements())
def test_round_trip(tmp_path, items):
    write_run(tmp_path / "run.tsv", items)
    assert read_run(tmp_path / "run.tsv") == EntailmentRun(tuple(items))


def test_a_mixture_is_not_written(tmp_path):
    mixed = [PairJudgement("1", "NO_ENTAILMENT"), PairJudgement("2", "UNKNOWN")]
    with pytest.raises(InputError, match="mixes two-way"):
        write_run(tmp_path / "run.tsv", mixed)
    assert not list(tmp_path.iterdir())
