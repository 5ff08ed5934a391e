"""Contextual vectors of a word in its context, from the shipped encoder; it reads English.

Reading costs some milliseconds an instance, so the vectors of what was read last are kept.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from postil.data.formats.senses import SenseInstance
from postil.language.reader import WIDTH, Pieces, encoder

REACH = 40  # tokens on each side that are read
_KEPT = 20_000  # vectors, of 3 kB each
_kept: dict[tuple[str, int], NDArray[np.float32]] = {}


def context_vectors(instances: Sequence[SenseInstance]) -> NDArray[np.float64]:
    """Two vectors side by side: of the word itself, and the mean of its context."""
    texts = [_text(instance) for instance in instances]
    missing = [text for text in dict.fromkeys(texts) if text not in _kept]
    read = encoder().words([text for text, _ in missing])
    found = {text: _kept[text] for text in texts if text in _kept}
    found |= {text: _vector(pieces, text[1]) for text, pieces in zip(missing, read, strict=True)}
    if len(_kept) + len(missing) > _KEPT:
        _kept.clear()
    _kept.update(found)
    return np.array([found[text] for text in texts], dtype=np.float64).reshape(-1, 2 * WIDTH)


def _text(instance: SenseInstance) -> tuple[str, int]:
    """The words around the one asked about, and the character at which that one starts."""
    head = instance.head[0]
    before = [token.form for token in instance.tokens[max(0, head - REACH) : head]]
    after = [token.form for token in instance.tokens[head : head + REACH + 1]]
    return " ".join((*before, *after)), sum(len(form) + 1 for form in before)


def _vector(pieces: Pieces, start: int) -> NDArray[np.float32]:
    if not len(pieces.owners):  # nothing that the encoder can read
        return np.zeros(2 * WIDTH, dtype=np.float32)
    # A text too long to be read to its end may lack the word: the whole stands for it then.
    words = [number for number, (first, last) in enumerate(pieces.spans) if first <= start < last]
    whole = pieces.vectors.mean(axis=0)
    of_word = pieces.vectors[np.isin(pieces.owners, words)].mean(axis=0) if words else whole
    return np.concatenate([of_word, whole])
