"""Jobs: the queue of work on questions, the leases by which workers hold jobs, and figures about it all.

A worker that takes a job gets a *lease* on it (`lease_job`). It renews the lease every few seconds
(`renew_lease`); once it has not done so for `LEASE_SECONDS`, it counts as dead, and the next worker can
lease the job. Whoever writes something for a job shows the lease, and gets `LeaseLostError` if it has ended.
A clock that is set back ends leases, at worst, and never prolongs them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from math import fsum
from secrets import randbelow, token_hex
from typing import Any

from sqlalchemy import ColumnElement, and_, case, delete, exists, func, not_, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session, aliased

from postil.errors import PostilError
from postil.workbench.records import Job, Manner
from postil.workbench.store.courses import lock_question
from postil.workbench.store.database import Store, newest, revision_of
from postil.workbench.store.rows import demand, job_of
from postil.workbench.store.tables import (
    CounterRow,
    CourseRow,
    JobRow,
    ProposalRow,
    QuestionRow,
    WorkerRow,
    now,
    shared_now,
)

KINDS = ("propose", "grade", "regrade", "recheck", "facets", "preview")
LEASE_SECONDS = 15.0  # without a renewal, after which a lease has run out
# Leases on one job that may run out without a new judgement before it has failed. No answer can end a worker,
# only the process behind it; so it takes many before the job itself is suspected.
MOST_ATTEMPTS = 25
_AWAITED = ("propose", "facets")  # somebody waits in front of the page for these
PROPOSING = ("regrade", "preview")  # what these find waits beside the current judgements
_GRADING = ("grade", "regrade")  # after these, what an earlier regrade or preview proposes is old
_ASIDE = ("facets", "preview")  # the rubric's page shows these, not the question's
_LOOKED_AT = 50  # free jobs that a worker tries to lease before it looks again
_OPEN = ("waiting", "running")
_ENDED_WELL = ("done", "applied", "dropped")
_WORKER_SILENT = timedelta(minutes=1)  # after which a worker counts as gone
_WORKER_REMEMBERED = timedelta(hours=1)

# Counters: how much was graded, and how long it took. They only grow, and hold nobody's text.
GRADED, DEFERRED = "answers_graded", "answers_deferred"  # by what asked for it
SECONDS = "stage_seconds"  # by stage
ENDED = "jobs_ended"  # by kind and state, with a blank between
_SLOTS = 16

# What is added to counters, by their names and labels.
Counts = Mapping[tuple[str, str], float]


class LeaseLostError(PostilError):
    """The job was deleted, or another worker has leased it, while it was being worked on."""

    def __init__(self) -> None:
        super().__init__("this job is no longer running.", hint="Start it again.")


@dataclass(frozen=True, slots=True)
class Figures:
    """The state of the whole installation, for monitors.

    `counters` are by name and label, `waiting` and `running` by the jobs' kind. `oldest` is for how many
    seconds the oldest waiting job has waited.
    """

    counters: Mapping[tuple[str, str], float]
    waiting: Mapping[str, int]
    running: Mapping[str, int]
    oldest: float
    workers: int


def enqueue(store: Store, kind: str, question_id: int) -> int:
    """Ask for work on a question; where the same is already waiting or running, that job is returned."""
    if kind not in KINDS or kind == "preview":  # that one needs a draft (`rubrics.draft_rubric`)
        raise ValueError(f"no such kind of job: {kind}")
    with store.writing() as session:
        lock_question(session, question_id)
        own = JobRow.question_id == question_id
        same = select(JobRow.id).where(own, JobRow.kind == kind, JobRow.state.in_(_OPEN))
        job_id = session.scalars(same.order_by(JobRow.id)).first()
        if job_id is not None:
            return job_id
        if kind in _GRADING:
            drop_proposals(session, own)
        return put_job(session, kind, question_id)


def put_job(session: Session, kind: str, question_id: int, result: Mapping[str, object] | None = None) -> int:
    """Put a job into the queue within a transaction; `result` has what it needs to know beforehand."""
    row = JobRow(question_id=question_id, kind=kind, state="waiting", phase="", done=0, total=0)
    row.error, row.worker, row.attempts, row.created = "", "", 0, shared_now(session)
    row.result = dict(result or {})
    session.add(row)
    session.flush()
    return row.id


def lease_job(store: Store, worker: str, *, expires_after: float = LEASE_SECONDS) -> Job | None:
    """Lease the next job, or one whose lease was not renewed for so many seconds; None if there is none.

    The job that is returned carries the lease: only with it can the job be written. A worker that dies leaves
    its job to the next, but a job that has outlived several workers has failed.
    """
    order = case((JobRow.kind.in_(_AWAITED), 0), else_=1)
    query = select(JobRow.id, JobRow.question_id).order_by(order, JobRow.id).limit(_LOOKED_AT)
    with store.reading() as session:  # a write would make pages wait, every time the queue is looked at
        free = session.execute(query.where(_free(session, expires_after))).all()
    for job_id, question_id in free:
        with store.writing() as session:
            job = _try_lease(session, job_id, question_id, worker, expires_after)
        if job is not None:
            return job
    return None


def renew_lease(store: Store, job: Job) -> Job:
    """Show that the job is still being worked on, and return it as it is now."""
    with store.writing() as session:
        row = demand_lease(session, job, lock=True)
        row.heartbeat = shared_now(session)
        return job_of(row)


def release_lease(store: Store, job: Job) -> None:
    """Give a job back to the queue: its worker was told to stop, and another can go on at once."""
    with store.writing() as session:
        row = demand_lease(session, job, lock=True)
        row.state, row.worker, row.attempts = "waiting", "", row.attempts - 1


def set_phase(store: Store, job: Job, phase: str, total: int) -> None:
    """Say what the job does now, and with how many answers."""
    with store.writing() as session:
        row = demand_lease(session, job, lock=True)
        row.phase, row.total = phase, total


def finish(
    store: Store, job: Job, result: Mapping[str, object], spent: Mapping[str, float] | None = None
) -> None:
    """Mark a job as done; `spent` has the seconds by stage that were not counted yet."""
    with store.writing() as session:
        row = demand_lease(session, job, lock=True)
        row.state, row.phase, row.result, row.finished = "done", "", dict(result), now()
        count(session, {_ended(row): 1, **seconds(spent or {})})


def fail(store: Store, job: Job, message: str) -> None:
    """Mark a job as failed; the message is for the teacher."""
    with store.writing() as session:
        row = demand_lease(session, job, lock=True)
        row.state, row.phase, row.error, row.finished = "failed", "", message, now()
        count(session, {_ended(row): 1})


def get_job(store: Store, job_id: int) -> Job:
    """One job."""
    with store.reading() as session:
        row = session.get(JobRow, job_id)
        return job_of(demand(row, "job", "Its question may have been changed or deleted."))


def latest_job(store: Store, question_id: int, kind: str | None = None) -> Job | None:
    """The newest job of a question, of one kind or of any that reads answers; None if there was none.

    It says whether it is forsaken: it waits though its time has come, and there is no worker.
    """
    query = select(JobRow).where(JobRow.question_id == question_id)
    query = query.where(JobRow.kind.not_in(_ASIDE) if kind is None else JobRow.kind == kind)
    with store.reading() as session:
        row = session.scalars(query.order_by(JobRow.id.desc()).limit(1)).first()
        if row is None or row.state not in _OPEN:
            return None if row is None else job_of(row)
        silent = abs(shared_now(session) - (row.heartbeat or row.created))
        is_late = silent > timedelta(seconds=LEASE_SECONDS)
        return replace(job_of(row), forsaken=is_late and count_alive(session) == 0)


def jobs_before(store: Store, question_id: int, before: int | None, limit: int) -> list[Job]:
    """The jobs of a question, the newest first, older than the job `before`."""
    query = select(JobRow).where(JobRow.question_id == question_id)
    if before is not None:
        query = query.where(JobRow.id < before)
    with store.reading() as session:
        return [job_of(row) for row in session.scalars(query.order_by(JobRow.id.desc()).limit(limit))]


def decisions_heard(store: Store, question_id: int) -> int:
    """How many decisions the last grading knew, whatever became of it; those have taught already."""
    with store.reading() as session:
        result = _last_grading(session, question_id)
        return int(result.get("decided", 0)) if result else 0


def manner_heard(store: Store, question_id: int) -> Manner | None:
    """How the last grading was done, whatever became of it; None before anything was graded."""
    with store.reading() as session:
        result = _last_grading(session, question_id)
        return None if result is None else manner_of(result)


def manner_of(result: Mapping[str, Any]) -> Manner:
    """How a grading was done, by its result; before courses could be told, all were done alike."""
    reader = result.get("reader")
    return Manner(str(result.get("strictness", "normal")), None if reader is None else str(reader))


def changed_settings(store: Store, question_id: int, missing: Callable[[str], str]) -> tuple[str, ...]:
    """Which settings of the course have changed since a question was graded, and would change something.

    `missing` says why a reader cannot be used; one that is missing changes nothing.
    """
    query = select(CourseRow).join(QuestionRow, QuestionRow.course_id == CourseRow.id)
    with store.reading() as session:
        result = _last_grading(session, question_id)
        course = session.scalars(query.where(QuestionRow.id == question_id)).one_or_none()
        if result is None or course is None:
            return ()
        heard, chosen = manner_of(result), Manner(course.strictness, course.reader)
    wanted = chosen.usable(missing(chosen.reader) if chosen.reader else "")
    return tuple(name for name, value in asdict(wanted).items() if value != getattr(heard, name))


def reader_missed(store: Store, question_id: int) -> str | None:
    """The course's reader, if the last grading had to do without it."""
    with store.reading() as session:
        missed = (_last_grading(session, question_id) or {}).get("missing_reader")
        return None if missed is None else str(missed)


