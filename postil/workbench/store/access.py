"""Who may do what in a course: its owner, and those with whom it is shared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, delete, null, select

from postil.errors import PostilError
from postil.workbench.people import ASSISTANT, SHARED, Level, Member, Person
from postil.workbench.store.accounts import demand_account, demand_heir, give, hold_account, person_of
from postil.workbench.store.courses import demand_course, lock_course
from postil.workbench.store.database import Store
from postil.workbench.store.tables import (
    AccountRow,
    AnswerRow,
    CourseRow,
    JobRow,
    MemberRow,
    QuestionRow,
    RoundRow,
    now,
)

_NAMES = {level: name for name, level in SHARED.items()}
_LARGEST = 2**31 - 1  # the largest number that any of the databases gives


@dataclass(frozen=True, slots=True)
class Right:
    """What a person may do with something, and where it belongs; a course itself has no question."""

    level: Level
    course_id: int
    question_id: int | None


def right_on(
    store: Store,
    person: Person,
    *,
    course_id: int | None = None,
    question_id: int | None = None,
    answer_id: int | None = None,
    job_id: int | None = None,
    round_id: int | None = None,
) -> Right | None:
    """What a person may do with one thing of a course; None if it is not there, or is none of theirs."""
    named = {
        "course": course_id,
        "question": question_id,
        "answer": answer_id,
        "job": job_id,
        "round": round_id,
    }
    given = {what: number for what, number in named.items() if number is not None}
    if len(given) != 1:
        raise ValueError("exactly one thing can be asked about")
    ((what, number),) = given.items()
    if not 0 < number <= _LARGEST:
        return None
    with store.reading() as session:
        found = session.execute(_places(what, number, person.id)).one_or_none()
    if found is None:
        return None
    course, question, owner, shared = found
    level = _level(person, owner, shared)
    return None if level is None else Right(level, course, question)


def level_on(store: Store, person: Person, **thing: int) -> Level | None:
    """How much a person may do with one thing of a course, named as for `right_on`; None if nothing."""
    right = right_on(store, person, **thing)
    return None if right is None else right.level


def share_course(store: Store, course_id: int, account_id: int, level: Level) -> None:
    """Share a course with somebody, or for more or less than before."""
    if level not in _NAMES:
        raise ValueError(f"a course cannot be shared for: {level}")
    with store.writing() as session:
        account = hold_account(session, account_id)
        course = lock_course(session, course_id)
        if account.closed is not None:
            raise PostilError("this account is closed.", hint="Share the course with somebody else.")
        if account.id == course.owner_id:
            raise PostilError("this course is theirs already.", hint="Share it with somebody else.")
        if account.role == ASSISTANT and level > Level.HELP:
            raise PostilError("assistants can only help in a course.", hint="Share it for helping.")
        row = session.get(MemberRow, (course_id, account_id))
        if row is None:
            session.add(
                MemberRow(course_id=course_id, account_id=account_id, level=_NAMES[level], since=now())
            )
        else:
            row.level = _NAMES[level]


def unshare_course(store: Store, course_id: int, account_id: int) -> None:
    """Share a course no longer with somebody."""
    with store.writing() as session:
        demand_course(session, course_id)
        which = MemberRow.course_id == course_id, MemberRow.account_id == account_id
        session.execute(delete(MemberRow).where(*which))


def list_members(store: Store, course_id: int) -> list[Member]:
    """Those with whom a course is shared, by name."""
    wanted = (
        select(MemberRow, AccountRow)
        .join(AccountRow, AccountRow.id == MemberRow.account_id)
        .where(MemberRow.course_id == course_id, AccountRow.closed.is_(None))
        .order_by(AccountRow.name, AccountRow.id)
    )
    with store.reading() as session:
        demand_course(session, course_id)
        return [
            Member(person_of(account), _capped(account.role, SHARED[row.level]), row.since)
            for row, account in session.execute(wanted)
        ]


def owner_of(store: Store, course_id: int) -> Person | None:
    """Whose a course is; None for one that was made by the one person of `--local`."""
    with store.reading() as session:
        owner = demand_course(session, course_id).owner_id
        return None if owner is None else person_of(demand_account(session, owner))


def hand_over(store: Store, course_id: int, account_id: int) -> None:
    """Give a course to somebody else; who had it can still teach in it."""
    with store.writing() as session:
        heir = demand_heir(session, account_id)
        course = lock_course(session, course_id)
        if course.owner_id == heir.id:
            return
        before = course.owner_id
        give(session, course, heir.id)
        if before is not None:
            session.add(MemberRow(course_id=course_id, account_id=before, level="teach", since=now()))


def _places(what: str, number: int, account_id: int | None) -> Select[Any]:
    """Course, question, owner and share of one thing; no row where the thing is not there."""
    member = (
        select(MemberRow.level)
        .where(MemberRow.course_id == CourseRow.id, MemberRow.account_id == account_id)
        .correlate(CourseRow)
        .scalar_subquery()
    )
    if what == "course":
        return select(CourseRow.id, null(), CourseRow.owner_id, member).where(CourseRow.id == number)
    wanted = select(CourseRow.id, QuestionRow.id, CourseRow.owner_id, member).join(
        QuestionRow, QuestionRow.course_id == CourseRow.id
    )
    if what == "question":
        return wanted.where(QuestionRow.id == number)
    part: Any = {"answer": AnswerRow, "job": JobRow, "round": RoundRow}[what]
    return wanted.join(part, part.question_id == QuestionRow.id).where(part.id == number)


def _level(person: Person, owner: int | None, shared: str | None) -> Level | None:
    if person.id is None or person.id == owner:
        return Level.OWN
    return None if shared is None else _capped(person.role, SHARED[shared])


def _capped(role: str, level: Level) -> Level:
    """What a share is worth: to somebody who became an assistant later, no more than to any other."""
    return Level.HELP if role == ASSISTANT else level
