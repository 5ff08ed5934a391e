"""The results of benchmarks, and Markdown tables of them beside the published figures.

Our figures have intervals, the best of each column is marked, and differences are tested for significance.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from postil.data.arrays import Bools
from postil.scoring.significance import Groups, Interval, Score, Tally, bootstrap, compare

# How the challenge's tables name the test sets of the response benchmark.
RESPONSE_COLUMNS = {
    "beetle/test-unseen-answers": "beetle_ua",
    "beetle/test-unseen-questions": "beetle_uq",
    "sciEntsBank/test-unseen-answers": "scientsbank_ua",
    "sciEntsBank/test-unseen-questions": "scientsbank_uq",
    "sciEntsBank/test-unseen-domains": "scientsbank_ud",
}
METRICS: Mapping[str, tuple[str, ...]] = {
    "responses": ("macro_f1", "weighted_f1"),  # a table each
    "alignment": ("f_align", "f_type", "f_score", "f_type_score"),
    "entailment": ("accuracy", "average_precision"),
    "facets": ("accuracy", "macro_f1", "weighted_f1"),
    "claims": ("auc", "average_precision", "macro_f1", "accuracy", "contradicted_f1"),
    "senses": ("precision", "recall", "attempted"),
}
# Rows of the published tables that are not systems and cannot be the best of a column.
_AGGREGATES = {"avg", "max", "median", "mean", "best", "lowest"}


@dataclass(frozen=True)
class Cell:
    """One test set under one scheme: its score, its tally, and which items belong together."""

    score: Score
    tally: Tally
    groups: Groups = None
    details: Mapping[str, Any] = field(default_factory=dict)
    known: Bools | None = None  # which items the system had learned from; None if it cannot tell

    @property
    def known_count(self) -> int:
        """How many items the system had learned from."""
        return 0 if self.known is None else int(self.known.sum())

    def without_known(self) -> dict[str, float]:
        """The figures on the items that the system had not learned from; none if all or none were known."""
        if self.known is None or not self.known.any() or self.known.all():
            return {}
        figures = self.tally.resampled((~self.known)[None].astype(float))
        return {name: float(figures[name][0]) for name in self.score.metrics if name in figures}

    def intervals(self, iterations: int, seed: int = 0) -> dict[str, Interval]:
        """95 % bootstrap intervals of the figures, by group where items belong together."""
        return bootstrap(self.tally, iterations=iterations, seed=seed, groups=self.groups)


Cells = dict[str, dict[str, Cell]]


@dataclass(frozen=True)
class BenchResult:
    """A system's figures on a benchmark: cells[scheme][test set]."""

    task: str
    system: str
    signature: str
    cells: Cells
    seconds: float

    def as_json(self, iterations: int = 0) -> dict[str, Any]:
        """The result as plain data; with `iterations`, every figure gets its bootstrap interval."""
        scores: dict[str, dict[str, Any]] = {scheme: {} for scheme in self.cells}
        for scheme, tests in self.cells.items():
            for test, cell in tests.items():
                data = scores[scheme][test] = cell.score.as_json() | dict(cell.details)
                if cell.known is not None:
                    data["known"] = cell.known_count
                if cell.known_count:
                    data["without_known"] = cell.without_known()
                if iterations:
                    intervals = cell.intervals(iterations)
                    data["intervals"] = {name: [each.low, each.high] for name, each in intervals.items()}
        about = {"task": self.task, "system": self.system, "signature": self.signature}
        return about | {"scores": scores, "seconds": round(self.seconds, 3)}


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """One system's published figures, by column."""

    system: str
    figures: dict[str, float]


@cache
def _rows(name: str) -> tuple[dict[str, str], ...]:
    text = files("postil.resources").joinpath("published", f"{name}.csv").read_text(encoding="utf-8")
    return tuple(csv.DictReader(text.splitlines()))


def _published(
    row: Mapping[str, str], names: Iterable[str], columns: Iterable[str] | None = None, system: str = "system"
) -> PublishedRow:
    """A row of a published table; figures are in `columns` or those of their names, blanks are left out."""
    cells = zip(names, columns or names, strict=True)
    return PublishedRow(row[system], {name: float(row[column]) for name, column in cells if row[column]})


def response_column(test: str) -> str | None:
    """The published column that a test set of ours corresponds to; cross-validation maps to its scenario."""
    return RESPONSE_COLUMNS.get(test.replace("/cv-", "/test-"))


