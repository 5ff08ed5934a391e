"""Alignments, facets and entailments as plain values, ready for JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from postil.data.alignments import AlignedPair
from postil.data.outcome import FacetOutcome
from postil.explain.alignments import words

if TYPE_CHECKING:
    from postil.entailment.entailer import Entailment


def plain_alignment(pair: AlignedPair) -> dict[str, object]:
    """Two sentences as tokens, and what links their chunks; tokens are counted from 1."""
    return {
        "source": list(pair.source),
        "target": list(pair.target),
        "alignments": [
            {
                "source": list(each.source),
                "target": list(each.target),
                "source_text": words(pair.source, each.source),
                "target_text": words(pair.target, each.target),
                "type": each.type,
                "additions": [label for label in each.labels if label != each.type],
                "score": each.score,
            }
            for each in pair.alignments
        ],
    }


def plain_outcome(outcome: FacetOutcome) -> dict[str, object]:
    """A facet and what an answer does with it."""
    facet = outcome.facet
    return {
        "id": facet.id,
        "first": facet.first,
        "second": facet.second,
        "relation": facet.relation,
        "label": outcome.label,
        "confidence": round(outcome.confidence, 4),
        "words": list(outcome.words),
    }


def plain_entailment(judged: Entailment, scheme: str) -> dict[str, object]:
    """A judged pair: the label in a scheme, how sure, and which part of the text says so."""
    found = judged.found
    return {
        "label": judged.two_way if scheme == "2way" else judged.label,
        "confidence": judged.confidence,
        "probabilities": dict(judged.probabilities),
        "sentence": found.sentence,
        "stands_for": dict(found.stands_for),
        "supported": list(found.supported),
        "unsupported": list(found.unsupported),
        "differences": [
            {"kind": one.kind, "hypothesis": one.wanted, "text": one.given} for one in found.differences
        ],
        "justification": judged.justification,
    }
