"""A poisoned class whose worker and judging process are killed meanwhile: nothing healthy is lost.

`benchmarks/hostile_jobs.py` does the same at full size, with the shipped grader.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from processes import quick_context, start_process
from sqlalchemy import text
from stub_machine import PoisonedMachine

from postil.batch import processes
from postil.data.judgements import Reason
from postil.workbench.jobs import worker
from postil.workbench.jobs.isolation import IsolatedMachine
from postil.workbench.records import NewAnswer
from postil.workbench.store import answers, courses, jobs

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="the system has no such limits"),
]

HEALTHY = [f"answer {number} " + "word " * (number % 7) for number in range(56)]
POISON = ["poison judge die", "poison judge eat", "poison judge crash", "poison explain die"]
HARMLESS = "harmless 12345 die"  # as long as the last, which is judged with the class and cannot be explained
MEMORY = 500  # megabytes, less than the poison takes
BATCH, PAUSE, STALE = 4, 0.1, 0.5


@dataclass(frozen=True)
class NotingMachine(PoisonedMachine):
    """Writes down which process judges, so that it can be killed."""

    notes: Path = Path("pid")

    def judge(self, question, answers, decided, *more):
        self._note()
        return super().judge(question, answers, decided, *more)

    def explain(self, question, answers, judgements):
        self._note()
        return super().explain(question, answers, judgements)

    def _note(self):
        part = self.notes.with_suffix(".part")
        part.write_text(str(os.getpid()))
        part.rename(self.notes)


def labour(database, notes):
    """What the worker's process does."""
    processes._CONTEXT = quick_context()
    machine = IsolatedMachine(partial(NotingMachine, PAUSE, notes), memory=MEMORY, beginning=5)
    worker.work(database, lambda: machine, name=f"worker {os.getpid()}", stale=STALE, batch=BATCH)


def new_job(store, texts):
    course = courses.create_course(store, "Physics")
    question = courses.create_question(store, course, "Why is it lit?", ["The path is closed."], 1)
    answers.add_answers(store, question, [NewAnswer(str(n), "", given) for n, given in enumerate(texts)])
    return question, jobs.enqueue(store, "grade", question)


def judged(store, question):
    """What is stored about each answer, and when it was judged, by the answer's text; every row counts."""
    query = """
        SELECT answer.text, made, label, probabilities, score, deferred, reason, teacher
        FROM judgement JOIN answer ON answer.id = answer_id WHERE question_id = :question
    """
    with store.reading() as session:
        rows = session.execute(text(query), {"question": question}).all()
    assert len({row[0] for row in rows}) == len(rows)
    return {row[0]: (row[1], tuple(row[2:])) for row in rows}


@pytest.fixture
def start(sqlite_file, tmp_path):
    """A function that starts a worker; what is left is killed at the end."""
    started = []

    def begin():
        started.append(start_process(labour, sqlite_file, tmp_path / "pid", daemon=False))
        return started[-1]

    yield begin
    for process in started:
        process.kill()
        process.join()


def test_kills_and_poison_together_change_nothing_healthy(sqlite_store, start, tmp_path):
    chosen = random.Random(22)
    mixed = [*HEALTHY, *POISON]
    chosen.shuffle(mixed)
    question, job = new_job(sqlite_store, mixed)
    notes, running = tmp_path / "pid", start()
    # Not its process twice in a row: an answer that is hit both times that it is tried alone is given up.
    targets = ["process", "worker", "process"]
    kept: dict[str, object] = {}
    again, end = 0.0, time.monotonic() + 120
    while (state := jobs.get_job(sqlite_store, job)).state != "done":
        assert state.state != "failed", state.error
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.01)
        if not targets or not notes.exists() or time.monotonic() < again:
            continue
        if not again:  # from here on somebody works
            again = time.monotonic() + chosen.uniform(0, 1)
            continue
        if targets.pop() == "worker":
            os.kill(running.pid, signal.SIGKILL)
            running.join()
            kept |= judged(sqlite_store, question)
            notes.unlink()
            running = start()
        else:
            kept |= judged(sqlite_store, question)
            with suppress(ProcessLookupError):
                os.kill(int(notes.read_text()), signal.SIGKILL)
        again = 0.0
    assert targets == []
    assert (state.done, state.total, state.error) == (60, 60, "")
    stored = judged(sqlite_store, question)
    assert {given: stored[given] for given in kept} == kept  # not judged a second time
    running.kill()  # or it might take the next job as well
    running.join()
    undisturbed, other = new_job(sqlite_store, [*HEALTHY, HARMLESS])
    worker.do(sqlite_store, jobs.lease_job(sqlite_store, "w"), PoisonedMachine(), batch=BATCH)
    assert jobs.get_job(sqlite_store, other).state == "done"
    expected = judged(sqlite_store, undisturbed)
    assert {given: stored[given][1] for given in HEALTHY} == {given: expected[given][1] for given in HEALTHY}
    left = {given: stored[given][1] for given in POISON}
    assert all(row[3] for row in left.values())  # deferred
    assert [left[given][4] for given in POISON] == [Reason.UNREAD.value] * 3 + [Reason.UNEXPLAINED.value]
    assert left[POISON[-1]][0] == expected[HARMLESS][1][0]  # it keeps the label
