"""Word spaces learned from science books: latent semantic analysis, latent topics, and idf.

Texts are lists of lemmas or lower-cased words; their order does not count. Inflected forms that the books
have find their lemma, other forms are tried without their ending, and words that stay unknown are left out.

>>> from postil.language.words.spaces import idf, lda, lsa
>>> lsa().similarity(["voltage", "battery"], ["current", "circuit"]) > lsa().similarity(["voltage"], ["leaf"])
True
>>> lda().vectors([["voltage", "battery"], []]).shape
(2, 50)
>>> idf()("the") < idf()("battery") < idf()("xylophonist")
True
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from postil.data.arrays import Singles

Words = Sequence[str]

# How often the estimate of a text's topics is refined. A few rounds leave some doubt about them; more settle
# on one or two topics, too few to tell short texts apart.
UPDATES = 3
# Words of texts whose topics are worked out at once: bounds memory, whatever the length of the texts.
_BLOCK = 20_000
_ENDINGS = ("ies", "ied", "es", "s", "ed", "ing")


def undone(form: str) -> Iterator[str]:
    """What a regularly inflected form could come from: makes, making → mak, make; stopped → stop."""
    for ending in _ENDINGS:
        stem = form.removesuffix(ending)
        if stem == form or len(stem) < 2:
            continue
        if ending in ("ies", "ied"):
            yield stem + "y"
            continue
        yield stem
        if ending in ("ed", "ing"):
            yield stem + "e"
            if len(stem) > 2 and stem[-1] == stem[-2]:
                yield stem[:-1]


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The books' lemmas, the most widespread first; `rows` has the row of each and of their other forms."""

    lemmas: tuple[str, ...]
    rows: Mapping[str, int]

    def row(self, word: str) -> int:
        """The row of a word's lemma, or -1 where the books do not have it."""
        row = self.rows.get(word)
        if row is None:
            lower = word.lower()
            row = next((self.rows[form] for form in (lower, *undone(lower)) if form in self.rows), -1)
        return row

    def bags(self, texts: Sequence[Words], size: int) -> csr_array[np.float32]:
        """How often each of the first `size` lemmas is in each text: a sparse matrix, one row a text."""
        columns: list[int] = []
        ends = [0]
        row = self.row
        for words in texts:
            columns += [column for word in words if 0 <= (column := row(word)) < size]
            ends.append(len(columns))
        counts = np.ones(len(columns), dtype=np.float32)
        bags = csr_array((counts, np.asarray(columns, dtype=np.int32), ends), shape=(len(texts), size))
        # Columns in order, so that the sums over them do not depend on the order of the words.
        bags.sum_duplicates()
        return bags


@dataclass(frozen=True, eq=False)
class Idf:
    """How rare words are in the books: ln((N + 1) / (n + 1)) for a word in n of N paragraphs.

    A word that the books do not have counts as one in no paragraph: ln(N + 1), the greatest weight.
    """

    vocabulary: Vocabulary
    weights: Singles
    unseen: float

    def __call__(self, word: str) -> float:
        """The weight of one word."""
        row = self.vocabulary.row(word)
        return float(self.weights[row]) if row >= 0 else self.unseen

    def array(self, words: Words) -> Singles:
        """The weights of several words."""
        return np.asarray([self(word) for word in words], dtype=np.float32)


class Space(ABC):
    """Gives every text a vector; texts are compared by the cosine of theirs."""

    @abstractmethod
    def vectors(self, texts: Sequence[Words]) -> Singles:
        """A row for each text; zeros for a text without known words."""

    def vector(self, words: Words) -> Singles:
        """The vector of one text."""
        return np.asarray(self.vectors([words])[0])

    def similarities(self, first: Sequence[Words], second: Sequence[Words]) -> Singles:
        """The similarities of pairs of texts, one of each list."""
        if len(first) != len(second):
            raise ValueError(f"{len(first)} texts cannot be paired with {len(second)}")
        both = self.vectors([*first, *second])
        return cosines(both[: len(first)], both[len(first) :])

    def similarity(self, first: Words, second: Words) -> float:
        """The cosine of two texts' vectors; 0 where one has no known word."""
        return float(self.similarities([first], [second])[0])


@dataclass(frozen=True, eq=False)
class LSA(Space):
    """Latent semantic analysis: words that stand in the same passages point the same way.

    `units` are the words' directions, each of length 1 (0 for function words), `weights` how much each word
    counts. A text's vector is Σ log₂(1 + count) · weight · unit; similarities lie in [-1, 1].
    """

    vocabulary: Vocabulary
    units: Singles
    weights: Singles

    def vectors(self, texts: Sequence[Words]) -> Singles:
        """A row for each text; zeros for a text without known words."""
        bags = self.vocabulary.bags(texts, len(self.units))
        bags.data = np.log2(1 + bags.data) * self.weights[bags.indices]
        return np.asarray(bags @ self.units, dtype=np.float32)

    def nearest(self, word: str, n: int = 10, *, most: int = 10_000) -> list[tuple[str, float]]:
        """The `n` words most like a word, among the `most` widespread of the books, with their cosines."""
        row = self.vocabulary.row(word)
        if not 0 <= row < len(self.units) or not self.units[row].any():
            return []
        likeness = self.units[:most] @ self.units[row]
        order = np.argsort(-likeness, kind="stable")
        return [(self.vocabulary.lemmas[i], float(likeness[i])) for i in order if i != row][:n]


