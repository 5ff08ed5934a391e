"""Replies: how a write was answered, so that a program that sends it again does not do it twice."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import delete, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from postil.workbench.store.database import Store, StoreAwayError
from postil.workbench.store.rows import digest_of
from postil.workbench.store.tables import ReplyRow, now

KEPT = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Reply:
    """What is known of a key that was used before: for which request, and how that was answered.

    `status` is None while the request is under way, and if it broke off, so that nobody knows how far it got.
    """

    request: str
    status: int | None
    body: str


def begin(store: Store, caller: str, key: str, fingerprint: str) -> Reply | None:
    """Take a key for a request; None if it is free, and otherwise what came of it before.

    A caller has keys of its own. They are forgotten after a day.
    """
    digest = _digest(caller, key)
    row = ReplyRow(digest=digest, request=fingerprint, status=None, body="", created=now())
    try:
        with store.writing() as session:
            delete_old(session)
            session.add(row)
        return None
    except IntegrityError:  # of two at once, the database lets one through
        with store.reading() as session:
            earlier = session.get(ReplyRow, digest)
            if earlier is None:  # given up since: the program is told to try again
                return Reply(fingerprint, None, "")
            return Reply(earlier.request, earlier.status, earlier.body)


def finish(store: Store, caller: str, key: str, status: int, body: str) -> None:
    """Keep how a request was answered."""
    with store.writing() as session:
        own = ReplyRow.digest == _digest(caller, key)
        session.execute(update(ReplyRow).where(own).values(status=status, body=body))


def give_up(store: Store, caller: str, key: str) -> None:
    """Free the key of a request that was refused: nothing was done, so it may be tried again."""
    with store.writing() as session:
        session.execute(delete(ReplyRow).where(ReplyRow.digest == _digest(caller, key)))


def forget_old(store: Store) -> None:
    """Delete what is older than a day, unless others are writing: then it can wait."""
    with suppress(StoreAwayError), store.writing() as session:
        delete_old(session)


def delete_old(session: Session) -> None:
    """The same within a transaction that writes something else."""
    session.execute(delete(ReplyRow).where(ReplyRow.created < now() - KEPT))


def _digest(caller: str, key: str) -> str:
    return digest_of(f"{caller}\n{key}")
