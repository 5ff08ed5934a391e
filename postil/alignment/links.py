"""What the encoder says of chunks that it has read inside their two sentences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf

from postil.language.document import Document
from postil.language.reader import LinkPieces

Floats = NDArray[np.float32]
Weights = Mapping[str, NDArray[np.float32]]
Members = NDArray[np.bool_]  # a row a group, a column a word

# The order of the encoder's outputs for two chunks.
OUTPUTS = ("EQUI", "OPPO", "SPE1", "SPE2", "SIMI", "REL", "NOALI", "score")


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """The vectors of both sentences' pieces and words, whose a piece is, and how groups are compared."""

    vectors: tuple[Floats, Floats]
    owners: tuple[NDArray[np.intp], NDArray[np.intp]]
    words: tuple[Floats, Floats]  # a row a word, of length 1
    weights: Weights

    def logits(self, first: Members, second: Members) -> Floats:
        """For groups of words of both sides: (first, second, outputs)."""
        sides = zip((first, second), self.vectors, self.owners, strict=True)
        return compare(self.weights, *(_means(*side) for side in sides))


def links(pieces: LinkPieces, first: Document, second: Document, weights: Weights) -> Links:
    """Give the pieces that the encoder has read to the words of two documents."""
    ours, theirs = (_owners(*side) for side in zip(pieces.starts, (first, second), strict=True))
    one = _word_vectors(first, pieces.vectors[0], ours)
    other = _word_vectors(second, pieces.vectors[1], theirs)
    return Links(pieces.vectors, (ours, theirs), (one, other), weights)


def _owners(starts: NDArray[np.intp], document: Document) -> NDArray[np.intp]:
    words = np.array([token.start for token in document.tokens], np.intp)
    return np.maximum(np.searchsorted(words, starts, side="right") - 1, 0)


def _word_vectors(document: Document, vectors: Floats, owners: NDArray[np.intp]) -> Floats:
    found = np.zeros((len(document.tokens), vectors.shape[1]), np.float32)
    if len(found):
        np.add.at(found, owners, vectors)
    return unit(found)


def unit(vectors: Floats) -> Floats:
    """The vectors, each made as long as 1."""
    found: Floats = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-6)
    return found


def _means(members: Members, vectors: Floats, owners: NDArray[np.intp]) -> Floats:
    if not len(owners):
        return np.zeros((len(members), vectors.shape[1]), np.float32)
    inside = members[:, owners].astype(np.float32)
    found: Floats = (inside @ vectors) / np.maximum(inside.sum(axis=1, keepdims=True), 1)
    return found


def compare(weights: Weights, first: Floats, second: Floats) -> Floats:
    """Every vector of one side beside every one of the other, through the encoder's last layers."""
    shape = (len(first), len(second), first.shape[1])
    one, other = np.broadcast_to(first[:, None], shape), np.broadcast_to(second[None], shape)
    both = np.concatenate([one, other, one * other, np.abs(one - other)], axis=-1)
    inner = both @ weights["inner.weight"].T + weights["inner.bias"]
    found: Floats = _gelu(inner) @ weights["outer.weight"].T + weights["outer.bias"]
    return found


def _gelu(values: Floats) -> Floats:
    found: Floats = values * (0.5 * (1 + erf(values / np.sqrt(2)))).astype(np.float32)
    return found
