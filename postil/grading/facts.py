"""Answers that name a fact: amounts with units, names, lists. Where words settle it, no reader is asked.

>>> from postil.grading.facts import same_fact
>>> same_fact("How long is it?", "12 cm", "it is 0.12 m")
True
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from postil.data.formats.sra import function_words
from postil.language.measures.overlap import overlap_words
from postil.language.pipeline import analyse
from postil.language.quantities import other_words

# A longer text says more than an amount or a list.
_LONGEST_PLAIN = 100  # characters
_AROUND_AN_AMOUNT = frozenset(
    ("it", "'s", "is", "the", "answer", "about", "approximately", "around", "roughly", "=", "≈", "~", ".")
)
_CHANGES_AN_AMOUNT = frozenset(("not", "no", "or", "than", "more", "less", "half", "twice", "double"))
_GROUPED = re.compile(r"(?<![\d.,])\d{1,3}(?: \d{3})+(?![\d.,])")  # 300 000
_ARTICLES = frozenset(("the", "a", "an"))
_BETWEEN_ITEMS = re.compile(r"\s*(?:[,;&+]|\band\b)(?:\s*(?:[,;&+]|\band\b))*\s*", re.IGNORECASE)
_LONGEST_ITEM = 2  # words; more may be a clause, which is for the reader to judge
# The question asks for an order, so a list in another one is another answer.
_IN_A_ROW = re.compile(
    r"\b(?:order|sequence|rank|steps?|stages?|first|sort|arrange|chronolog\w*)\b", re.IGNORECASE
)
_COUNTS = {
    "two": 2,
    "2": 2,
    "both": 2,
    "three": 3,
    "3": 3,
    "four": 4,
    "4": 4,
    "five": 5,
    "5": 5,
    "six": 6,
    "6": 6,
}
_HOW_MANY = re.compile(
    r"\b(?:name|give|list|state|identify|mention|suggest|write(?: down)?|(?:what|which)(?: (?:are|were))?)\s"
    rf"(?:me |us |the |any |at least |these |those )*(?P<count>{'|'.join(_COUNTS)})\b",
    re.IGNORECASE,
)

# Several things named where the reference has one: "Paris, London, Rome"; "1945 or 1946".
_OR = re.compile(r"\bor\b", re.IGNORECASE)
_AND_OR = re.compile(rf"{_BETWEEN_ITEMS.pattern}|\s*\bor\b\s*", re.IGNORECASE)
_PLACE_OR_TIME = re.compile(r"\b(?:where|when|date|day|year)\b", re.IGNORECASE)  # "Sydney, Australia" is one
_LONGEST_FACT = 5  # words of a reference
_SMALL = function_words() - _ARTICLES
_LONGEST_OR, _LONGEST_LIST = 12, 6  # words of an answer; longer ones explain what they name

Amount = tuple[float, str]  # in base units


def same_fact(question: str, reference: str, answer: str) -> bool:
    """Whether both are one amount ("12 cm", "0.12 m"), or lists of the same things in any order."""
    if max(len(reference), len(answer)) > _LONGEST_PLAIN:
        return False
    if any(map(str.isdigit, reference)):
        amount = _amount(reference)
        return amount is not None and amount == _amount(answer, _repeatable(question))
    items = _items(reference)
    return len(items) > 1 and not _IN_A_ROW.search(question) and items == _items(answer)


def other_amount(question: str, references: Sequence[str], answer: str) -> bool:
    """Whether an answer and all references say one amount each, and the answer's is none of theirs."""
    if max(map(len, (answer, *references))) > _LONGEST_PLAIN:
        return False
    amounts = {_amount(reference) for reference in references}
    said = None if None in amounts else _amount(answer, _repeatable(question))
    return said is not None and said not in amounts


def _repeatable(question: str) -> frozenset[str]:
    """The words that may stand around an amount because the question has them: "the table is … long"."""
    return frozenset(overlap_words(question)) - _CHANGES_AN_AMOUNT


@lru_cache(maxsize=1 << 10)
def _amount(text: str, around: frozenset[str] = frozenset()) -> Amount | None:
    """The value and the unit of a text that says one amount and nothing else.

    Nearly all texts say more, which is seen without the long work of analysing them.
    """
    known = _AROUND_AN_AMOUNT | around
    if any(word not in known for word in other_words(text)):
        return None
    document = analyse(_GROUPED.sub(lambda match: match[0].replace(" ", ""), text))
    if len(document.quantities) != 1:
        return None
    (quantity,) = document.quantities
    rest = [*document.tokens[: quantity.start], *document.tokens[quantity.end :]]
    if any(token.text.casefold() not in known for token in rest):
        return None
    return float(f"{quantity.value:.6g}"), quantity.unit


def items_named(question: str, references: Sequence[str], answer: str) -> tuple[int, int] | None:
    """How many things the question asks for, and how many of them a bare list has that names nothing else.

    None where the question gives no number, or a reference or the answer is more than a list.
    """
    asked = _HOW_MANY.search(question)
    if asked is None or _IN_A_ROW.search(question):
        return None
    count, said, lists = _COUNTS[asked["count"].casefold()], _items(answer), [*map(_items, references)]
    if not said or not all(lists):
        return None
    # References of one thing each are all that may be named; of several lists each is an answer of its own.
    pools = [sum(lists, ())] if all(len(items) == 1 for items in lists) else lists
    complete = any(len(pool) >= count and set(pool).issuperset(said) for pool in pools)
    return (count, len(said)) if complete else None


def _items(text: str) -> tuple[str, ...]:
    """The things that a bare list names, sorted; nothing where it says more about them than their names."""
    if len(text) > _LONGEST_PLAIN:
        return ()
    items = [
        " ".join(word for word in overlap_words(item) if word not in _ARTICLES)
        for item in _BETWEEN_ITEMS.split(text.strip(" ."))
    ]
    if any(not item or len(item.split()) > _LONGEST_ITEM for item in items):
        return ()
    return tuple(sorted(items)) if len(set(items)) == len(items) else ()


def names_others(question: str, references: Sequence[str], answer: str) -> bool:
    """Whether an answer names other things beside what a short reference has, or leaves open which it is."""
    if max(len(reference.split()) for reference in references) > _LONGEST_FACT:
        return False
    if any(map(_OR.search, (question, *references))):
        return False
    length = len(answer.split())
    if length <= _LONGEST_OR and _has_other(_OR.split(answer), question, references):
        return True
    if length > _LONGEST_LIST or _PLACE_OR_TIME.search(question):
        return False
    # A name has no small words; "I think" is none.
    names = [item for item in _AND_OR.split(answer) if not (_SMALL & {*overlap_words(item)})]
    return _has_other([answer, *names], question, references)


def _has_other(items: Sequence[str], question: str, references: Sequence[str]) -> bool:
    """Whether one item has words of a reference, and another has none and is new."""
    right = {word for reference in references for word in overlap_words(reference)} - function_words()
    known = right | {*overlap_words(question)} | function_words()
    named = [{*overlap_words(item)} for item in items]
    return any(right & words for words in named) and any(
        words - known and not right & words for words in named
    )
