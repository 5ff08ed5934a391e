"""Questions: make, list, change and delete them."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

from sqlalchemy import Select, delete, func, select
from sqlalchemy.orm import Session

from postil.errors import PostilError
from postil.service.records import Question
from postil.service.store.courses import demand_course
from postil.service.store.database import Store, forget_deleted
from postil.service.store.kept import facets_of, storable
from postil.service.store.tables import AnswerRow, DecisionRow, JobRow, JudgementRow, QuestionRow, now

_LONGEST_TEXT = 5_000
_MOST_REFERENCES = 50
_MOST_POINTS = 1_000_000


def list_questions(store: Store, course_id: int) -> list[Question]:
    """The questions of a course, in the order in which they were made."""
    with store.reading() as session:
        demand_course(session, course_id)
        wanted = _counted().where(QuestionRow.course_id == course_id).order_by(QuestionRow.id)
        return [_record(*row) for row in session.execute(wanted)]


def create_question(store: Store, course_id: int, text: str, references: Sequence[str], points: float) -> int:
    """Make a question and return its number."""
    row = QuestionRow(course_id=course_id, created=now(), **_demanded(text, references, points))
    with store.writing() as session:
        demand_course(session, course_id)
        session.add(row)
        session.flush()
        return row.id


def get_question(store: Store, question_id: int) -> Question:
    """One question."""
    with store.reading() as session:
        row = session.execute(_counted().where(QuestionRow.id == question_id)).one_or_none()
    if row is None:
        raise gone()
    return _record(*row)


def edit_question(
    store: Store, question_id: int, text: str, references: Sequence[str], points: float
) -> None:
    """Change a question.

    What the machine said of its answers was about the old text and the old references: where these change,
    its judgements and jobs are forgotten. Decisions and the teacher's facets stay. Other blanks alone are no
    change: forms make them.
    """
    columns = _demanded(text, references, points)
    with store.writing() as session:
        row = demand_question(session, question_id)
        row.points = columns["points"]
        before, after = [row.text, *row.reference_texts], [columns["text"], *columns["reference_texts"]]
        if [one.split() for one in before] != [one.split() for one in after]:
            session.execute(delete(JobRow).where(JobRow.question_id == question_id))  # and what they made
            row.text, row.reference_texts = columns["text"], columns["reference_texts"]


def delete_question(store: Store, question_id: int) -> None:
    """Delete a question and everything that belongs to it."""
    with store.writing() as session:
        demand_question(session, question_id)
        session.execute(delete(QuestionRow).where(QuestionRow.id == question_id))
    forget_deleted(store)


def demand_question(session: Session, question_id: int) -> QuestionRow:
    """The row of a question that must be there."""
    row = session.get(QuestionRow, question_id)
    if row is None:
        raise gone()
    return row


def gone() -> PostilError:
    """Say that a question is not there."""
    return PostilError("this question is not there.", hint="It may have been deleted in another window.")


def _counted() -> Select[Any]:
    own = AnswerRow.question_id == QuestionRow.id
    answers = select(func.count()).select_from(AnswerRow).where(own)
    judged = answers.join(JudgementRow, JudgementRow.answer_id == AnswerRow.id)
    decided = select(func.count()).where(DecisionRow.question_id == QuestionRow.id, DecisionRow.standing)
    counts = (one.correlate(QuestionRow).scalar_subquery() for one in (answers, judged, decided))
    return select(QuestionRow, *counts)


def _record(row: QuestionRow, answers: int, judged: int, decided: int) -> Question:
    return Question(
        id=row.id,
        course_id=row.course_id,
        text=row.text,
        references=tuple(row.reference_texts),
        points=row.points,
        created=row.created,
        answers=answers,
        judged=judged,
        decided=decided,
        facets=facets_of(row.facets),
    )


def _demanded(text: str, references: Sequence[str], points: float) -> dict[str, Any]:
    """The columns of a question that can be graded, or what is wrong with it."""
    text = storable(text).strip()
    given = [one for one in (storable(reference).strip() for reference in references) if one]
    if not text:
        raise PostilError("a question needs a text.", hint="Write what was asked.")
    if not given:
        raise PostilError("there is no reference to compare with.", hint="Give at least one right answer.")
    if max(map(len, (text, *given))) > _LONGEST_TEXT:
        what = f"a question and its references have at most {_LONGEST_TEXT:,} characters each."
        raise PostilError(what, hint="Shorten the longest.")
    if len(given) > _MOST_REFERENCES:
        raise PostilError(f"a question has at most {_MOST_REFERENCES} references.", hint="Keep the best.")
    if not (isfinite(points) and 0 < points <= _MOST_POINTS):
        raise PostilError("the points must be a number above 0.", hint="Most questions give 1 to 10 points.")
    return {"text": text, "reference_texts": given, "points": float(points)}
