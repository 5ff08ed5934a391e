"""The log: who did what, when and from where; never a pupil's words or name."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from operator import eq, ge, lt

from sqlalchemy import select
from sqlalchemy.orm import Session

from postil.workbench.records import Person
from postil.workbench.store.database import Store
from postil.workbench.store.rows import storable
from postil.workbench.store.tables import EventRow, now

# What can happen, by names that the log keeps: each is a constant, and all together are KINDS.
KINDS = (
    LOGGED_IN := "logged in",
    LOGIN_FAILED := "login failed",
    LOGGED_OUT := "logged out",
    SESSIONS_ENDED := "other sessions ended",
    LINK_MADE := "link made",
    LINK_USED := "link used",
    PASSWORD_CHANGED := "password changed",
    ACCOUNT_MADE := "account made",
    ACCOUNT_CHANGED := "account changed",
    ACCOUNT_CLOSED := "account closed",
    ACCOUNT_REOPENED := "account reopened",
    ROLE_CHANGED := "role changed",
    COURSE_MADE := "course made",
    COURSE_RENAMED := "course renamed",
    COURSE_SHARED := "course shared",
    COURSE_UNSHARED := "course no longer shared",
    COURSE_HANDED_OVER := "course handed over",
    COURSE_EXPORTED := "course exported",
    COURSE_DELETED := "course deleted",
    QUESTION_DELETED := "question deleted",
    ANSWERS_IMPORTED := "answers imported",
    ANSWER_DELETED := "answer deleted",
    TOKEN_MADE := "token made",
    TOKEN_REVOKED := "token revoked",
    ROUND_MADE := "round made",
    ROUND_CLOSED := "round closed",
    ROUND_DELETED := "round deleted",
)
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


def log_event(
    store: Store,
    person: Person | None,
    what: str,
    *,
    course_id: int | None = None,
    about: str = "",
    address: str = "",
) -> None:
    """Write down what somebody did; `about` names accounts, courses or files, and nothing of pupils."""
    with store.writing() as session:
        add_event(session, person, what, course_id=course_id, about=about, address=address)


def add_event(
    session: Session,
    person: Person | None,
    what: str,
    *,
    course_id: int | None = None,
    about: str = "",
    address: str = "",
) -> None:
    """Write down what somebody did, together with doing it."""
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
        (eq, EventRow.what, what),
        (eq, EventRow.course_id, course_id),
        (lt, EventRow.id, before),
        (ge, EventRow.at, since),
        (lt, EventRow.at, until),
    )
    conditions = (compare(column, value) for compare, column, value in comparisons if value is not None)
    query = select(EventRow).where(*conditions).order_by(EventRow.id.desc()).limit(limit)
    with store.reading() as session:
        return [
            Event(row.id, row.at, row.account_id, row.who, row.what, row.course_id, row.about, row.address)
            for row in session.scalars(query)
        ]
