from __future__ import annotations

import pytest
from apiclient import PROBLEM, make_app, refused, secret_of
from fastapi.testclient import TestClient

from postil.workbench.api import app
from postil.workbench.api import courses as routes
from postil.workbench.http import problems
from postil.workbench.store.database import StoreAwayError

NUMBERS = ["0", "-1", "x", "1.5", "%00", "9" * 20, "9" * 5000, "٣", "1e3", "2147483648"]


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("path", ["courses/{}", "questions/{}/answers", "answers/{}/decisions", "jobs/{}"])
def test_odd_numbers_are_nothings(api, path, number):
    answer = api.get(path.format(number))
    assert answer.status_code in (404, 422)
    assert answer.headers["content-type"] == PROBLEM


def test_what_is_not_there(api):
    refused(api.get("nothing"), 404, "not-found")
    refused(api.get("courses/"), 404, "not-found")
    refused(api.get("courses/1/../../nothing"), 404, "not-found")
    answer = api.put("courses", json={})
    refused(answer, 405, "method-not-allowed")
    assert set(answer.headers["Allow"].split(", ")) == {"GET", "POST"}


@pytest.mark.parametrize("body", [b"{", b"\xff\xfe", b"", b"[" * 100_000, b'{"name": 1e}', b"null"])
def test_damaged_bodies(api, body):
    answer = api.post("courses", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 422)
    assert answer.headers["content-type"] == PROBLEM


def test_other_kinds_of_body(api):
    refused(api.post("courses", data={"name": "A"}), 422, "invalid")
    refused(
        api.post("courses", content=b'{"name": "A"}', headers={"Content-Type": "text/plain"}), 422, "invalid"
    )


def test_more_values_than_anybody_needs(api):
    """A list of empty lists takes a hundred times the memory of its text once it is read."""
    for path in ("courses", "grade"):
        body = b"[" + b"[]," * 500_000 + b"0]"
        answer = api.post(path, content=body, headers={"Content-Type": "application/json"})
        refused(answer, 413, "too-large")


def test_what_was_sent_is_not_repeated(api, question_id):
    words = "the pupil wrote this"
    bodies = [
        {"answers": [{"key": "k", "text": [words]}]},
        {"answers": [{"key": "k", "text": "x", words: words}]},
        {"answers": [{"key": "k", "text": "x", "label": words}]},
        {"answers": words},
        {words: words},
    ]
    for body in bodies:
        answer = api.post(f"questions/{question_id}/answers", json=body)
        assert refused(answer, 422, "invalid")["errors"]
        assert words not in answer.text
    assert words not in api.get(f"questions/{question_id}/answers", params={"state": words}).text


def test_many_errors_are_not_all_told(api, question_id):
    body = {"answers": [{"key": ""}] * 100}
    said = refused(api.post(f"questions/{question_id}/answers", json=body), 422, "invalid")
    assert (said["detail"], len(said["errors"])) == ("200 fields are invalid.", 20)


def test_a_fault_inside(sqlite_store, monkeypatch):
    def break_down(*_):
        raise RuntimeError("a pupil's words")

    monkeypatch.setattr(routes.stored, "list_courses", break_down)
    headers = {"Authorization": f"Bearer {secret_of(sqlite_store, None)}"}
    client = TestClient(make_app(sqlite_store), raise_server_exceptions=False, headers=headers)
    answer = client.get("/api/v1/courses")
    refused(answer, 500, "internal")
    assert "pupil" not in answer.text


def test_a_database_that_is_away(api, monkeypatch):
    def go_away(*_):
        raise StoreAwayError("the database cannot be reached now.", hint="Try again in a moment.")

    assert api.get("health").json()["status"] == "ok"
    monkeypatch.setattr(app, "text", go_away)
    said = refused(api.get("health"), 503, "unavailable")
    assert said["hint"] == "Try again in a moment."


def test_every_status_has_a_usual_kind():
    for code, kind in problems._USUAL.items():
        assert problems.KINDS[kind].status == code
