"""The best sequence of tags, given each token's scores and how well tags follow one another."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.floating[Any]]

_NEVER = -1e9


def best_sequences(scores: Sequence[Scores], transitions: Scores, start: Scores) -> list[NDArray[np.intp]]:
    """Decode many sequences at once: for each the tag numbers whose log-probabilities add up to the most.

    `scores[i]` is tokens × tags, unnormalised; `transitions[a, b]` is added when b follows a, `start[b]` when
    a sequence begins with b.
    """
    lengths = np.array([len(rows) for rows in scores], dtype=np.intp)
    if not len(lengths) or not lengths.max():
        return [np.zeros(0, dtype=np.intp) for _ in scores]
    count, longest, tags = len(scores), int(lengths.max()), len(start)
    padded = np.zeros((longest, count, tags))
    for number, rows in enumerate(scores):
        if len(rows):
            values = np.asarray(rows, dtype=np.float64)
            padded[: len(rows), number] = values - np.logaddexp.reduce(values, axis=1, keepdims=True)
    best = padded[0] + start
    pointers = np.zeros((longest, count, tags), dtype=np.intp)
    stay = np.arange(tags)
    for step in range(1, longest):
        reached = best[:, :, None] + transitions
        chosen = reached.argmax(axis=1)
        running = (step < lengths)[:, None]
        # A sequence that has ended keeps its scores and points at itself.
        pointers[step] = np.where(running, chosen, stay)
        best = np.where(
            running, np.take_along_axis(reached, chosen[:, None, :], 1)[:, 0] + padded[step], best
        )
    path = np.zeros((longest, count), dtype=np.intp)
    path[-1] = best.argmax(axis=1)
    for step in range(longest - 1, 0, -1):
        path[step - 1] = np.take_along_axis(pointers[step], path[step][:, None], 1)[:, 0]
    return [path[:length, number] for number, length in enumerate(lengths)]


def bio_transitions(labels: Sequence[str], sequences: Sequence[Sequence[str]], weight: float) -> Scores:
    """How well BIO tags follow one another: what cannot follow never does, the rest by how often it did.

    The score is `weight` times the log of how much more often b followed a than b occurs at all.
    """
    number = {label: index for index, label in enumerate(labels)}
    counts = np.full((len(labels), len(labels)), 0.1)
    for sequence in sequences:
        for first, second in pairwise(sequence):
            counts[number[first], number[second]] += 1
    usual = counts.sum(axis=0) / counts.sum()
    scores = weight * (np.log(counts / counts.sum(axis=1, keepdims=True)) - np.log(usual))
    for row, label in enumerate(labels):
        for column, other in enumerate(labels):
            if other.startswith("I") and (label == "O" or label[1:] != other[1:]):
                scores[row, column] = _NEVER
    return np.asarray(scores)


def bio_start(labels: Sequence[str]) -> Scores:
    """A sequence cannot begin inside a chunk."""
    return np.array([_NEVER if label.startswith("I") else 0.0 for label in labels])
