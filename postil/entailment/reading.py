"""A text and a hypothesis read side by side: which words support which, which numbers, which opposites."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

import numpy as np

from postil.data.arrays import Floats
from postil.language.document import Document, Quantity, Span, Token
from postil.language.measures.matching import Opposition, Word, match, opposition, relation, word_of
from postil.language.words.relations import Relation, word_relation
from postil.language.words.spaces import idf
from postil.language.words.wordnet import wordnet

# Names that are not spelt alike and still support each other: misspelt ones, and places inside places.

_LEAST_LETTERS = 5  # shorter names with one letter changed are other names
_STEPS = 4  # from a town to its continent


def supports_name(given: str, wanted: str) -> bool:
    """Whether a text's name will do for a hypothesis's: the same but for a letter, or a place in it."""
    given, wanted = given.lower(), wanted.lower()
    return is_near(given, wanted) or not _wholes(given).isdisjoint(_senses(wanted))


@lru_cache(maxsize=1 << 15)
def is_near(one: str, other: str) -> bool:
    """Whether one letter put in, left out or changed makes one long name of the other."""
    shorter, longer = sorted((one, other), key=len)
    if len(shorter) < _LEAST_LETTERS or len(longer) - len(shorter) > 1 or not (one + other).isalpha():
        return False
    same = next((at for at, letter in enumerate(shorter) if letter != longer[at]), len(shorter))
    step = len(longer) == len(shorter)
    return shorter[same + step :] == longer[same + 1 :]


@lru_cache(maxsize=1 << 13)
def _senses(name: str) -> frozenset[int]:
    return frozenset(wordnet().synsets(name, "n"))


@lru_cache(maxsize=1 << 13)
def _wholes(name: str) -> frozenset[int]:
    """What a place is in, and what that is in."""
    found: set[int] = set()
    edge = set(_senses(name))
    for _ in range(_STEPS):
        edge = {whole for sense in edge for whole in wordnet().related(sense, "part_holonym")} - found
        found |= edge
    return frozenset(found)


# How well a word of the text supports one of the hypothesis: the same, a synonym, its kin, a kind of it.


# A word of the text that is a kind of the hypothesis's: a poodle is a dog.
_KIND_OF = 0.7
_NAME = 0.8  # a name with a letter wrong, or a place for the one that it is in
_LIGHT = 0.1  # weight of a word that every text has
_RAREST = 9.0  # rareness from which on words weigh 1


@lru_cache(maxsize=1 << 15)
def weight(lemma: str) -> float:
    """How much a word counts: its rareness, from 0.1 to 1."""
    return max(_LIGHT, min(idf()(lemma), _RAREST) / _RAREST)


def support(text: Sequence[Token], wanted: Sequence[Token]) -> Floats:
    """How well each word of a text (a column) supports each word of the hypothesis (a row), from 0 to 1."""
    words, given = [_compared(token) for token in wanted], [_compared(token) for token in text]
    found = np.array([[_supports(other, word) for other in given] for word in words])
    names = [column for column, token in enumerate(text) if token.pos == "PROPN"]
    for row in (row for row, token in enumerate(wanted) if token.pos == "PROPN"):
        if found[row].max() == 0:
            found[row, names] = [_NAME * supports_name(given[column][0], words[row][0]) for column in names]
    return found


def _compared(token: Token) -> Word:
    """A token as it is compared: initials with or without full stops are one word."""
    lemma, part, form = word_of(token)
    return lemma.replace(".", "") or lemma, part, form.replace(".", "") or form


@lru_cache(maxsize=1 << 18)
def _supports(given: Word, wanted: Word) -> float:
    if given[0] == wanted[0] or given[2] == wanted[2]:
        return 1.0
    known = match(given, wanted)
    if known or not given[1] or given[1] != wanted[1] or relation(given, wanted) is Relation.OPPOSITE:
        return known
    kind = word_relation(given[:2], wanted[:2])
    return _KIND_OF if kind is Relation.MORE_SPECIFIC else 0.0


# Numbers, years and quantities of a hypothesis: which the text has, lacks, or gives otherwise.

_MORE = frozenset(("more", "over", "above", "least", "exceed", "exceeding"))
_LESS = frozenset(("less", "under", "below", "most", "fewer", "within"))
_ABOUT = frozenset(("about", "around", "nearly", "almost", "approximately", "roughly", "some", "circa"))
_BEFORE = 3  # words before a number that can say so: "more than", "at least about"
_ROUND = 0.1  # how far from each other two round numbers may be
_SAME = 1e-6
_YEARS = (1000.0, 2100.0)


class Outcome(Enum):
    """What the text says of a number of the hypothesis."""

    SUPPORTED = "supported"
    MISSING = "missing"
    CONTRADICTED = "contradicted"


@dataclass(frozen=True, slots=True)
class Compared:
    """A number of the hypothesis, what the text says of it, and the text's number that says so."""

    wanted: Quantity
    outcome: Outcome
    given: Quantity | None = None


