from __future__ import annotations

import pytest

from postil.errors import PostilError
from postil.workbench.store import answers, decisions, jobs, judgements
from postil.workbench.store.jobs import LeaseLostError
from postil.workbench.store.judgements import some_changes


def labels(store, ids):
    views = {key: answers.get_view(store, id) for key, id in ids.items()}
    return {key: view.judged.label for key, view in views.items() if view.judged}


@pytest.fixture
def regraded(store, graded, ids, judged):
    """A regrade that is done: a the same, b now correct, c moved a little, d judged for the first time."""
    job = jobs.enqueue(store, "regrade", graded)
    held = jobs.lease_job(store, "w")
    made = [judged(ids["a"]), judged(ids["b"]), judged(ids["c"], "irrelevant", score=0.54), judged(ids["d"])]
    judgements.save_judgements(store, held, made)
    jobs.finish(store, held, {})
    return job


def test_a_judgement_comes_back_as_it_was(store, graded, ids, judged):
    assert answers.get_view(store, ids["a"]).judged == judged(ids["a"])


def test_saving_again_changes_nothing_and_counts_once(store, question_id, ids, judged):
    job = jobs.enqueue(store, "grade", question_id)
    held = jobs.lease_job(store, "w")
    for _ in range(2):
        judgements.save_judgements(store, held, [judged(ids["a"]), judged(ids["b"])])
    assert jobs.get_job(store, job).done == 2
    assert judgements.missing(store, held) == [ids["c"], ids["d"]]


def test_a_new_grade_job_has_only_the_rest_before_it_and_a_regrade_everything(store, graded, ids):
    for kind, wanted in (("grade", [ids["d"]]), ("regrade", list(ids.values()))):
        jobs.enqueue(store, kind, graded)
        held = jobs.lease_job(store, "w")
        assert judgements.missing(store, held) == wanted
        jobs.finish(store, held, {})


def test_saving_replaces(store, graded, ids, judged):
    jobs.enqueue(store, "grade", graded)
    held = jobs.lease_job(store, "w")
    judgements.save_judgements(store, held, [judged(ids["b"])])
    assert labels(store, ids) == {"a": "correct", "b": "correct", "c": "irrelevant"}


def test_what_was_deleted_or_is_of_another_question_is_passed_over(store, question_id, ids, judged):
    job = jobs.enqueue(store, "grade", question_id)
    held = jobs.lease_job(store, "w")
    answers.delete_answer(store, ids["a"])
    judgements.save_judgements(store, held, [judged(ids["a"]), judged(ids["b"]), judged(999)])
    assert jobs.get_job(store, job).done == 1


def test_half_a_batch_is_never_kept(store, question_id, ids, judged):
    job = jobs.enqueue(store, "grade", question_id)
    held = jobs.lease_job(store, "w")
    broken = judged(ids["b"], made=None)
    with pytest.raises(Exception, match=r"(?i)not.null") as raised:
        judgements.save_judgements(store, held, [judged(ids["a"]), broken])
    assert "open" not in str(raised.value)  # it may be logged, and answers may not
    assert labels(store, ids) == {}
    assert jobs.get_job(store, job).done == 0


def test_who_lost_the_job_can_save_nothing(store, graded, ids, judged):
    done = jobs.latest_job(store, graded)
    with pytest.raises(LeaseLostError):
        judgements.save_judgements(store, done, [judged(ids["a"])])


def test_proposals_wait(store, regraded, ids):
    assert labels(store, ids) == {"a": "correct", "b": "contradictory", "c": "irrelevant"}
    [change] = some_changes(store, regraded, None, 10)
    assert (change.answer.key, change.before.label, change.after.label) == ("b", "contradictory", "correct")


def test_only_another_label_is_a_change(store, graded, ids, judged):
    job = jobs.enqueue(store, "regrade", graded)
    held = jobs.lease_job(store, "w")
    judgements.save_judgements(store, held, [judged(ids["a"], score=0.74), judged(ids["b"])])
    assert [change.answer.key for change in some_changes(store, job, None, 10)] == ["b"]


def test_changes_are_applied_all_at_once(store, graded, regraded, ids):
    judgements.apply_changes(store, regraded)
    assert labels(store, ids) == {"a": "correct", "b": "correct", "c": "irrelevant", "d": "correct"}
    assert answers.get_view(store, ids["c"]).judged.score == 0.54
    assert jobs.get_job(store, regraded).state == "applied"
    assert some_changes(store, regraded, None, 10) == []
    with pytest.raises(PostilError, match="no longer available"):
        judgements.apply_changes(store, regraded)


def test_changes_are_dropped(store, regraded, ids):
    judgements.drop_changes(store, regraded)
    assert labels(store, ids) == {"a": "correct", "b": "contradictory", "c": "irrelevant"}
    assert jobs.get_job(store, regraded).state == "dropped"
    with pytest.raises(PostilError, match="no longer available"):
        judgements.drop_changes(store, regraded)


def test_a_decision_is_never_touched_by_a_regrade(store, graded, regraded, ids):
    decisions.decide(store, graded, [ids["b"]], "irrelevant", "review")
    assert some_changes(store, regraded, None, 10) == []
    judgements.apply_changes(store, regraded)
    view = answers.get_view(store, ids["b"])
    assert (view.label, view.judged.label) == ("irrelevant", "contradictory")


def test_a_newer_grade_or_regrade_drops_what_waits(store, graded, regraded):
    jobs.enqueue(store, "regrade", graded)
    assert jobs.get_job(store, regraded).state == "dropped"
    assert some_changes(store, regraded, None, 10) == []
