"""The published tables: they load, have their columns, and hold the figures of the papers."""

from __future__ import annotations

import csv
from importlib.resources import files

import pytest

from postil.research.tables import (
    published_alignment,
    published_entailment,
    published_responses,
    published_senses,
    response_column,
)

COLUMNS = {
    "sra": "task metric system beetle_ua beetle_uq scientsbank_ua scientsbank_uq scientsbank_ud mean note",
    "facets": "system weighted_ua weighted_uq weighted_ud macro_ua macro_uq macro_ud",
    "ehu_alm": "run beetle_ua beetle_uq beetle_all scientsbank_ua scientsbank_uq scientsbank_ud "
    "scientsbank_all overall",
    "ehu_alm_run2_classes": "class precision recall f1",
    "ists": "dataset chunks system f_align f_type f_score f_type_score",
    "rte3_best": "team accuracy average_precision",
    "rte3_by_application": "application mean_accuracy",
    "rte4": "run acc_3way acc_2way_of_3way ap_3way acc_2way ap_2way",
    "senseval3_basque": "system precision recall attempted",
}
TEXT_COLUMNS = {
    "task",
    "metric",
    "system",
    "note",
    "run",
    "class",
    "dataset",
    "chunks",
    "team",
    "application",
}
FOLDER = files("postil.resources").joinpath("published")


def figures(rows) -> dict[str, dict[str, float]]:
    return {row.system: row.figures for row in rows}


def test_every_table_is_checked_here():
    assert {item.name for item in FOLDER.iterdir() if item.name.endswith(".csv")} == {
        f"{name}.csv" for name in COLUMNS
    }


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_and_figures(name):
    rows = list(csv.DictReader(FOLDER.joinpath(f"{name}.csv").read_text(encoding="utf-8").splitlines()))
    assert rows
    for row in rows:
        assert list(row) == COLUMNS[name].split()  # a row too long would have a key None
        for column, value in row.items():
            if column not in TEXT_COLUMNS and value:
                assert 0 <= float(value) <= 1, row


@pytest.mark.parametrize(
    ("scheme", "metric", "system", "column", "value"),
    [
        ("5way", "macro_f1", "ETS2", "beetle_ua", 0.619),
        ("5way", "macro_f1", "ETS2", "beetle_uq", 0.552),
        ("5way", "macro_f1", "EHUALM2", "scientsbank_ud", 0.340),
        ("5way", "weighted_f1", "Baseline-Lexical", "scientsbank_ua", 0.435),
        ("3way", "macro_f1", "CoMeT1", "beetle_ua", 0.715),
        ("3way", "weighted_f1", "Baseline-Majority", "scientsbank_uq", 0.239),
        ("2way", "macro_f1", "SoftCardinality1", "scientsbank_uq", 0.737),
        ("2way", "macro_f1", "Median", "beetle_ua", 0.778),
    ],
)
def test_responses(scheme, metric, system, column, value):
    assert figures(published_responses(scheme, metric))[system][column] == value


def test_every_response_row_has_every_column():
    for scheme, metric in (("5way", "macro_f1"), ("3way", "weighted_f1"), ("2way", "macro_f1")):
        rows = published_responses(scheme, metric)
        assert len(rows) >= 10
        assert {len(row.figures) for row in rows} == {5}
    assert published_responses("2way", "weighted_f1") == []


@pytest.mark.parametrize(
    ("test", "column"),
    [
        ("beetle/test-unseen-answers", "beetle_ua"),
        ("beetle/cv-unseen-questions", "beetle_uq"),
        ("sciEntsBank/cv-unseen-domains", "scientsbank_ud"),
        ("sciEntsBank/test-unseen-questions", "scientsbank_uq"),
        ("beetle/all", None),
        ("all", None),
        ("beetle/cv-unseen-domains", None),  # the challenge had no such test set
    ],
)
def test_which_column_a_test_set_stands_in(test, column):
    assert response_column(test) == column


def test_alignment():
    gold = figures(published_alignment("gold", "headlines"))
    assert gold["Inspire r1"] == {"f_align": 0.819, "f_type": 0.703, "f_score": 0.787, "f_type_score": 0.696}
    assert gold["Baseline"]["f_type"] == gold["Baseline"]["f_type_score"] == 0.546
    system = figures(published_alignment("system", "headlines"))
    assert system["Baseline"]["f_align"] == 0.649
    sizes = [len(published_alignment("gold", name)) for name in ("headlines", "images", "answers-students")]
    assert sizes == [26, 26, 25]
    assert published_alignment("gold", "belief") == []


def test_entailment():
    assert figures(published_entailment("RTE3_test", "2way"))["Hickl"] == {
        "accuracy": 0.8,
        "average_precision": 0.8815,
    }
    assert published_entailment("rte-3_test", "2way") == published_entailment("RTE3_test", "2way")
    assert published_entailment("RTE3_test", "3way") == []
    assert published_entailment("RTE3_dev", "2way") == []
    assert published_entailment("RTE2_test", "2way") == []
    three = figures(published_entailment("RTE4_test", "3way"))
    two = figures(published_entailment("RTE4_test", "2way"))
    assert three["AUEBNLP1"] == {"accuracy": 0.546, "average_precision": 0.5654}
    assert two["AUEBNLP1"] == {"accuracy": 0.566, "average_precision": 0.5464}
    assert "BIU1" not in three  # took part in the two-way task only
    assert two["BIU1"] == {"accuracy": 0.583}


def test_senses():
    basque = figures(published_senses())
    assert basque["MFS"] == {"precision": 0.558, "recall": 0.558, "attempted": 1.0}
    assert basque["basque-swat_hk-bo"]["attempted"] == 0.9904
