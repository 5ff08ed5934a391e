"""The alignment benchmark: the three datasets of interpretable similarity, on gold chunks and on our own."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from postil.data.alignments import AlignedPair, ChunkedPair
from postil.data.formats.ists import read_alignments
from postil.data.formats.pairfiles import chunk_files, read_gold_chunks
from postil.errors import MissingDataError
from postil.research.result import BenchResult, Cell, Cells
from postil.research.systems import AlignmentSystem, create
from postil.scoring.alignment import score_alignments, tally_alignments
from postil.scoring.score import make_signature

Dataset = tuple[list[AlignedPair], list[ChunkedPair]]
CHUNKS = ("gold", "system")


def run_alignment(
    train: Path | str, test: Path | str, system: str, *, chunks: Sequence[str] = CHUNKS
) -> BenchResult:
    """Train a registered system on the gold chunks of one folder; test it on another's, gold and our own."""
    from postil.alignment.pairs import own_chunks

    started = time.perf_counter()
    training = read_datasets(train)
    model: AlignmentSystem = create("alignment", system)
    model.fit(
        [pair for pairs, _ in training.values() for pair in pairs],
        [pair for _, chunked in training.values() for pair in chunked],
    )
    cells: Cells = {kind: {} for kind in chunks}
    for name, (gold, chunked) in read_datasets(test).items():
        for kind in chunks:
            given = model.predict(chunked if kind == "gold" else own_chunks(gold))
            cells[kind][name] = Cell(score_alignments(gold, given), tally_alignments(gold, given))
    signature = make_signature("ists", system=system, chunks="+".join(chunks))
    return BenchResult("alignment", system, signature, cells, time.perf_counter() - started)


def read_datasets(folder: Path | str) -> dict[str, Dataset]:
    """Read `STSint.input.NAME.wa` (or `.testinput.`) and its gold chunks, by dataset name."""
    folder = Path(folder)
    datasets: dict[str, Dataset] = {}
    for file in sorted((*folder.glob("STSint.input.*.wa"), *folder.glob("STSint.testinput.*.wa"))):
        name = file.name.removesuffix(".wa").split("input.", 1)[1]
        gold = read_alignments(file)
        datasets[name] = (gold, read_gold_chunks(gold, chunk_files([file])))
    if not datasets:
        raise MissingDataError(
            f"{folder}: there are no files STSint.input.*.wa or STSint.testinput.*.wa here.",
            hint="docs/data.md shows the layout.",
        )
    return datasets
