"""Downloads: a question's answers as a table, grades for Moodle, reports to print, a whole course."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse, Response

from postil.errors import PostilError
from postil.workbench import exports
from postil.workbench.exports import CSV, MOODLE_NAMES, REPORT_POLICY, XLSX, Identity
from postil.workbench.http.access import OfPerson, may, refuse_blind
from postil.workbench.http.rendering import OfStore, note, render
from postil.workbench.pages.table import head_of
from postil.workbench.records import Level, Question, View
from postil.workbench.store import events
from postil.workbench.store.access import Right
from postil.workbench.store.accounts import names_of
from postil.workbench.store.answers import Filter, count_views, find_views, list_answers
from postil.workbench.store.courses import get_course, get_question, list_questions
from postil.workbench.store.database import Store
from postil.workbench.store.judgements import count_labelled

router = APIRouter()

COLUMNS = {"key": "the id", "student": "the name"}
WHICH = {"all": "All graded answers", "decided": "Only those a person decided"}
_WHICH_OF_MINE = WHICH | {"decided": "Only those I decided"}  # as the one person of `--local` says it
# How the addresses of downloads end, and what the log calls them.
_FILES = {
    "-moodle.csv": "Grades for Moodle",
    ".csv": "CSV",
    ".xlsx": "Workbook",
    ".zip": "Corpus",
    "/report": "Report",
}


def choose_identity(
    column: Annotated[str, Query()] = "", name: Annotated[str, Query(alias="as")] = ""
) -> Identity | None:
    """How the address says that Moodle finds the students; None where it leaves that open."""
    return Identity(column, name) if column in COLUMNS and name in MOODLE_NAMES else None


def choose_answers(answers: Annotated[str, Query()] = "all") -> str:
    """Which answers an address asks for."""
    return answers if answers in WHICH else "all"


def _note_export(request: Request, store: OfStore, person: OfPerson) -> None:
    """Log an export; refuse it to somebody who is still labelling a part of it blind."""
    right: Right = request.state.right
    if right.question_id is None:
        for question in list_questions(store, right.course_id):
            refuse_blind(store, person, question.id)
    note(request, events.COURSE_EXPORTED, course_id=right.course_id, about=_taken(request, store, right))


def _taken(request: Request, store: Store, right: Right) -> str:
    """What is exported, in words: the kind of file, and of what it is."""
    file = next(words for end, words in _FILES.items() if request.url.path.endswith(end))
    question = "" if right.question_id is None else f"question {right.question_id} of "
    return f"{file}, {question}“{get_course(store, right.course_id).name}”"


# What the address of every download declares.
TAKEN_AWAY = [may(Level.TEACH), Depends(_note_export)]
AskedIdentity = Annotated[Identity | None, Depends(choose_identity)]
Which = Annotated[str, Depends(choose_answers)]


@router.get("/questions/{question_id}/export", dependencies=[may(Level.TEACH)])
def show_exports(request: Request, question_id: int, store: OfStore) -> HTMLResponse:
    """Everything a question can be exported as."""
    answers = list_answers(store, question_id)
    identity = exports.guess_identity(answers)
    named = [name for answer in answers if (name := identity.of(answer))]
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
        which=_WHICH_OF_MINE if request.app.state.settings.local else WHICH,
        sample=named[:3],
        made_up=identity.column == "key" and any(map(exports.is_made, named)),
    )


@router.get("/questions/{question_id}/export.csv", dependencies=TAKEN_AWAY)
def question_csv(question_id: int, store: OfStore, which: Which) -> Response:
    """A question's answers as CSV."""
    question, views = _question(store, question_id, which)
    data = exports.as_csv(question, views, _names(store, [(question, views)]))
    return _download(data, CSV, _name(store, question) + ".csv")


@router.get("/questions/{question_id}/export.xlsx", dependencies=TAKEN_AWAY)
def question_xlsx(question_id: int, store: OfStore, which: Which) -> Response:
    """A question's answers as a workbook."""
    question, views = _question(store, question_id, which)
    data = exports.as_xlsx(question, views, _names(store, [(question, views)]))
    return _download(data, XLSX, _name(store, question) + ".xlsx")


@router.get("/questions/{question_id}/export-moodle.csv", dependencies=TAKEN_AWAY)
def question_moodle(question_id: int, store: OfStore, which: Which, asked: AskedIdentity) -> Response:
    """A question's grades with feedback, for Moodle's grade import."""
    question, views = _question(store, question_id, which)
    identity = asked or exports.guess_identity([view.answer for view in views])
    data = exports.moodle_csv(question, views, identity)
    return _download(data, CSV, _name(store, question) + "-moodle.csv")


@router.get("/questions/{question_id}/report", dependencies=TAKEN_AWAY)
def question_report(question_id: int, store: OfStore) -> HTMLResponse:
    """A question's answers as a page to print."""
    question, views = _question(store, question_id, aligned=True)
    return _page(exports.report([(question, views)], get_course(store, question.course_id).name))


@router.get("/courses/{course_id}/export.xlsx", dependencies=TAKEN_AWAY)
def course_xlsx(course_id: int, store: OfStore) -> Response:
    """A whole course as a workbook."""
    course = get_course(store, course_id)
    graded = _graded(store, course_id)
    data = exports.course_xlsx(graded, _names(store, graded))
    return _download(data, XLSX, exports.file_name(course.name) + ".xlsx")


@router.get("/courses/{course_id}/export-moodle.csv", dependencies=TAKEN_AWAY)
def course_moodle(course_id: int, store: OfStore, which: Which, asked: AskedIdentity) -> Response:
    """The grades of a whole course with feedback, for Moodle's grade import."""
    course = get_course(store, course_id)
    graded = _graded(store, course_id, which)
    identity = asked or exports.guess_identity([view.answer for _, views in graded for view in views])
    data = exports.course_moodle(graded, identity)
    return _download(data, CSV, exports.file_name(course.name) + "-moodle.csv")


@router.get("/courses/{course_id}/report", dependencies=TAKEN_AWAY)
def course_report(course_id: int, store: OfStore) -> HTMLResponse:
    """A whole course as a page to print."""
    course = get_course(store, course_id)
    return _page(exports.report(_graded(store, course_id, aligned=True), course.name))


def _question(
    store: Store, question_id: int, which: str = "all", *, aligned: bool = False
) -> tuple[Question, list[View]]:
    question = get_question(store, question_id)
    listed = Filter(state=which, order="place")
    return question, find_views(store, question_id, listed, 0, question.answers, aligned=aligned)


def _graded(
    store: Store, course_id: int, which: str = "all", *, aligned: bool = False
) -> list[tuple[Question, list[View]]]:
    questions = list_questions(store, course_id)
    if not questions:
        raise PostilError("this course has no questions yet.", hint="Add a question, then come back.")
    return [_question(store, question.id, which, aligned=aligned) for question in questions]


def _names(store: Store, graded: Sequence[tuple[Question, Sequence[View]]]) -> dict[int, str]:
    """What those are called who decided."""
    decisions = [view.decision for _, views in graded for view in views if view.decision]
    return names_of(store, {decision.by for decision in decisions if decision.by is not None})


def _name(store: Store, question: Question) -> str:
    return exports.file_name(get_course(store, question.course_id).name, question.text)


def _download(data: bytes, kind: str, name: str) -> Response:
    return Response(data, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})


def _page(report: str) -> HTMLResponse:
    return HTMLResponse(report, headers={"Content-Security-Policy": REPORT_POLICY})