def show_life(store: Store, name: str) -> None:
    """Record that a worker is alive, and forget workers not seen for a long time."""
    with store.writing() as session:
        moment = shared_now(session)
        session.merge(WorkerRow(name=name, seen=moment))
        session.execute(delete(WorkerRow).where(_is_far(WorkerRow.seen, moment, _WORKER_REMEMBERED)))


def leave(store: Store, name: str) -> None:
    """Remove a worker that is stopping."""
    with store.writing() as session:
        session.execute(delete(WorkerRow).where(WorkerRow.name == name))


def add_counts(store: Store, counts: Counts) -> None:
    """Count something that is not stored itself."""
    with store.writing() as session:
        count(session, counts)


def is_ready(store: Store) -> bool:
    """Whether the database answers, and has the tables that this version of Postil works with."""
    with store.reading() as session:
        return revision_of(session.connection()) == newest()


def read_figures(store: Store) -> Figures:
    """Read all figures at one moment."""
    query = select(JobRow.state, JobRow.kind, func.count()).where(JobRow.state.in_(_OPEN))
    first = select(func.min(JobRow.created)).where(JobRow.state == "waiting")
    with store.reading() as session:
        rows = session.execute(query.group_by(JobRow.state, JobRow.kind))
        counts = {(state, kind): number for state, kind, number in rows}
        waiting, running = ({kind: counts.get((state, kind), 0) for kind in KINDS} for state in _OPEN)
        created = session.scalars(first).one()
        oldest = 0.0 if created is None else max(0.0, (shared_now(session) - created).total_seconds())
        return Figures(totals(session), waiting, running, oldest, count_alive(session))


