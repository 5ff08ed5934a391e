"""The interpretable-similarity baseline: chunks that share most identical tokens are equivalent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Self

from postil.data.alignments import AlignedPair, Alignment, ChunkedPair


class IdenticalTokens:
    """Links identical lower-cased tokens, then pairs the chunks with the most links: EQUI 5, or NOALI."""

    def fit(self, pairs: Sequence[AlignedPair], chunks: Sequence[ChunkedPair]) -> Self:
        """Learn nothing: the baseline has no parameters."""
        return self

    def predict(self, pairs: Sequence[ChunkedPair]) -> list[AlignedPair]:
        """Align every pair of chunked sentences."""
        return [self._align(pair) for pair in pairs]

    def _align(self, pair: ChunkedPair) -> AlignedPair:
        weights = _link_weights(pair)
        # Strongest first; among equals the order of the sentences decides.
        ranked = sorted(weights, key=lambda link: (-weights[link], link))
        partner: dict[int, int] = {}
        for source, target in ranked:
            if source not in partner and target not in partner.values():
                partner[source] = target
        alignments = [
            Alignment(pair.source_chunks[source], pair.target_chunks[target], ("EQUI",), 5.0)
            for source, target in sorted(partner.items())
        ]
        alignments += [
            Alignment(chunk, (), ("NOALI",), None)
            for number, chunk in enumerate(pair.source_chunks)
            if number not in partner
        ]
        taken = set(partner.values())
        alignments += [
            Alignment((), chunk, ("NOALI",), None)
            for number, chunk in enumerate(pair.target_chunks)
            if number not in taken
        ]
        return AlignedPair(pair.id, pair.source, pair.target, tuple(alignments))


def _link_weights(pair: ChunkedPair) -> Counter[tuple[int, int]]:
    """How many identical tokens each two chunks share, every occurrence with every other."""
    weights: Counter[tuple[int, int]] = Counter()
    for i, source in enumerate(pair.source_chunks):
        words = Counter(pair.source[number - 1].lower() for number in source)
        for j, target in enumerate(pair.target_chunks):
            shared = sum(words[pair.target[number - 1].lower()] for number in target)
            if shared:
                weights[i, j] = shared
    return weights
