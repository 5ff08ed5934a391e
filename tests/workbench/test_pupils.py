"""One pupil's data over all courses: found, exported and erased by those who may, and logged."""

from __future__ import annotations

import csv
import io
import json
import re
from zipfile import ZipFile

import pytest
from classroom import Browser, run
from sqlalchemy import select
from starlette.testclient import TestClient
from webclient import make_account

from postil.errors import PostilError
from postil.workbench.api.idempotency import REPLAYED
from postil.workbench.drafts import open_paste
from postil.workbench.records import ASSISTANT, LOCAL, OWNER, Level, NewAnswer
from postil.workbench.store import (
    access,
    accounts,
    answers,
    courses,
    decisions,
    drafts,
    events,
    logins,
    pupils,
    rounds,
)
from postil.workbench.store.rows import ChangedError
from postil.workbench.store.tables import Base

WORDS = "Zebrafish glow because of luciferin"  # what Kim wrote, and nobody else


@pytest.fixture
def school(store):
    """Two teachers with a course each; Kim is in both, and another Kim in the second."""
    people = {
        login: make_account(store, login, role, password=None)
        for login, role in {"ona": OWNER, "ada": "teacher", "bob": "teacher", "iker": ASSISTANT}.items()
    }
    made = {}
    for login in ("ada", "bob"):
        course = courses.create_course(store, f"{login}'s course", people[login].id)
        for number in (1, 2):
            question = courses.create_question(store, course, f"Why {number}?", ["It is so."], 2)
            new = [
                NewAnswer("u17", "Kim Lee", f"{WORDS} {number}"),
                NewAnswer("u18", "Sam", "because"),
                NewAnswer("u19" if login == "bob" else "u20", "kim lee", "no idea"),
            ]
            answers.add_answers(store, question, new, {"u17": "correct"})
            run(store, "grade", question, {})
            made[login, number] = question
    return people, made


def ids_of(found, key="u17"):
    return [pupil.answer_id for pupil in found if pupil.key == key]


def everything(store):
    """All that is stored, as one text."""
    with store.reading() as session:
        return "\n".join(
            str(row) for table in Base.metadata.sorted_tables for row in session.execute(select(table))
        )


def test_a_pupil_is_found_by_name_or_id_in_any_case(store, school):
    by_name = pupils.find_pupils(store, "KIM  LEE", exact=True)
    assert [(pupil.course, pupil.key, pupil.answers) for pupil in by_name] == [
        ("ada's course", "u17", 2),
        ("ada's course", "u20", 2),
        ("bob's course", "u17", 2),
        ("bob's course", "u19", 2),
    ]
    assert {pupil.key for pupil in pupils.find_pupils(store, "U17", exact=True)} == {"u17"}
    assert pupils.find_pupils(store, "kim", exact=True) == []
    assert len(pupils.find_pupils(store, "kim")) == 4
    assert pupils.find_pupils(store, "%") == []
    with pytest.raises(PostilError, match="name or an id is missing"):
        pupils.find_pupils(store, " \n")


def test_who_finds_whom(store, school):
    people, _ = school
    whose = {login: pupils.find_pupils(store, "u17", person) for login, person in people.items()}
    assert {login: len(found) for login, found in whose.items()} == {"ona": 2, "ada": 1, "bob": 1, "iker": 0}
    (own,) = whose["ada"]
    with pytest.raises(PostilError, match="does not exist"):
        pupils.get_pupils(store, [own.answer_id], people["bob"])
    for level, count in ((Level.HELP, 1), (Level.TEACH, 2)):
        access.share_course(store, own.course_id, people["bob"].id, level)
        assert len(pupils.find_pupils(store, "u17", people["bob"])) == count


