"""`postil features`."""

from __future__ import annotations

import csv

import pytest

from postil.language.measures.features import EXTENDED, THIRTY

TABLE = """id,question,reference,answer,label
a1,Why is it dark?,The bulb is broken.,the bulb broke,correct
a2,Why is it dark?,The bulb is broken.,=because,
"""


@pytest.fixture
def answers(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


def test_a_table_and_what_its_columns_say(postil, answers, tmp_path):
    status, out, err = postil("features", answers, "-o", tmp_path / "features.csv")
    assert (status, out) == (0, "")
    assert "30 features of 2 answers" in err
    with (tmp_path / "features.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["question", "answer", "label", *THIRTY]
    assert [row["answer"] for row in rows] == ["a1", "a2"]
    assert [row["label"] for row in rows] == ["correct", ""]
    assert float(rows[0]["reference_wordnet_lin"]) > float(rows[1]["reference_wordnet_lin"])
    about = (tmp_path / "features.columns.tsv").read_text("utf-8-sig").splitlines()
    assert len(about) == 1 + 3 + 30


def test_parquet_carries_the_descriptions_itself(postil, answers, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "features.parquet"
    status, _, _ = postil("features", answers, "-o", path, "--extended")
    assert status == 0
    table = parquet.read_table(path)
    assert table.column_names == ["question", "answer", "label", *EXTENDED]
    assert b"Lin" in table.schema.field("reference_wordnet_lin").metadata[b"description"]
    assert table["reference_wordnet_lin"].to_pylist()[0] > 0
    assert not (tmp_path / "features.columns.tsv").exists()


def test_the_list_needs_no_file(postil):
    status, out, err = postil("features", "--list", "--extended")
    assert (status, err) == (0, "")
    assert [line.split("\t")[0] for line in out.splitlines()] == ["question", "answer", "label", *EXTENDED]


def test_no_reference(postil, tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text("id,question,answer\na1,Why?,because\n", encoding="utf-8")
    status, _, err = postil("features", path, "-o", tmp_path / "f.csv")
    assert status == 2
    assert "no reference" in err
    assert not (tmp_path / "f.csv").exists()


@pytest.mark.parametrize("name", ["features", "features.doc"])
def test_a_table_that_cannot_be_written_is_refused_before_measuring(
    postil, answers, tmp_path, monkeypatch, name
):
    monkeypatch.setattr("postil.language.measures.features.feature_table", None)
    status, _, err = postil("features", answers, "-o", tmp_path / name)
    assert status == 2
    assert "cannot be written" in err
    assert ".parquet" in err


def test_parquet_without_pyarrow(postil, answers, tmp_path, monkeypatch):
    monkeypatch.setattr("postil.language.measures.features.feature_table", None)
    monkeypatch.setattr("postil.data.formats.rows.find_spec", lambda name: None)
    status, _, err = postil("features", answers, "-o", tmp_path / "f.parquet")
    assert status == 2
    assert "pip install 'postil[tables]'" in err


def test_nothing_given(postil):
    status, _, err = postil("features")
    assert status == 2
    assert "postil features answers.csv -o features.csv" in err
