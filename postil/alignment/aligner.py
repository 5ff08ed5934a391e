"""Align two sentences: chunks linked many-to-many, each link typed and scored.

>>> from postil.alignment.aligner import load_aligner
>>> pair, = load_aligner().align_texts([("12 killed in bus accident", "10 killed in road accident")])
>>> [(one.type, one.score) for one in pair.alignments if one.type == "EQUI"]
[('EQUI', 5.0)]
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from postil.alignment.contraries import OPPOSED, additions, contrary, lone_additions, widened
from postil.alignment.features import Pair, features, prepare, read
from postil.alignment.optimiser import Candidate, Choice, Group, choose, groups
from postil.alignment.words import Members
from postil.data.arrays import Floats
from postil.data.judgements import APPROXIMATE, TYPES, AlignedPair, Alignment, ChunkedPair, Chunks
from postil.errors import InputError
from postil.language import pipeline
from postil.language.document import Document
from postil.language.pipeline import analyse_many, analyse_tokens
from postil.language.reader import ahead, one_thread_each, open_network

# Pairs of sentences in Postil's own chunks, for alignment.


def own_chunks(pairs: Sequence[AlignedPair]) -> list[ChunkedPair]:
    """Cut the sentences of pairs into chunks, tokens as they are."""
    sentences = (tokens for pair in pairs for tokens in (pair.source, pair.target))
    chunks = [chunks_of(document) for document in pipeline.analyse_tokens(sentences)]
    return [
        ChunkedPair(pair.id, pair.source, pair.target, *two)
        for pair, *two in zip(pairs, chunks[::2], chunks[1::2], strict=True)
    ]


def chunks_of(document: Document) -> Chunks:
    """The token numbers (from 1) of a document's chunks."""
    return tuple(tuple(range(span.start + 1, span.end + 1)) for span in document.ists_chunks)


# From the chances of types and scores to one type and one score, within the guideline's rules.

LINK_TYPES = TYPES[:-1]  # what aligned chunks can be
SCORES = (1, 2, 3, 4)  # of aligned chunks that are not equivalent
_EQUIVALENT = 5


def typed(types: Floats, scores: Floats) -> tuple[str, float]:
    """The type and score with the greatest expected credit: a score is worth less the farther it is off.

    Equivalent chunks score 5, others 1 to 4: no other answer can be given.
    """
    closeness = 1 - np.abs(np.subtract.outer(np.array(SCORES), np.array(SCORES))) / 5
    expected = closeness @ scores
    best = int(np.argmax([types[0], *(types[1:] * expected.max())]))
    score = _EQUIVALENT if best == 0 else SCORES[int(expected.argmax())]
    return LINK_TYPES[best], float(score)


Table = NDArray[np.float32]
Predict = Callable[[Table], Floats]  # from rows of features to chances
Analysed = tuple[Sequence[ChunkedPair], Sequence[Document]]  # two documents a pair
Item = TypeVar("Item")

