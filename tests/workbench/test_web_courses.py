"""Courses and questions in the browser: make, show, change and delete them."""

from __future__ import annotations

import pytest
from webclient import let_in

from postil.workbench.app import create_app
from postil.workbench.records import NewAnswer
from postil.workbench.settings import Settings
from postil.workbench.store import answers, courses, jobs


@pytest.fixture
def client(store, tmp_path):
    return let_in(create_app(Settings(tmp_path / "workbench.db"), store))


def test_the_first_page_shows_how_to_begin_and_then_the_courses(client):
    assert "Try the sample class" in client.get("/").text
    made = client.post("/courses", data={"name": "  Physics <7b>  "})
    assert made.url.path == "/courses/1"
    assert "<h1>Physics &lt;7b&gt;</h1>" in made.text
    assert "No questions yet" in made.text
    assert "Physics &lt;7b&gt;" in client.get("/").text


def test_a_course_without_a_name_is_not_made(client, store):
    told = client.post("/courses", data={"name": " "})
    assert told.url.path == "/"
    assert "name must have 1 to 200 characters." in told.text
    assert "name must have 1 to 200 characters." not in client.get("/").text
    assert courses.list_courses(store) == []


def test_a_course_is_renamed_and_deleted_with_all_it_holds(client, store, question_id):
    assert "<h1>Physics 8a</h1>" in client.post("/courses/1/rename", data={"name": "Physics 8a"}).text
    assert "name must have 1 to 200" in client.post("/courses/1/rename", data={"name": ""}).text
    gone = client.post("/courses/1/delete")
    assert "“Physics 8a” and everything in it has been deleted." in gone.text
    assert courses.list_courses(store) == []


def test_the_bundled_class_becomes_a_course_with_work_to_do(client, store):
    page = client.post("/courses/demo")
    assert page.url.path == "/courses/1"
    assert "made-up class" in page.text
    made = courses.list_questions(store, 1)
    assert len(made) == 10
    assert all(one.answers >= 12 and one.decided == 0 and one.references for one in made)
    assert page.text.count('class="card"') == 10


def test_a_course_shows_its_questions_with_how_far_each_is(client, graded):
    page = client.get("/courses/1").text
    assert "4 answers" in page
    assert "3 graded" in page
    assert "0 decided by you" in page


def test_a_question_is_made_with_several_references(client, store):
    client.post("/courses", data={"name": "Physics"})
    form = {"text": "Why?", "references": "Because.\r\n\r\n  It is so. \n", "points": "2,5"}
    assert client.post("/courses/1/questions/new", data=form).url.path == "/questions/1"
    made = courses.get_question(store, 1)
    assert (made.text, made.references, made.points) == ("Why?", ("Because.", "It is so."), 2.5)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"text": " "}, "A question needs some text."),
        ({"references": "\n"}, "Give at least one correct answer."),
        ({"points": "two"}, "The points must be a number."),
        ({"points": "-1"}, "The points must be a number above 0."),
        ({"points": "nan"}, "The points must be a number above 0."),
    ],
)
def test_a_wrong_question_comes_back_as_it_was_written(client, store, change, told):
    client.post("/courses", data={"name": "Physics"})
    form = {"text": "Why <b>so</b>?", "references": "Because it is.", "points": "2"} | change
    again = client.post("/courses/1/questions/new", data=form)
    assert again.status_code == 400
    assert told in again.text
    assert "Because it is." in again.text or "references" in change
    assert "Why &lt;b&gt;so" in again.text or "text" in change
    assert courses.list_questions(store, 1) == []


def test_a_changed_question_is_to_be_graded_again(client, store, graded):
    form = client.get(f"/questions/{graded}/edit").text
    assert "The path is closed." in form
    unchanged = {"text": "Why is it lit?", "references": "The path is closed.", "points": "4"}
    assert "graded again" not in client.post(f"/questions/{graded}/edit", data=unchanged).text
    assert courses.get_question(store, graded).judged == 3
    page = client.post(f"/questions/{graded}/edit", data=unchanged | {"references": "It is closed."})
    assert "have to be graded again" in page.text
    assert courses.get_question(store, graded).judged == 0
    wrong = client.post(f"/questions/{graded}/edit", data=unchanged | {"text": ""})
    assert wrong.status_code == 400


def test_a_question_is_deleted_with_its_answers(client, store, question_id):
    assert client.post(f"/questions/{question_id}/delete").url.path == "/courses/1"
    assert courses.list_questions(store, 1) == []


def test_an_answer_can_be_typed(client, store, question_id):
    page = client.post(f"/questions/{question_id}/answers", data={"text": " <i>lit</i> ", "student": "Ada"})
    assert "1 answer added." in page.text
    last = answers.list_answers(store, question_id)[-1]
    assert (last.student, last.text) == ("Ada", "<i>lit</i>")
    assert "<i>lit" not in page.text
    assert "The answer is empty." in client.post(f"/questions/{question_id}/answers", data={"text": " "}).text
    assert len(answers.list_answers(store, question_id)) == 5


def test_all_that_waits_is_graded_at_once(client, store):
    courses.create_course(store, "Physics 7b")
    assert "Grade all ungraded answers" not in client.get("/courses/1").text
    texts = {"a": "so", "b": "no"}
    waiting = [courses.create_question(store, 1, text, ["Because."], 1) for text in ("How?", "When?")]
    empty = courses.create_question(store, 1, "Nobody answered", ["Because."], 1)
    for made in waiting:
        answers.add_answers(store, made, [NewAnswer(key, "", text) for key, text in texts.items()])
    assert "Grade all ungraded answers" in client.get("/courses/1").text
    assert "2 questions will be graded" in client.post("/courses/1/grade").text
    assert [jobs.latest_job(store, made).kind for made in waiting] == ["grade", "grade"]
    assert jobs.latest_job(store, empty) is None
