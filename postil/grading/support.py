"""The words of an answer that make a claim or contradict it: the clauses whose words stand for the claim's.

A claim may be made in several clauses, and then each has its span. One that is made only by implication, in
words that stand for none of its own, has no span.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from postil.alignment.features import Pair
from postil.data.arrays import Bools, Floats
from postil.data.judgements import Spans
from postil.grading.facets import clauses
from postil.language.document import Document

# The likeness from which a word can stand for another, and the shares of a claim that must be covered: for
# any span at all, of what the whole answer covers, and for a further clause to count.
_ALIKE, _LEAST, _ENOUGH, _FURTHER = 0.5, 0.3, 0.85, 0.1
_LONG_CLAUSE = 10  # words; of a longer one only as much is shown as covers the same
_LINKS = frozenset(("CCONJ", "SCONJ", "PUNCT", "SPACE", "SYM"))


def support(pair: Pair, tokens: Sequence[int]) -> Spans:
    """The characters of the answer (the first of the pair) that speak of these words of the reference."""
    answer = pair.first.document
    likeness, weights = _likeness(pair, tokens)
    if not likeness.size or not weights.sum():
        return ()
    whole = _covered(likeness, weights)
    if whole < _LEAST:
        return ()
    parts = [list(clause.tokens) for clause in clauses(answer)]
    chosen: list[list[int]] = []
    covered = 0.0
    while covered < _ENOUGH * whole:
        gains = [_covered(likeness[sum(chosen, part)], weights) - covered for part in parts]
        best = int(np.argmax(gains)) if gains else 0
        if not gains or gains[best] < _FURTHER:
            break
        covered += gains[best]
        chosen.append(_narrowed(answer, parts.pop(best), likeness, weights))
    runs = [run for part in chosen for run in _runs(answer, part)]
    return tuple(sorted((answer.tokens[run[0]].start, answer.tokens[run[-1]].end) for run in runs))


def _likeness(pair: Pair, tokens: Sequence[int]) -> tuple[Floats, Floats]:
    """How alike the answer's words are to those of the claim, where they can stand for them; and weights."""
    marks = pair.second.marks
    columns = [token for token in tokens if marks.content[token]] or list(tokens)
    cosines = np.asarray(pair.matrices["cosine"][:, columns], float)
    alike: Bools = pair.matrices["alike"][:, columns] > 0
    likeness = np.where(alike, 1.0, np.where(cosines >= _ALIKE, cosines, 0.0))
    said = pair.first.marks.content | (pair.first.marks.denying > 0)
    return np.where(said[:, None], likeness, 0.0), np.asarray(pair.second.weights[columns], float)


def _covered(likeness: Floats, weights: Floats) -> float:
    """The share of the claim that some words of the answer cover."""
    return float(likeness.max(axis=0, initial=0.0) @ weights / weights.sum())


def _narrowed(answer: Document, part: list[int], likeness: Floats, weights: Floats) -> list[int]:
    """A long clause from the first to the last chunk with words of the claim, with what denies it."""
    if len(part) <= _LONG_CLAUSE:
        return part
    cues = {index for negation in answer.negations for index in negation.cue}
    told = [index for index in part if likeness[index].any() or index in cues]
    first, last = told[0], told[-1]
    for chunk in answer.chunks:
        if chunk.start <= first < chunk.end:
            first = chunk.start
        if chunk.start <= last < chunk.end:
            last = chunk.end - 1
    kept = [index for index in part if first <= index <= last]
    return kept if _covered(likeness[kept], weights) >= _covered(likeness[part], weights) else part


def _runs(answer: Document, part: Iterable[int]) -> Iterator[list[int]]:
    """The unbroken runs of words, without what only links them to others, where they say something."""
    runs: list[list[int]] = []
    for index in sorted(part):
        if runs and index == runs[-1][-1] + 1:
            runs[-1].append(index)
        else:
            runs.append([index])
    for run in runs:
        while run and answer.tokens[run[0]].pos in _LINKS:
            run.pop(0)
        while run and answer.tokens[run[-1]].pos in _LINKS:
            run.pop()
        if any(answer.tokens[index].is_content for index in run):
            yield run
