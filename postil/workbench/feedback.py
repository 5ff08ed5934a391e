"""What a student sees of their own answers: one sheet, the same by link, on paper and in the preview.

A sheet has the question, the answer, the label that a person decided, the points if the teacher shows them,
and the note to the student. It has no reference, no teacher's note, no confidence, and nobody else's words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from postil.workbench.exports import feedback, points_of
from postil.workbench.records import Question, View
from postil.workbench.store.feedback import CHANGED, SecondLook, Showing, Student


@dataclass(frozen=True, slots=True)
class Feedback:
    """One answer as its student sees it; without `points` where the teacher shows none."""

    number: int  # of the question in the course
    question: str
    answer_id: int
    answer: str
    label: str
    points: float | None
    out_of: float | None
    note: str
    looks: tuple[SecondLook, ...] = ()

    @property
    def waits(self) -> bool:
        """Whether a request for a second look waits for the teacher."""
        return any(look.answered is None for look in self.looks)

    @property
    def changed(self) -> bool:
        """Whether the teacher's last reply changed the grade."""
        return bool(self.looks) and self.looks[-1].outcome == CHANGED


@dataclass(frozen=True, slots=True)
class FeedbackSheet:
    """All that one student sees of a course; `left` counts their answers that are not decided yet."""

    course: str
    student: str
    key: str
    items: tuple[Feedback, ...]
    left: int = 0

    @property
    def name(self) -> str:
        """Whose sheet it is."""
        return self.student or self.key

    @property
    def points(self) -> tuple[float, float] | None:
        """The sum of the points that are shown, and of how many; None where none are."""
        shown = [(item.points, item.out_of) for item in self.items if item.points is not None]
        if not shown:
            return None
        return round(sum(points for points, _ in shown), 2), sum(out_of or 0.0 for _, out_of in shown)


def sheet_of(
    course: str,
    student: Student,
    showing: Showing,
    questions: Sequence[Question],
    views: Mapping[int, View],
    looks: Iterable[SecondLook] = (),
) -> FeedbackSheet:
    """What a student sees; `views` are answers by number, and only theirs that a person decided are shown."""
    asked: dict[int, list[SecondLook]] = {}
    for look in looks:
        asked.setdefault(look.answer_id, []).append(look)
    own = {views[id].answer.question_id: views[id] for id in student.answers if id in views}
    items = tuple(
        Feedback(
            number,
            question.text,
            view.answer.id,
            view.answer.text,
            view.decision.label,
            points_of(question, view) if showing.points else None,
            question.points if showing.points else None,
            feedback(view),
            tuple(asked.get(view.answer.id, ())),
        )
        for number, question in enumerate(questions, 1)
        if (view := own.get(question.id)) and view.decision
    )
    return FeedbackSheet(course, student.student, student.key, items, len(student.answers) - len(items))
