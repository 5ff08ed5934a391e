"""Several people at the same moment: they take turns, or one gets a message; nothing is lost."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from postil.errors import PostilError
from postil.workbench.records import Job, NewAnswer
from postil.workbench.store import answers, courses, decisions, jobs, judgements
from postil.workbench.store.database import StoreAwayError
from postil.workbench.store.jobs import LeaseLostError


def together(*calls, times=1):
    """Call all at the same moment, several times; returns what each returned, or the error it was told."""
    met = Barrier(len(calls))

    def attempt(call):
        told = []
        for _ in range(times):
            met.wait(30)
            try:
                told.append(call())
            except PostilError as error:
                told.append(error)
        return told

    with ThreadPoolExecutor(len(calls)) as pool:
        found = [one.result(60) for one in [pool.submit(attempt, call) for call in calls]]
    flat = [one for told in found for one in told]
    assert not [one for one in flat if isinstance(one, StoreAwayError)]  # nobody waited in a circle
    return flat


def test_two_people_decide_at_once(store, question_id, ids):
    def decide(label):
        return lambda: decisions.decide(store, question_id, list(ids.values()), label, "review")

    steps = together(decide("correct"), decide("irrelevant"), decide("non_domain"), times=5)
    assert sorted(steps) == list(range(1, 16))  # every step has a number of its own
    standing = decisions.current(store, question_id)
    assert len(standing) == 4
    assert {one.batch for one in standing} == {15}
    assert len({one.label for one in standing}) == 1
    assert all(len(decisions.history(store, id)) == 15 for id in ids.values())


def test_one_undoes_while_another_decides(store, question_id, ids):
    def decide():
        decisions.decide(store, question_id, [ids["a"], ids["b"]], "correct", "review")

    together(decide, lambda: decisions.undo_last(store, question_id), decide, times=5)
    for key in "ab":
        history = decisions.history(store, ids[key])
        assert len(history) == 10
        left = [one for one in history if one.undone is None]
        standing = [one.id for one in decisions.current(store, question_id) if one.answer_id == ids[key]]
        assert standing == [one.id for one in left[:1]]  # the newest that is not undone


def test_the_same_answers_come_twice_at_once(store, question_id):
    new = [NewAnswer(f"n{n}", "", f"text {n}") for n in range(20)]
    labels = {"n1": "correct"}
    told = together(*[lambda: answers.add_answers(store, question_id, new, labels)] * 3)
    refused = [one for one in told if isinstance(one, PostilError)]
    assert len(refused) == 2
    assert all("already in use" in str(one) for one in refused)
    stored = answers.list_answers(store, question_id)
    assert [answer.place for answer in stored] == list(range(24))


def test_answers_that_come_at_once_get_places_of_their_own(store, question_id):
    def add(name):
        new = [NewAnswer(f"{name}{n}", "", "text") for n in range(5)]
        return lambda: answers.add_answers(store, question_id, new)

    assert together(*map(add, "wxyz")) == [5, 5, 5, 5]
    assert [one.place for one in answers.list_answers(store, question_id)] == list(range(24))


def test_the_same_job_is_asked_for_by_all_at_once(store, question_id):
    for kind in ("grade", "propose", "regrade"):
        assert len(set(together(*[lambda kind=kind: jobs.enqueue(store, kind, question_id)] * 6))) == 1


def test_one_question_is_judged_by_one_job_at_a_time(store, graded):
    for kind in ("grade", "regrade", "recheck", "facets"):
        jobs.enqueue(store, kind, graded)
    taken = [one for one in together(*[lambda: jobs.lease_job(store, "w")] * 4) if one]
    taken += [one for one in (jobs.lease_job(store, "w") for _ in range(3)) if one]  # whose question was busy
    assert sorted(job.kind for job in taken) == ["facets", "grade"]
    jobs.finish(store, next(job for job in taken if job.kind == "grade"), {})
    assert jobs.lease_job(store, "w").kind == "regrade"
    assert jobs.lease_job(store, "w") is None


def test_changes_are_applied_or_dropped_once(store, graded, ids, judged):
    jobs.enqueue(store, "regrade", graded)
    job = jobs.lease_job(store, "w")
    judgements.save_judgements(store, job, [judged(id, "non_domain") for id in ids.values()])
    jobs.finish(store, job, {})
    told = together(
        *[lambda: judgements.apply_changes(store, job.id)] * 2,
        *[lambda: judgements.drop_changes(store, job.id)] * 2,
    )
    assert len([one for one in told if one is None]) == 1


def test_a_question_is_deleted_or_changed_under_everybodys_hands(store, question_id, ids, judged):
    jobs.enqueue(store, "grade", question_id)
    job = jobs.lease_job(store, "w")
    numbers = iter(range(100))
    for remove in (
        lambda: courses.edit_question(store, question_id, "Why not?", ["So."], 1),
        lambda: courses.delete_question(store, question_id),
    ):
        told = together(
            remove,
            lambda: judgements.save_judgements(store, job, [judged(id) for id in ids.values()]),
            lambda: jobs.renew_lease(store, job),
            lambda: decisions.decide(store, question_id, [ids["a"]], "correct", "review"),
            lambda: answers.add_answers(store, question_id, [NewAnswer(f"n{next(numbers)}", "", "so")]),
            lambda: answers.set_groups(store, question_id, {ids["a"]: 2}),
            lambda: courses.forget_facets(store, question_id),
        )
        assert all(one is None or isinstance(one, int | Job | PostilError) for one in told)
    with pytest.raises(LeaseLostError):
        jobs.renew_lease(store, job)


def test_a_course_is_deleted_while_it_is_worked_in(store, question_id, ids, judged):
    course = courses.get_question(store, question_id).course_id
    jobs.enqueue(store, "grade", question_id)
    job = jobs.lease_job(store, "w")
    told = together(
        lambda: courses.delete_course(store, course),
        lambda: courses.edit_course(store, course, "Chemistry"),
        lambda: courses.create_question(store, course, "Why?", ["So."], 1),
        lambda: judgements.save_judgements(store, job, [judged(id) for id in ids.values()]),
        lambda: answers.delete_answer(store, ids["d"]),
    )
    assert told[0] is None
    assert courses.list_courses(store) == []


def test_who_lost_a_job_can_write_nothing_more(store, question_id, ids, judged):
    jobs.enqueue(store, "grade", question_id)
    former = jobs.lease_job(store, "worker")
    heir = jobs.lease_job(store, "worker", expires_after=0)
    assert heir.id == former.id
    for call in (
        lambda: jobs.renew_lease(store, former),
        lambda: jobs.renew_lease(store, former),
        lambda: jobs.set_phase(store, former, "reading", 1),
        lambda: jobs.finish(store, former, {}),
        lambda: jobs.fail(store, former, "x"),
        lambda: jobs.release_lease(store, former),
        lambda: judgements.missing(store, former),
        lambda: judgements.other_results(store, former),
        lambda: judgements.save_judgements(store, former, [judged(ids["a"])]),
        lambda: answers.set_groups(store, question_id, {ids["a"]: 7}, former),
    ):
        with pytest.raises(LeaseLostError):
            call()
    judgements.save_judgements(store, heir, [judged(ids["a"])])
    jobs.finish(store, heir, {})
    assert jobs.get_job(store, heir.id).done == 1
