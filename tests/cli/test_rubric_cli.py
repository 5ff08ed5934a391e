"""`postil rubric`, and `postil grade --rubric`: from a file to points."""

from __future__ import annotations

import csv
from dataclasses import replace

import pytest
from test_grade_cli import MadeUp

from postil.cli.grade_table import COLUMNS
from postil.cli.rubric import Marks
from postil.data.formats.rows import read_rows
from postil.data.judgements import (
    CONTRADICTED,
    CREDIT,
    EXPRESSED,
    UNADDRESSED,
    AlignedPair,
    Explanation,
    FacetOutcome,
    collapsed,
)
from postil.data.labels import PARTLY
from postil.data.questions import Facet

QUESTION = "Why is a puddle gone after a sunny day?"
REFERENCE = "The water evaporates because the sun heats it."
TABLE = """id,answer
ann,the water evaporates because the sun heats it
ben,the sun heats it
cem,the water soaks in and the sun heats it
dee,not the sun
eva,
"""
RUBRIC = """item,points,required,group,needed,deduction
evaporates,3,yes,,,
the sun,2,yes,,,1
soaks in,0,no,,,1
"""


class ByWords(MadeUp):
    """A grader without a model that looks for the words of items; what has all of them is correct."""

    def grade_many(self, questions, *, progress=None, explain=False, claims=None):
        for question, judgements in super().grade_many(questions, progress=progress, explain=False):
            facets = (claims or {}).get(question.id)
            texts = [answer.text for answer in question.answers]
            yield question, [self.marked(*pair, facets) for pair in zip(judgements, texts, strict=True)]

    def marked(self, judgement, text, facets):
        if judgement.because or facets is None:
            return judgement
        outcomes = tuple(FacetOutcome(facet, outcome(facet.first, text), 0.8) for facet in facets)
        right = all(one.label == EXPRESSED for one in outcomes if one.facet.required)
        label = "correct" if right else PARTLY
        told = Explanation(AlignedPair("1", ("a",), ("b",)), "A note.", "Well.", outcomes)
        five = dict.fromkeys(CREDIT, 0.1) | {label: 0.6}
        labels = {name: max(each, key=each.get) for name, each in collapsed(five).items()} | {"5way": label}
        return replace(judgement, labels=labels, probabilities=collapsed(five), explanation=told)


def outcome(words, text):
    return CONTRADICTED if f"not {words}" in text else EXPRESSED if words in text else UNADDRESSED


@pytest.fixture(autouse=True)
def by_words(monkeypatch):
    monkeypatch.setattr("postil.grader.load", lambda *options, **more: ByWords())


@pytest.fixture
def files(tmp_path):
    """A class and a rubric, and what to call them on the command line."""
    (tmp_path / "class.csv").write_text(TABLE)
    (tmp_path / "rubric.csv").write_text(RUBRIC)
    asked = ("--question", QUESTION, "--reference", REFERENCE)
    return tmp_path, ("grade", tmp_path / "class.csv", *asked, "--rubric", tmp_path / "rubric.csv")


def rows_of(path):
    with path.open(newline="", encoding="utf-8-sig") as file:
        return {row["id"]: row for row in csv.DictReader(file)}


def test_a_result_has_each_items_outcome_and_points(postil, files):
    folder, command = files
    status, _, told = postil(*command, "-o", folder / "out.csv")
    assert (status, "mean score 0.32" in told) == (0, True)
    rows = rows_of(folder / "out.csv")
    assert tuple(rows["ann"])[: len(COLUMNS) - 1] == COLUMNS[:-1]
    assert tuple(rows["ann"])[-1] == "teacher"
    assert {id: (row["points"], row["of"], row["score"]) for id, row in rows.items()} == {
        "ann": ("5", "5", "1.000"),
        "ben": ("2", "5", "0.400"),
        "cem": ("1", "5", "0.200"),
        "dee": ("0", "5", "0.000"),  # never below zero
        "eva": ("0", "5", "0.000"),
    }
    names = [f"item_{number}{what}" for number in (1, 2, 3) for what in ("", "_outcome", "_points")]
    assert [rows["cem"][name] for name in names] == [
        "evaporates", UNADDRESSED, "0",
        "the sun", EXPRESSED, "2",
        "soaks in", EXPRESSED, "-1",
    ]  # fmt: skip
    assert rows["dee"]["item_2_points"] == "-1"
    assert rows["eva"]["item_1_outcome"] == ""
    assert "explanation" not in rows["ann"]
    # Such a result is read again, with a label for each answer.
    assert read_rows(folder / "out.csv").header[-1] == "teacher"


