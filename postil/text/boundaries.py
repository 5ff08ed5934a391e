"""iSTS chunk boundaries: a linear model over the tags, tree and CoNLL chunks around each token.

The convention ("a preposition joins its noun phrase", "a verb its particle") is close to CoNLL's but not a
function of it, and headlines have their own grammar. The network's own head for it learned the few thousand
sentences by heart; the two together err less than either.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from postil.text.document import Token

_EDGE = ("^", "^", "^", "^", "O", -1)


def _shape(word: str) -> str:
    if word.isupper():
        return "X"
    return "Xx" if word[:1].isupper() else "d" if word[:1].isdigit() else "x"


def features(tokens: Sequence[Token], chunk_tags: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """What the model sees of each token: words, tags, relations and chunks of it and its neighbours."""
    facts = [
        (token.text.lower(), token.tag, token.relation, token.pos, chunk, token.head)
        for token, chunk in zip(tokens, chunk_tags, strict=True)
    ]
    padded = [_EDGE, _EDGE, *facts, _EDGE]
    for place, token in enumerate(tokens):
        (_, tag2, _, _, _, _), (word1, tag1, dep1, _, chunk1, head1) = padded[place], padded[place + 1]
        word, tag, dep, _, chunk, head = padded[place + 2]
        next_word, next_tag, _, _, next_chunk, _ = padded[place + 3]
        tie = f"{head == place - 1}{head1 == place}{head == head1}"
        before = tokens[place - 1].text if place else ""
        yield (
            f"t {tag}", f"t1 {tag1}", f"t2 {tag2}", f"n {next_tag}", f"tt {tag1} {tag}",
            f"tn {tag} {next_tag}", f"ttn {tag1} {tag} {next_tag}", f"c {chunk}", f"c1 {chunk1}",
            f"cn {next_chunk}", f"cc {chunk1} {chunk}", f"ccn {chunk1} {chunk} {next_chunk}",
            f"w {word}", f"w1 {word1}", f"wn {next_word}",
            f"ww {word1} {word}", f"d {dep}", f"d1 {dep1}", f"dd {dep1} {dep}", f"y {tie} {dep1} {dep}",
            f"cw {chunk1} {word}", f"s {word[-3:]} {tag1}", f"x {_shape(before)} {_shape(token.text)}",
            f"tw {tag1} {word}", f"wt {word1} {tag}", f"dc {dep} {chunk} {chunk1}",
            f"h {tokens[head].pos} {dep}",
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class BoundaryModel:
    """Weights of features; a positive sum begins a chunk."""

    weights: Mapping[str, float]
    bias: float

    def __call__(
        self, tokens: Sequence[Token], chunk_tags: Sequence[str], margins: Sequence[float] = ()
    ) -> list[str]:
        """Tag each token B (a chunk begins) or I (it goes on); `margins` are the network's votes for B."""
        get = self.weights.get
        tags: list[str] = []
        for place, seen in enumerate(features(tokens, chunk_tags)):
            total = self.bias + (margins[place] if margins else 0.0)
            for feature in seen:
                total += get(feature, 0.0)
            tags.append("B" if total > 0 or not tags else "I")
        return tags

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a model written by `save`."""
        data = json.loads(path.read_text(encoding="utf-8"))
        return cls({name: weight / 100 for name, weight in data["weights"].items()}, data["bias"])

    def save(self, path: Path) -> None:
        """Write the model as JSON, weights as hundredths."""
        weights = {name: round(weight * 100) for name, weight in sorted(self.weights.items())}
        kept = {name: weight for name, weight in weights.items() if weight}
        text = json.dumps({"bias": self.bias, "weights": kept}, ensure_ascii=False, separators=(",", ":"))
        path.write_text(text, encoding="utf-8")
