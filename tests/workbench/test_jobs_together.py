"""Workers that share a database, stand still, or lose their server: every answer is judged once."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections import Counter
from functools import partial
from pathlib import Path

import pytest
from processes import start_process
from stub_machine import writing

from postil.workbench.jobs.worker import work
from postil.workbench.records import NewAnswer
from postil.workbench.store import answers, courses, jobs
from postil.workbench.store.database import StoreAwayError

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGSTOP"),
]

STALE = 1.0
BATCH = 10


@pytest.fixture
def notes(tmp_path):
    """A function that reads what the machines wrote down: process, question and answer."""
    path = tmp_path / "notes"
    path.touch()
    return lambda: [tuple(line.split(" ", 2)) for line in path.read_text().splitlines()]


@pytest.fixture
def start(notes, tmp_path):
    """A function that starts a worker in a process of its own; all are killed at the end."""
    started = []

    def begin(database, **options):
        load = partial(writing, tmp_path / "notes")
        started.append(start_process(work, database, load, batch=BATCH, **options))
        return started[-1]

    yield begin
    for process in started:
        process.kill()
        process.join()


def new_question(store, course, count):
    question = courses.create_question(store, course, "Why is it lit?", ["The path is closed."], 1)
    new = [NewAnswer(str(n), "", f"answer {n} " + "word " * (n % 7)) for n in range(count)]
    answers.add_answers(store, question, new)
    return question


def judged_by(store):
    """How many judgements each job has made that are stored; no answer can have two."""
    with store.engine.connect() as connection:
        return Counter(connection.exec_driver_sql("SELECT job_id FROM judgement").scalars())


def twice(notes):
    """The answers that were explained more than once."""
    return [one for one, count in Counter(one[1:] for one in notes()).items() if count > 1]


def wait_for(condition, seconds=60.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.01)


def test_two_workers_share_many_jobs_and_judge_every_answer_once(store, database, start, notes):
    course = courses.create_course(store, "Physics")
    given = [new_question(store, course, 60) for _ in range(8)]
    workers = [start(database), start(database)]
    ids = [jobs.enqueue(store, "grade", question) for question in given]
    wait_for(lambda: all(jobs.get_job(store, job).state == "done" for job in ids))
    assert len(notes()) == 480
    assert twice(notes) == []
    assert {int(process) for process, *_ in notes()} <= {worker.pid for worker in workers}
    assert judged_by(store) == dict.fromkeys(ids, 60)
    assert all(job.done == job.total == 60 for job in (jobs.get_job(store, id) for id in ids))


def test_a_worker_that_stood_still_gives_up_when_another_has_its_job(store, database, start, notes):
    course = courses.create_course(store, "Physics")
    job = jobs.enqueue(store, "grade", new_question(store, course, 200))
    first = start(database)
    wait_for(lambda: jobs.get_job(store, job).done >= 40)
    stop_outside_of_a_transaction(store, first, job)
    before, stood = jobs.get_job(store, job).done, lease_of(store, job)
    assert before < 200
    second = start(database, stale=STALE)
    wait_for(lambda: jobs.get_job(store, job).done > before)
    os.kill(first.pid, signal.SIGCONT)
    wait_for(lambda: jobs.get_job(store, job).state == "done")
    second.kill()
    demand_work(store, course)  # the first has let the job be, and does others
    assert jobs.get_job(store, job).done == jobs.get_job(store, job).total == 200
    assert judged_by(store)[job] == 200
    assert lease_of(store, job) != stood
    assert len(twice(notes)) <= BATCH  # what the first had in its hands when it was stopped


def test_a_server_is_restarted_again_and_again_under_a_job(
    postgres, postgres_store, postgres_url, start, notes
):
    course = courses.create_course(postgres_store, "Physics")
    job = jobs.enqueue(postgres_store, "grade", new_question(postgres_store, course, 300))
    worker, held = start(postgres_url), ""
    for least, mode, pause in ((20, "immediate", 0.0), (80, "fast", 0.0), (140, "immediate", 3.0)):
        wait_for(lambda least=least: jobs.get_job(postgres_store, job).done >= least)
        held = held or lease_of(postgres_store, job)
        postgres.stop(mode)
        time.sleep(pause)
        postgres.start()
    wait_for(lambda: jobs.get_job(postgres_store, job).state == "done")
    ended = jobs.get_job(postgres_store, job)
    assert (ended.done, ended.total, ended.error) == (300, 300, "")
    assert judged_by(postgres_store) == {job: 300}
    assert lease_of(postgres_store, job) == held  # it went on with what it had
    assert len(twice(notes)) <= 3 * BATCH
    assert worker.is_alive()


def stop_outside_of_a_transaction(store, process, job):
    """Stop a worker; if it stopped while it was writing, nobody else could, so it goes on for a moment."""
    while True:
        os.kill(process.pid, signal.SIGSTOP)
        wait_for(lambda: ") T " in Path(f"/proc/{process.pid}/stat").read_text())
        try:
            jobs.renew_lease(store, jobs.get_job(store, job))
        except StoreAwayError:
            os.kill(process.pid, signal.SIGCONT)
            time.sleep(0.01)
        else:
            return


def demand_work(store, course):
    """A job that is put into the queue now gets done."""
    job = jobs.enqueue(store, "grade", new_question(store, course, 5))
    wait_for(lambda: jobs.get_job(store, job).state == "done")


def lease_of(store, job):
    """Who has a job in hand, or had it last."""
    with store.engine.connect() as connection:
        rows = connection.exec_driver_sql("SELECT id, worker FROM job").all()
    return dict(tuple(row) for row in rows)[job]
