"""A pupil's own words in quotation marks, as they were written, and so much of them that they say it all."""

from __future__ import annotations

import re

from postil.data.judgements import Spans
from postil.explain.phrases import wordset

EDGES = " \t\n.,;:!?-–"
WORDS = re.compile(r"\w+(?:['’-]\w+)*")
SMALL = wordset("a an the is are was were be to of in on at it its and or that this by for with as")
_LONG_QUOTE, _LONG_CLAUSE, _LONG_SENTENCE, _LONG_ITEM = 14, 20, 30, 4  # words
_STOPS = re.compile(r"(?<!\b\d\.)(?<!\b\d\d\.)(?<=[.!?])\s+|\n+")  # not after the number of a list
# Where a clause may begin and end, and a denial shortly before some words.
_BOUNDS = re.compile(
    r"[.;:!?](?=\s|$)\s*|,\s+|\n+|\s+(?=(?:because|cause|but|since|while|although|though|whereas)\b)",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"\b(?:not?|never|none|nothing|\w+n['’]?t|without|cannot)\b(?:\s+\S+){0,3}\s*$", re.IGNORECASE
)
_JOINT = re.compile(r"^(?:because|cause|and|but|so|since)\s+", re.IGNORECASE)


# The numbers of a list, where there are several: "1. water 2. air", "(a) save (b) open"
_LIST_NUMBER = re.compile(r"(?:(?<=\s)|^)\(?(?:\d{1,2}|[a-hA-H])[.)]\s*(?=[^\W\d])")
_FIRST_NUMBERS = ("1", "a", "A")
_ITEMS = re.compile(r"\s*(?:[,;&\n/]|\band\b|\bor\b)\s*")


def cut(text: str, most: int) -> str:
    """A text of at most so many words."""
    words = text.split()
    return " ".join(words) if len(words) <= most else f"{' '.join(words[:most]).rstrip(EDGES)} …"


def quotation(written: str, spans: Spans, *, sentence: bool = False) -> str:
    """The words of an answer at these spans in their clause or, if it is short, their `sentence`.

    Of words that stand far apart, those that stand together. Empty where there is nothing to quote.
    """
    written, best = without_numbers(written), (0, 0, 0)
    for first in range(len(spans)):
        for last in range(first, len(spans)):
            start, end = spans[first][0], spans[last][1]
            if len(written[start:end].split()) > _LONG_QUOTE or _STOPS.search(written[start:end]):
                break
            best = max(best, (last - first + 1, end - start, start))
    count, length, start = best
    if not count and spans:  # one long span
        return f"“{cut(written[slice(*spans[0])], _LONG_QUOTE)}”"
    around = (sentence and _within(written, start, length, _STOPS)) or _within(
        written, start, length, _BOUNDS
    )
    if around is None:
        denied = _DENIED.search(written[:start])
        around = (denied.start() if denied else start, start + length)
    text = " ".join(written[slice(*around)].split()).strip(EDGES)
    text = text if sentence else _JOINT.sub("", text)
    return f"“{text}”" if any(word.lower() not in SMALL for word in WORDS.findall(text)) else ""


def _within(written: str, start: int, length: int, bounds: re.Pattern[str]) -> tuple[int, int] | None:
    """A stretch of a text up to the next bounds, so that no "not" is cut off; None if that is long."""
    places = [0, *(end for match in bounds.finditer(written) for end in match.span()), len(written)]
    before = max(place for place in places if place <= start)
    after = min(place for place in places if place >= start + length)
    return (before, after) if len(written[before:after].split()) <= _LONG_CLAUSE else None


def whole_quotation(written: str, most: int = _LONG_QUOTE) -> str:
    """A whole answer as a quotation, if it has at most so many words."""
    numbered = without_numbers(written)
    several = len([part for part in numbered.split("\n") if part.strip()]) > 1
    text = " ".join((written if several else numbered).split()).strip(EDGES)
    return f"“{text}”" if text and len(text.split()) <= most else ""


def nearest_sentence(written: str, about: str) -> str:
    """The sentence of an answer that has most words of the question, as a quotation; empty if it is long."""
    sentences = [text.strip(EDGES) for text in _STOPS.split(without_numbers(written)) if text.strip(EDGES)]
    asked = content_words(about)
    best = max(sentences, key=lambda text: len(content_words(text) & asked), default="")
    return f"“{best}”" if 1 < len(best.split()) <= _LONG_SENTENCE else ""


def content_words(text: str) -> set[str]:
    """The words of a text that say something, in small letters."""
    return {word.lower() for word in WORDS.findall(text)} - SMALL


def without_numbers(written: str) -> str:
    """A text of the same length with a line's end for each character of the numbers of a list."""
    numbers = list(_LIST_NUMBER.finditer(written))
    if not numbers or numbers[0][0].strip("(.) \t\n") not in _FIRST_NUMBERS or len(numbers) < 2:
        return written
    return _LIST_NUMBER.sub(lambda number: "\n" * len(number[0]), written)


def items_of(text: str) -> list[str]:
    """The items of a text that is a list: "water, air and light" has three."""
    parts = (part.strip(EDGES) for part in _ITEMS.split(without_numbers(text.strip("“”"))))
    return [part for part in parts if part]


def is_bare(quote: str) -> bool:
    """Whether a quotation is so short that it can only name things."""
    return all(len(item.split()) <= _LONG_ITEM for item in items_of(quote))
