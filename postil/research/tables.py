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

from postil.scoring.significance import Comparison, Groups, Interval, Score, Tally, bootstrap, compare

# How the challenge's tables name the test sets of the response benchmark.
RESPONSE_COLUMNS = {
    "beetle/test-unseen-answers": "beetle_ua",
    "beetle/test-unseen-questions": "beetle_uq",
    "sciEntsBank/test-unseen-answers": "scientsbank_ua",
    "sciEntsBank/test-unseen-questions": "scientsbank_uq",
    "sciEntsBank/test-unseen-domains": "scientsbank_ud",
}
_ALIGNMENT_METRICS = ("f_align", "f_type", "f_score", "f_type_score")
_ENTAILMENT_METRICS = ("accuracy", "average_precision")
_FACET_METRICS = ("accuracy", "macro_f1", "weighted_f1")
_SENSE_METRICS = ("precision", "recall", "attempted")
# Rows of the published tables that are not systems and cannot be the best of a column.
_AGGREGATES = {"avg", "max", "median", "mean", "best", "lowest"}


@dataclass(frozen=True)
class Cell:
    """One test set under one scheme: its score, its tally, and which items belong together."""

    score: Score
    tally: Tally
    groups: Groups = None
    details: Mapping[str, Any] = field(default_factory=dict)

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
        scores: dict[str, Any] = {}
        for scheme, tests in self.cells.items():
            scores[scheme] = {}
            for test, cell in tests.items():
                data = cell.score.as_json() | dict(cell.details)
                if iterations:
                    data["intervals"] = {
                        name: [interval.low, interval.high]
                        for name, interval in cell.intervals(iterations).items()
                    }
                scores[scheme][test] = data
        return {
            "task": self.task,
            "system": self.system,
            "signature": self.signature,
            "scores": scores,
            "seconds": round(self.seconds, 3),
        }


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """One system's published figures, by column."""

    system: str
    figures: dict[str, float]


@cache
def _rows(name: str) -> tuple[dict[str, str], ...]:
    text = files("postil.resources").joinpath("published", f"{name}.csv").read_text(encoding="utf-8")
    return tuple(csv.DictReader(text.splitlines()))


def _published(row: Mapping[str, str], columns: Mapping[str, str], system: str = "system") -> PublishedRow:
    """A row of a published table; `columns` gives each figure's column, and blank cells are left out."""
    return PublishedRow(
        row[system], {name: float(row[column]) for name, column in columns.items() if row[column]}
    )


def response_column(test: str) -> str | None:
    """The published column that a test set of ours corresponds to; cross-validation maps to its scenario."""
    return RESPONSE_COLUMNS.get(test.replace("/cv-", "/test-"))


def published_responses(scheme: str, metric: str) -> list[PublishedRow]:
    """The challenge's table for a scheme and metric, columns as in RESPONSE_COLUMNS's values."""
    columns = {column: column for column in RESPONSE_COLUMNS.values()}
    rows = (row for row in _rows("sra") if (row["task"], row["metric"]) == (scheme, metric))
    return [_published(row, columns) for row in rows]


def published_alignment(chunks: str, dataset: str) -> list[PublishedRow]:
    """The task's table for one dataset on gold or system chunks, columns the four metrics."""
    key = (dataset, "gold" if chunks == "gold" else "sys")
    columns = {metric: metric for metric in _ALIGNMENT_METRICS}
    return [_published(row, columns) for row in _rows("ists") if (row["dataset"], row["chunks"]) == key]


def published_entailment(test: str, scheme: str) -> list[PublishedRow]:
    """The published accuracies and average precisions for an RTE test set, by the name of its file."""
    name = test.lower().replace("_", "").replace("-", "")
    if "dev" in name:  # the published figures are those of the test sets
        return []
    if "rte3" in name and scheme == "2way":
        columns = {metric: metric for metric in _ENTAILMENT_METRICS}
        return [_published(row, columns, "team") for row in _rows("rte3_best")]
    if "rte4" in name:
        ways = "3way" if scheme == "3way" else "2way"
        columns = dict(zip(_ENTAILMENT_METRICS, (f"acc_{ways}", f"ap_{ways}"), strict=True))
        rows = [_published(row, columns, "run") for row in _rows("rte4")]
        return [row for row in rows if row.figures]
    return []


