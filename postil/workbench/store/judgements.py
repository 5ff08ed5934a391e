"""Judgements: keep what the machine says, and what a regrade would change before it is applied."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Exists, Select, delete, exists, func, insert, or_, select, update
from sqlalchemy.orm import Session

from postil.data.labels import PARTLY
from postil.errors import PostilError
from postil.workbench.records import Job, Judged
from postil.workbench.store.clock import shared_now
from postil.workbench.store.counters import DEFERRED, GRADED, count, seconds
from postil.workbench.store.database import Store
from postil.workbench.store.jobs import demand_held, drop_proposals, lock_job, lock_work
from postil.workbench.store.rows import columns_of
from postil.workbench.store.tables import AnswerRow, DecisionRow, JobRow, JudgementRow, ProposalRow, now

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
