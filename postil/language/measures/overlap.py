"""Text overlap as Text::Similarity defines it: shared words counted in the longest phrases they form."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

_DROPPED = str.maketrans(dict.fromkeys('.;:,?!(){}"`$%@<>_', " "))
_LONE_APOSTROPHE = re.compile(r"(?<!\w)'|'(?!\w)")


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
    places: dict[str, list[int]] = defaultdict(list)
    for place, word in enumerate(second):
        places[word].append(place)
    matches = [(i, j) for i, word in enumerate(first) for j in places.get(word, ())]
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
