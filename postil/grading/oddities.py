"""Answers that say what the reference says, but in a way that a person should look at: tricks, and slips.

Only answers that would be called correct are looked at, and the label stays: a pupil who is right after all
loses nothing. The limits were chosen on right answers of several corpora (docs/decisions.md).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise, product

from postil.data.formats.sra import function_words
from postil.data.judgements import Reason
from postil.grading.answers import MOST_READ
from postil.grading.asks import QUOTED, find_asks
from postil.grading.facts import names_others, other_amount
from postil.language.measures.overlap import overlap_words
from postil.language.negation import is_prefixed
from postil.language.words.relations import Relation, opposites, word_relation
from postil.language.words.wordnet import PARTS, wordnet

# Phrases that take something back or leave it open, unless the question or a reference has them as well.
_TAKEN_BACK = re.compile(
    r"\b(?:wrong|untrue|false|nonsense|rubbish|incorrect|mistaken|a mistake|an error|myth|a lie|disprove[dn]"
    r"|ruled (?:it |this |that )?out|not (?:true|right|correct|so|the case)|isn'?t (?:true|right|so|correct)"
    r"|(?:i|we) (?:disagree|doubt)|do(?:n'?t| not) (?:think|believe|agree)|take (?:that|it|this) back"
    r"|the (?:opposite|reverse|contrary)|other way a?round|scrap that|no wait|i meant|can'?t decide"
    r"|or not|(?:maybe|perhaps|possibly) not|or (?:maybe|perhaps|else)"
    r"|(?:may|might|could) be\b.*\b(?:may|might|could) be)\b",
    re.IGNORECASE,
)
_MOST_WORDS = 50  # a longer answer can mention what is wrong, and still be right

_LEAST_WORDS = 5  # fewer in another order may well mean the same
_BORROWED = 0.85  # share of an answer's words that are the reference's
_NEIGHBOURS = 0.35  # share of neighbouring words that are neighbours in the reference
_IN_ORDER = 0.7  # share of the words that stand in the reference's order

_LONGEST_ARGUMENT = 5  # words that can change places with others
# What stands on either side of these may change places.
_JOINING = frozenset(("and", "or", "nor", "plus", "but", "while", "whereas", "the", "a", "an"))

_SAME_FRAME = 0.5  # share of the reference's words that an answer has in their order, but for one
_LONGEST_SWAP = 3  # words that stand where others stood
_MOST_COMPARED = 120  # words
_DENIALS = frozenset(("not", "no", "never", "without", "neither", "nor", "cannot", "none", "nothing"))
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_THOUSANDS = re.compile(r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))")
_UNDOING = ("un", "non", "dis", "in", "im", "il", "ir")

_TIMES = 5  # so much longer than the reference, an answer says more than was asked
_SHORTEST_REFERENCE = 5  # words; a name may stand in a sentence of any length

# A verb before its subject; "is that it floats" and "is the heavier" only leave out what was asked.
_INVERTED = re.compile(
    r"^(?:\w+, )?(?:is|are|was|were|do|does|did|can|could|will|would|should|might|may|has|have|am)"
    r"(?:n['’]?t)? (?:it|there|i|you|we|they|he|she)\b",
    re.IGNORECASE,
)
_CLOSING = "\"'”’»)] "


def oddity(question: str, references: Sequence[str], answer: str, *, gullible: bool) -> Reason | None:
    """Why an answer that says what the reference says should not be taken at its word.

    Some tricks are only looked for where the reader is `gullible`: others see through them. Fewer than one in
    a hundred of pupils' right answers are odd in any of these ways.
    """
    said = answer.rstrip()
    if is_question(question, references, said):
        return Reason.ASKED
    words = _words(said)
    if gullible and _takes_back(question, references, said, words):
        return Reason.TAKEN_BACK
    known = [_words(reference) for reference in references]
    if gullible and any(_jumbled(words, reference) for reference in known):
        return Reason.ORDER
    words, known = words[:_MOST_COMPARED], [reference[:_MOST_COMPARED] for reference in known]
    if any(_exchanged(words, reference) for reference in known):
        return Reason.ORDER
    if _turned(words, known, _opposed):
        return Reason.OPPOSITE
    if other_amount(question, references, said) or _turned(words, known, _other_number):
        return Reason.NUMBER
    if names_others(question, references, said):
        return Reason.SEVERAL
    return Reason.WORDY if _is_wordy(question, references, said) else None


def _words(text: str) -> list[str]:
    return overlap_words(_THOUSANDS.sub("", text))[:MOST_READ]


def is_question(question: str, references: Sequence[str], answer: str) -> bool:
    """Whether an answer is written as a question, with or without its mark, though none was expected.

    The title "Who's Afraid of Virginia Woolf?" asks nothing, nor does what the question itself quotes.
    """
    said = answer.rstrip(" .!…")
    bare = said.rstrip(_CLOSING)
    marked = bare.endswith("?") and (said[-1] not in '"”»' or said[0] in '"“«')
    if not marked and not _INVERTED.match(said):
        return False
    last = re.split(r"[.!?:]\s+|[\"“”]", bare)[-1].casefold()
    quotations = [quotation.casefold() for quotation in QUOTED.findall(question)]
    if any(last.rstrip("? ") in quotation for quotation in quotations):
        return False
    return not any(
        reference.rstrip(_CLOSING).endswith("?") or _INVERTED.match(reference) for reference in references
    )


def _takes_back(question: str, references: Sequence[str], answer: str, words: Sequence[str]) -> bool:
    if len(words) > _MOST_WORDS:
        return False
    known = " ".join((question, *references)).casefold()
    return any(match[0].casefold() not in known for match in _TAKEN_BACK.finditer(answer))


def _is_wordy(question: str, references: Sequence[str], answer: str) -> bool:
    """Whether an answer is many times as long as the longest reference, to a question that asks one thing."""
    longest = max(len(reference.split()) for reference in references)
    if longest < _SHORTEST_REFERENCE or len(answer.split()) < _TIMES * longest:
        return False
    return len(find_asks(question)) <= 1


# An answer in the reference's words, one of which is turned into its opposite.


def _turned(
    words: Sequence[str], references: Sequence[Sequence[str]], opposed: Callable[[str, str], bool]
) -> bool:
    """Whether the reference that is closest to an answer differs from it by an opposite in the same place.

    A second opposite, or a denial, turns it back. Whoever uses both words has not put one for the other.
    """
    matchers = [SequenceMatcher(None, reference, words, autojunk=False) for reference in references]
    closest = max(matcher.ratio() for matcher in matchers)
    return all(
        _is_turned(reference, words, matcher, opposed)
        for reference, matcher in zip(references, matchers, strict=True)
        if matcher.ratio() == closest
    )


def _is_turned(
    reference: Sequence[str],
    words: Sequence[str],
    matcher: SequenceMatcher[str],
    opposed: Callable[[str, str], bool],
) -> bool:
    swaps = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    if len(reference) - sum(end - start for _, start, end, _, _ in swaps) < _SAME_FRAME * len(reference):
        return False
    gone, new = (Counter(reference) - Counter(words)).keys(), (Counter(words) - Counter(reference)).keys()
    turns = denials = 0
    for _, start, end, first, last in swaps:
        before, after = reference[start:end], words[first:last]
        denials += sum(word in _DENIALS or word.endswith("n't") for word in (*before, *after))
        if max(len(before), len(after)) <= _LONGEST_SWAP:
            there = list(_phrases([word for word in after if word in new]))
            turns += any(opposed(word, other) for word in before if word in gone for other in there)
    return turns > 0 and (turns + denials) % 2 == 1


def _phrases(words: Sequence[str]) -> Iterator[str]:
    """Each word, and every two together as WordNet spells them: turn_off."""
    yield from words
    yield from map("_".join, pairwise(words))


@lru_cache(maxsize=1 << 14)
def _opposed(word: str, other: str) -> bool:
    """Whether two words are opposites by WordNet or a prefix, whatever parts of speech they may be."""
    if word_relation(word, other) in (Relation.SAME, Relation.SYNONYM):
        return False
    return any(
        (is_prefixed(first, "ADJ") and first in {f"{prefix}{second}" for prefix in _UNDOING})
        or any(
            not opposites(first, part).isdisjoint((second, *wordnet().base_forms(second, part)))
            for part in PARTS
        )
        for first, second in ((word, other), (other, word))
    )


def _other_number(word: str, other: str) -> bool:
    return bool(_NUMBER.fullmatch(word) and _NUMBER.fullmatch(other)) and float(word) != float(other)


# An answer in the reference's words, in another order.


def _exchanged(words: Sequence[str], reference: Sequence[str]) -> bool:
    """Whether two parts of the reference have changed places and the rest, but for a word, stands still."""
    if (Counter(reference) - Counter(words)).total() > 1 or (Counter(words) - Counter(reference)).total() > 1:
        return False
    start = _common(words, reference)
    end = _common(words[start:][::-1], reference[start:][::-1])
    said, there = words[start : len(words) - end], reference[start : len(reference) - end]
    for first, last in product(range(1, _LONGEST_ARGUMENT + 1), repeat=2):
        before, middle, after = there[:first], there[first:-last], there[-last:]
        if middle and [*after, *middle, *before] == said:
            return not _JOINING.issuperset(middle)
    return False


def _common(words: Sequence[str], others: Sequence[str]) -> int:
    """How many words two texts have in common at their beginning."""
    return next(
        (place for place, pair in enumerate(zip(words, others, strict=False)) if pair[0] != pair[1]),
        min(len(words), len(others)),
    )


def _jumbled(words: Sequence[str], reference: Sequence[str]) -> bool:
    """Whether most words are the reference's, but neither their neighbours nor their order."""
    known = frozenset(reference)
    borrowed = [word for word in words if word in known]
    if len(words) < _LEAST_WORDS or len(borrowed) < _BORROWED * len(words):
        return False
    weighty, others = ([word for word in side if word not in function_words()] for side in (words, reference))
    kept = _neighbours(words, reference)
    if len(weighty) > 2:  # telegram style leaves small words out, and the others in order
        kept = max(kept, _neighbours(weighty, others))
    return kept < _NEIGHBOURS and _longest_run(borrowed, reference) < _IN_ORDER * len(borrowed)


def _neighbours(words: Sequence[str], reference: Sequence[str]) -> float:
    pairs = set(pairwise(words))
    return len(pairs & set(pairwise(reference))) / max(len(pairs), 1)


def _longest_run(words: Sequence[str], reference: Sequence[str]) -> int:
    """How many words stand in the reference's order: the longest common subsequence."""
    lengths = [0] * (len(reference) + 1)
    for word in words:
        before = 0
        for column, other in enumerate(reference, start=1):
            above = lengths[column]
            lengths[column] = before + 1 if word == other else max(above, lengths[column - 1])
            before = above
    return lengths[-1]
