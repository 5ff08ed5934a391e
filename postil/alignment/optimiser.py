"""Choose the links worth most together, each chunk in at most one: exactly, by integer programming."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, linear_sum_assignment, milp
from scipy.sparse import csr_array

from postil.data.arrays import Floats

# Seconds for a large program; the solver looks at the clock only now and then.
TIME_LIMIT = 0.03
# Candidates up to which a program takes a few milliseconds: these are always solved, so that what else the
# machine does cannot change a result. From the second number on, building the program alone takes too long.
_SMALL, _LARGEST = 100, 300


@dataclass(frozen=True, slots=True)
class Candidate:
    """A link that may be drawn: chunk numbers of both sides (from 0), and what it is worth."""

    first: tuple[int, ...]
    second: tuple[int, ...]
    worth: float

    @property
    def chunks(self) -> Iterator[tuple[int, int]]:
        """The chunks it needs, as (side, number)."""
        yield from ((0, number) for number in self.first)
        yield from ((1, number) for number in self.second)


@dataclass(frozen=True, slots=True)
class Choice:
    """The links chosen, in the order of the sentence, and whether nothing better was possible."""

    links: tuple[Candidate, ...]
    exact: bool = True


def choose(candidates: Sequence[Candidate], time_limit: float = TIME_LIMIT) -> Choice:
    """The best links that share no chunk; where time runs out, the best found one by one."""
    links: list[Candidate] = []
    harder: list[Candidate] = []
    for group in _entangled(_useful(candidates)):
        if len(group) == 1:
            links += group
        elif all(len(one.first) == len(one.second) == 1 for one in group):
            links += _assigned(group)
        else:
            harder += group
    # One program for all that is left: starting the solver costs more than what it solves.
    solved, exact = _solved(harder, time_limit) if harder else ([], True)
    links += solved if exact else max(solved, _one_by_one(harder), key=_worth)
    return Choice(tuple(sorted(links, key=lambda one: (one.first, one.second))), exact)


def _worth(links: Iterable[Candidate]) -> float:
    return sum(one.worth for one in links)


def _useful(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Candidates worth something; no group that a link between two of its chunks is worth as much as."""
    single = {
        (one.first[0], one.second[0]): one.worth
        for one in candidates
        if len(one.first) == len(one.second) == 1
    }
    return [
        one
        for one in candidates
        if one.worth > 0
        and (
            len(one.first) == len(one.second) == 1
            or all(single.get(two, 0.0) < one.worth for two in product(one.first, one.second))
        )
    ]


def _entangled(candidates: Sequence[Candidate]) -> list[list[Candidate]]:
    """Candidates that share chunks, directly or through others: each group is a problem by itself."""
    leader: dict[tuple[int, int], tuple[int, int]] = {}

    def find(chunk: tuple[int, int]) -> tuple[int, int]:
        while (above := leader.setdefault(chunk, chunk)) != chunk:
            leader[chunk] = leader.setdefault(above, above)
            chunk = above
        return chunk

    for one in candidates:
        first, *others = (find(chunk) for chunk in one.chunks)
        for other in others:
            leader[find(other)] = find(first)
    groups = defaultdict(list)
    for one in candidates:
        groups[find(next(one.chunks))].append(one)
    return list(groups.values())


def _assigned(group: Sequence[Candidate]) -> list[Candidate]:
    """One chunk to one: the assignment problem."""
    rows = sorted({one.first for one in group})
    columns = sorted({one.second for one in group})
    by_place = {(rows.index(one.first), columns.index(one.second)): one for one in group}
    worth = np.zeros((len(rows), len(columns)))
    for place, one in by_place.items():
        worth[place] = one.worth
    chosen = zip(*linear_sum_assignment(worth, maximize=True), strict=True)
    return [by_place[place] for row, column in chosen if (place := (int(row), int(column))) in by_place]


def _solved(group: Sequence[Candidate], time_limit: float) -> tuple[list[Candidate], bool]:
    """Any groups: maximise the worth, no chunk taken twice; and whether the solver finished in time."""
    if time_limit <= 0 or len(group) > _LARGEST:
        return [], False
    limit = time_limit if len(group) > _SMALL else np.inf
    chunks = {chunk: row for row, chunk in enumerate(dict.fromkeys(c for one in group for c in one.chunks))}
    places = [(chunks[chunk], column) for column, one in enumerate(group) for chunk in one.chunks]
    rows, columns = zip(*places, strict=True)
    taken = csr_array((np.ones(len(places)), (rows, columns)), shape=(len(chunks), len(group)))
    found = milp(
        -np.array([one.worth for one in group]),
        integrality=np.ones(len(group), np.int64),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(taken, ub=1),
        options={"time_limit": limit, "mip_rel_gap": 0.0, "presolve": False},
    )
    if found.x is None:
        return [], False
    return [one for one, value in zip(group, found.x, strict=True) if value > 0.5], found.status == 0


def _one_by_one(group: Sequence[Candidate]) -> list[Candidate]:
    """The best first, then the best that is still possible."""
    links: list[Candidate] = []
    taken: set[tuple[int, int]] = set()
    for one in sorted(group, key=lambda one: -one.worth):
        if taken.isdisjoint(one.chunks):
            links.append(one)
            taken.update(one.chunks)
    return links


# Groups of chunks that may stand for one chunk of the other sentence.

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
