"""What analysis gives: a small immutable Document of tokens, sentences, chunks, negations and quantities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

# Parts of speech that carry meaning of their own; auxiliaries, determiners and the like do not.
CONTENT_POS = frozenset(("NOUN", "PROPN", "VERB", "ADJ", "ADV", "NUM"))


@dataclass(frozen=True, slots=True)
class Token:
    """A word: where it stands in the text, its lemma and tags, and its place in the tree.

    `head` is the index of the token it depends on (its own index for the root of a sentence).
    """

    index: int
    text: str
    start: int
    lemma: str
    pos: str
    tag: str
    head: int
    relation: str
    morph: str = ""

    @property
    def end(self) -> int:
        """Where the token ends in the text."""
        return self.start + len(self.text)

    @property
    def is_content(self) -> bool:
        """Whether the word carries meaning of its own."""
        return self.pos in CONTENT_POS


@dataclass(frozen=True, slots=True)
class Span:
    """Tokens from `start` up to, not including, `end`; `kind` says what they form (NP, VP, …) or nothing."""

    start: int
    end: int
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Negation:
    """A word or words that negate, and the tokens they negate.

    `kind` is word ("not"), prefix ("unconnected") or weak ("hardly").
    """

    cue: tuple[int, ...]
    scope: tuple[int, ...]
    kind: str = "word"


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in the text, with its unit where it has one, in base units (3 km is 3000 m)."""

    start: int
    end: int
    value: float
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """An analysed text. Token offsets point into `text`, which is kept as it was given."""

    text: str
    tokens: tuple[Token, ...]
    sentences: tuple[Span, ...]
    chunks: tuple[Span, ...]
    ists_chunks: tuple[Span, ...]
    negations: tuple[Negation, ...]
    quantities: tuple[Quantity, ...]
    pipeline: str

    @property
    def content_words(self) -> tuple[Token, ...]:
        """The words that carry meaning, in order."""
        return tuple(token for token in self.tokens if token.is_content)

    def is_negated(self, index: int) -> bool:
        """Whether a token lies in the scope of an odd number of negations: two cancel each other."""
        return sum(index in negation.scope for negation in self.negations) % 2 == 1

    def words(self, span: Span) -> Sequence[Token]:
        """The tokens of a span."""
        return self.tokens[span.start : span.end]

    def text_of(self, span: Span) -> str:
        """The text of a span, as it was written."""
        return (
            self.text[self.tokens[span.start].start : self.tokens[span.end - 1].end]
            if span.end > span.start
            else ""
        )
