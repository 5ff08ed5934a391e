"""Per-class precision, recall and F1 as the response challenge's script defines them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from postil.data.labels import Scheme
from postil.scoring.score import ClassScore
from postil.scoring.tally import Floats, Metrics, SumTally, f1_of, ratio


@dataclass(frozen=True)
class ClassFigures:
    """Turns sums of (hits, predicted, gold) per class into the challenge's averages.

    `macro` are the classes of the main macro average: all of them but, for SciEntsBank's five-way task,
    `non_domain`. A class that is neither in the gold nor predicted counts as perfect, as in the original.
    """

    classes: int
    macro: tuple[int, ...]

    def per_class(self, sums: Floats) -> tuple[Floats, Floats, Floats]:
        """Precision, recall and F1 by class, along the last axis."""
        hits, predicted, gold = np.split(sums, 3, axis=-1)
        precision, recall = ratio(hits, predicted), ratio(hits, gold)
        absent = (predicted == 0) & (gold == 0)
        return tuple(np.where(absent, 1.0, x) for x in (precision, recall, f1_of(precision, recall)))  # type: ignore[return-value]

    def __call__(self, sums: Floats) -> Metrics:
        """All averages, for one row of sums or many."""
        hits, _, gold = np.split(sums, 3, axis=-1)
        total = gold.sum(axis=-1)
        figures: Metrics = {}
        for name, values in zip(("precision", "recall", "f1"), self.per_class(sums), strict=True):
            figures[f"macro_{name}"] = values[..., self.macro].mean(axis=-1)
            figures[f"weighted_{name}"] = ratio((values * gold).sum(axis=-1), total)
            if name == "f1":
                figures["macro_f1_5"] = values.mean(axis=-1)
        figures["accuracy"] = ratio(hits.sum(axis=-1), total)
        order = ("macro_f1", "macro_f1_5", "weighted_f1", "accuracy")
        return {name: figures[name] for name in (*order, *sorted(set(figures) - set(order)))}


def tally_classes(
    gold: Sequence[str], predicted: Sequence[str], scheme: Scheme, left_out: Sequence[str] = ()
) -> SumTally:
    """Tally labels against labels; `left_out` are classes the main macro average passes over."""
    number = {label: index for index, label in enumerate(scheme.labels)}
    size, classes = len(gold), len(number)
    gold_numbers = np.array([number[label] for label in gold], dtype=np.intp)
    predicted_numbers = np.array([number[label] for label in predicted], dtype=np.intp)
    rows = np.arange(size)
    counts = np.zeros((size, 3 * classes), dtype=np.float32)
    hit = gold_numbers == predicted_numbers
    counts[rows[hit], gold_numbers[hit]] = 1
    counts[rows, classes + predicted_numbers] = 1
    counts[rows, 2 * classes + gold_numbers] = 1
    macro = tuple(index for label, index in number.items() if label not in left_out)
    return SumTally(counts, ClassFigures(classes, macro))


def class_scores(tally: SumTally, scheme: Scheme) -> dict[str, ClassScore]:
    """Read precision, recall and F1 of every class off a tally."""
    figures = tally.finish
    if not isinstance(figures, ClassFigures):
        raise TypeError("this tally does not count classes")
    sums = tally.counts.sum(axis=0, dtype=np.float64)
    precision, recall, f1 = figures.per_class(sums)
    support = sums[2 * figures.classes :]
    return {
        label: ClassScore(float(precision[i]), float(recall[i]), float(f1[i]), int(support[i]))
        for i, label in enumerate(scheme.labels)
    }
