"""Chunks that differ in an opposite only: "opens" and "closes", "a hot wire" and "a cold wire".

Annotated opposites are too few for a model to learn them from; WordNet knows them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from postil.alignment.features import Pair
from postil.alignment.optimiser import Candidate
from postil.alignment.words import Sentence
from postil.language.document import Document, Token

_OPPOSED = ("ADJ", "ADV", "VERB", "ADP", "PART")  # "a man" and "a woman" are alike rather than opposed
_POSTURES = frozenset(("sit", "stand", "lie"))  # so are these
OPPOSED = ("OPPO", 4.0)  # as nearly all annotated opposites are scored
_MEANING = 0.3  # weight from which on a word counts


def contrary(pair: Pair, link: Candidate) -> bool:
    """Whether linked chunks say opposite things, and nothing else that differs.

    Either has an opposite of the other's, or only one denies: both at once would say the same.
    """
    first = np.logical_or.reduce(pair.first_chunks[list(link.first)])
    second = np.logical_or.reduce(pair.second_chunks[list(link.second)])
    inside = np.ix_(first, second)
    opposed, alike = pair.matrices["opposite"][inside] > 0, pair.matrices["alike"][inside] > 0
    left, right = ~alike.any(axis=1), ~alike.any(axis=0)  # what the other has not
    ours = np.logical_and(opposed.any(axis=1), left)
    theirs = np.logical_and(opposed.any(axis=0), right)
    denied = _denies(pair.first, first) != _denies(pair.second, second)
    if denied == bool(ours.any() and theirs.any()):
        return False
    return all(
        _opposable(one, words, found) and not (_heavy(one, words) & rest & ~found).any()
        for one, words, rest, found in (
            (pair.first, first, left, ours),
            (pair.second, second, right, theirs),
        )
    )


def widened(pair: Pair, links: Sequence[Candidate]) -> list[Candidate]:
    """The links, each with a lone chunk that makes it contrary: "is" and "open" beside "is closed"."""
    opposed = pair.first_chunks @ pair.matrices["opposite"] @ pair.second_chunks.T > 0
    taken = {chunk for one in links for chunk in one.chunks}
    found = list(links)
    for row, column in np.argwhere(opposed).tolist():
        for place, one in enumerate(found):
            wider = None
            if (0, row) not in taken and column in one.second:
                wider = replace(one, first=tuple(sorted((*one.first, row))))
            elif (1, column) not in taken and row in one.first:
                wider = replace(one, second=tuple(sorted((*one.second, column))))
            if wider and not contrary(pair, one) and contrary(pair, wider):
                found[place] = wider
                taken.update(wider.chunks)
    return found


def _denies(sentence: Sentence, words: NDArray[np.bool_]) -> bool:
    return bool(sentence.marks.denying[words].any())


def _opposable(sentence: Sentence, words: NDArray[np.bool_], found: NDArray[np.bool_]) -> bool:
    parts, lemmas = sentence.marks.parts[words][found], sentence.marks.lemmas[words][found]
    return all(part in _OPPOSED and lemma not in _POSTURES for part, lemma in zip(parts, lemmas, strict=True))


def _heavy(sentence: Sentence, words: NDArray[np.bool_]) -> NDArray[np.bool_]:
    heavy: NDArray[np.bool_] = (sentence.weights[words] >= _MEANING) & (sentence.marks.denying[words] == 0)
    return heavy


# FACT and POL: whether two chunks differ in how certain they are, or in the opinion that they express.

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
