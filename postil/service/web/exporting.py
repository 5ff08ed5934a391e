"""Downloads: a question's answers as a table, grades for Moodle, reports to print, a whole course."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse, Response

from postil.errors import PostilError
from postil.service import exports
from postil.service.exports import MOODLE_NAMES, Identity
from postil.service.records import Question, View
from postil.service.store.answers import Filter, count_views, find_views, list_answers
from postil.service.store.courses import get_course
from postil.service.store.database import Store
from postil.service.store.figures import count_labelled
from postil.service.store.questions import get_question, list_questions
from postil.service.web.pages import OfStore, render
from postil.service.web.table import head_of

router = APIRouter()

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
CSV = "text/csv; charset=utf-8"
COLUMNS = {"key": "the id", "student": "the name"}
WHICH = {"all": "All that are graded", "decided": "Only those I decided"}
# A report is one file that brings its own style; it has no scripts, and nothing on it is fetched.
REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; "
    "form-action 'none'"
)


def choose_identity(
    column: Annotated[str, Query()] = "", name: Annotated[str, Query(alias="as")] = ""
) -> Identity | None:
    """How the address says that Moodle finds the students; None where it leaves that open."""
    return Identity(column, name) if column in COLUMNS and name in MOODLE_NAMES else None


def choose_answers(answers: Annotated[str, Query()] = "all") -> str:
    """Which answers an address asks for."""
    return answers if answers in WHICH else "all"


AskedIdentity = Annotated[Identity | None, Depends(choose_identity)]
Which = Annotated[str, Depends(choose_answers)]


@router.get("/questions/{question_id}/export")
def show_exports(request: Request, question_id: int, store: OfStore) -> HTMLResponse:
    """Everything a question can be taken away as."""
    answers = list_answers(store, question_id)
    identity = exports.guess_identity(answers)
    named = [identity.of(answer) for answer in answers if identity.of(answer)]
    return render(
        request,
        "export.html",
        **head_of(store, question_id, "export"),
        graded=count_labelled(store, question_id),
        doubtful=count_views(store, question_id, Filter(state="doubtful")),
        identity=identity,
        unnamed=len(answers) - len(named),
        columns=COLUMNS,
        names=MOODLE_NAMES,
        which=WHICH,
        sample=named[:3],
    )


@router.get("/questions/{question_id}/export.csv")
def question_csv(question_id: int, store: OfStore, which: Which) -> Response:
    """A question's answers as CSV."""
    question, views = _question(store, question_id, which)
    return _download(exports.as_csv(question, views), CSV, _name(store, question) + ".csv")


@router.get("/questions/{question_id}/export.xlsx")
def question_xlsx(question_id: int, store: OfStore, which: Which) -> Response:
    """A question's answers as a workbook."""
    question, views = _question(store, question_id, which)
    return _download(exports.as_xlsx(question, views), XLSX, _name(store, question) + ".xlsx")


@router.get("/questions/{question_id}/export-moodle.csv")
def question_moodle(question_id: int, store: OfStore, which: Which, asked: AskedIdentity) -> Response:
    """A question's grades with feedback, for Moodle's grade import."""
    question, views = _question(store, question_id, which)
    identity = asked or exports.guess_identity([view.answer for view in views])
    data = exports.moodle_csv(question, views, identity)
    return _download(data, CSV, _name(store, question) + "-moodle.csv")


@router.get("/questions/{question_id}/report")
def question_report(question_id: int, store: OfStore) -> HTMLResponse:
    """A question's answers as a page to print."""
    question, views = _question(store, question_id, aligned=True)
    return _page(exports.report([(question, views)], get_course(store, question.course_id).name))


@router.get("/courses/{course_id}/export.xlsx")
def course_xlsx(course_id: int, store: OfStore) -> Response:
    """A whole course as a workbook."""
    course = get_course(store, course_id)
    data = exports.course_xlsx(_graded(store, course_id))
    return _download(data, XLSX, exports.file_name(course.name) + ".xlsx")


@router.get("/courses/{course_id}/report")
def course_report(course_id: int, store: OfStore) -> HTMLResponse:
    """A whole course as a page to print."""
    course = get_course(store, course_id)
    return _page(exports.report(_graded(store, course_id, aligned=True), course.name))


def _question(
    store: Store, question_id: int, which: str = "all", *, aligned: bool = False
) -> tuple[Question, list[View]]:
    question = get_question(store, question_id)
    wanted = Filter(state="decided" if which == "decided" else "all", order="place")
    return question, find_views(store, question_id, wanted, 0, question.answers, aligned=aligned)


def _graded(store: Store, course_id: int, *, aligned: bool = False) -> list[tuple[Question, list[View]]]:
    questions = list_questions(store, course_id)
    if not questions:
        raise PostilError("this course has no questions yet.", hint="Add a question, then come back.")
    return [_question(store, question.id, aligned=aligned) for question in questions]


def _name(store: Store, question: Question) -> str:
    return exports.file_name(get_course(store, question.course_id).name, question.text)


def _download(data: bytes, kind: str, name: str) -> Response:
    return Response(data, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})


def _page(report: str) -> HTMLResponse:
    return HTMLResponse(report, headers={"Content-Security-Policy": REPORT_POLICY})
