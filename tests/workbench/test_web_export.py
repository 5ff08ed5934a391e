"""Downloads and reports: they come with the right names and kinds, and nothing in them runs."""

from __future__ import annotations

import csv
import io

import pytest
from classroom import PARTLY, Browser, run
from openpyxl import load_workbook
from webclient import make_account

from postil.workbench.records import Level, NewAnswer
from postil.workbench.store import answers, courses, decisions
from postil.workbench.store.access import hand_over, share_course
from postil.workbench.store.courses import get_question


@pytest.fixture
def graded(store, question_id, ids):
    """The class graded, and one answer decided otherwise."""
    run(store, "grade", question_id, {ids["b"]: ("contradictory", 0.8)})
    decisions.decide(store, question_id, [ids["a"]], PARTLY, "review")
    return f"/questions/{question_id}"


def table(response) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(response.content.decode("utf-8-sig"))))


def test_before_grading_there_is_nothing_to_take_away(browser, question_id):
    assert "Nothing to export yet" in browser.get(f"/questions/{question_id}/export").text


def test_the_page_offers_everything(browser, graded, store, question_id):
    text = browser.get(f"{graded}/export").text
    course = get_question(store, question_id).course_id
    for path in (
        f"{graded}/export.csv",
        f"{graded}/export.xlsx",
        f"{graded}/export-moodle.csv",
        f"{graded}/report",
        f"/courses/{course}/export.xlsx",
        f"/courses/{course}/report",
    ):
        assert path in text
        browser.get(path)


def test_csv_holds_the_labels_that_count(browser, graded):
    response = browser.get(f"{graded}/export.csv")
    assert response.headers["content-type"].startswith("text/csv")
    assert response.headers["content-disposition"] == 'attachment; filename="physics-7b-why-is-it-lit.csv"'
    rows = table(response)
    assert [row["key"] for row in rows] == ["a", "b", "c", "d"]
    assert [row["label"] for row in rows] == ["partly right", "contradicts", "correct", "correct"]
    assert [row["decided by"] for row in rows] == ["teacher", "Postil", "Postil", "Postil"]


def test_only_what_was_decided(browser, graded):
    assert [row["key"] for row in table(browser.get(f"{graded}/export.csv?answers=decided"))] == ["a"]


def test_a_workbook(browser, graded):
    book = load_workbook(io.BytesIO(browser.get(f"{graded}/export.xlsx").content))
    assert len(list(book.worksheets[0].values)) == 5


def test_moodle_by_guess_and_by_choice(browser, graded):
    guessed = table(browser.get(f"{graded}/export-moodle.csv"))
    assert list(guessed[0]) == ["Username", "Grade", "Feedback", "Provisional"]
    assert guessed[0]["Username"] == "a"
    assert guessed[0]["Grade"] == "1"
    chosen = table(browser.get(f"{graded}/export-moodle.csv?column=student&as=idnumber"))
    assert chosen[0]["ID number"] == "Pupil A"
    odd = table(browser.get(f"{graded}/export-moodle.csv?column=x&as=y"))
    assert odd == guessed


def test_a_report_may_have_a_style_and_nothing_else(browser, graded):
    response = browser.get(f"{graded}/report")
    policy = response.headers["content-security-policy"]
    assert "style-src 'unsafe-inline'" in policy
    assert "default-src 'none'" in policy
    assert "script-src" not in policy
    assert "100% &lt;b&gt;sure&lt;/b&gt;" in response.text
    assert "the teacher decided" in response.text


def test_a_course_with_no_questions_says_so(browser, store):
    course = courses.create_course(store, "Empty")
    response = browser.client.get(f"/courses/{course}/export.xlsx")
    assert response.status_code >= 400
    assert "no questions yet" in response.text


def test_what_is_not_there_is_not_found(browser):
    assert browser.client.get("/questions/999/export.csv").status_code in (400, 404)


def test_ids_that_postil_made_up_are_told(browser, store, question_id, graded):
    assert "made up by Postil" not in browser.get(f"{graded}/export").text
    made = courses.create_question(store, 1, "Why?", ["Because."], 1)
    answers.add_answers(store, made, [NewAnswer("a1", "", "so"), NewAnswer("a2", "", "no")])
    ids = [answer.id for answer in answers.list_answers(store, made)]
    decisions.decide(store, made, ids, "correct", "review")
    assert "created by Postil, so Moodle does not know them" in browser.get(f"/questions/{made}/export").text


def test_others_did_not_decide_what_somebody_decided(store, tmp_path, graded, question_id, ids):
    ann, ben = make_account(store, "ann"), make_account(store, "ben")
    hand_over(store, 1, ann.id)
    share_course(store, 1, ben.id, Level.TEACH)
    decisions.decide(store, question_id, [ids["b"]], "contradictory", "review", by=ann.id)
    as_ben = Browser(store, tmp_path, login="ben")
    page = as_ben.get(graded).text
    assert "by Ann" in page
    assert ">yours<" not in page
    assert "Postil can learn from 2 new decisions" in page
    assert "Only those a person decided" in as_ben.get(f"{graded}/export").text
    assert ">yours<" in Browser(store, tmp_path, login="ann").get(graded).text
    assert [row["decided by"] for row in table(as_ben.get(f"{graded}/export.csv"))][:2] == ["teacher", "Ann"]
