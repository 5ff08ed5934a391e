"""Computes the walks of words, keeps them small and remembers them; texts' walks are sums of theirs."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from threading import Lock

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from postil.language.words.walk_graph import Floats, Graph, graph, pagerank
from postil.language.words.wordnet import wordnet

Word = str | tuple[str, str]  # a lemma, or a lemma and its part of speech: n, v, a or r
Weights = Callable[[str], float]
Half = NDArray[np.float16]

LEAST = 4e-5  # what is less than this beside its region's shape is dropped
MOST_KEPT = 64_000_000  # bytes of walks that are remembered
BATCH = 16  # words whose walks are computed together


@dataclass(frozen=True, slots=True)
class Rows:
    """Walks, one a row, in two parts that are orthogonal: inner products are sums over both.

    A walk has a few high peaks and a long tail that matters to cosines, but that looks much the same in every
    walk: within a region of the graph it follows the degrees. `shares` (walks × regions) says how much of
    each region's fixed shape a walk has, `left` (walks × synsets) what is left over, but for what is small.
    """

    left: sparse.csr_array
    shares: Floats

    def products(self, other: Rows) -> NDArray[np.float64]:
        """The inner product of each row with the same row of others."""
        left = np.asarray(self.left.multiply(other.left).sum(axis=1), dtype=np.float64).ravel()
        return np.asarray(left + np.einsum("ij,ij->i", self.shares, other.shares, dtype=np.float64))

    def lengths(self) -> NDArray[np.float64]:
        """The length of each row: the root of its inner product with itself."""
        sums = np.concatenate([[0.0], np.cumsum(np.square(self.left.data, dtype=np.float64))])
        left = np.diff(sums[self.left.indptr])
        return np.asarray(np.sqrt(left + np.einsum("ij,ij->i", self.shares, self.shares, dtype=np.float64)))

    def expand(self, where: Graph) -> Floats:
        """The value of each walk at each node of the graph."""
        values: Floats = self.left.toarray() + where.shape * self.shares[:, where.region]
        return np.maximum(values, np.float32(0.0))


@dataclass(frozen=True, slots=True)
class Kept:
    """A word's row as it is remembered."""

    ids: NDArray[np.int32]
    left: Half
    shares: Half

    @property
    def size(self) -> int:
        """How many bytes it takes, about."""
        return self.ids.nbytes + self.left.nbytes + self.shares.nbytes + 500


