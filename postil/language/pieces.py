"""Pieces of words, as networks read them: where they are in a text, and a vector for each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from postil.data.arrays import Numbers, Singles

if TYPE_CHECKING:
    from tokenizers import Encoding


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """A text's words and where they are; its pieces of words, with a vector of length 1 for each."""

    words: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    owners: Numbers  # for each piece, the word it belongs to
    vectors: Singles


@dataclass(frozen=True, slots=True, eq=False)
class LinkPieces:
    """The pieces of two texts read at once: where each starts, and a vector to compare parts by."""

    starts: tuple[Numbers, Numbers]
    vectors: tuple[Singles, Singles]


def word_pieces(text: str, encoding: Encoding, vectors: NDArray[Any]) -> Pieces:
    """The pieces of the words of a text, with their vectors."""
    owners: list[int] = []
    spans: list[tuple[int, int]] = []
    last = None
    for word, (start, end) in zip(encoding.word_ids[1:-1], encoding.offsets[1:-1], strict=True):
        if word != last:
            spans.append((start, end))
            last = word
        else:
            spans[-1] = (spans[-1][0], end)
        owners.append(len(spans) - 1)
    vectors = vectors[1 : 1 + len(owners)]
    lengths = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-6)
    words = tuple(text[start:end].lower() for start, end in spans)
    return Pieces(words, tuple(spans), np.array(owners, np.intp), (vectors / lengths).astype(np.float32))


def link_pieces_of(encoding: Encoding, vectors: NDArray[Any]) -> LinkPieces:
    """The pieces of the two texts of an encoding, told apart."""
    sides = np.array([-1 if side is None else side for side in encoding.sequence_ids])
    starts = np.array([start for start, _ in encoding.offsets], np.intp)
    first, second = (np.flatnonzero(sides == side) for side in (0, 1))
    return LinkPieces((starts[first], starts[second]), (vectors[first], vectors[second]))
