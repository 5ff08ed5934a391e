"""Spelling: correct what is clearly mistyped, never a word of the question or the references.

`spelled_out` turns contracted denials into two words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from importlib.resources import files
from math import log10
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from symspellpy import SymSpell

_DICTIONARY = "frequency_dictionary_en_82_765.txt"

# Letters with their marks, soft hyphens and joiners; an apostrophe inside belongs to the word.
_LETTER = r"[\w\u0300-\u036f\u00ad\u200b-\u200d]"
_WORD = re.compile(rf"{_LETTER}+(?:['’]{_LETTER}+)*")
_RUN = re.compile(r"\S+")
_ADDRESS = re.compile(
    r"://|\bwww\.|[@\\]|\w\.(?:com|org|net|edu|gov|html?|php|pdf|csv|txt|py)\b", re.IGNORECASE
)
# Lower case, or a capital and lower case: not AC, pH, NaCl, x2, snake_case, naïve.
_CORRECTABLE = re.compile(r"[A-Za-z][a-z]{3,}|[A-Za-z][a-z]+'[a-z]+")
_CORRECTION = re.compile(r"[a-z]{3,}")
_POSSESSIVE = re.compile(r"['’]s$")
_BEFORE_SENTENCE = re.compile(r"(?:^|[.!?:;\n\r•*])[^\w,]*$")
_LOOK_BACK = 8
_SHORTEST, _LONGEST = 4, 40
# A text that is mostly odd words is taken not to be English and left alone. A short word is odd unless it is
# a frequent one: two or three letters are nearly always a word of some language.
_ENOUGH_WORDS, _ODD_SHARE, _FREQUENT = 6, 0.6, 300_000_000

# What a candidate costs, in powers of ten: an edit counts as much as being a thousand times as rare a word.
_EDIT = 3.0
_OTHER_INITIAL, _OTHER_FINAL = 1.5, 0.5  # few people misspell the first letter, or the last
_OTHER_LETTERS, _OTHER_VOWELS = 1.2, 0.9  # many swap two letters, write another vowel, or forget to double
_KNOWN = 2.0  # a word of the question or the references is taken to be one word in a hundred
_KIN = 2.5  # and so, nearly, is another form of one
_CONTRACTION = 3.3  # the dictionary's counts of these are made up
_MOST = 12.0
# Indexes of the dictionary (edits, least count): rare words are right where they stand but poor guesses,
# and two edits away from a word only a frequent one is a good guess. Small indexes are also built fast.
_INDEXES = ((1, 150_000), (2, 3_000_000))
_SHORT_COUNT = 50_000_000  # for words of three letters or fewer
_KNOWN_EDITS = 2

_SPELT_TWO_WAYS = {
    re.compile(r"(?<=...)or(s|ed|ing|less|ful)?$"): r"our\1",
    re.compile(r"(?<=...)our(s|ed|ing|less|ful)?$"): r"or\1",
    re.compile(r"(?<=..[tb])er(s?)$"): r"re\1",
    re.compile(r"(?<=..[tb])re(s?)$"): r"er\1",
    re.compile(r"(?<=...)([iy])s(e|es|ed|er|ers|ing|ation|ations)$"): r"\1z\2",
    re.compile(r"(?<=...)([iy])z(e|es|ed|er|ers|ing|ation|ations)$"): r"\1s\2",
    re.compile(r"(?<=...)ll(ed|er|ers|ing)$"): r"l\1",
    re.compile(r"(?<=...[aeiou])l(ed|er|ers|ing)$"): r"ll\1",
    re.compile(r"sulf"): "sulph",
    re.compile(r"alumin(?=um)"): "alumini",
}
_ENDINGS = {
    re.compile(r"(?<=.[^s])s$"): "",
    re.compile(r"(?<=..)(?:es|ly|ness|less|ish)$"): "",
    re.compile(r"(?<=..)i(?:es|er|est|ly|ness)$"): "y",
    re.compile(r"(?<=.ion)al$"): "",
    # Not after a vowel and a consonant: "stoped" and "runing" are misspelt.
    re.compile(r"(?<=[^aeiou][^aeiou])(?:ed|ing|er|ers|y)$"): "",
}
_VOWELS = str.maketrans("aeiou", "aaaaa")
_DOUBLED = re.compile(r"(.)\1+")
_NEGATIVE = ("un", "in", "im", "ir", "il", "dis", "non", "mis")
_BEGINNINGS = ("un", "dis", "non", "mis", "re", "over", "under", "anti", "multi", "micro", "electro", "hydro")


@dataclass(frozen=True, slots=True)
class Correction:
    """A word that was changed: where it stood in the original text, what it was and what it is now."""

    start: int
    end: int
    before: str
    after: str


def correct(text: str, known: Iterable[str] = ()) -> tuple[str, tuple[Correction, ...]]:
    """Correct the spelling of a text with the dictionary that ships; see `Speller.correct`."""
    return Speller.load().correct(text, known)


class Speller:
    """A frequency dictionary of English (the one of symspellpy), and what to do with words not in it."""

    def __init__(self, counts: Mapping[str, int]) -> None:
        self.counts = counts
        # "dont" and its like are the pipeline's to understand; as corrections they are as good as "don't".
        self._contractions = {word.replace("'", "") for word in counts if "'" in word} - set(counts)
        self._cut_contractions = {word.split("'")[0] for word in counts if "'" in word}  # "doesn 't"
        self._total = sum(counts.values())

    @staticmethod
    @cache
    def load() -> Speller:
        """Read the dictionary; the second call returns the first one's."""
        lines = files("symspellpy").joinpath(_DICTIONARY).read_text("utf-8-sig").splitlines()
        return Speller({word: int(count) for word, count in map(str.split, lines)})

    def correct(self, text: str, known: Iterable[str] = ()) -> tuple[str, tuple[Correction, ...]]:
        """Return the text with misspelt words corrected, and the list of changes.

        `known` are texts, such as the question and the references, whose words are right by definition and
        are preferred as corrections.
        """
        vocabulary = _known((known,) if isinstance(known, str) else tuple(known))
        words = [(match, _plain(match[0])) for match in _words(text)]
        wrong = {word for word in {word for _, word in words} if not self._is_right(word, vocabulary)}
        odd = sum(word in wrong or self._is_odd(word, vocabulary) for _, word in words)
        if not wrong or (len(words) >= _ENOUGH_WORDS and odd > _ODD_SHARE * len(words)):
            return text, ()
        corrections, parts, done = [], [], 0
        best = cache(lambda word, is_name: self._best(word, vocabulary, is_name))
        for match in (match for match, word in words if word in wrong):
            start, end = match.span()
            after = _corrected(match[0], text[max(0, start - _LOOK_BACK) : start], best)
            if after is not None:
                corrections.append(Correction(start, end, match[0], after))
                parts += [text[done:start], after]
                done = end
        return "".join([*parts, text[done:]]), tuple(corrections)

    def _is_odd(self, word: str, known: _Known) -> bool:
        is_short = 1 < len(word) < _SHORTEST and word.isalpha()
        return is_short and word not in known.words and self.counts.get(word, 0) < _FREQUENT

    def _is_right(self, word: str, known: _Known) -> bool:
        """Whether a word may stand: short, known, in the dictionary, or regularly made from such a word."""
        bare = _POSSESSIVE.sub("", word)
        if len(word) < _SHORTEST or any(form in known.words for form in (word, bare, *_bases(bare))):
            return True
        counts = self.counts
        if bare in counts or bare in self._contractions or bare in self._cut_contractions:
            return True
        if any(pattern.sub(other, bare) in counts for pattern, other in _SPELT_TWO_WAYS.items()):
            return True
        rests = [bare.removeprefix(start) for start in _BEGINNINGS if len(bare) > len(start) + _SHORTEST]
        if not any(form in counts for form in (*_bases(bare), *rests)):
            return False
        # Who writes "watter" beside a reference with "water" means no thing of watts.
        return not any(distance == 1 and term[-2:] == bare[-2:] for term, distance in known.near(bare))

    def _best(self, word: str, known: _Known, is_name: bool) -> str | None:
        """The likeliest word for one that is not right; None if no likely one is near."""
        # What looks like a name is only changed to a known word, and only if it is all but that word;
        # "lightbulb" is two words, but "diffrent" is not "diff" and "rent".
        cuts = range(_SHORTEST, len(word) - _SHORTEST + 1)
        is_compound = any(word[:cut] in self.counts and word[cut:] in self.counts for cut in cuts)
        most = 1 if is_name or is_compound else 2
        costs = {
            term: distance * _EDIT + _KNOWN
            for term, distance in known.near(word)
            # "Mark" is not "Mars", but "Idao" is "Idaho".
            if distance <= most and not (is_name and len(term) <= len(word) == _SHORTEST)
        }
        for term, distance, count in () if is_name else self._near(word):
            if distance <= most:
                contracted = "'" in term or term in self._contractions
                rarity = _CONTRACTION if contracted else log10(self._total / count)
                rarity = min(rarity, _KIN) if known.has_kin(term) else rarity
                costs[term] = min(distance * _EDIT + rarity, costs.get(term, _MOST))
        for term in costs:
            costs[term] += _likeness_cost(word, term)
        best = min(costs, key=lambda term: (costs[term], term), default=None)
        return best if best is not None and costs[best] < _MOST else None

    def _near(self, word: str) -> Iterator[tuple[str, int, int]]:
        from symspellpy import Verbosity

        for (distance, _), index in zip(_INDEXES, self._indexes, strict=True):
            if len(word) >= _SHORTEST + 2 * (distance - 1):
                for item in index.lookup(word, Verbosity.ALL, distance):
                    yield item.term, item.distance, item.count

    @cached_property
    def _indexes(self) -> tuple[SymSpell, ...]:
        counts = self.counts.items()
        words = {word: n for word, n in counts if len(word) >= _SHORTEST or n >= _SHORT_COUNT}
        words |= dict.fromkeys(self._contractions, max(least for _, least in _INDEXES))
        return tuple(
            _index({word: count for word, count in words.items() if count >= least}, distance, 5)
            for distance, least in _INDEXES
        )


