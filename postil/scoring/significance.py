"""Scores with their signature, and whether a difference is real: approximate randomisation and bootstrap.

Both work on tallies, the per-item counts behind a score. Every figure is a function of sums over items, so
ten thousand resamples of a test set are a few matrix products.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol, Self

import numpy as np

from postil import __version__
from postil.data.arrays import AnyFloats, Bools, Floats, Numbers, Singles
from postil.errors import MismatchError

Metrics = dict[str, Floats]
Groups = Numbers | None
ITERATIONS = 10_000
_CELLS_A_BLOCK = 4_000_000


class Tally(Protocol):
    """What significance tests need from a scored run."""

    @property
    def size(self) -> int:
        """How many items were scored."""

    def values(self) -> dict[str, float]:
        """The figures on the items as they are."""

    def resampled(self, weights: AnyFloats) -> Metrics:
        """The figures when item i counts `weights[b, i]` times, for each row b."""

    def swapped(self, other: Self, mask: Bools) -> tuple[Metrics, Metrics]:
        """The figures of both systems after exchanging, in row b, the items where `mask[b]` is true."""


@dataclass(frozen=True)
class SumTally:
    """A tally whose figures depend only on column sums of an items × counts matrix.

    Whole-number counts may be single precision: it is exact up to 16 million, and twice as fast.
    """

    counts: AnyFloats
    finish: Callable[[Floats], Metrics]

    @property
    def size(self) -> int:
        """How many items were scored."""
        return len(self.counts)

    def values(self) -> dict[str, float]:
        """The figures on the items as they are."""
        return {name: float(value) for name, value in self.finish(self._total()).items()}

    def _total(self) -> Floats:
        return np.asarray(self.counts.sum(axis=0, dtype=np.float64))

    def resampled(self, weights: AnyFloats) -> Metrics:
        """The figures when item i counts `weights[b, i]` times, for each row b."""
        return self.finish((weights.astype(self.counts.dtype) @ self.counts).astype(np.float64))

    def swapped(self, other: Self, mask: Bools) -> tuple[Metrics, Metrics]:
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


def group_numbers(names: Sequence[str]) -> Numbers:
    """Number the distinct names from 0: which group each item belongs to."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.intp)


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval of a figure or of a difference."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two systems on one metric: both values, their difference, its interval and its p-value."""

    metric: str
    first: float
    second: float
    interval: Interval
    p_value: float

    @property
    def difference(self) -> float:
        """By how much the first system is better."""
        return self.first - self.second

    @property
    def significant(self) -> bool:
        """Whether chance alone would give so large a difference at most one time in twenty."""
        return self.p_value <= 0.05


