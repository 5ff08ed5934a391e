"""What two aligned sentences have in common and how they differ, one difference after another, as data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from postil.data.judgements import AlignedPair, Alignment
from postil.explain.clauses import Tree, bracketed, clause_head
from postil.explain.links import (
    LIGHT,
    agree,
    agree_in_part,
    are_opposites,
    is_believable,
    is_nested,
    meaning_words,
    misspelt_not,
    negations_of,
    negations_over,
    numbers_differ,
    same_place,
    with_negation,
)
from postil.explain.phrases import base, carries_meaning, is_punctuation, joined, lemma, tokens_of, trimmed
from postil.language.document import Document, Token

KINDS = (
    "same",
    "number",
    "opposite",
    "negated",
    "certainty",
    "opinion",
    "more_specific",
    "more_general",
    "similar",
    "related",
    "missing",
    "extra",
)
_BY_TYPE = {
    "EQUI": "same",
    "OPPO": "opposite",
    "SPE1": "more_specific",
    "SPE2": "more_general",
    "SIMI": "similar",
    "REL": "related",
}


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that two sentences share, or in which they differ; `kind` is one of `KINDS`.

    Kinds are seen from the first sentence: `more_specific` says that it is the more specific one, `missing`
    that only the second sentence says this, `extra` that only the first does. Numbers of tokens count from 1.
    """

    kind: str
    source: tuple[int, ...]
    target: tuple[int, ...]
    source_words: str
    target_words: str
    score: float | None


def find_differences(pair: AlignedPair, source: Document, target: Document) -> tuple[Difference, ...]:
    """All that an alignment says, in the order of the first sentence, then what only the second says.

    Punctuation is left out, and so are words such as "is" and "and" that stand unaligned; neighbouring
    chunks of a clause that only one sentence has are put together. Links between chunks that have nothing to
    do with each other count as none.
    """
    aligned = [one for one in pair.alignments if one.source and one.target and _holds(one, source, target)]
    found = [_aligned(one, source, target) for one in aligned if _has_words(one, source, target)]
    # A chunk that is left over in one line of the file and linked in another is linked.
    first = {number for one in aligned for number in one.source}
    second = {number for one in aligned for number in one.target}
    found += [
        _difference("extra", numbers, (), source, target, None)
        for numbers in _left_over((one.source for one in pair.alignments), first, source)
    ]
    missing = [
        _difference("missing", (), numbers, source, target, None)
        for numbers in _left_over((one.target for one in pair.alignments), second, target)
    ]
    return (*_cancelled(sorted(found, key=lambda one: one.source), source, target), *missing)


def _cancelled(found: Sequence[Difference], source: Document, target: Document) -> list[Difference]:
    """Two contradictions with a "not" among them make none: "no gap" is much the same as "not separated"."""
    against = [
        one for one in found if one.kind in ("negated", "opposite") and words_matter(one, source, target)
    ]
    if len(against) != 2 or all(one.kind == "opposite" for one in against):
        # "Is" denies nothing of "is not closed" when it is all that there is.
        return [replace(one, kind="same") if _is_half(one, source, target) else one for one in found]
    first, second = against
    if first.kind == second.kind and first_negates(first, source, target) == first_negates(
        second, source, target
    ):
        return list(found)
    both = _difference(
        "similar", first.source + second.source, first.target + second.target, source, target, first.score
    )
    return [both if one is first else one for one in found if one is not second]


def _is_half(one: Difference, source: Document, target: Document) -> bool:
    """Whether in a contradiction one side has no word that carries meaning."""
    words = meaning_words(source, one.source), meaning_words(target, one.target)
    return one.kind in ("negated", "opposite") and bool(words[0]) != bool(words[1])


def first_negates(one: Difference, source: Document, target: Document) -> bool:
    """Whether it is the first of two sides that has the "not"."""
    return len(negations_of(source, one.source)) % 2 > len(negations_of(target, one.target)) % 2


def words_matter(difference: Difference, source: Document, target: Document) -> bool:
    """Whether a difference is about more than "is" against "was" or "if" against "when"."""
    if difference.kind in ("negated", "certainty", "opinion"):
        # A lone "if" leaves nothing to quote.
        return bool(trimmed(tokens_of(source, difference.source)))
    words = tokens_of(source, difference.source), tokens_of(target, difference.target)
    says = [any(carries_meaning(token) or token.tag == "PRP" for token in side) for side in words if side]
    if not all(says):
        return False
    return any(carries_meaning(token) for side in words for token in side)


def is_adverb(difference: Difference, source: Document, target: Document) -> bool:
    """Whether the only word with a meaning in a difference is an adverb, such as "still"."""
    words = (*tokens_of(source, difference.source), *tokens_of(target, difference.target))
    return all(token.pos == "ADV" for token in words if carries_meaning(token))


def _difference(
    kind: str,
    first: Sequence[int],
    second: Sequence[int],
    source: Document,
    target: Document,
    score: float | None,
) -> Difference:
    return Difference(
        kind,
        tuple(sorted(set(first))),
        tuple(sorted(set(second))),
        joined(trimmed(tokens_of(source, first))),
        joined(trimmed(tokens_of(target, second))),
        score,
    )