class _Known:
    """The words of the question and the references, with an index to find those near a word."""

    def __init__(self, words: frozenset[str]) -> None:
        self.words = words
        # Where forms of one word part: "evaporates" and "evaporation" at "evaporat".
        self._stems = {
            word[:n] for word in words for n in range(max(_SHORTEST, len(word) - 4), len(word) + 1)
        }

    @cached_property
    def _index(self) -> SymSpell:
        good = [word for word in sorted(self.words) if _CORRECTION.fullmatch(word)]
        return _index(dict.fromkeys(good, 1), _KNOWN_EDITS, 7)

    def near(self, word: str) -> Iterator[tuple[str, int]]:
        """Known words near a word; two edits away only if they are long enough."""
        from symspellpy import Verbosity

        for item in self._index.lookup(word, Verbosity.ALL, _KNOWN_EDITS):
            if item.distance == 1 or len(item.term) >= _SHORTEST + 2:
                yield item.term, item.distance

    def has_kin(self, word: str) -> bool:
        """Whether a word looks like another form of a known one."""
        return any(word[:n] in self._stems for n in range(max(_SHORTEST, len(word) - 3), len(word) + 1))


@lru_cache(maxsize=256)
def _known(texts: tuple[str, ...]) -> _Known:
    words = {_plain(match[0]) for text in texts for match in _WORD.finditer(text)}
    return _Known(frozenset(words | {_POSSESSIVE.sub("", word) for word in words}))


