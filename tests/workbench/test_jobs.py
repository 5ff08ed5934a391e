from __future__ import annotations

import logging

import pytest
from stub_machine import LABELS, StubMachine

from postil.batch.processes import StopWorkingError
from postil.errors import PostilError
from postil.workbench.jobs import worker
from postil.workbench.jobs.worker import work
from postil.workbench.records import NewAnswer
from postil.workbench.store import answers, courses, decisions, jobs, judgements
from postil.workbench.store.answers import Filter
from postil.workbench.store.database import StoreAwayError
from postil.workbench.store.judgements import some_changes


def do(store, kind, question_id, machine=None, **options):
    job = jobs.enqueue(store, kind, question_id)
    worker.do(store, jobs.lease_job(store, "w"), machine or StubMachine(), **options)
    return jobs.get_job(store, job)


def views(store, question_id):
    return answers.find_views(store, question_id, Filter(order="place"), 0, 100)


def test_a_class_is_graded_explained_and_grouped(store, question_id):
    answers.add_answers(store, question_id, [NewAnswer("e", "", "The path is closed!")])
    job = do(store, "grade", question_id, batch=2)
    assert (job.state, job.done, job.total, job.error) == ("done", 5, 5, "")
    for view in views(store, question_id):
        assert view.judged.label == LABELS[len(view.answer.text) % 5]
        assert view.judged.teacher == f"On {view.answer.text}."
        assert view.judged.alignment.source == tuple(view.answer.text.split())
        assert view.judged.reference == "The path is closed."
    assert [view.answer.group for view in views(store, question_id)] == [1, 2, 3, 4, 1]


def test_decisions_are_heard_and_stay(store, question_id, ids):
    decisions.decide(store, question_id, [ids["a"]], "irrelevant", "start")
    job = do(store, "grade", question_id)
    assert job.result == {"answers": 4, "decided": 1, "strictness": "normal", "reader": None}
    found = {view.answer.key: (view.label, view.judged.label) for view in views(store, question_id)}
    assert found == dict.fromkeys("abcd", ("irrelevant", "irrelevant"))
    assert [one.label for one in decisions.current(store, question_id)] == ["irrelevant"]


def test_late_answers_are_judged_beside_the_others_which_keep_their_judgements(store, question_id, ids):
    class Listening(StubMachine):
        heard: tuple[str, ...] = ()

        def judge(self, question, texts, decided, *more):
            Listening.heard = tuple(texts)
            return super().judge(question, texts, decided, *more)

    do(store, "grade", question_id)
    before = views(store, question_id)
    decisions.decide(store, question_id, [ids["a"]], "non_domain", "review")
    answers.add_answers(store, question_id, [NewAnswer("e", "", "too late"), NewAnswer("f", "", "me too")])
    job = do(store, "grade", question_id, Listening(), batch=1)
    assert (job.state, job.done, job.total) == ("done", 2, 2)
    assert len(Listening.heard) == 6
    after = views(store, question_id)
    assert [view.judged for view in after[:4]] == [view.judged for view in before]
    assert [view.judged.label for view in after[4:]] == ["non_domain"] * 2
    # The four judged before have not heard the decision: it can still teach, until a regrade is applied.
    assert job.result["decided"] == 0
    regrade = do(store, "regrade", question_id)
    assert regrade.result["decided"] == 1
    judgements.apply_changes(store, regrade.id)
    answers.add_answers(store, question_id, [NewAnswer("g", "", "last")])
    assert do(store, "grade", question_id).result["decided"] == 1


def test_late_answers_whose_worker_died_are_taken_up_where_it_stopped(store, graded, ids, judged):
    answers.add_answers(store, graded, [NewAnswer("e", "", "too late")])
    job = jobs.enqueue(store, "grade", graded)
    held = jobs.lease_job(store, "dead")
    judgements.save_judgements(store, held, [judged(ids["d"], "irrelevant")])
    before = {view.answer.key: view.judged for view in views(store, graded)}
    worker.do(store, jobs.lease_job(store, "heir", expires_after=0), StubMachine())
    ended = jobs.get_job(store, job)
    assert (ended.state, ended.done, ended.total) == ("done", 2, 2)
    after = {view.answer.key: view.judged for view in views(store, graded)}
    assert before.pop("e") is None
    assert after.pop("e").label == LABELS[len("too late") % 5]
    assert after == before


