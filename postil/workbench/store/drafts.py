"""Drafts: uploads that somebody is looking at, kept for half an hour where every server finds them."""

from __future__ import annotations

import secrets
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import Any

from sqlalchemy import ColumnElement, Select, delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from postil.errors import PostilError
from postil.workbench.drafts import Draft, Opened, make_draft
from postil.workbench.store import courses
from postil.workbench.store.clock import shared_now
from postil.workbench.store.database import Store, forget_deleted
from postil.workbench.store.packing import pack, unpack
from postil.workbench.store.rows import storable
from postil.workbench.store.tables import DraftRow

KEPT = timedelta(minutes=30)
_MOST_OF_ONE = 16
_MOST_KEPT = 512


@dataclass(frozen=True, slots=True)
class Brought:
    """Who brought a draft, and what for; `person` is an account, or None with `--local`."""

    person: int | None
    course_id: int
    question_id: int | None


def keep_draft(
    store: Store, opened: Opened, course_id: int, question_id: int | None, person: int | None = None
) -> str:
    """Keep what was read, and return its token; who brings too much loses their own oldest first."""
    token, body = secrets.token_urlsafe(16), pack(opened)
    row = DraftRow(digest=_digest(token), account_id=person, course_id=course_id, question_id=question_id)
    forget_drafts(store)
    try:
        with store.writing() as session:
            lost = _forget(session, _newest().where(_of(person)).offset(_MOST_OF_ONE - 1))
            lost += _forget(session, _newest().offset(_MOST_KEPT - 1))
            row.made, row.body = shared_now(session), body
            session.add(row)
    except IntegrityError:
        raise courses.gone() from None
    if lost:
        forget_deleted(store)
    return token


def get_draft(store: Store, token: str) -> Draft:
    """The draft of this token, while it is kept."""
    with store.reading() as session:
        row = session.scalars(select(DraftRow).where(_is(token), _fresh(session))).one_or_none()
    opened = None if row is None else unpack(row.body)
    if row is None or opened is None:
        raise _forgotten()
    return make_draft(token, opened, row.course_id, row.question_id, row.account_id)


def get_brought(store: Store, token: str) -> Brought:
    """Whose draft it is, without what is in it."""
    wanted = select(DraftRow.account_id, DraftRow.course_id, DraftRow.question_id)
    with store.reading() as session:
        row = session.execute(wanted.where(_is(token), _fresh(session))).one_or_none()
    if row is None:
        raise _forgotten()
    return Brought(*row)


def use_draft(session: Session, token: str) -> None:
    """Use a draft up in the transaction that stores what is in it: of two who store it only one can.

    After it, what was not stored of the draft has to be forgotten (`forget_deleted`).
    """
    used = delete(DraftRow).where(_is(token), _fresh(session)).returning(DraftRow.digest)
    if session.scalars(used).one_or_none() is None:
        raise _forgotten()


def drop_draft(store: Store, token: str) -> None:
    """Forget a draft at once."""
    with store.writing() as session:
        session.execute(delete(DraftRow).where(_is(token)))
    forget_deleted(store)


def forget_drafts(store: Store) -> None:
    """Delete the drafts whose time is over: they hold what pupils wrote, and nobody can see them any more.

    Nobody has to wait for it, so where others write it is left for the next time.
    """
    with suppress(PostilError):
        with store.reading() as session:  # there is rarely one, and a write would make others wait
            if session.scalars(_newest().where(~_fresh(session)).limit(1)).first() is None:
                return
        with store.writing() as session:
            _forget(session, _newest().where(~_fresh(session)))
        forget_deleted(store)


def drop_local_drafts(store: Store) -> None:
    """Forget the drafts of the mode for one person: when it stops, nobody deletes them in time."""
    with suppress(PostilError):
        with store.writing() as session:
            session.execute(delete(DraftRow).where(_of(None)))
        forget_deleted(store)


def _forget(session: Session, which: Select[Any]) -> int:
    """Delete drafts, and say how many; who is just storing one of them is not waited for."""
    found = list(session.scalars(which.with_for_update(skip_locked=True)))
    session.execute(delete(DraftRow).where(DraftRow.digest.in_(found)))
    return len(found)


def _newest() -> Select[Any]:
    return select(DraftRow.digest).order_by(DraftRow.made.desc(), DraftRow.digest)


def _of(person: int | None) -> ColumnElement[bool]:
    return DraftRow.account_id.is_(None) if person is None else DraftRow.account_id == person


def _fresh(session: Session) -> ColumnElement[bool]:
    return DraftRow.made > shared_now(session) - KEPT


def _is(token: str) -> ColumnElement[bool]:
    return DraftRow.digest == _digest(token)


def _digest(token: str) -> str:
    return sha256(storable(token).encode()).hexdigest()


def _forgotten() -> PostilError:
    return PostilError(
        "this upload is no longer here.",
        hint="An upload is forgotten when it was added, and after half an hour. Look whether its answers are "
        "there; if not, bring the file once more.",
    )
