"""Pairs of sentences in Postil's own chunks, for alignment."""

from __future__ import annotations

from collections.abc import Sequence

from postil.data.alignments import AlignedPair, ChunkedPair, Chunks
from postil.language import pipeline
from postil.language.document import Document


def own_chunks(pairs: Sequence[AlignedPair]) -> list[ChunkedPair]:
    """Cut the sentences of pairs into chunks, tokens as they are."""
    sentences = (tokens for pair in pairs for tokens in (pair.source, pair.target))
    chunks = [chunks_of(document) for document in pipeline.analyse_tokens(sentences)]
    return [
        ChunkedPair(pair.id, pair.source, pair.target, *two)
        for pair, *two in zip(pairs, chunks[::2], chunks[1::2], strict=True)
    ]


def chunks_of(document: Document) -> Chunks:
    """The token numbers (from 1) of a document's chunks."""
    return tuple(tuple(range(span.start + 1, span.end + 1)) for span in document.ists_chunks)
