"""Counters for who looks after the machines: how much was graded, and how long it took. They only grow.

They are written in the transaction that stores what is counted, so nothing is counted twice or forgotten,
whoever dies meanwhile. No text of anybody's is in them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from math import fsum
from secrets import randbelow

from sqlalchemy import select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from postil.workbench.store.database import Store
from postil.workbench.store.tables import CounterRow

GRADED, DEFERRED = "answers_graded", "answers_deferred"  # by what asked for it
SECONDS = "stage_seconds"  # by stage
ENDED = "jobs_ended"  # by kind and state, with a blank between
_SLOTS = 16

# What is added to counters, by their names and labels.
Counts = Mapping[tuple[str, str], float]


def add_counts(store: Store, counts: Counts) -> None:
    """Count something that is not stored itself."""
    with store.writing() as session:
        count(session, counts)


def count(session: Session, counts: Counts) -> None:
    """Count within the transaction that stores what is counted; best as its last step: others may wait."""
    slot = randbelow(_SLOTS)
    # All go through the rows in the same order: nobody waits for somebody who waits for them.
    wanted = [(*key, slot, value) for key, value in sorted(counts.items()) if value]
    if not wanted:
        return
    names = [column.name for column in CounterRow.__table__.columns]
    rows = [dict(zip(names, row, strict=True)) for row in wanted]
    if session.get_bind().dialect.name == "postgresql":
        added = postgresql.insert(CounterRow).values(rows)
        more = {"value": CounterRow.value + added.excluded.value}
        session.execute(added.on_conflict_do_update(index_elements=names[:3], set_=more))
        return
    put = sqlite.insert(CounterRow).values(rows)
    more = {"value": CounterRow.value + put.excluded.value}
    session.execute(put.on_conflict_do_update(index_elements=names[:3], set_=more))


def seconds(spent: Mapping[str, float]) -> dict[tuple[str, str], float]:
    """Seconds by stage, to be counted."""
    return {(SECONDS, stage): took for stage, took in spent.items()}


def totals(session: Session) -> dict[tuple[str, str], float]:
    """What was counted, by the names and labels of the counters."""
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for name, label, value in session.execute(select(CounterRow.name, CounterRow.label, CounterRow.value)):
        found[name, label].append(value)
    # The database's sum can be a trifle less in another order, and a counter that falls has begun anew.
    return {key: fsum(values) for key, values in found.items()}
