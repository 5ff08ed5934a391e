"""What two aligned sentences have in common and how they differ, one difference after another, as data.

An aligner's links are not believed blindly: their words are compared again, whether they agree, are opposites
or are negated.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import chain

from postil.data.judgements import AlignedPair, Alignment
from postil.explain.clauses import Tree, bracketed, clause_head
from postil.explain.phrases import (
    base,
    carries_meaning,
    heads_of,
    is_label,
    is_punctuation,
    kind_of,
    lemma,
    negation_cues,
    tokens_of,
    trimmed,
    wordset,
)
from postil.language.document import Document, Negation, Quantity, Token
from postil.language.words.relations import Relation, word_relation
from postil.language.words.wordnet import wordnet

CONTRADICTIONS = ("negated", "opposite", "number", "opinion", "certainty")
KINDS = ("same", *CONTRADICTIONS, "more_specific", "more_general", "similar", "related", "missing", "extra")
_BY_TYPE = {
    "EQUI": "same",
    "OPPO": "opposite",
    "SPE1": "more_specific",
    "SPE2": "more_general",
    "SIMI": "similar",
    "REL": "related",
}
# Verbs that say nothing by themselves.
_LIGHT = wordset("be have do get make")
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


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that two sentences share, or in which they differ; `kind` is one of `KINDS`.

    Kinds are seen from the first sentence: `more_specific` says that it is the more specific one, `missing`
    that only the second sentence says this, `extra` that only the first does. Numbers of tokens count from 1.
    """

    kind: str
    source: tuple[int, ...]
    target: tuple[int, ...]
    score: float | None = None


def find_differences(pair: AlignedPair, source: Document, target: Document) -> tuple[Difference, ...]:
    """All that an alignment says, in the order of the first sentence, then what only the second says.

    Punctuation is left out, and so are words such as "is" and "and" that stand unaligned; neighbouring
    chunks of a clause that only one sentence has are put together. Links between chunks that have nothing to
    do with each other count as none.
    """
    links = [link for link in pair.alignments if link.source and link.target and _holds(link, source, target)]
    both = [
        _aligned(link, source, target)
        for link in links
        if not any(all(map(is_punctuation, side)) for side in _words(link, source, target))
    ]
    # A chunk that is left over in one line of the file and linked in another is linked.
    linked = {number for link in links for number in link.source}
    extra = [
        Difference("extra", numbers, ())
        for numbers in _left_over((link.source for link in pair.alignments), linked, source)
    ]
    linked = {number for link in links for number in link.target}
    missing = [
        Difference("missing", (), numbers)
        for numbers in _left_over((link.target for link in pair.alignments), linked, target)
    ]
    ordered = sorted([*both, *extra], key=lambda difference: difference.source)
    return (*_cancelled(ordered, source, target), *missing)


def _words(
    link: Alignment | Difference, source: Document, target: Document
) -> tuple[tuple[Token, ...], tuple[Token, ...]]:
    return tokens_of(source, link.source), tokens_of(target, link.target)


def _meanings(
    link: Alignment | Difference, source: Document, target: Document
) -> tuple[list[Token], list[Token]]:
    return meaning_words(source, link.source), meaning_words(target, link.target)


def _cancelled(differences: Sequence[Difference], source: Document, target: Document) -> list[Difference]:
    """Two contradictions with a "not" among them make none: "no gap" is much the same as "not separated"."""
    denials = [difference for difference in differences if difference.kind in ("negated", "opposite")]
    against = [difference for difference in denials if words_matter(difference, source, target)]
    if len(against) != 2 or all(difference.kind == "opposite" for difference in against):
        # "Is" denies nothing of "is not closed" when it is all that there is.
        halves = [item for item in denials if sum(map(bool, _meanings(item, source, target))) == 1]
        return [replace(item, kind="same") if item in halves else item for item in differences]
    first, second = against
    # Which of the two sides has the "not".
    owners = [
        len(negations_of(source, item.source)) % 2 > len(negations_of(target, item.target)) % 2
        for item in against
    ]
    if first.kind == second.kind and owners[0] == owners[1]:
        return list(differences)
    sides = sorted({*first.source, *second.source}), sorted({*first.target, *second.target})
    both = Difference("similar", tuple(sides[0]), tuple(sides[1]), first.score)
    return [both if item is first else item for item in differences if item is not second]


