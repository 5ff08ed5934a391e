"""Align two sentences: chunks linked many-to-many, each link typed and scored.

>>> from postil.alignment.aligner import load_aligner
>>> pair, = load_aligner().align_texts([("12 killed in bus accident", "10 killed in road accident")])
>>> [(link.type, link.score) for link in pair.alignments if link.type == "EQUI"]
[('EQUI', 5.0)]
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import TypeVar

import numpy as np

from postil.alignment.features import Members, Pair, features, prepare, read
from postil.alignment.optimiser import Candidate, Choice, Group, choose, groups
from postil.alignment.rules import OPPOSED, additions, completed, contrary, lone_additions, widened
from postil.data.arrays import Floats
from postil.data.arrays import Singles as Table
from postil.data.judgements import APPROXIMATE, TYPES, AlignedPair, Alignment, ChunkedPair, Chunks
from postil.errors import InputError
from postil.language.document import Document
from postil.language.network import ahead, one_thread_each, open_network
from postil.language.pipeline import analyse_many, analyse_tokens, beginning

Predict = Callable[[Table], Floats]  # from rows of features to chances
Analysed = tuple[Sequence[ChunkedPair], Sequence[Document]]  # two documents a pair
Item = TypeVar("Item")

FORMAT = 1
OUTPUTS = {"aligned": 1, "grouped": 1, "types": 6, "scores": 4}  # chances that each model gives
NAMES = tuple(OUTPUTS)
LINK_TYPES = TYPES[:-1]  # what aligned chunks can be
SCORES = (1, 2, 3, 4)  # of aligned chunks that are not equivalent
_EQUIVALENT = 5
_CLOSENESS = 1 - np.abs(np.subtract.outer(SCORES, SCORES)) / 5
# A link is drawn when its chance is better than this: both misses and errors cost.
_LEAST_CHANCE = 0.42
_BATCH = 64
MOST_ALIGNED = 200  # words and symbols of a text; what follows is not read
_GROUPS = 32  # groups looked at together: memory grows with the words of both sentences


@dataclass(frozen=True, slots=True)
class Models:
    """What has been learned: the chance that two chunks are aligned, that a group is, of types, of scores."""

    aligned: Predict
    grouped: Predict
    types: Predict
    scores: Predict


@dataclass(frozen=True, slots=True)
class Aligner:
    """Aligns pairs of sentences with learned models and an exact optimiser."""

    models: Models

    def align(self, pairs: Sequence[ChunkedPair]) -> list[AlignedPair]:
        """Align sentences whose chunks are given; chunks beyond `MOST_ALIGNED` tokens stay alone."""

        def analysed(batch: Sequence[ChunkedPair]) -> Analysed:
            words = (words for pair in batch for words in (pair.source, pair.target))
            return batch, list(analyse_tokens(words))

        def texts(pair: ChunkedPair) -> tuple[str, str]:
            return " ".join(pair.source), " ".join(pair.target)

        aligned = self._in_batches([_first_part(pair) for pair in pairs], texts, analysed)
        return [_with_the_rest(*both) for both in zip(pairs, aligned, strict=True)]

    def align_texts(self, texts: Sequence[tuple[str, str]]) -> list[AlignedPair]:
        """Align sentences as they are written, in Postil's own chunks."""

        def analysed(batch: Sequence[tuple[int, tuple[str, str]]]) -> Analysed:
            documents = list(
                analyse_many([beginning(text, MOST_ALIGNED) for _, pair in batch for text in pair])
            )
            sides = zip(batch, documents[::2], documents[1::2], strict=True)
            return [chunked_pair(str(number), *pair) for (number, _), *pair in sides], documents

        return self._in_batches(list(enumerate(texts, start=1)), lambda item: item[1], analysed)

    def _in_batches(
        self,
        items: Sequence[Item],
        texts: Callable[[Item], tuple[str, str]],
        analysed: Callable[[Sequence[Item]], Analysed],
    ) -> list[AlignedPair]:
        """Align some pairs at a time; meanwhile the encoder reads the texts of the next ones."""
        batches = [items[start : start + _BATCH] for start in range(0, len(items), _BATCH)]
        read_ahead = ahead(read, ([texts(item) for item in batch] for batch in batches))
        aligned: list[AlignedPair] = []
        with one_thread_each():
            for batch, reading in zip(batches, read_ahead, strict=True):
                pairs, documents = analysed(batch)
                aligned += self.align_prepared(pairs, prepare(pairs, documents, reading.result()))
        return aligned

    def align_prepared(self, pairs: Sequence[ChunkedPair], prepared: Sequence[Pair]) -> list[AlignedPair]:
        """Align sentences whose words have been compared."""
        tables = [single_table(pair) for pair in prepared]
        chances = [table[..., 0] for table in _by_pair(self.models.aligned, tables, 1)]
        grouped = [list(groups(table)) if table.size else [] for table in chances]
        group_tables = [group_table(*pair) for pair in zip(prepared, grouped, chances, strict=True)]
        group_chances = [table[..., 0] for table in _by_pair(self.models.grouped, group_tables, 1)]
        sides = zip(prepared, chances, grouped, group_chances, strict=True)
        choices = [choose(list(_candidates(*side))) for side in sides]
        rows = zip(tables, group_tables, grouped, choices, strict=True)
        link_tables = [_chosen_rows(*row) for row in rows]
        types = _by_pair(self.models.types, link_tables, OUTPUTS["types"])
        scores = _by_pair(self.models.scores, link_tables, OUTPUTS["scores"])
        return [_aligned(*pair) for pair in zip(pairs, prepared, choices, types, scores, strict=True)]


