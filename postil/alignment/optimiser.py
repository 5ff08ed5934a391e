"""Choose the links worth most together, each chunk in at most one: exactly, by integer programming."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
from scipy.cluster.hierarchy import DisjointSet
from scipy.optimize import Bounds, LinearConstraint, linear_sum_assignment, milp
from scipy.sparse import csr_array

from postil.data.arrays import Floats

# Seconds for a large program; the solver looks at the clock only now and then.
TIME_LIMIT = 0.03
# Programs of up to 100 candidates take a few milliseconds and are always solved, so that a busy machine
# cannot change a result. With more than 300, building the program alone takes too long.
_SMALL, _LARGEST = 100, 300
_POSSIBLE = 0.08  # the least chance of being aligned with which a chunk may join a group
_MOST = 4  # chunks that are tried beside each other for one of the other sentence

Group = tuple[tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A link that may be drawn: chunk numbers of both sides (from 0), and what it is worth."""

    first: tuple[int, ...]
    second: tuple[int, ...]
    worth: float

    @property
    def is_single(self) -> bool:
        """Whether it links one chunk with one."""
        return len(self.first) == len(self.second) == 1

    @property
    def chunks(self) -> Iterator[tuple[int, int]]:
        """The chunks it needs, as (side, number)."""
        yield from ((0, number) for number in self.first)
        yield from ((1, number) for number in self.second)


@dataclass(frozen=True, slots=True)
class Choice:
    """The links chosen, in the order of the sentence, and whether they are known to be the best."""

    links: tuple[Candidate, ...]
    exact: bool = True


def choose(candidates: Sequence[Candidate], time_limit: float = TIME_LIMIT) -> Choice:
    """The best links that share no chunk; where time runs out, the best found greedily."""
    links: list[Candidate] = []
    harder: list[Candidate] = []
    for group in _entangled(_useful(candidates)):
        if len(group) == 1:
            links += group
        elif all(link.is_single for link in group):
            links += _assigned(group)
        else:
            harder += group
    # One program for all that is left: starting the solver costs more than what it solves.
    solved, exact = _solved(harder, time_limit) if harder else ([], True)
    if not exact:
        solved = max(solved, _greedy(harder), key=lambda chosen: sum(link.worth for link in chosen))
    links += solved
    return Choice(tuple(sorted(links, key=lambda link: (link.first, link.second))), exact)


def _useful(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Candidates worth something, without groups that are worth no more than a link between two members."""
    single = {(link.first[0], link.second[0]): link.worth for link in candidates if link.is_single}

    def beats_its_parts(link: Candidate) -> bool:
        return all(single.get(pair, 0.0) < link.worth for pair in product(link.first, link.second))

    return [link for link in candidates if link.worth > 0 and (link.is_single or beats_its_parts(link))]


def _entangled(candidates: Sequence[Candidate]) -> list[list[Candidate]]:
    """Candidates that share chunks, directly or through others: each group is a problem by itself."""
    chunks = DisjointSet(chunk for link in candidates for chunk in link.chunks)
    for link in candidates:
        first, *others = link.chunks
        for other in others:
            chunks.merge(first, other)
    groups = defaultdict(list)
    for link in candidates:
        groups[chunks[next(link.chunks)]].append(link)
    return list(groups.values())


def _assigned(group: Sequence[Candidate]) -> list[Candidate]:
    """One chunk to one: the assignment problem."""
    rows = sorted({link.first for link in group})
    columns = sorted({link.second for link in group})
    cells = {(rows.index(link.first), columns.index(link.second)): link for link in group}
    worth = np.zeros((len(rows), len(columns)))
    for cell, link in cells.items():
        worth[cell] = link.worth
    chosen = zip(*(indices.tolist() for indices in linear_sum_assignment(worth, maximize=True)), strict=True)
    return [cells[cell] for cell in chosen if cell in cells]


def _solved(group: Sequence[Candidate], time_limit: float) -> tuple[list[Candidate], bool]:
    """The links worth most, whatever their size, and whether the solver finished in time."""
    if time_limit <= 0 or len(group) > _LARGEST:
        return [], False
    names = dict.fromkeys(chunk for link in group for chunk in link.chunks)
    numbers = {chunk: number for number, chunk in enumerate(names)}
    cells = [(numbers[chunk], column) for column, link in enumerate(group) for chunk in link.chunks]
    rows, columns = zip(*cells, strict=True)
    taken = csr_array((np.ones(len(cells)), (rows, columns)), shape=(len(names), len(group)))
    solution = milp(
        -np.array([link.worth for link in group]),
        integrality=np.ones(len(group), np.int64),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(taken, ub=1),
        options={
            "time_limit": time_limit if len(group) > _SMALL else np.inf,
            "mip_rel_gap": 0.0,
            "presolve": False,
        },
    )
    if solution.x is None:
        return [], False
    return [link for link, value in zip(group, solution.x, strict=True) if value > 0.5], solution.status == 0


def _greedy(group: Sequence[Candidate]) -> list[Candidate]:
    """The best first, then the best that is still possible."""
    links: list[Candidate] = []
    taken: set[tuple[int, int]] = set()
    for link in sorted(group, key=lambda link: -link.worth):
        if taken.isdisjoint(link.chunks):
            links.append(link)
            taken.update(link.chunks)
    return links


def groups(chances: Floats) -> Iterator[Group]:
    """Two chunks of one sentence with one of the other, where both may belong to it."""
    for column in range(chances.shape[1]):
        for pair in _likely_pairs(chances[:, column]):
            yield pair, (column,)
    for row in range(chances.shape[0]):
        for pair in _likely_pairs(chances[row]):
            yield (row,), pair


def _likely_pairs(chances: Floats) -> Iterator[tuple[int, int]]:
    order = sorted(range(len(chances)), key=lambda chunk: -chances[chunk])[:_MOST]
    yield from combinations(sorted(chunk for chunk in order if chances[chunk] >= _POSSIBLE), 2)