# A link is drawn when its chance is better than this: both misses and errors cost.
_LEAST_CHANCE = 0.42
_BATCH = 64
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
        """Align sentences whose chunks are given."""

        def analysed(batch: Sequence[ChunkedPair]) -> Analysed:
            words = (words for pair in batch for words in (pair.source, pair.target))
            return batch, list(analyse_tokens(words))

        return self._in_batches(pairs, lambda pair: (" ".join(pair.source), " ".join(pair.target)), analysed)

    def align_texts(self, texts: Sequence[tuple[str, str]]) -> list[AlignedPair]:
        """Align sentences as they are written, in Postil's own chunks."""

        def analysed(batch: Sequence[tuple[int, tuple[str, str]]]) -> Analysed:
            documents = list(analyse_many([text for _, pair in batch for text in pair]))
            sides = zip(batch, documents[::2], documents[1::2], strict=True)
            return [chunked_pair(str(number), *two) for (number, _), *two in sides], documents

        return self._in_batches(list(enumerate(texts, start=1)), lambda item: item[1], analysed)

    def _in_batches(
        self,
        items: Sequence[Item],
        texts: Callable[[Item], tuple[str, str]],
        analysed: Callable[[Sequence[Item]], Analysed],
    ) -> list[AlignedPair]:
        """Align some pairs at a time; the encoder reads the texts of the next ones meanwhile."""
        batches = [items[start : start + _BATCH] for start in range(0, len(items), _BATCH)]
        read_ahead = ahead(read, ([texts(item) for item in batch] for batch in batches))
        found: list[AlignedPair] = []
        with one_thread_each():
            for batch, reading in zip(batches, read_ahead, strict=True):
                pairs, documents = analysed(batch)
                found += self.align_prepared(pairs, prepare(pairs, documents, reading.result()))
        return found

    def align_prepared(self, pairs: Sequence[ChunkedPair], prepared: Sequence[Pair]) -> list[AlignedPair]:
        """Align sentences whose words have been compared."""
        tables = [single_table(pair) for pair in prepared]
        chances = _by_pair(self.models.aligned, tables, 1)
        grouped = [list(groups(one[..., 0])) if one.size else [] for one in chances]
        group_tables = [
            group_table(pair, some, one[..., 0])
            for pair, some, one in zip(prepared, grouped, chances, strict=True)
        ]
        group_chances = _by_pair(self.models.grouped, group_tables, 1)
        chosen = [
            choose(list(_candidates(pair, one[..., 0], some, more[..., 0])))
            for pair, one, some, more in zip(prepared, chances, grouped, group_chances, strict=True)
        ]
        link_tables = [
            _chosen_rows(table, more, some, choice.links)
            for table, more, some, choice in zip(tables, group_tables, grouped, chosen, strict=True)
        ]
        types = _by_pair(self.models.types, link_tables, 6)
        scores = _by_pair(self.models.scores, link_tables, 4)
        return [
            _aligned(pair, prepared[row], choice, types[row], scores[row])
            for row, (pair, choice) in enumerate(zip(pairs, chosen, strict=True))
        ]


def chunked_pair(name: str, first: Document, second: Document) -> ChunkedPair:
    """Two documents in Postil's own chunks."""
    words, others = (tuple(token.text for token in one.tokens) for one in (first, second))
    return ChunkedPair(name, words, others, chunks_of(first), chunks_of(second))


def single_table(pair: Pair) -> Table:
    """What is known about every chunk beside every other: (first, second, features)."""
    return _table(pair, pair.first_chunks, pair.second_chunks)


def group_table(pair: Pair, wanted: Sequence[Group], chances: Floats) -> Table:
    """The same for groups, a row each, and then how likely their chunks are aligned one by one."""
    rows = []
    for start in range(0, len(wanted), _GROUPS):
        some = wanted[start : start + _GROUPS]
        # Many groups share a side: all sides at once, and of the table only what is wanted.
        firsts, seconds = (list(dict.fromkeys(group[side] for group in some)) for side in (0, 1))
        together = (_joined(pair.first_chunks, firsts), _joined(pair.second_chunks, seconds))
        table = _table(pair, *together, alone=True)
        for first, second in some:
            own = table[firsts.index(first), seconds.index(second)]
            rows.append([*own, *_chances_of(first, second, chances)])
    return np.array(rows, np.float32) if rows else np.zeros((0, 1), np.float32)


def _joined(chunks: Members, groups: Sequence[tuple[int, ...]]) -> Members:
    """Which words each group of chunks has."""
    return np.stack([chunks[list(group)].any(axis=0) for group in groups])


def _chances_of(first: tuple[int, ...], second: tuple[int, ...], chances: Floats) -> Iterator[float]:
    """How likely a group's chunks are aligned one by one, how far apart they are, and with others instead."""
    each = chances[np.ix_(first, second)]
    yield from (each.min(), each.max(), max(first[-1] - first[0], second[-1] - second[0]) - 1)
    yield np.delete(chances, first, axis=0)[:, second].max(initial=0)
    yield np.delete(chances, second, axis=1)[first, :].max(initial=0)


def _table(pair: Pair, first: Members, second: Members, *, alone: bool = False) -> Table:
    if not len(first) or not len(second):
        return np.zeros((len(first), len(second), 1), np.float32)
    columns = features(pair, first, second, alone=alone)
    found = np.empty((len(first), len(second), len(columns)), np.float32)
    for number, values in enumerate(columns.values()):
        found[..., number] = values
    return found


def _by_pair(predict: Predict, tables: Sequence[Table], outputs: int) -> list[Floats]:
    """What a model says of the rows of several tables, asked at once."""
    shapes = [table.shape[:-1] for table in tables]
    sizes = [int(np.prod(shape)) for shape in shapes]
    filled = [table.reshape(size, -1) for table, size in zip(tables, sizes, strict=True) if size]
    said = predict(np.concatenate(filled)) if filled else np.zeros((0, outputs))
    parts = np.split(said, np.cumsum(sizes)[:-1])
    return [part.reshape(*shape, outputs) for part, shape in zip(parts, shapes, strict=True)]


