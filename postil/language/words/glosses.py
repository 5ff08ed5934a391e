"""Relatedness by definitions, for any parts of speech: the words they share, and the company those keep.

A synset's definition is read together with those of the synsets it is joined to. Definitions are lists of
content words: function words are left out when the resource is built.

`gloss_overlap` counts the phrases that two synsets share (Banerjee & Pedersen 2003). `gloss_vector` compares
the company that their words keep (Patwardhan & Pedersen 2006): a word's vector says in how many definitions
it stands together with each of the other words, a synset's vector adds up those of its words, so that two
definitions without a common word can be close. Words in fewer than 5 or more than 1,000 definitions
have no vector; the dimensions are the words in 50 to 1,000.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from postil.data.arrays import Floats, Singles
from postil.language.words.wordnet import Ints, Links, gather, load_arrays, row, row_starts, wordnet

# Whose definitions are read with a synset's own; those of one line make one text.
RELATIVES: tuple[tuple[str, ...], ...] = (
    ("hypernym", "instance_hypernym"),
    ("hyponym", "instance_hyponym"),
    ("member_holonym", "substance_holonym", "part_holonym"),
    ("member_meronym", "substance_meronym", "part_meronym"),
    ("also",),
    ("attribute",),
    ("similar",),
    ("pertainym",),
    ("entailment",),
    ("cause",),
)
TEXTS = len(RELATIVES) + 1
_MIX = np.uint64(0x9E3779B97F4A7C15)  # an odd multiplier that spreads numbers over 64 bits


@dataclass(frozen=True, slots=True)
class GlossWords:
    """The content words of the definitions: row i of `rows` numbers those of synset i in `words`."""

    words: tuple[str, ...]
    rows: Links


@cache
def gloss_word_table() -> GlossWords:
    """The words of the definitions, loaded once."""
    arrays = load_arrays("gloss_words.npz")
    words = tuple(arrays["words"].tobytes().decode("utf-8").split("\n"))
    return GlossWords(words, (row_starts(arrays["lengths"]), arrays["tokens"].astype(np.int32)))


def gloss_words(synset: int) -> tuple[str, ...]:
    """The content words of a definition, in order."""
    table = gloss_word_table()
    return tuple(table.words[token] for token in row(table.rows, synset))


def related_texts(synsets: Ints) -> tuple[Ints, Ints]:
    """The definitions that belong to each synset's texts: (text, synset whose definition it is)."""
    relations = wordnet().relations
    texts = [TEXTS * np.arange(len(synsets), dtype=np.int32)]
    defined = [synsets]
    for number, names in enumerate(RELATIVES, start=1):
        for name in names:
            entries, owners = gather(relations[name], synsets)
            texts.append(TEXTS * owners + number)
            defined.append(relations[name][1][entries])
    return np.concatenate(texts), np.concatenate(defined)


def _phrases(tokens: Ints, glosses: Ints) -> Iterator[tuple[Ints, NDArray[np.uint64]]]:
    """For length 1, 2, …: where the phrases of that length start, and a number for each different phrase."""
    last = np.searchsorted(glosses, glosses, side="right") - 1  # the last word of each word's definition
    starts = np.arange(len(tokens), dtype=np.int32)
    codes = (tokens.astype(np.uint64) + np.uint64(1)) * _MIX
    length = 1
    while len(starts):
        yield starts, codes
        longer = starts + length <= last[starts]
        starts, codes = starts[longer], codes[longer]
        codes = ((codes ^ (codes >> np.uint64(29))) + tokens[starts + length].astype(np.uint64)) * _MIX
        length += 1


