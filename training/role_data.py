"""PropBank roles on the UD English EWT trees, read, analysed by our own pipeline, and scored."""

from __future__ import annotations

import json
import lzma
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from postil.language.document import Predicate, Token
from postil.language.pipeline import Pipeline
from postil.language.role_features import Tree


@dataclass(frozen=True, slots=True)
class Frame:
    """A predicate of the corpus: the word, its roleset, and arguments as (role, start, end), end not included."""

    predicate: int
    roleset: str
    arguments: tuple[tuple[str, int, int], ...]


@dataclass(frozen=True, slots=True)
class Example:
    """A sentence with its frames and a tree, the corpus's own or the pipeline's."""

    words: tuple[str, ...]
    frames: tuple[Frame, ...]
    tree: Tree


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the corpus."""

    split: str
    words: tuple[str, ...]
    pos: tuple[str, ...]
    tags: tuple[str, ...]
    frames: tuple[Frame, ...]
    tokens: tuple[Token, ...]


def read_rows(path: Path) -> list[Row]:
    """Read the whole corpus."""
    rows = []
    with lzma.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            data = json.loads(line)
            columns = zip(
                data["tokens"],
                data["lemma"],
                data["upos"],
                data["xpos"],
                data["head"],
                data["deprel"],
                strict=True,
            )
            tokens = tuple(
                Token(i, word, 0, lemma, pos, tag, head - 1 if head else i, relation if head else "root")
                for i, (word, lemma, pos, tag, head, relation) in enumerate(columns)
            )
            frames = {
                frame["pred"]: Frame(
                    frame["pred"], frame["roleset"], tuple((role, a, b + 1) for role, a, b in frame["args"])
                )
                for frame in data["frames"]
            }
            rows.append(
                Row(
                    data["split"],
                    tuple(data["tokens"]),
                    tuple(data["upos"]),
                    tuple(data["xpos"]),
                    tuple(frames.values()),
                    tokens,
                )
            )
    return rows


def rough(row: Row) -> Row:
    """The sentence as a hurried student types it: lower case, no punctuation; frames move with their words."""
    keep = [i for i, pos in enumerate(row.pos) if pos != "PUNCT"]
    if not keep:
        return row
    place = {old: new for new, old in enumerate(keep)}
    frames = []
    for frame in row.frames:
        if frame.predicate in place:
            arguments = []
            for role, start, end in frame.arguments:
                inside = [place[i] for i in range(start, end) if i in place]
                if inside:
                    arguments.append((role, inside[0], inside[-1] + 1))
            frames.append(Frame(place[frame.predicate], frame.roleset, tuple(arguments)))
    words = tuple(row.words[i].lower() for i in keep)
    pos, tags = tuple(row.pos[i] for i in keep), tuple(row.tags[i] for i in keep)
    return replace(row, words=words, pos=pos, tags=tags, frames=tuple(frames), tokens=())


def gold(rows: Iterable[Row]) -> list[Example]:
    """Sentences with the corpus's own trees."""
    return [Example(row.words, row.frames, Tree(row.tokens)) for row in rows]


def analysed(pipeline: Pipeline, rows: Sequence[Row]) -> list[Example]:
    """Sentences with the trees that the pipeline gives them."""
    documents = pipeline.analyse_tokens(row.words for row in rows)
    return [
        Example(row.words, row.frames, Tree(document.tokens))
        for row, document in zip(rows, documents, strict=True)
    ]


def f1(hits: int, given: int, wanted: int) -> float:
    """The harmonic mean of precision and recall."""
    return round(2 * hits / (given + wanted), 4) if given + wanted else 0.0


def head_of(tree: Tree, start: int, end: int) -> int:
    """The word of a stretch that hangs on a word outside it; the highest where there are several."""
    roots = [i for i in range(start, end) if not start <= tree.heads[i] < end or tree.heads[i] == i]
    worded = [i for i in roots if tree.tokens[i].pos != "PUNCT"] or roots
    return min(worded, key=lambda i: len(tree.above(i, 200)))


def score(examples: Sequence[Example], answers: Sequence[Sequence[Predicate]]) -> dict[str, float]:
    """F1 of predicates, of arguments (span and role), of their head words, of core arguments; roleset accuracy."""
    n: Counter[str] = Counter()
    for example, predicates in zip(examples, answers, strict=True):
        wanted = {frame.predicate: frame for frame in example.frames}
        n["predicates wanted"] += len(wanted)
        n["predicates given"] += len(predicates)
        both = [predicate for predicate in predicates if predicate.index in wanted]
        n["predicates hits"] += len(both)
        n["rolesets"] += sum(one.roleset == wanted[one.index].roleset for one in both)
        spans = {(f.predicate, r, a, b) for f in example.frames for r, a, b in f.arguments}
        found = {(p.index, a.role, a.start, a.end) for p in predicates for a in p.arguments}
        _count(n, "arguments", spans, found)
        _count(
            n,
            "core",
            {s for s in spans if s[1][3:4].isdecimal()},
            {s for s in found if s[1][3:4].isdecimal()},
        )
        _count(n, "unlabelled", {(p, a, b) for p, _, a, b in spans}, {(p, a, b) for p, _, a, b in found})
        heads = {(p, r, head_of(example.tree, a, b)) for p, r, a, b in spans}
        _count(n, "heads", heads, {(p, r, head_of(example.tree, a, b)) for p, r, a, b in found})
    figures = {
        name: f1(n[f"{name} hits"], n[f"{name} given"], n[f"{name} wanted"])
        for name in ("predicates", "arguments", "core", "unlabelled", "heads")
    }
    figures["precision"] = round(n["arguments hits"] / max(1, n["arguments given"]), 4)
    figures["recall"] = round(n["arguments hits"] / max(1, n["arguments wanted"]), 4)
    figures["roleset accuracy"] = round(n["rolesets"] / max(1, n["predicates hits"]), 4)
    return figures


def _count(n: Counter[str], name: str, wanted: set, found: set) -> None:
    n[f"{name} wanted"] += len(wanted)
    n[f"{name} given"] += len(found)
    n[f"{name} hits"] += len(wanted & found)
