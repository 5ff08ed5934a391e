"""Similarity by the shape of the hierarchy: Leacock–Chodorow and Wu–Palmer.

Both take two lists of synsets of one part of speech, nouns or verbs, and give a matrix. Values are NLTK's,
whose choices are followed where the papers leave one: see the docs of each function.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from postil.language.words.ancestors import FAR, Group, ancestors, fewest_steps, keep_greatest, shared_groups
from postil.language.words.wordnet import Ints, wordnet

Floats = NDArray[np.float64]


@cache
def greatest_depth(part: int) -> int:
    """How deep the hierarchy of nouns (0) or verbs (1) goes; that of verbs counts its added root."""
    wn = wordnet()
    return int(wn.max_depth[wn.pos == part].max()) + part


def leacock_chodorow(rows: Ints, columns: Ints, *, normalised: bool = False) -> Floats:
    """−log((d + 1) / 2D): d steps by the shortest way, D the depth of the hierarchy.

    Identical synsets have d = 0. Never below 0, which two synsets at opposite ends could otherwise be.
    Normalised: divided by log 2D, the value of identical synsets.
    """
    if not len(rows) or not len(columns):
        return np.zeros((len(rows), len(columns)))
    depth = greatest_depth(int(wordnet().pos[rows[0]]))
    steps = np.arange(2 * FAR + 1)
    values = np.maximum(-np.log((steps + 1) / (2.0 * depth)), 0.0)
    if normalised:
        values /= values[0]
    return values[fewest_steps(rows, columns)]


def wu_palmer(rows: Ints, columns: Ints, *, normalised: bool = False) -> Floats:
    """2D / (d₁ + d₂ + 2D): D the depth of the lowest common ancestor, d₁ and d₂ the steps to it.

    The lowest common ancestor is the one whose shortest way to a root is longest; of several, one of the two
    synsets themselves, else the first by name. D is the longest way from it to a root and one more. Identical
    synsets have 1. Always within [0, 1].

    NLTK prefers only the first of the two synsets, so that its values depend on their order; and it gives
    identical synsets less than 1 where a parent's shortest way to the root is longer than their own.
    """
    del normalised  # it is already
    pairs = shared_groups(rows, columns)
    found = np.zeros((len(rows), len(columns)), dtype=np.uint16)
    order = _by_depth(pairs, rows, columns)
    for rank, (group, other) in enumerate(order, start=1):
        keep_greatest(found, group.places, other.places, rank)
    if not order:
        return np.zeros(found.shape)
    lowest = np.array([group.ancestor for group, _ in pairs], dtype=np.int32)
    places = {ancestor: place for place, ancestor in enumerate(lowest.tolist())}
    column = np.array([0, *(places[group.ancestor] for group, _ in order)])[found]
    depths = 2.0 * (ancestors().max_depth[lowest] + 1.0)
    row_steps, column_steps = (
        _steps(len(rows), [one for one, _ in pairs]),
        _steps(len(columns), [one for _, one in pairs]),
    )
    steps = row_steps[np.arange(len(rows))[:, None], column] + column_steps[np.arange(len(columns)), column]
    depth = depths[column]
    values = np.where(found > 0, depth / (steps + depth), 0.0)
    values[rows[:, None] == columns] = 1.0
    return values


def _by_depth(pairs: list[tuple[Group, Group]], rows: Ints, columns: Ints) -> list[tuple[Group, Group]]:
    """The shared ancestors from the highest to the lowest, later ones to be preferred.

    After all of one depth come those that are one of the two synsets themselves, cut to its row or column.
    """
    table = ancestors()
    row_places = {synset: place for place, synset in enumerate(rows.tolist())}
    column_places = {synset: place for place, synset in enumerate(columns.tolist())}
    blocks: list[tuple[tuple[int, bool, int], Group, Group]] = []
    for group, other in pairs:
        one = group.ancestor
        depth, name = int(table.min_depth[one]), -int(table.name_order[one])
        blocks.append(((depth, False, name), group, other))
        if one in row_places:
            blocks.append(((depth, True, name), _only(group, row_places[one]), other))
        if one in column_places:
            blocks.append(((depth, True, name), group, _only(other, column_places[one])))
    blocks.sort(key=lambda block: block[0])
    return [(group, other) for _, group, other in blocks]


def _only(group: Group, place: int) -> Group:
    kept = group.places == place
    return Group(group.ancestor, group.places[kept], group.up[kept], group.path[kept])


def _steps(size: int, found: list[Group]) -> NDArray[np.uint16]:
    """The steps, by any way, from each synset to each of the ancestors."""
    table = np.zeros((size, len(found)), dtype=np.uint16)
    for column, group in enumerate(found):
        table[group.places, column] = group.path
    return table
