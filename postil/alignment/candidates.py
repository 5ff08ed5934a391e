"""Groups of chunks that may stand for one chunk of the other sentence."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from postil.alignment.words import Floats

_POSSIBLE = 0.08  # chance of being aligned from which a chunk may join a group
_MOST = 4  # chunks that are tried beside each other for one of the other sentence

Group = tuple[tuple[int, ...], tuple[int, ...]]


def groups(chances: Floats) -> Iterator[Group]:
    """Two chunks of one side with one of the other, where both may belong to it."""
    for column in range(chances.shape[1]):
        for two in _pairs(chances[:, column]):
            yield two, (column,)
    for row in range(chances.shape[0]):
        for two in _pairs(chances[row]):
            yield (row,), two


def _pairs(chances: Floats) -> Iterator[tuple[int, int]]:
    order = sorted(range(len(chances)), key=lambda place: -chances[place])[:_MOST]
    likely = sorted(place for place in order if chances[place] >= _POSSIBLE)
    yield from combinations(likely, 2)