def test_the_export_has_everything_and_reads_well(store, school, tmp_path):
    people, made = school
    (kim,) = ids_of(pupils.find_pupils(store, "kim lee", people["ada"]))
    decisions.decide(store, made["ada", 1], [kim], "irrelevant", "review", by=people["ada"].id)
    browser = Browser(store, tmp_path, "ada")
    page = browser.get(f"/pupils/stored?who={kim}").text
    assert WORDS in page
    assert "off the point" in page
    sent = browser.get(f"/pupils/export.zip?who={kim}")
    assert sent.headers["content-type"] == "application/zip"
    with ZipFile(io.BytesIO(sent.content)) as archive:
        texts = {name: archive.read(name).decode("utf-8-sig") for name in archive.namelist()}
    assert "2 answers" in texts["README.txt"]
    first, second = csv.DictReader(io.StringIO(texts["answers.csv"]))
    assert (first["question"], first["answer"], first["label"]) == ("Why 1?", f"{WORDS} 1", "off the point")
    assert (first["points"], first["out of"], first["decided by"]) == ("0", "2", "Ada")
    assert re.match(r"20\d\d-", first["judged on"])
    assert re.match(r"20\d\d-", first["decided on"])
    full = json.loads(texts["answers.json"])["answers"]
    assert [decision["label"] for decision in full[0]["decisions"]] == ["irrelevant", "correct"]
    assert full[0]["judgement"]["explanation"]
    assert "Sam" not in str(texts)
    event = events.list_events(store, what=events.PUPIL_EXPORTED)[0]
    assert (event.who, event.about) == ("ada", "2 answers")
    assert second["course"] == "ada's course"


def test_after_erasing_nothing_is_left_and_the_rest_is_as_it_was(store, school):
    people, made = school
    before = {question: len(answers.list_answers(store, question)) for question in made.values()}
    question = made["ada", 1]
    course = courses.get_question(store, question).course_id
    drafts.keep_draft(store, open_paste(f"one\n{WORDS} 1", 9), course, question, people["ada"].id)
    drafts.keep_draft(store, open_paste("one\ntwo", 9), course, question, people["ada"].id)
    run(store, "regrade", question, {})  # proposals as well
    key = logins.begin_session(store, people["ada"].id, "a test")
    digest = logins.find_session(store, key).digest
    logins.add_message(store, digest, {"text": "Kim Lee: correct.", "kind": "note", "hint": ""})
    events.log_event(store, people["ada"], events.ANSWERS_IMPORTED, course_id=course, about="kim lee.csv")
    ids = [answer.id for answer in answers.list_answers(store, question)]
    three = (people[login].id for login in ("ona", "bob", "ada"))
    for login in ("ona", "bob", "ada"):
        set_password(store, people[login].id)
    round_id = rounds.make_round(store, question, *three, size=len(ids), seed=1)
    rounds.tag(store, round_id, people["ona"], ids[0], "correct", note=WORDS)
    found = pupils.get_pupils(store, ids_of(pupils.find_pupils(store, "u17")))
    assert pupils.erase(store, found, people["ona"], address="192.0.2.1") == pupils.Erased(4, 1)
    left = everything(store)
    assert WORDS not in left
    assert "u17" not in left
    for question, count in before.items():
        assert len(answers.list_answers(store, question)) == count - 1
        now = courses.get_question(store, question)
        assert (now.answers, now.judged, now.decided) == (2, 2, 0)
    logged = events.list_events(store, what=events.PUPIL_ERASED)
    assert sorted((event.who, event.about) for event in logged) == [("ona", "2 answers")] * 2
    assert len({event.course_id for event in logged}) == 2
    assert events.list_events(store, what=events.ANSWERS_IMPORTED)[0].about == ""
    assert logins.take_messages(store, digest) == []
    assert pupils.find_pupils(store, "u17") == []


def set_password(store, account_id):
    with store.writing() as session:
        accounts.demand_account(session, account_id).password = "x"  # noqa: S105 - of nobody


def test_a_file_has_none_of_the_words_left(sqlite_store, sqlite_file):
    course = courses.create_course(sqlite_store, "A")
    question = courses.create_question(sqlite_store, course, "Why?", ["So."], 1)
    answers.add_answers(sqlite_store, question, [NewAnswer("u1", "Kim", f"{WORDS} ")])
    pupils.erase(sqlite_store, pupils.find_pupils(sqlite_store, "Kim"))
    for path in sqlite_file.parent.iterdir():
        assert WORDS.encode() not in path.read_bytes()


