from __future__ import annotations

import io
import json
from zipfile import ZipFile

import pytest
from apiclient import make_app, people, program, refused, secret_of

from postil.workbench.records import NewAnswer
from postil.workbench.store import answers, courses, events


@pytest.fixture
def courses_of(store):
    """A course of Teo's and one of Tina's, with Kim in both."""
    accounts = people(store)
    for login in ("teo", "tina"):
        course = courses.create_course(store, login, accounts[login])
        question = courses.create_question(store, course, "Why?", ["So."], 1)
        answers.add_answers(store, question, [NewAnswer("u1", "Kim", "so"), NewAnswer("u2", "Sam", "no")])
    return accounts


def asked(store, accounts, login, *scopes):
    return program(make_app(store, local=False), secret_of(store, accounts[login], *scopes))


def test_found_exported_and_erased(store, courses_of):
    owner = asked(store, courses_of, "olga")
    found = owner.post("pupils/find", json={"name_or_id": "kim"}).json()["items"]
    assert [(one["course"], one["student"], one["answers"]) for one in found] == [
        ("teo", "Kim", 1),
        ("tina", "Kim", 1),
    ]
    who = [one["answer_id"] for one in found]
    file = owner.get("pupils/export", params={"who": who})
    assert file.headers["content-type"] == "application/zip"
    with ZipFile(io.BytesIO(file.content)) as archive:
        assert len(json.loads(archive.read("answers.json"))["answers"]) == 2
    said = refused(owner.post("pupils/erase", json={"who": who, "answers": 3}), 409, "changed")
    assert said["current"] == {"answers": 2}
    key = {"Idempotency-Key": "once"}
    for _ in range(2):
        erased = owner.post("pupils/erase", json={"who": who, "answers": 2}, headers=key)
        assert erased.json() == {"answers": 2, "uploads": 0}
    assert owner.post("pupils/find", json={"name_or_id": "u1"}).json() == {"items": []}
    assert len(owner.post("pupils/find", json={"name_or_id": "u2"}).json()["items"]) == 2
    kinds = [event.what for event in events.list_events(store)]
    assert kinds == [events.PUPIL_ERASED] * 2 + [events.PUPIL_EXPORTED] * 2


def test_what_is_in_other_peoples_courses_is_not_there(store, courses_of):
    teo, tina = asked(store, courses_of, "teo"), asked(store, courses_of, "tina")
    (own,) = teo.post("pupils/find", json={"name_or_id": "Kim"}).json()["items"]
    assert own["course"] == "teo"
    refused(tina.get("pupils/export", params={"who": [own["answer_id"]]}), 404, "not-found")
    gone = {"who": [own["answer_id"]], "answers": 1}
    refused(tina.post("pupils/erase", json=gone), 404, "not-found")
    assistant = asked(store, courses_of, "ann")
    assert assistant.post("pupils/find", json={"name_or_id": "Kim"}).json() == {"items": []}
    assert teo.post("pupils/erase", json=gone).status_code == 200


def test_scopes(store, courses_of):
    reader, writer = asked(store, courses_of, "teo", "read"), asked(store, courses_of, "teo", "write")
    refused(reader.post("pupils/erase", json={"who": [1], "answers": 1}), 403, "insufficient-scope")
    refused(writer.post("pupils/find", json={"name_or_id": "Kim"}), 403, "insufficient-scope")
    refused(writer.get("pupils/export?who=1"), 403, "insufficient-scope")


def test_what_cannot_be(api):
    for body in ({}, {"name_or_id": " "}, {"name_or_id": "x" * 201}, {"name_or_id": "x", "more": 1}):
        refused(api.post("pupils/find", json=body), 422, "invalid")
    for query in ("", "?who=0", "?who=x", "?who=1&name=Kim"):
        refused(api.get(f"pupils/export{query}"), 422, "invalid")
