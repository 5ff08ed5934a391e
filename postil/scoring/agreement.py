"""Agreement between people (or a person and a system): observed, kappa, weighted kappa, alpha."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Sequence
from typing import TypeVar

import numpy as np

from postil.data.arrays import Floats
from postil.errors import MismatchError, some

Label = TypeVar("Label", bound=Hashable)


def observed_agreement(first: Sequence[Label], second: Sequence[Label]) -> float:
    """The share of items that both labelled alike."""
    _check_lengths(first, second)
    return sum(a == b for a, b in zip(first, second, strict=True)) / len(first)


def overlap_agreement(first: Sequence[Collection[Label]], second: Sequence[Collection[Label]]) -> float:
    """The share of items with at least one tag in common, for items that may carry several tags."""
    _check_lengths(first, second)
    return sum(bool(set(a) & set(b)) for a, b in zip(first, second, strict=True)) / len(first)


def cohen_kappa(first: Sequence[Label], second: Sequence[Label]) -> float:
    """Agreement beyond chance (Cohen 1960): (observed − expected) / (1 − expected)."""
    _check_lengths(first, second)
    order = list(dict.fromkeys([*first, *second]))
    return _weighted_kappa(first, second, order, 1.0 - np.eye(len(order)))


def quadratic_weighted_kappa(
    first: Sequence[int], second: Sequence[int], *, low: int | None = None, high: int | None = None
) -> float:
    """Agreement on a scale of whole numbers, a disagreement costing its squared distance."""
    _check_lengths(first, second)
    values = [*first, *second]
    order = range(min(values) if low is None else low, (max(values) if high is None else high) + 1)
    if min(values) < order.start or max(values) >= order.stop:
        raise MismatchError(f"a grade lies outside the scale {order.start} to {order.stop - 1}.")
    return _weighted_kappa(first, second, order, _squared_distance(np.arange(len(order), dtype=float)))


def _check_lengths(first: Sequence[object], second: Sequence[object]) -> None:
    if len(first) != len(second):
        raise MismatchError(f"one person labelled {len(first)} items and the other {len(second)}.")
    if not first:
        raise MismatchError("there are no items to compare.")


def _weighted_kappa(
    first: Sequence[Label], second: Sequence[Label], order: Sequence[Label], distance: Floats
) -> float:
    number = {label: index for index, label in enumerate(order)}
    confusion = np.zeros((len(number), len(number)))
    for a, b in zip(first, second, strict=True):
        confusion[number[a], number[b]] += 1
    expected = np.outer(confusion.sum(axis=1), confusion.sum(axis=0)) / len(first)
    return _beyond_chance(float((distance * confusion).sum()), float((distance * expected).sum()))


def _beyond_chance(observed: float, expected: float) -> float:
    """1 − observed / expected disagreement; 1 where a single label left chance nothing to get wrong."""
    return 1.0 - observed / expected if expected else 1.0


def _squared_distance(points: Floats) -> Floats:
    return np.asarray(np.subtract.outer(points, points) ** 2)


def krippendorff_alpha(
    ratings: Sequence[Sequence[Label | None]], *, level: str = "nominal", order: Sequence[Label] | None = None
) -> float:
    """Agreement of any number of people, with missing labels: ratings[person][item], None where missing.

    `level` is nominal, ordinal (`order` gives the ranks, else sorted) or interval (labels are numbers).
    """
    if len({len(row) for row in ratings}) != 1:
        raise MismatchError("every person needs one entry (a label or None) for every item.")
    items = [[label for label in column if label is not None] for column in zip(*ratings, strict=True)]
    pairable = [labels for labels in items if len(labels) > 1]
    if not pairable:
        raise MismatchError("no item was labelled by two people.")
    used = dict.fromkeys(label for labels in pairable for label in labels)
    values = list(order) if order is not None else sorted(used, key=_sort_key)
    number = {label: index for index, label in enumerate(values)}
    strange = [str(label) for label in used if label not in number]
    if strange:
        raise MismatchError(f"labels are not in the order given: {some(strange)}.")
    coincidence = np.zeros((len(values), len(values)))
    for labels in pairable:
        counts = np.bincount([number[label] for label in labels], minlength=len(values)).astype(float)
        coincidence += (np.outer(counts, counts) - np.diag(counts)) / (len(labels) - 1)
    totals = coincidence.sum(axis=0)
    distance = _alpha_distance(level, values, totals)
    size = float(totals.sum())
    expected = float((distance * (np.outer(totals, totals) - np.diag(totals))).sum()) / (size - 1)
    return _beyond_chance(float((distance * coincidence).sum()), expected)


def _sort_key(label: object) -> tuple[int, float, str]:
    number = isinstance(label, (int, float)) and not math.isnan(label)
    return (0, float(label), "") if number else (1, 0.0, str(label))  # type: ignore[arg-type]


def _alpha_distance(level: str, values: Sequence[object], totals: Floats) -> Floats:
    if level == "nominal":
        return 1.0 - np.eye(len(values))
    if level == "interval":
        points = np.array([float(value) for value in values])  # type: ignore[arg-type]
    elif level == "ordinal":
        points = np.cumsum(totals) - totals / 2
    else:
        raise ValueError(f"unknown level {level!r}; use nominal, ordinal or interval")
    return _squared_distance(points)
