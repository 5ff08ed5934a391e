"""Judgements: keep what the machine says, and what a regrade would change before it is applied."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from sqlalchemy import Exists, Select, delete, exists, func, insert, or_, select, update
from sqlalchemy.orm import Session

from postil.data.judgements import Reason
from postil.data.labels import PARTLY
from postil.errors import PostilError
from postil.workbench.records import Change, Decision, Job, Judged, counting_label
from postil.workbench.store.database import Store
from postil.workbench.store.jobs import (
    DEFERRED,
    GRADED,
    count,
    demand_held,
    drop_proposals,
    latest_job,
    lock_job,
    lock_work,
    seconds,
    shared_now,
)
from postil.workbench.store.rows import change_of, columns_of, decision_of, job_of, storable
from postil.workbench.store.tables import AnswerRow, DecisionRow, JobRow, JudgementRow, ProposalRow, now
from postil.workbench.store.views import joined

_KEPT = [column.key for column in JudgementRow.__table__.columns if column.key != "job_id"]


def save_judgements(
    store: Store, job: Job, judged: Sequence[Judged], spent: Mapping[str, float] | None = None
) -> None:
    """Keep judgements that a job made, and count them as done: all in one transaction.

    A judgement takes the place of the answer's earlier one. Answers deleted in the meantime are passed over.
    `spent` are seconds by stage, to be counted with them.
    """
    _save(store, job, judged, JudgementRow, spent or {})


def save_proposals(
    store: Store, job: Job, judged: Sequence[Judged], spent: Mapping[str, float] | None = None
) -> None:
    """The same for a regrade: its judgements wait beside the current ones."""
    _save(store, job, judged, ProposalRow, spent or {})


def missing(store: Store, job: Job) -> list[int]:
    """The answers that a job has still to judge, in their order.

    A regrade judges everybody again, for a look before anything changes, and so does a recheck, which keeps
    the labels. Otherwise what has a judgement keeps it, whichever job made it: answers that come late change
    nothing about those before.
    """
    with store.reading() as session:
        demand_held(session, job)
        made = exists().where(JudgementRow.answer_id == AnswerRow.id)
        if job.kind == "regrade":
            made = exists().where(ProposalRow.answer_id == AnswerRow.id, ProposalRow.job_id == job.id)
        elif job.kind == "recheck":
            made = made.where(JudgementRow.job_id == job.id)
        wanted = select(AnswerRow.id).where(AnswerRow.question_id == job.question_id, ~made)
        return list(session.scalars(wanted.order_by(AnswerRow.place)))


def least_heard(store: Store, job: Job) -> int | None:
    """How many decisions other jobs knew whose judgements still count: the fewest, or None without such."""
    with store.reading() as session:
        demand_held(session, job)
        decided = exists().where(DecisionRow.answer_id == JudgementRow.answer_id, DecisionRow.standing)
        counts = exists().where(JudgementRow.job_id == JobRow.id, ~decided)
        others = select(JobRow.result).where(JobRow.question_id == job.question_id, JobRow.id != job.id)
        heard = [int(result.get("decided", 0)) for result in session.scalars(others.where(counts))]
    return min(heard, default=None)


def changed(job_id: int, *what: Any) -> Select[Any]:
    """A query about answers that a regrade gives another label, without those that a person has decided."""
    return (
        select(*what)
        .select_from(AnswerRow)
        .join(JudgementRow, JudgementRow.answer_id == AnswerRow.id)
        .join(ProposalRow, ProposalRow.answer_id == AnswerRow.id)
        .where(ProposalRow.job_id == job_id, ~_decided())
        .where(ProposalRow.label != JudgementRow.label)
    )


def apply_changes(store: Store, job_id: int) -> None:
    """Put what a regrade proposes in the place of the current judgements; decided answers keep theirs.

    Only labels are shown before, so only they may change what an answer earns: what stays partly right keeps
    its facets.
    """
    with store.writing() as session:
        row = _demand_proposed(session, job_id)
        _keep_facets(session, job_id)
        wins = _proposals_that_win(job_id)
        beaten = wins.with_only_columns(ProposalRow.answer_id)
        session.execute(delete(JudgementRow).where(JudgementRow.answer_id.in_(beaten)))
        rows = wins.with_only_columns(*(getattr(ProposalRow, name) for name in _KEPT), ProposalRow.job_id)
        session.execute(insert(JudgementRow).from_select([*_KEPT, "job_id"], rows))
        session.execute(delete(ProposalRow).where(ProposalRow.job_id == job_id))
        row.state, row.finished = "applied", now()


def drop_changes(store: Store, job_id: int) -> None:
    """Forget what a regrade proposes; everything stays as it is."""
    with store.writing() as session:
        _demand_proposed(session, job_id)
        drop_proposals(session, JobRow.id == job_id)


def _save(
    store: Store,
    job: Job,
    judged: Sequence[Judged],
    table: type[JudgementRow] | type[ProposalRow],
    spent: Mapping[str, float],
) -> None:
    with store.writing() as session:
        row = lock_work(session, job)
        ids = [one.answer_id for one in judged]
        own = select(AnswerRow.id).where(AnswerRow.id.in_(ids), AnswerRow.question_id == job.question_id)
        there = set(session.scalars(own))
        earlier = delete(table).where(table.answer_id.in_(ids))
        if table is ProposalRow:
            earlier = earlier.where(ProposalRow.job_id == job.id)
        session.execute(earlier)
        rows = [{"job_id": job.id, **columns_of(one)} for one in judged if one.answer_id in there]
        if rows:
            session.execute(insert(table), rows)
        counted = select(func.count()).select_from(table).where(table.job_id == job.id)
        row.done, row.heartbeat = session.scalars(counted).one(), shared_now(session)
        deferred = sum(one["deferred"] for one in rows)
        graded = {(GRADED, job.kind): len(rows), (DEFERRED, job.kind): deferred}
        count(session, {**graded, **seconds(spent)})


def _demand_proposed(session: Session, job_id: int) -> JobRow:
    row = lock_job(session, job_id)
    if row is None or row.kind != "regrade" or row.state != "done":
        raise PostilError(
            "these changes are not there any more.", hint="They were applied or dropped; grade again to see."
        )
    return row


def _proposals_that_win(job_id: int) -> Select[Any]:
    """What a regrade says of answers that nobody has decided, or that had no judgement at all."""
    judged = exists().where(JudgementRow.answer_id == ProposalRow.answer_id)
    return select(ProposalRow).where(ProposalRow.job_id == job_id, or_(~_decided(), ~judged))


def _keep_facets(session: Session, job_id: int) -> None:
    """Give what a regrade leaves partly right the facets of the current judgement."""
    own = JudgementRow.answer_id == ProposalRow.answer_id, JudgementRow.label == PARTLY
    same = ProposalRow.job_id == job_id, ProposalRow.label == PARTLY, exists().where(*own)
    names = "facets", "looked_for"
    before = {name: select(getattr(JudgementRow, name)).where(*own).scalar_subquery() for name in names}
    session.execute(update(ProposalRow).where(*same).values(before))


def _decided() -> Exists:
    return exists().where(DecisionRow.answer_id == ProposalRow.answer_id, DecisionRow.standing)


# Figures about a whole class, quickly: only what is counted is read, and no texts or pictures.


@dataclass(frozen=True, slots=True)
class Said:
    """What the machine says of an answer, without words."""

    label: str
    confidence: float
    deferred: bool
    reason: Reason | None
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


# Long lists a page at a time, for programs: a page begins behind what the one before ended with.


def jobs_before(store: Store, question_id: int, before: int | None, limit: int) -> list[Job]:
    """The jobs of a question, the newest first, that are older than one."""
    wanted = select(JobRow).where(JobRow.question_id == question_id)
    if before is not None:
        wanted = wanted.where(JobRow.id < before)
    with store.reading() as session:
        return [job_of(row) for row in session.scalars(wanted.order_by(JobRow.id.desc()).limit(limit))]


def changes_after(store: Store, job_id: int, place: int | None, limit: int) -> list[Change]:
    """What a regrade would change, in the order of the answers, behind a place."""
    wanted = changed(job_id, AnswerRow, JudgementRow, ProposalRow)
    if place is not None:
        wanted = wanted.where(AnswerRow.place > place)
    with store.reading() as session:
        return [change_of(*row) for row in session.execute(wanted.order_by(AnswerRow.place).limit(limit))]


def numbers_of(store: Store, question_id: int, keys: Sequence[str]) -> list[int]:
    """The numbers of answers, named by the ids that they were stored with, in this order."""
    wanted = select(AnswerRow.key, AnswerRow.id).where(AnswerRow.question_id == question_id)
    with store.reading() as session:
        numbers = dict(session.execute(wanted).all())
    named = (storable(key).strip() for key in keys)
    return [numbers[key] for key in named if key in numbers]
