"""The judge without a model, put in the grader's place in every worker of a Ray cluster."""

from __future__ import annotations

import os
import time
from pathlib import Path

from stub_judge_engine import StubJudge

from postil.batch import parts, worker

RAISES = "this one raises"  # an answer that makes the judge fail; "poison" ends its process
SMALL = 80_000_000  # bytes of shared memory for a node: containers have little
# Settings of the workers, which inherit the environment of who starts the cluster.
NOTES, PAUSE, DOOMED = "POSTIL_STUB_NOTES", "POSTIL_STUB_PAUSE", "POSTIL_STUB_DOOMED"
CARRIES = "POSTIL_STUB_CARRIES"  # a file that names the node with the expert reader's model
PATIENCE = 90.0  # seconds that a worker waits for something


class RayJudge(StubJudge):
    """Says in the notes that it begins. On the doomed node it never ends; the others wait for that."""

    def grade_many(self, questions, *, explain=False):
        doomed = os.environ.get(DOOMED, "")
        is_doomed = bool(doomed) and node() == Path(doomed).read_text()
        with Path(self.notes).open("a") as notes:
            notes.write(f"{os.getpid()} {'is doomed' if is_doomed else 'begins'}\n")
        if is_doomed:
            time.sleep(PATIENCE)
        elif doomed:
            wait_for_doomed(self.notes)
        for question, judgements in super().grade_many(questions, explain=explain):
            if any(answer.text == RAISES for answer in question.answers):
                raise RuntimeError(RAISES)
            yield question, judgements


def install():
    """Put the judge in its place; every worker of the cluster calls this first."""
    judge = RayJudge(float(os.environ.get(PAUSE, "0")), os.environ[NOTES])
    worker.load_judge = lambda *_: judge.grade_many


class PlacedJudge(StubJudge):
    """Says in the notes which node it is on."""

    def grade_many(self, questions, *, explain=False):
        with Path(os.environ[NOTES]).open("a") as notes:
            notes.write(f"{node()}\n")
        yield from super().grade_many(questions, explain=explain)


def install_placed():
    """Put the judge in its place, and what nodes say of the reader: only one of them has its file."""
    judge = PlacedJudge()
    worker.load_judge = lambda *_: judge.grade_many
    parts.missing_of = lambda _: "" if _carries() else "the expert reader's model is another file."


def _carries():
    return node() == Path(os.environ[CARRIES]).read_text()


def node():
    """The node that this worker is on."""
    import ray

    return ray.get_runtime_context().get_node_id()


def wait_for_doomed(notes):
    """Wait until the doomed node has something in hand."""
    end = time.monotonic() + PATIENCE
    while "is doomed" not in Path(notes).read_text() and time.monotonic() < end:
        time.sleep(0.05)