def phrase_table(synsets: Ints) -> tuple[sparse.csr_array, Floats]:
    """In how many of a synset's texts each phrase is, and what each phrase weighs.

    A shared phrase of L words is counted L² when its single words count 1 and every longer phrase within it
    2: L + 2 · (L − 1)L/2. So overlaps of all pairs of texts are one product of sparse matrices.
    """
    texts, defined = related_texts(synsets)
    rows = gloss_word_table().rows
    entries, glosses = gather(rows, defined)
    by_length = list(_phrases(rows[1][entries], glosses))
    if not by_length:
        return sparse.csr_array((len(synsets), 1)), np.ones(1)
    starts, codes = (np.concatenate(arrays) for arrays in zip(*by_length, strict=True))
    lengths = np.repeat(np.arange(1, len(by_length) + 1), [len(at) for at, _ in by_length])
    _, first, phrases = np.unique(codes, return_index=True, return_inverse=True)
    weights = np.minimum(lengths, 2)[first].astype(np.float64)
    # A phrase counts once in each text, however often it occurs there.
    cells = phrases.astype(np.int64) * (TEXTS * len(synsets)) + texts[glosses][starts]
    cells.sort()
    cells = cells[np.diff(cells, prepend=-1) > 0]
    columns, owners = cells // (TEXTS * len(synsets)), (cells % (TEXTS * len(synsets))) // TEXTS
    table = sparse.csr_array((np.ones(len(cells)), (owners, columns)), shape=(len(synsets), len(weights)))
    table.sum_duplicates()
    return table, weights


def gloss_overlap(rows: Ints, columns: Ints, *, normalised: bool = False) -> Floats:
    """Squared lengths of the phrases shared by two synsets' texts, summed over all pairs of their texts.

    A text is the definition of the synset or of its relatives of one kind (RELATIVES). Normalised: the
    square root of the overlap over the geometric mean of the overlaps of the two with themselves, so that
    lengths count, not squares.
    """
    synsets, numbers = np.unique(np.concatenate([rows, columns]), return_inverse=True)
    left, right = numbers[: len(rows)], numbers[len(rows) :]
    table, weights = phrase_table(synsets.astype(np.int32))
    values = (table[left] @ (table[right] * weights[None, :]).T.tocsr()).toarray()
    if not normalised:
        return np.asarray(values, dtype=np.float64)
    own = np.sqrt(np.asarray((table * table * weights[None, :]).sum(axis=1)).ravel())
    whole = own[left][:, None] * own[right]
    shares = np.divide(values, whole, out=np.zeros(values.shape), where=whole > 0)
    return np.asarray(np.minimum(np.sqrt(shares), 1.0))


@dataclass(frozen=True, slots=True)
class WordVectors:
    """`rows` gives each gloss word's row of `vectors`, −1 where it has none."""

    rows: Ints
    vectors: sparse.csr_array


@cache
def word_vectors() -> WordVectors:
    """The vectors of the words in definitions, loaded once."""
    arrays = load_arrays("gloss_vectors.npz")
    rows = np.full(len(gloss_word_table().words), -1, dtype=np.int32)
    rows[arrays["rows"]] = np.arange(len(arrays["rows"]), dtype=np.int32)
    starts = row_starts(arrays["lengths"])
    # Columns are stored as gaps within their row: sum them all, then take off what the rows before had.
    sums = np.concatenate([[0], np.cumsum(arrays["gaps"], dtype=np.int64)])
    columns = (sums[1:] - np.repeat(sums[starts[:-1]], arrays["lengths"])).astype(np.int32)
    shape = len(arrays["lengths"]), int(arrays["columns"])
    counts = arrays["counts"].astype(np.float32)
    return WordVectors(rows, sparse.csr_array((counts, columns, starts), shape=shape))


@lru_cache(maxsize=2)  # the rows stay while the columns change
def _vectors(numbers: bytes) -> Singles:
    """A vector of length 1 for each synset; zeros where no word of its texts has one."""
    synsets = np.frombuffer(numbers, dtype=np.int32)
    texts, defined = related_texts(synsets)
    rows, table = gloss_word_table().rows, word_vectors()
    entries, glosses = gather(rows, defined)
    words, owners = table.rows[rows[1][entries]], texts[glosses] // TEXTS
    owners, words = owners[words >= 0], words[words >= 0]
    used, columns = np.unique(words, return_inverse=True)
    ones = np.ones(len(words), dtype=np.float32)
    counts = sparse.csr_array((ones, (owners, columns)), shape=(len(synsets), len(used)))
    vectors = (counts @ table.vectors[used]).toarray()
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(np.divide(vectors, lengths, out=vectors, where=lengths > 0))


def gloss_vector(rows: Ints, columns: Ints, *, normalised: bool = False) -> Floats:
    """The cosine of two synsets' vectors; 1 for identical synsets. Always normalised, within [0, 1]."""
    left, right = _vectors(rows.tobytes()), _vectors(columns.tobytes())
    values = np.minimum((left @ right.T).astype(np.float64), 1.0)
    values[(rows[:, None] == columns) & (values > 0)] = 1.0
    return values