def _has_words(one: Alignment, source: Document, target: Document) -> bool:
    sides = tokens_of(source, one.source), tokens_of(target, one.target)
    return not any(all(map(is_punctuation, side)) for side in sides)


def _holds(one: Alignment, source: Document, target: Document) -> bool:
    """Whether a link is worth speaking of; one between equal or opposite chunks always is."""
    words = meaning_words(source, one.source), meaning_words(target, one.target)
    if one.type != "EQUI" and {number - 1 for number in one.target} <= bracketed(target):
        return False
    if one.type in ("EQUI", "OPPO") or len(one.labels) > 1 or not any(words):
        return True
    return is_believable(tokens_of(source, one.source), tokens_of(target, one.target), words)


def _aligned(one: Alignment, source: Document, target: Document) -> Difference:
    kind = _kind(one, source, target)
    if kind != "negated":
        return _difference(kind, one.source, one.target, source, target, one.score)
    first, second = with_negation(source, one.source), with_negation(target, one.target)
    return _difference(kind, first, second, source, target, one.score)


def _kind(one: Alignment, source: Document, target: Document) -> str:
    kind = _BY_TYPE.get(one.type, "related")
    words, others = meaning_words(source, one.source), meaning_words(target, one.target)
    if _negations_differ(one, source, target):
        if agree(words, others) or (kind == "opposite" and not words and not others):
            return "negated"
        if are_opposites(words, others):
            return "same"
        if kind == "opposite":
            return "negated"
    elif kind == "opposite":
        return kind if words and others else "same"
    if "FACT" in one.labels:
        return "certainty"
    if "POL" in one.labels:
        return "opinion"
    if kind == "same":
        # Chunks that have a word in common and an opposite are hardly the same.
        apart = agree_in_part(words, others) and are_opposites(words, others)
        return "opposite" if apart else kind
    if numbers_differ(one, source, target):
        return "number"
    return _graded(kind, one, source, target)


def _graded(kind: str, one: Alignment, source: Document, target: Document) -> str:
    """What a link between chunks that are said to be unlike comes to when their words are compared."""
    words, others = meaning_words(source, one.source), meaning_words(target, one.target)
    sides = tokens_of(source, one.source), tokens_of(target, one.target)
    if not words and not others:
        return "same"
    if agree(words, others) and same_place(*sides):
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


def _negations_differ(one: Alignment, source: Document, target: Document) -> bool:
    """Whether the words of one side are denied and those of the other are not."""
    if misspelt_not(source, one.source) or misspelt_not(target, one.target):
        return False
    near = len(negations_of(source, one.source)) + len(negations_of(target, one.target))
    return (
        near % 2 == 1 and (negations_over(source, one.source) + negations_over(target, one.target)) % 2 == 1
    )


def _left_over(
    sides: Iterable[Sequence[int]], linked: set[int], document: Document
) -> Iterator[tuple[int, ...]]:
    """The chunks that are not linked, neighbours in a clause put together; function words join them.

    What stands in brackets explains something else and is not missed.
    """
    inside = bracketed(document)
    tree = Tree.of(document)
    loose = {number for side in sides for number in side} - linked
    loose -= {index + 1 for index in inside}
    run: list[int] = []
    clause: int | None = None
    for number, token in enumerate(document.tokens, 1):
        own = clause_head(tree, token)
        if not run:
            clause = None
        if run and carries_meaning(token) and clause is not None and own != clause:
            # "The" before the first word of a clause belongs to it.
            kept = len(run)
            while kept and clause_head(tree, document.tokens[run[kept - 1] - 1]) == own:
                kept -= 1
            yield from _phrase(run[:kept], loose, document)
            run = run[kept:]
        if carries_meaning(token):
            clause = own
        if number in loose or (run and not carries_meaning(token)):
            run.append(number)
        if number not in run or token.text[-1] in ".;:?!()[]" or _ends_clause(token, run, document):
            yield from _phrase(run, loose, document)
            run = []
    yield from _phrase(run, loose, document)


def _phrase(run: Sequence[int], loose: set[int], document: Document) -> Iterator[tuple[int, ...]]:
    """A run of tokens, without the linked and the empty words at its end, if it says anything."""
    ends = (
        place
        for place, number in enumerate(run)
        if number in loose and _can_end(document.tokens[number - 1], document)
    )
    kept = tuple(run[: max(ends, default=-1) + 1])
    words = tokens_of(document, kept)
    if any(
        (carries_meaning(token) and lemma(token) not in LIGHT) or _negates(token.index, document)
        for token in words
    ):
        yield kept


def _ends_clause(token: Token, run: Sequence[int], document: Document) -> bool:
    """Whether a comma ends a clause, and no list."""
    return token.text[-1] == "," and any(document.tokens[number - 1].pos == "VERB" for number in run)


def _can_end(token: Token, document: Document) -> bool:
    """Whether a phrase may end in a word: not in "is" or "the"."""
    return (
        carries_meaning(token)
        or token.pos == "PRON"
        or base(token) == "compound"
        or _negates(token.index, document)
    )


def _negates(index: int, document: Document) -> bool:
    return any(index in negation.cue for negation in document.negations)
