"""Similarity by information content: Resnik, Lin and Jiang–Conrath, on SemCor's counts.

A synset's count is how often it or anything below it was tagged in SemCor, and one more, so that none is 0;
the total is how many nouns, or verbs, were tagged, and one more. IC = −log(count / total): 0 for "entity",
most for what was never seen. Each function takes two lists of synsets of one part of speech and gives a
matrix.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from postil.language.words.ancestors import keep_greatest, shared_groups
from postil.language.words.wordnet import Ints, load_arrays, wordnet

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Information:
    """Counts and information content of nouns and verbs (0 for others), and the totals of the two."""

    counts: Floats
    content: Floats
    totals: tuple[float, float]


@cache
def information() -> Information:
    """The counts, loaded once."""
    raw, wn = load_arrays("information.npz"), wordnet()
    counts = raw["counts"].astype(np.float64) + 1.0
    totals = raw["totals"].astype(np.float64) + 1.0
    content = np.zeros(wn.size + 1)  # the last is the verbs' common root
    for part in (0, 1):
        here = np.flatnonzero(wn.pos == part)
        # log of the inverse, not minus log: "entity" has 0, not −0
        content[here] = np.log(totals[part] / counts[here])
    return Information(counts, content, (float(totals[0]), float(totals[1])))


def information_content(synset: int) -> float:
    """How much it says that something is of this kind: −log of its share of SemCor's nouns or verbs."""
    return float(information().content[synset])


def most_informative(rows: Ints, columns: Ints) -> Floats:
    """The information content of the common ancestor that has most, 0 where there is none."""
    content = information().content
    blocks = sorted(shared_groups(rows, columns), key=lambda block: content[block[0].ancestor])
    values = np.array([0.0, *(content[group.ancestor] for group, _ in blocks)])
    found = np.zeros((len(rows), len(columns)), dtype=np.uint16)
    for rank, (group, other) in enumerate(blocks, start=1):
        keep_greatest(found, group.places, other.places, rank)
    return values[found]


def resnik(rows: Ints, columns: Ints, *, normalised: bool = False) -> Floats:
    """IC of the most informative common ancestor. Normalised: divided by log T, the most IC can be."""
    values = most_informative(rows, columns)
    return values / np.log(_total(rows)) if normalised else values


def lin(rows: Ints, columns: Ints, *, normalised: bool = False) -> Floats:
    """2 · IC(common) / (IC₁ + IC₂); 1 for identical synsets, the root too. Always within [0, 1]."""
    del normalised  # it is already
    content = information().content
    both = content[rows][:, None] + content[columns]
    values = np.divide(2.0 * most_informative(rows, columns), both, out=np.zeros(both.shape), where=both > 0)
    values[rows[:, None] == columns] = 1.0
    return np.minimum(values, 1.0)


def jiang_conrath(rows: Ints, columns: Ints, *, normalised: bool = False) -> Floats:
    """1 / (IC₁ + IC₂ − 2 · IC(common)), at most 1 / log(T / (T − 1)) with T the total of the counts.

    That is the value of the smallest distance that two different counts can have; identical synsets and
    those at no distance get it. A root compared with another synset has 0. Normalised: 1 / (1 + distance).
    """
    content = information().content
    distance = content[rows][:, None] + content[columns] - 2.0 * most_informative(rows, columns)
    total = _total(rows)
    nearest = float(np.log(total / (total - 1.0)))
    same = rows[:, None] == columns
    root = ((content[rows][:, None] == 0.0) | (content[columns] == 0.0)) & ~same
    if normalised:
        values = 1.0 / (1.0 + np.where(distance < nearest, 0.0, distance))
    else:
        values = 1.0 / np.maximum(distance, nearest)
    values[same] = 1.0 if normalised else 1.0 / nearest
    values[root] = 0.0
    return values


def _total(synsets: Ints) -> float:
    """The total of the part of speech that the synsets are of."""
    return information().totals[int(wordnet().pos[synsets[0]])] if len(synsets) else 2.0
