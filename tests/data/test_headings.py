"""Which row names the columns: titles stand above it, or merged cells; and cells with markup become text."""

from __future__ import annotations

import pytest

from postil.data.formats.rows import read_rows
from postil.data.formats.tables import read_table, write_table
from postil.data.formats.wide import read_wide
from postil.data.questions import Answer, Question


def read(tmp_path, text, name="class.csv"):
    path = tmp_path / name
    path.write_text(text, "utf-8")
    return read_rows(path)


@pytest.mark.parametrize(
    "above",
    [
        "Biology 7B\n",
        "Biology 7B,,\n",
        "Biology 7B\n\nSpring term 2026\n",
        '"Biology 7B, spring",,\nTeacher:,Ms Cole,\n',
    ],
)
def test_titles_above_the_heading_are_skipped(tmp_path, above):
    rows = read(tmp_path, f"{above}name,student answer,label\nAnn,it is closed,correct\nBo,no idea,\n")
    assert rows.header == ("name", "student answer", "label")
    assert [row.cells[0] for row in rows.rows] == ["Ann", "Bo"]


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("answer\nit is closed\nno idea\n", ("answer",)),
        ("What they said\nyes, it is\nno, because\n", ("What they said",)),
        ("Why is it lit?,\nit is closed,x\n", ("Why is it lit?", "column 2")),
        ("colour,shape\nred,round\nname,answer\n", ("colour", "shape")),
        ("answer,\nname,answer\n", ("answer", "column 2")),
    ],
)
def test_a_heading_on_top_stays_one(tmp_path, text, header):
    assert read(tmp_path, text).header == header


def test_merged_cells_above_the_names_join_them(tmp_path):
    rows = read(
        tmp_path,
        "Student,,Why is it lit?,,Why does ice float?,\nName,ID,Answer,Points,Answer,Points\n"
        "Ann,7,it is closed,2,it is lighter,1\n",
    )
    assert rows.header == (
        "Name",
        "ID",
        "Why is it lit?",
        "Why is it lit?: Points",
        "Why does ice float?",
        "Why does ice float?: Points",
    )
    assert [row.line for row in rows.rows] == [3]


def test_a_wide_table_with_titles_and_merged_cells(tmp_path):
    path = tmp_path / "class.csv"
    path.write_text(
        "Physics test,,,,,\nStudent,,Why is it lit?,,Why does ice float?,\n"
        "Name,ID,Answer,Points,Answer,Points\nAnn,7,it is closed,2,it is lighter,1\n"
    )
    questions = read_wide(path)
    assert [question.text for question in questions] == ["Why is it lit?", "Why does ice float?"]
    assert [question.answers[0].text for question in questions] == ["it is closed", "it is lighter"]


def test_markup_in_cells_becomes_text(tmp_path):
    path = tmp_path / "class.csv"
    path.write_text(
        "question,reference,id,answer\n"
        "<p>Why&nbsp;<b>float</b>?</p>,<p>It is <i>lighter</i>.</p>,1,<p>lighter &amp; less dense</p>\n"
        "<p>Why&nbsp;<b>float</b>?</p>,<p>It is <i>lighter</i>.</p>,2,if a<b and b>c\n"
        "<p>Why&nbsp;<b>float</b>?</p>,<p>It is <i>lighter</i>.</p>,3,caf&eacute; with <b> and </b> &lt;3\n"
    )
    (question,) = read_table(path)
    assert question.text == "Why float?"
    assert question.references[0].text == "It is lighter."
    answers = [answer.text for answer in question.answers]
    assert answers == ["lighter & less dense", "if a<b and b>c", "café with <b> and </b> &lt;3"]


def test_what_postil_wrote_comes_back_as_it_was(tmp_path):
    question = Question("q", "What does <br> do?", (), (Answer("a", "&amp; <p>so</p>"),))
    write_table(tmp_path / "own.csv", [question])
    assert read_table(tmp_path / "own.csv") == [question]
