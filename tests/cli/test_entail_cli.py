"""`postil entail` on texts and on files of pairs."""

from __future__ import annotations

import json

import pytest
from corpus_files import write_pairs_xml

from postil.data.formats.rte import Pair, read_run

TEXT = "Rosa Diaz, a baker, bought a small house near Leeds in 1999."


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "pairs.xml"
    write_pairs_xml(
        path,
        [
            Pair("a", TEXT, "Rosa Diaz bought a house.", "ENTAILMENT"),
            Pair("b", "The bulb is not lit.", "The bulb is lit.", "NO_ENTAILMENT"),
        ],
    )
    return path


def test_a_text_and_a_hypothesis(postil):
    status, out, _ = postil("entail", TEXT, "Rosa Diaz purchased a house.")
    assert status == 0
    assert out.startswith("ENTAILMENT  (entailment 0.")
    assert "The text says so: “Rosa Diaz, a baker, bought a small house near Leeds in 1999”" in out
    assert "“bought” for “purchased”" in out


def test_an_answer_to_a_question(postil):
    status, out, _ = postil("entail", TEXT, "a house", "--question", "What did Rosa Diaz buy?")
    assert status == 0
    assert "Judged: Rosa Diaz bought a house." in out
    assert out.startswith("ENTAILMENT")


def test_json(postil):
    status, out, _ = postil("entail", TEXT, "Rosa Diaz bought a boat.", "--json", "--scheme", "2way")
    data = json.loads(out)
    assert status == 0
    assert data["label"] in ("ENTAILMENT", "NO_ENTAILMENT")
    assert any("boat" in part for part in data["unsupported"])
    assert sum(data["probabilities"].values()) == pytest.approx(1)


def test_a_file_becomes_a_run(postil, pairs, tmp_path):
    status, out, err = postil("entail", pairs, "-o", tmp_path / "run.tsv")
    assert (status, out) == (0, "")
    assert "Judged 2 pairs" in err
    run = read_run(tmp_path / "run.tsv")
    assert [(one.id, one.label) for one in run.judgements] == [("a", "ENTAILMENT"), ("b", "CONTRADICTION")]
    assert all(0 <= one.confidence <= 1 for one in run.judgements)


def test_a_two_way_run_and_its_score(postil, pairs, tmp_path):
    assert postil("entail", pairs, "-o", tmp_path / "run.tsv", "--scheme", "2way")[0] == 0
    status, out, _ = postil("score", "entailment", tmp_path / "run.tsv", pairs)
    assert status == 0
    assert "accuracy" in out


def test_a_file_as_json(postil, pairs):
    status, out, _ = postil("entail", pairs, "--json")
    assert status == 0
    assert [one["id"] for one in json.loads(out)] == ["a", "b"]
    assert json.loads(out)[1]["justification"].startswith("The text says otherwise")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["one text"], "only one text"),
        (["a", "b", "c"], "3 texts"),
        (["", "b"], "empty"),
        (["a", "b", "-o", "run.tsv"], "-o writes the run"),
        (["a", "b", "--scheme", "5way"], "cannot be"),
        (["gone.xml", "-o", "run.tsv"], "cannot be read"),
    ],
)
def test_what_is_refused(postil, arguments, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, _, err = postil("entail", *arguments)
    assert status == 2
    assert said in err


def test_a_file_needs_a_place_for_the_run(postil, pairs):
    status, _, err = postil("entail", pairs)
    assert status == 2
    assert "-o RUN.tsv" in err


def test_a_question_goes_with_an_answer(postil, pairs):
    status, _, err = postil("entail", pairs, "--question", "Why?")
    assert status == 2
    assert "--question" in err