@cache
def load_aligner() -> Aligner:
    """The aligner that ships."""
    return Aligner(load_models())


def load_models(folder: Path | None = None) -> Models:
    """The models that ship, or those in a folder: boosted trees in ONNX, run by onnxruntime."""
    if folder is None:
        with as_file(files("postil.resources").joinpath("aligner")) as path:
            return load_models(path)
    about = json.loads((folder / "aligner.json").read_text("utf-8"))
    if about.get("format") != FORMAT:
        raise InputError(folder / "aligner.json", "was made by another version of Postil.")
    return Models(
        *(_predict(folder / f"{name}.onnx", about["classes"][name], OUTPUTS[name]) for name in NAMES)
    )


def _predict(path: Path, classes: list[int], outputs: int) -> Predict:
    """A function from rows of features to chances, a column a class, also for classes never learned."""
    session = open_network(path)

    def predict(rows: Table) -> Floats:
        (output,) = session.run(["probabilities"], {"rows": rows})
        if outputs == 1:
            return np.asarray(output[:, -1:], np.float64)
        chances = np.zeros((len(rows), outputs))
        chances[:, classes] = output
        return chances

    return predict


def own_chunks(pairs: Sequence[AlignedPair]) -> list[ChunkedPair]:
    """Cut the sentences of pairs into Postil's own chunks and leave their tokens as they are."""
    documents = analyse_tokens(tokens for pair in pairs for tokens in (pair.source, pair.target))
    chunks = [_chunks(document) for document in documents]
    sides = zip(pairs, chunks[::2], chunks[1::2], strict=True)
    return [ChunkedPair(pair.id, pair.source, pair.target, *both) for pair, *both in sides]


def chunked_pair(name: str, first: Document, second: Document) -> ChunkedPair:
    """Two documents in Postil's own chunks."""
    words, others = (tuple(token.text for token in document.tokens) for document in (first, second))
    return ChunkedPair(name, words, others, _chunks(first), _chunks(second))


def _chunks(document: Document) -> Chunks:
    """The token numbers (from 1) of a document's chunks."""
    return tuple(tuple(range(span.start + 1, span.end + 1)) for span in document.ists_chunks)


def _first_part(pair: ChunkedPair) -> ChunkedPair:
    """As much of two sentences as is read."""
    if max(len(pair.source), len(pair.target)) <= MOST_ALIGNED:
        return pair
    chunks = [
        tuple(chunk for chunk in side if max(chunk) <= MOST_ALIGNED)
        for side in (pair.source_chunks, pair.target_chunks)
    ]
    return ChunkedPair(pair.id, pair.source[:MOST_ALIGNED], pair.target[:MOST_ALIGNED], *chunks)


def _with_the_rest(pair: ChunkedPair, aligned: AlignedPair) -> AlignedPair:
    """The alignment of two whole sentences, of which the first parts are aligned."""
    if (aligned.source, aligned.target) == (pair.source, pair.target):
        return aligned
    beyond = [
        Alignment(chunk, (), ("NOALI",), None) for chunk in pair.source_chunks if max(chunk) > MOST_ALIGNED
    ]
    beyond += [
        Alignment((), chunk, ("NOALI",), None) for chunk in pair.target_chunks if max(chunk) > MOST_ALIGNED
    ]
    return replace(aligned, source=pair.source, target=pair.target, alignments=(*aligned.alignments, *beyond))


def single_table(pair: Pair) -> Table:
    """What is known about every chunk beside every other: (first, second, features)."""
    return _table(pair, pair.first_chunks, pair.second_chunks)


def group_table(pair: Pair, candidates: Sequence[Group], chances: Floats) -> Table:
    """The same for groups, a row each, and then how likely their chunks are aligned one by one."""
    rows = []
    for start in range(0, len(candidates), _GROUPS):
        batch = candidates[start : start + _GROUPS]
        # Many groups share a side: compute all sides at once and take the cells that are asked for.
        firsts, seconds = (list(dict.fromkeys(group[side] for group in batch)) for side in (0, 1))
        sides = ((pair.first_chunks, firsts), (pair.second_chunks, seconds))
        words = (np.stack([chunks[list(group)].any(axis=0) for group in groups]) for chunks, groups in sides)
        table = _table(pair, *words, alone=True)
        for first, second in batch:
            cell = table[firsts.index(first), seconds.index(second)]
            rows.append([*cell, *_chances_of(first, second, chances)])
    return np.array(rows, np.float32) if rows else np.zeros((0, 1), np.float32)


