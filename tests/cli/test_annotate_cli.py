"""`postil annotate` on senses, entailment and responses: its tables, its messages, its errors."""

from __future__ import annotations

import json

import pytest
from corpus_files import write_pairs_xml

from postil.data.formats.rows import read_rows, write_rows
from postil.data.formats.rte import Pair, read_pairs
from postil.data.formats.senseval import SenseInstance, Token, read_senseval, write_senseval
from postil.data.formats.tables import read_table, write_table
from postil.data.questions import Answer, Question, Reference

PEOPLE = ("--people", "Ane,Jon,Miren")
SENSES = "word\tsense\tgloss\nate.IZE\tate_1\tdoor\nate.IZE\tate_2\tmountain pass\n"


def fill(sheet, answers):
    """Put a tag into each row of a sheet: the one that its id has in `answers`."""
    rows = read_rows(sheet)
    place, id = rows.header.index("tags"), rows.header.index("id")
    cells = [list(row.cells) for row in rows.rows]
    for row in cells:
        row[place] = answers.get(row[id], row[place])
    write_rows(sheet, rows.header, cells)


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "pairs.xml"
    write_pairs_xml(
        path, [Pair(str(n), f"Text {n} is long.", f"It is {n}.", None, "QA", "long") for n in range(9)]
    )
    return path


def test_three_annotators_discard_what_they_differ_on(postil, pairs, tmp_path):
    folder = tmp_path / "rte"
    options = ("--task", "entailment", "--scheme", "2way", "--annotators", 3, "--no-referee", *PEOPLE)
    status, out, _ = postil("annotate", "plan", folder, pairs, *options)
    assert status == 0
    assert out.splitlines()[1].split()[:4] == ["QA", "9", "9", "9"]
    labels = {str(n): "ENTAILMENT" if n % 2 else "NO_ENTAILMENT" for n in range(9)}
    fill(folder / "sheets" / "Ane.tsv", labels)
    fill(folder / "sheets" / "Jon.tsv", labels | {"3": "no_entailment"})
    fill(folder / "sheets" / "Miren.tsv", labels | {"4": "X", "5": "X"})
    assert "Jon: 9 of 9 items tagged" in postil("annotate", "merge", folder)[1]

    status, out, _ = postil("annotate", "agree", folder, "--shared", 9)
    assert "at least 9 items: agreement 0.778" in out
    assert "No two people share 100 items" in postil("annotate", "agree", folder)[1]
    found = json.loads(postil("annotate", "agree", folder / "tags.tsv", "--json", "--shared", 9)[1])
    assert found["mean_agreement"] == pytest.approx((8 + 7 + 6) / 27)

    status, out, err = postil("annotate", "arbitrate", folder)
    assert (status, out) == (0, "")
    assert "9 items: 6 agreed, 3 discarded" in err
    status, _, err = postil("annotate", "release", folder, "-o", tmp_path / "out", "--test-share", 0)
    assert "6 items: 6 to train, 0 to test" in err
    kept = read_pairs(tmp_path / "out" / "train.tsv")
    assert {pair.id: pair.label for pair in kept} == {id: labels[id] for id in "012678"}
    assert {(pair.task, pair.text) for pair in kept} == {("QA", f"Text {id} is long.") for id in "012678"}
    assert {pair.length for pair in kept} == {"long"}


@pytest.fixture
def answers(tmp_path):
    questions = [
        Question(
            f"q{q}",
            f"Why {q}?",
            (Reference("r", f"Because {q}."),),
            tuple(Answer(f"q{q}.{a}", f'an "answer"\n{a}') for a in range(6)),
        )
        for q in (1, 2)
    ]
    path = tmp_path / "class.csv"
    write_table(path, questions)
    return path


