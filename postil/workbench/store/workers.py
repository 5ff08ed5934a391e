"""Workers: who is there to do jobs, busy or not."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from postil.workbench.store.clock import shared_now
from postil.workbench.store.database import Store
from postil.workbench.store.tables import WorkerRow

SILENT = timedelta(minutes=1)  # after which a worker is taken to be gone
_REMEMBERED = timedelta(hours=1)


def show_life(store: Store, name: str) -> None:
    """Say that a worker is there; those of long ago are forgotten."""
    with store.writing() as session:
        moment = shared_now(session)
        session.merge(WorkerRow(name=name, seen=moment))
        session.execute(delete(WorkerRow).where(WorkerRow.seen < moment - _REMEMBERED))


def leave(store: Store, name: str) -> None:
    """Say that a worker goes."""
    with store.writing() as session:
        session.execute(delete(WorkerRow).where(WorkerRow.name == name))


def count_alive(session: Session) -> int:
    """How many workers have shown lately that they are there."""
    fresh = WorkerRow.seen > shared_now(session) - SILENT
    return session.scalars(select(func.count()).select_from(WorkerRow).where(fresh)).one()
