"""The figures that papers published, to stand beside ours."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

# How a test set of the response benchmark is called in the challenge's tables.
RESPONSE_COLUMNS = {
    "beetle/test-unseen-answers": "beetle_ua",
    "beetle/test-unseen-questions": "beetle_uq",
    "sciEntsBank/test-unseen-answers": "scientsbank_ua",
    "sciEntsBank/test-unseen-questions": "scientsbank_uq",
    "sciEntsBank/test-unseen-domains": "scientsbank_ud",
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


def _number(text: str | None) -> float | None:
    return float(text) if text else None


def response_column(test: str) -> str | None:
    """The published column that a test set of ours corresponds to; cross-validation maps to its scenario."""
    return RESPONSE_COLUMNS.get(test.replace("/cv-", "/test-"))


def published_responses(scheme: str, metric: str) -> list[PublishedRow]:
    """The challenge's table for a scheme and metric, columns as in RESPONSE_COLUMNS's values."""
    return [
        PublishedRow(
            row["system"],
            {
                column: value
                for column in RESPONSE_COLUMNS.values()
                if (value := _number(row[column])) is not None
            },
        )
        for row in _rows("sra")
        if (row["task"], row["metric"]) == (scheme, metric)
    ]


def published_alignment(chunks: str, dataset: str) -> list[PublishedRow]:
    """The task's table for one dataset on gold or system chunks, columns the four metrics."""
    wanted = "gold" if chunks == "gold" else "sys"
    metrics = ("f_align", "f_type", "f_score", "f_type_score")
    return [
        PublishedRow(row["system"], {metric: float(row[metric]) for metric in metrics if row[metric]})
        for row in _rows("ists")
        if (row["dataset"], row["chunks"]) == (dataset, wanted)
    ]


def published_entailment(test: str, scheme: str) -> list[PublishedRow]:
    """The published accuracies and average precisions for an RTE test set, by the name of its file."""
    name = test.lower().replace("_", "").replace("-", "")
    if "dev" in name:  # the published figures are those of the test sets
        return []
    if "rte3" in name and scheme == "2way":
        return [
            _entailment_row(row["team"], row["accuracy"], row["average_precision"])
            for row in _rows("rte3_best")
        ]
    if "rte4" in name:
        suffix = "3way" if scheme == "3way" else "2way"
        rows = [_entailment_row(r["run"], r[f"acc_{suffix}"], r[f"ap_{suffix}"]) for r in _rows("rte4")]
        return [row for row in rows if row.figures]
    return []


def _entailment_row(system: str, accuracy: str, precision: str) -> PublishedRow:
    figures = {"accuracy": _number(accuracy), "average_precision": _number(precision)}
    return PublishedRow(system, {name: value for name, value in figures.items() if value is not None})


def published_senses() -> list[PublishedRow]:
    """The table of the Basque lexical-sample task."""
    metrics = ("precision", "recall", "attempted")
    return [
        PublishedRow(row["system"], {metric: float(row[metric]) for metric in metrics})
        for row in _rows("senseval3_basque")
    ]