def published_responses(scheme: str, metric: str) -> list[PublishedRow]:
    """The challenge's table for a scheme and metric, columns as in RESPONSE_COLUMNS's values."""
    rows = (row for row in _rows("sra") if (row["task"], row["metric"]) == (scheme, metric))
    return [_published(row, RESPONSE_COLUMNS.values()) for row in rows]


def published_alignment(chunks: str, dataset: str) -> list[PublishedRow]:
    """The task's table for one dataset on gold or system chunks, columns the four metrics."""
    key = (dataset, "gold" if chunks == "gold" else "sys")
    rows = (row for row in _rows("ists") if (row["dataset"], row["chunks"]) == key)
    return [_published(row, METRICS["alignment"]) for row in rows]


def published_entailment(test: str, scheme: str) -> list[PublishedRow]:
    """The published accuracies and average precisions for an RTE test set, by the name of its file."""
    name = test.lower().replace("_", "").replace("-", "")
    if "dev" in name:  # the published figures are those of the test sets
        return []
    metrics = METRICS["entailment"]
    if "rte3" in name and scheme == "2way":
        return [_published(row, metrics, system="team") for row in _rows("rte3_best")]
    if "rte4" in name:
        columns = (f"acc_{scheme}", f"ap_{scheme}")
        rows = [_published(row, metrics, columns, "run") for row in _rows("rte4")]
        return [row for row in rows if row.figures]
    return []


def published_senses() -> list[PublishedRow]:
    """The table of the Basque lexical-sample task."""
    return [_published(row, METRICS["senses"]) for row in _rows("senseval3_basque")]


@dataclass(frozen=True)
class Table:
    """One table: a title, column names, published rows and ours (a cell and a metric for each column)."""

    title: str
    columns: tuple[str, ...]
    published: tuple[tuple[str, tuple[float | None, ...]], ...]
    ours: tuple[tuple[str, tuple[tuple[Cell, str], ...]], ...]


def render(results: Sequence[BenchResult], *, iterations: int = 1000) -> str:
    """Render one or more systems' results on the same benchmark; the first is tested against the others."""
    first = results[0]
    crossed = any("/cv" in test for tests in first.cells.values() for test in tests)
    tables = list(tables_of(results))
    parts = [_render_table(table, iterations, crossed=crossed) for table in tables]
    timing = f"{first.system}: `{first.signature}`, {first.seconds:.1f} s."
    notes = [f"{timing} Brackets: 95 % bootstrap interval."]
    if crossed and any(table.published for table in tables):
        notes.append(
            "Ours is cross-validated on the training data, the published figures are on the official test "
            "sets: read them side by side, not as a ranking."
        )
    notes += (line for result in results for line in _known_lines(result))
    comparisons = [line for other in results[1:] for line in _comparison_lines(first, other, iterations)]
    if comparisons:
        parts.append("\n".join([f"Significance of {first.system} against other systems", "", *comparisons]))
    return "\n\n".join([*parts, "\n".join(notes)]) + "\n"


def tables_of(results: Sequence[BenchResult]) -> Iterator[Table]:
    """Lay out the tables of a benchmark: which columns, which published rows."""
    task = results[0].task
    for scheme, tests in results[0].cells.items():
        if task == "responses":
            yield from (_response_table(results, scheme, metric) for metric in METRICS[task])
        elif task == "senses":  # cells after the first are single words
            yield _metric_table(results, scheme, next(iter(tests)))
        else:
            yield from (_metric_table(results, scheme, test) for test in tests)


def _response_table(results: Sequence[BenchResult], scheme: str, metric: str) -> Table:
    tests = _distinct(results[0].cells[scheme])
    columns = [response_column(test) for test in tests]
    rows = published_responses(scheme, metric) if any(columns) else []
    published = tuple(
        (row.system, tuple(row.figures.get(column) if column else None for column in columns)) for row in rows
    )
    ours = tuple(
        (result.system, tuple((result.cells[scheme][test], metric) for test in tests)) for result in results
    )
    return Table(f"responses, {scheme}, {metric}", tests, published, ours)


def _distinct(tests: Iterable[str]) -> tuple[str, ...]:
    """The test sets worth a column: not a corpus's total when the corpus has only one set."""
    listed = list(tests)
    sets = Counter(test.split("/")[0] for test in listed if not test.endswith("all"))
    return tuple(test for test in listed if not test.endswith("/all") or sets[test.split("/")[0]] > 1)


