"""Jobs: have a class graded in the background, see how far it is, and apply what grading again proposes."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from postil.workbench.api import schemas
from postil.workbench.api.auth import reads
from postil.workbench.api.idempotency import KeyedRoute, writes_once
from postil.workbench.api.routes import JobId, OfPage, QuestionId, point_to, read_job, show_change, show_job
from postil.workbench.http.problems import ProblemError
from postil.workbench.http.rendering import OfStore
from postil.workbench.records import Job, Level
from postil.workbench.store import jobs as stored
from postil.workbench.store import judgements
from postil.workbench.store.database import Store
from postil.workbench.store.decisions import teaching

router = APIRouter(tags=["jobs"], route_class=KeyedRoute)


@router.post(
    "/questions/{question_id}/jobs",
    dependencies=writes_once(Level.HELP),
    status_code=202,
    summary="Start a job",
)
def start_job(
    request: Request, response: Response, question_id: QuestionId, store: OfStore, new: schemas.NewJob
) -> schemas.Job:
    """Start work in the background; poll the job, at `Location`, until its state is `done`.

    If the same job is already waiting or running, that one is returned. A `regrade` needs decisions to
    learn from.
    """
    if new.kind == "regrade" and not teaching(store, question_id):
        raise ProblemError(
            "conflict", "There is nothing to learn from yet.", hint="Decide a few answers first."
        )
    job_id = stored.enqueue(store, new.kind, question_id)
    point_to(request, response, f"/jobs/{job_id}")
    return read_job(store, job_id)


@router.get("/questions/{question_id}/jobs", dependencies=reads(Level.HELP), summary="List jobs")
def list_jobs(question_id: QuestionId, store: OfStore, page: OfPage) -> schemas.Jobs:
    """The jobs of a question, newest first. Jobs from before its text was changed are gone."""
    jobs = stored.jobs_before(store, question_id, page.after, page.one_more)
    return page.show(schemas.Jobs, jobs, each=show_job)


@router.get("/jobs/{job_id}", dependencies=reads(Level.HELP), summary="Get a job")
def get_job(job_id: JobId, store: OfStore) -> schemas.Job:
    """The progress of a job, and its results."""
    return read_job(store, job_id)


@router.get("/questions/{question_id}/changes", dependencies=reads(Level.HELP), summary="List changes")
def list_changes(question_id: QuestionId, store: OfStore, page: OfPage) -> schemas.Changes:
    """What the latest `regrade` would change, until somebody applies or drops it."""
    job = _proposed(store, question_id)
    if job is None:
        return schemas.Changes(job_id=None, items=[], next=None)
    changes = judgements.some_changes(store, job.id, None, page.one_more, page.after)
    return page.show(schemas.Changes, changes, order="answer.place", each=show_change, job_id=job.id)


@router.post(
    "/questions/{question_id}/changes/apply", dependencies=writes_once(Level.TEACH), summary="Apply changes"
)
def apply_changes(question_id: QuestionId, store: OfStore, chosen: schemas.ChosenChanges) -> schemas.Applied:
    """Apply the changes that a regrade proposes; people's decisions stay as they are."""
    job = _demand_proposed(store, question_id, chosen.job_id)
    count = sum(kind.count for kind in judgements.kinds_of_change(store, job.id))
    judgements.apply_changes(store, job.id)
    return schemas.Applied(changed=count)


@router.post(
    "/questions/{question_id}/changes/drop",
    dependencies=writes_once(Level.TEACH),
    status_code=204,
    summary="Drop changes",
)
def drop_changes(question_id: QuestionId, store: OfStore, chosen: schemas.ChosenChanges) -> None:
    """Discard the changes that a regrade proposes; everything stays as it is."""
    judgements.drop_changes(store, _demand_proposed(store, question_id, chosen.job_id).id)


def _proposed(store: Store, question_id: int) -> Job | None:
    job = stored.latest_job(store, question_id, "regrade")
    return job if job is not None and job.state == "done" else None


def _demand_proposed(store: Store, question_id: int, job_id: int) -> Job:
    """The regrade that is meant, which must be the latest, and not applied or dropped."""
    job = _proposed(store, question_id)
    if job is None or job.id != job_id:
        raise ProblemError(
            "conflict", "These changes are no longer the latest.", hint="List them again, then choose."
        )
    return job
