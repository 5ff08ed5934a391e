"""The log: who did what, when and from where; never a pupil's words or name."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from operator import eq, ge, lt
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from postil.workbench.records import Person
from postil.workbench.store.database import Store
from postil.workbench.store.rows import record_of, storable
from postil.workbench.store.tables import EventRow, now

# What can happen, by names that the log keeps: each is a constant, and all together are KINDS.
KINDS = (
    LOGGED_IN := "logged in",
    LOGIN_FAILED := "login failed",
    LOGGED_OUT := "logged out",
    SESSIONS_ENDED := "other sessions ended",
    LINK_MADE := "link created",
    LINK_USED := "link used",
    PASSWORD_CHANGED := "password changed",
    ACCOUNT_MADE := "account created",
    ACCOUNT_CHANGED := "account changed",
    ACCOUNT_CLOSED := "account closed",
    ACCOUNT_REOPENED := "account reopened",
    ROLE_CHANGED := "role changed",
    COURSE_MADE := "course created",
    COURSE_RENAMED := "course renamed",
    STRICTNESS_CHANGED := "strictness changed",
    READER_CHANGED := "reader changed",
    COURSE_SHARED := "course shared",
    COURSE_UNSHARED := "course no longer shared",
    COURSE_HANDED_OVER := "course handed over",
    COURSE_EXPORTED := "course exported",
    COURSE_DELETED := "course deleted",
    QUESTION_DELETED := "question deleted",
    ANSWERS_IMPORTED := "answers imported",
    ANSWER_DELETED := "answer deleted",
    PUPIL_EXPORTED := "student's data exported",
    PUPIL_ERASED := "student's data erased",
    TOKEN_MADE := "token created",
    TOKEN_REVOKED := "token revoked",
    ROUND_MADE := "round started",
    ROUND_CLOSED := "round closed",
    ROUND_DELETED := "round deleted",
    FEEDBACK_CHANGED := "feedback settings changed",
    FEEDBACK_TAKEN := "feedback sheets downloaded",
    STUDENT_LINKS_MADE := "student links created",
    STUDENT_LINKS_REVOKED := "student links revoked",
    LOOK_ASKED := "second look requested",
    LOOK_ANSWERED := "second look answered",
)
# What belongs to a course, and is in its log.
IN_COURSES = frozenset((
    COURSE_MADE, COURSE_RENAMED, COURSE_SHARED, COURSE_UNSHARED, COURSE_HANDED_OVER, COURSE_EXPORTED,
    COURSE_DELETED, QUESTION_DELETED, ANSWERS_IMPORTED, ANSWER_DELETED, PUPIL_EXPORTED, PUPIL_ERASED,
    ROUND_MADE, ROUND_CLOSED, ROUND_DELETED, FEEDBACK_CHANGED, FEEDBACK_TAKEN, STUDENT_LINKS_MADE,
    STUDENT_LINKS_REVOKED, LOOK_ASKED, LOOK_ANSWERED,
))  # fmt: skip
# Rows of version 0.1 have these names; they are read by today's.
_FORMER = {
    LINK_MADE: "link made",
    ACCOUNT_MADE: "account made",
    COURSE_MADE: "course made",
    TOKEN_MADE: "token made",
    ROUND_MADE: "round made",
}
_TODAYS = {former: kind for kind, former in _FORMER.items()}
_LONGEST_ABOUT = 300


@dataclass(frozen=True, slots=True)
class Event:
    """Something that somebody did; `who` is their login, empty for nobody and for the person of `--local`."""

    id: int
    at: datetime
    account_id: int | None
    who: str
    what: str
    course_id: int | None
    about: str
    address: str


def log_event(store: Store, person: Person | None, what: str, **details: Any) -> None:
    """Log what somebody did; the details are those of `add_event`."""
    with store.writing() as session:
        add_event(session, person, what, **details)


def add_event(
    session: Session,
    person: Person | None,
    what: str,
    *,
    course_id: int | None = None,
    about: str = "",
    address: str = "",
) -> None:
    """Log what somebody does in a transaction; `about` names accounts, courses or files, never pupils."""
    if what not in KINDS:
        raise ValueError(f"no such event: {what}")
    row = EventRow(at=now(), what=what, course_id=course_id, address=storable(address))
    row.account_id, row.who = (person.id, person.login) if person else (None, "")
    row.about = storable(about)[:_LONGEST_ABOUT]
    session.add(row)


def list_events(
    store: Store,
    before: int | None = None,
    limit: int = 100,
    *,
    account_id: int | None = None,
    what: str | None = None,
    course_id: int | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> list[Event]:
    """What was done, the newest first; `before` is the number of the event at which the page before ended."""
    comparisons = (
        (eq, EventRow.account_id, account_id),
        (eq, EventRow.course_id, course_id),
        (lt, EventRow.id, before),
        (ge, EventRow.at, since),
        (lt, EventRow.at, until),
    )
    conditions = (compare(column, value) for compare, column, value in comparisons if value is not None)
    query = select(EventRow).where(*conditions).order_by(EventRow.id.desc()).limit(limit)
    if what is not None:
        query = query.where(EventRow.what.in_((what, _FORMER.get(what, what))))
    with store.reading() as session:
        rows = session.scalars(query)
        return [record_of(Event, row, what=_TODAYS.get(row.what, row.what)) for row in rows]
