"""The RTE scorers: accuracy, average precision and confidence-weighted score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from postil.data.arrays import Bools
from postil.data.formats.rte import EntailmentRun, Pair
from postil.data.labels import ENTAILMENT_SCHEMES, Scheme
from postil.errors import MismatchError
from postil.scoring.responses import check_ids, class_scores, tally_classes
from postil.scoring.score import Score, make_signature
from postil.scoring.significance import Floats, Metrics, ratio

Places = NDArray[np.intp]


def average_precision(positive: Bools, confidence: Floats) -> float:
    """Mean precision at every positive pair, ranked by confidence in entailment; ties keep their order."""
    return float(_average_precision(positive, confidence, np.arange(len(positive))))


def _ranked(values: Bools, strength: Floats, position: Places) -> Bools:
    """Sort each row by strength, the strongest first; equally strong ones keep the order of the file."""
    order = np.lexsort((position, -strength), axis=-1)
    return np.take_along_axis(values, order, axis=-1)


def _average_precision(positive: Bools, confidence: Floats, position: Places) -> Floats:
    ranked = _ranked(positive, confidence, position)
    precision = ranked.cumsum(axis=-1) / np.arange(1, ranked.shape[-1] + 1)
    return ratio((precision * ranked).sum(axis=-1), ranked.sum(axis=-1).astype(float))


def confidence_weighted_score(correct: Bools, confidence: Floats) -> float:
    """Mean accuracy over the top 1, 2, … n pairs, ranked by how sure the system is either way."""
    return float(_confidence_weighted_score(correct, confidence, np.arange(len(correct))))


def _confidence_weighted_score(correct: Bools, confidence: Floats, position: Places) -> Floats:
    ranked = _ranked(correct, np.maximum(confidence, 1 - confidence), position)
    running: Floats = ranked.cumsum(axis=-1) / np.arange(1, ranked.shape[-1] + 1)
    return np.asarray(running.mean(axis=-1))


@dataclass(frozen=True)
class EntailmentTally:
    """Per-pair facts of a run, in the order of the gold: entailed, judged right, and how confident.

    `position` is where each pair stood in the run's file, which settles ties of confidence; `numeric` is
    false where only a ranking was given.
    """

    positive: Bools
    correct: Bools
    correct_two_way: Bools
    confidence: Floats | None
    position: Places
    numeric: bool = True

    @property
    def size(self) -> int:
        """How many pairs were scored."""
        return len(self.positive)

    def values(self) -> dict[str, float]:
        """The figures on the pairs as they are."""
        figures = self.resampled(np.ones((1, self.size)))
        return {name: float(value[0]) for name, value in figures.items()}

    def resampled(self, weights: Floats) -> Metrics:
        """The figures when pair i counts `weights[b, i]` times, for each row b."""
        rows = [np.repeat(np.arange(self.size), row.astype(np.intp)) for row in weights]
        if len({len(row) for row in rows}) > 1:  # groups of unequal size: rows cannot be stacked
            parts = [self.resampled(row[None, :]) for row in weights]
            return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        chosen = np.stack(rows)
        confidence = None if self.confidence is None else self.confidence[chosen]
        return self._figures(
            self.positive[chosen],
            self.correct[chosen],
            self.correct_two_way[chosen],
            confidence,
            self.position[chosen],
        )

    def swapped(self, other: Self, mask: Bools) -> tuple[Metrics, Metrics]:
        """The figures of both systems after exchanging, in row b, the pairs where `mask[b]` is true."""
        positive = np.broadcast_to(self.positive, mask.shape)
        figures = []
        for first, second in ((self, other), (other, self)):
            confidence = None
            if first.confidence is not None and second.confidence is not None:
                confidence = np.where(mask, second.confidence, first.confidence)
            correct = np.where(mask, second.correct, first.correct)
            two_way = np.where(mask, second.correct_two_way, first.correct_two_way)
            position = np.where(mask, second.position, first.position)
            figures.append(first._figures(positive, correct, two_way, confidence, position))
        return figures[0], figures[1]

    def _figures(
        self, positive: Bools, correct: Bools, two_way: Bools, confidence: Floats | None, position: Places
    ) -> Metrics:
        figures: Metrics = {
            "accuracy": correct.mean(axis=-1),
            "accuracy_2way": two_way.mean(axis=-1),
        }
        if confidence is not None:
            figures["average_precision"] = _average_precision(positive, confidence, position)
            if self.numeric:
                # The conformance cases score the two-way decision, which is what the confidence speaks of.
                figures["confidence_weighted_score"] = _confidence_weighted_score(
                    two_way, confidence, position
                )
        return figures


def _collapsed(label: str, scheme: Scheme) -> str:
    collapsed = scheme.collapse(label)
    if collapsed is None:
        raise MismatchError(
            f"the label {label!r} is two-way, and the score asked for is {scheme.name}.",
            hint="Use --scheme 2way, or files with CONTRADICTION and UNKNOWN.",
        )
    return collapsed


def tally_entailment(gold: Sequence[Pair], run: EntailmentRun, scheme: Scheme) -> EntailmentTally:
    """Join a run to its gold by id and note, pair by pair, what was right."""
    position = {judgement.id: number for number, judgement in enumerate(run.judgements)}
    check_ids([pair.id for pair in gold], [judgement.id for judgement in run.judgements])
    judgements = [run.judgements[position[pair.id]] for pair in gold]
    labels = [pair.label or "" for pair in gold]
    judged = [judgement.label for judgement in judgements]
    given = [judgement.confidence for judgement in judgements]
    places = np.array([position[pair.id] for pair in gold], dtype=np.intp)
    confidence = None if None in given else np.array(given, dtype=float)
    if run.ranked:
        confidence = 1.0 - places / len(places)
    return EntailmentTally(
        positive=np.array([label == "ENTAILMENT" for label in labels]),
        correct=_agree(labels, judged, scheme),
        correct_two_way=_agree(labels, judged, ENTAILMENT_SCHEMES["2way"]),
        confidence=confidence,
        position=places,
        numeric=not run.ranked,
    )


def _agree(gold: Sequence[str], judged: Sequence[str], scheme: Scheme) -> Bools:
    return np.array(
        [_collapsed(a, scheme) == _collapsed(b, scheme) for a, b in zip(gold, judged, strict=True)]
    )


def score_entailment(gold: Sequence[Pair], run: EntailmentRun, scheme: Scheme) -> Score:
    """Score a run of entailment judgements, two-way or three-way."""
    tally = tally_entailment(gold, run, scheme)
    by_id = {pair.id: pair.label or "" for pair in gold}
    classes = tally_classes(
        [_collapsed(by_id[judgement.id], scheme) for judgement in run.judgements],
        [_collapsed(judgement.label, scheme) for judgement in run.judgements],
        scheme,
    )
    return Score(
        metrics=tally.values(),
        primary="accuracy",
        signature=make_signature("rte", scheme=scheme.name, n=tally.size),
        count=tally.size,
        per_class=class_scores(classes, scheme),
    )
