"""Sharing a course: its owner decides, others see it, leave it, or take it over."""

from __future__ import annotations

import pytest
from webclient import let_in, make_account

from postil.workbench.app import create_app
from postil.workbench.pages import people as sharing
from postil.workbench.records import ASSISTANT, Level, NewAnswer
from postil.workbench.settings import Settings
from postil.workbench.store import access, accounts, answers, courses, events
from postil.workbench.store.decisions import decide


@pytest.fixture
def people(store):
    """Teo, whose course it is, Mia, who teaches, and Ann, who assists; by login."""
    made = [make_account(store, login, password=None) for login in ("teo", "mia")]
    made.append(make_account(store, "ann", ASSISTANT, password=None))
    return {person.login: person for person in made}


@pytest.fixture
def course(store, people):
    """Teo's course, with a question that has an answer."""
    made = courses.create_course(store, "Physics 7b", people["teo"].id)
    question = courses.create_question(store, made, "Why is it lit?", ["The path is closed."], 1)
    answers.add_answers(store, question, [NewAnswer("a", "Ada", "it is closed")])
    return made


@pytest.fixture
def enter(store, database, people):
    """A function that gives somebody's browser."""
    app = create_app(Settings(database, local=False), store)
    return lambda login: let_in(app, login)


def level(store, person) -> Level | None:
    return access.level_on(store, person, course_id=1)


def test_a_course_is_shared_by_login(enter, store, people, course):
    teo, mia = enter("teo"), enter("mia")
    assert mia.get("/courses/1").status_code == 404
    page = teo.post("/courses/1/people", data={"login": " MIA ", "level": "teach"})
    assert "The course is now shared with Mia." in page.text
    assert level(store, people["mia"]) == Level.TEACH
    assert "owned by Teo" in mia.get("/").text
    assert mia.get("/courses/1/people").status_code == 200


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ({"login": "nobody"}, "Nobody here has the login “nobody”."),
        ({"login": "teo"}, "This person already owns the course."),
        ({"login": "mia", "level": "own"}, "help or teach"),
        ({"login": "ann", "level": "teach"}, "Assistants can only help"),
        ({"login": "gone"}, "Nobody here has the login “gone”."),
    ],
)
def test_what_cannot_be_shared(enter, store, people, course, form, told):
    gone = make_account(store, "gone", password=None)
    accounts.close_account(store, gone.id, None)
    page = enter("teo").post("/courses/1/people", data=form)
    assert page.status_code == 400
    assert told in page.text
    assert access.list_members(store, 1) == []


def test_a_share_is_changed_and_taken_back(enter, store, people, course):
    teo, mia = enter("teo"), people["mia"]
    access.share_course(store, 1, mia.id, Level.HELP)
    assert "Mia can now teach." in teo.post(f"/courses/1/people/{mia.id}", data={"level": "teach"}).text
    assert level(store, mia) == Level.TEACH
    assert "Mia can no longer see" in teo.post(f"/courses/1/people/{mia.id}/remove").text
    assert level(store, mia) is None
    assert teo.post(f"/courses/1/people/{mia.id}", data={"level": "teach"}).status_code == 404
    assert level(store, mia) is None


def test_those_who_help_see_with_whom_and_change_nothing(enter, store, people, course):
    access.share_course(store, 1, people["ann"].id, Level.HELP)
    access.share_course(store, 1, people["mia"].id, Level.TEACH)
    for login in ("ann", "mia"):
        page = enter(login).get("/courses/1/people").text
        assert "Teo" in page
        assert "own the course" in page
        assert "Share the course" not in page
        assert "Remove" not in page


def test_one_leaves_a_course(enter, store, people, course):
    access.share_course(store, 1, people["ann"].id, Level.HELP)
    ann = enter("ann")
    assert "You have left “Physics 7b”." in ann.post("/courses/1/leave").text
    assert ann.get("/courses/1").status_code == 404


def test_the_owner_cannot_leave(enter, store, people, course):
    assert "You own this course." in enter("teo").post("/courses/1/leave").text
    assert level(store, people["teo"]) == Level.OWN


def test_a_course_is_handed_over(enter, store, people, course):
    teo = enter("teo")
    assert "cannot own courses" in teo.post("/courses/1/handover", data={"login": "ann"}).text
    page = teo.post("/courses/1/handover", data={"login": "mia"})
    assert "The course now belongs to Mia." in page.text
    assert level(store, people["mia"]) == Level.OWN
    assert level(store, people["teo"]) == Level.TEACH
    assert "Share the course" not in page.text


