"""From a question bank through a class's responses to grades that find their students."""

from __future__ import annotations

import csv
import io
import re
from html import unescape
from pathlib import Path

import pytest
from classroom import PARTLY, run
from webclient import let_in, make_account

from postil.workbench.app import create_app
from postil.workbench.settings import Settings
from postil.workbench.store import answers, courses

DATA = Path(__file__).parent.parent / "fixtures" / "moodle"


@pytest.fixture
def client(store, tmp_path):
    courses.create_course(store, "Physics 7b")
    return let_in(create_app(Settings(tmp_path / "workbench.db"), store))


def bring(client, name, data=None):
    content = (DATA / name).read_bytes() if data is None else data
    return client.post("/courses/1/draft", files={"file": (name, content)})


def form_of(page):
    """What the form of a page would send."""
    text = page.text
    boxes = re.findall(r'name="(take-\d+)"[^>]*value="1" checked', text)
    inputs = re.findall(r'<input [^>]*name="((?:points|right)-\d+)" value="([^"]*)"', text)
    areas = re.findall(r'<textarea [^>]*name="(right-\d+)"[^>]*>\n(.*?)</textarea>', text, re.DOTALL)
    selects = re.findall(r'<select [^>]*name="([\w-]+)"[^>]*>(.*?)</select>', text, re.DOTALL)
    chosen = {name: re.search(r'value="([^"]*)" selected', options) for name, options in selects}
    fields = {name: match[1] if match else "" for name, match in chosen.items()}
    return fields | dict.fromkeys(boxes, "1") | {name: unescape(text) for name, text in [*inputs, *areas]}


def make_bank(client, store):
    page = bring(client, "bank.xml")
    right = {"right-2": "The fastest molecules leave the surface."}
    client.post(page.url.path, data=form_of(page) | right)
    return {one.text.split("\n")[0]: one for one in courses.list_questions(store, 1)}


def stored(store, question_id):
    return [(one.key, one.student, one.text) for one in answers.list_answers(store, question_id)]


def test_a_question_bank_is_shown_and_made_into_questions(client, store):
    page = bring(client, "bank.xml")
    assert page.url.path.endswith("/quiz")
    text = page.text
    assert "4 questions with a written answer in bank.xml. Nothing has been stored yet." in text
    assert "1 question has no right answer" in text
    assert "1 partly right answer and 1 wrong answer in the quiz, not imported" in text
    assert "Not imported: 2 questions" in text
    assert re.search(r"Boiling point <span class=\"muted\">\(multiple choice\)", text)
    assert "wildcard" in text
    fields = form_of(page)
    assert fields["right-0"] == "Ice is less dense than water.\nlower density water"
    assert (fields["points-0"], fields["points-2"], fields["right-2"]) == ("2", "1.5", "")
    again = client.post(page.url.path, data=fields | {"right-0": "Ice\r\nis\r\n"})  # as browsers send it
    assert form_of(again)["right-0"] == "Ice\nis"
    assert again.status_code == 400
    assert "1 question cannot be imported yet" in again.text
    assert courses.list_questions(store, 1) == []
    del fields["take-3"]
    page = client.post(page.url.path, data=fields | {"right-2": "The fastest leave.", "points-1": "4,5"})
    assert "3 questions imported." in page.text
    made = courses.list_questions(store, 1)
    assert [(one.points, len(one.references)) for one in made] == [(2.0, 2), (4.5, 1), (1.5, 1)]
    assert client.get(again.url.path).status_code == 404  # the upload is gone


@pytest.mark.parametrize("name", ["bank.gift", "bank.txt", "bank"])
def test_gift_is_recognised_by_what_is_in_it(client, store, name):
    page = bring(client, name, (DATA / "bank.gift").read_bytes())
    assert "4 questions with a written answer" in page.text
    assert "Not imported: 5 questions" in page.text


