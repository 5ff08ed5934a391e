"""The graph that walks go over: synsets joined by WordNet's relations and by the words of their definitions.

A walk follows links at random and, at each step, goes back to where it started with probability 1 - DAMPING;
how often it is found at each node is the start's personalised PageRank.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

DAMPING = 0.85
TOLERANCE = 1e-3

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Graph:
    """An undirected graph ready to be walked.

    `steps` holds in column j where a walk at the node `order[j]` goes next, each column adding up to 1; the
    nodes with most links come first, so that what is read most often stays near. Each node belongs to one of
    the `regions`; `shape` is how a walk that has lost its way spreads over the nodes of a region (as their
    degrees), each region's part having length 1.
    """

    steps: sparse.csr_array
    order: NDArray[np.intp]
    region: NDArray[np.int32]
    shape: Floats

    @property
    def size(self) -> int:
        """How many nodes there are."""
        return len(self.region)

    @property
    def regions(self) -> int:
        """How many regions the nodes belong to."""
        return int(self.region.max(initial=-1)) + 1


def make_graph(
    ends: tuple[NDArray[Any], NDArray[Any]], size: int, region: NDArray[Any] | None = None
) -> Graph:
    """A graph from its links, whichever way and however often each is listed; one region unless told more.

    A node without links stays where it is: its walk is itself.
    """
    joined = adjacency(ends, size)
    degree = np.diff(joined.indptr).astype(np.float32)
    alone = np.flatnonzero(degree == 0)
    degree[alone] = 1.0
    loops = sparse.csr_array((np.ones(len(alone), dtype=np.float32), (alone, alone)), shape=(size, size))
    steps = sparse.csr_array(joined + loops)
    steps.data = (1.0 / degree)[steps.indices]
    where = np.zeros(size, dtype=np.int32) if region is None else region.astype(np.int32)
    lengths = np.sqrt(np.bincount(where, weights=degree.astype(np.float64) ** 2))
    order = np.argsort(-degree, kind="stable")
    steps = sparse.csr_array(steps[order][:, order])
    steps.sort_indices()
    return Graph(steps, order, where, (degree / lengths[where]).astype(np.float32))


def adjacency(ends: tuple[NDArray[Any], NDArray[Any]], size: int) -> sparse.csr_array:
    """The 0/1 matrix of an undirected graph without loops."""
    apart = ends[0] != ends[1]
    one, other = ends[0][apart].astype(np.int32), ends[1][apart].astype(np.int32)
    half = sparse.csr_array((np.ones(len(one), dtype=np.float32), (one, other)), shape=(size, size))
    joined = sparse.csr_array(half + half.T)
    joined.data[:] = 1.0
    return joined


@cache
def graph() -> Graph:
    """WordNet's graph, loaded once: its relations, its gloss links, its regions."""
    data = files("postil.resources").joinpath("walks", "graph.npz").read_bytes()
    with np.load(BytesIO(data), allow_pickle=False) as arrays:
        lengths, targets, region = arrays["lengths"], arrays["targets"], arrays["region"]
    sources = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
    return make_graph((sources, targets), len(lengths), region)


def turns(tolerance: float, damping: float = DAMPING) -> int:
    """How many rounds of `pagerank` leave at most `tolerance` of the error of knowing nothing."""
    return math.ceil(math.acosh(1.0 / tolerance) / math.acosh(1.0 / damping))


def pagerank(
    where: Graph, restarts: Floats, damping: float = DAMPING, tolerance: float = TOLERANCE
) -> Floats:
    """Where walks are found that restart as the columns of a nodes × walks array say, each adding up to 1.

    The solution of p = damping · steps · p + (1 - damping) · restart. Chebyshev's acceleration of the power
    iteration takes a third of its rounds: on an undirected graph the eigenvalues of `steps` are real and
    within ±1, all that it needs to know.
    """
    home = np.float32(1.0 - damping) * restarts[where.order]
    at, step = np.nonzero(home)
    pull = home[at, step]
    damped = where.steps * np.float32(damping)
    before, now = home, damped @ home
    now[at, step] += pull
    weight = 1.0 / (1.0 - damping**2 / 2.0)
    plain = damped.data.copy()
    for _ in range(turns(tolerance, damping) - 1):
        np.multiply(plain, np.float32(weight), out=damped.data)
        new = damped @ now
        before *= np.float32(1.0 - weight)
        new += before
        new[at, step] += np.float32(weight) * pull
        before, now = now, new
        weight = 1.0 / (1.0 - damping**2 * weight / 4.0)
    found: Floats = np.empty_like(now)
    found[where.order] = now
    return found
