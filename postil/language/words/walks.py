"""Texts as walks over WordNet: personalised PageRank (Agirre & Soroa 2009), compared by cosine.

The graph is that of synsets joined by WordNet's relations and by the words of their definitions. A walk
follows links at random and, at each step, goes back to where it started with probability 1 - DAMPING; how
often it is at each node is the start's personalised PageRank.

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
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from postil.data.arrays import Floats, Numbers, Singles
from postil.language.document import Document
from postil.language.words.wordnet import load_arrays, row_starts, wordnet

Word = str | tuple[str, str]  # a lemma, or a lemma and its part of speech: n, v, a or r
Weights = Callable[[str], float]

DAMPING = 0.85
TOLERANCE = 1e-3
LEAST = 4e-5  # smaller deviations from a region's shape are dropped
MOST_REMEMBERED = 64_000_000  # bytes of walks
BATCH = 16  # words whose walks are computed together
PAIRS = 256  # pairs of texts that are compared together
WINDOW = 20  # words on either side that help to tell a word's sense


@dataclass(frozen=True, slots=True)
class Graph:
    """An undirected graph ready to be walked.

    `steps` holds in column j where a walk at the node `order[j]` goes next, each column adding up to 1; the
    nodes with most links come first, so that what is read most often stays near. Each node belongs to one of
    the `regions`; `shape` is how a walk that has lost its way spreads over the nodes of a region (as their
    degrees), each region's part having length 1.
    """

    steps: sparse.csr_array
    order: Numbers
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
    """A graph from its links, whichever way and however often each is listed; one region by default.

    A node without links stays where it is: its walk is itself.
    """
    joined = adjacency(ends, size)
    degree = np.diff(joined.indptr).astype(np.float32)
    alone = np.flatnonzero(degree == 0)
    degree[alone] = 1.0
    loops = sparse.csr_array((np.ones(len(alone), dtype=np.float32), (alone, alone)), shape=(size, size))
    steps = sparse.csr_array(joined + loops)
    steps.data = (1.0 / degree)[steps.indices]
    regions = np.zeros(size, dtype=np.int32) if region is None else region.astype(np.int32)
    lengths = np.sqrt(np.bincount(regions, weights=degree.astype(np.float64) ** 2))
    order = np.argsort(-degree, kind="stable")
    steps = sparse.csr_array(steps[order][:, order])
    steps.sort_indices()
    return Graph(steps, order, regions, (degree / lengths[regions]).astype(np.float32))


def adjacency(ends: tuple[NDArray[Any], NDArray[Any]], size: int) -> sparse.csr_array:
    """The 0/1 matrix of an undirected graph without loops."""
    apart = ends[0] != ends[1]
    sources, targets = ends[0][apart].astype(np.int32), ends[1][apart].astype(np.int32)
    ones = np.ones(len(sources), dtype=np.float32)
    half = sparse.csr_array((ones, (sources, targets)), shape=(size, size))
    joined = sparse.csr_array(half + half.T)
    joined.data[:] = 1.0
    return joined


@cache
def graph() -> Graph:
    """WordNet's graph, loaded once: its relations, its gloss links, its regions."""
    arrays = load_arrays("graph.npz", "walks")
    lengths = arrays["lengths"]
    sources = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
    return make_graph((sources, arrays["targets"]), len(lengths), arrays["region"])


def turns(tolerance: float, damping: float = DAMPING) -> int:
    """How many rounds of `pagerank` leave at most `tolerance` of the error of knowing nothing."""
    return math.ceil(math.acosh(1.0 / tolerance) / math.acosh(1.0 / damping))


def pagerank(
    graph: Graph, restarts: Singles, damping: float = DAMPING, tolerance: float = TOLERANCE
) -> Singles:
    """How often walks are at each node that restart as the columns of a nodes × walks array say.

    The solution of p = damping · steps · p + (1 - damping) · restart. Chebyshev's acceleration of the power
    iteration takes a third of its rounds: on an undirected graph the eigenvalues of `steps` are real and
    within ±1, all that it needs to know.
    """
    home = np.float32(1.0 - damping) * restarts[graph.order]
    starts = np.nonzero(home)
    pull = home[starts]
    damped = graph.steps * np.float32(damping)
    before, now = home, damped @ home
    now[starts] += pull
    weight = 1.0 / (1.0 - damping**2 / 2.0)
    plain = damped.data.copy()
    for _ in range(turns(tolerance, damping) - 1):
        np.multiply(plain, np.float32(weight), out=damped.data)
        new = damped @ now
        before *= np.float32(1.0 - weight)
        new += before
        new[starts] += np.float32(weight) * pull
        before, now = now, new
        weight = 1.0 / (1.0 - damping**2 * weight / 4.0)
    ranks: Singles = np.empty_like(now)
    ranks[graph.order] = now
    return ranks


