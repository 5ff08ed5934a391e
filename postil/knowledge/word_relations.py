"""How two words are related, in a word: the same, synonyms, opposites, kinds or parts of each other.

>>> from postil.knowledge.word_relations import Relation, word_relation
>>> word_relation("poodle", "dog") is Relation.MORE_SPECIFIC
True
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from postil.knowledge.similarity import Word
from postil.knowledge.wordnet import PARTS, WordNet, wordnet

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


def word_relation(one: Word, other: Word) -> Relation | None:
    """The closest relation of two words by their commonest senses, or None where WordNet has none."""
    wn = wordnet()
    forms, others = _base_forms(wn, one), _base_forms(wn, other)
    if forms & others or _text(one).lower() == _text(other).lower():
        return Relation.SAME
    first, second = _senses(wn, one), _senses(wn, other)
    if first & second:
        return Relation.SYNONYM
    if _are_opposites(wn, one, other) or _are_opposites(wn, other, one):
        return Relation.OPPOSITE
    if _senses(wn, other, rare=True).intersection(_upwards(wn, first)):
        return Relation.MORE_SPECIFIC
    if _senses(wn, one, rare=True).intersection(_upwards(wn, second)):
        return Relation.MORE_GENERAL
    if _wholes(wn, first) & second:
        return Relation.PART
    if _wholes(wn, second) & first:
        return Relation.WHOLE
    if others & {form.lower() for form in wn.derivations(*_parted(one))}:
        return Relation.DERIVED
    if {up for sense in first for up in wn.hypernyms(sense)} & {
        up for sense in second for up in wn.hypernyms(sense)
    }:
        return Relation.SISTER
    return None


def _text(word: Word) -> str:
    return word if isinstance(word, str) else word[0]


def _parted(word: Word) -> tuple[str, str | None]:
    return (word, None) if isinstance(word, str) else word


def _base_forms(wn: WordNet, word: Word) -> set[str]:
    return set(wn.base_forms(*_parted(word)))


def _senses(wn: WordNet, word: Word, *, rare: bool = False) -> set[int]:
    """The common senses of a word in each part of speech, or its first few, rare ones among them."""
    form, pos = _parted(word)
    found: set[int] = set()
    for part in pos or PARTS:
        senses, counts = wn.synsets(form, part)[:WIDER_SENSES], wn.sense_counts(form, part)
        found.update(
            sense
            for place, sense in enumerate(senses)
            if rare or not place or (counts[0] and counts[place] >= COMMON * counts[0])
        )
    return found


def _are_opposites(wn: WordNet, word: Word, other: Word) -> bool:
    """Whether WordNet lists an opposite, or an opposite of a synonym adjective: tiny is that of big.

    Within one part of speech: heavy is the opposite of a light thing, not of lighting one.
    """
    (form, pos), (second, second_pos) = _parted(word), _parted(other)
    for part in pos or PARTS:
        forms = wn.base_forms(second, part) if second_pos in (None, part) else ()
        if not forms:
            continue
        heads = {head for sense in _senses(wn, (form, part)) for head in wn.related(sense, "similar")}
        opposed = {end for head in heads for end in wn.related(head, "antonym")}
        found = (*wn.antonyms(form, part), *(lemma for end in opposed for lemma in wn.lemmas(end)))
        if {one.lower() for one in found}.intersection(forms):
            return True
    return False


def _upwards(wn: WordNet, senses: set[int]) -> Iterator[int]:
    """Everything that some senses are kinds of."""
    waiting, seen = list(senses), set(senses)
    while waiting:
        for up in wn.hypernyms(waiting.pop()):
            if up not in seen:
                seen.add(up)
                waiting.append(up)
                yield up


def _wholes(wn: WordNet, senses: set[int]) -> set[int]:
    """What some senses are parts of, directly."""
    return {whole for sense in senses for name in _PARTS_OF for whole in wn.related(sense, name)}
