"""Tallies: the per-item counts behind a score, kept so that items can be resampled and swapped in bulk.

Every figure we report is a function of sums over items. Keeping the items' counts as one matrix turns ten
thousand resamples into a matrix product.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]
Metrics = dict[str, Floats]


class Tally(Protocol):
    """What significance tests need of a scored run."""

    @property
    def size(self) -> int:
        """How many items were scored."""

    def values(self) -> dict[str, float]:
        """The figures on the items as they are."""

    def resampled(self, weights: Floats) -> Metrics:
        """The figures when item i counts `weights[b, i]` times, for each row b."""

    def swapped(self, other: Self, mask: NDArray[np.bool_]) -> tuple[Metrics, Metrics]:
        """The figures of both systems after exchanging, in row b, the items where `mask[b]` is true."""


@dataclass(frozen=True)
class SumTally:
    """A tally whose figures depend only on column sums of an items × counts matrix.

    Whole-number counts may be single precision: it is exact up to 16 million, and twice as fast.
    """

    counts: Floats
    finish: Callable[[Floats], Metrics]

    @property
    def size(self) -> int:
        """How many items were scored."""
        return len(self.counts)

    def values(self) -> dict[str, float]:
        """The figures on the items as they are."""
        return {name: float(value) for name, value in self.finish(self._total()).items()}

    def _total(self) -> Floats:
        total: Floats = self.counts.sum(axis=0, dtype=np.float64)
        return total

    def resampled(self, weights: Floats) -> Metrics:
        """The figures when item i counts `weights[b, i]` times, for each row b."""
        return self.finish((weights.astype(self.counts.dtype) @ self.counts).astype(np.float64))

    def swapped(self, other: Self, mask: NDArray[np.bool_]) -> tuple[Metrics, Metrics]:
        """The figures of both systems after exchanging, in row b, the items where `mask[b]` is true."""
        difference = other.counts - self.counts
        differs = difference.any(axis=1)
        moved = mask[:, differs].astype(difference.dtype) @ difference[differs]
        return self.finish(self._total() + moved), other.finish(other._total() - moved)


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """Divide, with 0 where there is nothing to divide by."""
    result = np.zeros(np.broadcast(numerator, denominator).shape)
    return np.divide(numerator, denominator, out=result, where=denominator > 0)


def f1_of(precision: Floats, recall: Floats) -> Floats:
    """The harmonic mean of precision and recall."""
    return ratio(2 * precision * recall, precision + recall)


def group_numbers(names: Sequence[str]) -> NDArray[np.intp]:
    """Number the distinct names from 0: which group each item belongs to."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.intp)
