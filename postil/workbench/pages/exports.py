"""Downloads: a question's answers as a table, grades for Moodle, reports to print, a whole course."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse, Response

from postil.errors import PostilError
from postil.workbench import exports
from postil.workbench.exports import MOODLE_NAMES, Identity
from postil.workbench.http.access import OfPerson, may, refuse_blind
from postil.workbench.http.rendering import OfStore, all_views, download, note, render, report_page
from postil.workbench.pages.table import head_of
from postil.workbench.records import Level, Question, View
from postil.workbench.store import events
from postil.workbench.store.access import Right
from postil.workbench.store.accounts import names_of
from postil.workbench.store.answers import Filter, count_views, list_answers
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
    """How Moodle is to find the students, according to the address; None if it does not say."""
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
    file = next(words for end, words in _FILES.items() if request.url.path.endswith(end))
    part = "" if right.question_id is None else f"question {right.question_id} of "
    about = f"{file}, {part}“{get_course(store, right.course_id).name}”"
    note(request, events.COURSE_EXPORTED, course_id=right.course_id, about=about)


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
@router.get("/questions/{question_id}/export.xlsx", dependencies=TAKEN_AWAY)
@router.get("/questions/{question_id}/export-moodle.csv", dependencies=TAKEN_AWAY)
def export_question(
    request: Request, question_id: int, store: OfStore, which: Which, asked: AskedIdentity
) -> Response:
    """A question's answers as a table, or its grades with feedback for Moodle's grade import."""
    ending = request.url.path.rpartition("/export")[2]
    question, views = _question(store, question_id, which)
    names = _names(store, [(question, views)])
    name = exports.file_name(get_course(store, question.course_id).name, question.text)
    return download(*exports.question_file(ending, question, views, names, asked), name + ending)


@router.get("/questions/{question_id}/report", dependencies=TAKEN_AWAY)
def question_report(question_id: int, store: OfStore) -> Response:
    """A question's answers as a page to print."""
    question, views = _question(store, question_id, aligned=True)
    return report_page([(question, views)], get_course(store, question.course_id).name)


@router.get("/courses/{course_id}/export.xlsx", dependencies=TAKEN_AWAY)
@router.get("/courses/{course_id}/export-moodle.csv", dependencies=TAKEN_AWAY)
def export_course(
    request: Request, course_id: int, store: OfStore, which: Which, asked: AskedIdentity
) -> Response:
    """A whole course as a workbook, or its grades with feedback for Moodle's grade import."""
    ending = request.url.path.rpartition("/export")[2]
    graded = _graded(store, course_id, which)
    name = exports.file_name(get_course(store, course_id).name)
    return download(*exports.course_file(ending, graded, _names(store, graded), asked), name + ending)


@router.get("/courses/{course_id}/report", dependencies=TAKEN_AWAY)
def course_report(course_id: int, store: OfStore) -> Response:
    """A whole course as a page to print."""
    return report_page(_graded(store, course_id, aligned=True), get_course(store, course_id).name)


def _question(
    store: Store, question_id: int, which: str = "all", *, aligned: bool = False
) -> tuple[Question, list[View]]:
    question = get_question(store, question_id)
    return question, all_views(store, question, which, aligned=aligned)


def _graded(
    store: Store, course_id: int, which: str = "all", *, aligned: bool = False
) -> list[tuple[Question, list[View]]]:
    questions = list_questions(store, course_id)
    if not questions:
        raise PostilError("this course has no questions yet.", hint="Add a question, then come back.")
    return [(question, all_views(store, question, which, aligned=aligned)) for question in questions]


def _names(store: Store, graded: Sequence[tuple[Question, Sequence[View]]]) -> dict[int, str]:
    """The names of the people who decided."""
    decisions = [view.decision for _, views in graded for view in views if view.decision]
    return names_of(store, {decision.by for decision in decisions if decision.by is not None})
