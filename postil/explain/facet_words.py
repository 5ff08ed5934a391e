"""Facets in words: what an answer says of the reference, what it leaves out, what it contradicts."""

from __future__ import annotations

from collections.abc import Sequence

from postil.data.labels import PLAIN_NAMES
from postil.data.outcome import CONTRADICTED, EXPRESSED, UNADDRESSED, FacetOutcome
from postil.data.questions import Facet
from postil.grading.consistency import disagreement, unsaid

PLAIN_OUTCOMES = {EXPRESSED: "said", UNADDRESSED: "left out", CONTRADICTED: "contradicted"}
_NAMED = 2  # facets named in a sentence
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


def short_list(outcomes: Sequence[FacetOutcome]) -> str:
    """Every facet under its outcome, in one line: "said: A; B · left out: C"."""
    parts = []
    for label, name in PLAIN_OUTCOMES.items():
        named = [facet_text(one.facet) for one in outcomes if one.label == label]
        if named:
            parts.append(f"{name}: {'; '.join(named)}")
    return " · ".join(parts)


def most_contradicted(outcomes: Sequence[FacetOutcome]) -> FacetOutcome | None:
    """Of several facets the one that the answer contradicts most, if it contradicts any."""
    against = [one for one in outcomes if one.label == CONTRADICTED]
    return max(against, key=lambda one: one.contradicted) if len(outcomes) > 1 and against else None


def spoken_against(label: str, outcomes: Sequence[FacetOutcome]) -> list[str]:
    """That facets speak against a label, as the end of a note to a teacher; nothing where they do not."""
    if not disagreement(label, outcomes):
        return []
    judged = f"please check: it was judged {PLAIN_NAMES[label]}"
    if label == "correct":
        names = [f"“{facet_text(one.facet)}”" for one in unsaid(outcomes)[:_NAMED]]
        found = "was" if len(names) == 1 else "were"
        return [f"{judged}, although {' and '.join(names)} {found} not found in it"]
    return [f"{judged}, although it seems to say all that the reference does"]
