"""Facets in words: what an answer says of the reference, what it leaves out, what it contradicts."""

from __future__ import annotations

from collections.abc import Sequence

from postil.corpora.responses import Facet
from postil.models.facets.outcomes import CONTRADICTED, EXPRESSED, UNADDRESSED, FacetOutcome

PLAIN_OUTCOMES = {EXPRESSED: "said", UNADDRESSED: "left out", CONTRADICTED: "contradicted"}
_SENTENCES = {
    EXPRESSED: "The answer says",
    UNADDRESSED: "It leaves out",
    CONTRADICTED: "It contradicts",
}


def facet_text(facet: Facet) -> str:
    """A facet as people read it: its two terms, or its only one."""
    return f"{facet.first} – {facet.second}" if facet.second else facet.first


def facets_in_words(outcomes: Sequence[FacetOutcome]) -> str:
    """A sentence for each kind of outcome that there is, naming its facets."""
    if not outcomes:
        return "The reference has no facets."
    parts = []
    for label, start in _SENTENCES.items():
        named = list(dict.fromkeys(facet_text(one.facet) for one in outcomes if one.label == label))
        if named:
            parts.append(f"{start}: {'; '.join(named)}.")
    if outcomes and all(one.label != EXPRESSED for one in outcomes):
        parts.insert(0, "The answer says none of the reference's facets.")
    return " ".join(parts)