@dataclass(frozen=True, slots=True)
class Rows:
    """Walks, one per row, in two parts that are orthogonal: inner products are sums over both.

    A walk has a few high peaks and a long tail that matters to cosines, but that looks much the same in every
    walk: within a region of the graph it follows the degrees. `shares` (walks × regions) says how much of
    each region's fixed shape a walk has, `left` (walks × synsets) the rest, without small values.
    """

    left: sparse.csr_array
    shares: Singles

    def products(self, other: Rows) -> Floats:
        """The inner product of each row with the same row of others."""
        left = np.asarray(self.left.multiply(other.left).sum(axis=1), dtype=np.float64).ravel()
        return np.asarray(left + np.einsum("ij,ij->i", self.shares, other.shares, dtype=np.float64))

    def lengths(self) -> Floats:
        """The length of each row: the root of its inner product with itself."""
        sums = np.concatenate([[0.0], np.cumsum(np.square(self.left.data, dtype=np.float64))])
        left = np.diff(sums[self.left.indptr])
        return np.asarray(np.sqrt(left + np.einsum("ij,ij->i", self.shares, self.shares, dtype=np.float64)))

    def expand(self, graph: Graph) -> Singles:
        """The value of each walk at each node of the graph."""
        values: Singles = self.left.toarray() + graph.shape * self.shares[:, graph.region]
        return np.maximum(values, np.float32(0.0))


@dataclass(frozen=True, slots=True)
class WordWalk:
    """A word's row as it is remembered; all are empty for a word that WordNet does not list."""

    ids: NDArray[np.int32]
    left: NDArray[np.float16]
    shares: NDArray[np.float16]

    @property
    def size(self) -> int:
        """How many bytes it takes, roughly."""
        return self.ids.nbytes + self.left.nbytes + self.shares.nbytes + 500


@dataclass(slots=True)
class Walker:
    """Computes and remembers the walks of words over one graph."""

    graph: Graph
    most: int = MOST_REMEMBERED
    least: float = LEAST
    _known: OrderedDict[Word, WordWalk] = field(default_factory=OrderedDict)
    _size: int = 0
    _lock: Lock = field(default_factory=Lock)

    def word_walks(self, words: Iterable[Word]) -> dict[Word, WordWalk]:
        """The walks of words, remembered or computed now."""
        distinct = list(dict.fromkeys(words))
        with self._lock:
            walks = {word: self._known[word] for word in distinct if word in self._known}
            for word in walks:
                self._known.move_to_end(word)
        missing = [word for word in distinct if word not in walks]
        for start in range(0, len(missing), BATCH):
            batch = missing[start : start + BATCH]
            new = dict(zip(batch, self._compute(batch), strict=True))
            walks |= new
            with self._lock:
                for word, walk in new.items():
                    if word not in self._known:
                        self._known[word] = walk
                        self._size += walk.size
                while self._size > self.most and self._known:
                    self._size -= self._known.popitem(last=False)[1].size
        return walks

    def rows(self, words: Sequence[Word]) -> Rows:
        """The walks of words, one per row; empty for a word that WordNet does not list."""
        walks = self.word_walks(words)
        return self._rows([walks[word] for word in words])

    def _rows(self, walks: Sequence[WordWalk]) -> Rows:
        starts = row_starts(np.array([len(walk.ids) for walk in walks]))
        ids = np.concatenate([walk.ids for walk in walks]) if walks else np.zeros(0, dtype=np.int32)
        values = np.concatenate([walk.left for walk in walks]) if walks else np.zeros(0)
        shares = np.zeros((len(walks), self.graph.regions), dtype=np.float32)
        for row, walk in enumerate(walks):
            shares[row] = walk.shares if len(walk.shares) else 0.0
        shape = (len(walks), self.graph.size)
        return Rows(sparse.csr_array((values.astype(np.float32), ids, starts), shape=shape), shares)

    def _compute(self, words: Sequence[Word]) -> list[WordWalk]:
        starts = restarts(words, self.graph.size)
        listed = np.flatnonzero(starts.any(axis=0))
        nothing = np.zeros(0, dtype=np.float16)
        walks = [WordWalk(np.zeros(0, dtype=np.int32), nothing, nothing)] * len(words)
        if len(listed):
            for number, ranks in zip(listed, pagerank(self.graph, starts[:, listed]).T, strict=True):
                walks[number] = self._compress(ranks)
        return walks

    def _compress(self, ranks: Singles) -> WordWalk:
        region, shape = self.graph.region, self.graph.shape
        shares = np.bincount(region, weights=ranks * shape, minlength=self.graph.regions)
        left = ranks - shape * shares[region]
        # Shares are all above 0, so that even small ones add up in a product; small left-overs cancel out.
        ids = np.flatnonzero(np.abs(left) > self.least).astype(np.int32)
        return WordWalk(ids, left[ids].astype(np.float16), shares.astype(np.float16))

    def texts(self, texts: Sequence[Sequence[Word]], weights: Weights | None = None) -> Rows:
        """The walks of texts, one per row: weighted means of the walks of their listed words."""
        words = list(dict.fromkeys(word for text in texts for word in text))
        numbers = {word: number for number, word in enumerate(words)}
        walks = self.word_walks(words)
        word_weights = [_weight(weights, word) if len(walks[word].shares) else 0.0 for word in words]
        lengths = np.array([len(text) for text in texts], dtype=np.intp)
        columns = np.array([numbers[word] for text in texts for word in text], dtype=np.int32)
        parts = np.array(word_weights, dtype=np.float64)[columns]
        owners = np.repeat(np.arange(len(texts)), lengths)
        totals = np.bincount(owners, weights=parts, minlength=len(texts))
        parts /= np.where(totals > 0.0, totals, 1.0)[owners]
        cells = parts.astype(np.float32), columns, row_starts(lengths)
        mix = sparse.csr_array(cells, shape=(len(texts), len(words)))
        rows = self._rows([walks[word] for word in words])
        return Rows(sparse.csr_array(mix @ rows.left), np.asarray(mix @ rows.shares))


