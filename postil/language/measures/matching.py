"""Which words of two texts match (the same, synonyms, a family, opposites), and where the texts disagree.

Words are paired first. A pair can stand for a disagreement in two ways: its words are opposites, or one of
them is negated. Two disagreements in one clause cancel each other: "not connected to the negative terminal"
says much the same as "connected to the positive terminal".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import repeat
from operator import xor

from postil.language.document import Document, Negation, Token
from postil.language.negation import is_prefixed
from postil.language.words.relations import Relation, word_relation
from postil.language.words.wordnet import wordnet

# How well words so related match; other words do not match.
MATCHES: Mapping[Relation, float] = {Relation.SAME: 1.0, Relation.SYNONYM: 0.9, Relation.DERIVED: 0.8}

# A participle is the verb and an adjective at once: "closed" is the opposite of "open" as the latter.
_PARTICIPLES = frozenset(("VBN", "VBG"))
_PREFIXES = ("un", "non", "dis", "in", "im", "il", "ir")
# Up to this many pairs of words, comparing them all is faster than an index.
_FEW_PAIRS = 4096
_MOST_PAIRED = 120  # words that carry meaning, of each text: every one is compared with every other
# Which pairs are made first; a word is in one pair only.
_STRENGTH = {Relation.SAME: 4, Relation.SYNONYM: 3, Relation.OPPOSITE: 2, Relation.DERIVED: 1}
# Dependents that begin a clause of their own, which can be true or false apart from the one above.
_CLAUSES = frozenset(("advcl", "ccomp", "csubj", "acl", "parataxis"))

Word = tuple[str, str, str]
"""A word as it is compared: lemma, WordNet's letter for its part of speech ("" if none), adjective form."""


def word_of(token: Token) -> Word:
    """A token as a word to be compared; lower case."""
    lemma = token.lemma.lower()
    form = token.text.lower() if token.tag in _PARTICIPLES else lemma
    return lemma, token.wordnet_letter, form


def relation(first: Word, second: Word) -> Relation | None:
    """SAME, SYNONYM, OPPOSITE or DERIVED, or None for words that are not so related; symmetric."""
    if first[0] == second[0] or first[2] == second[2]:
        return Relation.SAME
    return _related(first, second) if first < second else _related(second, first)


def match(first: Word, second: Word) -> float:
    """How well two words match, from 0 to 1; opposites do not."""
    related = relation(first, second)
    return MATCHES.get(related, 0.0) if related else 0.0


def relations(words: Sequence[Word], others: Sequence[Word]) -> Iterator[tuple[int, int, Relation]]:
    """The indices of all pairs of related words of two texts, and how they are related; in order."""
    candidates: Iterable[Iterable[int]] = repeat(range(len(others)))
    if len(words) * len(others) > _FEW_PAIRS:
        candidates = _sharing(words, others)
    for i, (word, indices) in enumerate(zip(words, candidates, strict=False)):
        for j in indices:
            related = relation(word, others[j])
            if related is not None:
                yield i, j, related


def _sharing(words: Sequence[Word], others: Sequence[Word]) -> Iterator[Iterable[int]]:
    """For each word, the indices of those that have anything in common with it."""
    index: defaultdict[int | str, list[int]] = defaultdict(list)
    for j, other in enumerate(others):
        for item in _reach(other):
            index[item].append(j)
    for word in words:
        yield sorted({j for item in _reach(word) if item in index for j in index[item]})


@lru_cache(maxsize=1 << 14)
def _related(first: Word, second: Word) -> Relation | None:
    # Nearly all pairs have nothing in common at all: finding that out first saves most of the time.
    if _reach(first).isdisjoint(_reach(second)):
        return None
    if _undone(first) & {second[0], second[2]} or _undone(second) & {first[0], first[2]}:
        return Relation.OPPOSITE
    if not first[1] or not second[1]:
        return None
    for reading, other in _readings(first, second):
        related = word_relation(reading, other)
        # The same form in two parts of speech is no match by itself: "light" the verb and the noun.
        if related in _STRENGTH and (related is not Relation.SAME or reading[1] == other[1]):
            return related
    return None


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


def _readings(first: Word, second: Word) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    """Pairs of readings to compare: of the same part of speech first, then the words as they are."""
    others = dict.fromkeys(_forms(second))
    for form in _forms(first):
        yield from ((form, other) for other in others if other[1] == form[1])
    if first[1] != second[1]:
        yield first[:2], second[:2]


@lru_cache(maxsize=1 << 11)
def _reach(word: Word) -> frozenset[int | str]:
    """Senses, forms, opposites and relatives of a word: words that match or oppose each other share some."""
    wn = wordnet()
    items: set[int | str] = {word[0], word[2], *_undone(word)}
    for form, part in _forms(word) if word[1] else ():
        senses = wn.synsets(form, part)
        items.update((form, *senses, *wn.base_forms(form, part)))
        heads = {head for sense in senses for head in wn.related(sense, "similar")}
        opposed = {synset for head in heads for synset in wn.related(head, "antonym")}
        relatives = [*wn.antonyms(form, part), *wn.derivations(form, part)]
        relatives += [lemma for synset in opposed for lemma in wn.lemmas(synset)]
        items.update(map(str.lower, relatives))
    return frozenset(items)


