"""Jobs (have a class graded in the background, apply what grading again proposes) and exports of the result.

A question or a course is exported as the file that the pages give, or as JSON lines for programs.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response

from postil.workbench import exports
from postil.workbench.api import schemas
from postil.workbench.api.auth import reads
from postil.workbench.api.idempotency import KeyedRoute, writes_once
from postil.workbench.api.routes import (
    CourseId,
    JobId,
    OfPage,
    QuestionId,
    point_to,
    read_job,
    show_answer,
    show_change,
    show_job,
)
from postil.workbench.exports import CSV, XLSX
from postil.workbench.http.access import OfPerson, refuse_blind
from postil.workbench.http.problems import ProblemError
from postil.workbench.http.rendering import OfStore, all_views, download, missing_reader, note, report_page
from postil.workbench.records import Job, Level
from postil.workbench.store import events, judgements
from postil.workbench.store import jobs as stored
from postil.workbench.store.courses import get_course, get_question, list_questions
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
    learn from, or another strictness or reader of the course.
    """
    changed = stored.changed_settings(store, question_id, missing_reader(request))
    needless = not (teaching(store, question_id) or changed)
    if new.kind == "regrade" and needless:
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
    """The regrade with this number, which must be the latest, and neither applied nor dropped."""
    job = _proposed(store, question_id)
    if job is None or job.id != job_id:
        raise ProblemError(
            "conflict", "These changes are no longer the latest.", hint="List them again, then choose."
        )
    return job


exports_router = APIRouter(tags=["exports"])

JSONL = "application/jsonl"
_ENDINGS = {"csv": ".csv", "xlsx": ".xlsx", "moodle": "-moodle.csv"}


def _file(*kinds: str) -> dict[int | str, dict[str, Any]]:
    """How the OpenAPI describes a file of one of these media types."""
    binary = {"schema": {"type": "string", "format": "binary"}}
    content = {kind.partition(";")[0]: binary for kind in kinds}
    return {200: {"description": "The file.", "content": content}}


@exports_router.get(
    "/questions/{question_id}/export",
    dependencies=reads(Level.TEACH),
    summary="Export a question",
    response_class=Response,
    responses=_file(CSV, XLSX, JSONL, "text/html"),
)
def export_question(
    request: Request,
    question_id: QuestionId,
    store: OfStore,
    kind: Annotated[
        Literal["csv", "xlsx", "moodle", "jsonl", "report"],
        Query(
            alias="format",
            description="`moodle` is CSV for Moodle's grade import; `jsonl` has an `Answer` on each line.",
        ),
    ] = "csv",
    answers: Annotated[
        Literal["all", "decided"], Query(description="All answers, or only those that a person has decided.")
    ] = "all",
) -> Response:
    """A question's answers with labels, points and feedback, as a file."""
    question = get_question(store, question_id)
    course = get_course(store, question.course_id)
    views = all_views(store, question, answers, aligned=kind == "report")
    note(request, events.COURSE_EXPORTED, course_id=course.id, about=course.name)
    if kind == "report":
        return report_page([(question, views)], course.name)
    name = exports.file_name(course.name, question.text)
    if kind == "jsonl":
        lines = [f"{show_answer(question, view).model_dump_json()}\n" for view in views]
        return download("".join(lines).encode(), JSONL, f"{name}.jsonl")
    return download(*exports.question_file(_ENDINGS[kind], question, views), name + _ENDINGS[kind])


@exports_router.get(
    "/courses/{course_id}/export",
    dependencies=reads(Level.TEACH),
    summary="Export a course",
    response_class=Response,
    responses=_file(XLSX, CSV, "text/html"),
)
def export_course(
    request: Request,
    course_id: CourseId,
    store: OfStore,
    person: OfPerson,
    kind: Annotated[
        Literal["xlsx", "moodle", "report"],
        Query(alias="format", description="A workbook, CSV for Moodle's grade import, or a page to print."),
    ] = "xlsx",
) -> Response:
    """A whole course as a file: everyone's points, and every question."""
    course = get_course(store, course_id)
    questions = list_questions(store, course_id)
    if not questions:
        raise ProblemError("conflict", "This course has no questions yet.", hint="Make one first.")
    for question in questions:
        refuse_blind(store, person, question.id)
    graded = [(question, all_views(store, question, aligned=kind == "report")) for question in questions]
    note(request, events.COURSE_EXPORTED, course_id=course_id, about=course.name)
    if kind == "report":
        return report_page(graded, course.name)
    name = exports.file_name(course.name) + _ENDINGS[kind]
    return download(*exports.course_file(_ENDINGS[kind], graded), name)
