"""Which words of two texts match: the same word, synonyms, a family or opposites; and which are negated."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from postil.language.document import Document, Negation, Token
from postil.language.negation import is_prefixed
from postil.language.words.relations import Relation, word_relation
from postil.language.words.wordnet import wordnet

# How alike words so related count as; other words do not match.
MATCHES: Mapping[Relation, float] = {Relation.SAME: 1.0, Relation.SYNONYM: 0.9, Relation.DERIVED: 0.8}

# A participle is the verb and an adjective at once: "closed" is the opposite of "open" as the latter.
_PARTICIPLES = frozenset(("VBN", "VBG"))
_PREFIXES = ("un", "non", "dis", "in", "im", "il", "ir")
# Up to so many pairs of words, looking at each is faster than an index.
_FEW_PAIRS = 4096
_ALONG = frozenset(("conj", "xcomp"))

Word = tuple[str, str, str]
"""A word as it is compared: lemma, WordNet's letter for its part of speech ("" if none), adjective form."""


def word_of(token: Token) -> Word:
    """A token as a word to be compared; lower case."""
    lemma = token.lemma.lower()
    form = token.text.lower() if token.tag in _PARTICIPLES else lemma
    return lemma, token.wordnet_letter, form


def relation(one: Word, other: Word) -> Relation | None:
    """SAME, SYNONYM, OPPOSITE or DERIVED, or None for words that have nothing of these to do with each other.

    The same both ways: each is as much the opposite, the synonym or the relative of the other.
    """
    if one[0] == other[0] or one[2] == other[2]:
        return Relation.SAME
    return _related(one, other) if one < other else _related(other, one)


def match(one: Word, other: Word) -> float:
    """How well two words match, from 0 to 1; opposites do not."""
    found = relation(one, other)
    return MATCHES.get(found, 0.0) if found else 0.0


def relations(words: Sequence[Word], others: Sequence[Word]) -> Iterator[tuple[int, int, Relation]]:
    """The places of all pairs of related words of two texts, and how they are related; in order."""
    if len(words) * len(others) <= _FEW_PAIRS:
        candidates: Iterator[tuple[int, Iterable[int]]] = ((i, range(len(others))) for i in range(len(words)))
    else:
        candidates = _sharing(words, others)
    for i, places in candidates:
        for j in places:
            found = relation(words[i], others[j])
            if found is not None:
                yield i, j, found


def _sharing(words: Sequence[Word], others: Sequence[Word]) -> Iterator[tuple[int, Iterable[int]]]:
    """For each word, the places of those that have anything in common with it."""
    index: defaultdict[int | str, list[int]] = defaultdict(list)
    for j, other in enumerate(others):
        for item in _reach(other):
            index[item].append(j)
    for i, word in enumerate(words):
        yield i, sorted({j for item in _reach(word) if item in index for j in index[item]})


@lru_cache(maxsize=1 << 14)
def _related(one: Word, other: Word) -> Relation | None:
    # Nearly all pairs have nothing in common at all: finding that out first saves most of the time.
    if _reach(one).isdisjoint(_reach(other)):
        return None
    if _undone(one) & {other[0], other[2]} or _undone(other) & {one[0], one[2]}:
        return Relation.OPPOSITE
    if not one[1] or not other[1]:
        return None
    for first, second in _readings(one, other):
        found = word_relation(first, second)
        # The same form in two parts of speech is no match by itself: "light" the verb and the noun.
        if found in _KEPT and (found is not Relation.SAME or first[1] == second[1]):
            return found
    return None


_KEPT = (Relation.SAME, Relation.SYNONYM, Relation.OPPOSITE, Relation.DERIVED)


def _undone(word: Word) -> set[str]:
    """A word without its negative prefix, if it has one: connected for unconnected, metal for nonmetal."""
    form = word[2]
    if not is_prefixed(form, "ADJ"):
        return set()
    return {form.removeprefix(prefix).lstrip("-") for prefix in _PREFIXES if form.startswith(prefix)}


def _forms(word: Word) -> Iterator[tuple[str, str]]:
    """A word with each part of speech that it may be compared in."""
    lemma, part, form = word
    yield lemma, part
    # A noun and a verb that look alike nearly always mean alike: "a slap", "to slap"; "the increase".
    if part in "nv":
        yield lemma, "v" if part == "n" else "n"
    if form != lemma:
        yield form, "a"


def _readings(one: Word, other: Word) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    """Pairs of readings to compare: of the same part of speech first, then the words as they are."""
    others = dict.fromkeys(_forms(other))
    for form in _forms(one):
        yield from ((form, second) for second in others if second[1] == form[1])
    if one[1] != other[1]:
        yield one[:2], other[:2]