def test_the_machine_does_not_learn_from_what_passed_without_a_look(store, graded, ids):
    decisions.pass_all(store, graded, [ids["b"]])
    assert do(store, "grade", graded).result["decided"] == 0
    found = {view.answer.key: view for view in views(store, graded)}
    assert found["b"].label == "contradictory"
    assert found["d"].judged.label == LABELS[len(found["d"].answer.text) % 5]


def test_a_regrade_only_proposes(store, graded, ids):
    decisions.decide(store, graded, [ids["a"]], "non_domain", "review")
    job = do(store, "regrade", graded)
    assert job.state == "done"
    assert answers.get_view(store, ids["b"]).label == "contradictory"
    assert [change.answer.key for change in some_changes(store, job.id, None, 10)] == ["b", "c"]
    judgements.apply_changes(store, job.id)
    assert answers.get_view(store, ids["b"]).label == "non_domain"


def test_a_proposal_leaves_out_what_is_decided(store, question_id, ids):
    decisions.decide(store, question_id, [ids["d"]], "correct", "start")
    job = do(store, "propose", question_id)
    assert job.result == {"answers": [ids["c"], ids["b"], ids["a"]]}


def test_of_a_large_class_some_are_read_for_a_proposal(store, question_id):
    class Counting(StubMachine):
        def propose(self, question, texts, count, *more):
            assert 250 < len(texts) <= 500
            return [0, len(texts) - 1]

    answers.add_answers(store, question_id, [NewAnswer(str(n), "", f"answer {n}") for n in range(998)])
    proposed = do(store, "propose", question_id, Counting()).result["answers"]
    assert max(proposed) - min(proposed) > 990  # from the whole class


def test_only_what_is_missing_is_explained(store, question_id, ids, judged):
    class Listening(StubMachine):
        heard: tuple[str, ...] = ()

        def explain(self, question, texts, judgements):
            Listening.heard += tuple(texts)
            return super().explain(question, texts, judgements)

    job = jobs.enqueue(store, "grade", question_id)
    held = jobs.lease_job(store, "dead")
    judgements.save_judgements(store, held, [judged(ids["b"])])
    worker.do(store, jobs.lease_job(store, "heir", expires_after=0), Listening())
    assert "it is open" not in Listening.heard
    assert len(Listening.heard) == 3
    assert jobs.get_job(store, job).done == 4


def test_no_answers(store):
    course = courses.create_course(store, "Physics")
    job = do(store, "grade", courses.create_question(store, course, "Why?", ["so"], 1))
    assert job.state == "failed"
    assert job.error == "there are no answers to grade. Add answers first."


def test_what_breaks_is_said_without_anybodys_words(store, question_id, caplog):
    class Broken(StubMachine):
        def judge(self, question, texts, decided, *more):
            raise KeyError(texts[0])

    job = do(store, "grade", question_id, Broken())
    assert job.state == "failed"
    assert "KeyError" in job.error
    assert "KeyError in test_jobs.py" in caplog.text
    assert "path" not in job.error + caplog.text


def test_a_job_whose_question_is_deleted_ends_in_silence(store, question_id, caplog):
    class Deleting(StubMachine):
        def judge(self, question, texts, decided, *more):
            courses.delete_question(store, question.id)
            return super().judge(question, texts, decided, *more)

    jobs.enqueue(store, "grade", question_id)
    with caplog.at_level(logging.WARNING):
        worker.do(store, jobs.lease_job(store, "w"), Deleting())
    assert caplog.text == ""