def published_senses() -> list[PublishedRow]:
    """The table of the Basque lexical-sample task."""
    columns = {metric: metric for metric in _SENSE_METRICS}
    return [_published(row, columns) for row in _rows("senseval3_basque")]


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
    notes = [
        f"{first.system}: `{first.signature}`, {first.seconds:.1f} s. Brackets: 95 % bootstrap interval."
    ]
    if crossed and any(table.published for table in tables):
        notes.append(
            "Ours is cross-validated on the training data, the published figures are on the official test "
            "sets: read them side by side, not as a ranking."
        )
    comparisons = [line for other in results[1:] for line in _comparison_lines(first, other, iterations)]
    if comparisons:
        parts.append("\n".join([f"Significance of {first.system} against other systems", "", *comparisons]))
    return "\n\n".join([*parts, "\n".join(notes)]) + "\n"


def tables_of(results: Sequence[BenchResult]) -> Iterator[Table]:
    """Lay out the tables of a benchmark: which columns, which published rows."""
    task = results[0].task
    for scheme, tests in results[0].cells.items():
        if task == "responses":
            for metric in ("macro_f1", "weighted_f1"):
                yield _response_table(results, scheme, metric)
            continue
        for test in tests:
            if task == "facets":
                yield _metric_table(results, scheme, test, (), _FACET_METRICS)
            elif task == "alignment":
                rows = published_alignment(scheme, test)
                yield _metric_table(results, scheme, test, rows, _ALIGNMENT_METRICS)
            elif task == "entailment":
                rows = published_entailment(test, scheme)
                yield _metric_table(results, scheme, test, rows, _ENTAILMENT_METRICS)
            else:
                rows = published_senses() if "basque" in test.lower() else []
                yield _metric_table(results, scheme, test, rows, _SENSE_METRICS)
                break  # the other cells are single words


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


def _metric_table(
    results: Sequence[BenchResult],
    scheme: str,
    test: str,
    published: Sequence[PublishedRow],
    metrics: tuple[str, ...],
) -> Table:
    rows = tuple((row.system, tuple(row.figures.get(metric) for metric in metrics)) for row in published)
    ours = tuple(
        (result.system, tuple((result.cells[scheme][test], metric) for metric in metrics))
        for result in results
    )
    return Table(f"{results[0].task}, {scheme}, {test}", metrics, rows, ours)


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
        comparable = name.lower() not in _AGGREGATES
        cells = [_figure(value, comparable and value == top) for value, top in zip(row, best, strict=True)]
        # Some systems of the organisers are marked with an asterisk, which means something in Markdown.
        escaped = name.replace("*", r"\*")
        lines.append(f"| {escaped} | " + " | ".join(cells) + " |")
    for name, own in table.ours:
        cells = [
            _own_figure(cell, metric, top, iterations) for (cell, metric), top in zip(own, best, strict=True)
        ]
        lines.append(f"| *{name} (Postil)* | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _best(figures: Iterable[float | None]) -> float | None:
    """The best figure of a column; a single figure is not the best of anything."""
    known = [figure for figure in figures if figure is not None]
    return max(known) if len(known) > 1 else None


def short(value: float) -> str:
    """A figure as tables print it: three digits, no leading zero."""
    text = f"{value:.3f}"
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def _figure(value: float | None, best: bool) -> str:
    if value is None:
        return "–"
    return f"**{short(value)}**" if best else short(value)


def _own_figure(cell: Cell, metric: str, best: float | None, iterations: int) -> str:
    value = cell.score.metrics.get(metric)
    figure = _figure(value, value is not None and value == best)
    if value is None or not iterations:
        return figure
    interval = cell.intervals(iterations)[metric]
    return f"{figure} [{short(interval.low)}, {short(interval.high)}]"


def _comparison_lines(first: BenchResult, other: BenchResult, iterations: int) -> Iterator[str]:
    for scheme, tests in first.cells.items():
        for test in _distinct(tests):
            cell, rival = tests[test], other.cells.get(scheme, {}).get(test)
            if rival is not None:
                comparison = compare(
                    cell.tally, rival.tally, resamples=max(iterations, 1000), groups=cell.groups
                )
                yield comparison_line(f"{scheme} {test}", other.system, comparison[cell.score.primary])


def comparison_line(where: str, other: str, comparison: Comparison) -> str:
    """One line about a difference: how large it is, its interval, and whether chance could explain it."""
    interval = comparison.interval
    verdict = "significant" if comparison.significant else "not significant"
    return (
        f"- {where}: {comparison.metric} {comparison.difference:+.3f} against {other} "
        f"[{interval.low:+.3f}, {interval.high:+.3f}], p = {comparison.p_value:.4f}, {verdict}"
    )
