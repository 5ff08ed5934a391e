"""The shipped grader as the machine of the workbench's jobs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from postil.data import questions
from postil.data.judgements import Judgement
from postil.explain.judged import explained
from postil.grader import TOLD, Grader, as_read, load, shortened
from postil.grading.claims import find_points
from postil.language.pipeline import analyse_many
from postil.workbench.groups import group_texts
from postil.workbench.records import Question


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
        """Explain the judgements, with the answers as the grader read them.

        Where a label was only repeated after a person there is nothing to explain; but where a teacher set
        facets, these have to be looked for there, too: the answer may earn a part.
        """
        read = as_read(question.text, question.references, [shortened(answer) for answer in answers])
        asked = judgements if question.facets is None else [_untold(one, question) for one in judgements]
        found = explained(question.text, read, asked, question.facets)
        return [
            replace(one, explanation=its.explanation) if one.because == TOLD else its
            for one, its in zip(judgements, found, strict=True)
        ]

    def propose(self, question: Question, answers: Sequence[str], count: int) -> list[int]:
        """The answers that tell the grader most about the others."""
        return load().propose(question.text, question.references, answers, count)

    def facets(self, question: Question) -> list[str]:
        """The points of the first reference."""
        asked, reference = analyse_many([question.text, question.references[0]])
        return [found.facet.first for found in find_points(reference, asked)]

    def group(self, answers: Sequence[str]) -> list[int]:
        """Groups of answers that say the same in the same words."""
        return group_texts(answers)


def _untold(judgement: Judgement, question: Question) -> Judgement:
    if judgement.because != TOLD:
        return judgement
    return replace(judgement, because="", reference=question.references[0])


def _judge(grader: Grader, question: Question, answers: Sequence[str]) -> list[Judgement]:
    if not answers:
        return []
    asked = questions.Question(
        id=str(question.id),
        text=question.text,
        references=tuple(questions.Reference(str(n), text) for n, text in enumerate(question.references)),
        answers=tuple(questions.Answer(str(n), text) for n, text in enumerate(answers)),
    )
    [(_, judged)] = grader.grade_many([asked])
    return judged