def _weight(weights: Weights | None, word: Word) -> float:
    if weights is None:
        return 1.0
    weight = float(weights(word if isinstance(word, str) else word[0]))
    return weight if 0.0 < weight < float("inf") else 0.0


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


@dataclass(frozen=True, slots=True)
class Walk:
    """A distribution over synsets: their numbers, the likeliest first, and how often the walk is at each."""

    ids: NDArray[np.int32]
    values: Singles


def walk(words: Iterable[Word], weights: Weights | None = None) -> Walk:
    """The walk of a text's words over synsets, without those it hardly ever meets (less often than LEAST).

    It is empty where WordNet lists none of the words. A text restarts at each occurrence of its words equally
    often, or as `weights` (idf, say) says.
    """
    values = walker().texts([list(words)], weights).expand(walker().graph)[0]
    ids = np.flatnonzero(values > LEAST).astype(np.int32)
    ids = ids[np.argsort(-values[ids], kind="stable")]
    return Walk(ids, values[ids])


def similarities(
    first: Sequence[Iterable[Word]], second: Sequence[Iterable[Word]], weights: Weights | None = None
) -> Floats:
    """How alike two texts are, for each pair of texts in two lists of the same length."""
    if len(first) != len(second):
        raise ValueError(f"{len(first)} texts cannot be paired with {len(second)}")
    cosines = np.zeros(len(first))
    # Some at a time, so that memory does not grow with the lists.
    for start in range(0, len(first), PAIRS):
        batch = slice(start, start + PAIRS)
        left, right = (_texts(side[batch], weights) for side in (first, second))
        lengths = left.lengths() * right.lengths()
        np.divide(left.products(right), lengths, out=cosines[batch], where=lengths > 0.0)
    return np.clip(cosines, 0.0, 1.0)


def _texts(texts: Sequence[Iterable[Word]], weights: Weights | None) -> Rows:
    """The walks of texts, one per row; a repeated text is walked once."""
    numbers: dict[tuple[Word, ...], int] = {}
    chosen = [numbers.setdefault(tuple(text), len(numbers)) for text in texts]
    rows = walker().texts(list(numbers), weights)
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
    numbers = {word: number for number, word in enumerate(dict.fromkeys(words))}
    senses = [senses_of(word) for word in numbers]
    values = _values(list(numbers), sorted({synset for ids, _ in senses for synset in ids}))
    line = [numbers[word] for word in words]
    chosen: list[int | None] = []
    for index, number in enumerate(line):
        ids, counts = senses[number]
        around = line[max(0, index - WINDOW) : index + WINDOW + 1]
        context = [word for word in around if method == "ppr" or word != number]
        chosen.append(_best(ids, counts, values, context, prior) if ids else None)
    return tuple(chosen)


def _values(words: Sequence[Word], synsets: Sequence[int]) -> dict[int, Singles]:
    """How often the walk of each word is at each of some synsets."""
    rows, graph = walker().rows(words), walker().graph
    nodes = np.array(synsets, dtype=np.int64)
    values = rows.left[:, nodes].toarray() + rows.shares[:, graph.region[nodes]] * graph.shape[nodes]
    return {synset: values[:, column] for column, synset in enumerate(synsets)}


def _best(
    ids: Sequence[int], counts: Sequence[int], values: dict[int, Singles], context: list[int], prior: bool
) -> int:
    ranks = np.array([max(float(values[synset][context].sum()), 0.0) for synset in ids])
    if prior:
        # The root, chosen on SemCor, lets frequency outweigh the walk unless the walk is sure; a context that
        # says nothing leaves frequency alone to decide.
        ranks = np.sqrt(ranks + 1e-12) * (np.array(counts) + 1.0)
    return ids[int(np.argmax(ranks))]


@dataclass(frozen=True, slots=True)
class Sense:
    """A token's sense: WordNet's name for it ("bank.n.01") and its definition."""

    token: int
    name: str
    definition: str


def find_senses(document: Document) -> tuple[Sense, ...]:
    """The senses of the words that WordNet knows, in order, each by a walk from the words around it."""
    tokens = [token for token in document.tokens if token.wordnet_letter]
    chosen = disambiguate([(token.lemma.lower(), token.wordnet_letter) for token in tokens])
    wn = wordnet()
    return tuple(
        Sense(token.index, wn.name(synset), wn.definition(synset))
        for token, synset in zip(tokens, chosen, strict=True)
        if synset is not None
    )
