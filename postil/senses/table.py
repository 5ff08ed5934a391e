"""From instances to rows of numbers: which features a word's examples have, and how much each one says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from postil.data.formats.senses import SenseInstance
from postil.senses.features import features

Floats = NDArray[np.float64]
Rows = sparse.csr_array

# The group of contextual vectors: numbers of an encoder, not strings; for English.
VECTORS = "vectors"
# From so many examples on, a feature that only one of them has is left out.
_MANY = 1000


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """The features of one word, each with its column, and what is needed to weigh them.

    A column's weight is its inverse document frequency; each group of a row is scaled to length 1, so that
    the many words of a context do not drown the few neighbours. `centre` is the mean contextual vector.
    """

    columns: Mapping[str, Mapping[str, int]]  # by group, numbered in it; without the group of vectors
    weights: Floats  # a column each; without the group of vectors
    centre: Floats | None = None

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.weights) + (0 if self.centre is None else len(self.centre))

    def spans(self) -> dict[str, slice]:
        """Where each group's columns lie, one group after the other."""
        sizes = {group: len(known) for group, known in self.columns.items()}
        if self.centre is not None:
            sizes[VECTORS] = len(self.centre)
        ends = accumulate(sizes.values())
        return {group: slice(end - size, end) for (group, size), end in zip(sizes.items(), ends, strict=True)}

    def places(self, groups: Sequence[str]) -> NDArray[np.intp]:
        """The columns of the groups named."""
        chosen = np.zeros(self.width, dtype=np.bool_)
        for group, span in self.spans().items():
            chosen[span] = group in groups
        return np.flatnonzero(chosen)

    def rows(self, instances: Sequence[SenseInstance]) -> tuple[Rows, Rows]:
        """The instances as rows, twice: 1 for each feature there is, and weighed."""
        listed = [features(instance, list(self.columns)) for instance in instances]
        spans = self.spans()
        there, weighed = [], []
        for number, (group, known) in enumerate(self.columns.items()):
            block = _present([groups[number] for groups in listed], known)
            there.append(block)
            weighed.append(_unit_length(block, self.weights[spans[group]]))
        if self.centre is not None:
            from postil.senses.vectors import context_vectors

            there.append(sparse.csr_array((len(instances), len(self.centre))))
            weighed.append(sparse.csr_array(_centred(context_vectors(instances), self.centre)))
        return sparse.hstack(there, format="csr"), sparse.hstack(weighed, format="csr")


def make_table(instances: Sequence[SenseInstance], groups: Sequence[str]) -> Table:
    """Give each feature of the instances a column, and the less weight the more of them have it."""
    named = [group for group in groups if group != VECTORS]
    least = 2 if len(instances) >= _MANY else 1
    counts: list[Counter[str]] = [Counter() for _ in named]
    for instance in instances:
        for counter, found in zip(counts, features(instance, named), strict=True):
            counter.update(dict.fromkeys(found, 1))
    columns: dict[str, dict[str, int]] = {}
    frequencies: list[int] = []
    for group, counter in zip(named, counts, strict=True):
        kept = [feature for feature, count in counter.items() if count >= least]
        columns[group] = {feature: number for number, feature in enumerate(kept)}
        frequencies += (counter[feature] for feature in kept)
    weights = np.log((1 + len(instances)) / (1 + np.array(frequencies, dtype=np.float64))) + 1
    centre = None
    if VECTORS in groups:
        from postil.senses.vectors import context_vectors

        centre = context_vectors(instances).mean(axis=0)
    return Table(columns, weights, centre)


def _present(listed: Sequence[Sequence[str]], known: Mapping[str, int]) -> Rows:
    """A 1 where an instance has a feature."""
    places = [sorted({known[name] for name in names if name in known}) for names in listed]
    # Thirty-two bits: scikit-learn takes no longer ones.
    ends = np.cumsum([0, *map(len, places)], dtype=np.int32)
    flat = np.fromiter(chain.from_iterable(places), dtype=np.int32, count=ends[-1])
    return sparse.csr_array((np.ones(len(flat)), flat, ends), shape=(len(listed), len(known)))


def _unit_length(present: Rows, weights: Floats) -> Rows:
    """The features there are by their weights, each row scaled to length 1."""
    values = weights[present.indices]
    numbers = np.repeat(np.arange(present.shape[0]), np.diff(present.indptr))
    lengths = np.sqrt(np.bincount(numbers, values**2, minlength=present.shape[0]))
    return sparse.csr_array((values / lengths[numbers], present.indices, present.indptr), shape=present.shape)


def _centred(vectors: Floats, centre: Floats) -> Floats:
    """The vectors less their mean, each of their two halves (word and context) scaled to length 1."""
    halves = (vectors - centre).reshape(len(vectors), 2, -1)
    lengths = np.linalg.norm(halves, axis=2, keepdims=True)
    return (halves / np.where(lengths > 0, lengths, 1)).reshape(vectors.shape)