@dataclass(frozen=True, eq=False)
class LDA(Space):
    """Latent topics: each text is a mixture of topics, each topic a distribution over words.

    `likelihoods` has p(word | topic), one row a word, each row divided by its greatest, which `scales` keeps;
    the rows of words that have no part in the topics (function words, very common and rare ones) are zeros.
    A text's vector is its mixture, which sums to 1; similarities lie in [0, 1].
    """

    vocabulary: Vocabulary
    likelihoods: Singles
    scales: Singles
    prior: float

    def vectors(self, texts: Sequence[Words]) -> Singles:
        """The mixture of topics of each text, one per row; zeros for a text without words of any topic."""
        bags = self.vocabulary.bags(texts, len(self.likelihoods))
        bags.data *= self.scales[bags.indices] > 0
        bags.eliminate_zeros()
        mixtures = np.zeros((len(texts), self.likelihoods.shape[1]), dtype=np.float32)
        start = 0
        while start < len(texts):
            end = int(np.searchsorted(bags.indptr, bags.indptr[start] + _BLOCK, side="right")) - 1
            end = min(max(end, start + 1), len(texts))
            mixtures[start:end] = self._mixtures(bags[start:end])
            start = end
        return mixtures

    def _mixtures(self, bags: csr_array[np.float32]) -> Singles:
        """From equal parts, UPDATES times: θ ← (prior + Σ count · each topic's share in the word) / total."""
        lengths = np.diff(bags.indptr)
        filled = np.flatnonzero(lengths)
        mixtures = np.zeros((len(lengths), self.likelihoods.shape[1]), dtype=np.float32)
        if not len(filled):
            return mixtures
        starts = bags.indptr[filled]
        text = np.repeat(np.arange(len(filled)), lengths[filled])
        likely = self.likelihoods[bags.indices]
        parts = np.full((len(filled), likely.shape[1]), 1 / likely.shape[1], dtype=np.float32)
        for _ in range(UPDATES):
            shares = likely * parts[text]
            shares *= (bags.data / shares.sum(axis=1))[:, None]
            parts = np.add.reduceat(shares, starts, axis=0) + np.float32(self.prior)
            parts /= parts.sum(axis=1, keepdims=True)
        mixtures[filled] = parts
        return mixtures

    def top_words(self, topic: int, n: int = 10) -> list[str]:
        """The words most probable in a topic."""
        order = np.argsort(-self.likelihoods[:, topic] * self.scales, kind="stable")
        return [self.vocabulary.lemmas[i] for i in order[:n]]


def cosines(first: NDArray[Any], second: NDArray[Any]) -> Singles:
    """The cosine of each row of one matrix with the same row of the other; 0 where one is all zeros."""
    dots = np.einsum("ij,ij->i", first, second)
    lengths = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
    values = np.divide(dots, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    return np.asarray(np.clip(values, -1, 1), np.float32)


def _read(name: str, folder: Path | None) -> bytes:
    where = folder or files("postil.resources").joinpath("spaces")
    return where.joinpath(name).read_bytes()


def _arrays(name: str, folder: Path | None) -> dict[str, NDArray[Any]]:
    with np.load(BytesIO(_read(name, folder)), allow_pickle=False) as arrays:
        return {key: arrays[key] for key in arrays.files}


@cache
def vocabulary(folder: Path | None = None) -> Vocabulary:
    """The words that the spaces and idf share: those that ship, or those in a folder."""
    lines = [line.split(" ") for line in _read("words.txt", folder).decode("utf-8").splitlines()]
    lemmas = [lemma for lemma, *_ in lines]
    forms = {form: row for row, (_, *others) in enumerate(lines) for form in others}
    # A lemma is itself before it is a form of another: "being" is the lemma of "beings".
    return Vocabulary(tuple(lemmas), forms | {lemma: row for row, lemma in enumerate(lemmas)})


@cache
def idf(folder: Path | None = None) -> Idf:
    """The weights of words, read once."""
    arrays = _arrays("idf.npz", folder)
    paragraphs = int(arrays["paragraphs"])
    weights = np.log((paragraphs + 1) / (arrays["counts"].astype(np.float64) + 1))
    return Idf(vocabulary(folder), weights.astype(np.float32), float(np.log(paragraphs + 1)))


@cache
def lsa(folder: Path | None = None) -> LSA:
    """The LSA space, read once."""
    units = _arrays("lsa.npz", folder)["units"].astype(np.float32)
    # Stored as whole numbers, each word at its own scale; the length is 1 again afterwards.
    units /= np.maximum(np.linalg.norm(units, axis=1, keepdims=True), 1)
    return LSA(vocabulary(folder), units, np.sqrt(idf(folder).weights[: len(units)]))


@cache
def lda(folder: Path | None = None) -> LDA:
    """The topics, read once."""
    arrays = _arrays("lda.npz", folder)
    # Stored as square roots, which keeps small likelihoods apart from 0.
    likelihoods = np.square(arrays["roots"].astype(np.float32) / np.float32(255))
    return LDA(vocabulary(folder), likelihoods, arrays["scales"].astype(np.float32), float(arrays["prior"]))
