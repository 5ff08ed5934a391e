"""Jobs: put work into the queue, take it out, say how far it is, and how it ended."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from sqlalchemy import ColumnElement, and_, case, delete, or_, select, update
from sqlalchemy.orm import Session

from postil.errors import PostilError
from postil.service.records import Job
from postil.service.store.database import Store
from postil.service.store.kept import job_of
from postil.service.store.questions import demand_question
from postil.service.store.tables import JobRow, ProposalRow, now

KINDS = ("propose", "grade", "regrade", "recheck", "facets")
_AWAITED = ("propose", "facets")  # somebody waits before the page for these
_GRADING = ("grade", "regrade")  # after these, what an earlier regrade proposes is old
STALE = 15.0  # seconds without a heartbeat after which whoever had the job is taken to be dead
MOST_ATTEMPTS = 5
_OPEN = ("waiting", "running")
_ENDED_WELL = ("done", "applied", "dropped")


class JobGoneError(PostilError):
    """A job that was deleted, or taken over, while it was being worked on."""

    def __init__(self) -> None:
        super().__init__("this job is not running any more.", hint="Start it again.")


def enqueue(store: Store, kind: str, question_id: int) -> int:
    """Ask for work on a question; where the same is already waiting or running, that job is returned."""
    if kind not in KINDS:
        raise ValueError(f"no such kind of job: {kind}")
    with store.writing() as session:
        demand_question(session, question_id)
        own = JobRow.question_id == question_id
        same = select(JobRow.id).where(own, JobRow.kind == kind, JobRow.state.in_(_OPEN))
        open_ = session.scalars(same.order_by(JobRow.id)).first()
        if open_ is not None:
            return open_
        if kind in _GRADING:
            drop_proposals(session, own)
        row = JobRow(question_id=question_id, kind=kind, state="waiting", phase="", done=0, total=0)
        row.error, row.result, row.worker, row.attempts, row.created = "", {}, "", 0, now()
        session.add(row)
        session.flush()
        return row.id


def claim(store: Store, worker: str, *, stale: float = STALE) -> Job | None:
    """Take the next job, or one whose worker gave no sign of life for `stale` seconds; None if there is none.

    Whoever starts a job and dies leaves it to the next, but a job that killed several workers has failed.
    """
    with store.reading() as session:  # a write would make pages wait, every time the queue is looked at
        if session.scalars(select(JobRow.id).where(_free(stale)).limit(1)).first() is None:
            return None
    with store.writing() as session:
        order = case((JobRow.kind.in_(_AWAITED), 0), else_=1)
        wanted = select(JobRow).where(_free(stale)).order_by(order, JobRow.id).limit(1)
        row = session.scalars(wanted.with_for_update(skip_locked=True)).first()
        if row is None:
            return None
        if row.attempts >= MOST_ATTEMPTS:
            row.state, row.finished = "failed", now()
            row.error = f"the work stopped {MOST_ATTEMPTS} times before it was done. Start it again."
            return None
        row.state, row.worker, row.attempts = "running", worker, row.attempts + 1
        row.started, row.heartbeat = row.started or now(), now()
        return job_of(row)


def heartbeat(store: Store, job_id: int) -> None:
    """Show that the job is still being worked on."""
    with store.writing() as session:
        demand_running(session, job_id).heartbeat = now()


def set_phase(store: Store, job_id: int, phase: str, total: int) -> None:
    """Say what the job does now, and of how many answers."""
    with store.writing() as session:
        row = demand_running(session, job_id)
        row.phase, row.total = phase, total


def finish(store: Store, job_id: int, result: Mapping[str, object]) -> None:
    """The job is done."""
    with store.writing() as session:
        row = demand_running(session, job_id)
        row.state, row.phase, row.result, row.finished = "done", "", dict(result), now()


def fail(store: Store, job_id: int, message: str) -> None:
    """The job cannot be done; the message is for the teacher."""
    with store.writing() as session:
        row = demand_running(session, job_id)
        row.state, row.phase, row.error, row.finished = "failed", "", message, now()


def release(store: Store, job_id: int) -> None:
    """Give a job back to the queue: who worked on it is told to stop, and another goes on at once."""
    with store.writing() as session:
        row = demand_running(session, job_id)
        row.state, row.worker, row.attempts = "waiting", "", row.attempts - 1


def get_job(store: Store, job_id: int) -> Job:
    """One job."""
    with store.reading() as session:
        row = session.get(JobRow, job_id)
        if row is None:
            raise PostilError("this job is not there.", hint="Its question may have been changed or deleted.")
        return job_of(row)


def latest_job(store: Store, question_id: int, kind: str | None = None) -> Job | None:
    """The newest job of a question, of one kind or of any that reads answers; None if there was none."""
    wanted = select(JobRow).where(JobRow.question_id == question_id)
    wanted = wanted.where(JobRow.kind != "facets" if kind is None else JobRow.kind == kind)
    with store.reading() as session:
        row = session.scalars(wanted.order_by(JobRow.id.desc()).limit(1)).first()
        return None if row is None else job_of(row)


def decisions_heard(store: Store, question_id: int) -> int:
    """How many decisions the last grading knew, whatever became of it; those have taught already."""
    ended = JobRow.kind.not_in(_AWAITED), JobRow.state.in_(_ENDED_WELL)
    wanted = select(JobRow.result).where(JobRow.question_id == question_id, *ended)
    with store.reading() as session:
        result = session.scalars(wanted.order_by(JobRow.id.desc()).limit(1)).first()
        return int(result.get("decided", 0)) if result else 0


def demand_running(session: Session, job_id: int) -> JobRow:
    """The row of a job that must still be running."""
    row = session.get(JobRow, job_id)
    if row is None or row.state != "running":
        raise JobGoneError
    return row


def drop_proposals(session: Session, which: ColumnElement[bool]) -> None:
    """Forget what these regrades proposed and nobody applied."""
    dropped = and_(which, JobRow.kind == "regrade", JobRow.state == "done")
    ids = list(session.scalars(select(JobRow.id).where(dropped)))
    session.execute(delete(ProposalRow).where(ProposalRow.job_id.in_(ids)))
    session.execute(update(JobRow).where(JobRow.id.in_(ids)).values(state="dropped"))


def _free(stale: float) -> ColumnElement[bool]:
    old = now() - timedelta(seconds=stale)
    return or_(JobRow.state == "waiting", and_(JobRow.state == "running", JobRow.heartbeat < old))
