"""A text and a hypothesis read side by side: which words support which, which numbers, which opposites.

A word of the text supports one of the hypothesis if it is the same, a synonym, a relative or a kind of it;
names may be misspelt, or name a place inside the other. Pronouns and short names are resolved first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

import numpy as np

from postil.data.arrays import Floats
from postil.language.document import Document, Quantity, Span, Token
from postil.language.measures.matching import MATCHES, Opposition, Word, opposition, relations, word_of
from postil.language.words.relations import kinds
from postil.language.words.spaces import idf
from postil.language.words.wordnet import wordnet

FOUND = 0.5  # the least support with which a word counts as found in the text
_KIND_OF = 0.7  # support by a kind of the hypothesis's word: a poodle is a dog
_NAME = 0.8  # support by a name with a letter wrong, or by a place for the one that it is in
_LIGHT = 0.1  # weight of a word that every text has
_RAREST = 9.0  # rareness at which words weigh 1
_BEARING = 0.3  # a sentence matters if it supports this share of what the best one does

_LEAST_LETTERS = 5  # shorter names with one letter changed are other names
_STEPS = 4  # from a town to its continent

_MORE = frozenset(("more", "over", "above", "least", "exceed", "exceeding"))
_LESS = frozenset(("less", "under", "below", "most", "fewer", "within"))
_ABOUT = frozenset(("about", "around", "nearly", "almost", "approximately", "roughly", "some", "circa"))
_BEFORE = 3  # words before a number that can qualify it: "more than", "at least about"
_ROUND = 0.1  # how far from each other two round numbers may be
_SAME = 1e-6
_YEARS = (1000.0, 2100.0)

_PERSON = frozenset(("he", "him", "his", "himself", "she", "her", "hers", "herself"))
_THING = frozenset(("it", "its", "itself"))
_SEVERAL = frozenset(("they", "them", "their", "theirs", "themselves"))
_PRONOUNS = _PERSON | _THING | _SEVERAL
_SUBJECTS = frozenset(("nsubj", "nsubj:pass"))

Thing = tuple[int, ...]  # the tokens of a name, or a noun


class Outcome(Enum):
    """What the text says about a number of the hypothesis."""

    SUPPORTED = "supported"
    MISSING = "missing"
    CONTRADICTED = "contradicted"


@dataclass(frozen=True, slots=True)
class Compared:
    """A number of the hypothesis, what the text says about it, and the number of the text that says so."""

    hypothesis: Quantity
    outcome: Outcome
    text: Quantity | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """A pair as it was read; rows are the hypothesis's content words, columns the text's tokens."""

    text: Document
    hypothesis: Document
    words: tuple[Token, ...]  # the hypothesis's content words
    weights: Floats
    table: Floats  # how well each token of the text supports each of them
    shares: Floats  # how much of them each sentence of the text supports
    links: Mapping[int, Sequence[int]]  # what pronouns and short names of the text stand for
    numbers: tuple[Compared, ...]
    opposed: Opposition

    @property
    def best(self) -> Floats:
        """How well each content word of the hypothesis is supported anywhere in the text."""
        return np.asarray(self.table.max(axis=1, initial=0.0))

    @property
    def sentence(self) -> int:
        """The sentence that supports most of the hypothesis; -1 for a text without any."""
        return int(self.shares.argmax()) if len(self.shares) else -1

    def supporters(self, row: int) -> list[int]:
        """The tokens of the text that support a content word of the hypothesis."""
        tokens: list[int] = np.flatnonzero(self.table[row] >= FOUND).tolist()
        return tokens


def read_pair(text: Document, hypothesis: Document) -> Reading:
    """Compare the words of a text and a hypothesis."""
    words, text_words = hypothesis.content_words, text.content_words
    table = np.zeros((len(words), len(text.tokens)))
    if words and text_words:
        table[:, [token.index for token in text_words]] = support(text_words, words)
    numbers = compare_numbers(text, hypothesis)
    for number in numbers:  # a number that the text has in another form supports its word: twelve, 12
        if number.outcome is Outcome.SUPPORTED and number.text is not None:
            rows = [number.hypothesis.start <= token.index < number.hypothesis.end for token in words]
            table[rows, number.text.start] = 1.0
    weights = np.array([weight(token.lemma.lower()) for token in words])
    links = mentions(text)
    for index, thing in links.items():  # a pronoun supports what its name does
        table[:, index] = np.maximum(table[:, index], table[:, thing].max(axis=1, initial=0.0))
    shares = sentence_support(text, table, weights)
    opposed = opposition(text, hypothesis)
    return Reading(text, hypothesis, words, weights, table, shares, links, numbers, opposed)


@lru_cache(maxsize=1 << 15)
def weight(lemma: str) -> float:
    """How much a word counts: its rareness, from 0.1 to 1."""
    return max(_LIGHT, min(idf()(lemma), _RAREST) / _RAREST)


def support(text: Sequence[Token], hypothesis: Sequence[Token]) -> Floats:
    """How well each word of a text (a column) supports each word of the hypothesis (a row), from 0 to 1."""
    words, claimed = [_compared(token) for token in text], [_compared(token) for token in hypothesis]
    columns, rows = (list(dict.fromkeys(side)) for side in (words, claimed))
    places = np.ix_(_places(claimed, rows), _places(words, columns))
    table = _supports(columns, rows)[places]
    names = [column for column, token in enumerate(text) if token.pos == "PROPN"]
    for row, token in enumerate(hypothesis):
        if token.pos == "PROPN" and table[row].max() == 0:
            table[row, names] = [_NAME * supports_name(words[name][0], claimed[row][0]) for name in names]
    return table


def _compared(token: Token) -> Word:
    """A token as it is compared: initials with or without full stops are one word."""
    lemma, part, form = word_of(token)
    return lemma.replace(".", "") or lemma, part, form.replace(".", "") or form


def _places(words: Sequence[Word], distinct: Sequence[Word]) -> list[int]:
    numbers = {word: number for number, word in enumerate(distinct)}
    return [numbers[word] for word in words]


def _supports(words: Sequence[Word], claimed: Sequence[Word]) -> Floats:
    """How well each of the words, a column, supports each one that is claimed, a row."""
    table = np.zeros((len(claimed), len(words)))
    for column, row in kinds([word[:2] for word in words], [claim[:2] for claim in claimed]):
        if words[column][1] and words[column][1] == claimed[row][1]:
            table[row, column] = _KIND_OF
    for column, row, related in relations(words, claimed):
        table[row, column] = MATCHES.get(related, 0.0)
    return table


def supports_name(name: str, claimed: str) -> bool:
    """Whether a text's name will do for the hypothesis's: the same but for a letter, or a place in it."""
    name, claimed = name.lower(), claimed.lower()
    return is_near(name, claimed) or not _wholes(name).isdisjoint(_senses(claimed))


@lru_cache(maxsize=1 << 15)
def is_near(name: str, other: str) -> bool:
    """Whether adding, dropping or changing one letter turns one long name into the other."""
    shorter, longer = sorted((name, other), key=len)
    if len(shorter) < _LEAST_LETTERS or len(longer) - len(shorter) > 1 or not (name + other).isalpha():
        return False
    same = next((index for index, letter in enumerate(shorter) if letter != longer[index]), len(shorter))
    step = len(longer) == len(shorter)
    return shorter[same + step :] == longer[same + 1 :]


@lru_cache(maxsize=1 << 13)
def _senses(name: str) -> frozenset[int]:
    return frozenset(wordnet().synsets(name, "n"))


@lru_cache(maxsize=1 << 13)
def _wholes(name: str) -> frozenset[int]:
    """What a place is in, and what that is in."""
    wholes: set[int] = set()
    edge = set(_senses(name))
    for _ in range(_STEPS):
        edge = {whole for sense in edge for whole in wordnet().related(sense, "part_holonym")} - wholes
        wholes |= edge
    return frozenset(wholes)


def compare_numbers(text: Document, hypothesis: Document) -> tuple[Compared, ...]:
    """Every number of the hypothesis beside those of the text."""
    return tuple(_compare_number(text, hypothesis, claimed) for claimed in hypothesis.quantities)


def _compare_number(text: Document, hypothesis: Document, claimed: Quantity) -> Compared:
    bound, _ = _bound(hypothesis, claimed)
    for number in text.quantities:
        comparable = number.unit == claimed.unit or not number.unit or not claimed.unit
        if comparable and _implies(text, number, bound, claimed):
            return Compared(claimed, Outcome.SUPPORTED, number)
    digits = hypothesis.tokens[claimed.start].text
    if any(digits == token.text for token in text.tokens):  # inside a name or a date that is no quantity
        return Compared(claimed, Outcome.SUPPORTED)
    rival = next((number for number in text.quantities if _rivals(text, number, hypothesis, claimed)), None)
    return Compared(claimed, Outcome.CONTRADICTED if rival else Outcome.MISSING, rival)


def _bound(document: Document, quantity: Quantity) -> tuple[str, bool]:
    """Whether a number is a bound ("more", "less") or exact (""), and whether it is only about right."""
    tokens = document.tokens[max(0, quantity.start - _BEFORE) : quantity.start]
    before = {token.lemma.lower() for token in tokens}
    kind = "more" if before & _MORE else "less" if before & _LESS else ""
    return kind, bool(before & _ABOUT)


def _implies(text: Document, number: Quantity, bound: str, claimed: Quantity) -> bool:
    """Whether the text's number makes the hypothesis's true: 12 is more than 10, over 12 is not 12."""
    own, about = _bound(text, number)
    same = abs(number.value - claimed.value) <= _SAME * max(1.0, abs(claimed.value))
    if not bound:
        # "Nearly 12" and "over 12" are taken for 12, as the challenges' annotators do; "under 12" is not.
        near = abs(number.value - claimed.value) <= _ROUND * abs(claimed.value)
        return (same and own != "less") or (about and near)
    if number.unit != claimed.unit:
        return same
    if bound == "more":
        return own != "less" and number.value >= claimed.value
    return own != "more" and number.value <= claimed.value


def _rivals(text: Document, number: Quantity, hypothesis: Document, claimed: Quantity) -> bool:
    """Whether two different numbers measure the same thing: both are years, or share a noun or a unit."""
    if _is_year(text, number) and _is_year(hypothesis, claimed):
        return True
    if noun := _counted(hypothesis, claimed):
        return noun == _counted(text, number)
    return bool(claimed.unit) and claimed.unit == number.unit


def _is_year(document: Document, quantity: Quantity) -> bool:
    digits = document.tokens[quantity.start].text
    in_range = _YEARS[0] <= quantity.value <= _YEARS[1]
    return not quantity.unit and len(digits) == 4 and digits.isdigit() and in_range


def _counted(document: Document, quantity: Quantity) -> str:
    """The noun that a number counts, if it counts one."""
    tokens = document.tokens
    head = tokens[tokens[quantity.start].head]
    counts = tokens[quantity.start].relation in ("nummod", "amod", "det")
    return head.lemma.lower() if counts and head.pos == "NOUN" else ""


def mentions(document: Document) -> dict[int, Thing]:
    """What pronouns and short names stand for: the token of each, and the tokens of what was named before.

    "Clinton" is the Bill Clinton named earlier; "he" is the last person who was a subject, or the last one
    named; "it" and "they" likewise stand for a thing or for several.
    """
    tokens = document.tokens
    things = list(_things(tokens))
    meanings: dict[int, Thing] = {}
    for token in tokens:
        word = token.text.lower()
        if word not in _PRONOUNS and token.pos != "PROPN":
            continue
        earlier = [thing for thing in things if thing[-1] < token.index]
        if word in _PRONOUNS:
            fitting = [thing for thing in earlier if _fits(tokens[thing[-1]], word)]
            subjects = [thing for thing in fitting if any(tokens[n].relation in _SUBJECTS for n in thing)]
            chosen: Thing = (subjects or fitting or [()])[-1]
        else:
            names = (thing for thing in earlier if len(thing) > 1)
            chosen = next((name for name in names if word in {tokens[n].text.lower() for n in name}), ())
        if chosen:
            meanings[token.index] = chosen
    return meanings


def _things(tokens: Sequence[Token]) -> Iterator[Thing]:
    """What a pronoun can stand for, in order: names with all their words, other nouns by their last."""
    name: list[int] = []
    for token in tokens:
        if token.pos == "PROPN" and token.text[:1].isalnum():
            name.append(token.index)
            continue
        if name:
            yield tuple(name)
            name = []
        if token.pos == "NOUN" and not token.relation.startswith("compound"):
            yield (token.index,)
    if name:
        yield tuple(name)


def _fits(last: Token, pronoun: str) -> bool:
    """Whether a pronoun can stand for a name or a noun: one person, one thing, or several."""
    several = last.tag in ("NNS", "NNPS")
    if pronoun in _SEVERAL:
        return several
    return not several and (pronoun in _THING or last.pos == "PROPN")


def sentence_support(document: Document, table: Floats, weights: Floats) -> Floats:
    """How much of the hypothesis each sentence supports, as a weighted share of the hypothesis's words."""
    if not weights.size:
        return np.zeros(len(document.sentences))
    spans = (table[:, sentence.start : sentence.end] for sentence in document.sentences)
    return np.asarray(np.array([span.max(axis=1, initial=0.0) @ weights for span in spans]) / weights.sum())


def condensed(document: Document, shares: Floats, most: int) -> str:
    """The text or, if it has more than `most` tokens, its sentences that support most, in their order."""
    if len(document.tokens) <= most:
        return document.text
    chosen: list[Span] = []
    room = most
    for number in np.argsort(-shares, kind="stable").tolist():
        sentence = document.sentences[number]
        matters = shares[number] >= _BEARING * shares.max()
        if not chosen or (matters and sentence.end - sentence.start <= room):
            chosen.append(sentence)
            room -= sentence.end - sentence.start
    return " ".join(document.text_of(span) for span in sorted(chosen, key=lambda span: span.start))
