"""A stand-in for a language model: to it an answer is right if it has the reference's words."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np


class StandIn:
    """A runtime whose pieces are words; it notes which texts it was asked about, part by part."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}
        self.read: list[list[str]] = []
        self.forgotten = 0

    def pieces(self, text: str, most: int = 1024) -> tuple[int, ...]:
        words = re.findall(r"\s*\S+(?:\s+$)?", text)[:most]
        return tuple(self.known.setdefault(word, len(self.known)) for word in words)

    def spelled(self, part: Sequence[int]) -> str:
        words = list(self.known)
        return "".join(words[piece] for piece in part)

    def after(self, texts: Sequence[Sequence[tuple[int, ...]]], words: Sequence[int]) -> list[np.ndarray]:
        return [self._after(parts, words) for parts in texts]

    def _after(self, parts: Sequence[tuple[int, ...]], words: Sequence[int]) -> np.ndarray:
        texts = [self.spelled(part) for part in parts if part]
        self.read.append(texts)
        reference, answer = (
            {word.lower() for word in re.findall(r"\w+", text)} for text in ("".join(texts[:-1]), texts[-1])
        )
        logits = np.zeros(len(words), np.float32)
        logits[0] = 3 * len(reference & answer) - 6
        return logits

    def forget(self) -> None:
        self.forgotten += 1
