"""`postil worker` as people start it: several at once, killed, stopped, or with their database restarted.

What is stored in the end is what one undisturbed worker would have stored, and every answer was counted once.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import httpx
import psycopg
import pytest
from sqlalchemy import text
from stub_machine import StubMachine
from test_jobs_together import judged_by, new_question, wait_for
from webclient import let_in, make_account, token_of

from postil.workbench.app import create_app
from postil.workbench.jobs import worker
from postil.workbench.settings import Settings
from postil.workbench.store import courses, jobs
from postil.workbench.store.database import open_store

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL"),
]

STUB = Path(__file__).with_name("stub_postil.py")
ANSWERS, QUESTIONS = 40, 6


@pytest.fixture
def start(tmp_path):
    """A function that starts the command with a simple machine; all are killed at the end."""
    started = []
    (tmp_path / "notes").touch()

    def begin(*command):
        given = [sys.executable, "-u", str(STUB), str(tmp_path / "notes"), *map(str, command)]
        pipes = {"stdout": subprocess.PIPE, "stdin": subprocess.DEVNULL, "text": True}
        started.append(subprocess.Popen(given, **pipes))
        return started[-1]

    yield begin
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def workers(start):
    """A function that starts workers, and returns when they are ready."""

    def begin(database, count):
        made = [start("worker", "--database", database) for _ in range(count)]
        for one in made:
            assert "Doing the jobs of" in one.stdout.readline()
        return made

    return begin


def fill(store):
    course = courses.create_course(store, "Physics")
    return [new_question(store, course, ANSWERS) for _ in range(QUESTIONS)]


def table_of(store):
    """What was judged, without the moments at which it was."""
    wanted = """
        SELECT answer.question_id, answer.key, label, score, confidence, deferred, teacher, group_number
        FROM answer LEFT JOIN judgement ON judgement.answer_id = answer.id ORDER BY 1, answer.place
    """
    with store.reading() as session:
        return [tuple(row) for row in session.execute(text(wanted))]


def holder(store, job, among):
    """Which of these processes has a job in its hands."""
    with store.reading() as session:
        claim = session.execute(text("SELECT worker FROM job WHERE id = :id"), {"id": job}).scalar() or ""
    return next((one for one in among if claim.startswith(f"worker {one.pid} ")), None)


def undisturbed(store):
    """The table after one worker that nobody disturbed."""
    for question in fill(store):
        jobs.enqueue(store, "grade", question)
    while (job := jobs.lease_job(store, "w")) is not None:
        worker.do(store, job, StubMachine(), batch=10)
    return table_of(store)


def ask_again_and_again(url, given, done):
    """One server and its user: starts gradings and looks at pages; tries again while the database is away."""
    store = open_store(url)
    browser = let_in(create_app(Settings(url, local=False, person_per_minute=10**6), store), "ane")
    waiting = list(given)
    while not done.is_set():
        if waiting:
            answer = browser.post(f"/questions/{waiting[0]}/grade")
            if answer.status_code == 200:
                waiting.pop(0)
        else:
            assert browser.get(f"/questions/{given[0]}").status_code in (200, 503)
        time.sleep(0.02)
    store.close()
    assert not waiting


def test_two_workers_and_a_restarted_server_under_load(
    postgres, postgres_store, postgres_url, sqlite_store, workers
):
    expected = undisturbed(sqlite_store)
    given = fill(postgres_store)
    person = make_account(postgres_store, "ane", password=None)
    with postgres_store.writing() as session:
        session.execute(text("UPDATE course SET owner_id = :id"), {"id": person.id})
    processes = workers(postgres_url, 2)
    done, failed = threading.Event(), []
    asked = [
        threading.Thread(target=noting(failed, ask_again_and_again), args=(postgres_url, given[n::2], done))
        for n in range(2)
    ]
    for thread in asked:
        thread.start()
    for least, mode in ((20, "immediate"), (100, "fast")):
        wait_for(lambda least=least: judgements_of(postgres_url) >= least)
        postgres.stop(mode)
        postgres.start()
    wait_for(lambda: ended(postgres_url) == QUESTIONS)
    done.set()
    for thread in asked:
        thread.join()
    assert failed == []
    assert table_of(postgres_store) == expected
    assert sorted(judged_by(postgres_store).values()) == [ANSWERS] * QUESTIONS
    figures = jobs.read_figures(postgres_store)
    assert figures.counters["answers_graded", "grade"] == ANSWERS * QUESTIONS
    assert figures.counters["jobs_ended", "grade done"] == QUESTIONS
    wait_for(lambda: jobs.read_figures(postgres_store).workers == 2)
    assert [one.poll() for one in processes] == [None, None]


def noting(failed, call):
    def run(*given):
        try:
            call(*given)
        except BaseException as error:  # noqa: BLE001 - the test tells it
            failed.append(error)

    return run


def judgements_of(url):
    return _number(url, "SELECT count(*) FROM judgement")


def ended(url):
    return _number(url, "SELECT count(*) FROM job WHERE state = 'done'")


def _number(url, statement):
    with suppress(psycopg.Error), psycopg.connect(url) as connection:
        return connection.execute(statement).fetchone()[0]
    return 0


def test_killed_and_told_to_stop(postgres_store, postgres_url, workers, tmp_path):
    course = courses.create_course(postgres_store, "Physics")
    job = jobs.enqueue(postgres_store, "grade", new_question(postgres_store, course, 300))
    processes = workers(postgres_url, 2)
    wait_for(lambda: jobs.get_job(postgres_store, job).done >= 20)
    first = holder(postgres_store, job, processes)
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    killed_at = time.monotonic()
    (second,) = (one for one in processes if one is not first)
    wait_for(lambda: holder(postgres_store, job, processes) is second)
    assert time.monotonic() - killed_at > 0.5  # not before the lease was over
    before = jobs.get_job(postgres_store, job).done
    wait_for(lambda: jobs.get_job(postgres_store, job).done > before)
    second.send_signal(signal.SIGTERM)
    rest, _ = second.communicate(timeout=60)
    assert (second.returncode, rest) == (0, "Stopped.\n")
    given_back = jobs.get_job(postgres_store, job)
    assert given_back.state == "waiting"
    assert before < given_back.done < 300
    assert jobs.read_figures(postgres_store).workers == 1  # the killed one said no farewell
    workers(postgres_url, 1)
    wait_for(lambda: jobs.get_job(postgres_store, job).state == "done")
    assert judged_by(postgres_store) == {job: 300}
    assert jobs.read_figures(postgres_store).counters["answers_graded", "grade"] == 300


def test_a_server_without_a_worker_and_a_worker(start, tmp_path):
    """The same file for both: several processes may, on one machine."""
    database = tmp_path / "workbench.db"
    server = start(
        "serve", "--local", "--example", "--no-worker", "--no-browser", "--port", 0, "--database", database
    )
    shown = "".join(server.stdout.readline() for _ in range(3))
    link = re.search(r"(http://127\.0\.0\.1:\d+)/open\?token=([\w-]+)", shown)
    with httpx.Client(base_url=link[1], headers={"Origin": link[1]}, follow_redirects=True) as client:
        assert client.get("/healthz").text == "ok\n"
        assert client.get("/readyz").text == "ready\n"
        page = client.post("/open", data={"token": link[2]})
        client.post(f"{page.url.path}/grade", data={"csrf": token_of(page.text)})
        time.sleep(1)
        assert figure(client, "postil_jobs_waiting", 'kind="grade"') > 0
        assert figure(client, "postil_workers_alive") == 0
        worker = start("worker", "--database", database)
        wait_for(lambda: figure(client, "postil_jobs_waiting", 'kind="grade"') == 0)
        wait_for(lambda: figure(client, "postil_jobs_running", 'kind="grade"') == 0)
        assert figure(client, "postil_workers_alive") == 1
        assert figure(client, "postil_answers_graded_total", 'by="grade"') == count_answers(database)
        worker.send_signal(signal.SIGINT)
        assert worker.wait(timeout=60) == 0
        assert figure(client, "postil_workers_alive") == 0


def figure(client, name, labels=""):
    full = re.escape(f"{name}{{{labels}}}" if labels else name)
    return float(re.search(rf"^{full} (\S+)$", client.get("/metrics").text, re.MULTILINE)[1])


def count_answers(database):
    store = open_store(database)
    try:
        return sum(course.answers for course in courses.list_courses(store))
    finally:
        store.close()
