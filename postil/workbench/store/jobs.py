"""Jobs: put work into the queue, take it out, say how far it is, and how it ended."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from math import fsum
from secrets import randbelow, token_hex

from sqlalchemy import ColumnElement, and_, case, delete, exists, func, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session, aliased

from postil.errors import PostilError
from postil.workbench.records import Job
from postil.workbench.store.database import Store, newest, revision_of
from postil.workbench.store.questions import lock_question
from postil.workbench.store.rows import job_of
from postil.workbench.store.tables import (
    CounterRow,
    JobRow,
    ProposalRow,
    QuestionRow,
    UtcTime,
    WorkerRow,
    now,
)

# The clock by which leases run: machines that share a database need not agree about the time.


def shared_now(session: Session) -> datetime:
    """This moment by the clock of the database server; by this computer's where the database is a file."""
    if session.get_bind().dialect.name != "postgresql":
        return now()
    return session.scalars(select(func.clock_timestamp(type_=UtcTime()))).one()


# Workers: who is there to do jobs, busy or not.

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


# Counters for who looks after the machines: how much was graded, and how long it took. They only grow.
#
# They are written in the transaction that stores what is counted, so nothing is counted twice or forgotten,
# whoever dies meanwhile. No text of anybody's is in them.

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


KINDS = ("propose", "grade", "regrade", "recheck", "facets")
_AWAITED = ("propose", "facets")  # somebody waits before the page for these
_GRADING = ("grade", "regrade")  # after these, what an earlier regrade proposes is old
STALE = 15.0  # seconds without a heartbeat after which whoever had the job is taken to be dead
MOST_ATTEMPTS = 5
_LOOKED_AT = 50  # free jobs that a worker tries to take before it looks again
_OPEN = ("waiting", "running")
_ENDED_WELL = ("done", "applied", "dropped")


class JobGoneError(PostilError):
    """A job that was deleted, or taken over by another worker, while it was being worked on."""

    def __init__(self) -> None:
        super().__init__("this job is not running any more.", hint="Start it again.")


def enqueue(store: Store, kind: str, question_id: int) -> int:
    """Ask for work on a question; where the same is already waiting or running, that job is returned."""
    if kind not in KINDS:
        raise ValueError(f"no such kind of job: {kind}")
    with store.writing() as session:
        lock_question(session, question_id)
        own = JobRow.question_id == question_id
        same = select(JobRow.id).where(own, JobRow.kind == kind, JobRow.state.in_(_OPEN))
        open_ = session.scalars(same.order_by(JobRow.id)).first()
        if open_ is not None:
            return open_
        if kind in _GRADING:
            drop_proposals(session, own)
        row = JobRow(question_id=question_id, kind=kind, state="waiting", phase="", done=0, total=0)
        row.error, row.result, row.worker, row.attempts, row.created = "", {}, "", 0, shared_now(session)
        session.add(row)
        session.flush()
        return row.id


def claim(store: Store, worker: str, *, stale: float = STALE) -> Job | None:
    """Take the next job, or one whose worker gave no sign of life for `stale` seconds; None if there is none.

    What is returned is in the hands of who called, and only with it the job can be written. Whoever starts a
    job and dies leaves it to the next, but a job that killed several workers has failed.
    """
    order = case((JobRow.kind.in_(_AWAITED), 0), else_=1)
    wanted = select(JobRow.id, JobRow.question_id).order_by(order, JobRow.id).limit(_LOOKED_AT)
    with store.reading() as session:  # a write would make pages wait, every time the queue is looked at
        free = session.execute(wanted.where(_free(session, stale))).all()
    for job_id, question_id in free:
        with store.writing() as session:
            job = _take(session, job_id, question_id, worker, stale)
        if job is not None:
            return job
    return None


def resume(store: Store, job: Job) -> Job:
    """The job as it is now, if it is still in the hands of who claimed it; it shows a sign of life."""
    with store.writing() as session:
        row = lock_held(session, job)
        row.heartbeat = shared_now(session)
        return job_of(row)


def heartbeat(store: Store, job: Job) -> None:
    """Show that the job is still being worked on."""
    with store.writing() as session:
        lock_held(session, job).heartbeat = shared_now(session)


def set_phase(store: Store, job: Job, phase: str, total: int) -> None:
    """Say what the job does now, and of how many answers."""
    with store.writing() as session:
        row = lock_held(session, job)
        row.phase, row.total = phase, total


def finish(
    store: Store, job: Job, result: Mapping[str, object], spent: Mapping[str, float] | None = None
) -> None:
    """The job is done; `spent` are seconds by stage that were not counted yet."""
    with store.writing() as session:
        row = lock_held(session, job)
        row.state, row.phase, row.result, row.finished = "done", "", dict(result), now()
        count(session, {_ended(row): 1, **seconds(spent or {})})


def fail(store: Store, job: Job, message: str) -> None:
    """The job cannot be done; the message is for the teacher."""
    with store.writing() as session:
        row = lock_held(session, job)
        row.state, row.phase, row.error, row.finished = "failed", "", message, now()
        count(session, {_ended(row): 1})


def release(store: Store, job: Job) -> None:
    """Give a job back to the queue: who worked on it is told to stop, and another goes on at once."""
    with store.writing() as session:
        row = lock_held(session, job)
        row.state, row.worker, row.attempts = "waiting", "", row.attempts - 1


