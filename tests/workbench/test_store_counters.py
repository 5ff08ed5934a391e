"""Counters: what is stored is counted once, even if several count at once or work is repeated."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import islice, permutations

import pytest
from sqlalchemy import delete, insert, update
from stub_machine import StubMachine

from postil.workbench.jobs import grading, worker
from postil.workbench.jobs.worker import Housekeeping
from postil.workbench.store import jobs, judgements
from postil.workbench.store.courses import get_question
from postil.workbench.store.database import StoreAwayError
from postil.workbench.store.drafts import keep_draft
from postil.workbench.store.tables import CounterRow, DraftRow, WorkerRow, now


def totals(store):
    with store.reading() as session:
        return jobs.totals(session)


def test_many_count_at_once(store, monkeypatch):
    monkeypatch.setattr(jobs, "_SLOTS", 2)  # some share a slot, others do not

    def add(_):
        jobs.add_counts(store, {("b", "x"): 1, ("a", "y"): 0.5})

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(add, range(40)))
    assert totals(store) == {("b", "x"): 40, ("a", "y"): 20}


def test_a_sum_never_falls_whichever_slot_is_read_first(store):
    """To monitors, a counter that falls by the last digit has begun anew from nothing."""
    values = [0.1, 0.2, 0.3, 1e6 / 3, 1e-9, 0.7]

    def total(order):
        with store.writing() as session:
            session.execute(delete(CounterRow))
            for slot, value in enumerate(order):
                session.execute(insert(CounterRow).values(name="a", label="", slot=slot, value=value))
        return totals(store)["a", ""]

    assert len({total(order) for order in islice(permutations(values), 0, 720, 60)}) == 1


def test_what_is_not_stored_is_not_counted(store):
    def break_off():
        with store.writing() as session:
            jobs.count(session, {("a", ""): 1})
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        break_off()
    assert totals(store) == {}


def test_a_job_counts_its_answers_once_though_done_again(store, question_id, monkeypatch):
    """The database goes away just after the first batch was stored."""
    saved = judgements.save_judgements
    times = []

    def away(*given):
        saved(*given)
        times.append(1)
        if len(times) == 1:
            raise StoreAwayError("the database cannot be reached now.")

    monkeypatch.setattr(judgements, "save_judgements", away)
    jobs.enqueue(store, "grade", question_id)
    worker.do(store, jobs.lease_job(store, "w"), StubMachine(), batch=3, stopped=lambda _: False)
    assert jobs.latest_job(store, question_id).state == "done"
    found = totals(store)
    assert found[jobs.GRADED, "grade"] == 4
    assert (jobs.DEFERRED, "grade") not in found
    assert found[jobs.ENDED, "grade done"] == 1
    stages = {label for name, label in found if name == jobs.SECONDS}
    assert stages == {"waiting", "judging", "explaining", "storing", "grouping"}


def test_deferred_answers_and_jobs_that_fail(store, graded):
    assert totals(store)[jobs.GRADED, "grade"] == 3
    assert totals(store)[jobs.DEFERRED, "grade"] == 1
    jobs.enqueue(store, "propose", graded)
    jobs.fail(store, jobs.lease_job(store, "w"), "no.")
    jobs.enqueue(store, "facets", graded)
    for _ in range(jobs.MOST_ATTEMPTS):
        assert jobs.lease_job(store, "w", expires_after=-1)
    assert jobs.lease_job(store, "w", expires_after=-1) is None
    found = totals(store)
    assert found[jobs.ENDED, "propose failed"] == found[jobs.ENDED, "facets failed"] == 1


def test_the_queue_in_figures(store, question_id):
    nothing = jobs.read_figures(store)
    assert (nothing.oldest, nothing.workers, nothing.counters) == (0, 0, {})
    assert nothing.waiting == nothing.running == dict.fromkeys(jobs.KINDS, 0)
    jobs.enqueue(store, "grade", question_id)
    jobs.enqueue(store, "propose", question_id)
    assert jobs.lease_job(store, "w").kind == "propose"
    figures = jobs.read_figures(store)
    assert (figures.waiting["grade"], figures.running["propose"]) == (1, 1)
    assert 0 <= figures.oldest < 60


def test_a_worker_shows_that_it_is_there_and_keeps_house(store, question_id, monkeypatch):
    from postil.workbench.drafts import open_paste

    keep_draft(store, open_paste("one"), get_question(store, question_id).course_id, None)
    with store.writing() as session:
        session.execute(update(DraftRow).values(made=now().replace(year=2020)))
    house, other = Housekeeping(store), Housekeeping(store)
    house.do()
    other.do()
    with store.reading() as session:
        assert jobs.count_alive(session) == 2
        assert session.query(DraftRow).count() == 0
    with store.writing() as session:
        session.execute(update(WorkerRow).values(seen=now().replace(year=2020)))
    house.do()  # not yet again
    with store.reading() as session:
        assert jobs.count_alive(session) == 0
    house.end()
    monkeypatch.setattr("postil.workbench.jobs.worker._EVERY", -1.0)
    other._again = 0.0
    other.do()
    with store.reading() as session:
        assert session.query(WorkerRow).count() == 1


def test_a_lease_is_by_the_clock_of_the_database(postgres_store, monkeypatch):
    """A machine whose clock goes wrong takes no jobs away from others."""
    from postil.workbench.store import courses, jobs

    course = courses.create_course(postgres_store, "x")
    question = courses.create_question(postgres_store, course, "?", ["x"], 1)
    jobs.enqueue(postgres_store, "propose", question)
    assert jobs.lease_job(postgres_store, "w")
    ahead = now().replace(year=now().year + 1)
    for module in (jobs, jobs):
        monkeypatch.setattr(module, "now", lambda: ahead)
    assert jobs.lease_job(postgres_store, "w") is None


def test_stages_of_other_jobs(store, question_id):
    for kind in ("propose", "facets"):
        jobs.enqueue(store, kind, question_id)
        grading.run(store, jobs.lease_job(store, "w"), StubMachine())
    stages = {label for name, label in totals(store) if name == jobs.SECONDS}
    assert stages == {"waiting", "proposing", "facets"}
