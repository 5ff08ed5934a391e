"""How two words are related: the same, synonyms, opposites, kinds or parts of each other.

>>> from postil.language.words.relations import Relation, word_relation
>>> word_relation("poodle", "dog") is Relation.MORE_SPECIFIC
True
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from enum import Enum
from functools import lru_cache

from postil.language.words.wordnet import PARTS, wordnet
from postil.language.words.wordnet_measures import Word

# Rare senses relate nearly everything to everything: a dog is a person in its second sense, a frump. A sense
# counts when it is tagged this often for each time the first is; but the more general of two words may be
# meant in a rarer sense: water is a liquid in the third sense of that.
COMMON = 0.2
WIDER_SENSES = 4
_PARTS_OF = ("part_holonym", "member_holonym", "substance_holonym")


class Relation(Enum):
    """What the first word is to the second; the value completes "A … B" for people."""

    SAME = "is the same word as"
    SYNONYM = "means the same as"
    OPPOSITE = "is the opposite of"
    MORE_SPECIFIC = "is a kind of"
    MORE_GENERAL = "is more general than"
    PART = "is a part of"
    WHOLE = "has as a part"
    DERIVED = "belongs to the same family as"
    SISTER = "is another kind of the same thing as"


def word_relation(word: Word, other: Word) -> Relation | None:
    """The closest relation of two words by their commonest senses, or None where WordNet has none."""
    first, second = _with_part(word), _with_part(other)
    forms, others = _base_forms(*first), _base_forms(*second)
    if forms & others or first[0].lower() == second[0].lower():
        return Relation.SAME
    senses, their_senses = _senses(*first), _senses(*second)
    if senses & their_senses:
        return Relation.SYNONYM
    if _are_opposites(first, second) or _are_opposites(second, first):
        return Relation.OPPOSITE
    if _upwards(*first) & _senses(*second, rare=True):
        return Relation.MORE_SPECIFIC
    if _upwards(*second) & _senses(*first, rare=True):
        return Relation.MORE_GENERAL
    if _wholes(*first) & their_senses:
        return Relation.PART
    if _wholes(*second) & senses:
        return Relation.WHOLE
    if others & _family(*first):
        return Relation.DERIVED
    if _hypernyms(*first) & _hypernyms(*second):
        return Relation.SISTER
    return None


def kinds(words: Sequence[Word], others: Sequence[Word]) -> Iterator[tuple[int, int]]:
    """The indices of all pairs whose closest relation is that the first is a kind of the second; in order.

    Nearly no two words are so related: an index of senses finds those that may be.
    """
    index: defaultdict[int, list[int]] = defaultdict(list)
    for j, other in enumerate(others):
        for sense in _senses(*_with_part(other), rare=True):
            index[sense].append(j)
    for i, word in enumerate(words):
        above = _upwards(*_with_part(word))
        for j in sorted({j for sense in above if sense in index for j in index[sense]}):
            if word_relation(word, others[j]) is Relation.MORE_SPECIFIC:
                yield i, j


def _with_part(word: Word) -> tuple[str, str | None]:
    return (word, None) if isinstance(word, str) else word


# What is known of a word is remembered: the words of two texts meet each other many times.
_remembered = lru_cache(maxsize=20_000)


@_remembered
def _base_forms(form: str, pos: str | None) -> frozenset[str]:
    return frozenset(wordnet().base_forms(form, pos))


@_remembered
def _senses(form: str, pos: str | None, *, rare: bool = False) -> frozenset[int]:
    """The common senses of a word in each part of speech, or its first few, rare ones among them."""
    wn = wordnet()
    common: set[int] = set()
    for part in pos or PARTS:
        senses, counts = wn.synsets(form, part)[:WIDER_SENSES], wn.sense_counts(form, part)
        common.update(
            sense
            for rank, sense in enumerate(senses)
            if rare or not rank or (counts[0] and counts[rank] >= COMMON * counts[0])
        )
    return frozenset(common)


def _are_opposites(word: tuple[str, str | None], other: tuple[str, str | None]) -> bool:
    """Within one part of speech: heavy is the opposite of a light thing, not of lighting one."""
    (form, pos), (second, second_pos) = word, other
    return any(
        not opposites(form, part).isdisjoint(_base_forms(second, part))
        for part in pos or PARTS
        if second_pos in (None, part)
    )


@_remembered
def opposites(form: str, part: str) -> frozenset[str]:
    """The opposites that WordNet lists for a word, and those of similar adjectives: tiny is one of big."""
    wn = wordnet()
    heads = {head for sense in _senses(form, part) for head in wn.related(sense, "similar")}
    opposed = {synset for head in heads for synset in wn.related(head, "antonym")}
    lemmas = [lemma for synset in opposed for lemma in wn.lemmas(synset)]
    return frozenset(map(str.lower, (*wn.antonyms(form, part), *lemmas)))


@_remembered
def _upwards(form: str, pos: str | None) -> frozenset[int]:
    """Everything that the common senses of a word are kinds of."""
    above: set[int] = set()
    waiting = list(_senses(form, pos))
    while waiting:
        new = set(wordnet().hypernyms(waiting.pop())) - above
        above |= new
        waiting += new
    return frozenset(above - _senses(form, pos))


@_remembered
def _wholes(form: str, pos: str | None) -> frozenset[int]:
    """What the common senses of a word are parts of, directly."""
    wn = wordnet()
    return frozenset(
        whole for sense in _senses(form, pos) for name in _PARTS_OF for whole in wn.related(sense, name)
    )


@_remembered
def _family(form: str, pos: str | None) -> frozenset[str]:
    return frozenset(map(str.lower, wordnet().derivations(form, pos)))


@_remembered
def _hypernyms(form: str, pos: str | None) -> frozenset[int]:
    return frozenset(up for sense in _senses(form, pos) for up in wordnet().hypernyms(sense))
