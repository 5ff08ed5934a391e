"""Memory: labels move the probabilities of similar answers; without labels nothing moves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.grading.decision import LABELS
from postil.grading.memory import (
    KNOWN,
    NEW,
    NEW_CAREFUL,
    Kernel,
    adjust,
    covariance,
    leniency,
    propose,
    targets,
)

KERNELS = pytest.mark.parametrize("kernel", [NEW, KNOWN, NEW_CAREFUL], ids=["new", "known", "careful"])


def chances(count: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).dirichlet(np.ones(len(LABELS)), size=count)


def likeness(count: int, seed: int) -> np.ndarray:
    """How alike made-up answers are: near 1 for near points, and 1 with themselves."""
    points = np.random.default_rng(seed).normal(size=(count, 3))
    return np.exp(-np.linalg.norm(points[:, None] - points[None], axis=2) / 2)


counts, seeds = st.integers(1, 12), st.integers(0, 10_000)


@KERNELS
def test_no_labels_change_nothing(kernel: Kernel) -> None:
    before = chances(4, 0)
    found = adjust(before, np.zeros((4, 0)), chances(0, 0), np.zeros((0, 0)), np.zeros((0, 5)), kernel)
    np.testing.assert_array_equal(found, before)


@settings(max_examples=80, deadline=None)
@given(counts, seeds, st.sampled_from(LABELS), st.sampled_from([NEW, KNOWN, NEW_CAREFUL]))
def test_probabilities_stay_probabilities(count: int, seed: int, label: str, kernel: Kernel) -> None:
    before, alike = chances(count + 3, seed), likeness(count + 3, seed)
    known = before[count:]
    wanted = targets([label, "incorrect", "correct"], known)
    found = adjust(before[:count], alike[:count, count:], known, alike[count:, count:], wanted, kernel)
    assert (found > 0).all()
    np.testing.assert_allclose(found.sum(axis=1), 1)


@settings(max_examples=80, deadline=None)
@given(seeds, st.sampled_from(LABELS), st.sampled_from([NEW, KNOWN, NEW_CAREFUL]))
def test_an_equal_answer_moves_towards_the_label(seed: int, label: str, kernel: Kernel) -> None:
    before = chances(1, seed)
    found = adjust(before, np.ones((1, 1)), before, np.ones((1, 1)), targets([label], before), kernel)
    place = LABELS.index(label)
    assert found[0, place] > before[0, place] or before[0, place] > 0.99


@KERNELS
def test_the_more_alike_the_further_it_moves(kernel: Kernel) -> None:
    before = np.full((3, 5), 0.2)
    wanted = targets(["contradictory"], before[:1])
    found = adjust(before, np.array([[0.95], [0.7], [0.1]]), before[:1], np.ones((1, 1)), wanted, kernel)
    assert found[0, 2] > found[1, 2] > found[2, 2] > 0.2


@KERNELS
def test_a_label_that_was_expected_moves_little(kernel: Kernel) -> None:
    sure = np.array([[0.96, 0.01, 0.01, 0.01, 0.01]])
    found = adjust(sure, np.ones((1, 1)), sure, np.ones((1, 1)), targets(["correct"], sure), kernel)
    assert np.abs(found - sure).max() < 0.05


def test_two_that_agree_move_more_than_one() -> None:
    before = np.full((1, 5), 0.2)
    known = np.full((2, 5), 0.2)
    among = np.array([[1, 0.8], [0.8, 1]])
    wanted = targets(["correct", "correct"], known)
    one = adjust(before, np.array([[0.8]]), known[:1], among[:1, :1], wanted[:1])
    two = adjust(before, np.array([[0.8, 0.8]]), known, among, wanted)
    assert two[0, 0] > one[0, 0] > 0.2


def test_a_coarse_label_leaves_the_kind_to_the_stack() -> None:
    known = np.array([[0.5, 0.3, 0.1, 0.1, 0.0], [1.0, 0.0, 0.0, 0.0, 0.0]])
    wanted = targets(["incorrect", "incorrect"], known)
    np.testing.assert_allclose(wanted[0], [0, 0.6, 0.2, 0.2, 0])
    assert wanted[1, 0] == 0
    assert np.isfinite(wanted).all()


def test_a_fine_label_is_certain() -> None:
    np.testing.assert_array_equal(targets(LABELS, np.full((5, 5), 0.2)), np.eye(5))


def called(*correct: float) -> np.ndarray:
    """What a grader says of answers that it holds for so likely to be correct."""
    return np.array([[chance, *[(1 - chance) / 4] * 4] for chance in correct]).reshape(-1, 5)


def test_without_labels_nobody_is_lenient() -> None:
    assert leniency([]) == leniency([(called(), [])]) == 0


def test_a_person_who_says_what_the_grader_says_is_as_strict() -> None:
    labels = ["correct", "irrelevant"]
    assert leniency([(called(0.97, 0.03), labels)]) == pytest.approx(0, abs=0.05)


def test_leniency_grows_with_questions_more_than_with_answers() -> None:
    doubtful = called(0.4, 0.3, 0.45)
    once = leniency([(doubtful, ["correct"] * 3)])
    again = leniency([(np.repeat(doubtful, 3, axis=0), ["correct"] * 9)])
    thrice = leniency([(doubtful, ["correct"] * 3)] * 3)
    assert 0.2 < once < again < thrice < 2
    assert leniency([(doubtful, ["contradictory"] * 3)]) < 0


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), seeds, st.sampled_from(LABELS)), max_size=6))
def test_leniency_is_bounded(classes: list[tuple[int, int, str]]) -> None:
    found = leniency([(chances(count, seed), [label] * count) for count, seed, label in classes])
    assert -2 <= found <= 2


@KERNELS
def test_covariance_is_symmetric(kernel: Kernel) -> None:
    correct = chances(6, 3)[:, 0]
    found = covariance(likeness(6, 3), correct, correct, kernel)
    np.testing.assert_allclose(found, found.T)
    assert np.linalg.eigvalsh(found).min() > -1e-9


@settings(max_examples=80, deadline=None)
@given(counts, seeds, st.integers(0, 15), st.data())
def test_proposals_are_distinct_and_new(count: int, seed: int, wanted: int, data: st.DataObject) -> None:
    seen = data.draw(st.lists(st.integers(0, count - 1), unique=True))
    found = propose(chances(count, seed), likeness(count, seed), wanted, seen)
    assert len(found) == len(set(found)) == min(wanted, count - len(seen))
    assert not set(found) & set(seen)
    assert all(isinstance(place, int) and 0 <= place < count for place in found)


@settings(max_examples=40, deadline=None)
@given(counts, seeds)
def test_more_proposals_begin_like_fewer(count: int, seed: int) -> None:
    everything = propose(chances(count, seed), likeness(count, seed), count)
    for fewer in range(count):
        assert propose(chances(count, seed), likeness(count, seed), fewer) == everything[:fewer]


def test_two_groups_have_a_proposal_each() -> None:
    alike = np.kron(np.eye(2), np.full((4, 4), 0.95)) + 0.05 * np.eye(8)
    before = np.tile([0.5, 0.5, 0, 0, 0], (8, 1))
    first, second = propose(before, alike, 2)
    assert {first // 4, second // 4} == {0, 1}
    (left,) = propose(before, alike, 1, seen=[5])
    assert left // 4 == 0


def test_doubt_is_asked_about_first() -> None:
    before = np.array([[0.99, 0.01, 0, 0, 0], [0.5, 0.5, 0, 0, 0], [0.01, 0.99, 0, 0, 0]])
    kernel = Kernel(0.05, ((0.6, 0.3),), 0.0, 0.3)
    assert propose(before, np.eye(3), 1, kernel=kernel) == [1]


def test_near_repetitions_come_last() -> None:
    alike = np.eye(5)
    alike[:3, :3] = 0.97
    np.fill_diagonal(alike, 1)
    found = propose(called(0.5, 0.5, 0.5, 0.4, 0.6), alike, 5)
    assert len({place for place in found[:3] if place < 3}) == 1
    assert {3, 4} < set(found[:3])
