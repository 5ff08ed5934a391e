from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from postil.workbench.store import courses, jobs, judgements
from postil.workbench.store.jobs import MOST_ATTEMPTS, LeaseLostError


def test_the_same_work_is_asked_for_once(store, question_id):
    first = jobs.enqueue(store, "grade", question_id)
    assert jobs.enqueue(store, "grade", question_id) == first
    held = jobs.lease_job(store, "w")
    assert jobs.enqueue(store, "grade", question_id) == first
    assert jobs.enqueue(store, "propose", question_id) != first
    jobs.finish(store, held, {})
    assert jobs.enqueue(store, "grade", question_id) != first


def test_the_life_of_a_job(store, question_id):
    job = jobs.enqueue(store, "propose", question_id)
    assert jobs.get_job(store, job).state == "waiting"
    held = jobs.lease_job(store, "w")
    assert (held.id, held.state) == (job, "running")
    jobs.set_phase(store, held, "reading", 4)
    running = jobs.get_job(store, job)
    assert (running.phase, running.total) == ("reading", 4)
    assert running.started is not None
    assert running.finished is None
    jobs.finish(store, held, {"answers": [1, 2]})
    done = jobs.get_job(store, job)
    assert (done.state, done.result) == ("done", {"answers": [1, 2]})
    assert done.finished is not None
    assert jobs.lease_job(store, "w") is None


def test_a_job_that_fails_says_why(store, question_id):
    job = jobs.enqueue(store, "grade", question_id)
    held = jobs.lease_job(store, "w")
    jobs.fail(store, held, "there is no reference.")
    assert (jobs.get_job(store, job).state, jobs.get_job(store, job).error) == (
        "failed",
        "there is no reference.",
    )


def test_proposals_go_first(store, question_id):
    jobs.enqueue(store, "grade", question_id)
    jobs.enqueue(store, "propose", question_id)
    assert [jobs.lease_job(store, "w").kind for _ in range(2)] == ["propose", "grade"]


def test_each_job_is_claimed_by_one(store, question_id):
    course = courses.get_question(store, question_id).course_id
    made = [courses.create_question(store, course, f"Why {n}?", ["so"], 1) for n in range(6)]
    expected = [jobs.enqueue(store, "grade", question) for question in made]
    with ThreadPoolExecutor(6) as pool:
        found = [job.id for job in pool.map(lambda n: jobs.lease_job(store, f"w{n}"), range(9)) if job]
    assert sorted(found) == expected


def test_a_job_whose_worker_is_silent_is_taken_over(store, question_id):
    job = jobs.enqueue(store, "grade", question_id)
    jobs.lease_job(store, "dead")
    assert jobs.lease_job(store, "heir") is None
    assert jobs.lease_job(store, "heir", expires_after=0).id == job


def test_a_job_that_kills_every_worker_has_failed(store, question_id):
    job = jobs.enqueue(store, "grade", question_id)
    for _ in range(MOST_ATTEMPTS):
        assert jobs.lease_job(store, "w", expires_after=0).id == job
    assert jobs.lease_job(store, "w", expires_after=0) is None
    assert jobs.get_job(store, job).state == "failed"


def test_a_job_that_gets_on_may_lose_any_number_of_workers(store, question_id, ids, judged):
    job = jobs.enqueue(store, "grade", question_id)
    for _ in range(MOST_ATTEMPTS + 2):
        held = jobs.lease_job(store, "w", expires_after=0)
        assert held.id == job
        judgements.save_judgements(store, held, [judged(ids["a"])])


def test_a_job_given_back_is_no_failure(store, question_id):
    job = jobs.enqueue(store, "grade", question_id)
    for _ in range(MOST_ATTEMPTS + 1):
        held = jobs.lease_job(store, "w")
        assert held.id == job
        jobs.release_lease(store, held)


def test_a_deleted_job_is_noticed(store, question_id):
    jobs.enqueue(store, "grade", question_id)
    held = jobs.lease_job(store, "w")
    courses.delete_course(store, courses.get_question(store, question_id).course_id)
    for call in (
        lambda: jobs.renew_lease(store, held),
        lambda: jobs.set_phase(store, held, "reading", 1),
        lambda: jobs.finish(store, held, {}),
        lambda: jobs.fail(store, held, "x"),
    ):
        with pytest.raises(LeaseLostError):
            call()


def test_the_latest_job(store, question_id):
    assert jobs.latest_job(store, question_id) is None
    grade = jobs.enqueue(store, "grade", question_id)
    propose = jobs.enqueue(store, "propose", question_id)
    assert jobs.latest_job(store, question_id).id == propose
    assert jobs.latest_job(store, question_id, "grade").id == grade
    assert jobs.latest_job(store, question_id, "regrade") is None
