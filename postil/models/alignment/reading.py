"""Read two sentences: what the encoder says of them, and how their words compare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from postil.corpora.alignments import ChunkedPair
from postil.knowledge.encoder import LinkPieces, Pieces, encoder
from postil.models.alignment.links import Links, links
from postil.models.alignment.table import Pair, members
from postil.models.alignment.tokens import Sentence, sentence, word_matrices
from postil.text.document import Document


@dataclass(frozen=True, slots=True)
class Reading:
    """What the encoder says of pairs of texts: of each text by itself, and of the two read at once."""

    words: dict[str, Pieces]
    links: list[LinkPieces]


def read(texts: Sequence[tuple[str, str]]) -> Reading:
    """Let the encoder read pairs of texts."""
    network = encoder()
    distinct = list(dict.fromkeys(text for pair in texts for text in pair))
    words = dict(zip(distinct, network.words(distinct), strict=True))
    return Reading(words, network.link_pieces(texts))


def prepare(pairs: Sequence[ChunkedPair], documents: Sequence[Document], reading: Reading) -> list[Pair]:
    """Compare the words of the sentences of each pair; two documents a pair."""
    weights = encoder().link_weights
    found = []
    sides = zip(pairs, documents[::2], documents[1::2], reading.links, strict=True)
    for pair, one, other, its in sides:
        first, second = (sentence(document, reading.words[document.text]) for document in (one, other))
        found.append(prepared(pair, first, second, links(its, one, other, weights)))
    return found


def prepared(pair: ChunkedPair, first: Sentence, second: Sentence, said: Links) -> Pair:
    """Two sentences, compared."""
    return Pair(
        first,
        second,
        members(pair.source_chunks, len(pair.source)),
        members(pair.target_chunks, len(pair.target)),
        word_matrices(first, second),
        said,
    )