def compare_numbers(text: Document, hypothesis: Document) -> tuple[Compared, ...]:
    """Every number of the hypothesis beside those of the text."""
    return tuple(_compared_number(text, hypothesis, wanted) for wanted in hypothesis.quantities)


def _compared_number(text: Document, hypothesis: Document, wanted: Quantity) -> Compared:
    bound, _ = _bound(hypothesis, wanted)
    for given in text.quantities:
        if _comparable(wanted, given) and _implies(text, given, bound, wanted):
            return Compared(wanted, Outcome.SUPPORTED, given)
    written = _digits(hypothesis, wanted)
    if any(written == token.text for token in text.tokens):  # inside a name or a date that is no quantity
        return Compared(wanted, Outcome.SUPPORTED)
    rival = next((given for given in text.quantities if _rivals(text, given, hypothesis, wanted)), None)
    return Compared(wanted, Outcome.CONTRADICTED if rival else Outcome.MISSING, rival)


def _digits(document: Document, quantity: Quantity) -> str:
    return document.tokens[quantity.start].text


def _bound(document: Document, quantity: Quantity) -> tuple[str, bool]:
    """Whether a number is a bound ("more", "less") or exact (""), and whether it is only about right."""
    before = [
        token.lemma.lower() for token in document.tokens[max(0, quantity.start - _BEFORE) : quantity.start]
    ]
    about = any(word in _ABOUT for word in before)
    for kind, words in (("more", _MORE), ("less", _LESS)):
        if any(word in words for word in before):
            return kind, about
    return "", about


def _comparable(one: Quantity, other: Quantity) -> bool:
    return one.unit == other.unit or not one.unit or not other.unit


def _implies(text: Document, given: Quantity, bound: str, wanted: Quantity) -> bool:
    """Whether the text's number makes the hypothesis's true: 12 is more than 10, over 12 is not 12."""
    own, about = _bound(text, given)
    same = abs(given.value - wanted.value) <= _SAME * max(1.0, abs(wanted.value))
    if not bound:
        # "Nearly 12" and "over 12" are taken for 12, as the challenges' annotators do; "under 12" is not.
        near = abs(given.value - wanted.value) <= _ROUND * abs(wanted.value)
        return (same and own != "less") or (about and near)
    if given.unit != wanted.unit:
        return same
    if bound == "more":
        return own != "less" and given.value >= wanted.value
    return own != "more" and given.value <= wanted.value


def _rivals(text: Document, given: Quantity, hypothesis: Document, wanted: Quantity) -> bool:
    """Whether two different numbers are of the same thing: both years, or the same unit, or the same noun."""
    if all(_is_year(document, one) for document, one in ((text, given), (hypothesis, wanted))):
        return True
    ours, theirs = _counted(hypothesis, wanted), _counted(text, given)
    if ours and ours == theirs:
        return True
    return bool(wanted.unit) and wanted.unit == given.unit and not ours


def _is_year(document: Document, quantity: Quantity) -> bool:
    written = _digits(document, quantity)
    return (
        not quantity.unit
        and len(written) == 4
        and written.isdigit()
        and _YEARS[0] <= quantity.value <= _YEARS[1]
    )


def _counted(document: Document, quantity: Quantity) -> str:
    """The noun that a number counts, if it counts one."""
    tokens = document.tokens
    head = tokens[tokens[quantity.start].head]
    counts = tokens[quantity.start].relation in ("nummod", "amod", "det")
    return head.lemma.lower() if counts and head.pos == "NOUN" else ""


# The sentences of a text: what their pronouns and short names stand for, which bear on a hypothesis.

_PERSON = frozenset(("he", "him", "his", "himself", "she", "her", "hers", "herself"))
_THING = frozenset(("it", "its", "itself"))
_SEVERAL = frozenset(("they", "them", "their", "theirs", "themselves"))
_PRONOUNS = _PERSON | _THING | _SEVERAL
_SUBJECTS = frozenset(("nsubj", "nsubj:pass"))

_BEARING = 0.3  # a sentence bears on a hypothesis that supports this share of what the best one does

Thing = tuple[int, ...]  # the tokens of a name, or a noun


