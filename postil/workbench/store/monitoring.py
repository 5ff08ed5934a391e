"""What monitors are told of the database: its revision, the queue, and what was counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import func, select

from postil.workbench.store.clock import shared_now
from postil.workbench.store.counters import totals
from postil.workbench.store.database import Store
from postil.workbench.store.jobs import KINDS
from postil.workbench.store.revisions import newest, revision_of
from postil.workbench.store.tables import JobRow
from postil.workbench.store.workers import count_alive


@dataclass(frozen=True, slots=True)
class Figures:
    """How it stands with the whole installation.

    `counters` are by name and label, `waiting` and `running` by the jobs' kind. `oldest` is how many seconds
    the oldest job waits that nobody has taken.
    """

    counters: Mapping[tuple[str, str], float]
    waiting: Mapping[str, int]
    running: Mapping[str, int]
    oldest: float
    workers: int


def is_ready(store: Store) -> bool:
    """Whether the database answers, and has the tables that this version of Postil works with."""
    with store.reading() as session:
        return revision_of(session.connection()) == newest()


def read_figures(store: Store) -> Figures:
    """Read all figures at one moment."""
    waits = JobRow.state == "waiting"
    counted = select(JobRow.state, JobRow.kind, func.count()).where(JobRow.state.in_(("waiting", "running")))
    with store.reading() as session:
        found = session.execute(counted.group_by(JobRow.state, JobRow.kind)).all()
        first = session.scalars(select(func.min(JobRow.created)).where(waits)).one()
        now = shared_now(session)
        by_state = {(state, kind): number for state, kind, number in found}
        return Figures(
            totals(session),
            {kind: by_state.get(("waiting", kind), 0) for kind in KINDS},
            {kind: by_state.get(("running", kind), 0) for kind in KINDS},
            0.0 if first is None else max(0.0, (now - first).total_seconds()),
            count_alive(session),
        )
