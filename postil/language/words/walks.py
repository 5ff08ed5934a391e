"""Texts as walks over WordNet: personalised PageRank (Agirre & Soroa 2009), compared by cosine.

A word's walk restarts at its senses, at frequent ones more often; a text's walk restarts at its words.
PageRank is linear in where it restarts, so a text's walk is the mean of its words' walks, and those are
computed once and remembered. The same walks tell which sense a word has among other words.

>>> from postil.language.words.walks import similarity
>>> similarity(["doctor", "hospital"], ["nurse"]) > similarity(["doctor", "hospital"], ["violin"])
True
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from io import BytesIO
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from postil.data.arrays import Singles
from postil.language.document import Document
from postil.language.words.wordnet import wordnet

# The graph that walks go over: synsets joined by WordNet's relations and by the words of their definitions.
#
# A walk follows links at random and, at each step, goes back to where it started with probability 1 -
# DAMPING; how often it is found at each node is the start's personalised PageRank.

DAMPING = 0.85
TOLERANCE = 1e-3


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
    shape: Singles

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
    where: Graph, restarts: Singles, damping: float = DAMPING, tolerance: float = TOLERANCE
) -> Singles:
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
    found: Singles = np.empty_like(now)
    found[where.order] = now
    return found


# Computes the walks of words, keeps them small and remembers them; texts' walks are sums of theirs.

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
    shares: Singles

    def products(self, other: Rows) -> NDArray[np.float64]:
        """The inner product of each row with the same row of others."""
        left = np.asarray(self.left.multiply(other.left).sum(axis=1), dtype=np.float64).ravel()
        return np.asarray(left + np.einsum("ij,ij->i", self.shares, other.shares, dtype=np.float64))

    def lengths(self) -> NDArray[np.float64]:
        """The length of each row: the root of its inner product with itself."""
        sums = np.concatenate([[0.0], np.cumsum(np.square(self.left.data, dtype=np.float64))])
        left = np.diff(sums[self.left.indptr])
        return np.asarray(np.sqrt(left + np.einsum("ij,ij->i", self.shares, self.shares, dtype=np.float64)))

    def expand(self, where: Graph) -> Singles:
        """The value of each walk at each node of the graph."""
        values: Singles = self.left.toarray() + where.shape * self.shares[:, where.region]
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

    def _compress(self, values: Singles) -> Kept:
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


def restarts(words: Sequence[Word], size: int) -> Singles:
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


PAIRS = 256  # pairs of texts that are compared together
WINDOW = 20  # words on either side that help to tell a word's sense


@dataclass(frozen=True, slots=True)
class Walk:
    """A distribution over synsets: their numbers, the likeliest first, and how often the walk is there."""

    ids: NDArray[np.int32]
    values: Singles


def walks(texts: Sequence[Iterable[Word]], weights: Weights | None = None) -> tuple[Walk, ...]:
    """The walk of each text's words over synsets, but for those it hardly ever meets (less often than LEAST).

    It is empty where WordNet lists none of the words.

    A text restarts at each of its words equally, as often as it stands there, or as `weights` (idf, say)
    tells for it.
    """
    found = []
    for text in texts:
        values = walker().texts([list(text)], weights).expand(walker().graph)[0]
        ids = np.flatnonzero(values > LEAST).astype(np.int32)
        ids = ids[np.argsort(-values[ids], kind="stable")]
        found.append(Walk(ids, values[ids]))
    return tuple(found)


def walk(words: Iterable[Word], weights: Weights | None = None) -> Walk:
    """The walk of one text's words; see `walks`."""
    return walks([list(words)], weights)[0]


def similarities(
    one: Sequence[Iterable[Word]], other: Sequence[Iterable[Word]], weights: Weights | None = None
) -> NDArray[np.float64]:
    """How alike two texts are, for each pair of texts in two lists of the same length."""
    if len(one) != len(other):
        raise ValueError(f"{len(one)} texts cannot be paired with {len(other)}")
    cosines = np.zeros(len(one))
    # Some at a time, so that memory does not grow with the lists.
    for start in range(0, len(one), PAIRS):
        place = slice(start, start + PAIRS)
        left, right = (_texts(side[place], weights) for side in (one, other))
        lengths = left.lengths() * right.lengths()
        np.divide(left.products(right), lengths, out=cosines[place], where=lengths > 0.0)
    return np.clip(cosines, 0.0, 1.0)


