"""Stands in for the real grader: judges by length alone, slowly or not."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace
from pathlib import Path

from postil.data.judgements import (
    EXPRESSED,
    UNADDRESSED,
    AlignedPair,
    Explanation,
    FacetOutcome,
    Judgement,
    collapsed,
)
from postil.workbench.groups import group_texts

LABELS = ("correct", "partially_correct_incomplete", "contradictory", "irrelevant", "non_domain")


@dataclass(frozen=True)
class StubMachine:
    pause: float = 0.0

    def missing(self, reader):
        return ""

    def judge(self, question, answers, decided, strictness="normal", lessons=(), reader=None):
        time.sleep(self.pause)
        # A label that somebody gave is heard by all.
        heard = next((label for label in decided if label), None)
        return [_judgement(heard or LABELS[len(answer) % 5], question.references[0]) for answer in answers]

    def explain(self, question, answers, judgements):
        time.sleep(self.pause)
        return [
            replace(one, explanation=_explanation(question, answer, one.reference))
            for answer, one in zip(answers, judgements, strict=True)
        ]

    def propose(self, question, answers, count, strictness="normal", lessons=(), reader=None):
        return list(range(min(count, len(answers))))[::-1]

    def facets(self, question):
        return question.references[0].rstrip(".").split(" is ")

    def group(self, answers):
        return group_texts(answers)


def _judgement(label, reference):
    five = dict.fromkeys(LABELS, 0.1) | {label: 0.6}
    return Judgement({"5way": label}, collapsed(five), five["correct"], 0.6, reference=reference)


def _explanation(question, answer, reference):
    """An answer says a facet if it has its words."""
    found = tuple(
        FacetOutcome(one, EXPRESSED if one.first in answer else UNADDRESSED, 0.8, (one.first,))
        for one in question.facets or ()
    )
    return Explanation(_pair(answer, reference), f"On {answer}.", "Well.", found)


def _pair(answer, reference):
    return AlignedPair("1", tuple(answer.split()), tuple(reference.split()))


def quick() -> StubMachine:
    return StubMachine()


def slow() -> StubMachine:
    return StubMachine(0.05)


@dataclass(frozen=True)
class WritingMachine(StubMachine):
    """Writes down who explained which answer: a line for each, with the number of the process."""

    notes: Path = Path("notes")

    def explain(self, question, answers, judgements):
        lines = "".join(f"{os.getpid()} {question.id} {answer}\n" for answer in answers)
        with self.notes.open("a") as notes:  # whole lines: others write, too
            notes.write(lines)
        return super().explain(question, answers, judgements)


def writing(notes: Path) -> StubMachine:
    return WritingMachine(0.02, notes)


@dataclass(frozen=True)
class PoisonedMachine(StubMachine):
    """Does what answers like `poison judge die` say; a label depends on how many answers are judged."""

    def judge(self, question, answers, decided, strictness="normal", lessons=(), reader=None):
        _swallow("judge", answers)
        _swallow("judge", [answer.text for lesson in lessons for answer in lesson.answers])
        longer = [answer + "x" * (len(answers) % 5) for answer in answers]
        return super().judge(question, longer, decided, strictness, lessons, reader)

    def explain(self, question, answers, judgements):
        _swallow("explain", answers)
        return super().explain(question, answers, judgements)

    def propose(self, question, answers, count, *more):
        _swallow("propose", answers)
        return super().propose(question, answers, count, *more)

    def facets(self, question):
        _swallow("facets", question.references)
        return super().facets(question)

    def group(self, answers):
        _swallow("group", answers)
        return super().group(answers)


def _swallow(stage, texts):
    for text in texts:
        match text.split():
            case ["poison", where, "die", *_] if where in (stage, "all"):
                os._exit(1)
            case ["poison", where, "sleep"] if where in (stage, "all"):
                time.sleep(60)
            case ["poison", where, "eat"] if where in (stage, "all"):
                bytearray(10**9)
            case ["poison", where, "crash", *_] if where in (stage, "all"):
                raise ValueError(text)
            case ["poison", where, "once", name] if where == stage and not Path(name).exists():
                Path(name).touch()
                os._exit(1)
            case ["poison", where, "crowd"] if where == stage and len(texts) > 10:
                raise MemoryError
