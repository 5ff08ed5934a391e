"""The grades of a whole course, as Moodle's importer reads them."""

from __future__ import annotations

import pytest
from test_exports import PARTLY, question, rows_of, view

from postil.errors import PostilError
from postil.workbench.exports import Identity, course_moodle

EMAIL = Identity("student", "email")


def test_a_row_for_each_student_and_two_columns_for_each_question():
    first = [view("a1", student="ann@x.org"), view("a2", student="ben@x.org", machine=PARTLY)]
    second = [view("a1", student="ben@x.org"), view("a2", student="cy@x.org", machine=None)]
    graded = [(question(2), first), (question(1.5, "How?", 2), second)]
    data = course_moodle(graded, EMAIL)
    assert data.decode().splitlines()[0] == (
        "Email address,Q1 Why is it lit? (out of 2),Q1 feedback,Q2 How? (out of 1.5),Q2 feedback,"
        "Sum (out of 3.5)"
    )
    rows = [list(row.values()) for row in rows_of(data)]
    assert rows == [
        ["ann@x.org", "2", "You said it well.", "-", "", "2"],
        ["ben@x.org", "1", "You said it well.", "1.5", "You said it well.", "2.5"],
    ]  # cy has no grade at all, and a blank would become 0


def test_whoever_is_unclear_is_left_out():
    twice = [view("a1", student="Kim Lee"), view("a2", student="Kim Lee"), view("a3", student="Jo")]
    rows = rows_of(course_moodle([(question(), twice)], Identity("student", "username")))
    assert [row["Username"] for row in rows] == ["Jo"]
    rows = rows_of(course_moodle([(question(), [view("a1"), view("x1")])], Identity("key", "username")))
    assert [row["Username"] for row in rows] == ["x1"]  # a1 is what Postil calls the first of a paste


def test_long_texts_and_large_numbers():
    rows = rows_of(
        course_moodle([(question(250_000, "why " * 40), [view("x")])], Identity("key", "idnumber"))
    )
    (heading,) = [name for name in rows[0] if name.startswith("Q1 why")]
    assert len(heading) < 100
    assert rows[0][heading] == "250000"


def test_nothing_in_it_runs_and_a_hyphen_stays_one():
    views = [view("=1+1", note="+x")]
    cells = [cell for row in rows_of(course_moodle([(question(), views)], Identity("key", "username")))
             for cell in row.values()]  # fmt: skip
    assert cells == ["'=1+1", "2", "'+x", "2"]


def test_a_file_in_which_nobody_would_be_says_how_many_are_left_out():
    graded = [(question(), [view("a1"), view("a2"), view("a3", machine=None)])]
    with pytest.raises(PostilError, match="2 graded answers would be left out") as told:
        course_moodle(graded, Identity("key", "username"))
    assert "created by Postil" in told.value.hint
    with pytest.raises(PostilError, match="nothing has been graded yet"):
        course_moodle([(question(), [view("x", machine=None)])], Identity("key", "username"))
