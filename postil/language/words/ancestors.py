"""What nouns and verbs are kinds of, all the way up, and which ancestors many pairs of them share.

The hierarchy of verbs has many roots. All are put under one more, numbered `size`, one step above a verb's
farthest ancestor, so that every two verbs share an ancestor, as every two nouns do.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postil.language.words.wordnet import Ints, Links, load_arrays, wordnet

Bytes = NDArray[np.uint8]
FAR = 100  # more steps than any way through the hierarchy has, and twice as many still fit a byte
# Blocks that fill more of the matrix than this are quicker written whole, without indices.
_WIDE = 0.02


@dataclass(frozen=True, slots=True)
class Ancestors:
    """Row i of `rows` lists the ancestors of synset i, itself first.

    Beside each stand the steps up to it (`up`) and the steps by any way (`path`): fewer where it is quicker
    to go above the ancestor and down to it again. `min_depth` and `max_depth` include the verbs' common
    root. `name_order` is the alphabetical place of each synset's name, by which ties are settled.
    """

    rows: Links
    up: Bytes
    path: Bytes
    name_order: Ints
    min_depth: Bytes
    max_depth: Bytes


@dataclass(frozen=True, slots=True)
class Group:
    """An ancestor with the places of the synsets below it, in a list of synsets."""

    ancestor: int
    places: Ints
    up: Bytes
    path: Bytes


@cache
def ancestors() -> Ancestors:
    """The table of ancestors, loaded once."""
    arrays, wn = load_arrays("ancestors.npz"), wordnet()
    starts = np.zeros(wn.size + 1, dtype=np.int32)
    np.cumsum(arrays["lengths"], out=starts[1:])
    return Ancestors(
        rows=(starts, arrays["ancestors"].astype(np.int32)),
        up=arrays["up"],
        path=arrays["path"],
        name_order=arrays["name_order"].astype(np.int32),
        min_depth=np.append(wn.min_depth, np.uint8(0)),
        max_depth=np.append(wn.max_depth, np.uint8(0)),
    )


def gather(rows: Links, wanted: Ints) -> tuple[Ints, Ints]:
    """The places in `rows[1]` of all entries of the wanted rows, and which of the wanted each belongs to."""
    starts = rows[0]
    lengths = starts[wanted + 1] - starts[wanted]
    owners = np.repeat(np.arange(len(wanted), dtype=np.int32), lengths)
    before = np.cumsum(lengths) - lengths
    places = np.arange(len(owners), dtype=np.int32) + np.repeat(starts[wanted] - before, lengths)
    return places.astype(np.int32), owners


@dataclass(frozen=True, slots=True)
class _Sorted:
    """The ancestors of a list of synsets in order, and the bounds of the stretch that belongs to each."""

    ancestors: Ints
    bounds: Ints
    places: Ints
    up: Bytes
    path: Bytes

    def group(self, number: int) -> Group:
        stretch = slice(self.bounds[number], self.bounds[number + 1])
        ancestor = int(self.ancestors[number])
        return Group(ancestor, self.places[stretch], self.up[stretch], self.path[stretch])


def _sorted(synsets: Ints) -> _Sorted:
    table = ancestors()
    places, owners = gather(table.rows, synsets)
    found = table.rows[1][places]
    order = np.argsort(found, kind="stable")
    found, places = found[order], places[order]
    bounds = np.flatnonzero(np.diff(found, prepend=-1, append=-1)).astype(np.int32)
    return _Sorted(found[bounds[:-1]], bounds, owners[order], table.up[places], table.path[places])


def shared_groups(rows: Ints, columns: Ints) -> list[tuple[Group, Group]]:
    """The ancestors that both lists of synsets have, each with those of the one and of the other below it."""
    left, right = _sorted(rows), _sorted(columns)
    _, here, there = np.intersect1d(left.ancestors, right.ancestors, assume_unique=True, return_indices=True)
    return [(left.group(one), right.group(other)) for one, other in zip(here, there, strict=True)]


def keep_greatest(matrix: NDArray[np.uint16], rows: Ints, columns: Ints, value: int) -> None:
    """Raise the cells of a block to a value; blocks come in ascending order of their values."""
    if len(rows) * len(columns) < _WIDE * matrix.size:
        matrix[rows[:, None], columns] = value
        return
    left = np.zeros(matrix.shape[0], dtype=np.uint16)
    right = np.zeros(matrix.shape[1], dtype=np.uint16)
    left[rows], right[columns] = value, value
    np.maximum(matrix, np.minimum.outer(left, right), out=matrix)


def fewest_steps(rows: Ints, columns: Ints) -> Bytes:
    """The length of the shortest way between every two synsets; FAR or more where there is none."""
    size = len(rows), len(columns)
    matrix = np.full(size, 2 * FAR, dtype=np.uint8)
    for group, other in shared_groups(rows, columns):
        if len(group.places) * len(other.places) < _WIDE * matrix.size:
            cells = group.places[:, None], other.places
            matrix[cells] = np.minimum(matrix[cells], group.up[:, None] + other.up)
            continue
        left, right = _spread(size[0], group), _spread(size[1], other)
        np.minimum(matrix, np.add.outer(left, right), out=matrix)
    return matrix


def _spread(size: int, group: Group) -> Bytes:
    steps: NDArray[Any] = np.full(size, FAR, dtype=np.uint8)
    steps[group.places] = group.up
    return steps
