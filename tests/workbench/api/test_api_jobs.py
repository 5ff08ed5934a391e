from __future__ import annotations

import csv
import io
import json
from zipfile import ZipFile

import pytest
from apiclient import found_at, make_app, people, program, refused, secret_of
from classroom import run

from postil.workbench.store import jobs
from postil.workbench.store.courses import create_course


def test_a_job_from_beginning_to_end(api, store, question_id):
    started = api.post(f"questions/{question_id}/jobs", json={"kind": "grade"})
    assert started.status_code == 202
    where = found_at(started)
    assert api.get(where).json() == started.json()
    assert (started.json()["state"], started.json()["total"]) == ("waiting", 0)
    again = api.post(f"questions/{question_id}/jobs", json={"kind": "grade"})
    assert again.json()["id"] == started.json()["id"]
    job = jobs.lease_job(store, "w")
    jobs.set_phase(store, job, "reading", 4)
    assert api.get(where).json()["phase"] == "reading"
    jobs.finish(store, job, {"answers": 4, "decided": 0})
    ended = api.get(where).json()
    assert (ended["state"], ended["answers"]) == ("done", [])
    assert ended["finished"]


def test_what_jobs_find_out(api, store, question_id, ids):
    for kind, result in (("propose", {"answers": [ids["b"]]}), ("facets", {"names": ["the path"]})):
        api.post(f"questions/{question_id}/jobs", json={"kind": kind})
        jobs.finish(store, jobs.lease_job(store, "w"), result)
    newest = api.get(f"questions/{question_id}/jobs?limit=1").json()
    assert newest["items"][0]["facets"] == ["the path"]
    (older,) = api.get(f"questions/{question_id}/jobs?after={newest['next']}").json()["items"]
    assert older["answers"] == [ids["b"]]


@pytest.mark.parametrize("body", [{}, {"kind": "sing"}, {"kind": None}])
def test_jobs_that_cannot_be(api, question_id, body):
    refused(api.post(f"questions/{question_id}/jobs", json=body), 422, "invalid")


def test_a_regrade_needs_decisions(api, question_id, ids):
    where = f"questions/{question_id}/jobs"
    refused(api.post(where, json={"kind": "regrade"}), 409, "conflict")
    api.put(f"answers/{ids['a']}/decision", json={"label": "correct"})
    assert api.post(where, json={"kind": "regrade"}).status_code == 202


def test_changes_are_seen_and_applied(api, store, graded, ids):
    where = f"questions/{graded}/changes"
    assert api.get(where).json() == {"job_id": None, "items": [], "next": None}
    job_id = run(store, "regrade", graded, {ids["a"]: ("irrelevant", 0.7)})
    shown = api.get(f"{where}?limit=2").json()
    assert shown["job_id"] == job_id
    first = shown["items"][0]
    assert (first["key"], first["before"], first["after"], first["confidence"]) == (
        "a",
        "correct",
        "irrelevant",
        0.7,
    )
    (last,) = api.get(f"{where}?after={shown['next']}").json()["items"]
    assert last["key"] == "c"
    refused(api.post(f"{where}/apply", json={"job_id": job_id - 1}), 409, "conflict")
    assert api.post(f"{where}/apply", json={"job_id": job_id}).json() == {"changed": 3}
    refused(api.post(f"{where}/apply", json={"job_id": job_id}), 409, "conflict")
    assert api.get(f"answers/{ids['a']}").json()["label"] == "irrelevant"
    assert api.get(f"jobs/{job_id}").json()["state"] == "applied"


def test_changes_are_dropped(api, store, graded, ids):
    job_id = run(store, "regrade", graded, {ids["a"]: ("irrelevant", 0.7)})
    assert api.post(f"questions/{graded}/changes/drop", json={"job_id": job_id}).status_code == 204
    assert api.get(f"answers/{ids['a']}").json()["label"] == "correct"
    refused(api.post(f"questions/{graded}/changes/drop", json={"job_id": job_id}), 409, "conflict")


def test_exports_of_a_question(api, graded):
    def get(kind, **more):
        got = api.get(f"questions/{graded}/export", params={"format": kind, **more})
        assert got.status_code == 200, got.text
        return got

    rows = list(csv.DictReader(io.StringIO(get("csv").content.decode("utf-8-sig"))))
    assert [row["key"] for row in rows] == ["a", "b", "c", "d"]
    assert ZipFile(io.BytesIO(get("xlsx").content)).testzip() is None
    assert "Grade" in get("moodle").text
    lines = [json.loads(line) for line in get("jsonl").text.splitlines()]
    assert lines == api.get(f"questions/{graded}/answers").json()["items"]
    report = get("report")
    assert report.headers["content-type"] == "text/html; charset=utf-8"
    assert "script" not in report.headers["content-security-policy"]
    assert get("jsonl", answers="decided").text == ""
    assert get("csv").headers["content-disposition"].startswith('attachment; filename="physics-7b-why-is')
    refused(api.get(f"questions/{graded}/export?format=pdf"), 422, "invalid")


def test_exports_of_a_course(api, store, graded):
    course = api.get(f"questions/{graded}").json()["course_id"]
    assert ZipFile(io.BytesIO(api.get(f"courses/{course}/export").content)).testzip() is None
    assert "<html" in api.get(f"courses/{course}/export?format=report").text
    moodle = api.get(f"courses/{course}/export?format=moodle")
    assert moodle.headers["content-disposition"] == 'attachment; filename="physics-7b-moodle.csv"'
    header, *rows = csv.reader(io.StringIO(moodle.content.decode("utf-8-sig")))
    assert header[1].startswith("Q1 Why is it lit?")
    assert [row[1] for row in rows] == ["2", "0", "0"]
    refused(api.get(f"courses/{create_course(store, 'Empty')}/export"), 409, "conflict")


def test_who_is_still_labelling_blind_sees_nothing(store, question_id, monkeypatch):
    from postil.workbench.http import access

    teo = people(store)["teo"]
    client = program(make_app(store, local=False), secret_of(store, teo))
    where = found_at(client.post("courses", json={"name": "A"}))
    question = found_at(client.post(f"{where}/questions", json={"text": "Why?", "references": ["x"]}))
    monkeypatch.setattr(access, "blind_round", lambda *_: 1)
    refused(client.get(f"{question}/answers"), 403, "forbidden")
    refused(client.get(f"{where}/export"), 403, "forbidden")
    assert client.get(f"{where}/questions").status_code == 200