def get_job(store: Store, job_id: int) -> Job:
    """One job."""
    with store.reading() as session:
        row = session.get(JobRow, job_id)
        if row is None:
            raise PostilError("this job is not there.", hint="Its question may have been changed or deleted.")
        return job_of(row)


def latest_job(store: Store, question_id: int, kind: str | None = None) -> Job | None:
    """The newest job of a question, of one kind or of any that reads answers; None if there was none.

    It says whether it is forsaken.
    """
    wanted = select(JobRow).where(JobRow.question_id == question_id)
    wanted = wanted.where(JobRow.kind != "facets" if kind is None else JobRow.kind == kind)
    with store.reading() as session:
        row = session.scalars(wanted.order_by(JobRow.id.desc()).limit(1)).first()
        return None if row is None else replace(job_of(row), forsaken=_is_forsaken(session, row))


def decisions_heard(store: Store, question_id: int) -> int:
    """How many decisions the last grading knew, whatever became of it; those have taught already."""
    ended = JobRow.kind.not_in(_AWAITED), JobRow.state.in_(_ENDED_WELL)
    wanted = select(JobRow.result).where(JobRow.question_id == question_id, *ended)
    with store.reading() as session:
        result = session.scalars(wanted.order_by(JobRow.id.desc()).limit(1)).first()
        return int(result.get("decided", 0)) if result else 0


def demand_held(session: Session, job: Job) -> JobRow:
    """The row of a job that must be running, and still in the hands of who claimed it."""
    return _held(session.get(JobRow, job.id), job)


def lock_held(session: Session, job: Job) -> JobRow:
    """The same before writing: nobody takes the job over until this is done."""
    return _held(session.get(JobRow, job.id, with_for_update={"key_share": True}), job)


def lock_work(session: Session, job: Job) -> JobRow:
    """The same, and nobody else writes under the job's question."""
    if session.get(QuestionRow, job.question_id, with_for_update={"key_share": True}) is None:
        raise JobGoneError
    return lock_held(session, job)


def lock_job(session: Session, job_id: int) -> JobRow | None:
    """The row of a job, if it is there, under whose question nobody else writes until this is done."""
    wanted = select(JobRow.question_id).where(JobRow.id == job_id)
    question_id = session.scalars(wanted).one_or_none()
    if question_id is None:
        return None
    lock_question(session, question_id)
    return session.get(JobRow, job_id, with_for_update={"key_share": True})


def drop_proposals(session: Session, which: ColumnElement[bool]) -> None:
    """Forget what these regrades proposed and nobody applied."""
    dropped = and_(which, JobRow.kind == "regrade", JobRow.state == "done")
    ids = list(session.scalars(select(JobRow.id).where(dropped)))
    session.execute(delete(ProposalRow).where(ProposalRow.job_id.in_(ids)))
    session.execute(update(JobRow).where(JobRow.id.in_(ids)).values(state="dropped"))


def _take(session: Session, job_id: int, question_id: int, worker: str, stale: float) -> Job | None:
    """Take a job that was free a moment ago; None if it is not any more, or if it has failed too often."""
    # Who is just writing under the question may be claiming another of its jobs: that one comes first.
    question = select(QuestionRow.id).where(QuestionRow.id == question_id)
    if session.scalars(question.with_for_update(key_share=True, skip_locked=True)).first() is None:
        return None
    wanted = select(JobRow).where(JobRow.id == job_id, _free(session, stale))
    row = session.scalars(wanted.with_for_update(key_share=True, skip_locked=True)).first()
    if row is None:
        return None
    if row.attempts >= MOST_ATTEMPTS:
        row.state, row.finished = "failed", now()
        row.error = f"the work stopped {MOST_ATTEMPTS} times before it was done. Start it again."
        count(session, {_ended(row): 1})
        return None
    # Names can be the same on two machines, and the same worker can come again: this happens once.
    row.state, row.worker, row.attempts = "running", f"{worker} {token_hex(8)}", row.attempts + 1
    row.heartbeat = shared_now(session)
    if row.started is None:
        row.started = row.heartbeat
        waited = max(0.0, (row.started - row.created).total_seconds())
        count(session, seconds({"waiting": waited}))
    return job_of(row)


def _is_forsaken(session: Session, row: JobRow) -> bool:
    """Whether a job waits though its time has come, and there is no worker: for somebody who must know."""
    if row.state not in _OPEN:
        return False
    old = shared_now(session) - timedelta(seconds=STALE)
    return (row.heartbeat or row.created) < old and count_alive(session) == 0


def _ended(row: JobRow) -> tuple[str, str]:
    """The counter of jobs of this kind that ended so."""
    return ENDED, f"{row.kind} {row.state}"


def _held(row: JobRow | None, job: Job) -> JobRow:
    if row is None or row.state != "running" or row.worker != job.claim:
        raise JobGoneError
    return row


def _free(session: Session, stale: float) -> ColumnElement[bool]:
    """Whether a job can be taken: nobody is at it, and none comes first that judges the same answers."""
    old = shared_now(session) - timedelta(seconds=stale)
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
    return and_(alone, or_(waits, and_(JobRow.state == "running", JobRow.heartbeat < old)))


# What monitors are told of the database: its revision, the queue, and what was counted.


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