def demand_lease(session: Session, job: Job, *, lock: bool = False) -> JobRow:
    """The row of a job whose lease still holds; `lock` it before writing."""
    row = session.get(JobRow, job.id, with_for_update={"key_share": True} if lock else None)
    if row is None or row.state != "running" or row.worker != job.lease:
        raise LeaseLostError
    return row


def lock_work(session: Session, job: Job) -> JobRow:
    """Like `demand_lease` with a lock that also covers the job's question, until the transaction ends."""
    if session.get(QuestionRow, job.question_id, with_for_update={"key_share": True}) is None:
        raise LeaseLostError
    return demand_lease(session, job, lock=True)


def lock_job(session: Session, job_id: int) -> JobRow | None:
    """The row of a job, if it exists, under whose question nobody else writes until this is done."""
    query = select(JobRow.question_id).where(JobRow.id == job_id)
    question_id = session.scalars(query).one_or_none()
    if question_id is None:
        return None
    lock_question(session, question_id)
    return session.get(JobRow, job_id, with_for_update={"key_share": True})


def drop_proposals(session: Session, condition: ColumnElement[bool]) -> None:
    """Forget what these jobs proposed and nobody applied."""
    proposing = select(JobRow.id).where(condition, JobRow.kind.in_(PROPOSING), JobRow.state == "done")
    ids = list(session.scalars(proposing))
    session.execute(delete(ProposalRow).where(ProposalRow.job_id.in_(ids)))
    session.execute(update(JobRow).where(JobRow.id.in_(ids)).values(state="dropped"))


