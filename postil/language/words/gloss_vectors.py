"""Relatedness by second-order co-occurrence: gloss vectors (Patwardhan & Pedersen 2006).

A word's vector says in how many definitions it stands together with each of the other words. A synset's
vector adds up those of the words in its texts: a definition brings in the company its words keep, so that two
definitions without a common word can be close. Words in fewer than 5 or more than 1,000 definitions have no
vector; the dimensions are the words in 50 to 1,000.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from postil.language.words.ancestors import gather
from postil.language.words.glosses import TEXTS, gloss_word_table, related_texts
from postil.language.words.wordnet import Ints, load_arrays

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class WordVectors:
    """`places` gives each gloss word's row of `vectors`, −1 where it has none."""

    places: Ints
    vectors: sparse.csr_array


@cache
def word_vectors() -> WordVectors:
    """The vectors of the words in definitions, loaded once."""
    arrays = load_arrays("gloss_vectors.npz")
    places = np.full(len(gloss_word_table().words), -1, dtype=np.int32)
    places[arrays["rows"]] = np.arange(len(arrays["rows"]), dtype=np.int32)
    starts = np.zeros(len(arrays["lengths"]) + 1, dtype=np.int32)
    np.cumsum(arrays["lengths"], out=starts[1:])
    # Columns are stored as gaps within their row: sum them all, then take off what the rows before had.
    sums = np.concatenate([[0], np.cumsum(arrays["gaps"], dtype=np.int64)])
    columns = (sums[1:] - np.repeat(sums[starts[:-1]], arrays["lengths"])).astype(np.int32)
    shape = len(arrays["lengths"]), int(arrays["columns"])
    counts = arrays["counts"].astype(np.float32)
    return WordVectors(places, sparse.csr_array((counts, columns, starts), shape=shape))


def synset_vectors(synsets: Ints) -> NDArray[np.float32]:
    """A vector of length 1 for each synset; zeros where no word of its texts has one."""
    texts, defined = related_texts(synsets)
    rows, table = gloss_word_table().rows, word_vectors()
    places, glosses = gather(rows, defined)
    words, owners = table.places[rows[1][places]], texts[glosses] // TEXTS
    owners, words = owners[words >= 0], words[words >= 0]
    used, columns = np.unique(words, return_inverse=True)
    counts = sparse.csr_array(
        (np.ones(len(words), dtype=np.float32), (owners, columns)), shape=(len(synsets), len(used))
    )
    vectors = (counts @ table.vectors[used]).toarray()
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(np.divide(vectors, lengths, out=vectors, where=lengths > 0))


@lru_cache(maxsize=2)  # the rows stay while the columns change
def _vectors(synsets: bytes) -> NDArray[np.float32]:
    return synset_vectors(np.frombuffer(synsets, dtype=np.int32))


def gloss_vector(rows: Ints, columns: Ints, *, normalised: bool = False) -> Floats:
    """The cosine of two synsets' vectors; 1 for identical synsets. Always within [0, 1]."""
    del normalised  # it is already
    left, right = _vectors(rows.tobytes()), _vectors(columns.tobytes())
    values = np.minimum((left @ right.T).astype(np.float64), 1.0)
    values[(rows[:, None] == columns) & (values > 0)] = 1.0
    return values
