"""Exports: a question or a course as a file, as the pages give it, and as JSON lines for programs."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response

from postil.workbench import exports
from postil.workbench.api.auth import reads
from postil.workbench.api.routes import CourseId, QuestionId, show_answer
from postil.workbench.exports import CSV, XLSX
from postil.workbench.http.access import OfPerson, refuse_blind
from postil.workbench.http.problems import ProblemError
from postil.workbench.http.rendering import OfStore, all_views, download, note, report_page
from postil.workbench.records import Level
from postil.workbench.store import events
from postil.workbench.store.courses import get_course, get_question, list_questions

router = APIRouter(tags=["exports"])

JSONL = "application/jsonl"
_ENDINGS = {"csv": ".csv", "xlsx": ".xlsx", "moodle": "-moodle.csv"}


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


@router.get(
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
