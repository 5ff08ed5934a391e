"""Chunks that differ in an opposite only are opposites, whatever was learned."""

from __future__ import annotations

import pytest

from postil.alignment.aligner import load_aligner


def types(first: str, second: str) -> set[str]:
    (pair,) = load_aligner().align_texts([(first, second)])
    return {alignment.type for alignment in pair.alignments}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("the water got hot", "the water got cold"),
        ("Shares close higher", "Shares close lower"),
        ("It is not connected", "It is connected"),
        ("the terminals are separated by a gap", "the terminals are not separated by a gap"),
        ("the bulb is in an open path", "the bulb is in a closed path"),
    ],
)
def test_opposites_are_opposites_and_score_four(first, second):
    (pair,) = load_aligner().align_texts([(first, second)])
    assert [alignment.score for alignment in pair.alignments if alignment.type == "OPPO"] == [4]


def test_a_lone_chunk_joins_the_link_that_it_makes_contrary():
    (pair,) = load_aligner().align_texts([("the switch is open", "the switch is closed")])
    assert {alignment.type for alignment in pair.alignments} == {"EQUI", "OPPO"}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("A man is sitting", "A woman is standing"),  # alike rather than opposed
        ("the old switch is open", "the old switch is open"),
        ("the UN says so", "the U.N. says so"),  # no "un-"
    ],
)
def test_what_is_not_opposed(first, second):
    assert "OPPO" not in types(first, second)
