"""The seven WordNet measures by name: for synsets, for words by their best senses, for words × words.

>>> from postil.language.words.wordnet_measures import word_similarity
>>> word_similarity("cat", "dog", "wup") > word_similarity("cat", "switch", "wup")
True
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from postil.errors import PostilError
from postil.language.words.gloss_vectors import gloss_vector
from postil.language.words.glosses import gloss_overlap
from postil.language.words.information import jiang_conrath, lin, resnik
from postil.language.words.wordnet import Ints, wordnet
from postil.language.words.wordnet_paths import leacock_chodorow, wu_palmer

Floats = NDArray[np.float64]
Word = str | tuple[str, str]  # "dog", or ("dog", "n") for its senses of one part of speech
# Senses × senses are worked out in blocks of at most this many by as many: 8 MB a matrix.
_BLOCK = 1000


class SenseMatrix(Protocol):
    """Compares every synset of one list with every one of another."""

    def __call__(self, rows: Ints, columns: Ints, *, normalised: bool = False) -> Floats:
        """The matrix of values."""
        ...


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure: how it is called, what it computes, what its values can be.

    `parts` are the parts of speech that it compares, each with itself; "" where it compares any with any.
    Values begin at 0; `greatest` is 1 where they end there, None where the end depends on the counts or the
    hierarchy, or there is none. All are symmetric, and all have a variant within [0, 1] (`normalised`), which
    is the measure itself where that ends at 1.
    """

    name: str
    title: str
    matrix: SenseMatrix
    greatest: float | None
    parts: str = "nv"
    symmetric: bool = True


MEASURES: Mapping[str, Measure] = {
    measure.name: measure
    for measure in (
        Measure("res", "Resnik", resnik, None),
        Measure("lin", "Lin", lin, 1.0),
        Measure("jcn", "Jiang–Conrath", jiang_conrath, None),
        Measure("lch", "Leacock–Chodorow", leacock_chodorow, None),
        Measure("wup", "Wu–Palmer", wu_palmer, 1.0),
        Measure("lesk", "Banerjee–Pedersen extended gloss overlap", gloss_overlap, None, parts=""),
        Measure("vector", "Patwardhan–Pedersen gloss vectors", gloss_vector, 1.0, parts=""),
    )
}


def find_measure(name: str) -> Measure:
    """The measure of a name."""
    try:
        return MEASURES[name]
    except KeyError:
        known = ", ".join(MEASURES)
        raise PostilError(f"There is no measure {name!r}.", hint=f"Choose one of {known}.") from None


def synset_similarity(one: int, other: int, measure: str, *, normalised: bool = False) -> float:
    """Compare two synsets; 0.0 where the measure does not compare their parts of speech."""
    found, wn = find_measure(measure), wordnet()
    letters = wn.letter(one), wn.letter(other)
    if found.parts and (letters[0] != letters[1] or letters[0] not in found.parts):
        return 0.0
    rows, columns = np.array([one], dtype=np.int32), np.array([other], dtype=np.int32)
    return float(found.matrix(rows, columns, normalised=normalised)[0, 0])


def word_similarity(one: Word, other: Word, measure: str, *, normalised: bool = False) -> float:
    """Compare two words by the two of their senses that are most alike; 0.0 where there are none."""
    return float(similarity_matrix([one], [other], measure, normalised=normalised)[0, 0])


def best_senses(one: Word, other: Word, measure: str) -> tuple[int, int] | None:
    """The two senses that `word_similarity` compares the words by; None where they have nothing in common."""
    found = find_measure(measure)
    best, pair = 0.0, None
    for part in found.parts or (None,):
        rows, columns = (np.array(_senses(word, part), dtype=np.int32) for word in (one, other))
        if not len(rows) or not len(columns):
            continue
        values = found.matrix(rows, columns)
        place = np.unravel_index(int(values.argmax()), values.shape)
        if values[place] > best:
            best, pair = float(values[place]), (int(rows[place[0]]), int(columns[place[1]]))
    return pair


def similarity_matrix(
    words: Sequence[Word], others: Sequence[Word], measure: str, *, normalised: bool = False
) -> Floats:
    """Compare every word with every one of the others: `word_similarity` of each two, worked out together."""
    found = find_measure(measure)
    values = np.zeros((len(words), len(others)))
    for part in found.parts or (None,):
        columns = list(_blocks(others, part))
        for rows in _blocks(words, part):
            for block in columns:
                best = _best(found.matrix, rows, block, normalised)
                cells = rows.words[:, None], block.words
                values[cells] = np.maximum(values[cells], best)
    return values


@dataclass(frozen=True, slots=True)
class _Block:
    """Some words' senses, one after another: the words' places in their list, and their first senses."""

    words: Ints
    starts: Ints
    senses: Ints


def _blocks(words: Sequence[Word], part: str | None) -> Iterator[_Block]:
    """Cut a list of words into blocks of not too many senses; words without any are left out."""
    places: list[int] = []
    starts: list[int] = []
    senses: list[int] = []
    for place, word in enumerate(words):
        found = _senses(word, part)
        if senses and len(senses) + len(found) > _BLOCK:
            yield _block(places, starts, senses)
            places, starts, senses = [], [], []
        if found:
            places.append(place)
            starts.append(len(senses))
            senses.extend(found)
    if senses:
        yield _block(places, starts, senses)


def _block(places: list[int], starts: list[int], senses: list[int]) -> _Block:
    return _Block(*(np.array(one, dtype=np.int32) for one in (places, starts, senses)))


@lru_cache(maxsize=20_000)  # texts repeat their words
def _senses(word: Word, part: str | None) -> tuple[int, ...]:
    form, pos = word if isinstance(word, tuple) else (word, None)
    if part is not None and pos is not None and pos != part:
        return ()
    return wordnet().synsets(form, part or pos)


def _best(matrix: SenseMatrix, rows: _Block, columns: _Block, normalised: bool) -> Floats:
    """The best pair of senses for every pair of words; senses that several words share are compared once."""
    left, left_places = np.unique(rows.senses, return_inverse=True)
    right, right_places = np.unique(columns.senses, return_inverse=True)
    values = matrix(left, right, normalised=normalised)
    # Whole rows are compared many times faster than stretches of a row, so the second time they are turned.
    best = np.maximum.reduceat(values[left_places], rows.starts, axis=0)
    turned = np.ascontiguousarray(best.T)
    return np.asarray(np.maximum.reduceat(turned[right_places], columns.starts, axis=0).T)
