"""Drafts: how their columns are guessed, and what would be stored."""

from __future__ import annotations

import pytest

from postil.errors import PostilError
from postil.workbench.drafts import guess_columns, make_draft, open_file, open_paste
from postil.workbench.plans import make_plan


def guessed(data, name="class.csv", question_id=1):
    draft = make_draft("t", open_file(name, data.encode()), 1, question_id)
    header = draft.rows.header
    return {role: tuple(header[place] for place in places) for role, places in guess_columns(draft).items()}


@pytest.mark.parametrize(
    ("header", "answer", "id", "student"),
    [
        ("id,name,answer", "answer", "id", "name"),
        ("name,answer", "answer", "", "name"),  # names may repeat, so they are no ids
        ("Student ID,Student,Response", "Response", "Student ID", "Student"),
        ("a,b,c", "c", "", ""),  # where the names do not tell: most text
        ("answer,response", "answer", "", ""),  # either would do
        ("Forename,Surname,Email,Answer", "Answer", "Email", "Forename Surname"),
    ],
)
def test_columns_are_guessed(header, answer, id, student):
    row = ",".join("x" * (3 + place) for place in range(header.count(",") + 1))
    found = guessed(f"{header}\n{row}\n")
    assert found["answer"] == (answer,)
    assert " ".join(found["id"]) == id
    assert " ".join(found["student"]) == student


def test_a_plan_of_a_wide_table_keeps_the_ids_of_its_students():
    export = "Email,Why does ice float?,What do plants need?\na@x,light,sun\nb@x,,water\n"
    draft = make_draft("t", open_file("form.csv", export.encode()), 1, None)
    plan = make_plan(draft, guess_columns(draft))
    assert [question.text for question in plan.questions] == ["Why does ice float?", "What do plants need?"]
    assert [[answer.key for answer in one.answers] for one in plan.questions] == [["a@x", "b@x"]] * 2
    assert plan.unanswered == 2
    assert plan.answers == 4


def test_blank_rows_are_no_answers_and_numbers_go_on():
    draft = make_draft("t", open_paste("x\ta\ny\tb"), 1, 1)
    plan = make_plan(draft, guess_columns(draft), taken={"a1", "a3"})
    assert [answer.key for answer in plan.questions[0].answers] == ["a4", "a5"]


def test_a_pupil_of_a_wide_table_has_one_number_in_every_question():
    export = "When,Why does ice float?,What do plants need?\n1,,sun\n2,light,water\n3,less dense,\n"
    draft = make_draft("t", open_file("form.csv", export.encode()), 1, None)
    plan = make_plan(draft, {**guess_columns(draft), "id": (), "student": ()})
    keys = [{answer.text: answer.key for answer in one.answers if answer.text} for one in plan.questions]
    assert keys == [{"light": "a2", "less dense": "a3"}, {"sun": "a1", "water": "a2"}]


def test_numbers_keep_clear_of_ids_that_look_like_them():
    export = "Name,id,Why does ice float?\nAnn,a3,x\nBob,,y\nCy,,z\n"
    draft = make_draft("t", open_file("form.csv", export.encode()), 1, None)
    (question,) = make_plan(draft, {**guess_columns(draft), "id": (1,)}).questions
    assert [answer.key for answer in question.answers] == ["a3", "a2", "a1"]


def test_too_many_rows_are_refused_when_they_are_read():
    with pytest.raises(PostilError, match="has more than 2 rows"):
        open_paste("a\nb\nc", 2)
    with pytest.raises(PostilError, match="has more than 2 rows"):
        open_file("class.csv", b"answer\na\nb\nc\n", 2)


def test_too_many_questions_are_refused():
    table = "question,answer\n" + "".join(f"Why {number}?,x\n" for number in range(201))
    draft = make_draft("t", open_file("class.csv", table.encode()), 1, None)
    plan = make_plan(draft, guess_columns(draft))
    assert plan.questions == ()
    assert [problem[:19] for problem in plan.problems] == ["There are 201 quest"]
