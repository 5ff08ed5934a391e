"""Answers that crash, stall or bloat the process that reads them are left to a person; the rest is judged."""

from __future__ import annotations

import logging
import os
import signal
import sys
import time

import pytest
from processes import quick_context
from sqlalchemy import text
from stub_machine import PoisonedMachine

from postil.batch import processes
from postil.data.judgements import Reason
from postil.errors import PostilError
from postil.workbench.jobs import isolation, limited, worker
from postil.workbench.jobs.isolation import IsolatedMachine
from postil.workbench.jobs.limited import FailedError, Failure, LimitedProcess
from postil.workbench.records import NewAnswer
from postil.workbench.settings import Settings
from postil.workbench.store import answers, courses, decisions, jobs

limits = pytest.mark.skipif(sys.platform != "linux", reason="the system has no such limits")

MEMORY = 500  # megabytes, more than the poison needs
HEALTHY = [f"answer {number} " + "word " * (number % 7) for number in range(57)]


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Each process that is broken costs a new one."""
    monkeypatch.setattr(processes, "_CONTEXT", quick_context())


@pytest.fixture
def machine():
    made = IsolatedMachine(PoisonedMachine, memory=MEMORY, beginning=0.4)
    yield made
    made.close()


def new_question(store, texts):
    course = courses.create_course(store, "Physics")
    question = courses.create_question(store, course, "Why is it lit?", ["The path is closed."], 1)
    answers.add_answers(store, question, [NewAnswer(str(n), "", given) for n, given in enumerate(texts)])
    return question


def grade(store, question, machine, kind="grade"):
    job = jobs.enqueue(store, kind, question)
    worker.do(store, jobs.lease_job(store, "w"), machine, batch=16)
    return jobs.get_job(store, job)


def table_of(store, question, table="judgement"):
    """What is stored about each answer, by its text."""
    wanted = f"""
        SELECT answer.text, label, probabilities, score, deferred, reason, teacher FROM answer
        LEFT JOIN {table} AS judged ON judged.answer_id = answer.id WHERE question_id = :question
    """  # noqa: S608 - a name of ours
    with store.reading() as session:
        rows = session.execute(text(wanted), {"question": question})
        return {row[0]: tuple(row[1:]) for row in rows}


def stop_after(call, then):
    def called(*given, **options):
        call(*given, **options)
        then()

    return called


def asked(store, question):
    return courses.get_question(store, question)


@limits
def test_the_rest_of_a_class_is_judged_as_if_the_poison_were_not_there(sqlite_store, machine, caplog):
    poison = ["poison judge die", "poison judge eat", "poison judge crash"]
    mixed = [*HEALTHY[:20], poison[0], *HEALTHY[20:50], poison[1], *HEALTHY[50:], poison[2]]
    question = new_question(sqlite_store, mixed)
    job = grade(sqlite_store, question, machine)
    assert (job.state, job.done, job.total, job.error) == ("done", 60, 60, "")
    undisturbed = new_question(sqlite_store, HEALTHY)
    grade(sqlite_store, undisturbed, PoisonedMachine())
    stored = table_of(sqlite_store, question)
    aside = [stored.pop(given) for given in poison]
    assert stored == table_of(sqlite_store, undisturbed)
    assert {(row[3], row[4], row[5]) for row in aside} == {(1, Reason.UNREAD.value, "")}
    views = answers.find_views(sqlite_store, question, answers.Filter(), 0, 100)
    notes = {view.answer.text: view for view in views}
    assert "ran out of time or memory" in notes[poison[0]].reason()
    assert all(notes[given].doubtful for given in poison)
    assert len({notes[given].answer.group for given in poison} - {0}) == 3
    assert "poison" not in caplog.text


def test_what_cannot_be_explained_keeps_its_label(sqlite_store, machine):
    texts = [*HEALTHY[:9], "poison explain die"]
    question = new_question(sqlite_store, texts)
    assert grade(sqlite_store, question, machine).state == "done"
    undisturbed = new_question(sqlite_store, [*HEALTHY[:9], "harmless 12345 die"])
    grade(sqlite_store, undisturbed, PoisonedMachine())
    stored, expected = table_of(sqlite_store, question), table_of(sqlite_store, undisturbed)
    label, *_, deferred, reason, note = stored.pop("poison explain die")
    assert (label, deferred, reason, note) == (
        expected.pop("harmless 12345 die")[0], 1, Reason.UNEXPLAINED.value, ""
    )  # fmt: skip
    assert stored == expected


def test_what_takes_too_long_is_found_as_well(sqlite_store, machine):
    question = new_question(sqlite_store, ["a", "poison judge sleep"])
    assert grade(sqlite_store, question, machine).state == "done"
    reasons = {given: row[4] for given, row in table_of(sqlite_store, question).items()}
    assert reasons == {"a": None, "poison judge sleep": Reason.UNREAD.value}


def test_a_process_killed_by_something_else_condemns_nobody(sqlite_store, machine, tmp_path):
    texts = [f"poison judge once {tmp_path / 'a'}", f"poison explain once {tmp_path / 'b'}", *HEALTHY[:4]]
    question = new_question(sqlite_store, texts)
    assert grade(sqlite_store, question, machine).state == "done"
    assert {row[4] for row in table_of(sqlite_store, question).values()} == {None}


def test_a_killed_process_between_two_tasks_is_replaced(sqlite_store, machine):
    question = asked(sqlite_store, new_question(sqlite_store, ["a"]))
    machine.judge(question, ["a"], [None])
    (pid,) = machine._process._pool._processes
    os.kill(pid, signal.SIGKILL)
    assert len(machine.judge(question, ["a"], [None])) == 1


def test_what_could_not_be_read_is_not_read_again(sqlite_store, machine, monkeypatch):
    """Neither by a worker that takes the job over, nor beside answers that come late."""
    question = new_question(sqlite_store, ["poison judge crash", "poison group crash", *HEALTHY[:3]])
    held = jobs.lease_job(sqlite_store, "first") if jobs.enqueue(sqlite_store, "grade", question) else None

    def die(*_):  # in the middle of the search: what was found so far is stored
        raise KeyboardInterrupt

    monkeypatch.setattr(machine, "_sifted", stop_after(machine._sifted, die))
    with pytest.raises(KeyboardInterrupt):
        worker.do(sqlite_store, held, machine)
    assert jobs.get_job(sqlite_store, held.id).done == 1

    class Strict(PoisonedMachine):
        def judge(self, question, answers, decided, *more):
            assert "poison judge crash" not in answers
            return super().judge(question, answers, decided, *more)

        def group(self, answers):
            assert "poison judge crash" not in answers
            return list(range(1, len(answers) + 1))

    worker.do(sqlite_store, jobs.lease_job(sqlite_store, "second", expires_after=0), Strict())
    assert jobs.get_job(sqlite_store, held.id).state == "done"
    answers.add_answers(sqlite_store, question, [NewAnswer("late", "", "late")])
    assert grade(sqlite_store, question, Strict()).state == "done"
    row = table_of(sqlite_store, question)["poison judge crash"]
    assert row[4] == Reason.UNREAD.value


def test_grading_again_tries_again_and_changes_no_label_unseen(sqlite_store, machine):
    texts = ["poison judge crash", *HEALTHY[:3]]
    question = new_question(sqlite_store, texts)

    class Immune(PoisonedMachine):
        def judge(self, question, answers, decided, *more):
            healed = [given.replace("poison", "potion") for given in answers]
            return super().judge(question, healed, decided, *more)

    grade(sqlite_store, question, Immune())
    before = table_of(sqlite_store, question)["poison judge crash"]
    assert grade(sqlite_store, question, machine, "regrade").state == "done"
    after = table_of(sqlite_store, question, "proposal")["poison judge crash"]
    assert after[0] == before[0]
    assert (after[3], after[4]) == (1, Reason.UNREAD.value)
    assert grade(sqlite_store, question, machine, "recheck").state == "done"
    assert table_of(sqlite_store, question)["poison judge crash"][0] == before[0]


def test_a_label_that_a_person_gave_stands_beside(sqlite_store, machine):
    question = new_question(sqlite_store, ["poison judge crash", "a", "b"])
    first = answers.list_answers(sqlite_store, question)[0].id
    decisions.decide(sqlite_store, question, [first], "correct", "review")
    assert grade(sqlite_store, question, machine).state == "done"
    assert table_of(sqlite_store, question)["a"][4] is None


def test_proposals_and_groups_leave_out_what_cannot_be_read(sqlite_store, machine):
    question = asked(sqlite_store, new_question(sqlite_store, ["a"]))
    texts = ["poison all crash", "a b", "A b.", "c", "d", "e"]
    assert machine.propose(question, texts, 4) == [4, 3, 2, 1]
    assert machine.group(texts) == [1, 2, 2, 4, 5, 6]


def test_lessons_that_cannot_be_read_are_left_out(sqlite_store, machine):
    first = new_question(sqlite_store, [])
    course = asked(sqlite_store, first).course_id
    new = [NewAnswer("p", "", "poison judge crash"), NewAnswer("a", "", "a")]
    answers.add_answers(sqlite_store, first, new, {"p": "correct"})
    second = courses.create_question(sqlite_store, course, "Why is it dark?", ["The path is open."], 1)
    answers.add_answers(sqlite_store, second, [NewAnswer(text, "", text) for text in ("b", "cc")])
    assert len(decisions.lessons(sqlite_store, second)) == 1
    job = grade(sqlite_store, second, machine)
    assert (job.state, job.done) == ("done", 2)
    assert {row[4] for row in table_of(sqlite_store, second).values()} == {None}


def test_a_reference_that_cannot_be_read_is_told(sqlite_store, machine):
    course = courses.create_course(sqlite_store, "Physics")
    made = courses.create_question(sqlite_store, course, "Why?", ["poison facets die"], 1)
    with pytest.raises(PostilError, match="question and its references"):
        machine.facets(asked(sqlite_store, made))


def test_when_nothing_can_be_read_the_question_is_to_blame(sqlite_store, machine, monkeypatch):
    monkeypatch.setattr(isolation, "_HARMLESS", "poison judge crash")
    question = new_question(sqlite_store, ["poison judge crash", "a"])
    job = grade(sqlite_store, question, machine)
    assert job.state == "failed"
    assert "question and its references" in job.error


def test_a_class_that_is_too_much_as_a_whole_fails_with_advice(sqlite_store, machine):
    question = new_question(sqlite_store, ["poison judge crowd", *HEALTHY[:12]])
    job = grade(sqlite_store, question, machine)
    assert job.state == "failed"
    assert "the class as a whole" in job.error


def test_a_search_does_not_go_on_for_ever(sqlite_store, machine, monkeypatch):
    monkeypatch.setattr(isolation, "_MOST_FAILURES", 3)
    question = asked(sqlite_store, new_question(sqlite_store, ["a"]))
    judged = machine.judge(question, [f"poison judge crash {n}" for n in range(8)], [None] * 8)
    assert [one.reason for one in judged] == [Reason.UNREAD] * 8


def test_equal_answers_are_tried_once(sqlite_store, machine, monkeypatch):
    question = asked(sqlite_store, new_question(sqlite_store, ["a"]))
    failures = []
    call = LimitedProcess.call

    def counted(self, *given, **options):
        try:
            return call(self, *given, **options)
        except FailedError as failure:
            failures.append(failure)
            raise

    monkeypatch.setattr(LimitedProcess, "call", counted)
    judged = machine.judge(question, ["poison judge crash"] * 50 + ["a"], [None] * 51)
    assert [one.reason for one in judged] == [Reason.UNREAD] * 50 + [None]
    assert len(failures) <= 5


def broken():
    os._exit(1)


def test_models_that_cannot_be_loaded_are_told_as_that(caplog):
    process = LimitedProcess(broken)
    with pytest.raises(limited.NotReadyError, match="could not be loaded"):
        process.call("judge", seconds=1)


@limits
def test_memory_is_limited_in_the_process_and_nowhere_else():
    process = LimitedProcess(PoisonedMachine, memory=MEMORY)
    with pytest.raises(FailedError) as failed:
        process.call("group", ["poison group eat"], seconds=10)
    assert failed.value.why is Failure.MEMORY
    assert len(bytearray(10**9)) == 10**9
    process.close()


@pytest.mark.slow
def test_a_worker_process_completes_a_poisoned_job(sqlite_store, sqlite_file, caplog):
    caplog.set_level(logging.CRITICAL)
    question = new_question(sqlite_store, ["poison explain die", "a"])
    job = jobs.enqueue(sqlite_store, "grade", question)
    with worker.running_worker(Settings(sqlite_file), PoisonedMachine):
        end = time.monotonic() + 30
        while jobs.get_job(sqlite_store, job).state != "done":
            assert time.monotonic() < end
            time.sleep(0.02)
    assert jobs.get_job(sqlite_store, job).done == 2
