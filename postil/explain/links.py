"""What a link between two chunks really says: whether their words agree, are opposites, or are negated."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from postil.data.judgements import Alignment
from postil.explain.phrases import (
    base,
    carries_meaning,
    heads_of,
    is_label,
    kind_of,
    lemma,
    tokens_of,
    wordset,
)
from postil.language.document import Document, Negation, Quantity, Token
from postil.language.words.relations import Relation, word_relation
from postil.language.words.wordnet import wordnet

# Verbs that say nothing by themselves.
LIGHT = wordset("be have do get make")
# Words that are counted as content and only tie a thing to the rest, or tell that somebody thinks.
_TIES = wordset("due such think know believe guess")
# Prepositions that may stand for each other; "above the line" is not "below the line".
_EXCHANGEABLE = wordset(
    "in on at to of with by for into onto through about within inside as than like due because from"
)
# Two phrases that differ in such a word are not about the same thing, and neither is the more specific one.
_COMPARING = wordset("same different other own another such")
_ALIKE = frozenset((Relation.SAME, Relation.SYNONYM, Relation.DERIVED))
_NESTED = frozenset((*_ALIKE, Relation.MORE_SPECIFIC, Relation.MORE_GENERAL, Relation.PART, Relation.WHOLE))
# How long a misspelt word is at least, and how like the right one.
_SPELT, _NEAR = 4, 0.75
_NOT = re.compile(r"n[\"^`´]t$|^(?:do|does|did|is|are|was|wo|ca)nt$", re.IGNORECASE)
_FORMS = {"preposition": "noun", "sentence": "verb", "clause": "verb"}


def meaning_words(document: Document, numbers: Iterable[int]) -> list[Token]:
    """The words of a chunk that carry its meaning: no helpers, no light verbs, no "not"."""
    negating = {cue for negation in document.negations if negation.kind == "word" for cue in negation.cue}
    return [
        token
        for token in tokens_of(document, numbers)
        if carries_meaning(token) and lemma(token) not in LIGHT | _TIES and token.index not in negating
    ]


def negation_owner(document: Document, negation: Negation) -> int:
    """The word that a "not" denies: its governor, or itself where the governor says nothing."""
    cue = document.tokens[negation.cue[0]]
    governor = document.tokens[cue.head]
    says = carries_meaning(governor) and lemma(governor) not in LIGHT
    return governor.index if says else cue.index


def negations_of(document: Document, numbers: Iterable[int]) -> list[Negation]:
    """The negations of a chunk's words, also those whose "not" stands in a chunk of its own."""
    inside = {number - 1 for number in numbers}
    return [
        one for one in document.negations if one.kind == "word" and negation_owner(document, one) in inside
    ]


def misspelt_not(document: Document, numbers: Iterable[int]) -> bool:
    """Whether a chunk may have a "not" that the analysis did not see: doesn"t, dont."""
    return any(_NOT.search(token.text) for token in tokens_of(document, numbers))


def negations_over(document: Document, numbers: Iterable[int]) -> int:
    """How many negations deny a chunk's words or something that they belong to."""
    inside = {number - 1 for number in numbers}
    return sum(
        one.kind == "word" and (negation_owner(document, one) in inside or not inside.isdisjoint(one.scope))
        for one in document.negations
    )


def with_negation(document: Document, numbers: Sequence[int]) -> tuple[int, ...]:
    """The numbers of a chunk's words together with the "not" that denies them and their helping verbs."""
    found = set(numbers)
    for negation in negations_of(document, numbers):
        found.update(cue + 1 for cue in negation.cue)
    found.update(
        token.index + 1
        for token in document.tokens
        if token.head + 1 in numbers and base(token) in ("aux", "cop") and token.index < token.head
    )
    return tuple(sorted(found))


def relation_of(one: Token, other: Token) -> Relation | None:
    """How two words are related, labels and names being related to themselves only."""
    if lemma(one) == lemma(other) or one.text.lower() == other.text.lower():
        return Relation.SAME
    if any(is_label(token) or token.pos in ("NUM", "PROPN", "X") for token in (one, other)):
        return None
    if _is_misspelt(one, other) or _is_misspelt(other, one):
        return Relation.SAME
    return word_relation(lemma(one), lemma(other))


def _is_misspelt(one: Token, other: Token) -> bool:
    """Whether a word that no dictionary has is nearly another that one has."""
    first, second = one.text.lower(), other.text.lower()
    if min(len(first), len(second)) < _SPELT or wordnet().synsets(first) or not wordnet().synsets(second):
        return False
    return SequenceMatcher(None, first, second).ratio() >= _NEAR


