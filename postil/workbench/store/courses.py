"""Courses: make, list, rename and delete them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import Select, delete, func, or_, select
from sqlalchemy.orm import Session

from postil.errors import PostilError
from postil.workbench.records import LOCAL, Course, Person
from postil.workbench.store.accounts import demand_heir
from postil.workbench.store.database import Store, forget_deleted
from postil.workbench.store.rows import storable
from postil.workbench.store.tables import AccountRow, AnswerRow, CourseRow, MemberRow, QuestionRow, now

_LONGEST_NAME = 200


def list_courses(store: Store, person: Person = LOCAL) -> list[Course]:
    """The courses that a person may see, the newest first: their own and those shared with them."""
    wanted = _counted().order_by(CourseRow.id.desc())
    if person.id is not None:
        shared = select(MemberRow.course_id).where(MemberRow.account_id == person.id)
        wanted = wanted.where(or_(CourseRow.owner_id == person.id, CourseRow.id.in_(shared)))
    with store.reading() as session:
        rows = session.execute(wanted).all()
    return [_record(*row) for row in rows]


def create_course(store: Store, name: str, owner: int | None = None) -> int:
    """Make a course and return its number; the one person of `--local` makes them without an owner."""
    row = CourseRow(name=_demanded(name), created=now(), owner_id=owner)
    with store.writing() as session:
        if owner is not None:
            demand_heir(session, owner)
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
        lock_course(session, course_id).name = name


def delete_course(store: Store, course_id: int) -> None:
    """Delete a course and everything in it: questions, answers, judgements, decisions and jobs."""
    with store.writing() as session:
        demand_course(session, course_id)
        session.execute(delete(CourseRow).where(CourseRow.id == course_id))
    forget_deleted(store)


def course_names(store: Store, course_ids: Collection[int]) -> dict[int, str]:
    """What courses are called, by their numbers; those that were deleted are left out."""
    wanted = select(CourseRow.id, CourseRow.name).where(CourseRow.id.in_(course_ids))
    with store.reading() as session:
        return {row.id: row.name for row in session.execute(wanted)}


def demand_course(session: Session, course_id: int) -> CourseRow:
    """The row of a course that must be there."""
    row = session.get(CourseRow, course_id)
    if row is None:
        raise gone()
    return row


def lock_course(session: Session, course_id: int) -> CourseRow:
    """The row of a course that must be there, which nobody else changes until this is done."""
    wanted = select(CourseRow).where(CourseRow.id == course_id)
    row = session.scalars(wanted.with_for_update(key_share=True)).one_or_none()
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
    counts = questions.scalar_subquery(), answers.scalar_subquery()
    return select(CourseRow, AccountRow, *counts).outerjoin(AccountRow, AccountRow.id == CourseRow.owner_id)


def _record(row: CourseRow, owner: AccountRow | None, questions: int, answers: int) -> Course:
    whose = None if owner is None else Person(owner.id, owner.login, owner.name, owner.role)
    return Course(row.id, row.name, row.created, questions, answers, whose)


def _demanded(name: str) -> str:
    name = " ".join(storable(name).split())
    if not name:
        raise PostilError("a course needs a name.", hint="Write one, such as 'Physics 7b'.")
    if len(name) > _LONGEST_NAME:
        raise PostilError(f"a course's name has at most {_LONGEST_NAME} characters.", hint="Shorten it.")
    return name
