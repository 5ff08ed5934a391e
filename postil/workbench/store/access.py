"""Who may do what: the owner of a course, those with whom it is shared, and the tokens of programs.

A program that sends a write again, under the same key, gets the first reply: nothing is done twice.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, func, null, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from postil.errors import PostilError
from postil.workbench.records import ASSISTANT, LOCAL, SHARED, Level, Member, Person
from postil.workbench.store.accounts import demand_account, demand_heir, give, hold_account, person_of
from postil.workbench.store.courses import demand_course, lock_course
from postil.workbench.store.database import Store, StoreAwayError
from postil.workbench.store.rows import demand, demand_name, digest_of, record_of
from postil.workbench.store.tables import (
    AccountRow,
    AnswerRow,
    CourseRow,
    JobRow,
    MemberRow,
    QuestionRow,
    ReplyRow,
    RoundRow,
    TokenRow,
    now,
)

_NAMES = {level: name for name, level in SHARED.items()}
_LARGEST = 2**31 - 1  # the largest number that either kind of database gives
# judge: judge texts that come with the request, and store nothing; read: courses and what is in them;
# write: change these. None of them implies another.
SCOPES = ("judge", "read", "write")
LONGEST_NAME = 100
MOST_DAYS = 3650
MOST_TOKENS = 50  # of one account
_PREFIX = "postil_"  # so that secret scanners recognise a token
_USED_EVERY = timedelta(minutes=1)
_REPLIES_KEPT = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Right:
    """What a person may do with something, and where it belongs; a course itself has no question."""

    level: Level
    course_id: int
    question_id: int | None


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


@dataclass(frozen=True, slots=True)
class Reply:
    """What is stored about a key that was used before: the request it was used for, and the response.

    `status` is None while the request is under way, and if it broke off, so that nobody knows how far it got.
    """

    request: str
    status: int | None
    body: str


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
    """What a person may do with something in a course; None if it does not exist or is not theirs to see."""
    numbers: dict[Any, int | None] = {
        CourseRow: course_id,
        QuestionRow: question_id,
        AnswerRow: answer_id,
        JobRow: job_id,
        RoundRow: round_id,
    }
    ((table, number),) = ((table, number) for table, number in numbers.items() if number is not None)
    if not 0 < number <= _LARGEST:
        return None
    share = (
        select(MemberRow.level)
        .where(MemberRow.course_id == CourseRow.id, MemberRow.account_id == person.id)
        .correlate(CourseRow)
        .scalar_subquery()
    )
    question_column = null() if table is CourseRow else QuestionRow.id
    query = select(CourseRow.id, question_column, CourseRow.owner_id, share).select_from(CourseRow)
    if table is not CourseRow:
        query = query.join(QuestionRow, QuestionRow.course_id == CourseRow.id)
    if table not in (CourseRow, QuestionRow):
        query = query.join(table, table.question_id == QuestionRow.id)
    with store.reading() as session:
        row = session.execute(query.where(table.id == number)).one_or_none()
    if row is None:
        return None
    course, question, owner, shared = row
    if person.id is None or person.id == owner:
        return Right(Level.OWN, course, question)
    return None if shared is None else Right(_capped(person.role, SHARED[shared]), course, question)


def level_on(store: Store, person: Person, **thing: int) -> Level | None:
    """The level a person has on something in a course, named as for `right_on`; None if nothing."""
    right = right_on(store, person, **thing)
    return None if right is None else right.level


def share_course(store: Store, course_id: int, account_id: int, level: Level) -> None:
    """Share a course with somebody, or change what it is shared for."""
    if level not in _NAMES:
        raise ValueError(f"a course cannot be shared for: {level}")
    with store.writing() as session:
        account = hold_account(session, account_id)
        course = lock_course(session, course_id)
        if account.closed is not None:
            raise PostilError("this account is closed.", hint="Share the course with somebody else.")
        if account.id == course.owner_id:
            raise PostilError("this person already owns the course.", hint="Share it with somebody else.")
        if account.role == ASSISTANT and level > Level.HELP:
            raise PostilError("assistants can only help in a course.", hint="Share it with them to help.")
        row = session.get(MemberRow, (course_id, account_id))
        if row is None:
            row = MemberRow(course_id=course_id, account_id=account_id, since=now())
            session.add(row)
        row.level = _NAMES[level]


def unshare_course(store: Store, course_id: int, account_id: int) -> None:
    """Stop sharing a course with somebody."""
    share = MemberRow.course_id == course_id, MemberRow.account_id == account_id
    with store.writing() as session:
        demand_course(session, course_id)
        session.execute(delete(MemberRow).where(*share))


def list_members(store: Store, course_id: int) -> list[Member]:
    """Those with whom a course is shared, by name."""
    query = (
        select(MemberRow, AccountRow)
        .join(AccountRow, AccountRow.id == MemberRow.account_id)
        .where(MemberRow.course_id == course_id, AccountRow.closed.is_(None))
        .order_by(AccountRow.name, AccountRow.id)
    )
    with store.reading() as session:
        demand_course(session, course_id)
        return [
            Member(person_of(account), _capped(account.role, SHARED[row.level]), row.since)
            for row, account in session.execute(query)
        ]


def owner_of(store: Store, course_id: int) -> Person | None:
    """Who owns a course; None if it was created with `--local`."""
    with store.reading() as session:
        owner = demand_course(session, course_id).owner_id
        return None if owner is None else person_of(demand_account(session, owner))


def hand_over(store: Store, course_id: int, account_id: int) -> None:
    """Give a course to somebody else; its former owner can still teach in it."""
    with store.writing() as session:
        heir = demand_heir(session, account_id)
        course = lock_course(session, course_id)
        if course.owner_id == heir.id:
            return
        before = course.owner_id
        give(session, course, heir.id)
        if before is not None:
            session.add(MemberRow(course_id=course_id, account_id=before, level="teach", since=now()))


def create_token(
    store: Store, account_id: int | None, name: str, scopes: Collection[str], days: int | None
) -> tuple[Token, str]:
    """Create a token that works for a number of days or until it is revoked; returns it with its secret."""
    name = demand_name(name, LONGEST_NAME, "a token's", "Name the program that will use it.")
    known = [scope for scope in SCOPES if scope in scopes]
    if not known or len(known) < len(set(scopes)):
        raise PostilError("a token needs known scopes.", hint=f"Choose from: {', '.join(SCOPES)}.")
    if days is not None and not 0 < days <= MOST_DAYS:
        raise PostilError(f"a token can work for 1 to {MOST_DAYS:,} days.", hint="Or set no end.")
    secret = _PREFIX + secrets.token_urlsafe(32)
    row = TokenRow(account_id=account_id, digest=digest_of(secret), name=name, scopes=known, created=now())
    row.expires = None if days is None else row.created + timedelta(days=days)
    with store.writing() as session:
        if account_id is not None and hold_account(session, account_id).closed is not None:
            raise PostilError("this account is closed.", hint="Open it again first.")
        own = select(func.count()).select_from(TokenRow).where(TokenRow.account_id == account_id)
        if session.scalars(own).one() >= MOST_TOKENS:
            raise PostilError(f"there are already {MOST_TOKENS} tokens.", hint="Revoke an unused one first.")
        session.add(row)
        session.flush()
        return _record(row), secret


def list_tokens(store: Store, account_id: int | None) -> list[Token]:
    """The tokens of an account, or of the user of `--local`, the newest first."""
    query = select(TokenRow).where(TokenRow.account_id == account_id).order_by(TokenRow.id.desc())
    with store.reading() as session:
        return [_record(row) for row in session.scalars(query)]


def revoke_token(store: Store, account_id: int | None, token_id: int) -> None:
    """End a token of an account at once."""
    own = delete(TokenRow).where(TokenRow.id == token_id, TokenRow.account_id == account_id)
    with store.writing() as session:
        revoked = session.scalars(own.returning(TokenRow.id)).first()
        demand(revoked, "token", "It may have been revoked in another window.")


def find_token(store: Store, secret: str) -> tuple[Person, Token] | None:
    """The person and token behind a secret; None if it is unknown or expired, or the account is closed."""
    query = select(TokenRow, AccountRow).outerjoin(AccountRow, AccountRow.id == TokenRow.account_id)
    with store.reading() as session:
        rows = session.execute(query.where(TokenRow.digest == digest_of(secret))).one_or_none()
    if rows is None:
        return None
    token, account = _record(rows[0]), rows[1]
    if token.expired or (account is not None and account.closed is not None):
        return None
    # A write at every request would cost more.
    if token.used is None or abs(now() - token.used) > _USED_EVERY:
        # A request that only reads does not wait for writers: the next one can record the use.
        with suppress(StoreAwayError), store.writing() as session:
            session.execute(update(TokenRow).where(TokenRow.id == token.id).values(used=now()))
            delete_old_replies(session)
    return (LOCAL if account is None else person_of(account)), token


def begin_reply(store: Store, caller: str, key: str, fingerprint: str) -> Reply | None:
    """Take a key for a request; None if it is free, and otherwise what came of it before.

    A caller has keys of its own. They are forgotten after a day.
    """
    digest = _key_digest(caller, key)
    row = ReplyRow(digest=digest, request=fingerprint, status=None, body="", created=now())
    try:
        with store.writing() as session:
            delete_old_replies(session)
            session.add(row)
        return None
    except IntegrityError:  # of two at once, the database lets one through
        with store.reading() as session:
            earlier = session.get(ReplyRow, digest)
            if earlier is None:  # given up since: the program is told to try again
                return Reply(fingerprint, None, "")
            return Reply(earlier.request, earlier.status, earlier.body)


def keep_reply(store: Store, caller: str, key: str, status: int, body: str) -> None:
    """Keep how a request was answered."""
    with store.writing() as session:
        own = ReplyRow.digest == _key_digest(caller, key)
        session.execute(update(ReplyRow).where(own).values(status=status, body=body))


def free_key(store: Store, caller: str, key: str) -> None:
    """Free the key of a request that was refused: nothing was done, so it may be tried again."""
    with store.writing() as session:
        session.execute(delete(ReplyRow).where(ReplyRow.digest == _key_digest(caller, key)))


def forget_replies(session: Session, answer_ids: Collection[int]) -> None:
    """Forget what was answered about these answers; their requests are known still, and not done again."""
    rows = session.execute(select(ReplyRow.digest, ReplyRow.body).where(ReplyRow.status.is_not(None)))
    about = [digest for digest, body in rows if _answers_in(json.loads(body)) & set(answer_ids)]
    for digest in about:
        erased = json.dumps({"headers": {}, "erased": True})
        session.execute(update(ReplyRow).where(ReplyRow.digest == digest).values(body=erased))


def _answers_in(record: dict[str, Any]) -> set[int]:
    """The numbers of the answers that a stored reply mentions."""
    if not record.get("body"):
        return set()
    body = json.loads(record["body"])
    decisions = [body, *body.get("undone", ())]
    return {decision["answer_id"] for decision in decisions if "answer_id" in decision} | set(
        body.get("ids", ())
    )


def forget_old_replies(store: Store) -> None:
    """Delete what is older than a day, unless others are writing: then it can wait."""
    with suppress(StoreAwayError), store.writing() as session:
        delete_old_replies(session)


def delete_old_replies(session: Session) -> None:
    """Delete replies older than a day, within a transaction that writes something else."""
    session.execute(delete(ReplyRow).where(ReplyRow.created < now() - _REPLIES_KEPT))


def _capped(role: str, level: Level) -> Level:
    """The level that a share grants: for assistants, even former teachers, never more than helping."""
    return Level.HELP if role == ASSISTANT else level


def _record(row: TokenRow) -> Token:
    return record_of(Token, row, scopes=tuple(row.scopes))


def _key_digest(caller: str, key: str) -> str:
    return digest_of(f"{caller}\n{key}")
