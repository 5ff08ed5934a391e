"""A worker stops at once while it judges or waits, and never in the middle of a transaction."""

from __future__ import annotations

import os
import signal
import sys
import time

import pytest
from stub_machine import StubMachine

from postil.batch.processes import Stopping, StopWorkingError
from postil.workbench.jobs import worker
from postil.workbench.store import courses, jobs, judgements
from postil.workbench.store.database import StoreAwayError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are another matter there")

TOLD = (signal.SIGTERM, signal.SIGINT)


@pytest.fixture(autouse=True)
def same_process(monkeypatch):
    """The tests' own handlers come back at the end, and the tests stay as important as they were."""
    before = {one: signal.getsignal(one) for one in TOLD}
    monkeypatch.setattr(worker.os, "nice", lambda _: 0)
    yield
    for one, handler in before.items():
        signal.signal(one, handler)


def signal_inside(monkeypatch, module, name, numbers=TOLD):
    """Signals come whenever a function of the store has asked the database something, before it commits."""
    function, came = getattr(module, name), []

    def call(session, *arguments, **options):
        found = function(session, *arguments, **options)
        came.append(name)
        for number in numbers:
            signal.raise_signal(number)
        return found

    monkeypatch.setattr(module, name, call)
    return came


def demand_given_back(store, job, done=0):
    stands = jobs.get_job(store, job)
    assert (stands.state, stands.done) == ("waiting", done)
    assert jobs.read_figures(store).workers == 0  # it said farewell
    assert jobs.lease_job(store, "heir") is not None


class Thinking(StubMachine):
    """Is told to stop while it judges, which it would do for a minute."""

    def judge(self, question, answers, decided, *more):
        think()


class Comparing(StubMachine):
    """The same at the end, while it puts like answers together."""

    def group(self, answers):
        think()


def think():
    os.kill(os.getppid(), signal.SIGTERM)  # the worker, which waits for this process
    time.sleep(60)


def test_while_it_looks_at_an_empty_queue(store, database, monkeypatch):
    came = signal_inside(monkeypatch, jobs, "shared_now")
    worker.work_here(database, StubMachine)
    assert set(came) == {"shared_now"}


def test_while_it_takes_a_job(store, database, question_id, monkeypatch):
    """The job that it has just taken is given back, and the machine is not even loaded."""
    job = jobs.enqueue(store, "grade", question_id)
    came = signal_inside(monkeypatch, jobs, "_try_lease")
    worker.work_here(database, lambda: pytest.fail("nothing is left to do"))
    assert came
    demand_given_back(store, job)


def test_while_it_stores(store, database, question_id, monkeypatch):
    """What is being stored is stored; the rest is for others."""
    monkeypatch.setattr("postil.workbench.jobs.grading.BATCH", 3)
    job = jobs.enqueue(store, "grade", question_id)
    came = signal_inside(monkeypatch, judgements, "lock_work")
    worker.work_here(database, StubMachine)
    assert came == ["lock_work"]
    assert courses.get_question(store, question_id).judged == 3
    demand_given_back(store, job, done=3)


@pytest.mark.parametrize(("machine", "done"), [(Thinking, 0), (Comparing, 4)])
def test_while_it_thinks(store, database, question_id, machine, done):
    job = jobs.enqueue(store, "grade", question_id)
    begun = time.monotonic()
    worker.work_here(database, machine)
    assert time.monotonic() - begun < 50
    demand_given_back(store, job, done)


def test_a_second_signal_while_the_job_is_given_back(store, database, question_id, monkeypatch):
    job = jobs.enqueue(store, "grade", question_id)
    released = jobs.release_lease

    def release(*given):
        for number in TOLD:
            signal.raise_signal(number)
        released(*given)

    monkeypatch.setattr(jobs, "release_lease", release)
    worker.work_here(database, Thinking)
    demand_given_back(store, job)


def test_while_it_waits_for_a_database_that_is_away(tmp_path, monkeypatch):
    def away(_):
        signal.raise_signal(signal.SIGTERM)
        raise StoreAwayError("the database cannot be reached now.")

    monkeypatch.setattr(worker, "open_store", away)
    worker.work_here(tmp_path / "x.db", StubMachine)


def test_a_signal_is_heard_where_nothing_can_break_and_only_there():
    stopping = Stopping()

    def tell(_=0):
        stopping.ask(signal.SIGTERM, None)
        return False

    with pytest.raises(StopWorkingError):
        stopping.waiting(tell)(1.0)
    tell()  # outside: nothing is raised
    with pytest.raises(StopWorkingError), stopping.breakable():
        pytest.fail("it was told before")
    tell()