def test_what_was_done_is_in_the_log_of_the_course(enter, store, people, course):
    teo = enter("teo")
    teo.post("/courses/1/people", data={"login": "ann", "level": "help"})
    teo.post(f"/courses/1/people/{people['ann'].id}/remove")
    teo.post("/courses/1/handover", data={"login": "mia"})
    logged = [(event.what, event.about) for event in events.list_events(store, course_id=1)]
    assert logged == [
        (events.COURSE_HANDED_OVER, "mia"),
        (events.COURSE_UNSHARED, "ann"),
        (events.COURSE_SHARED, "ann: help"),
    ]


def test_own_and_shared_courses_stand_apart(enter, store, people, course):
    courses.create_course(store, "Chemistry 9a", people["mia"].id)
    access.share_course(store, 1, people["mia"].id, Level.TEACH)
    page = enter("mia").get("/").text
    assert page.index("Chemistry 9a") < page.index("Shared with you") < page.index("Physics 7b")
    assert "Shared with you" not in enter("teo").get("/").text


def test_assistants_are_offered_no_course_to_make(enter, store, people, course):
    ann = enter("ann")
    assert "No courses have been shared with you yet" in ann.get("/").text
    access.share_course(store, 1, people["ann"].id, Level.HELP)
    page = ann.get("/").text
    assert "Physics 7b" in page
    assert "New course" not in page
    assert "sample class" not in page


# What stands on these pages only for those who may do it.
TEACHING = {
    "/courses/1": ("New question", "Export", "Report", 'action="/courses/1/draft"'),
    "/questions/1": ("Edit question", "Add more answers", ">Export</a>"),
    "/answers/1": ("Delete this answer",),
    "/questions/1/facets?own=true": ("Add an item",),
}
OWNING = {"/courses/1": ("Rename or delete", ">Share</a>", 'href="/courses/1/log"')}


@pytest.mark.parametrize(("login", "shared"), [("ann", Level.HELP), ("mia", Level.TEACH), ("teo", None)])
def test_nobody_is_offered_what_they_may_not_do(enter, store, people, course, login, shared):
    if shared:
        access.share_course(store, 1, people[login].id, shared)
    browser, allowed = enter(login), level(store, people[login])
    for needed, pages in ((Level.TEACH, TEACHING), (Level.OWN, OWNING)):
        for path, offers in pages.items():
            page = browser.get(path).text
            assert {offer: offer in page for offer in offers} == dict.fromkeys(offers, allowed >= needed)


def test_without_accounts_nothing_is_shared(browser, question_id):
    browser.get("/courses/1/people", status=404)
    assert browser.post("/courses/1/people", login="x").status_code == 404
    page = browser.get("/courses/1").text
    assert "/courses/1/people" not in page
    assert "New question" in page


def test_a_page_says_who_has_decided(enter, store, people, course):
    access.share_course(store, course, people["ann"].id, Level.HELP)
    (question,) = courses.list_questions(store, course)
    (answer,) = answers.list_answers(store, question.id)
    decide(store, question.id, [answer.id], "correct", "review", by=people["ann"].id)
    assert "Ann decided this." in enter("teo").get(f"/questions/{question.id}/rows?state=all").text
    assert "You decided this." in enter("ann").get(f"/questions/{question.id}/rows?state=all").text
    assert "<span>Ann</span>" in enter("teo").get(f"/answers/{answer.id}").text


def test_people_are_chosen_from_a_list_unless_they_are_too_many(enter, store, people, course, monkeypatch):
    page = enter("teo").get("/courses/1/people").text
    assert '<option value="mia">Mia (mia)</option>' in page
    assert '<option value="teo">' not in page
    monkeypatch.setattr(sharing, "_MOST_LISTED", 1)
    assert "Their login" in enter("teo").get("/courses/1/people").text


def test_the_log_does_not_have_what_changes_nothing(enter, store, people, course):
    teo = enter("teo")
    for _ in range(2):
        teo.post("/courses/1/people", data={"login": "mia", "level": "help"})
    assert len(events.list_events(store, what=events.COURSE_SHARED)) == 1