def _metric_table(results: Sequence[BenchResult], scheme: str, test: str) -> Table:
    task = results[0].task
    metrics, published = METRICS[task], list[PublishedRow]()
    if task == "alignment":
        published = published_alignment(scheme, test)
    elif task == "entailment":
        published = published_entailment(test, scheme)
    elif task == "senses" and "basque" in test.lower():
        published = published_senses()
    rows = tuple((row.system, tuple(row.figures.get(metric) for metric in metrics)) for row in published)
    ours = tuple(
        (result.system, tuple((result.cells[scheme][test], metric) for metric in metrics))
        for result in results
    )
    return Table(f"{task}, {scheme}, {test}", metrics, rows, ours)


def _render_table(table: Table, iterations: int, *, crossed: bool) -> str:
    rivals = [row for name, row in table.published if name.lower() not in _AGGREGATES]
    if not (crossed and rivals):  # cross-validated figures do not compete with published ones
        rivals += [tuple(cell.score.metrics.get(metric) for cell, metric in row) for _, row in table.ours]
    best = [_best(row[index] for row in rivals) for index in range(len(table.columns))]
    lines = [
        f"### {table.title}",
        "",
        "| system | " + " | ".join(table.columns) + " |",
        "| --- |" + " ---: |" * len(table.columns),
    ]
    for name, row in table.published:
        rival = name.lower() not in _AGGREGATES
        cells = [_figure(value, top if rival else None) for value, top in zip(row, best, strict=True)]
        # Some systems of the organisers are marked with an asterisk, which means something in Markdown.
        escaped = name.replace("*", r"\*")
        lines.append(f"| {escaped} | " + " | ".join(cells) + " |")
    for name, own in table.ours:
        cells = []
        for (cell, metric), top in zip(own, best, strict=True):
            interval = cell.intervals(iterations).get(metric) if iterations else None
            cells.append(_figure(cell.score.metrics.get(metric), top, interval))
        lines.append(f"| *{name} (Postil)* | " + " | ".join(cells) + " |")
        if any(cell.known_count for cell, _ in own):
            others = (cell.without_known().get(metric) for cell, metric in own)
            figures = " | ".join(_figure(value, None) for value in others)
            lines.append(f"| *{name}, without what it knew (Postil)* | {figures} |")
    return "\n".join(lines)


def _best(figures: Iterable[float | None]) -> float | None:
    """The best figure of a column; a single figure is not the best of anything."""
    known = [figure for figure in figures if figure is not None]
    return max(known) if len(known) > 1 else None


def short(value: float) -> str:
    """A figure as tables print it: three digits, no leading zero."""
    text = f"{value:.3f}"
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def _figure(value: float | None, best: float | None, interval: Interval | None = None) -> str:
    if value is None:
        return "–"
    figure = f"**{short(value)}**" if value == best else short(value)
    return f"{figure} [{short(interval.low)}, {short(interval.high)}]" if interval else figure


def _known_lines(result: BenchResult) -> Iterator[str]:
    """A line about each test set that has items the system had learned from."""
    for scheme, tests in result.cells.items():
        for test in _distinct(tests):
            known, count = tests[test].known_count, tests[test].tally.size
            if known:
                yield f"{result.system} had learned from {known:,} of the {count:,} items of {scheme} {test}."


def _comparison_lines(first: BenchResult, other: BenchResult, iterations: int) -> Iterator[str]:
    """A line about each difference: how large it is, its interval, and whether chance could explain it."""
    for scheme, tests in first.cells.items():
        for test in _distinct(tests):
            cell, rival = tests[test], other.cells.get(scheme, {}).get(test)
            if rival is None:
                continue
            resamples = max(iterations, 1000)
            comparisons = compare(cell.tally, rival.tally, resamples=resamples, groups=cell.groups)
            comparison = comparisons[cell.score.primary]
            interval = comparison.interval
            yield (
                f"- {scheme} {test}: {comparison.metric} {comparison.difference:+.3f} against {other.system} "
                f"[{interval.low:+.3f}, {interval.high:+.3f}], p = {comparison.p_value:.4f}, "
                f"{'significant' if comparison.significant else 'not significant'}"
            )
