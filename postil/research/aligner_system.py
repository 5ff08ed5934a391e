"""The shipped aligner as a system of the benchmark: it has learned from the task's training sets already."""

from __future__ import annotations

from collections.abc import Sequence

from postil.alignment.aligner import load_aligner
from postil.data.alignments import AlignedPair, ChunkedPair
from postil.errors import PostilError


class ShippedAligner:
    """Aligns with the models that ship, and refuses to be tested on its own training pairs."""

    def __init__(self) -> None:
        self._learned: set[tuple[tuple[str, ...], tuple[str, ...]]] = set()

    def fit(self, pairs: Sequence[AlignedPair], chunks: Sequence[ChunkedPair]) -> ShippedAligner:
        """Learn nothing; note which sentences are called training data."""
        self._learned.update((pair.source, pair.target) for pair in pairs)
        return self

    def predict(self, pairs: Sequence[ChunkedPair]) -> list[AlignedPair]:
        """Align every pair of chunked sentences."""
        known = next((pair for pair in pairs if (pair.source, pair.target) in self._learned), None)
        if known is not None:
            raise PostilError(
                f"the shipped aligner has learned from pair {known.id}, so testing it there would flatter.",
                hint="Give another folder with --test; docs/benchmarks.md has cross-validated figures "
                "(training/aligner.py).",
            )
        return load_aligner().align(pairs)
