"""Judgements: keep what the machine says, and what a regrade would change before it is applied."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Exists, Select, delete, exists, func, insert, or_, select, update
from sqlalchemy.orm import Session

from postil.data.judgements import Reason
from postil.data.labels import PARTLY
from postil.errors import PostilError
from postil.workbench.records import Change, Decision, Job, Judged, counting_label
from postil.workbench.store.answers import joined, label_column
from postil.workbench.store.database import Store
from postil.workbench.store.jobs import (
    DEFERRED,
    GRADED,
    PROPOSING,
    count,
    demand_lease,
    drop_proposals,
    latest_job,
    lock_job,
    lock_work,
    seconds,
)
from postil.workbench.store.rows import answer_of, batches_of, columns_of, decision_of, judged_of
from postil.workbench.store.tables import (
    AnswerRow,
    DecisionRow,
    JobRow,
    JudgementRow,
    ProposalRow,
    now,
    shared_now,
)

_KEPT = [column.key for column in JudgementRow.__table__.columns if column.key != "job_id"]


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
        return counting_label(self.decision, self.judged)


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


def save_judgements(
    store: Store, job: Job, judged: Sequence[Judged], spent: Mapping[str, float] | None = None
) -> None:
    """Store judgements that a job made, and count them as done: all in one transaction.

    A judgement takes the place of the answer's earlier one; those of a regrade or a preview wait beside the
    current ones. Answers deleted in the meantime are skipped. `spent` are seconds by stage, to be counted
    with them.
    """
    table: type[JudgementRow] | type[ProposalRow] = ProposalRow if job.kind in PROPOSING else JudgementRow
    with store.writing() as session:
        row = lock_work(session, job)
        ids = [judgement.answer_id for judgement in judged]
        own = select(AnswerRow.id).where(AnswerRow.id.in_(ids), AnswerRow.question_id == job.question_id)
        existing = set(session.scalars(own))
        earlier = delete(table).where(table.answer_id.in_(ids))
        if table is ProposalRow:
            earlier = earlier.where(ProposalRow.job_id == job.id)
        session.execute(earlier)
        stored = [judgement for judgement in judged if judgement.answer_id in existing]
        rows = [{"job_id": job.id, **columns_of(judgement)} for judgement in stored]
        if rows:
            session.execute(insert(table), rows)
        counted = select(func.count()).select_from(table).where(table.job_id == job.id)
        row.done, row.heartbeat = session.scalars(counted).one(), shared_now(session)
        row.attempts = 1  # only workers that die without getting on count against a job
        deferred = sum(judgement.deferred for judgement in stored)
        graded = {(GRADED, job.kind): len(rows), (DEFERRED, job.kind): deferred}
        is_graded = job.kind != "preview"  # which only looks for the items of a draft
        count(session, {**(graded if is_graded else {}), **seconds(spent or {})})


def missing(store: Store, job: Job) -> list[int]:
    """The answers that a job still has to judge, in their order.

    A regrade judges every answer again, to be looked at before anything changes, and so do a recheck and a
    preview, which keep the labels. Otherwise what has a judgement keeps it, whichever job made it: answers
    that come late change nothing about earlier ones.
    """
    with store.reading() as session:
        demand_lease(session, job)
        made = exists().where(JudgementRow.answer_id == AnswerRow.id)
        if job.kind in PROPOSING:
            made = exists().where(ProposalRow.answer_id == AnswerRow.id, ProposalRow.job_id == job.id)
        elif job.kind == "recheck":
            made = made.where(JudgementRow.job_id == job.id)
        query = select(AnswerRow.id).where(AnswerRow.question_id == job.question_id, ~made)
        return list(session.scalars(query.order_by(AnswerRow.place)))


def unread(store: Store, job: Job) -> set[int]:
    """The answers that could not be read before; except for `grade`, only those that this job found itself.

    Whoever grades everything again may have given workers more memory, so that is tried again.
    """
    table: type[JudgementRow] | type[ProposalRow] = ProposalRow if job.kind in PROPOSING else JudgementRow
    query = select(table.answer_id).join(AnswerRow, AnswerRow.id == table.answer_id)
    query = query.where(AnswerRow.question_id == job.question_id, table.reason == Reason.UNREAD)
    if job.kind != "grade":
        query = query.where(table.job_id == job.id)
    with store.reading() as session:
        demand_lease(session, job)
        return set(session.scalars(query))


def other_results(store: Store, job: Job) -> list[Mapping[str, Any]]:
    """The results of all other jobs whose judgements still count: what they knew when they judged."""
    with store.reading() as session:
        demand_lease(session, job)
        decided = exists().where(DecisionRow.answer_id == JudgementRow.answer_id, DecisionRow.standing)
        counts = exists().where(JudgementRow.job_id == JobRow.id, ~decided)
        others = select(JobRow.result).where(JobRow.question_id == job.question_id, JobRow.id != job.id)
        return list(session.scalars(others.where(counts)))


def apply_changes(store: Store, job_id: int) -> None:
    """Put what a regrade proposes in place of the current judgements; decided answers keep theirs.

    Only labels are shown beforehand, so only they may change what an answer earns: what stays partly right
    keeps its facets.
    """
    with store.writing() as session:
        row = _demand_proposed(session, job_id)
        _keep_facets(session, job_id)
        judged = exists().where(JudgementRow.answer_id == ProposalRow.answer_id)
        take_over(session, row, or_(~_decided(), ~judged))


def take_over(session: Session, job: JobRow, condition: ColumnElement[bool]) -> None:
    """Put a job's proposals for which something holds in place of the judgements; forget the rest."""
    wins = select(ProposalRow).where(ProposalRow.job_id == job.id, condition)
    winners = list(session.scalars(wins.with_only_columns(ProposalRow.answer_id)))
    for ids in batches_of(winners):
        session.execute(delete(JudgementRow).where(JudgementRow.answer_id.in_(ids)))
        rows = select(*(getattr(ProposalRow, name) for name in _KEPT), ProposalRow.job_id).where(
            ProposalRow.job_id == job.id, ProposalRow.answer_id.in_(ids)
        )
        session.execute(insert(JudgementRow).from_select([*_KEPT, "job_id"], rows))
    session.execute(delete(ProposalRow).where(ProposalRow.job_id == job.id))
    job.state, job.finished = "applied", now()


