"""What an answer does with one facet of the reference."""

from __future__ import annotations

from dataclasses import dataclass

from postil.data.questions import Facet

Spans = tuple[tuple[int, int], ...]
# What a person says that counts; None: the machine finds its own.
Facets = tuple[Facet, ...] | None

EXPRESSED, UNADDRESSED, CONTRADICTED = "Expressed", "Unaddressed", "Contradicted"


@dataclass(frozen=True, slots=True)
class FacetOutcome:
    """What an answer does with a facet, how sure that is, and the words that do it.

    `contradicted` is the chance that the answer contradicts the facet, whatever the label. Spans are
    characters: of the answer as it was judged (contractions spelled out, blanks made single), and of the
    reference.
    """

    facet: Facet
    label: str
    confidence: float
    words: tuple[str, ...] = ()
    spans: Spans = ()
    reference_spans: Spans = ()
    contradicted: float = 0.0
