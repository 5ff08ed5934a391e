"""Figures about a whole class, quickly: only what is counted is read, and no texts or pictures."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from sqlalchemy import func

from postil.workbench.records import Change, Decision, counting_label
from postil.workbench.store.database import Store
from postil.workbench.store.jobs import latest_job
from postil.workbench.store.judgements import changed
from postil.workbench.store.rows import change_of, decision_of
from postil.workbench.store.tables import AnswerRow, DecisionRow, JudgementRow, ProposalRow
from postil.workbench.store.views import joined


@dataclass(frozen=True, slots=True)
class Said:
    """What the machine says of an answer, without words."""

    label: str
    confidence: float
    deferred: bool
    because: str
    made: datetime


@dataclass(frozen=True, slots=True)
class Seen:
    """An answer as statistics see it: what the machine says of it, and what a person decided."""

    answer_id: int
    judged: Said | None
    decision: Decision | None

    @property
    def label(self) -> str | None:
        """The label that counts; None before anybody has judged."""
        return counting_label(self.judged, self.decision)


@dataclass(frozen=True, slots=True)
class Kind:
    """How many answers a regrade would move from one label to another."""

    before: str
    after: str
    count: int

    @property
    def name(self) -> str:
        """What an address calls this kind."""
        return f"{self.before}-{self.after}"


def see(store: Store, question_id: int) -> list[Seen]:
    """All answers of a question as statistics see them, in their order."""
    # Every one of these may be missing, which the columns' own types do not say.
    said: list[Any] = [getattr(JudgementRow, one.name) for one in fields(Said)]
    wanted = joined(AnswerRow.id, DecisionRow, *said).where(AnswerRow.question_id == question_id)
    with store.reading() as session:
        return [
            Seen(id, None if words[0] is None else Said(*words), decision_of(row) if row else None)
            for id, row, *words in session.execute(wanted.order_by(AnswerRow.place))
        ]


def count_labelled(store: Store, question_id: int) -> int:
    """How many answers have a label, the machine's or a person's."""
    label = func.coalesce(DecisionRow.label, JudgementRow.label)
    wanted = joined(func.count(label)).where(AnswerRow.question_id == question_id)
    with store.reading() as session:
        count: int = session.scalars(wanted).one()
        return count


def kinds_of_change(store: Store, job_id: int) -> list[Kind]:
    """What a regrade would change, by kind, the most frequent first."""
    before, after = JudgementRow.label, ProposalRow.label
    wanted = changed(job_id, before, after, func.count()).group_by(before, after)
    with store.reading() as session:
        found = [Kind(*row) for row in session.execute(wanted)]
    return sorted(found, key=lambda kind: (-kind.count, kind.name))


def count_changes(store: Store, question_id: int) -> int | None:
    """How many answers a regrade would change that nobody has applied or dropped; None without such a one."""
    job = latest_job(store, question_id, "regrade")
    if job is None or job.state != "done":
        return None
    with store.reading() as session:
        count: int = session.scalars(changed(job.id, func.count())).one()
        return count


def some_changes(store: Store, job_id: int, kind: Kind | None, most: int) -> list[Change]:
    """The first changes of a kind, or of all kinds, in the order of the answers."""
    wanted = changed(job_id, AnswerRow, JudgementRow, ProposalRow)
    if kind:
        wanted = wanted.where(JudgementRow.label == kind.before, ProposalRow.label == kind.after)
    with store.reading() as session:
        return [change_of(*row) for row in session.execute(wanted.order_by(AnswerRow.place).limit(most))]