def _texts(texts: Sequence[Iterable[Word]], weights: Weights | None) -> Rows:
    """The walks of texts, one a row; a text that is there more than once is walked once."""
    places: dict[tuple[Word, ...], int] = {}
    chosen = [places.setdefault(tuple(text), len(places)) for text in texts]
    rows = walker().texts(list(places), weights)
    return Rows(rows.left[chosen], rows.shares[chosen])


def similarity(words_a: Iterable[Word], words_b: Iterable[Word], weights: Weights | None = None) -> float:
    """How alike two texts are: the cosine of their walks, from 0 to 1; 0 where one has no known word."""
    return float(similarities([list(words_a)], [list(words_b)], weights)[0])


def disambiguate(
    words: Sequence[tuple[str, str]], *, method: str = "w2w", prior: bool = True
) -> tuple[int | None, ...]:
    """The synset that each word (lemma and part of speech) has among the others; None where it has none.

    A word's senses are ranked by the walk that restarts at the words around it: at the others only ("w2w", so
    that its own senses do not vote for themselves) or at all of them ("ppr"). With `prior`, the root of
    the rank is multiplied by how often the word has the sense, plus one. Of equals, the sense that WordNet
    lists first is taken.
    """
    if method not in ("w2w", "ppr"):
        raise ValueError(f"method is w2w or ppr, not {method}")
    different = list(dict.fromkeys(words))
    places = {word: place for place, word in enumerate(different)}
    senses = [senses_of(word) for word in different]
    values = _values(walker(), different, sorted({one for ids, _ in senses for one in ids}))
    line = [places[word] for word in words]
    chosen: list[int | None] = []
    for at, place in enumerate(line):
        ids, counts = senses[place]
        around = line[max(0, at - WINDOW) : at + WINDOW + 1]
        context = [one for one in around if method == "ppr" or one != place]
        chosen.append(_best(ids, counts, values, context, prior) if ids else None)
    return tuple(chosen)


def _values(walks_of: Walker, words: Sequence[Word], synsets: Sequence[int]) -> dict[int, Singles]:
    """How often the walk of each word is at each of some synsets."""
    rows, graph = walks_of.rows(words), walks_of.graph
    where = np.array(synsets, dtype=np.int64)
    found = rows.left[:, where].toarray() + rows.shares[:, graph.region[where]] * graph.shape[where]
    return {synset: found[:, column] for column, synset in enumerate(synsets)}


def _best(
    ids: Sequence[int], counts: Sequence[int], values: dict[int, Singles], context: list[int], prior: bool
) -> int:
    ranks = np.array([max(float(values[one][context].sum()), 0.0) for one in ids])
    if prior:
        # The root, chosen on SemCor, lets frequency outweigh the walk unless the walk is sure; a context that
        # says nothing leaves frequency alone to decide.
        ranks = np.sqrt(ranks + 1e-12) * (np.array(counts) + 1.0)
    return ids[int(np.argmax(ranks))]


# Which sense each content word of a text has, by a walk over WordNet from the words around it.


@dataclass(frozen=True, slots=True)
class Sense:
    """A token's sense: WordNet's name for it ("bank.n.01") and its definition."""

    token: int
    name: str
    definition: str


def find_senses(document: Document) -> tuple[Sense, ...]:
    """The senses of the words that WordNet knows, in order."""
    tokens = [token for token in document.tokens if token.wordnet_letter]
    chosen = disambiguate([(token.lemma.lower(), token.wordnet_letter) for token in tokens])
    wn = wordnet()
    return tuple(
        Sense(token.index, wn.name(synset), wn.definition(synset))
        for token, synset in zip(tokens, chosen, strict=True)
        if synset is not None
    )
