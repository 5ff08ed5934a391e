"""Aligned sentence pairs: chunks of two sentences, linked, typed and scored."""

from __future__ import annotations

from dataclasses import dataclass

TYPES = ("EQUI", "OPPO", "SPE1", "SPE2", "SIMI", "REL", "NOALI")
ADDITIONS = ("FACT", "POL")
APPROXIMATE = "approximate"  # the status of a pair whose links are not surely the best

Chunks = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Alignment:
    """One line of an alignment: token numbers (from 1) of each side, labels and score.

    An empty side means that the other side's chunk is not aligned; `score` is None where the file says NIL.
    """

    source: tuple[int, ...]
    target: tuple[int, ...]
    labels: tuple[str, ...]
    score: float | None

    @property
    def type(self) -> str:
        """The alignment type, without the FACT and POL that may stand beside it."""
        return next((label for label in self.labels if label in TYPES), "")


@dataclass(frozen=True, slots=True)
class AlignedPair:
    """Two sentences as tokens, and the alignments between their chunks."""

    id: str
    source: tuple[str, ...]
    target: tuple[str, ...]
    alignments: tuple[Alignment, ...] = ()
    source_text: str = ""
    target_text: str = ""
    status: str = ""


@dataclass(frozen=True, slots=True)
class ChunkedPair:
    """Two sentences cut into chunks: for each chunk its token numbers, from 1."""

    id: str
    source: tuple[str, ...]
    target: tuple[str, ...]
    source_chunks: Chunks
    target_chunks: Chunks
