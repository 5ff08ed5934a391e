"""Where the judgement of an answer and the facets it was found to express speak against each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from postil.data.judgements import Judgement
from postil.data.outcome import EXPRESSED, FacetOutcome

# A facet's outcome speaks against a label from this confidence on; below, either may be wrong.
SURE = 0.75


def unsaid(outcomes: Sequence[FacetOutcome]) -> list[FacetOutcome]:
    """The required facets that an answer surely does not express."""
    return [
        one for one in outcomes if one.facet.required and one.label != EXPRESSED and one.confidence >= SURE
    ]


def all_said(outcomes: Sequence[FacetOutcome]) -> bool:
    """Whether an answer surely expresses every required facet."""
    required = [one for one in outcomes if one.facet.required]
    return bool(required) and all(one.label == EXPRESSED and one.confidence >= SURE for one in required)


def disagreement(label: str, outcomes: Sequence[FacetOutcome]) -> float:
    """How sure the facets are that a label is wrong, from `SURE` on; 0 where they do not say so."""
    if label == "correct":
        return max((one.confidence for one in unsaid(outcomes)), default=0.0)
    if all_said(outcomes):
        return min(one.confidence for one in outcomes if one.facet.required)
    return 0.0


def reconciled(judgement: Judgement, outcomes: Sequence[FacetOutcome]) -> Judgement:
    """The judgement, less sure and left to a person where the facets speak against it.

    The label stays: neither side is right more often than the other where they disagree. The confidence is
    the mean of what both sides give the label.
    """
    against = disagreement(judgement.label, outcomes)
    if not against:
        return judgement
    confidence = min(judgement.confidence, (judgement.confidence + 1 - against) / 2)
    return replace(judgement, confidence=confidence, deferred=True)