def agree(first: Sequence[Token], second: Sequence[Token]) -> bool:
    """Whether each word of either side has one on the other side that is the same, or of its family."""
    return bool(first and second) and all(
        any(relation_of(one, other) in _ALIKE for other in others)
        for words, others in ((first, second), (second, first))
        for one in words
    )


def agree_in_part(first: Sequence[Token], second: Sequence[Token]) -> bool:
    """Whether two sides have a word in common."""
    return bool(set(map(lemma, first)) & set(map(lemma, second)))


def are_opposites(first: Sequence[Token], second: Sequence[Token]) -> bool:
    """Whether two sides agree but for two words that are opposites of each other."""
    rest = [one for one in first if not any(relation_of(one, other) in _ALIKE for other in second)]
    others = [one for one in second if not any(relation_of(one, other) in _ALIKE for other in first)]
    shared = len(rest) < len(first) and len(others) < len(second)
    return any(relation_of(one, other) is Relation.OPPOSITE for one in rest for other in others) and (
        len(rest) == len(others) == 1 or (shared and min(len(rest), len(others)) == 1)
    )


def are_related(first: Sequence[Token], second: Sequence[Token]) -> bool:
    """Whether a content word of one side has to do with one of the other side."""
    words, others = (list(filter(carries_meaning, side)) for side in (first, second))
    return any(relation_of(one, other) is not None for one in words for other in others)


def same_place(first: Sequence[Token], second: Sequence[Token]) -> bool:
    """Whether the prepositions of two phrases do not tell them apart."""
    cases = [{lemma(token) for token in side if token.pos == "ADP"} for side in (first, second)]
    apart = [side - _EXCHANGEABLE for side in cases]
    turned = any("from" in one and other & {"to", "into", "onto"} for one, other in (cases, cases[::-1]))
    return apart[0] == apart[1] and not turned


def is_nested(specific: Sequence[Token], general: Sequence[Token]) -> bool:
    """Whether one of two phrases can be the more specific: they share a word, or one names a kind.

    A pronoun is always less specific, and so is what stands against the labels of a drawing.
    """
    if not specific or not general:
        return True
    labels, others = ({token.text for token in side if is_label(token)} for side in (specific, general))
    if others and others != labels:
        return False
    if len(labels) == len(specific) and not others:
        return True
    lemmas = [set(map(lemma, side)) for side in (specific, general)]
    if (lemmas[0] ^ lemmas[1]) & _COMPARING and lemmas[0] - lemmas[1] and lemmas[1] - lemmas[0]:
        return False
    if lemmas[0] >= lemmas[1] - labels:
        return True
    heads = heads_of(specific), heads_of(general)
    pairs = ((one, other) for one in heads[0] for other in heads[1] if not is_label(one))
    return any(relation_of(one, other) in _NESTED for one, other in pairs)


def is_believable(
    source: Sequence[Token], target: Sequence[Token], words: tuple[list[Token], list[Token]]
) -> bool:
    """Whether a link of unlike chunks can be shown to a reader: of related words, or of the same form."""
    first, second = words
    if bool(first) != bool(second):
        # A pronoun may stand for a thing; "is" does not stand for "evaporates".
        return kind_of(target) in ("noun", "preposition") and any(token.tag == "PRP" for token in source)
    if are_related(first, second):
        return True
    forms = [_FORMS.get(kind := kind_of(side), kind) for side in (source, target)]
    return forms[0] == forms[1] and forms[0] != "other"


def quantities_in(document: Document, numbers: Iterable[int]) -> list[Quantity]:
    """The quantities whose first token is among these."""
    inside = {number - 1 for number in numbers}
    return [quantity for quantity in document.quantities if quantity.start in inside]


def numbers_differ(one: Alignment, source: Document, target: Document) -> bool:
    """Whether both sides say the same but for a number."""
    first, second = quantities_in(source, one.source), quantities_in(target, one.target)
    if len(first) != 1 or len(second) != 1 or first[0].value == second[0].value:
        return False
    if first[0].unit and second[0].unit and first[0].unit != second[0].unit:
        return False
    words, others = (
        {lemma(token) for token in tokens_of(document, numbers) if carries_meaning(token)}
        - {lemma(token) for token in document.tokens[quantity.start : quantity.end]}
        for document, numbers, quantity in ((source, one.source, first[0]), (target, one.target, second[0]))
    )
    alone = [token.text.lower() for token in tokens_of(source, one.source)] == ["one"]
    return not alone and (not words or not others or bool(words & others))