def negations_of(document: Document) -> tuple[Negation, ...]:
    """The negations of a text, less those of words that carry their own in a prefix.

    "Unconnected" is another word than "connected", its opposite; to call it negated as well would count it
    twice.
    """
    return tuple(n for n in document.negations if n.kind != "prefix" or n.cue != n.scope)


def bearings(document: Document) -> tuple[frozenset[int], ...]:
    """What each of `negations_of` bears on directly: "connected" alone in "not connected to the battery".

    They are the topmost words of its scope and those on a par with or completing them ("not move or flow").
    """
    return tuple(_topmost(document.tokens, frozenset(negation.scope)) for negation in negations_of(document))


def negated_heads(document: Document) -> frozenset[int]:
    """The words that negations bear on directly; two that bear on one word cancel each other."""
    return reduce(xor, bearings(document), frozenset())


def _topmost(tokens: tuple[Token, ...], scope: frozenset[int]) -> frozenset[int]:
    top: set[int] = set()
    for index in sorted(scope, key=lambda index: _depth(tokens, index)):
        head = tokens[index].head
        joined = head in top and tokens[index].relation.split(":")[0] in ("conj", "xcomp")
        if head == index or head not in scope or joined:
            top.add(index)
    return frozenset(top)


def _depth(tokens: tuple[Token, ...], index: int) -> int:
    """How many steps a token is below the root of its sentence."""
    steps = 0
    while tokens[index].head != index and steps < len(tokens):
        index = tokens[index].head
        steps += 1
    return steps


@dataclass(frozen=True, slots=True)
class WordPair:
    """A word of each text, whether the two are opposites, and which negations each is under."""

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
        count = 0
        for group in groups.values():
            first = frozenset[int]().union(*(pair.first_negations for pair in group))
            second = frozenset[int]().union(*(pair.second_negations for pair in group))
            disagreements = len(first) + len(second) + sum(pair.opposite for pair in group)
            count += len(group) if disagreements % 2 else 0
        return self._share(count)

    def _share(self, count: int) -> float:
        return count / len(self.pairs) if self.pairs else 0.0


def opposition(first: Document, second: Document) -> Opposition:
    """The words of two texts that belong together and how they disagree; the shares are equal both ways."""
    left, right = _negations_over(first), _negations_over(second)
    pairs = []
    for i, j, opposite in _paired_words(first, second):
        clauses = clause_of(first.tokens, i), clause_of(second.tokens, j)
        pairs.append(WordPair(i, j, opposite, left[i], right[j], clauses))
    return Opposition(tuple(pairs))


def _paired_words(first: Document, second: Document) -> list[tuple[int, int, bool]]:
    """Pair words one to one, the closest first; of equals, those with like neighbours, then the foremost."""
    words, others = (_content_words(document)[:_MOST_PAIRED] for document in (first, second))
    candidates: list[tuple[tuple[int, ...], int, int, bool]] = []
    for i, j, related in relations([word_of(token) for token in words], [word_of(token) for token in others]):
        word, other = words[i], others[j]
        same_head = first.tokens[word.head].lemma.lower() == second.tokens[other.head].lemma.lower()
        likeness = 2 * same_head + (word.relation == other.relation)
        # This order does not change when the texts change places.
        order = word.index + other.index, abs(word.index - other.index), word.index
        rank = -10 * _STRENGTH[related] - likeness, *order
        candidates.append((rank, word.index, other.index, related is Relation.OPPOSITE))
    taken: set[int] = set()
    matched: set[int] = set()
    pairs: list[tuple[int, int, bool]] = []
    for _, i, j, opposite in sorted(candidates):
        if i not in taken and j not in matched:
            taken.add(i)
            matched.add(j)
            pairs.append((i, j, opposite))
    return sorted(pairs)


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


def _negations_over(document: Document) -> defaultdict[int, frozenset[int]]:
    """The numbers of the negations that each word is under."""
    under: defaultdict[int, frozenset[int]] = defaultdict(frozenset)
    for number, negation in enumerate(negations_of(document)):
        for index in negation.scope:
            under[index] |= {number}
    return under


def _content_words(document: Document) -> list[Token]:
    """The content words, without "never" and "lack": those are in the polarity of other words.

    A word with a negative prefix is a word of its own.
    """
    cues = {index for negation in document.negations if negation.kind != "prefix" for index in negation.cue}
    return [token for token in document.content_words if token.index not in cues]


def _says(tokens: Sequence[Token], index: int) -> bool:
    """Whether a conjunct is a clause: a verb, or a word that has a subject or a copula."""
    return tokens[index].pos in ("VERB", "AUX") or any(
        token.head == index and token.relation.split(":")[0] in ("nsubj", "cop") for token in tokens
    )
