"""What analysis gives: a small immutable Document of tokens, sentences, chunks, negations and quantities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

# Parts of speech that carry meaning of their own; auxiliaries, determiners and the like do not.
CONTENT_POS = frozenset(("NOUN", "PROPN", "VERB", "ADJ", "ADV", "NUM"))
_WORDNET_LETTERS = {"NOUN": "n", "PROPN": "n", "VERB": "v", "ADJ": "a", "ADV": "r"}


@dataclass(frozen=True, slots=True)
class Token:
    """A word: where it is in the text, its lemma and tags, and its position in the tree.

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

    @property
    def wordnet_letter(self) -> str:
        """WordNet's letter for the part of speech: n, v, a or r; "" for others."""
        return _WORDNET_LETTERS.get(self.pos, "")


@dataclass(frozen=True, slots=True)
class Span:
    """Tokens from `start` up to, not including, `end`; `kind` says what they form (NP, VP, …), if known."""

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


@dataclass(frozen=True, slots=True, order=True)
class Argument:
    """A part of the text that plays a role for a predicate: tokens from `start` up to `end`, and their head.

    `role` is PropBank's: ARG0 (usually the doer), ARG1 (what is affected), …, ARGM-LOC and other settings.
    """

    role: str
    start: int
    end: int
    head: int


@dataclass(frozen=True, slots=True)
class Predicate:
    """A word that says what happens or holds, the sense it has, and who or what takes part.

    `verb` is the same for a verb and the nouns made from it: "evaporate" for "evaporation" as well.
    """

    index: int
    lemma: str
    roleset: str
    arguments: tuple[Argument, ...]
    verb: str = ""
    voice: str = ""

    def argument(self, role: str) -> Argument | None:
        """The first argument with a role, if any."""
        return next((argument for argument in self.arguments if argument.role == role), None)


@dataclass(frozen=True, slots=True)
class Document:
    """An analysed text. Token offsets point into `text`, which is the original."""

    text: str
    tokens: tuple[Token, ...]
    sentences: tuple[Span, ...]
    chunks: tuple[Span, ...]
    ists_chunks: tuple[Span, ...]
    negations: tuple[Negation, ...]
    quantities: tuple[Quantity, ...]
    pipeline: str
    # Found on first use: most callers do not need roles.
    _predicates: tuple[Predicate, ...] | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def predicates(self) -> tuple[Predicate, ...]:
        """The predicates with their arguments, in order; found on first use, then remembered."""
        if self._predicates is None:
            from postil.language.roles import find_predicates

            object.__setattr__(self, "_predicates", find_predicates([self])[0])
        return self._predicates or ()

    @property
    def content_words(self) -> tuple[Token, ...]:
        """The words that carry meaning, in order."""
        return tuple(token for token in self.tokens if token.is_content)

    def is_negated(self, index: int) -> bool:
        """Whether a token is in the scope of an odd number of negations: two cancel each other."""
        return sum(index in negation.scope for negation in self.negations) % 2 == 1

    def words(self, span: Span) -> Sequence[Token]:
        """The tokens of a span."""
        return self.tokens[span.start : span.end]

    def text_of(self, span: Span) -> str:
        """The text of a span, as it was written."""
        tokens = self.words(span)
        return self.text[tokens[0].start : tokens[-1].end] if tokens else ""