def words_matter(difference: Difference, source: Document, target: Document) -> bool:
    """Whether a difference is about more than "is" against "was" or "if" against "when"."""
    words = _words(difference, source, target)
    if difference.kind in ("negated", "certainty", "opinion"):
        # A lone "if" leaves nothing to quote.
        return bool(trimmed(words[0]))
    says = [any(carries_meaning(token) or token.tag == "PRP" for token in side) for side in words if side]
    return all(says) and any(carries_meaning(token) for side in words for token in side)


def is_adverb(difference: Difference, source: Document, target: Document) -> bool:
    """Whether the only word with a meaning in a difference is an adverb, such as "still"."""
    words = chain(*_words(difference, source, target))
    return all(token.pos == "ADV" for token in words if carries_meaning(token))


def _holds(link: Alignment, source: Document, target: Document) -> bool:
    """Whether a link is worth speaking of; one between equal or opposite chunks always is."""
    words = _meanings(link, source, target)
    if link.type != "EQUI" and {number - 1 for number in link.target} <= bracketed(target):
        return False
    if link.type in ("EQUI", "OPPO") or len(link.labels) > 1 or not any(words):
        return True
    return is_believable(*_words(link, source, target), words)


def _aligned(link: Alignment, source: Document, target: Document) -> Difference:
    kind = _kind(link, source, target)
    numbers = tuple(sorted(set(link.source))), tuple(sorted(set(link.target)))
    if kind == "negated":
        numbers = with_negation(source, link.source), with_negation(target, link.target)
    return Difference(kind, *numbers, link.score)


def _kind(link: Alignment, source: Document, target: Document) -> str:
    kind = _BY_TYPE.get(link.type, "related")
    words, others = _meanings(link, source, target)
    if _negations_differ(link, source, target):
        if agree(words, others) or (kind == "opposite" and not words and not others):
            return "negated"
        if are_opposites(words, others):
            return "same"
        if kind == "opposite":
            return "negated"
    elif kind == "opposite":
        return kind if words and others else "same"
    if "FACT" in link.labels:
        return "certainty"
    if "POL" in link.labels:
        return "opinion"
    if kind == "same":
        # Chunks that have a word in common and an opposite are hardly the same.
        common = set(map(lemma, words)) & set(map(lemma, others))
        return "opposite" if common and are_opposites(words, others) else kind
    if numbers_differ(link, source, target):
        return "number"
    return _graded(kind, link, source, target)


def _graded(kind: str, link: Alignment, source: Document, target: Document) -> str:
    """What a link between chunks that are said to be unlike comes to when their words are compared."""
    words, others = _meanings(link, source, target)
    if not words and not others:
        return "same"
    if agree(words, others) and same_place(*_words(link, source, target)):
        return "same"
    if kind in ("similar", "related") and not words and others:
        # A pronoun is not wrong.
        return "same"
    if are_opposites(words, others):
        return "opposite"
    specific = kind in ("more_specific", "more_general")
    if kind == "more_general":
        words, others = others, words
    return "similar" if specific and not is_nested(words, others) else kind


def _negations_differ(link: Alignment, source: Document, target: Document) -> bool:
    """Whether the words of one side are denied and those of the other are not."""
    if misspelt_not(source, link.source) or misspelt_not(target, link.target):
        return False
    near = len(negations_of(source, link.source)) + len(negations_of(target, link.target))
    return (
        near % 2 == 1 and (negations_over(source, link.source) + negations_over(target, link.target)) % 2 == 1
    )