def test_a_referee_decides_on_labels_of_answers(postil, answers, tmp_path):
    folder = tmp_path / "class"
    options = ("--task", "responses", "--scheme", "3way", "--seed", 5, "--sheets", "csv", *PEOPLE)
    assert postil("annotate", "plan", folder, answers, *options)[0] == 0
    ids = [f"q{q}.{a}" for q in (1, 2) for a in range(6)]
    for sheet in (folder / "sheets").iterdir():
        fill(sheet, dict.fromkeys(ids, "correct"))
    rows = read_rows(folder / "assignment.tsv").rows
    annotators, referee = rows[0].cells[1].split("; "), rows[0].cells[2]
    fill(folder / "sheets" / f"{annotators[0]}.csv", {"q1.3": "contradictory", "q1.4": "X"})

    sheet = folder / "referee" / f"{referee}.csv"
    status, out, _ = postil("annotate", "arbitrate", folder)
    assert (status, out) == (0, f"{referee}: 2 disagreements to decide, in {sheet}\n")
    assert read_rows(sheet).column("said") == ["X / correct", "contradictory / correct"]
    assert not (folder / "labels.tsv").exists()
    status, _, err = postil("annotate", "release", folder, "-o", tmp_path / "out")
    assert status == 2
    assert "the referee has not decided on 2 items yet" in err

    fill(sheet, {"q1.3": "incorrect", "q1.4": "X"})
    assert "12 items: 10 agreed, 2 decided" in postil("annotate", "arbitrate", folder)[2]
    # A disagreement that comes up later takes the labels back until it is decided.
    fill(folder / "sheets" / f"{annotators[0]}.csv", {"q1.5": "contradictory"})
    assert f"{referee}: 1 disagreement to decide" in postil("annotate", "arbitrate", folder)[1]
    assert not (folder / "labels.tsv").exists()
    fill(folder / "sheets" / f"{annotators[0]}.csv", {"q1.5": "correct"})
    assert "12 items: 10 agreed, 2 decided" in postil("annotate", "arbitrate", folder)[2]
    err = postil("annotate", "release", folder, "-o", tmp_path / "out")[2]
    assert "11 items: 7 to train, 4 to test; 0 untagged, 1 removed" in err
    assert "is not empty" in postil("annotate", "release", folder, "-o", tmp_path / "out")[2]
    released = [one for name in ("train", "test") for one in read_table(tmp_path / "out" / f"{name}.tsv")]
    labels = {answer.id: answer.label for question in released for answer in question.answers}
    assert labels == {id: "incorrect" if id == "q1.3" else "correct" for id in ids if id != "q1.4"}
    assert {question.references[0].text for question in released} == {"Because 1.", "Because 2."}


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "eg.tsv"
    path.write_text("Atea\tate\tIZE\tABS\nzabalik\tzabalik\tADB\ndago\tegon\tADT\n\n" * 12, "utf-8")
    (tmp_path / "senses.tsv").write_text(SENSES, "utf-8")
    return path


def test_a_sheet_that_comes_back_under_another_ending(postil, text, tmp_path):
    folder = tmp_path / "p"
    how = ("--inventory", tmp_path / "senses.tsv", "--first", 5, *PEOPLE)
    status, out, _ = postil("annotate", "plan", folder, text, *how)
    assert status == 0
    assert out.splitlines()[1].split()[:5] == ["ate.IZE", "12", "5", "5", "7"]
    name = read_rows(folder / "assignment.tsv").rows[0].cells[1].partition(";")[0]
    ids = read_rows(folder / "sheets" / f"{name}.tsv").column("id")
    came = tmp_path / f"{name}.csv"
    came.write_text("id;tags;seconds\n" + "".join(f"{id};ate 1;30\n" for id in ids), "utf-8")
    assert f"{name}: 5 of 5 items tagged\n" in postil("annotate", "merge", folder, came)[1]
    assert read_rows(folder / "sheets" / f"{name}.tsv").column("tags") == ["ate_1"] * 5
    came.write_text(f"id;tags;mine\n{ids[0]};;a thought\n", "utf-8")
    assert postil("annotate", "merge", folder, came)[0] == 0
    assert read_rows(folder / "sheets" / f"{name}.tsv").column("mine")[0] == "a thought"


def test_who_was_replaced_does_not_count(postil, text, tmp_path):
    folder = tmp_path / "p"
    postil("annotate", "plan", folder, text, "--inventory", tmp_path / "senses.tsv", *PEOPLE)
    ids = [f"ate.IZE.{number:04d}" for number in range(1, 13)]
    (row,) = read_rows(folder / "assignment.tsv").rows
    (old, kept), new = row.cells[1].split("; "), row.cells[2]
    for name, tag in ((old, "ate_2"), (kept, "ate_1")):
        fill(folder / "sheets" / f"{name}.tsv", dict.fromkeys(ids, tag))
    write_rows(
        folder / "assignment.tsv", ("group", "annotators", "referee"), [("ate.IZE", f"{new}; {kept}", "")]
    )
    assert "no item has been tagged by two people" in postil("annotate", "agree", folder)[2]
    postil("annotate", "plan", folder)
    fill(folder / "sheets" / f"{new}.tsv", dict.fromkeys(ids, "ate_1"))
    found = json.loads(postil("annotate", "agree", folder, "--json")[1])
    assert [pair["people"] for pair in found["pairs"]] == [sorted((new, kept))]
    assert found["overall"]["agreement"] == 1


