"""Decoding the best sequence of tags."""

from itertools import pairwise, product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.language.chunk_tagger import best_sequences, bio_start, bio_transitions

LABELS = ("B-NP", "I-NP", "B-VP", "I-VP", "O")


def log_softmax(rows: np.ndarray) -> np.ndarray:
    return rows - np.logaddexp.reduce(rows, axis=1, keepdims=True)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=4), st.integers(0, 1000))
def test_as_good_as_trying_all(lengths: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores = [rng.normal(size=(length, 5)) * 3 for length in lengths]
    transitions = bio_transitions(LABELS, [["B-NP", "I-NP", "B-VP", "O"]], 0.5)
    start = bio_start(LABELS)

    def total(rows: np.ndarray, path: tuple[int, ...]) -> float:
        value = start[path[0]] + sum(rows[i, tag] for i, tag in enumerate(path))
        return float(value + sum(transitions[a, b] for a, b in pairwise(path)))

    for rows, found in zip(scores, best_sequences(scores, transitions, start), strict=True):
        assert len(found) == len(rows)
        if len(rows):
            normal = log_softmax(rows)
            best = max(total(normal, path) for path in product(range(5), repeat=len(rows)))
            assert abs(total(normal, tuple(found)) - best) < 1e-6


def test_what_cannot_follow_never_does() -> None:
    scores = [np.array([[0.0, 9.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 9.0, 0.0]])]
    (path,) = best_sequences(scores, bio_transitions(LABELS, [], 0.2), bio_start(LABELS))
    tags = [LABELS[i] for i in path]
    assert not tags[0].startswith("I")
    assert tags[1] != "I-VP" or tags[0] == "B-VP"


def test_nothing_to_decode() -> None:
    assert best_sequences([], np.zeros((5, 5)), np.zeros(5)) == []
    assert [len(p) for p in best_sequences([np.zeros((0, 5))], np.zeros((5, 5)), np.zeros(5))] == [0]
