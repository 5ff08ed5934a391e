"""Groups: answers that say the same in the same words, so that one decision can be made for all of them.

>>> group_texts(["It is closed.", "it is open", "it is  CLOSED", "it is not closed"])
[1, 2, 1, 4]
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache

import numpy as np
from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from postil.data.files import same_letters
from postil.language.fillers import FILLERS
from postil.language.negation import ARTICLES, WORD_CUES
from postil.language.spelling import Speller

NEAR = 92.0
Words = tuple[str, ...]

_WORD = re.compile(
    r"""
    (?<![\w)])[-+]?\d+(?:[.,:/]\d+)*(?:\s?%)?  # a number with its sign, point and per cent
    | [^\W_]+(?:'[^\W_]+)*                     # a word; "don't" is one
    | [<>=≤≥≠≈→←]                              # signs that tell answers apart
    | [-+*/^$€£±×÷](?=\s*\d)
    """,
    re.VERBOSE,
)
_DROPPED = re.compile(r"['\s]")
_APOSTROPHES = str.maketrans("’‘`´−–", "''''--")
_NUMBER_WORDS = """zero one two three four five six seven eight nine ten eleven twelve hundred thousand
million half third quarter once twice double triple first second both all every each some any many most few"""
_COUNTING = frozenset(_NUMBER_WORDS.split())
_NEGATIONS = frozenset(cue.replace("'", "") for cue in WORD_CUES)
_NEGATIVE = ("un", "in", "im", "ir", "il", "dis", "non", "mis", "de", "a")
_IDLE = ARTICLES | FILLERS | {"so", "well", "um", "uh", "er"}
# Letters: every edit of a shorter word makes another word; in a long one two letters may be wrong.
_SHORTEST_MISSPELT, _LONG = 4, 6
_ROWS = 512  # compared at once
_MOST_WORDS, _MOST_LETTERS = 600, 3000  # of a text that can be near another; longer ones are equal or not


def group_texts(texts: Sequence[str]) -> list[int]:
    """For each text the number of its group: the place of the group's first text, from 1.

    A text joins the first group to whose first text it is identical or near; so no chain of small steps leads
    from one thing to another.
    """
    forms = [normal_form(text) for text in texts]
    first: dict[Words, int] = {}
    for index, form in enumerate(forms):
        first.setdefault(form, index)
    # Only texts with the same numbers and negations can be near each other; long ones are only equal.
    blocks: defaultdict[object, list[Words]] = defaultdict(list)
    for form in first:
        blocks[form if _is_long(form) else _guarded(form)].append(form)
    leaders: dict[Words, Words] = {}
    for block in blocks.values():
        leaders |= _led(block)
    return [first[leaders[form]] + 1 for form in forms]


def normal_form(text: str) -> Words:
    """The words of a text without case, punctuation and spacing.

    A capital that stands alone is a name ("bulb A") and not the article, unless all is in capitals.
    """
    text = same_letters(text).translate(_APOSTROPHES)
    shouted = text.upper() == text
    words = (_DROPPED.sub("", match[0]) for match in _WORD.finditer(text))
    return tuple(
        word if not shouted and index and word == "A" else word.casefold() for index, word in enumerate(words)
    )


def are_near(text: Words, other: Words) -> bool:
    """Whether two texts differ by no more than misspellings, spacing and idle words."""
    if _is_long(text) or _is_long(other):
        return text == other
    if fuzz.ratio(" ".join(text), " ".join(other)) < NEAR or _guarded(text) != _guarded(other):
        return False
    edits = SequenceMatcher(None, text, other, autojunk=False).get_opcodes()
    return all(_mean_the_same(text[a:b], other[c:d]) for kind, a, b, c, d in edits if kind != "equal")


def _is_long(form: Words) -> bool:
    """Whether a text is too long to be compared: that takes time with the square of its length, or worse."""
    return len(form) > _MOST_WORDS or sum(map(len, form)) > _MOST_LETTERS


def _led(forms: Sequence[Words]) -> dict[Words, Words]:
    """For each text of a block, in order, the first text of its group."""
    leaders: dict[Words, Words] = {}
    for index, candidates in enumerate(_candidates([" ".join(form) for form in forms])):
        form = forms[index]
        groups = (forms[earlier] for earlier in candidates if leaders[forms[earlier]] is forms[earlier])
        leaders[form] = next((leader for leader in groups if are_near(leader, form)), form)
    return leaders


def _candidates(texts: Sequence[str]) -> Iterator[list[int]]:
    """For each text the places of earlier ones with nearly the same letters."""
    for start in range(0, len(texts), _ROWS):
        rows = texts[start : start + _ROWS]
        scores = process.cdist(
            rows, texts[: start + len(rows)], scorer=fuzz.ratio, score_cutoff=NEAR, dtype=np.uint8, workers=1
        )
        for index, row in enumerate(scores, start):
            yield np.flatnonzero(row[:index]).tolist()


@lru_cache(maxsize=4096)
def _guarded(words: Words) -> tuple[Words, Words]:
    """The words of a text that must be the same in every text of its group: numbers, and what negates."""
    numbers = tuple(word for word in words if any(map(str.isdigit, word)) or word in _COUNTING)
    return numbers, tuple(sorted(word for word in words if word in _NEGATIONS))


def _mean_the_same(words: Words, others: Words) -> bool:
    if "".join(words).casefold() == "".join(others).casefold():
        return True  # "light bulb" and "lightbulb"
    said = [[word for word in side if word not in _IDLE] for side in (words, others)]
    return len(said[0]) == len(said[1]) and all(map(_is_misspelling, *said))


def _is_misspelling(word: str, other: str) -> bool:
    """Whether two words are one word, written wrongly once, or its singular and plural."""
    if word == other:
        return True
    if min(len(word), len(other)) < _SHORTEST_MISSPELT or not (word + other).isalpha():
        return False
    longer, shorter = sorted((word, other), key=len, reverse=True)
    if longer == f"{shorter}s":
        return True
    if any(longer.startswith(prefix + shorter[:3]) for prefix in _NEGATIVE):
        return False  # "disconected" is not "connected"
    known = Speller.load().counts
    if word in known and other in known:
        return False
    return OSA.distance(word, other) <= (2 if len(shorter) >= _LONG else 1)