def test_questions_that_are_there_are_not_ticked(client, store):
    make_bank(client, store)
    page = bring(client, "bank.xml")
    assert page.text.count("This question is already in the course.") == 4
    assert not any(name.startswith("take-") for name in form_of(page))
    assert "No questions are ticked" in client.post(page.url.path, data=form_of(page)).text


def test_nothing_in_a_quiz_runs(client):
    evil = "<script>alert(1)</script>"
    page = bring(
        client, "q.gift", f"::{evil}::[plain]Why {evil}? {{={evil}#{evil}}}\n\n::{evil}:: {{T}}".encode()
    )
    assert page.status_code == 200
    assert evil not in page.text


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("q.gift", b"One? {=a", "a brace { opens and does not close"),
        ("q.xml", b"<quiz><question>", "not well-formed"),
        ("q.xml", b'<!DOCTYPE q [<!ENTITY a "x">]><quiz>&a;</quiz>', "declares XML entities"),
        ("q.xml", b"<html></html>", "not a table format"),
    ],
)
def test_a_broken_quiz_stores_nothing_and_says_why(client, store, name, data, words):
    page = bring(client, name, data)
    assert page.url.path == "/courses/1"
    assert words in unescape(page.text)
    assert "upload." not in page.text  # what the file is called in between


def test_a_quiz_is_no_answers_and_answers_are_no_quiz(client, store):
    question = courses.create_question(store, 1, "Why?", ["So."], 1)
    quiz = {"file": ("bank.xml", (DATA / "bank.xml").read_bytes())}
    page = client.post(f"/questions/{question}/answers/draft", files=quiz)
    assert "this file contains questions but no answers" in page.text.lower()
    draft = bring(client, "responses-4.csv")
    assert client.get(f"{draft.url.path}/quiz").status_code == 404
    token = bring(client, "bank.xml").url.path.removesuffix("/quiz")
    assert client.get(token).url.path == f"{token}/quiz"
    assert client.post(f"{token}/store").status_code == 400


def test_a_quiz_belongs_to_who_brought_it(store, tmp_path):
    app = create_app(Settings(tmp_path / "workbench.db", local=False), store)
    ane = make_account(store, "ane", password=None)
    make_account(store, "ben", password=None)
    courses.create_course(store, "Ane's", ane.id)
    page = bring(let_in(app, "ane"), "bank.xml")
    assert page.status_code == 200
    assert let_in(app, "ben").get(page.url.path).status_code == 404
    assert let_in(app, "ben").post(page.url.path).status_code == 404


def test_responses_go_to_the_questions_of_the_course(client, store):
    bank = make_bank(client, store)
    draft = bring(client, "responses-4.csv")
    assert "2 rows without a finished attempt were left out." in draft.text
    assert "each student’s last finished attempt counts" in draft.text
    assert draft.text.count('<th scope="col" class="taken"><span class="role">Answer</span>Response') == 3
    fields = form_of(draft)
    ice = bank["Why does ice float on water?"].id
    rain = bank["Explain how rain forms. Say what happens"].id
    assert (fields["to-0"], fields["to-1"]) == (str(ice), str(rain))
    page = client.post(f"{draft.url.path}/store", data=fields)
    assert "6 answers added to 3 existing questions." in page.text
    assert len(courses.list_questions(store, 1)) == 4
    assert stored(store, ice) == [
        ("ben@school.example", "Ben Blum", ""),
        ("Ane@school.example", "Ane Arregi", "Ice is less dense"),
    ]


def test_the_same_report_again_adds_only_what_is_new(client, store):
    bank = make_bank(client, store)
    draft = bring(client, "responses-4.csv")
    client.post(f"{draft.url.path}/store", data=form_of(draft))
    report = (DATA / "responses-4.csv").read_bytes()
    more = report.replace(b'"In progress","13 March 2025  8:05 AM",-', b"Finished,8:05,8:15")
    draft = bring(client, "responses-4.csv", more)
    assert "6 answers are already in the course and will stay as before" in draft.text
    page = client.post(f"{draft.url.path}/store", data=form_of(draft))
    assert "1 answer added to 1 existing question." in page.text
    assert len(stored(store, bank["Why does ice float on water?"].id)) == 3


