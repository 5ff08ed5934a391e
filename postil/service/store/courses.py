"""Courses: make, list, rename and delete them."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, delete, func, select
from sqlalchemy.orm import Session

from postil.errors import PostilError
from postil.service.records import Course
from postil.service.store.database import Store, forget_deleted
from postil.service.store.kept import storable
from postil.service.store.tables import AnswerRow, CourseRow, QuestionRow, now

_LONGEST_NAME = 200


def list_courses(store: Store) -> list[Course]:
    """All courses, the newest first."""
    with store.reading() as session:
        rows = session.execute(_counted().order_by(CourseRow.id.desc())).all()
    return [_record(*row) for row in rows]


def create_course(store: Store, name: str) -> int:
    """Make a course and return its number."""
    row = CourseRow(name=_demanded(name), created=now())
    with store.writing() as session:
        session.add(row)
        session.flush()
        return row.id


def get_course(store: Store, course_id: int) -> Course:
    """One course."""
    with store.reading() as session:
        row = session.execute(_counted().where(CourseRow.id == course_id)).one_or_none()
    if row is None:
        raise gone()
    return _record(*row)


def rename_course(store: Store, course_id: int, name: str) -> None:
    """Give a course another name."""
    name = _demanded(name)
    with store.writing() as session:
        demand_course(session, course_id).name = name


def delete_course(store: Store, course_id: int) -> None:
    """Delete a course and everything in it: questions, answers, judgements, decisions and jobs."""
    with store.writing() as session:
        demand_course(session, course_id)
        session.execute(delete(CourseRow).where(CourseRow.id == course_id))
    forget_deleted(store)


def demand_course(session: Session, course_id: int) -> CourseRow:
    """The row of a course that must be there."""
    row = session.get(CourseRow, course_id)
    if row is None:
        raise gone()
    return row


def gone() -> PostilError:
    """Say that a course is not there."""
    return PostilError("this course is not there.", hint="It may have been deleted in another window.")


def _counted() -> Select[Any]:
    questions = select(func.count()).where(QuestionRow.course_id == CourseRow.id)
    answers = (
        select(func.count())
        .select_from(AnswerRow)
        .join(QuestionRow, AnswerRow.question_id == QuestionRow.id)
        .where(QuestionRow.course_id == CourseRow.id)
    )
    return select(CourseRow, questions.scalar_subquery(), answers.scalar_subquery())


def _record(row: CourseRow, questions: int, answers: int) -> Course:
    return Course(row.id, row.name, row.created, questions, answers)


def _demanded(name: str) -> str:
    name = " ".join(storable(name).split())
    if not name:
        raise PostilError("a course needs a name.", hint="Write one, such as 'Physics 7b'.")
    if len(name) > _LONGEST_NAME:
        raise PostilError(f"a course's name has at most {_LONGEST_NAME} characters.", hint="Shorten it.")
    return name
