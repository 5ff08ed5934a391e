"""Facets that a person or the challenge's file gives: where the reference says them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from postil.data.questions import Facet
from postil.grading.clauses import Clause, clauses, is_key
from postil.grading.facets import FoundFacet
from postil.language.document import Document
from postil.language.recent import documents_of


def locate(facets: Sequence[Facet], reference: Document) -> tuple[FoundFacet, ...]:
    """Find the words of each facet in the reference, and the clause that says most of them.

    A facet that the reference does not say is its own statement, and has none of its words.
    """
    parts = clauses(reference)
    written = documents_of(facet.first for facet in facets if not facet.second)
    return tuple(_located(facet, reference, parts, written) for facet in facets)


def _located(
    facet: Facet, reference: Document, parts: Sequence[Clause], written: Mapping[str, Document]
) -> FoundFacet:
    wanted = f"{facet.first} {facet.second}".lower().split()
    own = written.get(facet.first) if not facet.second else None
    if own is not None:
        wanted = [token.lemma.lower() for token in own.tokens if is_key(token)]
    best = max(parts, key=lambda clause: len(_shared(wanted, reference, clause.tokens)), default=None)
    tokens = _shared(wanted, reference, best.tokens) if best else {}
    everywhere = _shared(wanted, reference, range(len(reference.tokens)))
    found = FoundFacet(facet, (), (), f"{facet.first} {facet.second}".strip())
    if best is not None and everywhere:
        # What ties two clauses together, only the whole says.
        if len(tokens) < len(everywhere):
            every = tuple(range(len(reference.tokens)))
            found = FoundFacet(facet, tuple(sorted(everywhere.values())), every, reference.text)
        else:
            found = FoundFacet(facet, tuple(sorted(tokens.values())), best.tokens, best.statement)
    if own is not None and found.tokens and not _says(found, reference, own, wanted):
        return FoundFacet(facet, (), (), facet.first)
    return found


def _says(found: FoundFacet, reference: Document, own: Document, wanted: Sequence[str]) -> bool:
    """Whether a reference says what a person has written: all words that matter, denied where it denies."""
    cues = {index for negation in reference.negations for index in negation.cue}
    denies = not cues.isdisjoint(found.clause)
    return len(found.tokens) >= len(set(wanted)) and denies == bool(own.negations)


def _shared(wanted: Sequence[str], reference: Document, indices: Iterable[int]) -> dict[str, int]:
    """For each wanted word the first place among these where the reference has it."""
    found: dict[str, int] = {}
    for index in indices:
        token = reference.tokens[index]
        for word in wanted:
            if word in (token.text.lower(), token.lemma.lower()):
                found.setdefault(word, index)
    return found
