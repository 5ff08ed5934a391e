"""Where a label is decided: from probabilities to labels that agree, and what claims say against them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from postil.data.arrays import Floats
from postil.data.judgements import EXPRESSED, FacetOutcome, Judgement
from postil.data.labels import RESPONSE_SCHEMES, Scheme
from postil.errors import PostilError, some, unknown_label
from postil.grading.credit import earns_nothing, needed_of

LABELS = RESPONSE_SCHEMES["5way"].labels
Labels = NDArray[np.intp]
Biases = Mapping[str, Sequence[float]]

_COARSE_TO_FINE = ("2way", "3way", "5way")


def members(scheme: Scheme, label: str) -> list[int]:
    """The numbers of those of the five labels that become this one."""
    return [index for index, fine in enumerate(LABELS) if scheme.collapse(fine) == label]


def demand_known(labels: Iterable[str]) -> None:
    """Refuse a label that no scheme has."""
    allowed = {label for scheme in RESPONSE_SCHEMES.values() for label in scheme.labels}
    wrong = next((label for label in labels if label not in allowed), None)
    if wrong is not None:
        raise PostilError(unknown_label(wrong), hint=f"Known labels: {', '.join(sorted(allowed))}.")


def collapse(probabilities: Floats, scheme: Scheme) -> Floats:
    """The probabilities of a coarser scheme's labels: sums of those of the five."""
    return np.stack([probabilities[:, members(scheme, label)].sum(axis=1) for label in scheme.labels], axis=1)


def collapse_labels(labels: Labels, scheme: Scheme) -> Labels:
    """Labels of the five, as numbers, in a coarser scheme."""
    table = [scheme.labels.index(scheme.collapse(label) or "") for label in LABELS]
    return np.array(table, np.intp)[labels]


def decide(probabilities: Floats, biases: Biases) -> dict[str, Labels]:
    """Labels as numbers by scheme, the coarse question first: is it correct? If not, does it contradict?

    Finer labels are chosen among those that the coarser one allows.
    """
    chosen: dict[str, Labels] = {}
    allowed = np.ones(probabilities.shape, bool)
    for name in _COARSE_TO_FINE:
        scheme = RESPONSE_SCHEMES[name]
        values = np.log(collapse(probabilities, scheme) + 1e-12) + np.array(biases.get(name, [0.0]))
        groups = [members(scheme, label) for label in scheme.labels]
        possible = np.stack([allowed[:, group].any(axis=1) for group in groups], axis=1)
        chosen[name] = np.where(possible, values, -np.inf).argmax(axis=1)
        for row, label in enumerate(chosen[name]):
            kept = np.zeros(len(LABELS), bool)
            kept[groups[label]] = True
            allowed[row] &= kept
    return chosen


# How much a setting adds to the log odds that an answer is correct. Teachers differ about that much: the best
# values for corpora that were left out, one after another, are so far apart (training/reader_stack.py).
STRICTNESS: Mapping[str, float] = {"lenient": 1.0, "normal": 0.0, "strict": -1.0}


def demand_strictness(name: str) -> None:
    """Refuse a strictness that does not exist."""
    if name not in STRICTNESS:
        what = f"{some([name])} is not a level of strictness."
        raise PostilError(what, hint=f"It can be {', '.join(STRICTNESS)}.")


def moved(probabilities: Floats, leniency: float) -> Floats:
    """The probabilities as a more lenient or a stricter teacher would have them.

    `leniency` is added to the log odds that an answer is correct.
    """
    if leniency == 0:
        return probabilities
    lifted = probabilities * np.where(np.arange(probabilities.shape[1]) == 0, np.exp(leniency), 1.0)
    result: Floats = lifted / lifted.sum(axis=1, keepdims=True)
    return result


def tune_bias(probabilities: Floats, quality: Callable[[Labels], float]) -> tuple[float, ...]:
    """What to add to each label's logarithm so that the labels chosen are best by some measure."""
    logs = np.log(probabilities + 1e-12)
    bias = np.zeros(logs.shape[1])
    for step in (0.4, 0.2, 0.1):
        for _ in range(3):
            for label in range(1, len(bias)):
                tries = bias[label] + step * np.array([0, -1, 1, -2, 2, -3, 3])
                scores = []
                for value in tries:
                    moved = bias.copy()
                    moved[label] = value
                    scores.append(quality((logs + moved).argmax(axis=1)))
                bias[label] = tries[int(np.argmax(scores))]
    return tuple(bias.round(3).tolist())


# A facet's outcome speaks against a label from this confidence on; below, either may be wrong.
SURE = 0.75


def unsaid(outcomes: Sequence[FacetOutcome]) -> list[FacetOutcome]:
    """The required facets that an answer surely does not express; of a group, only if too few are left."""
    missing = [
        outcome
        for outcome in outcomes
        if outcome.facet.required and outcome.label != EXPRESSED and outcome.confidence >= SURE
    ]
    lost = {
        name
        for name, members in _groups(outcomes).items()
        if len(members) - sum(outcome in missing for outcome in members) < _needed(members)
    }
    return [outcome for outcome in missing if not outcome.facet.group or outcome.facet.group in lost]


def disagreement(label: str, outcomes: Sequence[FacetOutcome]) -> float:
    """How sure the facets are that a label is wrong, from `SURE` on; 0 where they do not say so.

    Of a group, as many facets as are needed have to be expressed, those that are surest of it.
    """
    if label == "correct":
        return max((outcome.confidence for outcome in unsaid(outcomes)), default=0.0)
    required = [outcome for outcome in outcomes if outcome.facet.required and not outcome.facet.group]
    for members in _groups(outcomes).values():
        surest = sorted(members, key=lambda outcome: (outcome.label != EXPRESSED, -outcome.confidence))
        required += surest[: _needed(members)]
    if all(outcome.label == EXPRESSED and outcome.confidence >= SURE for outcome in required):
        return min((outcome.confidence for outcome in required), default=0.0)
    return 0.0


def _groups(outcomes: Sequence[FacetOutcome]) -> dict[str, list[FacetOutcome]]:
    """The required facets of which some suffice, by group."""
    groups: dict[str, list[FacetOutcome]] = {}
    for outcome in outcomes:
        if outcome.facet.group and outcome.facet.required:
            groups.setdefault(outcome.facet.group, []).append(outcome)
    return groups


def _needed(members: Sequence[FacetOutcome]) -> int:
    return needed_of([outcome.facet for outcome in members])


def reconciled(judgement: Judgement, outcomes: Sequence[FacetOutcome]) -> Judgement:
    """The judgement, less sure and left to a person where the facets speak against it.

    The label stays: neither side is right more often than the other where they disagree. The confidence is
    the mean of what both sides give the label. An answer that is called partly right and would earn nothing
    is left to a person as well, as sure as it was.
    """
    if earns_nothing(judgement.label, outcomes):
        return replace(judgement, deferred=True)
    against = disagreement(judgement.label, outcomes)
    if not against:
        return judgement
    confidence = min(judgement.confidence, (judgement.confidence + 1 - against) / 2)
    return replace(judgement, confidence=confidence, deferred=True)
