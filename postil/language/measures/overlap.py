"""What two texts share word by word: in phrases, as Text::Similarity counts, and by spelling.

*Soft cardinality* (Jimenez, Becerra & Gelbukh 2012, 2013) counts a text's distinct words, those spelled alike
as less than two: |A|' = Σᵢ wᵢ / Σⱼ s(aᵢ, aⱼ)ᵖ, s the share of letter groups that two words have in common.
This way a misspelling costs little.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from math import sqrt

import numpy as np
from scipy.sparse import csr_array

from postil.language.document import Document
from postil.language.words.spaces import idf

_DROPPED = str.maketrans(dict.fromkeys('.;:,?!(){}"`$%@<>_', " "))
_LONE_APOSTROPHE = re.compile(r"(?<!\w)'|'(?!\w)")
# The power in soft cardinality: the greater it is, the less half-alike words count as one.
POWER = 2.0
# Up to this many words, remembered pairs are faster than matrices, which are made this many rows at a time.
_FEW_WORDS = 100
_BLOCK = 256
_NOT_WORDS = frozenset(("PUNCT", "SYM", "SPACE"))


@dataclass(frozen=True, slots=True)
class Overlap:
    """How much two texts share: words in common, F-measure, Lesk (squared phrase lengths) and cosine."""

    count: int
    f1: float
    lesk: float
    cosine: float


NO_OVERLAP = Overlap(0, 0.0, 0.0, 0.0)


def overlap_words(text: str) -> list[str]:
    """Split a text into lower-cased words: punctuation parts them, inner apostrophes and hyphens do not."""
    spaced = text.lower().translate(_DROPPED)
    return _LONE_APOSTROPHE.sub(" ", spaced).replace("--", " ").split()


def shared_phrases(first: Sequence[str], second: Sequence[str]) -> list[int]:
    """Lengths of the phrases two word sequences share, the longest taken first and each word used once.

    Among equally long phrases the leftmost in `first` is taken; the choice can change what remains to match.
    """
    indices: dict[str, list[int]] = defaultdict(list)
    for j, word in enumerate(second):
        indices[word].append(j)
    matches = [(i, j) for i, word in enumerate(first) for j in indices.get(word, ())]
    lengths = []
    while matches:
        # Runs are measured from their last word backwards: a match continues the one down and right of it.
        run: dict[tuple[int, int], int] = {}
        for i, j in reversed(matches):
            run[i, j] = 1 + run.get((i + 1, j + 1), 0)
        start_i, start_j = min(matches, key=lambda match: (-run[match], match))
        length = run[start_i, start_j]
        lengths.append(length)
        matches = [
            (i, j)
            for i, j in matches
            if not start_i <= i < start_i + length and not start_j <= j < start_j + length
        ]
    return lengths


def overlap(first: Sequence[str], second: Sequence[str]) -> Overlap:
    """Measure the overlap of two word sequences.

    With s words shared in phrases of lengths k: F = 2s/(n₁+n₂), Lesk = Σk²/(n₁·n₂), cosine = s/√(n₁·n₂).
    """
    phrases = shared_phrases(first, second)
    if not phrases:
        return NO_OVERLAP
    shared, product = sum(phrases), len(first) * len(second)
    return Overlap(
        count=shared,
        f1=2 * shared / (len(first) + len(second)),
        lesk=sum(length * length for length in phrases) / product,
        cosine=shared / sqrt(product),
    )


@dataclass(frozen=True, slots=True)
class SoftOverlap:
    """The soft cardinalities of two texts and of what they share; the ratios are 0 where a text is empty."""

    first: float
    second: float
    shared: float

    @property
    def jaccard(self) -> float:
        """|A∩B|' / |A∪B|'."""
        return _ratio(self.shared, self.first + self.second - self.shared)

    @property
    def dice(self) -> float:
        """2 |A∩B|' / (|A|' + |B|')."""
        return _ratio(2 * self.shared, self.first + self.second)

    @property
    def cosine(self) -> float:
        """|A∩B|' / √(|A|' |B|')."""
        return _ratio(self.shared, sqrt(self.first * self.second))

    @property
    def first_covered(self) -> float:
        """|A∩B|' / |A|': how much of the first text is in the second."""
        return _ratio(self.shared, self.first)

    @property
    def second_covered(self) -> float:
        """|A∩B|' / |B|': how much of the second text is in the first."""
        return _ratio(self.shared, self.second)


RATIOS = ("jaccard", "dice", "cosine", "first_covered", "second_covered")


