"""Who may do what in a course: its owner, and those with whom it is shared."""

from __future__ import annotations

import secrets
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from sqlalchemy import ColumnElement, Select, delete, func, null, select, update

from postil.errors import PostilError
from postil.workbench.records import ASSISTANT, LOCAL, SHARED, Level, Member, Person
from postil.workbench.store.accounts import demand_account, demand_heir, give, hold_account, person_of
from postil.workbench.store.courses import demand_course, lock_course
from postil.workbench.store.database import Store, StoreAwayError
from postil.workbench.store.replies import delete_old
from postil.workbench.store.rows import storable
from postil.workbench.store.tables import (
    AccountRow,
    AnswerRow,
    CourseRow,
    JobRow,
    MemberRow,
    QuestionRow,
    RoundRow,
    TokenRow,
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


# Tokens: with one a program speaks for a person, for what the token was made for and no longer than that.

# judge: judge texts that come with the request, and store nothing; read: courses and what is in them;
# write: change these. None of them implies another.
SCOPES = ("judge", "read", "write")
LONGEST_NAME = 100
MOST_DAYS = 3650
MOST_TOKENS = 50  # of one account
_PREFIX = "postil_"  # so that a program that looks for secrets in the wrong places knows one
_USED_EVERY = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Token:
    """A token as its owner sees it: everything but the secret, which is shown once."""

    id: int
    name: str
    scopes: tuple[str, ...]
    created: datetime
    used: datetime | None
    expires: datetime | None

    @property
    def expired(self) -> bool:
        """Whether its time is over."""
        return self.expires is not None and self.expires <= now()


def create_token(
    store: Store, account_id: int | None, name: str, scopes: Collection[str], days: int | None
) -> tuple[Token, str]:
    """Make a token that works for some days, or until it is revoked; returns it with its secret."""
    name, secret = _demand_name(name), _PREFIX + secrets.token_urlsafe(32)
    row = TokenRow(account_id=account_id, name=name, digest=_digest(secret), created=now())
    row.scopes, row.expires = _demand_scopes(scopes), _demand_end(days)
    with store.writing() as session:
        if account_id is not None and hold_account(session, account_id).closed is not None:
            raise PostilError("this account is closed.", hint="Open it again first.")
        own = select(func.count()).select_from(TokenRow).where(_of(account_id))
        if session.scalars(own).one() >= MOST_TOKENS:
            raise PostilError(f"there are {MOST_TOKENS} tokens already.", hint="Revoke one that is not used.")
        session.add(row)
        session.flush()
        return _record(row), secret


def list_tokens(store: Store, account_id: int | None) -> list[Token]:
    """The tokens of an account, or of the one person without one, the newest first."""
    wanted = select(TokenRow).where(_of(account_id)).order_by(TokenRow.id.desc())
    with store.reading() as session:
        return [_record(row) for row in session.scalars(wanted)]


def revoke_token(store: Store, account_id: int | None, token_id: int) -> None:
    """End a token at once; only its own account's can be named."""
    with store.writing() as session:
        gone = session.execute(
            delete(TokenRow).where(TokenRow.id == token_id, _of(account_id)).returning(TokenRow.id)
        )
        if gone.first() is None:
            raise PostilError("this token is not there.", hint="It may have been revoked in another window.")


def find_token(store: Store, secret: str) -> tuple[Person, Token] | None:
    """Whom a secret speaks for; None if it is unknown or expired, or its account is closed."""
    wanted = (
        select(TokenRow, AccountRow)
        .outerjoin(AccountRow, AccountRow.id == TokenRow.account_id)
        .where(TokenRow.digest == _digest(secret))
    )
    with store.reading() as session:
        found = session.execute(wanted).one_or_none()
    if found is None:
        return None
    row, account = found
    token = _record(row)
    if token.expired or (account is not None and account.closed is not None):
        return None
    if token.used is None or token.used < now() - _USED_EVERY:  # a write at every request would cost more
        # Who only reads does not wait for those who write: it can be noted with the next request.
        with suppress(StoreAwayError), store.writing() as session:
            session.execute(update(TokenRow).where(TokenRow.id == token.id).values(used=now()))
            delete_old(session)
    return (LOCAL if account is None else person_of(account)), token


def _of(account_id: int | None) -> ColumnElement[bool]:
    return TokenRow.account_id.is_(None) if account_id is None else TokenRow.account_id == account_id


def _digest(secret: str) -> str:
    # The secret is long and random: a plain hash is enough, and can be looked up.
    return sha256(storable(secret).encode()).hexdigest()


def _record(row: TokenRow) -> Token:
    return Token(row.id, row.name, tuple(row.scopes), row.created, row.used, row.expires)


def _demand_name(name: str) -> str:
    name = " ".join(storable(name).split())
    if not 0 < len(name) <= LONGEST_NAME:
        what = f"a token's name has 1 to {LONGEST_NAME} characters."
        raise PostilError(what, hint="Name the program that will use it.")
    return name


def _demand_scopes(scopes: Collection[str]) -> list[str]:
    wanted = [scope for scope in SCOPES if scope in scopes]
    if not wanted or len(wanted) < len(set(scopes)):
        raise PostilError("a token needs something to do.", hint=f"Choose from: {', '.join(SCOPES)}.")
    return wanted


def _demand_end(days: int | None) -> datetime | None:
    if days is None:
        return None
    if not 0 < days <= MOST_DAYS:
        raise PostilError(f"a token works for 1 to {MOST_DAYS} days.", hint="Or leave its end open.")
    return now() + timedelta(days=days)
