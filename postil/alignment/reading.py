"""Read two sentences: what the encoder says of them, and how their words compare."""

from __future__ import annotations

from collections.abc import Sequence

from postil.alignment.features import Pair, members
from postil.alignment.links import Weights, links
from postil.alignment.words import sentence, word_matrices
from postil.data.alignments import ChunkedPair
from postil.language.document import Document
from postil.language.reader import LinkPieces, encoder


def read(texts: Sequence[tuple[str, str]]) -> list[LinkPieces]:
    """Let the encoder read pairs of texts."""
    return encoder().link_pieces(texts)


def prepare(
    pairs: Sequence[ChunkedPair], documents: Sequence[Document], reading: Sequence[LinkPieces]
) -> list[Pair]:
    """Compare the words of the sentences of each pair; two documents a pair."""
    weights = encoder().link_weights
    sides = zip(pairs, documents[::2], documents[1::2], reading, strict=True)
    return [prepared(pair, one, other, its, weights) for pair, one, other, its in sides]


def prepared(pair: ChunkedPair, one: Document, other: Document, pieces: LinkPieces, weights: Weights) -> Pair:
    """Two sentences, compared by what an encoder says of their pieces."""
    first, second = sentence(one), sentence(other)
    said = links(pieces, one, other, weights)
    return Pair(
        first,
        second,
        members(pair.source_chunks, len(pair.source)),
        members(pair.target_chunks, len(pair.target)),
        word_matrices(first, second, said),
        said,
    )
