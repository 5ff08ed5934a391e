"""The RTE scorers: accuracy, average precision and confidence-weighted score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from postil.data.arrays import AnyFloats, Bools, Floats, Numbers
from postil.data.formats.rte import EntailmentRun, Pair
from postil.data.labels import ENTAILMENT_SCHEMES, Scheme
from postil.errors import MismatchError
from postil.scoring.responses import check_ids, class_scores, tally_classes
from postil.scoring.significance import Metrics, Score, make_signature, ratio


def average_precision(positive: Bools, confidence: Floats, position: Numbers | None = None) -> Floats:
    """Mean precision at every positive pair, ranked by confidence in entailment, along the last axis.

    Ties are ranked by `position` or, without one, keep their order.
    """
    ranked, share = _ranked(positive, confidence, position)
    return ratio((share * ranked).sum(axis=-1), ranked.sum(axis=-1).astype(float))


def confidence_weighted_score(correct: Bools, confidence: Floats, position: Numbers | None = None) -> Floats:
    """Mean accuracy over the top 1, 2, … n pairs, ranked by how sure the system is either way."""
    _, share = _ranked(correct, np.maximum(confidence, 1 - confidence), position)
    return np.asarray(share.mean(axis=-1))


def _ranked(values: Bools, strength: Floats, position: Numbers | None) -> tuple[Bools, Floats]:
    """Sort by strength, the strongest first; also the share of true values among the first 1, 2, … n."""
    places = np.broadcast_to(np.arange(values.shape[-1]), values.shape) if position is None else position
    ranked = np.take_along_axis(values, np.lexsort((places, -strength), axis=-1), axis=-1)
    return ranked, ranked.cumsum(axis=-1) / np.arange(1, ranked.shape[-1] + 1)


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
    position: Numbers
    numeric: bool = True

    @property
    def size(self) -> int:
        """How many pairs were scored."""
        return len(self.positive)

    def values(self) -> dict[str, float]:
        """The figures on the pairs as they are."""
        figures = self.resampled(np.ones((1, self.size)))
        return {name: float(value[0]) for name, value in figures.items()}

    def resampled(self, weights: AnyFloats) -> Metrics:
        """The figures when pair i counts `weights[b, i]` times, for each row b."""
        rows = [np.repeat(np.arange(self.size), row.astype(np.intp)) for row in weights]
        if len({len(row) for row in rows}) > 1:  # groups of unequal size: rows cannot be stacked
            parts = [self.resampled(row[None, :]) for row in weights]
            return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        chosen = np.stack(rows)
        return replace(
            self,
            positive=self.positive[chosen],
            correct=self.correct[chosen],
            correct_two_way=self.correct_two_way[chosen],
            confidence=None if self.confidence is None else self.confidence[chosen],
            position=self.position[chosen],
        )._figures()

    def swapped(self, other: Self, mask: Bools) -> tuple[Metrics, Metrics]:
        """The figures of both systems after exchanging, in row b, the pairs where `mask[b]` is true."""
        return self._mixed(other, mask)._figures(), other._mixed(self, mask)._figures()

    def _mixed(self, other: Self, mask: Bools) -> Self:
        confidence = None
        if self.confidence is not None and other.confidence is not None:
            confidence = np.where(mask, other.confidence, self.confidence)
        return replace(
            self,
            positive=np.broadcast_to(self.positive, mask.shape),
            correct=np.where(mask, other.correct, self.correct),
            correct_two_way=np.where(mask, other.correct_two_way, self.correct_two_way),
            confidence=confidence,
            position=np.where(mask, other.position, self.position),
        )

    def _figures(self) -> Metrics:
        two_way, confidence, position = self.correct_two_way, self.confidence, self.position
        figures: Metrics = {"accuracy": self.correct.mean(axis=-1), "accuracy_2way": two_way.mean(axis=-1)}
        if confidence is not None:
            figures["average_precision"] = average_precision(self.positive, confidence, position)
            if self.numeric:
                # The conformance cases score the two-way decision, which is what the confidence is about.
                figures["confidence_weighted_score"] = confidence_weighted_score(
                    two_way, confidence, position
                )
        return figures


def _collapsed(label: str, scheme: Scheme) -> str:
    collapsed = scheme.collapse(label)
    if collapsed is None:
        what = f"the label {label!r} is two-way, and the score asked for is {scheme.name}."
        raise MismatchError(what, hint="Use --scheme 2way, or files with CONTRADICTION and UNKNOWN.")
    return collapsed


def tally_entailment(gold: Sequence[Pair], run: EntailmentRun, scheme: Scheme) -> EntailmentTally:
    """Join a run to its gold by id and record, pair by pair, what was right."""
    position = {judgement.id: number for number, judgement in enumerate(run.judgements)}
    check_ids([pair.id for pair in gold], [judgement.id for judgement in run.judgements])
    judgements = [run.judgements[position[pair.id]] for pair in gold]
    labels = [pair.label or "" for pair in gold]
    judged = [judgement.label for judgement in judgements]
    confidences = [judgement.confidence for judgement in judgements]
    places = np.array([position[pair.id] for pair in gold], dtype=np.intp)
    confidence = None if None in confidences else np.array(confidences, dtype=float)
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
    signature = make_signature("rte", scheme=scheme.name, n=tally.size)
    return Score(tally.values(), "accuracy", signature, tally.size, class_scores(classes, scheme))