def _left_over(
    sides: Iterable[Sequence[int]], linked: set[int], document: Document
) -> Iterator[tuple[int, ...]]:
    """The chunks that are not linked, neighbours in a clause put together; function words join them.

    What stands in brackets explains something else and is not missed.
    """
    tree = Tree.of(document)
    loose = {number for side in sides for number in side} - linked
    loose -= {index + 1 for index in bracketed(document)}
    run: list[int] = []
    clause: int | None = None
    for number, token in enumerate(document.tokens, 1):
        own = clause_head(tree, token)
        if not run:
            clause = None
        if run and carries_meaning(token) and clause is not None and own != clause:
            # "The" before the first word of a clause belongs to it.
            length = len(run)
            while length and clause_head(tree, document.tokens[run[length - 1] - 1]) == own:
                length -= 1
            yield from _phrase(run[:length], loose, document)
            run = run[length:]
        if carries_meaning(token):
            clause = own
        if number in loose or (run and not carries_meaning(token)):
            run.append(number)
        # A comma ends a clause, but not a list.
        verbs = (document.tokens[member - 1].pos == "VERB" for member in run)
        ends = token.text[-1] in ".;:?!()[]" or (token.text[-1] == "," and any(verbs))
        if number not in run or ends:
            yield from _phrase(run, loose, document)
            run = []
    yield from _phrase(run, loose, document)


def _phrase(run: Sequence[int], loose: set[int], document: Document) -> Iterator[tuple[int, ...]]:
    """A run of tokens, without the linked and the empty words at its end, if it says anything."""
    cues = negation_cues(document)

    def can_end(token: Token) -> bool:
        """Whether a phrase may end in a word: not in "is" or "the"."""
        says = carries_meaning(token) or token.pos == "PRON" or base(token) == "compound"
        return says or token.index in cues

    ends = [
        index for index, number in enumerate(run) if number in loose and can_end(document.tokens[number - 1])
    ]
    numbers = tuple(run[: max(ends, default=-1) + 1])
    words = tokens_of(document, numbers)
    if any((carries_meaning(token) and lemma(token) not in _LIGHT) or token.index in cues for token in words):
        yield numbers


# Whether the words of two chunks agree, are opposites, or are negated


def meaning_words(document: Document, numbers: Iterable[int]) -> list[Token]:
    """The words of a chunk that carry its meaning: no helpers, no light verbs, no "not"."""
    negating = {cue for negation in document.negations if negation.kind == "word" for cue in negation.cue}
    return [
        token
        for token in tokens_of(document, numbers)
        if carries_meaning(token) and lemma(token) not in _LIGHT | _TIES and token.index not in negating
    ]


def negation_owner(document: Document, negation: Negation) -> int:
    """The word that a "not" denies: its governor, or itself where the governor says nothing."""
    cue = document.tokens[negation.cue[0]]
    governor = document.tokens[cue.head]
    says = carries_meaning(governor) and lemma(governor) not in _LIGHT
    return governor.index if says else cue.index


def negations_of(document: Document, numbers: Iterable[int]) -> list[Negation]:
    """The negations of a chunk's words, also those whose "not" stands in a chunk of its own."""
    inside = {number - 1 for number in numbers}
    return [
        negation
        for negation in document.negations
        if negation.kind == "word" and negation_owner(document, negation) in inside
    ]


def misspelt_not(document: Document, numbers: Iterable[int]) -> bool:
    """Whether a chunk may have a "not" that the analysis did not see: doesn"t, dont."""
    return any(_NOT.search(token.text) for token in tokens_of(document, numbers))


def negations_over(document: Document, numbers: Iterable[int]) -> int:
    """How many negations deny a chunk's words or something that they belong to."""
    inside = {number - 1 for number in numbers}
    return sum(
        negation.kind == "word"
        and (negation_owner(document, negation) in inside or not inside.isdisjoint(negation.scope))
        for negation in document.negations
    )