def test_who_is_told_to_stop_gives_the_job_back(store, question_id):
    class Stopped(StubMachine):
        def judge(self, question, texts, decided, *more):
            raise StopWorkingError

    job = jobs.enqueue(store, "grade", question_id)
    claimed = jobs.lease_job(store, "w")
    with pytest.raises(StopWorkingError):
        worker.do(store, claimed, Stopped())
    assert jobs.get_job(store, job).state == "waiting"


def test_signs_of_life_while_judging(store, question_id, monkeypatch):
    monkeypatch.setattr(worker, "_BEAT", 0.02)
    job = jobs.enqueue(store, "grade", question_id)
    claimed = jobs.lease_job(store, "w")

    class Watched(StubMachine):
        def judge(self, question, texts, decided, *more):
            judged = super().judge(question, texts, decided, *more)
            assert jobs.lease_job(store, "thief", expires_after=1.0) is None
            return judged

    worker.do(store, claimed, Watched(1.5))
    assert jobs.get_job(store, job).state == "done"


def test_the_worker_loads_the_machine_for_the_first_job_only(store, question_id, database):
    loaded = []
    looks = iter([False, False, False, True])

    def stopped(seconds):
        look = next(looks)
        if seconds and not loaded:
            jobs.enqueue(store, "propose", question_id)
        return look

    def load():
        loaded.append(1)
        return StubMachine()

    work(database, load, stopped=stopped)
    assert loaded == [1]
    assert jobs.latest_job(store, question_id).state == "done"


def away_at_first(monkeypatch, module, name, times):
    """The database is away the first few times that a function of the store is called."""
    function, left = getattr(module, name), iter(range(times))

    def call(*arguments, **options):
        if next(left, None) is not None:
            raise StoreAwayError("the database cannot be reached now.")
        return function(*arguments, **options)

    monkeypatch.setattr(module, name, call)


def test_a_database_that_is_away_is_waited_for(store, question_id, monkeypatch):
    pauses = []
    away_at_first(monkeypatch, judgements, "save_judgements", 3)
    away_at_first(monkeypatch, jobs, "finish", 4)
    job = do(store, "grade", question_id, stopped=lambda seconds: pauses.append(seconds))
    assert (job.state, job.done, job.total) == ("done", 4, 4)
    assert pauses == [0.1, 0.3, 1.0, 2.0, 5.0, 5.0, 5.0]


def test_who_waits_for_a_database_can_be_told_to_stop(store, question_id, monkeypatch):
    away_at_first(monkeypatch, judgements, "save_judgements", 9)
    with pytest.raises(StopWorkingError):
        do(store, "grade", question_id, stopped=lambda seconds: seconds > 1)
    assert jobs.latest_job(store, question_id).state == "waiting"


def test_a_job_that_another_took_while_the_database_was_away_is_left_to_him(store, question_id, monkeypatch):
    away_at_first(monkeypatch, judgements, "save_judgements", 1)
    taken = []

    def take_over(_):
        taken.append(jobs.lease_job(store, "heir", expires_after=0))

    do(store, "grade", question_id, stopped=take_over)
    assert jobs.get_job(store, taken[0].id).state == "running"
    assert courses.get_question(store, question_id).judged == 0


def test_that_a_job_failed_is_told_when_the_database_is_back(store, question_id, monkeypatch):
    class Broken(StubMachine):
        def judge(self, question, texts, decided, *more):
            raise PostilError("there is no grader.")

    away_at_first(monkeypatch, jobs, "fail", 2)
    job = do(store, "grade", question_id, Broken(), stopped=lambda _: False)
    assert (job.state, job.error) == ("failed", "there is no grader.")


def test_a_worker_can_be_started_before_its_database(store, database, question_id, monkeypatch):
    jobs.enqueue(store, "propose", question_id)
    away_at_first(monkeypatch, worker, "open_store", 2)
    waited = []
    work(database, StubMachine, stopped=lambda seconds: waited.append(seconds) or len(waited) == 4)
    assert waited[:3] == [0.1, 0.3, 0]
    assert waited[3] == pytest.approx(worker.POLL, rel=0.25)
    assert jobs.latest_job(store, question_id).state == "done"
