"""The evidence about a class: one row per answer, whatever the class is like."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from postil.grading.evidence import ENCODER, EVIDENCE, IN_CLASS, gather, in_class, similarities

QUESTION = "Why does ice float on water?"
REFERENCES = ("Ice is less dense than water.", "It weighs less than the same amount of water.")
ANSWERS = (
    "it is less dense than water",
    "because it is lighter than so much water",
    "ice is cold",
    "it is denser than water",
    "it is less dense than water",
)
OWN = [place for place, name in enumerate(EVIDENCE) if name not in IN_CLASS]
finite = st.floats(-50, 50)


def test_a_column_for_each_name() -> None:
    found = gather(QUESTION, REFERENCES, ANSWERS)
    assert len(set(EVIDENCE)) == len(EVIDENCE)
    assert found.table.shape == (len(ANSWERS), len(EVIDENCE))
    assert np.isfinite(found.table).all()
    np.testing.assert_allclose(np.exp(found.table[:, : len(ENCODER)]).sum(axis=1), 1)


def test_equal_answers_have_equal_evidence() -> None:
    found = gather(QUESTION, REFERENCES, ANSWERS)
    np.testing.assert_array_equal(found.table[0], found.table[-1])
    assert found.sides[0] is found.sides[-1]


def test_each_answer_has_the_reference_that_fits_it() -> None:
    found = gather(QUESTION, REFERENCES, ANSWERS[:2])
    assert found.references == REFERENCES
    assert gather(QUESTION, REFERENCES[::-1], ANSWERS[:2]).references == REFERENCES


def test_the_order_does_not_matter() -> None:
    table = gather(QUESTION, REFERENCES, ANSWERS).table
    np.testing.assert_allclose(gather(QUESTION, REFERENCES, ANSWERS[::-1]).table[::-1], table, atol=1e-4)


def test_alone_only_the_class_is_missing() -> None:
    together = gather(QUESTION, REFERENCES, ANSWERS).table[2]
    alone = gather(QUESTION, REFERENCES, [ANSWERS[2]]).table[0]
    np.testing.assert_allclose(alone[OWN], together[OWN], atol=1e-4)
    assert not alone[[EVIDENCE.index(name) for name in IN_CLASS]].any()


def test_the_network_reads_contracted_denials_as_two_words() -> None:
    contracted, spelled = gather(QUESTION, REFERENCES, ["it isn't heavy", "it is not heavy"]).table
    np.testing.assert_array_equal(contracted[: len(ENCODER)], spelled[: len(ENCODER)])
    written = gather(QUESTION, ["Ice does not weigh much."], ANSWERS[:1]).table
    found = gather(QUESTION, ["Ice doesn’t weigh much."], ANSWERS[:1]).table
    np.testing.assert_array_equal(found[:, : len(ENCODER)], written[:, : len(ENCODER)])


def test_no_answers_no_rows() -> None:
    found = gather(QUESTION, REFERENCES, [])
    assert found.table.shape == (0, len(EVIDENCE))
    assert found.references == found.sides == ()


def test_odd_texts_have_evidence_too() -> None:
    for question, reference in (("", "ice"), ("?", "\u200b"), ("why", "…")):
        found = gather(question, [reference], ["", "?!", "🙂", "ice", "\x00", "浮く"])
        assert np.isfinite(found.table).all()


@settings(deadline=None)
@given(arrays(np.float64, (6, 2), elements=finite), st.permutations(range(6)))
def test_distances_from_the_class(values: np.ndarray, order: list[int]) -> None:
    found = in_class(values)
    np.testing.assert_allclose(found.mean(axis=0), 0, atol=1e-6)
    np.testing.assert_allclose(in_class(values[order]), found[order], atol=1e-6)
    assert not in_class(values[:1]).any()
    assert not in_class(np.repeat(values[:1], 3, axis=0)).round(6).any()


def test_likeness_is_symmetric_and_full_with_oneself() -> None:
    sides = gather(QUESTION, REFERENCES, ANSWERS).sides
    found = similarities(sides, sides)
    np.testing.assert_allclose(found, found.T, atol=1e-5)
    np.testing.assert_allclose(np.diag(found), 1, atol=1e-5)
    assert found.min() >= 0
    assert found[0, 4] == pytest.approx(1, abs=1e-5)
    assert found[0, 3] > found[0, 2]
    np.testing.assert_allclose(similarities(sides[:2], sides), found[:2], atol=1e-5)


def test_likeness_with_nobody() -> None:
    sides = gather(QUESTION, REFERENCES, [*ANSWERS, ""]).sides
    assert similarities(sides, []).shape == (6, 0)
    assert similarities([], sides).shape == (0, 6)
    assert not similarities(sides, sides)[-1].any()
