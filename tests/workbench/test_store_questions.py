from __future__ import annotations

import pytest

from postil.errors import PostilError
from postil.workbench.records import NewAnswer
from postil.workbench.store import answers, courses, decisions, jobs
from postil.workbench.store.answers import Filter


def test_courses_count_what_they_hold(store, question_id):
    courses.create_course(store, "  Empty \n one ")
    found = {one.name: (one.questions, one.answers) for one in courses.list_courses(store)}
    assert found == {"Empty one": (0, 0), "Physics 7b": (1, 4)}


def test_a_course_is_renamed(store):
    course = courses.create_course(store, "Physics")
    courses.edit_course(store, course, "Physics 7c")
    assert courses.get_course(store, course).name == "Physics 7c"
    assert courses.get_course(store, course).created.tzinfo is not None


@pytest.mark.parametrize("name", ["", " \n", "x" * 201])
def test_a_course_needs_a_usable_name(store, name):
    with pytest.raises(PostilError) as raised:
        courses.create_course(store, name)
    assert raised.value.hint


def test_what_is_not_there_is_said(store):
    for ask in (
        lambda: courses.get_course(store, 7),
        lambda: courses.edit_course(store, 7, "x"),
        lambda: courses.delete_course(store, 7),
        lambda: courses.list_questions(store, 7),
        lambda: courses.create_question(store, 7, "Why?", ["so"], 1),
        lambda: courses.get_question(store, 7),
        lambda: courses.delete_question(store, 7),
        lambda: answers.get_view(store, 7),
        lambda: answers.delete_answer(store, 7),
        lambda: answers.list_answers(store, 7),
        lambda: jobs.enqueue(store, "grade", 7),
        lambda: jobs.get_job(store, 7),
    ):
        with pytest.raises(PostilError, match="does not exist"):
            ask()


def test_a_course_is_deleted_with_everything_in_it(store, graded, ids):
    decisions.decide(store, graded, [ids["a"]], "correct", "review")
    courses.delete_course(store, courses.get_question(store, graded).course_id)
    assert courses.list_courses(store) == []
    with store.engine.connect() as connection:
        tables = "question", "answer", "job", "judgement", "proposal", "decision"
        left = [connection.exec_driver_sql(f"SELECT count(*) FROM {name}").scalar() for name in tables]  # noqa: S608
    assert left == [0] * 6


def test_numbers_are_not_given_twice(store, question_id, ids):
    answers.delete_answer(store, ids["d"])
    answers.add_answers(store, question_id, [NewAnswer("e", "", "again")])
    newest = answers.list_answers(store, question_id)[-1]
    assert (newest.key, newest.place) == ("e", 3)
    assert newest.id > ids["d"]


def test_a_question_counts_what_was_said_of_its_answers(store, graded, ids):
    decisions.decide(store, graded, [ids["a"], ids["d"]], "correct", "review")
    question = courses.get_question(store, graded)
    assert (question.answers, question.judged, question.decided) == (4, 3, 2)
    assert question.references == ("The path is closed.",)
    assert courses.list_questions(store, question.course_id) == [question]


@pytest.mark.parametrize(
    ("text", "references", "points", "what"),
    [
        (" ", ["so"], 1, "needs some text"),
        ("Why?", [" ", ""], 1, "needs a reference"),
        ("Why?", ["so"], 0, "points"),
        ("Why?", ["so"], float("nan"), "points"),
        ("Why?", ["x" * 5001], 1, "characters"),
        ("Why?", ["so"] * 51, 1, "at most 50"),
    ],
)
def test_a_question_that_cannot_be_graded_is_refused(store, text, references, points, what):
    course = courses.create_course(store, "Physics")
    with pytest.raises(PostilError, match=what):
        courses.create_question(store, course, text, references, points)


def test_other_points_leave_the_judgements(store, graded):
    courses.edit_question(store, graded, "Why is it lit?", ["The path is closed. "], 5)
    question = courses.get_question(store, graded)
    assert (question.points, question.judged) == (5, 3)


def test_another_reference_makes_the_judgements_void_and_keeps_the_decisions(store, graded, ids):
    decisions.decide(store, graded, [ids["a"]], "correct", "review")
    courses.edit_question(store, graded, "Why is it lit?", ["The switch is on.", ""], 2)
    question = courses.get_question(store, graded)
    assert (question.references, question.judged, question.decided) == (("The switch is on.",), 0, 1)
    assert jobs.latest_job(store, graded) is None
    assert answers.count_views(store, graded, Filter(state="decided")) == 1


def test_other_blanks_are_no_other_question(store, graded):
    courses.edit_question(store, graded, "Why is\nit lit?", ["The path\n  is closed.", "No gap."], 2)
    assert courses.get_question(store, graded).judged == 0
    before = courses.get_question(store, graded)
    job = jobs.enqueue(store, "grade", graded)
    courses.edit_question(store, graded, "Why is\r\nit lit?", ["The path is closed.", "No gap. "], 3)
    after = courses.get_question(store, graded)
    assert (after.text, after.references, after.points) == (before.text, before.references, 3)
    assert jobs.get_job(store, job).state == "waiting"