def drop_changes(store: Store, job_id: int) -> None:
    """Forget what a regrade proposes; everything stays as it is."""
    with store.writing() as session:
        _demand_proposed(session, job_id)
        drop_proposals(session, JobRow.id == job_id)


def see(store: Store, question_id: int) -> list[Seen]:
    """All answers of a question as statistics see them, in their order."""
    # Every one of these may be missing, which the columns' own types do not say.
    columns: list[Any] = [getattr(JudgementRow, field.name) for field in fields(Said)]
    query = joined(AnswerRow.id, DecisionRow, *columns).where(AnswerRow.question_id == question_id)
    with store.reading() as session:
        return [
            Seen(id, None if said[0] is None else Said(*said), decision_of(row) if row else None)
            for id, row, *said in session.execute(query.order_by(AnswerRow.place))
        ]


def count_labelled(store: Store, question_id: int) -> int:
    """How many answers have a label, the machine's or a person's."""
    query = joined(func.count(label_column())).where(AnswerRow.question_id == question_id)
    with store.reading() as session:
        count: int = session.scalars(query).one()
        return count


def kinds_of_change(store: Store, job_id: int) -> list[Kind]:
    """What a regrade would change, by kind, the most frequent first."""
    before, after = JudgementRow.label, ProposalRow.label
    query = _changed(job_id, before, after, func.count()).group_by(before, after)
    with store.reading() as session:
        kinds = [Kind(*row) for row in session.execute(query)]
    return sorted(kinds, key=lambda kind: (-kind.count, kind.name))


def count_changes(store: Store, question_id: int) -> int | None:
    """How many answers the latest regrade would change; None if there is none to apply or drop."""
    job = latest_job(store, question_id, "regrade")
    if job is None or job.state != "done":
        return None
    with store.reading() as session:
        count: int = session.scalars(_changed(job.id, func.count())).one()
        return count


def some_changes(
    store: Store, job_id: int, kind: Kind | None, most: int, after: int | None = None
) -> list[Change]:
    """The first changes of a kind, or of all kinds, in the order of the answers, `after` a place if given."""
    query = _changed(job_id, AnswerRow, JudgementRow, ProposalRow)
    if kind:
        query = query.where(JudgementRow.label == kind.before, ProposalRow.label == kind.after)
    if after is not None:
        query = query.where(AnswerRow.place > after)
    with store.reading() as session:
        rows = session.execute(query.order_by(AnswerRow.place).limit(most))
        return [
            Change(answer_of(answer), judged_of(before), judged_of(after)) for answer, before, after in rows
        ]


def _changed(job_id: int, *columns: Any) -> Select[Any]:
    """A query about answers that a regrade gives another label, without those that a person has decided."""
    return (
        select(*columns)
        .select_from(AnswerRow)
        .join(JudgementRow, JudgementRow.answer_id == AnswerRow.id)
        .join(ProposalRow, ProposalRow.answer_id == AnswerRow.id)
        .where(ProposalRow.job_id == job_id, ~_decided())
        .where(ProposalRow.label != JudgementRow.label)
    )


def _demand_proposed(session: Session, job_id: int) -> JobRow:
    row = lock_job(session, job_id)
    if row is None or row.kind != "regrade" or row.state != "done":
        what = "these changes are no longer available."
        raise PostilError(what, hint="They have been applied or dropped. Grade again to see new ones.")
    return row


def _keep_facets(session: Session, job_id: int) -> None:
    """Give what a regrade leaves partly right the facets of the current judgement."""
    own = JudgementRow.answer_id == ProposalRow.answer_id, JudgementRow.label == PARTLY
    same = ProposalRow.job_id == job_id, ProposalRow.label == PARTLY, exists().where(*own)
    names = "facets", "looked_for"
    before = {name: select(getattr(JudgementRow, name)).where(*own).scalar_subquery() for name in names}
    session.execute(update(ProposalRow).where(*same).values(before))


def _decided() -> Exists:
    return exists().where(DecisionRow.answer_id == ProposalRow.answer_id, DecisionRow.standing)
