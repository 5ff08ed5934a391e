"""Chunks from BIO tags, in the two conventions: CoNLL-2000's and iSTS's."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from postil.errors import PostilError
from postil.language.document import Span, Token


def spans_of(tags: Iterable[str]) -> tuple[Span, ...]:
    """The spans that BIO tags mark; an I that continues nothing begins a span, as conlleval has it."""
    found: list[Span] = []
    start, kind = -1, ""
    index = -1
    for index, tag in enumerate(tags):
        position, _, label = tag.partition("-")
        if start >= 0 and (position != "I" or label != kind):
            found.append(Span(start, index, kind))
            start = -1
        if position == "B" or (position == "I" and start < 0):
            start, kind = index, label
    if start >= 0:
        found.append(Span(start, index + 1, kind))
    return tuple(found)


def tags_of(spans: Sequence[Span], size: int) -> list[str]:
    """The BIO tags of spans over so many tokens."""
    tags = ["O"] * size
    for span in spans:
        kind = f"-{span.kind}" if span.kind else ""
        tags[span.start : span.end] = [f"B{kind}", *[f"I{kind}"] * (span.end - span.start - 1)]
    return tags


# iSTS chunk boundaries: a linear model over the tags, tree and CoNLL chunks around each token.
#
# The convention ("a preposition joins its noun phrase", "a verb its particle") is close to CoNLL's but not
# a function of it, and headlines have their own grammar. The network's own head for it learned the few
# thousand sentences by heart; the two together err less than either.

# Where the network is this sure, the linear model never overruled it (on 49,000 tokens), so it is not asked.
SURE = 4.0
Facts = tuple[str, str, str, str, int, str]
Key = str | tuple[str | bool, ...]
# What each key of `keys_at` is about: tag, chunk, word, relation; 1 before, n next.
TEMPLATES = (
    "tag", "tag1", "tag2", "tagn", "tag1+tag", "tag+tagn", "tag1+tag+tagn",
    "chunk", "chunk1", "chunkn", "chunk1+chunk", "chunk1+chunk+chunkn",
    "word", "word1", "wordn", "word1+word", "dep", "dep1", "dep1+dep",
    "tie",
    "chunk1+word", "suffix+tag1", "shapes", "tag1+word", "word1+tag",
    "dep+chunks", "head+dep",
)  # fmt: skip
_EDGE: Facts = ("^", "^", "^", "O", -1, "x")


def _shape(word: str) -> str:
    if word.isupper():
        return "X"
    return "Xx" if word[:1].isupper() else "d" if word[:1].isdigit() else "x"


def _facts(token: Token, chunk: str) -> Facts:
    return token.text.lower(), token.tag, token.relation, chunk, token.head, _shape(token.text)


def keys_at(tokens: Sequence[Token], chunk_tags: Sequence[str], place: int) -> tuple[Key, ...]:
    """What the model sees of a token, one key for each of `TEMPLATES`.

    Keys are the words and tags themselves, or tuples of them: to look these up is several times faster than
    to build a string for each.
    """
    tag2 = tokens[place - 2].tag if place > 1 else "^"
    word1, tag1, dep1, chunk1, head1, shape1 = (
        _facts(tokens[place - 1], chunk_tags[place - 1]) if place else _EDGE
    )
    word, tag, dep, chunk, head, shape = _facts(tokens[place], chunk_tags[place])
    next_word, next_tag, _, next_chunk, _, _ = (
        _facts(tokens[place + 1], chunk_tags[place + 1]) if place + 1 < len(tokens) else _EDGE
    )
    return (
        tag, tag1, tag2, next_tag, (tag1, tag), (tag, next_tag), (tag1, tag, next_tag),
        chunk, chunk1, next_chunk, (chunk1, chunk), (chunk1, chunk, next_chunk),
        word, word1, next_word, (word1, word), dep, dep1, (dep1, dep),
        (head == place - 1, head1 == place, head == head1, dep1, dep),
        (chunk1, word), (word[-3:], tag1), (shape1, shape), (tag1, word), (word1, tag),
        (dep, chunk, chunk1), (tokens[head].pos, dep),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class BoundaryModel:
    """Weights of features, a table for each template; a positive sum begins a chunk."""

    tables: tuple[Mapping[Key, float], ...]
    bias: float

    def __call__(
        self, tokens: Sequence[Token], chunk_tags: Sequence[str], margins: Sequence[float] = ()
    ) -> list[str]:
        """Tag each token B (a chunk begins) or I (it goes on); `margins` are the network's votes for B."""
        getters = [table.get for table in self.tables]
        votes = margins or [0.0] * len(tokens)
        tags = ["B"] if tokens else []
        for place in range(1, len(tokens)):
            total = votes[place]
            if -SURE < total < SURE:
                total += self.bias
                for get, key in zip(getters, keys_at(tokens, chunk_tags, place), strict=False):
                    total += get(key, 0.0)
            tags.append("B" if total > 0 else "I")
        return tags

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a model written by `save`."""
        data = json.loads(path.read_text(encoding="utf-8"))
        if list(data["tables"]) != list(TEMPLATES):
            raise PostilError(
                f"{path.name} was made for other features than this version of Postil computes.",
                hint="Build the pipeline again with training/pipeline.py, or reinstall Postil.",
            )
        tables = (
            {
                (tuple(key) if isinstance(key, list) else key): weight / 100
                for key, weight in zip(table["keys"], table["weights"], strict=True)
            }
            for table in data["tables"].values()
        )
        return cls(tuple(tables), data["bias"])

    def save(self, path: Path) -> None:
        """Write the model as JSON, weights as hundredths; what rounds to nothing is left out."""
        tables = {}
        for name, table in zip(TEMPLATES, self.tables, strict=True):
            kept = sorted(((key, round(100 * weight)) for key, weight in table.items()), key=str)
            kept = [(key, weight) for key, weight in kept if weight]
            tables[name] = {"keys": [key for key, _ in kept], "weights": [weight for _, weight in kept]}
        text = json.dumps({"bias": self.bias, "tables": tables}, ensure_ascii=False, separators=(",", ":"))
        path.write_text(text, encoding="utf-8")


NO_BOUNDARIES = BoundaryModel((), 0.0)


# The best sequence of tags, given each token's scores and how well tags follow one another.

Scores = NDArray[np.floating[Any]]

_NEVER = -1e9


def best_sequences(scores: Sequence[Scores], transitions: Scores, start: Scores) -> list[NDArray[np.intp]]:
    """Decode many sequences at once: for each the tag numbers whose log-probabilities add up to the most.

    `scores[i]` is tokens × tags, unnormalised; `transitions[a, b]` is added when b follows a, `start[b]` when
    a sequence begins with b.
    """
    lengths = np.array([len(rows) for rows in scores], dtype=np.intp)
    if not len(lengths) or not lengths.max():
        return [np.zeros(0, dtype=np.intp) for _ in scores]
    count, longest, tags = len(scores), int(lengths.max()), len(start)
    padded = np.zeros((longest, count, tags))
    for number, rows in enumerate(scores):
        if len(rows):
            values = np.asarray(rows, dtype=np.float64)
            padded[: len(rows), number] = values - np.logaddexp.reduce(values, axis=1, keepdims=True)
    best = padded[0] + start
    pointers = np.zeros((longest, count, tags), dtype=np.intp)
    stay = np.arange(tags)
    for step in range(1, longest):
        reached = best[:, :, None] + transitions
        chosen = reached.argmax(axis=1)
        running = (step < lengths)[:, None]
        # A sequence that has ended keeps its scores and points at itself.
        pointers[step] = np.where(running, chosen, stay)
        best = np.where(
            running, np.take_along_axis(reached, chosen[:, None, :], 1)[:, 0] + padded[step], best
        )
    path = np.zeros((longest, count), dtype=np.intp)
    path[-1] = best.argmax(axis=1)
    for step in range(longest - 1, 0, -1):
        path[step - 1] = np.take_along_axis(pointers[step], path[step][:, None], 1)[:, 0]
    return [path[:length, number] for number, length in enumerate(lengths)]


def bio_transitions(labels: Sequence[str], sequences: Sequence[Sequence[str]], weight: float) -> Scores:
    """How well BIO tags follow one another: what cannot follow never does, the rest by how often it did.

    The score is `weight` times the log of how much more often b followed a than b occurs at all.
    """
    number = {label: index for index, label in enumerate(labels)}
    counts = np.full((len(labels), len(labels)), 0.1)
    for sequence in sequences:
        for first, second in pairwise(sequence):
            counts[number[first], number[second]] += 1
    usual = counts.sum(axis=0) / counts.sum()
    scores = weight * (np.log(counts / counts.sum(axis=1, keepdims=True)) - np.log(usual))
    for row, label in enumerate(labels):
        for column, other in enumerate(labels):
            if other.startswith("I") and (label == "O" or label[1:] != other[1:]):
                scores[row, column] = _NEVER
    return np.asarray(scores)


def bio_start(labels: Sequence[str]) -> Scores:
    """A sequence cannot begin inside a chunk."""
    return np.array([_NEVER if label.startswith("I") else 0.0 for label in labels])
