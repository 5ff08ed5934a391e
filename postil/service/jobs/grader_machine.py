"""The shipped grader as the machine of the workbench's jobs."""

from __future__ import annotations

from collections.abc import Sequence

from postil.corpora import responses
from postil.explain.judged import explained
from postil.grader import Grader, as_read, load, shortened
from postil.models.responses.judgement import Judgement
from postil.service.records import Question


class GraderMachine:
    """Makes a new grader for every class: one that lives on would remember decisions that were undone."""

    def judge(
        self, question: Question, answers: Sequence[str], decided: Sequence[str | None]
    ) -> list[Judgement]:
        """Judge the class by what was decided, and the decided answers as if nobody had told.

        Of these the grader would only repeat the label; what it says by itself shows how far to trust it.
        """
        grader = load()
        told = {place: label for place, label in enumerate(decided) if label is not None}
        grader.remember(
            question.text, question.references, [(answers[place], label) for place, label in told.items()]
        )
        judged = _judge(grader, question, answers)
        alone = _judge(load(), question, [answers[place] for place in told])
        for place, judgement in zip(told, alone, strict=True):
            judged[place] = judgement
        return judged

    def explain(
        self, question: Question, answers: Sequence[str], judgements: Sequence[Judgement]
    ) -> list[Judgement]:
        """Explain the judgements, with the answers as the grader read them."""
        read = as_read(question.text, question.references, [shortened(answer) for answer in answers])
        return explained(question.text, read, judgements)

    def propose(self, question: Question, answers: Sequence[str], count: int) -> list[int]:
        """The answers that tell the grader most about the others."""
        return load().propose(question.text, question.references, answers, count)


def _judge(grader: Grader, question: Question, answers: Sequence[str]) -> list[Judgement]:
    if not answers:
        return []
    asked = responses.Question(
        id=str(question.id),
        text=question.text,
        references=tuple(responses.Reference(str(n), text) for n, text in enumerate(question.references)),
        answers=tuple(responses.Answer(str(n), text) for n, text in enumerate(answers)),
    )
    [(_, judged)] = grader.grade_many([asked])
    return judged