def test_new_multiword_terms_are_told_once(postil, text, tmp_path):
    folder = tmp_path / "p"
    postil("annotate", "plan", folder, text, "--inventory", tmp_path / "senses.tsv", *PEOPLE)
    sheet = next((folder / "sheets").iterdir())
    fill(sheet, {"ate.IZE.0001": "Ate_ondo", "ate.IZE.0002": "ate_1"})
    assert postil("annotate", "merge", folder)[2] == "note: new multiword terms: ate_ondo (ate.IZE)\n"
    fill(sheet, {"ate.IZE.0003": "ate_ondo"})
    assert postil("annotate", "merge", folder)[2] == ""


def test_options_that_a_planned_project_would_not_heed(postil, text, tmp_path):
    folder = tmp_path / "p"
    postil("annotate", "plan", folder, text, "--inventory", tmp_path / "senses.tsv", *PEOPLE)
    status, _, err = postil("annotate", "plan", folder, "--first", 7, *PEOPLE)
    assert status == 2
    assert "planned already, so --people, --first would have no effect" in err
    assert postil("annotate", "plan", folder)[0] == 0


def test_too_few_occurrences_are_told(postil, text, tmp_path):
    how = ("--inventory", tmp_path / "senses.tsv", *PEOPLE)
    status, _, err = postil("annotate", "plan", tmp_path / "p", text, *how)
    assert status == 0
    assert "too few occurrences in the texts: ate.IZE" in err


def test_what_is_wrong_in_a_sheet_is_told_with_its_place(postil, text, tmp_path):
    folder = tmp_path / "p"
    postil("annotate", "plan", folder, text, "--inventory", tmp_path / "senses.tsv", *PEOPLE)
    sheet = next((folder / "sheets").iterdir())
    ids = read_rows(sheet).column("id")
    fill(sheet, {ids[2]: "ate_7"})
    status, out, err = postil("annotate", "merge", folder)
    assert (status, out) == (2, "")
    assert f"{sheet}, line 4 ({ids[2]}): the tag 'ate_7' is unknown." in err
    assert "Choose from: ate_1, ate_2, U, P, X" in err


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ((), "needs people"),
        (("--people", "Ane,Jon", "--inventory", "senses.tsv"), "3 people are needed"),
        (PEOPLE, "needs a list of them"),
        ((*PEOPLE, "--task", "parsing"), "--task cannot be 'parsing'"),
        ((*PEOPLE, "--task", "responses", "--scheme", "9way"), "--scheme cannot be '9way'"),
        ((*PEOPLE, "--inventory", "other.tsv"), "the texts do not contain ate.ADI"),
    ],
)
def test_plans_that_cannot_be_made(postil, text, tmp_path, monkeypatch, options, what):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other.tsv").write_text(SENSES.replace("IZE", "ADI"), "utf-8")
    status, out, err = postil("annotate", "plan", tmp_path / "p", text, *options)
    assert (status, out) == (2, "")
    assert what in err
    assert not (tmp_path / "p").exists()


@pytest.mark.parametrize("verb", ["plan", "merge", "agree", "arbitrate"])
def test_a_folder_that_is_no_project(postil, tmp_path, verb):
    status, _, err = postil("annotate", verb, tmp_path)
    assert status == 2
    assert "is not an annotation project" in err


def test_a_lexical_sample_file_is_tagged_anew(postil, tmp_path):
    """Nobody sees the senses that the file already has, least of all in the untagged examples."""
    tokens = (Token("Itxi"), Token("atea", "ate", "IZE", "ABS"), Token("."))
    instances = [SenseInstance(f"a{n}", "ate.IZE", tokens, (1,), (0,), ("ate_1",)) for n in range(9)]
    write_senseval(tmp_path / "old.xml", instances)
    (tmp_path / "senses.tsv").write_text(SENSES, "utf-8")
    folder = tmp_path / "p"
    how = ("--inventory", tmp_path / "senses.tsv", "--first", 3, *PEOPLE)
    assert postil("annotate", "plan", folder, tmp_path / "old.xml", *how)[0] == 0
    again = read_senseval(folder / "contexts" / "ate.IZE.xml")
    assert [one.id for one in again] == [one.id for one in instances]
    assert not any(one.senses for one in again)
