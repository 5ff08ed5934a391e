"""FACT and POL: whether two chunks differ in how certain they are, or in the opinion that they express."""

from __future__ import annotations

from collections.abc import Sequence

from postil.language.document import Document, Token

# What makes a statement a guess or somebody's word instead of a fact. "Could" and "likely" are not among
# them: annotators take the ability and the chance for part of what is said.
_GUESSES = frozenset((
    "may", "might", "possibly", "perhaps", "maybe", "probably", "apparently", "allegedly", "reportedly",
    "supposedly", "alleged", "reported", "suspected", "supposed", "possible", "allege", "believe", "suspect",
    "report",
))  # fmt: skip
# As nouns (a suspect, a report, the month of May) these are things, and in them nothing is uncertain.
_GUESSING_PARTS = frozenset(("AUX", "VERB", "ADJ", "ADV"))
# Chunks of one such word say where a statement comes from, and nothing else.
_HEARSAY = frozenset(("reportedly", "allegedly", "supposedly", "apparently", "reported", "source", "sources"))
_SAYING = "say"
_SOURCES = _HEARSAY | {":"}  # "Police: …" tells whose word it is, too
_GOOD = frozenset((
    "good", "great", "best", "better", "excellent", "nice", "happy", "beautiful", "wonderful", "praise",
    "welcome", "hail", "success", "hero",
))  # fmt: skip
_BAD = frozenset((
    "bad", "worst", "worse", "terrible", "awful", "sad", "ugly", "horrible", "blame", "condemn", "criticise",
    "criticize", "slam", "failure", "villain", "shameful",
))  # fmt: skip


def additions(
    first: Document, second: Document, source: Sequence[int], target: Sequence[int]
) -> tuple[str, ...]:
    """The additional labels of two aligned chunks, given by their token numbers (from 1)."""
    ours, theirs = _tokens(first, source), _tokens(second, target)
    found = []
    if any(_guesses(one) and _states(other) for one, other in ((ours, theirs), (theirs, ours))):
        found.append("FACT")
    if _opinion(ours) * _opinion(theirs) < 0:
        found.append("POL")
    return tuple(found)


def lone_additions(
    own: Document, chunk: Sequence[int], other: Document, unaligned: Sequence[int]
) -> tuple[str, ...]:
    """The additional labels of a chunk without a partner.

    A chunk that only says whose word the rest is ("says", "reportedly", "sources") makes a fact of the other
    sentence, if that says the same without it; `unaligned` are the other's tokens that no link takes.
    """
    words = [token for token in _tokens(own, chunk) if _is_word(token)]
    if len(words) != 1 or any(_tells_source(token) for token in other.tokens):
        return ()
    if words[0].text.lower() in _HEARSAY:
        return ("FACT",)
    # Of what somebody says, only what the other sentence says as well becomes a fact there.
    leaves_nothing = not any(_is_word(token) for token in _tokens(other, unaligned))
    return ("FACT",) if words[0].lemma.lower() == _SAYING and leaves_nothing else ()


def _tokens(document: Document, numbers: Sequence[int]) -> list[Token]:
    return [document.tokens[number - 1] for number in numbers]


def _is_word(token: Token) -> bool:
    return any(letter.isalnum() for letter in token.text)


def _tells_source(token: Token) -> bool:
    return token.text.lower() in _SOURCES or token.lemma.lower() == _SAYING


def _guesses(tokens: Sequence[Token]) -> bool:
    return any(
        token.pos in _GUESSING_PARTS and not _GUESSES.isdisjoint((token.lemma.lower(), token.text.lower()))
        for token in tokens
    )


def _states(tokens: Sequence[Token]) -> bool:
    """Whether nothing in a chunk is open: no guess, and no "to" before a verb, which is yet to happen."""
    return not _guesses(tokens) and not any(token.tag in ("TO", "MD") for token in tokens)


def _opinion(tokens: Sequence[Token]) -> int:
    lemmas = {token.lemma.lower() for token in tokens}
    return len(lemmas & _GOOD) - len(lemmas & _BAD)
