"""A worker killed in the middle of its work: nothing is lost, done twice or half stored."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest
from processes import start_process
from stub_machine import LABELS, slow

from postil.workbench.jobs.worker import running_worker, work
from postil.workbench.records import NewAnswer
from postil.workbench.settings import Settings
from postil.workbench.store import answers, jobs
from postil.workbench.store.answers import Filter

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL"),
]

COUNT, BATCH = 600, 32
STALE = 0.5


@pytest.fixture
def job_id(store, question_id):
    new = [NewAnswer(f"{n:04}", f"Pupil {n}", "word " * (n % 7) + str(n)) for n in range(COUNT - 4)]
    answers.add_answers(store, question_id, new)
    return jobs.enqueue(store, "grade", question_id)


@pytest.fixture
def start(database):
    """A function that starts a worker in a process of its own; those left are killed at the end."""
    started = []

    def begin(load=slow, **options):
        options = {"stale": STALE, "batch": BATCH, **options}
        started.append(start_process(work, database, load, **options))
        return started[-1]

    yield begin
    for process in started:
        process.kill()
        process.join()


def wait_for(condition, seconds=60.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.01)


def kill(process):
    os.kill(process.pid, signal.SIGKILL)
    process.join()


def judged(store, question_id):
    """What is stored, complete or not: read without the store's functions."""
    with store.engine.connect() as connection:
        rows = connection.exec_driver_sql("SELECT answer_id, job_id, made FROM judgement").all()
    return {row[0]: (row[1], row[2]) for row in rows}, len(rows)


def check_complete(store, question_id, job_id):
    job = jobs.get_job(store, job_id)
    assert (job.state, job.done, job.total, job.error) == ("done", COUNT, COUNT, "")
    stored, rows = judged(store, question_id)
    assert len(stored) == rows == COUNT
    assert {made_by for made_by, _ in stored.values()} == {job_id}
    views = answers.find_views(store, question_id, Filter(), 0, COUNT + 1)
    assert len(views) == COUNT
    for view in views:
        assert view.judged.label == LABELS[len(view.answer.text) % 5]
        assert view.judged.teacher == f"On {view.answer.text}."
        assert view.judged.alignment.source == tuple(view.answer.text.split())
        assert view.answer.group > 0
    if store.engine.dialect.name == "sqlite":
        with store.engine.connect() as connection:
            assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
            assert connection.exec_driver_sql("PRAGMA foreign_key_check").all() == []


def test_killed_in_the_middle(store, question_id, job_id, start):
    first = start()
    wait_for(lambda: jobs.get_job(store, job_id).done >= COUNT // 3)
    kill(first)
    before, _ = judged(store, question_id)
    killed = jobs.get_job(store, job_id)
    assert (killed.state, killed.done) == ("running", len(before))
    assert COUNT // 3 <= len(before) < COUNT
    assert len(before) % BATCH == 0  # whole batches only
    start()
    wait_for(lambda: jobs.get_job(store, job_id).state == "done")
    check_complete(store, question_id, job_id)
    after, _ = judged(store, question_id)
    assert {id: after[id] for id in before} == before  # not judged a second time


def test_killed_again_and_again(store, question_id, job_id, start):
    for wanted in (0, 100, 350):
        before = lease(store)
        process = start()
        wait_for(lambda before=before: lease(store) != before)
        wait_for(lambda least=wanted: jobs.get_job(store, job_id).done >= least)
        time.sleep(0.03 + wanted / 10_000)  # somewhere else in a batch each time
        kill(process)
        assert jobs.get_job(store, job_id).done == judged(store, question_id)[1]
    start()
    wait_for(lambda: jobs.get_job(store, job_id).state == "done")
    check_complete(store, question_id, job_id)


def lease(store):
    """Who has the job in hand."""
    with store.engine.connect() as connection:
        return connection.exec_driver_sql("SELECT worker FROM job").scalar()


def test_a_dead_worker_is_started_again_and_a_stopped_one_gives_its_job_back(
    store, question_id, job_id, database
):
    with running_worker(Settings(database), slow) as worker:
        first = worker.pid
        os.kill(first, signal.SIGKILL)  # before it has a job
        wait_for(lambda: jobs.get_job(store, job_id).done > 0)
        assert worker.pid != first
    given_back = jobs.get_job(store, job_id)
    assert given_back.state == "waiting"
    assert 0 < given_back.done < COUNT
    with running_worker(Settings(database), slow):  # goes on at once: nobody waits for a silent one
        wait_for(lambda: jobs.get_job(store, job_id).state == "done")
    check_complete(store, question_id, job_id)


def test_a_worker_whose_server_is_killed_ends(store, job_id, tmp_path, database):
    server = start_process(serve, database, tmp_path, daemon=False)  # it has a child
    wait_for((tmp_path / "pid").exists)
    worker = int((tmp_path / "pid").read_text())
    wait_for(lambda: jobs.get_job(store, job_id).state == "running")
    kill(server)
    wait_for(lambda: not is_alive(worker))
    assert jobs.get_job(store, job_id).state == "done"  # what it had begun, it finished


def serve(database, folder):
    with running_worker(Settings(database), slow) as worker:
        (folder / "part").write_text(str(worker.pid))
        (folder / "part").rename(folder / "pid")
        time.sleep(60)


def is_alive(pid):
    """Whether a process runs; one that has ended and that nobody has asked about does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    about = Path(f"/proc/{pid}/stat")
    return not about.exists() or ") Z " not in about.read_text()
