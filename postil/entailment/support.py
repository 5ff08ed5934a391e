"""How well a word of the text supports one of the hypothesis: the same, a synonym, its kin, a kind of it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from postil.entailment.names import supports_name
from postil.language.document import Token
from postil.language.measures.matching import Word, match, relation, word_of
from postil.language.words.relations import Relation, word_relation
from postil.language.words.spaces import idf

Floats = NDArray[np.float64]

# A word of the text that is a kind of the hypothesis's: a poodle is a dog.
_KIND_OF = 0.7
_NAME = 0.8  # a name with a letter wrong, or a place for the one that it is in
_LIGHT = 0.1  # weight of a word that every text has
_RAREST = 9.0  # rareness from which on words weigh 1


@lru_cache(maxsize=1 << 15)
def weight(lemma: str) -> float:
    """How much a word counts: its rareness, from 0.1 to 1."""
    return max(_LIGHT, min(idf()(lemma), _RAREST) / _RAREST)


def support(text: Sequence[Token], wanted: Sequence[Token]) -> Floats:
    """How well each word of a text (a column) supports each word of the hypothesis (a row), from 0 to 1."""
    words, given = [_compared(token) for token in wanted], [_compared(token) for token in text]
    found = np.array([[_supports(other, word) for other in given] for word in words])
    names = [column for column, token in enumerate(text) if token.pos == "PROPN"]
    for row in (row for row, token in enumerate(wanted) if token.pos == "PROPN"):
        if found[row].max() == 0:
            found[row, names] = [_NAME * supports_name(given[column][0], words[row][0]) for column in names]
    return found


def _compared(token: Token) -> Word:
    """A token as it is compared: initials with or without full stops are one word."""
    lemma, part, form = word_of(token)
    return lemma.replace(".", "") or lemma, part, form.replace(".", "") or form


@lru_cache(maxsize=1 << 18)
def _supports(given: Word, wanted: Word) -> float:
    if given[0] == wanted[0] or given[2] == wanted[2]:
        return 1.0
    known = match(given, wanted)
    if known or not given[1] or given[1] != wanted[1] or relation(given, wanted) is Relation.OPPOSITE:
        return known
    kind = word_relation(given[:2], wanted[:2])
    return _KIND_OF if kind is Relation.MORE_SPECIFIC else 0.0