@lru_cache(maxsize=1 << 11)
def _reach(word: Word) -> frozenset[int | str]:
    """Senses, forms, opposites and relatives of a word: words that match or oppose each other share some."""
    wn = wordnet()
    found: set[int | str] = {word[0], word[2], *_undone(word)}
    if not word[1]:
        return frozenset(found)
    for form, part in _forms(word):
        senses = wn.synsets(form, part)
        found.update((form, *senses, *wn.base_forms(form, part)))
        found.update(text.lower() for text in (*wn.antonyms(form, part), *wn.derivations(form, part)))
        heads = {head for sense in senses for head in wn.related(sense, "similar")}
        opposed = {end for head in heads for end in wn.related(head, "antonym")}
        found.update(text.lower() for end in opposed for text in wn.lemmas(end))
    return frozenset(found)


def negations_of(document: Document) -> tuple[Negation, ...]:
    """The negations of a text, less those of words that carry their own in a prefix.

    "Unconnected" is another word than "connected", its opposite: to call it negated too would say it twice.
    """
    return tuple(
        negation
        for negation in document.negations
        if negation.kind != "prefix" or negation.cue != negation.scope
    )


def bearings(document: Document) -> tuple[frozenset[int], ...]:
    """What each of `negations_of` bears on directly: "connected" alone in "not connected to the battery".

    They are the topmost words of its scope and those on a par with or completing them ("not move or flow").
    """
    return tuple(_topmost(document.tokens, frozenset(one.scope)) for one in negations_of(document))


def negated_heads(document: Document) -> frozenset[int]:
    """The words that negations bear on directly; two that bear on one word cancel each other."""
    heads: frozenset[int] = frozenset()
    for found in bearings(document):
        heads ^= found
    return heads


def _topmost(tokens: tuple[Token, ...], scope: frozenset[int]) -> frozenset[int]:
    found: set[int] = set()
    for index in sorted(scope, key=lambda place: _depth(tokens, place)):
        head = tokens[index].head
        joined = tokens[index].relation.split(":")[0] in _ALONG and head in found
        if head == index or head not in scope or joined:
            found.add(index)
    return frozenset(found)


def _depth(tokens: tuple[Token, ...], index: int) -> int:
    """How many steps a token is below the root of its sentence."""
    steps = 0
    while tokens[index].head != index and steps < len(tokens):
        index = tokens[index].head
        steps += 1
    return steps


# Opposition: where two texts use opposite words, or negate in one what the other says.
#
# Words are paired first: the same, synonyms, of one family, or opposites. A pair can stand for a
# disagreement in two ways, and two disagreements in one clause cancel each other: "not connected to the
# negative terminal" says much the same as "connected to the positive terminal".

# Which pairs are made first; a word is in one pair only.
_STRENGTH = {Relation.SAME: 4, Relation.SYNONYM: 3, Relation.OPPOSITE: 2, Relation.DERIVED: 1}
# Dependents that begin a clause of their own, which can be true or false apart from the one above.
_CLAUSES = frozenset(("advcl", "ccomp", "csubj", "acl", "parataxis"))
_VERBAL = frozenset(("VERB", "AUX"))


@dataclass(frozen=True, slots=True)
class WordPair:
    """A word of each text that belong together: whether they are opposites, which negations each is under."""

    first: int
    second: int
    opposite: bool
    first_negations: frozenset[int] = frozenset()
    second_negations: frozenset[int] = frozenset()
    clauses: tuple[int, int] = (0, 0)

    @property
    def flipped(self) -> bool:
        """Whether one of the two is negated and the other is not."""
        return (len(self.first_negations) + len(self.second_negations)) % 2 == 1


@dataclass(frozen=True, slots=True)
class Opposition:
    """The word pairs of two texts and the shares of them that disagree; 0 where no words pair."""

    pairs: tuple[WordPair, ...]

    @property
    def opposites(self) -> float:
        """The share of pairs that are opposites: (opposite pairs) / (pairs)."""
        return self._share(sum(pair.opposite for pair in self.pairs))

    @property
    def polarity_clashes(self) -> float:
        """The share of pairs of matching words of which one is negated: (flipped, not opposite) / (pairs)."""
        return self._share(sum(pair.flipped and not pair.opposite for pair in self.pairs))

    @property
    def net_oppositions(self) -> float:
        """The share of pairs in clauses that disagree an odd number of times.

        Pairs are grouped by the two clauses they are in. A group disagrees once for each negation that its
        words are under, in either text, and once for each pair of opposites in it; even numbers cancel.
        """
        groups: defaultdict[tuple[int, int], list[WordPair]] = defaultdict(list)
        for pair in self.pairs:
            groups[pair.clauses].append(pair)
        return self._share(sum(len(group) for group in groups.values() if _disagreements(group) % 2))

    def _share(self, count: int) -> float:
        return count / len(self.pairs) if self.pairs else 0.0


