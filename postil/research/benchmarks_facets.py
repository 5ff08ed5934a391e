"""The facet benchmark: which words of the reference an answer leaves out, on tables of gaps.

The units are the reference's words, not anybody's facets, so that systems with different facets compare.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from postil.data.formats.gaps import GapRow, read_gaps
from postil.data.labels import Scheme
from postil.errors import PostilError
from postil.research.result import BenchResult, Cell, Cells
from postil.research.systems import FacetSystem, create
from postil.scoring.classes import class_scores, tally_classes
from postil.scoring.score import Score, make_signature
from postil.scoring.tally import group_numbers

Progress = Callable[[int, int, str], None]
Called = Sequence[tuple[bool, ...]]  # for each row, for each word, whether it is called missing

METRICS = ("accuracy", "macro_f1", "weighted_f1")
_OUTCOMES = Scheme("gaps", ("missing", "expressed"))


def run_facets(gaps: Sequence[Path], system: str, *, progress: Progress | None = None) -> BenchResult:
    """Score a registered system on tables of gaps: over all rows, and over those with a part missing."""
    started = time.perf_counter()
    tables = {path.stem: read_gaps(path) for path in map(Path, gaps)}
    if len(tables) < len(gaps):
        raise PostilError("two tables have the same name.", hint="Results are filed under the file's name.")
    cells: Cells = {"words": {}, "partial": {}}
    for number, (stem, rows) in enumerate(tables.items(), start=1):
        model: FacetSystem = create("facets", system)
        model.fit(rows)
        called = model.predict([replace(row, gap="") for row in rows])
        cells["words"][stem] = _cell(rows, called, system)
        partial = [place for place, row in enumerate(rows) if row.is_partial]
        if partial:
            some = [rows[place] for place in partial]
            cells["partial"][stem] = _cell(some, [called[place] for place in partial], system)
        if progress:
            progress(number, len(tables), "tables")
    signature = make_signature("gaps", system=system, rows=sum(map(len, tables.values())))
    return BenchResult("facets", system, signature, cells, time.perf_counter() - started)


def _cell(rows: Sequence[GapRow], called: Called, system: str) -> Cell:
    """Score the words of some rows; those of one row belong together."""
    gold = [_OUTCOMES.labels[0 if missing else 1] for row in rows for missing in row.missing]
    told = [_OUTCOMES.labels[0 if missing else 1] for words in called for missing in words]
    tally = tally_classes(gold, told, _OUTCOMES)
    values = tally.values()
    score = Score(
        {name: values[name] for name in METRICS},
        "macro_f1",
        make_signature("gaps", system=system, rows=len(rows), n=tally.size),
        tally.size,
        class_scores(tally, _OUTCOMES),
    )
    groups = group_numbers([str(number) for number, row in enumerate(rows) for _ in row.words])
    return Cell(score, tally, groups, {"rows": len(rows)})