def _index(counts: Mapping[str, int], distance: int, prefix: int) -> SymSpell:
    from symspellpy import SymSpell

    index = SymSpell(max_dictionary_edit_distance=distance, prefix_length=prefix)
    for word, count in counts.items():
        index.create_dictionary_entry(word, count)
    return index


def _words(text: str) -> Iterator[re.Match[str]]:
    """The words of a text that are not part of an address or absurdly long."""
    for run in _RUN.finditer(text):
        if not _ADDRESS.search(run[0]):
            for word in _WORD.finditer(text, *run.span()):
                if len(word[0]) <= _LONGEST:
                    yield word


def _corrected(word: str, before: str, best: Callable[[str, bool], str | None]) -> str | None:
    """The word corrected, with its capital, its kind of apostrophe and its possessive as they were."""
    possessive = _POSSESSIVE.search(word)
    bare = word[: possessive.start()] if possessive else word
    if not _CORRECTABLE.fullmatch(bare.replace("’", "'")):
        return None
    capital = bare[0].isupper()
    term = best(_plain(bare), capital and not _BEFORE_SENTENCE.search(before))
    if term is None:
        return None
    term = term.replace("'", "’") if "’" in word else term
    return (term.capitalize() if capital else term) + (possessive[0] if possessive else "")


def _plain(word: str) -> str:
    return word.lower().replace("’", "'")


def _bases(word: str) -> Iterator[str]:
    for pattern, instead in _ENDINGS.items():
        base = pattern.sub(instead, word)
        if base != word:
            yield base


def _likeness_cost(word: str, term: str) -> float:
    """What it costs to take one word for the other, beyond the number of edits."""
    for longer, shorter in ((word, term), (term, word)):
        # "disconected" is not "connected"
        if any(longer.startswith(p) and longer.removeprefix(p)[:3] == shorter[:3] for p in _NEGATIVE):
            return _MOST
    if sorted(word) == sorted(term):
        return 0.0
    letters = _OTHER_VOWELS if _sound(word) == _sound(term) else _OTHER_LETTERS
    return letters + _OTHER_INITIAL * (word[0] != term[0]) + _OTHER_FINAL * (word[-1] != term[-1])


def _sound(word: str) -> str:
    """A word with every vowel the same and no letter doubled."""
    return _DOUBLED.sub(r"\1", word.translate(_VOWELS))


_WHOLE = {"can't": "can not", "cannot": "can not", "cant": "can not", "won't": "will not", "ain't": "is not"}
_HELPERS = "do|does|did|is|are|was|were|would|could|should|must|might|has|have|had|need"
_DENIAL = re.compile(
    rf"\b(?P<whole>{'|'.join(_WHOLE)})\b|\b(?P<helper>{_HELPERS})(?:n't|nt)\b", re.IGNORECASE
)


def spelled_out(text: str) -> str:
    """The text with its contracted denials in two words: "don't", "dont" and "cannot" as "do not", "can not".

    A network that reads pieces of words sees three pieces in "don't", none of which it knows from "not".
    """

    def in_two_words(match: re.Match[str]) -> str:
        words = f"{match['helper']} not" if match["helper"] else _WHOLE[match[0].lower()]
        return words.capitalize() if match["whole"] and match[0][0].isupper() else words

    return _DENIAL.sub(in_two_words, text.replace("’", "'"))