def _blocks(iterations: int, size: int) -> Iterator[int]:
    step = max(1, min(iterations, _CELLS_A_BLOCK // max(size, 1)))
    for start in range(0, iterations, step):
        yield min(step, iterations - start)


def _unit_count(size: int, groups: Groups) -> int:
    if groups is None:
        return size
    if len(groups) != size:
        raise ValueError("there must be one group number for every item")
    return int(groups.max()) + 1 if size else 0


def _coin_tosses(rng: np.random.Generator, rows: int, columns: int) -> Bools:
    """Fair random booleans, eight to a byte: several times faster than drawing numbers."""
    width = -(-columns // 8)
    raw = np.frombuffer(rng.bytes(rows * width), dtype=np.uint8).reshape(rows, width)
    return np.unpackbits(raw, axis=1, count=columns).view(np.bool_)


def approximate_randomisation(
    first: Tally, second: Tally, *, iterations: int = ITERATIONS, seed: int = 0, groups: Groups = None
) -> dict[str, float]:
    """The p-value of every metric's difference when the two systems' items are exchanged at random.

    p = (1 + number of shuffles whose difference is at least as large) / (1 + iterations), two-sided.
    """
    if first.size != second.size:
        raise MismatchError(f"the two systems were scored on {first.size} and {second.size} items.")
    rng = np.random.default_rng(seed)
    a, b = first.values(), second.values()
    observed = {name: abs(a[name] - b[name]) for name in a if name in b}
    larger = dict.fromkeys(observed, 0)
    units = _unit_count(first.size, groups)
    for rows in _blocks(iterations, first.size):
        mask = _coin_tosses(rng, rows, units)
        first_swapped, second_swapped = first.swapped(second, mask if groups is None else mask[:, groups])
        for name, difference in observed.items():
            swapped = np.abs(first_swapped[name] - second_swapped[name])
            larger[name] += int((swapped >= difference - 1e-12).sum())
    return {name: (1 + count) / (1 + iterations) for name, count in larger.items()}


def _bootstrap(
    figures: Callable[[Singles], Metrics], size: int, iterations: int, seed: int, groups: Groups
) -> dict[str, Floats]:
    rng = np.random.default_rng(seed)
    units = _unit_count(size, groups)
    collected: dict[str, list[Floats]] = {}
    for rows in _blocks(iterations, size):
        # How often each unit is drawn when as many are drawn as there are, with replacement.
        drawn = rng.integers(0, units, size=(rows, units)) + units * np.arange(rows)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=rows * units).reshape(rows, units)
        weights = counts.astype(np.float32)
        for name, values in figures(weights if groups is None else weights[:, groups]).items():
            collected.setdefault(name, []).append(values)
    return {name: np.concatenate(values) for name, values in collected.items()}


def _interval(values: Floats, level: float = 0.95) -> Interval:
    tail = (1 - level) / 2
    low, high = np.quantile(values, [tail, 1 - tail])
    return Interval(float(low), float(high))


def bootstrap(
    tally: Tally, *, iterations: int = ITERATIONS, seed: int = 0, level: float = 0.95, groups: Groups = None
) -> dict[str, Interval]:
    """Confidence intervals of a system's figures (percentile bootstrap over items, or over groups)."""
    sampled = _bootstrap(tally.resampled, tally.size, iterations, seed, groups)
    return {name: _interval(values, level) for name, values in sampled.items()}


def compare(
    first: Tally,
    second: Tally,
    *,
    iterations: int = ITERATIONS,
    resamples: int = ITERATIONS,
    seed: int = 0,
    groups: Groups = None,
) -> dict[str, Comparison]:
    """Compare two systems: paired bootstrap intervals of the differences, p-values by randomisation."""
    p_values = approximate_randomisation(first, second, iterations=iterations, seed=seed, groups=groups)

    def differences(weights: AnyFloats) -> Metrics:
        first_figures, second_figures = first.resampled(weights), second.resampled(weights)
        return {name: first_figures[name] - second_figures[name] for name in p_values}

    sampled = _bootstrap(differences, first.size, resamples, seed, groups)
    a, b = first.values(), second.values()
    return {
        name: Comparison(name, a[name], b[name], _interval(sampled[name]), p_value)
        for name, p_value in p_values.items()
    }


def fold_numbers(groups: Sequence[Hashable], folds: int, seed: int) -> Numbers:
    """Give each instance a fold, the instances of one group together, groups spread evenly at random."""
    units = {group: number for number, group in enumerate(dict.fromkeys(groups))}
    order = np.random.default_rng(seed).permutation(len(units))
    fold_of = np.empty(len(units), dtype=np.intp)
    fold_of[order] = np.arange(len(units)) % folds
    return fold_of[[units[group] for group in groups]]


@dataclass(frozen=True, slots=True)
class ClassScore:
    """Precision, recall and F1 of one class, and how many gold items it has."""

    precision: float
    recall: float
    f1: float
    support: int


@dataclass(frozen=True)
class Score:
    """A system's figures on one test set."""

    metrics: Mapping[str, float]
    primary: str
    signature: str
    count: int
    per_class: Mapping[str, ClassScore] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.primary} = {self.metrics[self.primary]:.4f} ({self.signature})"

    def as_json(self) -> dict[str, Any]:
        """The score as plain data, under the metric names used everywhere."""
        data: dict[str, Any] = dict(self.metrics)
        if self.per_class:
            data["per_class"] = {label: asdict(scores) for label, scores in self.per_class.items()}
        return data | {"count": self.count, "signature": self.signature}


def make_signature(task: str, **choices: object) -> str:
    """Spell out how a score was made: `task:sra|scheme:5way|classes:4|v:0.1.0`."""
    parts = {"task": task, **choices, "v": __version__}
    return "|".join(f"{name}:{value}" for name, value in parts.items())