def soft_similarity(
    first: Document, second: Document, ratio: str = "dice", *, weighted: bool = False, power: float = POWER
) -> float:
    """One of RATIOS of two texts; the first three are the same both ways."""
    if ratio not in RATIOS:
        raise ValueError(f"{ratio!r} is not one of {', '.join(RATIOS)}")
    overlap = soft_overlap_of(soft_words(first), soft_words(second), weighted=weighted, power=power)
    return float(getattr(overlap, ratio))


def soft_words(document: Document) -> list[str]:
    """The distinct words of a text in lower case as they are spelled, function words among them."""
    return list(dict.fromkeys(token.text.lower() for token in document.tokens if token.pos not in _NOT_WORDS))


def soft_overlap_of(
    first: Sequence[str], second: Sequence[str], *, weighted: bool = False, power: float = POWER
) -> SoftOverlap:
    """The soft cardinalities of two lists of words and of what they share.

    |A∩B|' = |A|' + |B|' − |A∪B|', kept between 0 and the smaller of both; wᵢ = 1, or idf with `weighted`.
    """
    # Sorted, so that the sums are the same whichever text comes first.
    left, right = set(first), set(second)
    words = [*sorted(left - right), *sorted(left & right), *sorted(right - left)]
    weights = word_weights(words, weighted=weighted)
    starts = len(left - right), len(left)
    # One pass over all pairs of words: a row's part in the first text, in both and in the second are summed
    # apart, and each of the three cardinalities adds up the parts it needs.
    size = other_size = union = 0.0
    sums = _sums if len(words) <= _FEW_WORDS else _many_sums
    for row, (first_only, both, second_only) in enumerate(sums(words, starts, power)):
        union += weights[row] / (first_only + both + second_only)
        if row < starts[1]:
            size += weights[row] / (first_only + both)
        if row >= starts[0]:
            other_size += weights[row] / (both + second_only)
    return SoftOverlap(size, other_size, max(0.0, min(size + other_size - union, size, other_size)))


def _sums(words: Sequence[str], starts: tuple[int, int], power: float) -> Iterator[Sequence[float]]:
    """For each word, how alike it is to those before the first start, between the two and after, summed."""
    first, second = starts
    for word in words:
        row = [word_alike(word, other, power) for other in words]
        yield sum(row[:first]), sum(row[first:second]), sum(row[second:])


def _many_sums(words: Sequence[str], starts: tuple[int, int], power: float) -> Iterator[Sequence[float]]:
    """The same for long texts: shared letter groups are counted by one product of sparse matrices."""
    columns: dict[str, int] = {}
    rows = [[columns.setdefault(group, len(columns)) for group in letter_groups(word)] for word in words]
    sizes = np.array([len(row) for row in rows])
    indices = np.fromiter(chain.from_iterable(rows), dtype=np.int32)
    ends = np.concatenate(([0], np.cumsum(sizes)))
    groups = csr_array((np.ones(len(indices), np.float32), indices, ends), shape=(len(words), len(columns)))
    for start in range(0, len(words), _BLOCK):
        end = start + _BLOCK
        shared = (groups[start:end] @ groups.T).toarray()
        alike = (2.0 * shared / (sizes[start:end, None] + sizes)) ** power
        yield from np.stack([part.sum(axis=1) for part in np.split(alike, starts, axis=1)], axis=1).tolist()


def word_alike(first: str, second: str, power: float = POWER) -> float:
    """s(a, b)ᵖ, s = 2 · shared / all letter groups of two words (Dice), their ends marked; 1 for one word."""
    if first == second:
        return 1.0
    return _alike(first, second, power) if first < second else _alike(second, first, power)


@lru_cache(maxsize=1 << 14)
def _alike(first: str, second: str, power: float) -> float:
    groups, others = letter_groups(first), letter_groups(second)
    return float((2 * len(groups & others) / (len(groups) + len(others))) ** power)


@lru_cache(maxsize=1 << 11)
def letter_groups(word: str) -> frozenset[str]:
    """Every two to four letters in a row of a word, its start and its end marked: " ac", "acid", "id "."""
    # Only as many letters count as any word has: a page of one character would take seconds otherwise.
    padded = f" {word[:64]} "
    return frozenset(
        padded[start : start + length]
        for length in (2, 3, 4)
        for start in range(max(1, len(padded) - length + 1))
    )


def word_weights(words: Sequence[str], *, weighted: bool) -> list[float]:
    """What each word counts: 1, or its idf unless every one of them is 0."""
    weights = [max(0.0, weight) for weight in map(idf(), words)] if weighted else []
    return weights if any(weights) else [1.0] * len(words)


def _ratio(part: float, whole: float) -> float:
    """A share that rounding never takes beyond 1; 0 of nothing."""
    return min(1.0, part / whole) if whole > 0 else 0.0
