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
