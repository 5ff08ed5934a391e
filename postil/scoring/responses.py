"""The response challenge's scorer: 5-, 3- and 2-way labels, and the facets of the pilot."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from postil.data.arrays import Floats
from postil.data.formats.sra import LabelledItem
from postil.data.labels import Scheme
from postil.errors import MismatchError, some
from postil.scoring.significance import ClassScore, Metrics, Score, SumTally, f1_of, make_signature, ratio

# SciEntsBank's answer ids look like EM.45b.110.1: module, question, student, attempt.
_SCIENTSBANK_ID = re.compile(r"[A-Z]{2}\.\w+\.\d+\.\d+")


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
    """Tally labels against labels; `left_out` are classes not in the main macro average."""
    number = {label: index for index, label in enumerate(scheme.labels)}
    row_of = np.eye(len(number), dtype=np.float32)  # a 1 in the column of a label
    golds, guesses = (row_of[np.array([number[x] for x in side], np.intp)] for side in (gold, predicted))
    macro = tuple(index for label, index in number.items() if label not in left_out)
    return SumTally(np.hstack([golds * guesses, guesses, golds]), ClassFigures(len(number), macro))


def class_scores(tally: SumTally, scheme: Scheme) -> dict[str, ClassScore]:
    """Precision, recall and F1 of every class of a tally."""
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


def guess_corpus(ids: Iterable[str]) -> str:
    """Recognise SciEntsBank by the shape of its answer ids; other corpora are not named."""
    return "sciEntsBank" if all(_SCIENTSBANK_ID.fullmatch(id) for id in ids) else ""


def left_out(corpus: str, scheme: Scheme) -> tuple[str, ...]:
    """The classes that the challenge's macro average leaves out."""
    return ("non_domain",) if corpus == "sciEntsBank" and scheme.name == "5way" else ()


def check_ids(gold: Sequence[str], system: Sequence[str]) -> None:
    """Refuse two files that are not about the same items (the original only compared their length)."""
    differences = []
    sides = ((gold, "gold"), (system, "system's file"))
    for ids, where in sides:
        if twice := [id for id, times in Counter(ids).items() if times > 1]:
            what = f"items occur more than once in the {where}: {some(twice)}."
            raise MismatchError(what, hint="Keep one of each.")
    for (ids, where), (others, elsewhere) in (sides, sides[::-1]):
        if missing := sorted(set(ids) - set(others)):
            what = f"{len(missing)} items of the {where} are not in the {elsewhere} ({some(missing)})"
            differences.append(what)
    if differences:
        raise MismatchError(f"{'; '.join(differences)}.", hint="Every item must be answered exactly once.")


def tally_labels(
    gold: Sequence[LabelledItem], system: Mapping[str, str], scheme: Scheme, corpus: str = ""
) -> SumTally:
    """Join a run to its gold by id, collapse both to the scheme, and count."""
    check_ids([item.id for item in gold], list(system))
    return tally_classes(
        [_collapsed(item.label, scheme, "gold") for item in gold],
        [_collapsed(system[item.id], scheme, "system's file") for item in gold],
        scheme,
        left_out(corpus, scheme),
    )


def _collapsed(label: str, scheme: Scheme, where: str) -> str:
    collapsed = scheme.collapse(label)
    if collapsed is None:
        what = f"the {where} has the label {label!r}, which is not one of the {scheme.name} scheme."
        raise MismatchError(what, hint=f"The scheme's labels are {', '.join(scheme.labels)}.")
    return collapsed


def score_labels(task: str, tally: SumTally, scheme: Scheme, corpus: str = "") -> Score:
    """Make the score of a tally, with the signature of the task it belongs to."""
    classes = len(scheme.labels) - len(left_out(corpus, scheme))
    signature = make_signature(task, scheme=scheme.name, classes=classes, n=tally.size)
    return Score(tally.values(), "macro_f1", signature, tally.size, class_scores(tally, scheme))
