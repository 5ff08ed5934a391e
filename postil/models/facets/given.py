"""Facets that a person or the challenge's file gives: where the reference says them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from postil.corpora.responses import Facet
from postil.models.facets.clauses import Clause, clauses
from postil.models.facets.extraction import FoundFacet
from postil.text.document import Document


def locate(facets: Iterable[Facet], reference: Document) -> tuple[FoundFacet, ...]:
    """Find the words of each facet in the reference, and the clause that says most of them.

    A facet whose words the reference does not have is its own statement.
    """
    parts = clauses(reference)
    return tuple(_located(facet, reference, parts) for facet in facets)


def _located(facet: Facet, reference: Document, parts: Sequence[Clause]) -> FoundFacet:
    wanted = f"{facet.first} {facet.second}".lower().split()
    best = max(parts, key=lambda clause: len(_shared(wanted, reference, clause.tokens)), default=None)
    tokens = _shared(wanted, reference, best.tokens) if best else {}
    everywhere = _shared(wanted, reference, range(len(reference.tokens)))
    if best is None or not everywhere:
        return FoundFacet(facet, (), (), " ".join(wanted))
    if len(tokens) < len(everywhere):  # it ties two clauses together, so only the whole says it
        every = tuple(range(len(reference.tokens)))
        return FoundFacet(facet, tuple(sorted(everywhere.values())), every, reference.text)
    return FoundFacet(facet, tuple(sorted(tokens.values())), best.tokens, best.statement)


def _shared(wanted: Sequence[str], reference: Document, indices: Iterable[int]) -> dict[str, int]:
    """For each wanted word the first place among these where the reference has it."""
    found: dict[str, int] = {}
    for index in indices:
        token = reference.tokens[index]
        for word in wanted:
            if word in (token.text.lower(), token.lemma.lower()):
                found.setdefault(word, index)
    return found
