"""The machine that jobs work with: judges a class, explains judgements, proposes what to label first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from postil.data.judgements import Judgement
from postil.workbench.records import Question


class Machine(Protocol):
    """What a job needs of a grader; tests put a simple one in its place."""

    def judge(
        self, question: Question, answers: Sequence[str], decided: Sequence[str | None]
    ) -> list[Judgement]:
        """Judge a whole class; `decided` has the label that a person gave, answer by answer, or None."""
        ...

    def explain(
        self, question: Question, answers: Sequence[str], judgements: Sequence[Judgement]
    ) -> list[Judgement]:
        """Give some of the judgements their explanation, with what became of the question's facets."""
        ...

    def propose(self, question: Question, answers: Sequence[str], count: int) -> list[int]:
        """The places of the answers to label first."""
        ...

    def facets(self, question: Question) -> list[str]:
        """What a full answer says, in the words of the first reference."""
        ...

    def group(self, answers: Sequence[str]) -> list[int]:
        """Answer by answer the number of its group: like answers have the same."""
        ...


LoadMachine = Callable[[], Machine]


def load_machine() -> Machine:
    """The grader that ships; only this imports what is slow to import."""
    from postil.workbench.jobs.grader_machine import GraderMachine

    return GraderMachine()
