"""Courses: make, list, rename and delete them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import Select, delete, func, or_, select
from sqlalchemy.orm import Session

from postil.errors import PostilError
from postil.workbench.records import LOCAL, Course, Person
from postil.workbench.store.accounts import demand_heir, person_of
from postil.workbench.store.database import Store, forget_deleted
from postil.workbench.store.rows import demand, storable
from postil.workbench.store.tables import AccountRow, AnswerRow, CourseRow, MemberRow, QuestionRow, now

_LONGEST_NAME = 200


def list_courses(store: Store, person: Person = LOCAL) -> list[Course]:
    """The courses that a person may see, the newest first: their own and those shared with them."""
    query = _counted().order_by(CourseRow.id.desc())
    if person.id is not None:
        shared = select(MemberRow.course_id).where(MemberRow.account_id == person.id)
        query = query.where(or_(CourseRow.owner_id == person.id, CourseRow.id.in_(shared)))
    with store.reading() as session:
        return [_record(*row) for row in session.execute(query)]


def create_course(store: Store, name: str, owner: int | None = None) -> int:
    """Make a course and return its number; the one person of `--local` makes them without an owner."""
    row = CourseRow(name=_demand_name(name), created=now(), owner_id=owner)
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
    return _record(*demand(row, "course"))


def rename_course(store: Store, course_id: int, name: str) -> None:
    """Give a course another name."""
    name = _demand_name(name)
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
    query = select(CourseRow.id, CourseRow.name).where(CourseRow.id.in_(course_ids))
    with store.reading() as session:
        return {row.id: row.name for row in session.execute(query)}


def demand_course(session: Session, course_id: int) -> CourseRow:
    """The row of a course, which must exist."""
    return demand(session.get(CourseRow, course_id), "course")


def lock_course(session: Session, course_id: int) -> CourseRow:
    """The row of a course, which must exist, and which nobody else changes until this transaction ends."""
    query = select(CourseRow).where(CourseRow.id == course_id)
    return demand(session.scalars(query.with_for_update(key_share=True)).one_or_none(), "course")


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
    person = None if owner is None else person_of(owner)
    return Course(row.id, row.name, row.created, questions, answers, person)


def _demand_name(name: str) -> str:
    name = " ".join(storable(name).split())
    if not name:
        raise PostilError("a course needs a name.", hint="Write one, such as 'Physics 7b'.")
    if len(name) > _LONGEST_NAME:
        raise PostilError(f"a course's name can have at most {_LONGEST_NAME} characters.", hint="Shorten it.")
    return name
