"""The shipped grader as the machine of the workbench's jobs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from postil.data.judgements import Judgement, Reason
from postil.grader import explain_class, grade_class, load, make_question
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
        asked = make_question(question.text, question.references)
        told = {place: label for place, label in enumerate(decided) if label is not None}
        judgements = grade_class(asked, answers, [(answers[place], label) for place, label in told.items()])
        alone = grade_class(asked, [answers[place] for place in told])
        for place, judgement in zip(told, alone, strict=True):
            judgements[place] = judgement
        return judgements

    def explain(
        self, question: Question, answers: Sequence[str], judgements: Sequence[Judgement]
    ) -> list[Judgement]:
        """Explain the judgements, with the answers as the grader read them.

        Where a label was only repeated after a person there is nothing to explain; but where a teacher set
        claims, these have to be looked for there as well: the answer may earn a part.
        """
        asked = make_question(question.text, question.references)
        untold = judgements if question.facets is None else [_untold(one, question) for one in judgements]
        explained = explain_class(asked, answers, untold, question.facets)
        return [
            replace(judgement, explanation=other.explanation) if judgement.reason is Reason.TOLD else other
            for judgement, other in zip(judgements, explained, strict=True)
        ]

    def propose(self, question: Question, answers: Sequence[str], count: int) -> list[int]:
        """The answers that tell the grader most about the others."""
        return load().propose(question.text, question.references, answers, count)

    def facets(self, question: Question) -> list[str]:
        """The points of the first reference."""
        asked, reference = analyse_many([question.text, question.references[0]])
        return [point.facet.first for point in find_points(reference, asked)]

    def group(self, answers: Sequence[str]) -> list[int]:
        """Groups of answers that say the same in the same words."""
        return group_texts(answers)


def _untold(judgement: Judgement, question: Question) -> Judgement:
    if judgement.reason is not Reason.TOLD:
        return judgement
    return replace(judgement, reason=None, because="", reference=question.references[0])
