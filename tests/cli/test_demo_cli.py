"""`postil demo`: it runs anywhere, and what it writes can be read and scored again."""

from __future__ import annotations

import json
import re
import shlex

import pytest

from postil.corpora.labelfiles import read_labels
from postil.corpora.labels import RESPONSE_SCHEMES
from postil.corpora.tables import read_table


@pytest.fixture(autouse=True)
def _in_an_empty_folder(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)


def test_the_demo_writes_files_that_score_as_it_says(postil, tmp_path):
    status, out, err = postil("demo")
    assert (status, err) == (0, "")
    folder = tmp_path / "postil-demo"
    assert {path.name for path in folder.iterdir()} == {"class.csv", "gold.txt", "run.txt"}
    printed = float(re.search(r"^macro_f1 +([0-9.]+)", out, re.MULTILINE)[1])
    status, scored, err = postil("score", "responses", folder / "run.txt", folder / "gold.txt", "--json")
    assert (status, err) == (0, "")
    data = json.loads(scored)
    assert data["macro_f1"] == pytest.approx(printed, abs=5e-5)
    assert data["scheme"] == "3way"
    # A baseline, but not nonsense: better than one label for all (accuracy .5 here).
    assert 0.5 < data["accuracy"] < 1


def test_the_class_is_written_as_it_was_judged(postil, tmp_path):
    postil("demo", "--folder", tmp_path / "elsewhere" / "class")
    folder = tmp_path / "elsewhere" / "class"
    questions = read_table(folder / "class.csv")
    answers = {answer.id: answer for question in questions for answer in question.answers}
    gold = {item.id: item.label for item in read_labels(folder / "gold.txt", RESPONSE_SCHEMES)}
    run = {item.id: item.label for item in read_labels(folder / "run.txt", RESPONSE_SCHEMES)}
    assert set(answers) == set(gold) == set(run)
    three = RESPONSE_SCHEMES["3way"]
    assert {id: three.collapse(answer.label) for id, answer in answers.items()} == gold
    assert not (tmp_path / "postil-demo").exists()


def test_what_it_proposes_works(postil):
    _, out, _ = postil("demo")
    proposed = [shlex.split(line)[1:] for line in out.splitlines() if line.startswith("  postil ")]
    assert len(proposed) >= 3
    for arguments in proposed:
        status, shown, err = postil(*arguments)
        assert (status, err) == (0, ""), arguments
        assert shown


def test_the_same_every_time(postil, tmp_path):
    first = postil("demo")
    run = (tmp_path / "postil-demo" / "run.txt").read_bytes()
    assert postil("demo") == first
    assert (tmp_path / "postil-demo" / "run.txt").read_bytes() == run


def test_a_place_that_cannot_be_written(postil, tmp_path):
    (tmp_path / "file").write_text("here", encoding="utf-8")
    status, _, err = postil("demo", "--folder", tmp_path / "file")
    assert status == 2
    assert err.startswith("postil: ")