def mentions(document: Document) -> dict[int, Thing]:
    """What pronouns and short names stand for: the token of each, and the tokens of what was named before.

    "Clinton" is the Bill Clinton of an earlier place; "he" is the last person who was a subject, or the last
    one named; "it" and "they" are so with things of their number.
    """
    tokens = document.tokens
    things = list(_things(tokens))
    found: dict[int, Thing] = {}
    for token in tokens:
        word = token.text.lower()
        if word in _PRONOUNS:
            fitting = [one for one in things if one[-1] < token.index and _fits(tokens[one[-1]], word)]
            subjects = [one for one in fitting if any(tokens[index].relation in _SUBJECTS for index in one)]
            chosen: Thing = (subjects or fitting or [()])[-1]
        elif token.pos == "PROPN":
            fuller = (one for one in things if len(one) > 1 and one[-1] < token.index)
            chosen = next((one for one in fuller if _has(tokens, one, word)), ())
        else:
            continue
        if chosen:
            found[token.index] = chosen
    return found


def _things(tokens: Sequence[Token]) -> Iterator[Thing]:
    """What a pronoun can stand for, in order: names, all their words; other nouns, the last of a compound."""
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


def _has(tokens: Sequence[Token], thing: Thing, word: str) -> bool:
    return any(tokens[index].text.lower() == word for index in thing)


def _fits(last: Token, pronoun: str) -> bool:
    """Whether a pronoun can stand for a name or a noun: one person, one thing, or several."""
    several = last.tag in ("NNS", "NNPS")
    if pronoun in _SEVERAL:
        return several
    return not several and (pronoun in _THING or last.pos == "PROPN")


def sentence_support(document: Document, table: Floats, weights: Floats) -> Floats:
    """How much of the hypothesis each sentence supports, as a weighted share of its words.

    `table` says how well each token of the text supports each word of the hypothesis.
    """
    if not weights.size:
        return np.zeros(len(document.sentences))
    shares = [table[:, one.start : one.end].max(axis=1, initial=0.0) @ weights for one in document.sentences]
    found: Floats = np.array(shares) / weights.sum()
    return found


def condensed(document: Document, shares: Floats, most: int) -> str:
    """A text too long to be read at once: the sentences that bear most on the hypothesis, in their order.

    A text of at most so many tokens stays whole.
    """
    if len(document.tokens) <= most:
        return document.text
    kept: list[Span] = []
    room = most
    for place in np.argsort(-shares, kind="stable").tolist():
        sentence = document.sentences[place]
        bears = shares[place] >= _BEARING * shares.max()
        if not kept or (bears and sentence.end - sentence.start <= room):
            kept.append(sentence)
            room -= sentence.end - sentence.start
    return " ".join(document.text_of(one) for one in sorted(kept, key=lambda one: one.start))


FOUND = 0.5  # support from which on a word counts as found in the text


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """A pair as it was read; rows are the hypothesis's content words, columns the text's tokens."""

    text: Document
    hypothesis: Document
    wanted: tuple[Token, ...]  # the hypothesis's content words
    weights: Floats
    table: Floats  # how well each token of the text supports each of them
    shares: Floats  # how much of them each sentence of the text supports
    links: Mapping[int, Sequence[int]]  # what pronouns and short names of the text stand for
    numbers: tuple[Compared, ...]
    opposed: Opposition

    @property
    def best(self) -> Floats:
        """How well each content word of the hypothesis is supported anywhere in the text."""
        found: Floats = self.table.max(axis=1, initial=0.0)
        return found

    @property
    def sentence(self) -> int:
        """The sentence that bears most on the hypothesis; -1 for a text without any."""
        return int(self.shares.argmax()) if len(self.shares) else -1

    def places(self, row: int) -> list[int]:
        """The tokens of the text that support a content word of the hypothesis."""
        found: list[int] = np.flatnonzero(self.table[row] >= FOUND).tolist()
        return found


def read_pair(text: Document, hypothesis: Document) -> Reading:
    """Compare the words of a text and a hypothesis."""
    wanted, given = hypothesis.content_words, text.content_words
    table = np.zeros((len(wanted), len(text.tokens)))
    if wanted and given:
        table[:, [token.index for token in given]] = support(given, wanted)
    numbers = compare_numbers(text, hypothesis)
    _support_numbers(table, wanted, numbers)
    weights = np.array([weight(token.lemma.lower()) for token in wanted])
    links = mentions(text)
    for index, thing in links.items():  # a pronoun supports what its name does
        table[:, index] = np.maximum(table[:, index], table[:, thing].max(axis=1, initial=0.0))
    return Reading(
        text,
        hypothesis,
        wanted,
        weights,
        table,
        sentence_support(text, table, weights),
        links,
        numbers,
        opposition(text, hypothesis),
    )


def _support_numbers(table: Floats, wanted: Sequence[Token], numbers: Sequence[Compared]) -> None:
    """A number of the hypothesis that the text has in another form supports its word: twelve, 12."""
    for one in numbers:
        if one.outcome is Outcome.SUPPORTED and one.given is not None:
            for row, token in enumerate(wanted):
                if one.wanted.start <= token.index < one.wanted.end:
                    table[row, one.given.start] = 1.0
