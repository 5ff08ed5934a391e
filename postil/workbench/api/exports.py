"""Exports: a question or a course as a file, as the pages give it, and as JSON lines for programs."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response

from postil.workbench import exports
from postil.workbench.api.auth import reads
from postil.workbench.api.routes import CourseId, QuestionId, log, show_answer
from postil.workbench.exports import CSV, REPORT_POLICY, XLSX
from postil.workbench.http.access import OfPerson, refuse_blind
from postil.workbench.http.problems import ProblemError
from postil.workbench.http.rendering import OfStore
from postil.workbench.records import Level, Person, Question, View
from postil.workbench.store import events
from postil.workbench.store.answers import Filter, find_views
from postil.workbench.store.courses import get_course, get_question, list_questions
from postil.workbench.store.database import Store

router = APIRouter(tags=["exports"])

HTML = "text/html; charset=utf-8"
JSONL = "application/jsonl"
Graded = list[tuple[Question, list[View]]]


def _file(*kinds: str) -> dict[int | str, dict[str, Any]]:
    """How the OpenAPI describes a file of one of these media types."""
    binary = {"schema": {"type": "string", "format": "binary"}}
    content = {kind.partition(";")[0]: binary for kind in kinds}
    return {200: {"description": "The file.", "content": content}}


@router.get(
    "/questions/{question_id}/export",
    dependencies=reads(Level.TEACH),
    summary="Export a question",
    response_class=Response,
    responses=_file(CSV, XLSX, JSONL, HTML),
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
    views = _views(store, question, answers, aligned=kind == "report")
    log(request, events.COURSE_EXPORTED, course.id, course.name)
    name = exports.file_name(course.name, question.text)
    if kind == "csv":
        return _download(exports.as_csv(question, views), CSV, f"{name}.csv")
    if kind == "xlsx":
        return _download(exports.as_xlsx(question, views), XLSX, f"{name}.xlsx")
    if kind == "moodle":
        identity = exports.guess_identity([view.answer for view in views])
        return _download(exports.moodle_csv(question, views, identity), CSV, f"{name}-moodle.csv")
    if kind == "jsonl":
        lines = [f"{show_answer(question, view).model_dump_json()}\n" for view in views]
        return _download("".join(lines).encode(), JSONL, f"{name}.jsonl")
    return _page(exports.report([(question, views)], course.name))


@router.get(
    "/courses/{course_id}/export",
    dependencies=reads(Level.TEACH),
    summary="Export a course",
    response_class=Response,
    responses=_file(XLSX, CSV, HTML),
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
    graded = _graded(store, person, course_id, aligned=kind == "report")
    log(request, events.COURSE_EXPORTED, course_id, course.name)
    if kind == "report":
        return _page(exports.report(graded, course.name))
    name = exports.file_name(course.name)
    if kind == "moodle":
        identity = exports.guess_identity([view.answer for _, views in graded for view in views])
        return _download(exports.course_moodle(graded, identity), CSV, f"{name}-moodle.csv")
    return _download(exports.course_xlsx(graded), XLSX, f"{name}.xlsx")


def _views(store: Store, question: Question, state: str = "all", *, aligned: bool) -> list[View]:
    chosen = Filter(state=state, order="place")
    return find_views(store, question.id, chosen, 0, max(1, question.answers), aligned=aligned)


def _graded(store: Store, person: Person, course_id: int, *, aligned: bool) -> Graded:
    questions = list_questions(store, course_id)
    if not questions:
        raise ProblemError("conflict", "This course has no questions yet.", hint="Make one first.")
    for question in questions:
        refuse_blind(store, person, question.id)
    return [(question, _views(store, question, aligned=aligned)) for question in questions]


def _download(data: bytes, media_type: str, name: str) -> Response:
    return Response(
        data, media_type=media_type, headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )


def _page(report: str) -> Response:
    return Response(report, media_type=HTML, headers={"Content-Security-Policy": REPORT_POLICY})
