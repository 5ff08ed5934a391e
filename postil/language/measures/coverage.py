"""How much of a reference an answer covers: word vectors matched greedily, weighted by rareness.

Words that the question has already said count little (they are *demoted*): an answer that repeats them has
not answered yet. Formulas are in docs/reference/measures.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from postil.data.arrays import Floats, Numbers, Singles
from postil.language.network import WIDTH
from postil.language.pieces import Pieces
from postil.language.words.spaces import idf

COVERAGE = (
    "recall", "new_recall", "newer_recall", "missing", "mostly_missing", "weakest",
    "precision", "new_precision", "newer_precision", "extra",
    "question_share", "new_weight", "reference_weight",
)  # fmt: skip
_NOTHING = Pieces((), (), np.zeros(0, np.intp), np.zeros((0, WIDTH), np.float32))
_DEMOTED = 0.2  # what is left of the weight of a word that the question has
_LEAST = 1e-3
_ALIKE, _RATHER_ALIKE = 0.75, 0.6  # cosines from which a word counts as matched, and as nearly so


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """A text to match: its pieces and their weights.

    `plain` by rareness, `new` with the question's words demoted, `newer` the less the more a word is like one
    of the question's.
    """

    pieces: Pieces
    plain: Singles
    new: Singles
    newer: Singles
    like_question: Singles


def side(pieces: Pieces, question: Pieces) -> Side:
    """Weigh the pieces of a text by their words' rareness and by the question."""
    rareness = np.array([_rareness(word) for word in pieces.words], np.float32)
    counts = np.bincount(pieces.owners, minlength=len(pieces.words)) if len(pieces.owners) else np.ones(0)
    plain = (rareness / np.sqrt(np.maximum(counts, 1)))[pieces.owners].astype(np.float32) + _LEAST
    said = frozenset(question.words)
    repeated = np.array([word in said for word in pieces.words], bool)[pieces.owners]
    like = np.zeros(len(plain), np.float32)
    if len(question.vectors) and len(plain):
        like = (pieces.vectors @ question.vectors.T).max(axis=1)
    newer = plain * np.clip(1 - like, _LEAST, 1)
    return Side(pieces, plain, np.where(repeated, plain * _DEMOTED, plain), newer, like)


@dataclass(frozen=True, slots=True, eq=False)
class Crowd:
    """Several texts' pieces in one row, so that all are matched at once; those without words are left out."""

    count: int
    full: Numbers  # the indices of texts that have words
    starts: Numbers
    vectors: Singles
    plain: Singles
    new: Singles
    newer: Singles
    like_question: Singles

    def mean(self, values: NDArray[np.float32 | np.bool_], weights: Singles) -> Floats:
        """For each text the weighted mean of its pieces' values."""
        sums = np.add.reduceat(values * weights, self.starts)
        return np.asarray(sums / np.add.reduceat(weights, self.starts), np.float64)


def crowd(sides: Sequence[Side]) -> Crowd:
    """Put texts together."""
    full = np.array([i for i, text in enumerate(sides) if len(text.plain)], np.intp)
    texts = [sides[i] for i in full] or [side(_NOTHING, _NOTHING)]
    starts = np.cumsum([0, *(len(text.plain) for text in texts[:-1])])
    columns = [(s.pieces.vectors, s.plain, s.new, s.newer, s.like_question) for s in texts]
    return Crowd(len(sides), full, starts, *map(np.concatenate, zip(*columns, strict=True)))


def coverage(reference: Side, answers: Crowd) -> Floats:
    """One row per answer, one column for each of `COVERAGE`; an answer without words covers nothing."""
    table = np.zeros((answers.count, len(COVERAGE)))
    table[:, [COVERAGE.index("missing"), COVERAGE.index("mostly_missing")]] = 1
    if not len(answers.full) or not len(reference.plain):
        return table
    cosines = reference.pieces.vectors @ answers.vectors.T
    # The best match of the reference's pieces in each answer, and of the answers' pieces in the reference.
    best = np.maximum.reduceat(cosines, answers.starts, axis=1)
    back = cosines.max(axis=0)
    weightiest = np.sort(best[reference.new >= np.median(reference.new)], axis=0)
    columns = (
        _mean(best, reference.plain),
        _mean(best, reference.new),
        _mean(best, reference.newer),
        _mean(best < _RATHER_ALIKE, reference.new),
        _mean(best < _ALIKE, reference.new),
        weightiest[: max(1, len(weightiest) // 3)].mean(axis=0),
        answers.mean(back, answers.plain),
        answers.mean(back, answers.new),
        answers.mean(back, answers.newer),
        answers.mean(back < _RATHER_ALIKE, answers.new),
        answers.mean(answers.like_question, answers.plain),
        np.log1p(np.add.reduceat(answers.new, answers.starts)),
        np.full(len(answers.full), np.log1p(reference.new.sum())),
    )
    table[answers.full] = np.stack(columns, axis=1)
    return table


def new_recall(reference: Side, answers: Crowd) -> Floats:
    """How much of what a text adds to the question each answer covers; one column of `coverage`."""
    recall = np.zeros(answers.count)
    if len(answers.full) and len(reference.plain):
        cosines = reference.pieces.vectors @ answers.vectors.T
        recall[answers.full] = _mean(np.maximum.reduceat(cosines, answers.starts, axis=1), reference.new)
    return recall


def _mean(values: NDArray[np.generic], weights: Singles) -> Floats:
    return np.asarray(weights @ values.astype(np.float32) / weights.sum(), np.float64)


@lru_cache(maxsize=1 << 15)
def _rareness(word: str) -> float:
    return float(idf()(word)) if any(map(str.isalnum, word)) else 0.0