def _chances_of(first: tuple[int, ...], second: tuple[int, ...], chances: Floats) -> Iterator[float]:
    """How likely a group's chunks are aligned one by one, how far apart they are, and with others instead."""
    inside = chances[np.ix_(first, second)]
    yield from (inside.min(), inside.max(), max(first[-1] - first[0], second[-1] - second[0]) - 1)
    yield np.delete(chances, first, axis=0)[:, second].max(initial=0)
    yield np.delete(chances, second, axis=1)[first, :].max(initial=0)


def _table(pair: Pair, first: Members, second: Members, *, alone: bool = False) -> Table:
    if not len(first) or not len(second):
        return np.zeros((len(first), len(second), 1), np.float32)
    columns = features(pair, first, second, alone=alone)
    table = np.empty((len(first), len(second), len(columns)), np.float32)
    for number, values in enumerate(columns.values()):
        table[..., number] = values
    return table


def _by_pair(predict: Predict, tables: Sequence[Table], outputs: int) -> list[Floats]:
    """What a model says of the rows of several tables, asked at once."""
    shapes = [table.shape[:-1] for table in tables]
    sizes = [int(np.prod(shape)) for shape in shapes]
    filled = [table.reshape(size, -1) for table, size in zip(tables, sizes, strict=True) if size]
    chances = predict(np.concatenate(filled)) if filled else np.zeros((0, outputs))
    parts = np.split(chances, np.cumsum(sizes)[:-1])
    return [part.reshape(*shape, outputs) for part, shape in zip(parts, shapes, strict=True)]


def _candidates(
    pair: Pair, chances: Floats, grouped: Sequence[Group], group_chances: Floats
) -> Iterator[Candidate]:
    """Every link that may be drawn; it is worth more the longer its chunks are, as the task counts words."""
    lengths = [side.sum(axis=1) for side in (pair.first_chunks, pair.second_chunks)]
    likely = np.argwhere(chances > _LEAST_CHANCE).tolist()
    links = [(((row,), (column,)), chances[row, column]) for row, column in likely]
    for (first, second), chance in (*links, *zip(grouped, group_chances, strict=True)):
        size = max(lengths[0][list(first)].sum(), lengths[1][list(second)].sum())
        yield Candidate(first, second, float(chance - _LEAST_CHANCE) * float(size))


def _chosen_rows(table: Table, group_rows: Table, grouped: Sequence[Group], choice: Choice) -> Table:
    """The features of the links that were chosen."""
    row_of = {group: row for row, group in enumerate(grouped)}
    width = table.shape[-1]
    rows = [
        table[link.first[0], link.second[0]]
        if link.is_single
        else group_rows[row_of[link.first, link.second], :width]
        for link in choice.links
    ]
    return np.array(rows, np.float32).reshape(len(rows), width)


def _aligned(pair: ChunkedPair, compared: Pair, choice: Choice, types: Floats, scores: Floats) -> AlignedPair:
    documents = compared.first.document, compared.second.document
    chunks = pair.source_chunks, pair.target_chunks
    alignments: list[Alignment] = []
    links = completed(compared, widened(compared, choice.links))
    for link, type_chances, score_chances in zip(links, types, scores, strict=True):
        source, target = _tokens(chunks[0], link.first), _tokens(chunks[1], link.second)
        kind, score = OPPOSED if contrary(compared, link) else typed(type_chances, score_chances)
        alignments.append(Alignment(source, target, (kind, *additions(*documents, source, target)), score))
    taken = {chunk for link in links for chunk in link.chunks}
    alone = [[n for n in range(len(chunks[side])) if (side, n) not in taken] for side in (0, 1)]
    for side in (0, 1):
        own, other = documents[side], documents[1 - side]
        lost = _tokens(chunks[1 - side], alone[1 - side])
        for chunk in (chunks[side][number] for number in alone[side]):
            labels = ("NOALI", *lone_additions(own, chunk, other, lost))
            source, target = ((), chunk) if side else (chunk, ())
            alignments.append(Alignment(source, target, labels, None))
    status = "" if choice.exact else APPROXIMATE
    return AlignedPair(pair.id, pair.source, pair.target, tuple(alignments), status=status)


def typed(types: Floats, scores: Floats) -> tuple[str, float]:
    """The type and score with the greatest expected credit: a score is worth less the farther it is off.

    As the guideline says, equivalent chunks score 5 and others 1 to 4.
    """
    expected = _CLOSENESS @ scores
    best = int(np.argmax([types[0], *(types[1:] * expected.max())]))
    score = _EQUIVALENT if best == 0 else SCORES[int(expected.argmax())]
    return LINK_TYPES[best], float(score)


def _tokens(chunks: Chunks, numbers: Sequence[int]) -> tuple[int, ...]:
    return tuple(sorted(token for number in numbers for token in chunks[number]))
