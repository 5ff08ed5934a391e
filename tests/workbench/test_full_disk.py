"""A full disk: people get a clear message, nothing is half stored, and the server keeps running."""

from __future__ import annotations

import errno
import sqlite3
import tempfile
from contextlib import contextmanager

import psycopg
import pytest
from sqlalchemy import event
from sqlalchemy.exc import OperationalError
from webclient import let_in, stranger

from postil.errors import PostilError, is_disk_full
from postil.workbench import drafts, exports
from postil.workbench.app import create_app
from postil.workbench.jobs import worker
from postil.workbench.settings import Settings
from postil.workbench.store import answers, courses, logins
from postil.workbench.store.access import create_token
from postil.workbench.store.database import StoreFullError, open_store
from postil.workbench.store.drafts import store_example

FULL = "is full, so this could not be stored"


@pytest.fixture
def client(store, question_id, tmp_path):
    return let_in(create_app(Settings(tmp_path / "workbench.db"), store))


@contextmanager
def full_disk(store):
    """Inside, the database has room for nothing more, as it says itself."""

    def refuse(cursor, statement, parameters, context):
        if statement.lstrip().upper().startswith(("INSERT", "UPDATE", "DELETE")):
            if store.engine.dialect.name == "postgresql":
                raise psycopg.errors.DiskFull("could not extend file: No space left on device")
            error = sqlite3.OperationalError("database or disk is full")
            error.sqlite_errorcode = sqlite3.SQLITE_FULL
            raise error

    names = ("do_execute", "do_executemany")
    for name in names:
        event.listen(store.engine, name, refuse)
    try:
        yield
    finally:
        for name in names:
            event.remove(store.engine, name, refuse)


def counted(store):
    question = courses.list_questions(store, courses.list_courses(store)[0].id)[0]
    texts = [answer.text for answer in answers.list_answers(store, question.id)]
    return len(courses.list_courses(store)), texts


def forms(question):
    """What people send, each with something to store."""
    table = {"file": ("class.csv", b"id,answer\n1,It is lit.\n")}
    return [
        ("/courses", {"data": {"name": "Chemistry"}}),
        (f"/questions/{question}/answers", {"data": {"text": "because"}}),
        (f"/questions/{question}/answers/draft", {"data": {"text": "one\ntwo"}}),
        (f"/questions/{question}/answers/draft", {"files": table}),
        ("/courses/1/draft", {"files": table}),
    ]


def test_pages_say_so_and_go_on(client, store, question_id):
    before = counted(store)
    with full_disk(store):
        for path, form in forms(question_id):
            answer = client.post(path, **form)
            assert answer.status_code == 507, path
            assert FULL in answer.text, path
            assert "The disk is full" in answer.text, path
        part = client.post("/courses", data={"name": "A"}, headers={"HX-Request": "true"})
        assert part.status_code == 507
        assert part.headers["HX-Retarget"] == "#messages"
        assert client.get(f"/questions/{question_id}").status_code == 200  # what is stored can be read
        assert counted(store) == before
    for path, form in forms(question_id):
        assert client.post(path, **form).status_code == 200, path


def test_nobody_can_log_in_but_everybody_is_told_why(client, store, tmp_path):
    visitor, link = stranger(client.app), logins.make_link(store, "open")
    with full_disk(store):
        answer = visitor.post("/open", data={"token": link})
        assert (answer.status_code, FULL in answer.text) == (507, True)
    assert visitor.post("/open", data={"token": link}).status_code == 200


def test_programs_get_a_problem_and_can_try_again(client, store, question_id):
    secret = create_token(store, None, "a test", ("read", "write"), None)[1]
    headers = {"Authorization": f"Bearer {secret}", "Idempotency-Key": "key-1"}
    path, body = f"/api/v1/questions/{question_id}/answers", {"answers": [{"key": "k", "text": "so"}]}
    with full_disk(store):
        answer = client.post(path, json=body, headers=headers)
        assert answer.status_code == 507
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["type"].endswith("#storage-full")
        assert FULL in answer.json()["detail"]
        assert client.get(path, headers=headers).status_code == 200
    assert client.post(path, json=body, headers=headers).status_code == 201


def no_space(*_, **__):
    raise OSError(errno.ENOSPC, "No space left on device")


def test_an_upload_that_finds_no_room(client, store, question_id, monkeypatch):
    table = {"file": ("class.csv", b"id,answer\n" + b"1,It is lit.\n" * 200_000)}
    path = f"/questions/{question_id}/answers/draft"
    with monkeypatch.context() as patch:
        patch.setattr(tempfile.SpooledTemporaryFile, "rollover", no_space)
        answer = client.post(path, files=table)  # kept in a file while it comes in
    assert (answer.status_code, FULL in answer.text) == (507, True)
    with monkeypatch.context() as patch:
        patch.setattr(drafts, "TemporaryDirectory", no_space)
        answer = client.post(path, files={"file": ("class.csv", b"id,answer\n1,a\n")})
    assert (answer.status_code, FULL in answer.text) == (507, True)
    with monkeypatch.context() as patch:
        patch.setattr(exports, "write_rows", no_space)
        answer = client.get(f"/questions/{question_id}/export.csv")
    assert (answer.status_code, FULL in answer.text) == (507, True)
    assert client.get(f"/questions/{question_id}").status_code == 200


def test_a_file_that_cannot_grow(sqlite_store):
    """SQLite's own refusal: the transaction is undone as a whole, and smaller ones still fit."""
    course = courses.create_course(sqlite_store, "Physics")
    with sqlite_store.engine.connect() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
    sqlite_store.engine.dispose()
    limit = f"PRAGMA max_page_count={pages}"
    event.listen(sqlite_store.engine, "connect", lambda connection, _: connection.execute(limit))
    long = [f"{number:05} " * 800 for number in range(40)]
    with pytest.raises(StoreFullError):
        courses.create_question(sqlite_store, course, "Why?", long, 1)
    assert courses.list_questions(sqlite_store, course) == []
    with pytest.raises(StoreFullError):
        store_example(sqlite_store)
    assert [known.name for known in courses.list_courses(sqlite_store)] == ["Physics"]
    assert courses.create_question(sqlite_store, course, "Why?", ["so"], 1)


def test_a_file_that_cannot_be_opened_on_a_full_disk(tmp_path, sqlite_file, monkeypatch):
    store = open_store(sqlite_file)
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR
    wrapped = OperationalError("SELECT 1", {}, error)
    assert not isinstance(store.kind.in_words(wrapped), StoreFullError)
    monkeypatch.setattr(type(store.kind), "_ROOM", 2**80)
    assert isinstance(store.kind.in_words(wrapped), StoreFullError)
    assert isinstance(store.kind.why_closed(wrapped), StoreFullError)
    store.close()


def test_the_worker_waits_until_there_is_room():
    calls = []

    def call():
        calls.append(1)
        if len(calls) < 3:
            raise StoreFullError
        return "done"

    assert worker._patiently(call, lambda _: False) == "done"


def test_a_full_disk_is_known_by_its_number_however_it_is_wrapped():
    wrapped = PostilError("cannot be written.")
    wrapped.__cause__ = OSError(errno.EDQUOT, "Disk quota exceeded")
    assert is_disk_full(wrapped)
    assert not is_disk_full(OSError(errno.EACCES, "not allowed"))
    assert not is_disk_full(PostilError("no."))
