"""What the encoder says of statements in answers: how likely each is expressed, how likely contradicted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from postil.language.document import Document
from postil.language.reader import Floats as Logits
from postil.language.reader import encoder

Floats = NDArray[np.float64]

# The heads that know both, and which of their outputs say so: correct or entailed, contradictory.
_HEADS = {"response": (0, 2), "nli": (0, 2)}
_LONGEST = 40  # words; of longer texts the encoder believes anything


def chances(asked: Sequence[tuple[Document, str]]) -> Floats:
    """For each answer and statement the chances that it is expressed and that it is contradicted.

    A long answer is read in passages, and what one of them says is said.
    """
    read = [[(text, statement) for text in passages(answer)] for answer, statement in asked]
    pairs = list(dict.fromkeys(pair for its in read for pair in its))
    found = np.zeros((len(asked), 2))
    if pairs:
        rows = dict(zip(pairs, _means(encoder().pairs(pairs, tuple(_HEADS))), strict=True))
        for number, its in enumerate(read):
            if its:
                found[number] = np.max([rows[pair] for pair in its], axis=0)
    # Passages may disagree, but both chances together are no surer than sure.
    shared: Floats = found / np.maximum(found.sum(axis=-1, keepdims=True), 1)
    return shared


def passages(answer: Document) -> list[str]:
    """The parts of an answer that are read at once: as many sentences as are short enough together."""
    if len(answer.text.split()) <= _LONGEST:
        return [answer.text] if any(map(str.isalnum, answer.text)) else []
    found: list[list[str]] = []
    for sentence in answer.sentences:
        words = answer.text_of(sentence).split()[:_LONGEST]
        if found and len(found[-1]) + len(words) <= _LONGEST:
            found[-1] += words
        elif words:
            found.append(words)
    return [" ".join(words) for words in found]


def _means(logits: Mapping[str, Logits]) -> Floats:
    """The mean over the heads of both chances, a row a pair."""
    found = [softmax(logits[head].astype(np.float64), axis=1)[:, list(its)] for head, its in _HEADS.items()]
    mean: Floats = np.mean(found, axis=0)
    return mean