@dataclass(slots=True)
class Walker:
    """Computes and remembers the walks of words over one graph."""

    graph: Graph
    most: int = MOST_KEPT
    least: float = LEAST
    _known: OrderedDict[Word, Kept] = field(default_factory=OrderedDict)
    _size: int = 0
    _lock: Lock = field(default_factory=Lock)

    def kept(self, words: Iterable[Word]) -> dict[Word, Kept]:
        """The walks of words, remembered or computed now; there is nothing in those of unlisted words."""
        found: dict[Word, Kept] = {}
        missing: list[Word] = []
        with self._lock:
            for word in dict.fromkeys(words):
                if word in self._known:
                    self._known.move_to_end(word)
                    found[word] = self._known[word]
                else:
                    missing.append(word)
        for start in range(0, len(missing), BATCH):
            batch = missing[start : start + BATCH]
            new = dict(zip(batch, self._compute(batch), strict=True))
            found |= new
            self._remember(new)
        return found

    def rows(self, words: Sequence[Word]) -> Rows:
        """The walks of words, one a row; empty for a word that WordNet does not list."""
        known = self.kept(words)
        return self._rows([known[word] for word in words])

    def _rows(self, kept: Sequence[Kept]) -> Rows:
        starts = np.zeros(len(kept) + 1, dtype=np.int32)
        np.cumsum([len(one.ids) for one in kept], out=starts[1:])
        ids = np.concatenate([one.ids for one in kept]) if kept else np.zeros(0, dtype=np.int32)
        values = np.concatenate([one.left for one in kept]) if kept else np.zeros(0)
        shares = np.zeros((len(kept), self.graph.regions), dtype=np.float32)
        for row, one in enumerate(kept):
            shares[row] = one.shares if len(one.shares) else 0.0
        shape = (len(kept), self.graph.size)
        return Rows(sparse.csr_array((values.astype(np.float32), ids, starts), shape=shape), shares)

    def _compute(self, words: Sequence[Word]) -> list[Kept]:
        starts = restarts(words, self.graph.size)
        listed = np.flatnonzero(starts.any(axis=0))
        nothing = np.zeros(0, dtype=np.float16)
        rows = [Kept(np.zeros(0, dtype=np.int32), nothing, nothing)] * len(words)
        if len(listed):
            found = pagerank(self.graph, starts[:, listed])
            for place, column in zip(listed, found.T, strict=True):
                rows[place] = self._compress(column)
        return rows

    def _compress(self, values: Floats) -> Kept:
        where, shape = self.graph.region, self.graph.shape
        shares = np.bincount(where, weights=values * shape, minlength=self.graph.regions)
        left = values - shape * shares[where]
        # Shares are all above 0, so that even small ones add up in a product; small left-overs cancel out.
        ids = np.flatnonzero(np.abs(left) > self.least).astype(np.int32)
        return Kept(ids, left[ids].astype(np.float16), shares.astype(np.float16))

    def _remember(self, new: dict[Word, Kept]) -> None:
        with self._lock:
            for word, row in new.items():
                if word not in self._known:
                    self._known[word] = row
                    self._size += row.size
            while self._size > self.most and self._known:
                self._size -= self._known.popitem(last=False)[1].size

    def texts(self, texts: Sequence[Sequence[Word]], weights: Weights | None = None) -> Rows:
        """The walks of texts, one a row: weighted means of the walks of their listed words."""
        words = list(dict.fromkeys(word for text in texts for word in text))
        places = {word: place for place, word in enumerate(words)}
        known = self.kept(words)
        weigh = [_weight(weights, word) if len(known[word].shares) else 0.0 for word in words]
        starts = np.zeros(len(texts) + 1, dtype=np.int32)
        np.cumsum([len(text) for text in texts], out=starts[1:])
        columns = np.array([places[word] for text in texts for word in text], dtype=np.int32)
        parts = np.array(weigh, dtype=np.float64)[columns]
        owners = np.repeat(np.arange(len(texts)), np.diff(starts))
        totals = np.bincount(owners, weights=parts, minlength=len(texts))
        parts /= np.where(totals > 0.0, totals, 1.0)[owners]
        mix = sparse.csr_array((parts.astype(np.float32), columns, starts), shape=(len(texts), len(words)))
        rows = self._rows([known[word] for word in words])
        return Rows(sparse.csr_array(mix @ rows.left), np.asarray(mix @ rows.shares))


def _weight(weights: Weights | None, word: Word) -> float:
    if weights is None:
        return 1.0
    found = float(weights(word if isinstance(word, str) else word[0]))
    return found if 0.0 < found < float("inf") else 0.0


def senses_of(word: Word) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The synsets of a word, and how often it was tagged with each."""
    lemma, pos = (word, None) if isinstance(word, str) else word
    return wordnet().synsets(lemma, pos), wordnet().sense_counts(lemma, pos)


def restarts(words: Sequence[Word], size: int) -> Floats:
    """Where the walks of words restart, a column each: at a sense by its count + 1, adding up to 1."""
    starts = np.zeros((size, len(words)), dtype=np.float32)
    for column, word in enumerate(words):
        senses, counts = senses_of(word)
        if senses:
            shares = np.array(counts, dtype=np.float64) + 1.0
            starts[list(senses), column] = shares / shares.sum()
    return starts


@cache
def walker() -> Walker:
    """The walker over WordNet's graph, with the words it remembers."""
    return Walker(graph())
