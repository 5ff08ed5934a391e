"""The clock by which leases run: machines that share a database need not agree about the time."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from postil.workbench.store.tables import UtcTime, now


def shared_now(session: Session) -> datetime:
    """This moment by the clock of the database server; by this computer's where the database is a file."""
    if session.get_bind().dialect.name != "postgresql":
        return now()
    return session.scalars(select(func.clock_timestamp(type_=UtcTime()))).one()
