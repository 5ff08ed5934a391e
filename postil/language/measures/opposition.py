"""Opposition: where two texts use opposite words, or negate in one what the other says.

Words are paired first: the same, synonyms, of one family, or opposites. A pair can stand for a disagreement
in two ways, and two disagreements in one clause cancel each other: "not connected to the negative terminal"
says much the same as "connected to the positive terminal".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from postil.language.document import Document, Token
from postil.language.measures.matching import negations_of, relations, word_of
from postil.language.words.relations import Relation

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