def count(session: Session, counts: Counts) -> None:
    """Count within the transaction that stores what is counted, best as its last step: others may wait.

    So nothing is counted twice or forgotten, whoever dies meanwhile.
    """
    slot = randbelow(_SLOTS)
    names = [column.name for column in CounterRow.__table__.columns]
    # All go through the rows in the same order: nobody waits for somebody who waits for them.
    added = ((*key, slot, value) for key, value in sorted(counts.items()) if value)
    rows = [dict(zip(names, row, strict=True)) for row in added]
    if rows:
        is_postgres = session.get_bind().dialect.name == "postgresql"
        insert: Any = (postgresql.insert if is_postgres else sqlite.insert)(CounterRow)
        put = insert.values(rows)
        total = {"value": CounterRow.value + put.excluded.value}
        session.execute(put.on_conflict_do_update(index_elements=names[:3], set_=total))


def seconds(spent: Mapping[str, float]) -> dict[tuple[str, str], float]:
    """Seconds by stage, to be counted."""
    return {(SECONDS, stage): took for stage, took in spent.items()}


def totals(session: Session) -> dict[tuple[str, str], float]:
    """What was counted, by the names and labels of the counters."""
    values: dict[tuple[str, str], list[float]] = defaultdict(list)
    for name, label, value in session.execute(select(CounterRow.name, CounterRow.label, CounterRow.value)):
        values[name, label].append(value)
    # The database's sum can be a trifle less in another order, and a counter that falls has begun anew.
    return {key: fsum(slots) for key, slots in values.items()}


def count_alive(session: Session) -> int:
    """How many workers have shown lately that they are alive."""
    silent = _is_far(WorkerRow.seen, shared_now(session), _WORKER_SILENT)
    return session.scalars(select(func.count()).select_from(WorkerRow).where(not_(silent))).one()


def _last_grading(session: Session, question_id: int) -> Mapping[str, Any] | None:
    """The result of the last job that graded; None if there was none."""
    ended = JobRow.kind.not_in((*_AWAITED, *_ASIDE)), JobRow.state.in_(_ENDED_WELL)
    query = select(JobRow.result).where(JobRow.question_id == question_id, *ended)
    return session.scalars(query.order_by(JobRow.id.desc()).limit(1)).first()


def _try_lease(
    session: Session, job_id: int, question_id: int, worker: str, expires_after: float
) -> Job | None:
    """Lease a job that was free a moment ago; None if it no longer is, or if it has failed too often."""
    # Whoever is writing under the question may be leasing another of its jobs: that one comes first.
    question = select(QuestionRow.id).where(QuestionRow.id == question_id)
    if session.scalars(question.with_for_update(key_share=True, skip_locked=True)).first() is None:
        return None
    query = select(JobRow).where(JobRow.id == job_id, _free(session, expires_after))
    row = session.scalars(query.with_for_update(key_share=True, skip_locked=True)).first()
    if row is None:
        return None
    if row.attempts >= MOST_ATTEMPTS:
        row.state, row.finished = "failed", now()
        row.error = f"the work stopped {MOST_ATTEMPTS} times before it was finished. Start it again."
        count(session, {_ended(row): 1})
        return None
    # Names can be the same on two machines, and the same worker can come again: a lease is unique.
    row.state, row.worker, row.attempts = "running", f"{worker} {token_hex(8)}", row.attempts + 1
    row.heartbeat = shared_now(session)
    if row.started is None:
        row.started = row.heartbeat
        waited = max(0.0, (row.started - row.created).total_seconds())
        count(session, seconds({"waiting": waited}))
    return job_of(row)


def _free(session: Session, expires_after: float) -> ColumnElement[bool]:
    """Whether a job can be leased: nobody works on it, and no other job on the same answers goes first."""
    expired = _is_far(JobRow.heartbeat, shared_now(session), timedelta(seconds=expires_after))
    waits = JobRow.state == "waiting"
    other = aliased(JobRow)
    earlier = and_(waits, other.state == "waiting", other.id < JobRow.id)
    first = exists().where(
        other.question_id == JobRow.question_id,
        other.id != JobRow.id,
        other.kind.not_in(_AWAITED),
        or_(other.state == "running", earlier),
    )
    alone = or_(JobRow.kind.in_(_AWAITED), ~first)
    return and_(alone, or_(waits, and_(JobRow.state == "running", expired)))


def _is_far(column: Any, moment: datetime, longest: timedelta) -> ColumnElement[bool]:
    """Whether a sign of life is too old, or dated too far in the future.

    One from the future was given before the clock was set back, and counts as old: whoever is alive soon
    gives another, and whoever is dead must not keep a job until the clock has caught up.
    """
    return or_(column < moment - longest, column > moment + longest)


def _ended(row: JobRow) -> tuple[str, str]:
    """The counter for jobs of this kind that ended in this state."""
    return ENDED, f"{row.kind} {row.state}"
