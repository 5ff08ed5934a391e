"""Chunks from BIO tags, in the two conventions: CoNLL-2000's and iSTS's.

iSTS's convention ("a preposition joins its noun phrase", "a verb its particle") is close to CoNLL's but not a
function of it, and headlines have their own grammar. The network's own head for it learned the few thousand
sentences by heart; together with the linear model here (over the tags, tree and CoNLL chunks around each
token) it errs less than either.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Self

from postil.errors import PostilError
from postil.language.document import Span, Token


def spans_of(tags: Iterable[str]) -> tuple[Span, ...]:
    """The spans that BIO tags mark; an I that continues nothing begins a span, as in conlleval."""
    spans: list[Span] = []
    start, kind = -1, ""
    for index, tag in enumerate(chain(tags, "O")):
        position, _, label = tag.partition("-")
        if start >= 0 and (position != "I" or label != kind):
            spans.append(Span(start, index, kind))
            start = -1
        if position == "B" or (position == "I" and start < 0):
            start, kind = index, label
    return tuple(spans)


def tags_of(spans: Sequence[Span], size: int) -> list[str]:
    """The BIO tags of spans over `size` tokens."""
    tags = ["O"] * size
    for span in spans:
        kind = f"-{span.kind}" if span.kind else ""
        tags[span.start : span.end] = [f"B{kind}", *[f"I{kind}"] * (span.end - span.start - 1)]
    return tags


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


def _facts(tokens: Sequence[Token], chunk_tags: Sequence[str], index: int) -> Facts:
    if not 0 <= index < len(tokens):
        return _EDGE
    token = tokens[index]
    first = token.text[:1]
    shape = "X" if token.text.isupper() else "Xx" if first.isupper() else "d" if first.isdigit() else "x"
    return token.text.lower(), token.tag, token.relation, chunk_tags[index], token.head, shape


def keys_at(tokens: Sequence[Token], chunk_tags: Sequence[str], index: int) -> tuple[Key, ...]:
    """What the model sees of a token, one key for each of `TEMPLATES`.

    Keys are the words and tags themselves, or tuples of them: looking these up is several times faster than
    building a string for each.
    """
    tag2 = tokens[index - 2].tag if index > 1 else "^"
    word1, tag1, dep1, chunk1, head1, shape1 = _facts(tokens, chunk_tags, index - 1)
    word, tag, dep, chunk, head, shape = _facts(tokens, chunk_tags, index)
    next_word, next_tag, _, next_chunk, _, _ = _facts(tokens, chunk_tags, index + 1)
    return (
        tag, tag1, tag2, next_tag, (tag1, tag), (tag, next_tag), (tag1, tag, next_tag),
        chunk, chunk1, next_chunk, (chunk1, chunk), (chunk1, chunk, next_chunk),
        word, word1, next_word, (word1, word), dep, dep1, (dep1, dep),
        (head == index - 1, head1 == index, head == head1, dep1, dep),
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
        for index in range(1, len(tokens)):
            total = votes[index]
            if -SURE < total < SURE:
                total += self.bias
                for get, key in zip(getters, keys_at(tokens, chunk_tags, index), strict=False):
                    total += get(key, 0.0)
            tags.append("B" if total > 0 else "I")
        return tags

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a model written by `save`."""
        data = json.loads(path.read_text(encoding="utf-8"))
        if list(data["tables"]) != list(TEMPLATES):
            raise PostilError(
                f"{path.name} was made for features that this version of Postil does not compute.",
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
        """Write the model as JSON, weights as hundredths; those that round to 0 are left out."""
        tables = {}
        for name, table in zip(TEMPLATES, self.tables, strict=True):
            rounded = sorted(((key, round(100 * weight)) for key, weight in table.items()), key=str)
            entries = [(key, weight) for key, weight in rounded if weight]
            tables[name] = {"keys": [key for key, _ in entries], "weights": [weight for _, weight in entries]}
        text = json.dumps({"bias": self.bias, "tables": tables}, ensure_ascii=False, separators=(",", ":"))
        path.write_text(text, encoding="utf-8")


NO_BOUNDARIES = BoundaryModel((), 0.0)