def opposition(first: Document, second: Document) -> Opposition:
    """The words of two texts that belong together and how they disagree; the shares are equal both ways."""
    one, other = _Negated(first), _Negated(second)
    return Opposition(
        tuple(
            WordPair(
                token.index,
                match.index,
                opposite,
                one.under[token.index],
                other.under[match.index],
                (clause_of(first.tokens, token.index), clause_of(second.tokens, match.index)),
            )
            for token, match, opposite in pair_words(one.words, other.words, first.tokens, second.tokens)
        )
    )


def opposites(first: Document, second: Document) -> float:
    """The share of paired words that are opposites."""
    return opposition(first, second).opposites


def polarity_clashes(first: Document, second: Document) -> float:
    """The share of paired words that match but are negated in one text only."""
    return opposition(first, second).polarity_clashes


def net_oppositions(first: Document, second: Document) -> float:
    """The share of paired words in clauses that disagree, opposites and negations cancelling each other."""
    return opposition(first, second).net_oppositions


def pair_words(
    first: Sequence[Token], second: Sequence[Token], tokens: Sequence[Token], others: Sequence[Token]
) -> list[tuple[Token, Token, bool]]:
    """Pair words one to one, the closest first; of equals, those with like neighbours, then the foremost."""
    candidates: list[tuple[int, int, int, int, Token, Token, bool]] = []
    for i, j, found in relations([word_of(token) for token in first], [word_of(token) for token in second]):
        token, match = first[i], second[j]
        rank = -10 * _STRENGTH[found] - _likeness(token, match, tokens, others)
        # This order does not change when the texts change places.
        place = token.index + match.index, abs(token.index - match.index), token.index
        candidates.append((rank, *place, token, match, found is Relation.OPPOSITE))
    taken: set[int] = set()
    matched: set[int] = set()
    pairs: list[tuple[Token, Token, bool]] = []
    for *_, token, match, opposite in sorted(candidates, key=lambda candidate: candidate[:4]):
        if token.index not in taken and match.index not in matched:
            taken.add(token.index)
            matched.add(match.index)
            pairs.append((token, match, opposite))
    return sorted(pairs, key=lambda pair: pair[0].index)


def clause_of(tokens: Sequence[Token], index: int) -> int:
    """The head of the clause that a token is in."""
    for _ in tokens:
        token = tokens[index]
        kind = token.relation.split(":")[0]
        own = kind in _CLAUSES or (kind == "conj" and _says(tokens, index))
        if token.head == index or own:
            return index
        index = token.head
    return index


class _Negated:
    """A text's content words, cues of negation aside, and the negations that each is under."""

    def __init__(self, document: Document) -> None:
        self.under: defaultdict[int, frozenset[int]] = defaultdict(frozenset)
        for number, negation in enumerate(negations_of(document)):
            for index in negation.scope:
                self.under[index] |= {number}
        # "Never" and "lack" are in the polarity of other words; a word with a prefix is a word of its own.
        cues = {
            index for negation in document.negations if negation.kind != "prefix" for index in negation.cue
        }
        self.words = [token for token in document.tokens if token.is_content and token.index not in cues]


def _disagreements(group: Sequence[WordPair]) -> int:
    first = frozenset[int]().union(*(pair.first_negations for pair in group))
    second = frozenset[int]().union(*(pair.second_negations for pair in group))
    return len(first) + len(second) + sum(pair.opposite for pair in group)


def _likeness(token: Token, match: Token, tokens: Sequence[Token], others: Sequence[Token]) -> int:
    """How alike two words stand: under the same word, in the same relation."""
    same_head = tokens[token.head].lemma.lower() == others[match.head].lemma.lower()
    return 2 * same_head + (token.relation == match.relation)


def _says(tokens: Sequence[Token], index: int) -> bool:
    """Whether a conjunct is a clause: a verb, or a word that has a subject or a copula."""
    return tokens[index].pos in _VERBAL or any(
        token.head == index and token.relation.split(":")[0] in ("nsubj", "cop") for token in tokens
    )