def test_an_answer_that_comes_in_between_is_not_erased_unseen(store, school):
    _, made = school
    found = pupils.get_pupils(store, ids_of(pupils.find_pupils(store, "u17")))
    question = courses.create_question(store, found[0].course_id, "Why 3?", ["So."], 1)
    answers.add_answers(store, question, [NewAnswer("u17", "Kim Lee", "late")])
    with pytest.raises(ChangedError):
        pupils.erase(store, found, LOCAL)
    assert len(answers.list_answers(store, made["ada", 1])) == 3


def test_the_pages_find_show_and_erase(store, school, tmp_path):
    browser = Browser(store, tmp_path, "ada")
    assert "/pupils" in browser.get("/").text
    page = browser.post("/pupils", words="kim").text
    assert page.count('name="who"') == 2
    assert "bob&#39;s course" not in page
    kim = re.search(r'value="(\d+)"[^>]*aria-label="Kim Lee', page)[1]
    shown = browser.get(f"/pupils/stored?who={kim}").text
    assert "Erase 2 answers permanently" in shown
    told = browser.post("/pupils/erase", who=kim, answers="1")
    assert "changed in the meantime" in told.text
    told = browser.post("/pupils/erase", who=kim, answers="2")
    assert "2 answers erased." in told.text
    assert "Backups made before still contain them." in told.text
    assert browser.get(f"/pupils/stored?who={kim}", status=404)
    assert "Nobody found" in browser.post("/pupils", words="u17").text
    assert browser.post("/pupils", words="  ").status_code == 400


def test_who_may_not(store, school, tmp_path):
    people, _ = school
    (theirs,) = ids_of(pupils.find_pupils(store, "u17", people["bob"]))
    ada = Browser(store, tmp_path, "ada")
    ada.get(f"/pupils/stored?who={theirs}", status=404)
    ada.get(f"/pupils/export.zip?who={theirs}", status=404)
    assert ada.post("/pupils/erase", who=theirs, answers="2").status_code == 400
    helper = Browser(store, tmp_path, "iker")
    helper.get("/pupils", status=403)
    assert len(pupils.find_pupils(store, "u17")) == 2
    for odd in ("", "?who=0", "?who=x", "?who=99999999999", "?who=4711"):
        assert ada.client.get(f"/pupils/stored{odd}").status_code in (400, 404, 422)
    owner = Browser(store, tmp_path, "ona")
    assert owner.post("/pupils", words="u17").text.count('name="who"') == 2


def test_who_labels_blind_waits(store, school, tmp_path):
    people, made = school
    for login in ("ada", "bob", "ona"):
        set_password(store, people[login].id)
    course = courses.get_question(store, made["ada", 1]).course_id
    access.share_course(store, course, people["bob"].id, Level.HELP)
    access.share_course(store, course, people["ona"].id, Level.HELP)
    three = (people[login].id for login in ("ada", "bob", "ona"))
    rounds.make_round(store, made["ada", 1], *three, size=2, seed=1)
    (kim,) = ids_of(pupils.find_pupils(store, "u17", people["ada"]))
    Browser(store, tmp_path, "ada").get(f"/pupils/stored?who={kim}", status=403)


def test_a_repeated_request_does_not_bring_erased_answers_back(store, school, tmp_path):
    people, made = school
    _, secret = access.create_token(store, people["ada"].id, "t", ("read", "write"), 1)
    app = Browser(store, tmp_path, "ada").client.app
    headers = {"Authorization": f"Bearer {secret}", "Idempotency-Key": "once"}
    api = TestClient(app, base_url="http://127.0.0.1:8400/api/v1/", headers=headers)
    new = {"answers": [{"key": "n1", "text": "new words", "student": "Nia"}]}
    where = f"questions/{made['ada', 1]}/answers"
    assert api.post(where, json=new).status_code == 201
    assert api.post(where, json=new).headers[REPLAYED] == "true"
    pupils.erase(store, pupils.find_pupils(store, "Nia"), people["ada"])
    again = api.post(where, json=new)
    assert (again.status_code, again.json()["type"]) == (404, "/api/v1/docs#not-found")
    assert pupils.find_pupils(store, "Nia") == []
