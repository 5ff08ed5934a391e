"""A clock that is set back keeps no job leased, nobody waiting and nobody logged in."""

from __future__ import annotations

from datetime import datetime, timedelta
from types import SimpleNamespace

import pytest
from sqlalchemy import Interval, literal, update
from starlette.requests import Request
from webclient import let_in, make_account

from postil.errors import PostilError
from postil.workbench.app import create_app
from postil.workbench.drafts import open_paste
from postil.workbench.http.guard import Limits
from postil.workbench.records import LOCAL
from postil.workbench.settings import Settings
from postil.workbench.store import access, courses, drafts, jobs, logins, tables
from postil.workbench.store.jobs import LeaseLostError
from postil.workbench.store.logins import Attempt
from postil.workbench.store.tables import AttemptRow, DraftRow, JobRow, SessionRow, WorkerRow

HOUR = timedelta(hours=1)
OF_THE_DATABASE = (JobRow.heartbeat, JobRow.created, WorkerRow.seen, AttemptRow.at, DraftRow.made)


@pytest.fixture
def turn_clock(store, monkeypatch):
    """Let the clock of this computer, and on PostgreSQL that of the database, be wrong by so much."""
    turned = timedelta(0)

    def turn(by):
        nonlocal turned
        further, turned = by - turned, by
        clock = SimpleNamespace(now=lambda zone: datetime.now(zone) + by)
        monkeypatch.setattr(tables, "datetime", clock)
        if store.kind.engine.dialect.name == "postgresql":  # its clock stays, and all that it wrote moves
            with store.writing() as session:
                for column in OF_THE_DATABASE:
                    moved = column - literal(further, Interval())
                    session.execute(update(column.class_).values({column: moved}))

    return turn


def test_a_dead_workers_job_is_leased_at_once(store, question_id, turn_clock):
    jobs.enqueue(store, "grade", question_id)
    dead = jobs.lease_job(store, "dead")
    jobs.show_life(store, "dead")
    assert jobs.lease_job(store, "w") is None
    turn_clock(-HOUR)
    assert jobs.read_figures(store).workers == 0
    assert jobs.latest_job(store, question_id).forsaken
    taken = jobs.lease_job(store, "w")
    assert taken.id == dead.id
    with pytest.raises(LeaseLostError):
        jobs.renew_lease(store, dead)
    jobs.finish(store, taken, {})


def test_a_living_worker_keeps_its_job_once_it_has_renewed_the_lease(store, question_id, turn_clock):
    jobs.enqueue(store, "grade", question_id)
    held = jobs.lease_job(store, "alive")
    turn_clock(-HOUR)
    jobs.renew_lease(store, held)
    jobs.show_life(store, "alive")
    assert jobs.lease_job(store, "w") is None
    assert jobs.read_figures(store).workers == 1
    assert not jobs.latest_job(store, question_id).forsaken


def test_a_few_seconds_do_not_end_a_lease(store, question_id, turn_clock):
    jobs.enqueue(store, "grade", question_id)
    jobs.lease_job(store, "alive")
    turn_clock(-timedelta(seconds=10))
    assert jobs.lease_job(store, "w") is None


def test_a_waiting_job_is_leased(store, question_id, turn_clock):
    jobs.enqueue(store, "grade", question_id)
    turn_clock(-HOUR)
    assert jobs.latest_job(store, question_id).forsaken  # nobody is there to do it
    assert jobs.read_figures(store).oldest == 0
    assert jobs.lease_job(store, "w")


def test_workers_of_long_ago_are_forgotten(store, turn_clock):
    jobs.show_life(store, "w")
    turn_clock(-3 * HOUR)
    jobs.show_life(store, "x")
    with store.reading() as session:
        assert session.get(WorkerRow, "w") is None
        assert session.get(WorkerRow, "x")


def test_nobody_waits_an_hour_to_log_in(store, turn_clock):
    attempt = Attempt("ane", "192.0.2.1")
    for _ in range(9):
        logins.count_failure(store, attempt)
    assert logins.wait_before(store, attempt) > 400
    turn_clock(-HOUR)
    assert logins.wait_before(store, attempt) == 0
    for _ in range(5):  # and who goes on guessing waits as ever
        logins.count_failure(store, attempt)
    assert 0 < logins.wait_before(store, attempt) <= 30
    turn_clock(-HOUR - timedelta(seconds=20))
    assert 0 < logins.wait_before(store, attempt) <= 30


def test_a_session_lasts_no_longer(store, turn_clock):
    key = logins.begin_session(store, make_account(store, "ane").id)
    turn_clock(-1000 * HOUR)
    assert logins.find_session(store, key)  # its owner goes on working
    turn_clock(-1000 * HOUR + logins.IDLE / 2)
    assert logins.find_session(store, key)
    turn_clock(-1000 * HOUR + 2 * logins.IDLE)
    assert logins.find_session(store, key) is None
    with store.reading() as session:
        row = session.get(SessionRow, logins.digest_of(key))
    assert row.created < tables.now()


def test_an_upload_is_not_kept_for_ever(store, question_id, turn_clock):
    course = courses.get_question(store, question_id).course_id
    tokens = [drafts.keep_draft(store, open_paste("it is lit"), course, question_id, None)]
    turn_clock(-timedelta(minutes=10))
    assert drafts.get_draft(store, tokens[0])
    turn_clock(-1000 * HOUR)
    with pytest.raises(PostilError, match="no longer available"):
        drafts.get_draft(store, tokens[0])


def test_the_last_use_of_a_token_is_not_in_the_future(store, turn_clock):
    _, secret = access.create_token(store, None, "program", ("read",), None)
    assert access.find_token(store, secret)
    turn_clock(-HOUR)
    access.find_token(store, secret)
    (token,) = access.list_tokens(store, LOCAL.id)
    assert token.used <= tables.now()


def page_from(address):
    return Request({"type": "http", "method": "GET", "path": "/", "headers": [], "client": (address, 1)})


def test_requests_are_not_counted_by_the_time_of_day(tmp_path, monkeypatch):
    page, steady = page_from("192.0.2.1"), 1000.0
    monkeypatch.setattr("time.time", lambda: 1e9)
    monkeypatch.setattr("time.monotonic", lambda: steady)
    limits = Limits(Settings(tmp_path / "workbench.db", local=False, stranger_per_minute=2))
    assert [limits.refusal(page, None) is None for _ in range(3)] == [True, True, False]
    monkeypatch.setattr("time.time", lambda: 1e9 - 3600)
    assert int(limits.refusal(page, None).headers["Retry-After"]) == 60
    steady += 30
    assert int(limits.refusal(page, None).headers["Retry-After"]) == 30
    steady += 30
    assert [limits.refusal(page, None) is None for _ in range(3)] == [True, True, False]


def test_whoever_has_not_asked_for_a_minute_is_forgotten(tmp_path, monkeypatch):
    steady = 1000.0
    monkeypatch.setattr("time.monotonic", lambda: steady)
    limits = Limits(Settings(tmp_path / "workbench.db", local=False))
    for number in range(100):
        limits.refusal(page_from(f"192.0.2.{number}"), None)
        steady += 2
    assert len(limits._moments) < 70


def test_pages_work_while_the_clock_is_turned(store, database, turn_clock):
    make_account(store, "ane")
    client = let_in(create_app(Settings(database, local=False), store), "ane")
    for by in (-HOUR, timedelta(0), HOUR):
        turn_clock(by)
        assert client.get("/account").status_code == 200
