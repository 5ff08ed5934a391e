"""A judge without a model for the tests of engines: what an answer's length says, slowly if asked to."""

from __future__ import annotations

import os
import time
from pathlib import Path

from postil.data.judgements import Judgement, collapsed

LABELS = ("correct", "partially_correct_incomplete", "contradictory", "irrelevant", "non_domain")


class StubJudge:
    """Labels by length; notes each window that it judges in a file, a line each."""

    def __init__(self, pause: float = 0.0, notes: str = "") -> None:
        self.pause, self.notes = pause, notes

    def grade_many(self, questions, *, explain=False):
        for question in questions:
            time.sleep(self.pause * len(question.answers))
            if self.notes:
                with Path(self.notes).open("a") as notes:
                    notes.write(f"{os.getpid()} {len(question.answers)}\n")
            if any(answer.text == "poison" for answer in question.answers):
                os._exit(9)
            yield question, [judged(answer.text, len(question.answers)) for answer in question.answers]


def judged(text: str, class_size: int = 0) -> Judgement:
    label = LABELS[len(text) % 5]
    five = dict.fromkeys(LABELS, 0.1) | {label: 0.6}
    labels = {"5way": label, "3way": "correct" if label == "correct" else "incorrect", "2way": "correct"}
    # The size of the class is told, so that a row judged in another company shows.
    return Judgement(labels, collapsed(five), class_size / 10_000, 0.6, deferred=len(text) % 7 == 0)


def install(pause: float = 0.0, notes: str = "") -> None:
    """Put the stub in the place of the grader, in this process."""
    from postil.batch import worker

    judge = StubJudge(pause, notes)
    worker.load_judge = lambda *_: judge.grade_many