def with_negation(document: Document, numbers: Sequence[int]) -> tuple[int, ...]:
    """The numbers of a chunk's words together with the "not" that denies them and their helping verbs."""
    cues = {cue + 1 for negation in negations_of(document, numbers) for cue in negation.cue}
    helpers = {
        token.index + 1
        for token in document.tokens
        if token.head + 1 in numbers and base(token) in ("aux", "cop") and token.index < token.head
    }
    return tuple(sorted({*numbers, *cues, *helpers}))


def relation_of(word: Token, other: Token) -> Relation | None:
    """How two words are related, labels and names being related to themselves only."""
    if lemma(word) == lemma(other) or word.text.lower() == other.text.lower():
        return Relation.SAME
    if any(is_label(token) or token.pos in ("NUM", "PROPN", "X") for token in (word, other)):
        return None
    if _is_misspelt(word, other) or _is_misspelt(other, word):
        return Relation.SAME
    return word_relation(lemma(word), lemma(other))


def _is_misspelt(word: Token, other: Token) -> bool:
    """Whether a word that no dictionary has is nearly another that one has."""
    first, second = word.text.lower(), other.text.lower()
    if min(len(first), len(second)) < _SPELT or wordnet().synsets(first) or not wordnet().synsets(second):
        return False
    return SequenceMatcher(None, first, second).ratio() >= _NEAR


def _unmatched(words: Sequence[Token], others: Sequence[Token]) -> list[Token]:
    """The words that have none on the other side that is the same, or of its family."""
    return [word for word in words if not any(relation_of(word, other) in _ALIKE for other in others)]


def agree(first: Sequence[Token], second: Sequence[Token]) -> bool:
    """Whether each word of either side has one on the other side that is the same, or of its family."""
    return bool(first and second) and not _unmatched(first, second) and not _unmatched(second, first)


def are_opposites(first: Sequence[Token], second: Sequence[Token]) -> bool:
    """Whether two sides agree but for two words that are opposites of each other."""
    rest, others = _unmatched(first, second), _unmatched(second, first)
    shared = len(rest) < len(first) and len(others) < len(second)
    return any(relation_of(word, other) is Relation.OPPOSITE for word in rest for other in others) and (
        len(rest) == len(others) == 1 or (shared and min(len(rest), len(others)) == 1)
    )


def are_related(first: Sequence[Token], second: Sequence[Token]) -> bool:
    """Whether a content word of one side has to do with one of the other side."""
    words, others = (list(filter(carries_meaning, side)) for side in (first, second))
    return any(relation_of(word, other) is not None for word in words for other in others)


def same_place(first: Sequence[Token], second: Sequence[Token]) -> bool:
    """Whether the prepositions of two phrases do not tell them apart."""
    cases = [{lemma(token) for token in side if token.pos == "ADP"} for side in (first, second)]
    apart = [side - _EXCHANGEABLE for side in cases]
    turned = any("from" in side and other & {"to", "into", "onto"} for side, other in (cases, cases[::-1]))
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
    return any(
        relation_of(word, other) in _NESTED for word in heads[0] for other in heads[1] if not is_label(word)
    )


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


def numbers_differ(link: Alignment, source: Document, target: Document) -> bool:
    """Whether both sides say the same but for a number."""
    first, second = quantities_in(source, link.source), quantities_in(target, link.target)
    if len(first) != 1 or len(second) != 1 or first[0].value == second[0].value:
        return False
    if first[0].unit and second[0].unit and first[0].unit != second[0].unit:
        return False
    words, others = (
        {lemma(token) for token in tokens_of(document, numbers) if carries_meaning(token)}
        - {lemma(token) for token in document.tokens[quantity.start : quantity.end]}
        for document, numbers, quantity in ((source, link.source, first[0]), (target, link.target, second[0]))
    )
    alone = [token.text.lower() for token in tokens_of(source, link.source)] == ["one"]
    return not alone and (not words or not others or bool(words & others))