def test_the_terminal_shows_what_the_points_are_for(postil, files):
    _, command = files
    status, out, _ = postil(*command)
    assert status == 0
    assert "1 of 5: – evaporates 0 · ✓ the sun 2 · ✓ soaks in -1" in " ".join(out.split())
    assert "0 of 5: – evaporates 0 · ✗ the sun -1" in " ".join(out.split())
    assert "A note." not in out
    assert "A note." in postil(*command, "--explain")[1]


def test_what_a_correct_answer_was_not_found_to_say_is_named():
    facets = (Facet("1", "heat"), Facet("2", "air"))
    marks = Marks("correct", facets, 2.0, 2.0, (EXPRESSED, UNADDRESSED), (1.0, 1.0))
    assert marks.words == "2 of 2: ✓ heat 1 · correct, though not found: air"
    assert replace(marks, label=PARTLY, points=0.0, outcomes=("", "")).words == "0 of 2"


def test_a_table_of_several_questions_has_a_rubric_for_each(postil, tmp_path):
    (tmp_path / "class.csv").write_text(
        "question_id,question,reference,id,answer\n"
        "q1,Why does ice float?,It is light.,a,light\nq2,Why is it warm?,It is the sun.,b,the sun\n"
        "q3,Why not?,Because.,c,no\n"
    )
    (tmp_path / "rubric.csv").write_text(
        "question,item,points\nq1,light,1\nWhy is it WARM?,the sun,2\nq1,ice,1\n"
    )
    command = (
        "grade",
        tmp_path / "class.csv",
        "--rubric",
        tmp_path / "rubric.csv",
        "-o",
        tmp_path / "out.csv",
    )
    status, _, told = postil(*command)
    assert status == 0
    assert "no rubric for 1 question ('q3'): their labels decide." in told
    rows = rows_of(tmp_path / "out.csv")
    assert [(rows[id]["points"], rows[id]["of"]) for id in "abc"] == [("1", "2"), ("2", "2"), ("", "")]
    assert (rows["b"]["item_2"], rows["c"]["item_1"]) == ("", "")


@pytest.mark.parametrize(
    ("rubric", "more", "told"),
    [
        ("question,item\nq9,light\n", (), "holds a rubric for 'q9', which is no question of"),
        ("item\nlight\n", ("--credit", "correct=0.9"), "--rubric and --credit both say what answers earn"),
        ("item,points\nlight,much\n", (), "line 2: the points of this item must be a number"),
        ("question,item\nq1,light\nq1 ,ice\nWhy is a puddle gone after a sunny day?,x\n", (), "two rubrics"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_before_anything_is_graded(postil, files, rubric, more, told):
    folder, command = files
    (folder / "rubric.csv").write_text(rubric)
    status, _, message = postil(*command, *more)
    assert status == 2
    assert told in message


def test_one_rubric_for_several_questions_is_refused(postil, tmp_path):
    (tmp_path / "class.csv").write_text("question,reference,answer\nWhy?,So.,x\nHow?,Thus.,y\n")
    (tmp_path / "rubric.csv").write_text("item\nlight\n")
    status, _, told = postil("grade", tmp_path / "class.csv", "--rubric", tmp_path / "rubric.csv")
    assert (status, "holds one rubric, but" in told) == (2, True)


def test_a_rubric_is_shown_and_converted(postil, files):
    folder, _ = files
    status, out, _ = postil("rubric", folder / "rubric.csv")
    assert status == 0
    assert "Full points: 5." in out
    status, _, told = postil("rubric", folder / "rubric.csv", "-o", folder / "grading.xml")
    assert (status, "Read 3 items" in told) == (0, True)
    status, out, _ = postil("rubric", folder / "grading.xml")
    assert (status, "soaks in" in out) == (0, True)
    assert postil("rubric", folder / "rubric.csv", "-o", folder / "rubric.doc")[0] == 2
