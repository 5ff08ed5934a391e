"""Where a label is decided, and where label and claims become one judgement.

From probabilities to labels that agree in all schemes (`decide`). Claims that a person set can lower the
confidence and leave an answer to a person; the label stays (`reconciled`). Once the label is given, it says
something about the claims as well, and their outcomes are settled by both (`agreed`): rubric, note and label
cannot say different things.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from math import prod

import numpy as np
from numpy.typing import NDArray

from postil.data.arrays import Floats
from postil.data.judgements import CONTRADICTED, EXPRESSED, UNADDRESSED, FacetOutcome, Judgement
from postil.data.labels import PARTLY, RESPONSE_SCHEMES, Scheme
from postil.errors import PostilError, some, unknown_label
from postil.grading.credit import earns_nothing, needed_of
from postil.grading.facets import TOPIC

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


def _required(outcomes: Sequence[FacetOutcome]) -> list[int]:
    """The places of those that count: what an answer is about, it need not say."""
    facets = [outcome.facet for outcome in outcomes]
    return [place for place, facet in enumerate(facets) if facet.required and facet.relation != TOPIC]


def _lacking(outcomes: Sequence[FacetOutcome]) -> list[int]:
    """The places of those that an answer would have to express besides, to express all that is required.

    Of alternatives as many as are needed, the likeliest.
    """
    lacking = []
    alternatives: dict[str, list[int]] = {}
    for place in _required(outcomes):
        facet = outcomes[place].facet
        if facet.group:
            alternatives.setdefault(facet.group, []).append(place)
        elif outcomes[place].label != EXPRESSED:
            lacking.append(place)
    for places in alternatives.values():
        others = [place for place in places if outcomes[place].label != EXPRESSED]
        needed = needed_of([outcomes[place].facet for place in places]) - (len(places) - len(others))
        lacking += sorted(others, key=lambda place: -outcomes[place].expressed)[: max(needed, 0)]
    return sorted(lacking)


def unsaid(outcomes: Sequence[FacetOutcome]) -> list[FacetOutcome]:
    """The required facets that an answer surely does not express."""
    return [outcomes[place] for place in _surely_lacking(outcomes)]


def _surely_lacking(outcomes: Sequence[FacetOutcome]) -> list[int]:
    return [place for place in _lacking(outcomes) if outcomes[place].confidence >= SURE]


def disagreement(label: str, outcomes: Sequence[FacetOutcome]) -> float:
    """How sure the facets are that a label is wrong, from `SURE` on; 0 where they do not say so.

    Of a group, as many facets as are needed have to be expressed, those that are surest of it.
    """
    if label == "correct":
        return max((outcome.confidence for outcome in unsaid(outcomes)), default=0.0)
    if label == "contradictory" and any(outcome.label == CONTRADICTED for outcome in outcomes):
        return 0.0  # of alternatives enough may be said beside the one that is contradicted
    sure = [
        outcome if outcome.confidence >= SURE else replace(outcome, label=UNADDRESSED) for outcome in outcomes
    ]
    if _lacking(sure):
        return 0.0
    said = (sure[place] for place in _required(sure))
    return min((outcome.confidence for outcome in said if outcome.label == EXPRESSED), default=0.0)


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


def agreed(judgement: Judgement, outcomes: Sequence[FacetOutcome], answer: str) -> tuple[FacetOutcome, ...]:
    """The outcomes of an answer's facets once its label is known: those that cannot be beside it are changed.

    A correct answer lacks nothing that is required; one that is partly right says some of it and lacks some;
    one that contradicts contradicts something; any other says nothing of it. The likeliest outcomes are taken
    of those that the label allows. What a correct answer surely does not say cannot have been required.
    Where facets speak surely against a label and the answer is left to a person, both sides are shown.
    """
    label, told = judgement.label, tuple(outcomes)
    if judgement.deferred and (disagreement(label, told) or earns_nothing(label, told)):
        return told
    settle = {"correct": _all_said, PARTLY: _some_said, "contradictory": _some_denied}.get(label, _none_said)
    chance = judgement.probabilities["5way"][label]
    changed = list(told)
    for place, (name, by_label) in settle(told).items():
        changed[place] = _settled(told[place], name, by_label * chance, 1 - chance, answer)
    for place in _surely_lacking(told) if label == "correct" else ():
        changed[place] = replace(changed[place], facet=replace(told[place].facet, required=False))
    return tuple(changed)


# By place the outcomes that the label demands, and how likely they are by that.
_Changes = dict[int, tuple[str, float]]


def _all_said(outcomes: Sequence[FacetOutcome]) -> _Changes:
    """For a correct answer: what is lacking is said, unless it surely is not; nothing is contradicted."""
    denied = [place for place, outcome in enumerate(outcomes) if outcome.label == CONTRADICTED]
    said = {*_lacking(outcomes)} - {*_surely_lacking(outcomes)}
    return dict.fromkeys(denied, (UNADDRESSED, 1.0)) | dict.fromkeys(said, (EXPRESSED, 1.0))


def _some_said(outcomes: Sequence[FacetOutcome]) -> _Changes:
    """For a partly right answer: something that is required is lacking, and something is said."""
    required, rest = _required(outcomes), list(outcomes)
    chances = {place: outcomes[place].expressed for place in required}
    changes: _Changes = {}
    while required and not _lacking(rest):
        said = [place for place in required if rest[place].label == EXPRESSED]
        # What has no alternatives first: of alternatives several would have to go.
        least = min(said, key=lambda place: (bool(rest[place].facet.group), chances[place]))
        changes[least] = UNADDRESSED, _share(1 - chances[least], 1 - prod(chances.values()))
        rest[least] = replace(rest[least], label=UNADDRESSED)
    if not changes and required and all(outcome.label != EXPRESSED for outcome in outcomes):
        best = max(required, key=chances.__getitem__)
        rest[best] = replace(rest[best], label=EXPRESSED)
        if _lacking(rest):
            none_said = prod(1 - chance for chance in chances.values())
            changes[best] = EXPRESSED, _share(chances[best], 1 - none_said)
    return changes


def _some_denied(outcomes: Sequence[FacetOutcome]) -> _Changes:
    """For an answer that contradicts: what it contradicts is among the facets."""
    required = _required(outcomes)
    if not required or any(outcome.label == CONTRADICTED for outcome in outcomes):
        return {}
    likeliest = max(required, key=lambda place: outcomes[place].contradicted)
    none_denied = prod(1 - outcomes[place].contradicted for place in required)
    return {likeliest: (CONTRADICTED, _share(outcomes[likeliest].contradicted, 1 - none_denied))}


def _none_said(outcomes: Sequence[FacetOutcome]) -> _Changes:
    """For an answer off the point, or none at all: nothing is said or contradicted; it may have the topic."""
    spoken = [
        place
        for place, outcome in enumerate(outcomes)
        if outcome.label != UNADDRESSED and outcome.facet.relation != TOPIC and not outcome.facet.wrong
    ]
    return dict.fromkeys(spoken, (UNADDRESSED, 1.0))


def _share(chance: float, whole: float) -> float:
    return chance / whole if whole > 0 else 1.0


def _settled(outcome: FacetOutcome, label: str, by_label: float, rest: float, answer: str) -> FacetOutcome:
    """An outcome with another label: how sure by the answer's label, and for the rest by what was read."""
    read = {EXPRESSED: outcome.expressed, CONTRADICTED: outcome.contradicted}
    own = read.get(label, max(0.0, 1 - outcome.expressed - outcome.contradicted))
    spans = () if label == UNADDRESSED else outcome.near
    words = tuple(answer[start:end] for start, end in spans)
    return replace(outcome, label=label, confidence=by_label + rest * own, words=words, spans=spans)
