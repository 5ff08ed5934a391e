"""Which pairs the entailer has learned from, told by fingerprints: testing it on these would flatter."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from postil.language.measures.overlap import overlap_words

LEARNED_FILE = "learned.txt"
_LENGTH = 12  # hexadecimal digits: among thousands of pairs no two will meet by chance


def fingerprint(text: str, hypothesis: str) -> str:
    """A short name for a pair, whatever its case and punctuation."""
    words = " ".join(overlap_words(f"{text} | {hypothesis}"))
    return hashlib.sha256(words.encode("utf-8", "replace")).hexdigest()[:_LENGTH]


def has_learned(text: str, hypothesis: str) -> bool:
    """Whether the entailer that ships has learned from this pair."""
    return fingerprint(text, hypothesis) in _learned()


def as_lines(pairs: Iterable[tuple[str, str]]) -> str:
    """The fingerprints of pairs as they are kept, a line each."""
    return "".join(f"{one}\n" for one in sorted({fingerprint(*pair) for pair in pairs}))


@cache
def _learned() -> frozenset[str]:
    path = files("postil.resources").joinpath("entailment", LEARNED_FILE)
    return frozenset(path.read_text("utf-8").split())
