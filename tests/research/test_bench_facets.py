"""The facet benchmark on a small made-up table: what is scored, by which systems."""

import pytest

from postil.errors import PostilError
from postil.research.benchmarks import run_facets

HEADER = "student_answer_id,question_paper,question_text,student_answer,model_answer,gap\n"
REFERENCE = "The solid dissolves and the liquid remains clear."
ROWS = (
    ("a1", "The solid dissolves and the liquid remains clear.", ""),
    ("a2", "The liquid remains clear.", "The solid dissolves"),
    ("a3", "I like my dog.", REFERENCE),
)


@pytest.fixture
def gaps(tmp_path):
    path = tmp_path / "made.csv"
    path.write_text(
        HEADER + "".join(f"{id},P,What do you see?,{answer},{REFERENCE},{gap}\n" for id, answer, gap in ROWS)
    )
    return path


def test_lexical_finds_the_words_that_are_not_there(gaps):
    scores = run_facets([gaps], "lexical").as_json()["scores"]
    assert set(scores) == {"words", "partial"}
    assert scores["words"]["made"]["accuracy"] == scores["words"]["made"]["macro_f1"] == 1
    assert scores["words"]["made"]["count"] == 15
    assert scores["partial"]["made"]["count"] == 5
    assert scores["partial"]["made"]["rows"] == 1


def test_majority_calls_everything_the_same(gaps):
    scores = run_facets([gaps], "majority").as_json()["scores"]
    # Of fifteen words seven are missing, so that none is called so.
    assert scores["words"]["made"]["accuracy"] == pytest.approx(8 / 15)
    assert scores["partial"]["made"]["macro_f1"] == pytest.approx((2 * 0.6 / 1.6) / 2)
    assert scores["words"]["made"]["weighted_f1"] == pytest.approx((8 / 15) * (2 * 8 / 23))


def test_postil_by_its_facets(gaps):
    result = run_facets([gaps], "postil", progress=lambda *_: None)
    scores = result.as_json(20)["scores"]
    assert scores["words"]["made"]["weighted_f1"] == 1
    assert set(scores["partial"]["made"]["intervals"]) >= {"accuracy", "macro_f1", "weighted_f1"}
    assert result.signature.startswith("task:gaps|system:postil|rows:3")


def test_a_table_without_partial_rows_has_no_partial_score(tmp_path):
    path = tmp_path / "whole.csv"
    path.write_text(HEADER + f"a1,P,Why?,No.,{REFERENCE},{REFERENCE}\n")
    scores = run_facets([path], "lexical").as_json()["scores"]
    assert scores["partial"] == {}
    assert scores["words"]["whole"]["count"] == 5


def test_two_tables_of_one_name_are_refused(gaps, tmp_path):
    (tmp_path / "other").mkdir()
    copy = tmp_path / "other" / "made.csv"
    copy.write_text(gaps.read_text())
    with pytest.raises(PostilError, match="same name"):
        run_facets([gaps, copy], "lexical")


def test_gaps_are_hidden_from_the_system(gaps, monkeypatch):
    from postil.research.baselines import LexicalOutcome

    seen = []
    predict = LexicalOutcome.predict
    monkeypatch.setattr(
        LexicalOutcome, "predict", lambda self, rows: seen.extend(rows) or predict(self, rows)
    )
    run_facets([gaps], "lexical")
    assert {row.gap for row in seen} == {""}