def test_a_report_without_questions_asks_where_answers_belong(client, store):
    dew = make_bank(client, store)["What is dew?"]
    draft = bring(client, "r.csv", b"Email address,Response 1\na@x.org,water\n")
    assert "does not include the text" in draft.text
    fields = form_of(draft)
    assert fields["to-0"] == ""
    part = client.post(draft.url.path, data=fields | {"to-0": str(dew.id)}, headers={"HX-Request": "true"})
    assert "does not include the text" not in part.text
    client.post(f"{draft.url.path}/store", data=form_of(part))
    assert stored(store, dew.id) == [("a@x.org", "", "water")]


def test_answers_may_be_for_a_new_question_all_the_same(client, store):
    make_bank(client, store)
    draft = bring(client, "responses-4.csv")
    fields = form_of(draft) | {"to-0": "", "right-0": "It is less dense."}
    page = client.post(f"{draft.url.path}/store", data=fields)
    assert "6 answers added to 1 new question and 2 existing questions." in page.text


@pytest.mark.parametrize("target", ["999", "x", "-1", "9" * 30])
def test_a_target_that_is_not_there_is_a_new_question(client, store, target):
    make_bank(client, store)
    draft = bring(client, "responses-4.csv")
    page = client.post(f"{draft.url.path}/store", data=form_of(draft) | {"to-0": target, "right-0": "x"})
    assert "to 1 new question" in page.text


def test_nothing_is_added_if_something_goes_wrong(client, store, monkeypatch):
    bank = make_bank(client, store)
    draft = bring(client, "responses-4.csv")
    from postil.errors import PostilError
    from postil.workbench.store import drafts

    def fail_once(session, question_id, *more):
        if question_id == bank["Why does a puddle dry up when the energy is only \\(E = mc\\Delta T\\)?"].id:
            raise PostilError("the disk is full.")
        return answers.put_answers(session, question_id, *more)

    monkeypatch.setattr(drafts, "put_answers", fail_once)
    client.post(f"{draft.url.path}/store", data=form_of(draft))
    assert [one.answers for one in courses.list_questions(store, 1)] == [0, 0, 0, 0]
    monkeypatch.undo()
    assert "6 answers" in client.post(f"{draft.url.path}/store", data=form_of(draft)).text


def test_from_the_question_bank_to_grades_that_find_their_students(client, store):
    bank = make_bank(client, store)
    draft = bring(client, "responses-4.csv")
    client.post(f"{draft.url.path}/store", data=form_of(draft))
    for question in bank.values():
        if question.id != bank["What is dew?"].id:
            ids = {one.key: one.id for one in answers.list_answers(store, question.id)}
            run(store, "grade", question.id, {ids["ben@school.example"]: (PARTLY, 0.8)})
    ice = bank["Why does ice float on water?"]
    one = client.get(f"/questions/{ice.id}/export-moodle.csv").text
    assert list(csv.reader(io.StringIO(one)))[:3] == [
        ["Email address", "Grade", "Feedback", "Provisional"],
        ["ben@school.example", "1", "You said it well.", "yes"],
        ["Ane@school.example", "2", "You said it well.", "yes"],
    ]
    assert "/courses/1/export-moodle.csv" in client.get(f"/questions/{ice.id}/export").text
    answer = client.get("/courses/1/export-moodle.csv")
    assert answer.headers["content-disposition"] == 'attachment; filename="physics-7b-moodle.csv"'
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    grades = {
        row["Email address"]: [value for name, value in row.items() if "(out of" in name] for row in rows
    }
    assert grades == {
        "ben@school.example": ["1", "1.5", "0.75", "-", "3.25"],
        "Ane@school.example": ["2", "3", "1.5", "-", "6.5"],
    }
