"""The alignment benchmark: the three datasets of interpretable similarity, on gold chunks or on our own."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from postil.bench.result import BenchResult, Cell
from postil.bench.systems import AlignmentSystem, create
from postil.corpora.alignments import AlignedPair, ChunkedPair
from postil.corpora.chunkfiles import ChunkedSentence, project_chunks, read_chunks
from postil.corpora.ists import read_alignments
from postil.errors import MismatchError, MissingDataError
from postil.scoring.alignment import score_alignments, tally_alignments
from postil.scoring.score import make_signature

Dataset = tuple[list[AlignedPair], list[ChunkedPair]]


def run_alignment(train: Path | str, test: Path | str, system: str, *, chunks: str) -> BenchResult:
    """Train a registered system on the gold chunks of one folder; test it on another's, gold or our own."""
    started = time.perf_counter()
    training = read_datasets(train)
    model: AlignmentSystem = create("alignment", system)
    model.fit(
        [pair for pairs, _ in training.values() for pair in pairs],
        [pair for _, chunked in training.values() for pair in chunked],
    )
    cells = {}
    for name, (gold, chunked) in read_datasets(test).items():
        given = model.predict(chunked if chunks == "gold" else own_chunks(gold))
        cells[name] = Cell(score_alignments(gold, given), tally_alignments(gold, given))
    signature = make_signature("ists", system=system, chunks=chunks)
    return BenchResult("alignment", system, signature, {chunks: cells}, time.perf_counter() - started)


def read_datasets(folder: Path | str) -> dict[str, Dataset]:
    """Read `STSint.input.NAME.wa` (or `.testinput.`) and its gold chunks, by dataset name."""
    folder = Path(folder)
    datasets: dict[str, Dataset] = {}
    for file in sorted((*folder.glob("STSint.input.*.wa"), *folder.glob("STSint.testinput.*.wa"))):
        stem = file.name.removesuffix(".wa")
        name = stem.split("input.", 1)[1]
        gold = read_alignments(file)
        sources = read_chunks(folder / f"{stem}.sent1.chunk.txt")
        targets = read_chunks(folder / f"{stem}.sent2.chunk.txt")
        if not len(gold) == len(sources) == len(targets):
            raise MismatchError(
                f"{file} has {len(gold)} pairs, and its chunk files {len(sources)} and {len(targets)} lines.",
                hint="Line n of the chunk files belongs to the n-th pair.",
            )
        datasets[name] = (
            gold,
            [_chunked(file, *each) for each in zip(gold, sources, targets, strict=True)],
        )
    if not datasets:
        raise MissingDataError(
            f"{folder}: there are no files STSint.input.*.wa or STSint.testinput.*.wa here.",
            hint="docs/data.md shows the layout.",
        )
    return datasets


def own_chunks(pairs: Sequence[AlignedPair]) -> list[ChunkedPair]:
    """Cut the sentences of pairs into chunks with Postil's own chunker, tokens as they are."""
    from postil.text.pipeline import analyse_tokens

    documents = list(analyse_tokens(tokens for pair in pairs for tokens in (pair.source, pair.target)))
    chunks = [
        tuple(tuple(range(span.start + 1, span.end + 1)) for span in document.ists_chunks)
        for document in documents
    ]
    return [
        ChunkedPair(pair.id, pair.source, pair.target, *two)
        for pair, *two in zip(pairs, chunks[::2], chunks[1::2], strict=True)
    ]


def _chunked(file: Path, pair: AlignedPair, source: ChunkedSentence, target: ChunkedSentence) -> ChunkedPair:
    try:
        chunks = (project_chunks(pair.source, source), project_chunks(pair.target, target))
    except MismatchError as error:
        raise MismatchError(f"{file}, pair {pair.id}: {error.what}", hint=error.hint) from error
    return ChunkedPair(pair.id, pair.source, pair.target, *chunks)
