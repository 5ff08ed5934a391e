"""What the API says of texts that it judges at once, as frozen dataclasses with the fields of its models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Feedback:
    """How an answer compares with the reference: for who knows that, and for who wrote the answer."""

    teacher: str
    student: str


@dataclass(frozen=True, slots=True)
class FoundFacet:
    """What an answer does with one facet, and the words that do it."""

    id: str
    first: str
    second: str
    relation: str
    label: str
    confidence: float
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """Two chunks that belong together, or one that has no partner; tokens are counted from 1."""

    source: tuple[int, ...]
    target: tuple[int, ...]
    source_text: str
    target_text: str
    type: str
    additions: tuple[str, ...]
    score: float | None


@dataclass(frozen=True, slots=True)
class TextAlignment:
    """Two sentences as tokens, and how their chunks belong together."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    alignments: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class TextJudgement:
    """What Postil says of one answer; the last three are there if they were asked for and a model judged."""

    id: str
    label: str
    probabilities: Mapping[str, float]
    score: float
    confidence: float
    deferred: bool
    because: str
    reference: str
    feedback: Feedback | None
    facets: tuple[FoundFacet, ...] | None
    alignment: TextAlignment | None


@dataclass(frozen=True, slots=True)
class GradedTexts:
    """The judgements of a class, and what is wrong with its question or references, if anything is."""

    items: tuple[TextJudgement, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AlignedSentences:
    """Two sentences aligned, and what that shows."""

    id: str
    source: tuple[str, ...]
    target: tuple[str, ...]
    alignments: tuple[Link, ...]
    approximate: bool
    explanation: str


@dataclass(frozen=True, slots=True)
class TextDifference:
    """A place where the text says something else than the hypothesis."""

    kind: str
    hypothesis: str
    text: str


@dataclass(frozen=True, slots=True)
class TextEntailment:
    """Whether a text implies a hypothesis, and which part of it says so."""

    id: str
    label: str
    confidence: float
    probabilities: Mapping[str, float]
    sentence: str
    stands_for: Mapping[str, str]
    supported: tuple[str, ...]
    unsupported: tuple[str, ...]
    differences: tuple[TextDifference, ...]
    justification: str


@dataclass(frozen=True, slots=True)
class AnswerFacets:
    """What one answer does with each facet of the reference."""

    id: str
    facets: tuple[FoundFacet, ...]
    explanation: str