def _candidates(pair: Pair, chances: Floats, some: Sequence[Group], more: Floats) -> Iterator[Candidate]:
    """Every link that may be drawn; it is worth more the longer its chunks are, as the task counts words."""
    lengths = [side.sum(axis=1) for side in (pair.first_chunks, pair.second_chunks)]
    for row, column in np.argwhere(chances > _LEAST_CHANCE).tolist():
        size = max(lengths[0][row], lengths[1][column])
        yield Candidate((row,), (column,), float(chances[row, column] - _LEAST_CHANCE) * float(size))
    for (first, second), chance in zip(some, more, strict=True):
        size = max(lengths[0][list(first)].sum(), lengths[1][list(second)].sum())
        yield Candidate(first, second, float(chance - _LEAST_CHANCE) * float(size))


def _chosen_rows(table: Table, more: Table, some: Sequence[Group], links: Sequence[Candidate]) -> Table:
    """The features of the links that were chosen."""
    places = {group: row for row, group in enumerate(some)}
    width = table.shape[-1]
    rows = [
        more[places[one.first, one.second], :width]
        if (one.first, one.second) in places
        else table[one.first[0], one.second[0]]
        for one in links
    ]
    return np.array(rows, np.float32).reshape(len(rows), width)


def _aligned(pair: ChunkedPair, compared: Pair, choice: Choice, types: Floats, scores: Floats) -> AlignedPair:
    first, second = compared.first.document, compared.second.document
    found: list[Alignment] = []
    drawn = widened(compared, choice.links)
    for one, its_types, its_scores in zip(drawn, types, scores, strict=True):
        source, target = _tokens(pair.source_chunks, one.first), _tokens(pair.target_chunks, one.second)
        kind, score = OPPOSED if contrary(compared, one) else typed(its_types, its_scores)
        found.append(Alignment(source, target, (kind, *additions(first, second, source, target)), score))
    taken = {chunk for one in drawn for chunk in one.chunks}
    alone = [
        [chunk for number, chunk in enumerate(chunks) if (side, number) not in taken]
        for side, chunks in enumerate((pair.source_chunks, pair.target_chunks))
    ]
    lost = [[token for chunk in chunks for token in chunk] for chunks in alone]
    for chunk in alone[0]:
        labels = ("NOALI", *lone_additions(first, chunk, second, lost[1]))
        found.append(Alignment(chunk, (), labels, None))
    for chunk in alone[1]:
        labels = ("NOALI", *lone_additions(second, chunk, first, lost[0]))
        found.append(Alignment((), chunk, labels, None))
    status = "" if choice.exact else APPROXIMATE
    return AlignedPair(pair.id, pair.source, pair.target, tuple(found), status=status)


def _tokens(chunks: Chunks, numbers: Sequence[int]) -> tuple[int, ...]:
    return tuple(sorted(token for number in numbers for token in chunks[number]))


@cache
def load_aligner() -> Aligner:
    """The aligner that ships."""

    return Aligner(load_models())


# The learned models of the aligner as they ship: boosted trees in ONNX, run by onnxruntime.

FORMAT = 1
NAMES = ("aligned", "grouped", "types", "scores")
OUTPUTS = {"aligned": 1, "grouped": 1, "types": 6, "scores": 4}


def load_models(folder: Path | None = None) -> Models:
    """The models that ship, or those in a folder."""
    if folder is None:
        with as_file(files("postil.resources").joinpath("aligner")) as path:
            return load_models(path)
    about = json.loads((folder / "aligner.json").read_text("utf-8"))
    if about.get("format") != FORMAT:
        raise InputError(folder / "aligner.json", "was made by another version of Postil.")
    return Models(*(_predict(folder / f"{name}.onnx", about["classes"][name], name) for name in NAMES))


def _predict(path: Path, classes: list[int], name: str) -> Predict:
    """A function from rows of features to chances, a column a class, also for classes never learned."""
    session = open_network(path)

    def predict(rows: Table) -> Floats:
        (said,) = session.run(["probabilities"], {"rows": rows})
        if OUTPUTS[name] == 1:
            return np.asarray(said[:, -1:], np.float64)
        found = np.zeros((len(rows), OUTPUTS[name]))
        found[:, classes] = said
        return found

    return predict
