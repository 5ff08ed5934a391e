"""Questions: making, changing and deleting one. Its own page, with the answers, is the table's."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse

from postil.errors import PostilError
from postil.workbench.http.access import may
from postil.workbench.http.noting import note
from postil.workbench.http.rendering import Message, OfStore, back, flash, render
from postil.workbench.people import Level
from postil.workbench.store import events
from postil.workbench.store.courses import get_course
from postil.workbench.store.questions import create_question, delete_question, edit_question, get_question

router = APIRouter()
Text = Annotated[str, Form()]


@router.get("/courses/{course_id}/questions/new", dependencies=[may(Level.TEACH)])
def show_new(request: Request, course_id: int, store: OfStore) -> HTMLResponse:
    """An empty form for a question."""
    course = get_course(store, course_id)
    return render(request, "question_form.html", course=course, question=None, **_filled("", "", "1"))


@router.post("/courses/{course_id}/questions/new", dependencies=[may(Level.TEACH)])
def make_question(
    request: Request,
    course_id: int,
    store: OfStore,
    text: Text = "",
    references: Text = "",
    points: Text = "1",
) -> Response:
    """Make a question, and go to its page, where answers are added."""
    try:
        question_id = create_question(
            store, course_id, text, _lines(references), read_number(points, "the points")
        )
    except PostilError as error:
        course = get_course(store, course_id)
        return _again(request, error, course=course, question=None, **_filled(text, references, points))
    return back(f"/questions/{question_id}")


@router.get("/questions/{question_id}/edit", dependencies=[may(Level.TEACH, spares_owner=True)])
def show_edit(request: Request, question_id: int, store: OfStore) -> HTMLResponse:
    """The form with a question as it is."""
    question = get_question(store, question_id)
    filled = _filled(question.text, "\n".join(map(_one_line, question.references)), f"{question.points:g}")
    course = get_course(store, question.course_id)
    return render(request, "question_form.html", course=course, question=question, **filled)


@router.post("/questions/{question_id}/edit", dependencies=[may(Level.TEACH, spares_owner=True)])
def change_question(
    request: Request,
    question_id: int,
    store: OfStore,
    text: Text = "",
    references: Text = "",
    points: Text = "1",
) -> Response:
    """Change a question; with another text or references its answers are graded anew."""
    before = get_question(store, question_id)
    try:
        edit_question(store, question_id, text, _lines(references), read_number(points, "the points"))
    except PostilError as error:
        course = get_course(store, before.course_id)
        return _again(request, error, course=course, question=before, **_filled(text, references, points))
    after = get_question(store, question_id)
    if before.judged and not after.judged:
        flash(request, "The question was changed, so its answers have to be graded again.", "warning")
    else:
        flash(request, "The question was changed.")
    return back(f"/questions/{question_id}")


@router.post("/questions/{question_id}/delete", dependencies=[may(Level.TEACH, spares_owner=True)])
def remove_question(request: Request, question_id: int, store: OfStore) -> Response:
    """Delete a question with its answers."""
    course_id = get_question(store, question_id).course_id
    delete_question(store, question_id)
    note(request, events.QUESTION_DELETED, course_id=course_id, about=f"question {question_id}")
    flash(request, "The question and its answers were deleted.")
    return back(f"/courses/{course_id}")


def _filled(text: str, references: str, points: str) -> dict[str, Any]:
    return {"text": text, "references": references, "points": points}


def _again(request: Request, error: PostilError, **context: Any) -> HTMLResponse:
    """The form once more, with what was written in it and what is wrong."""
    message = Message(error.what, "error", error.hint)
    return render(request, "question_form.html", status=400, messages=[message], **context)


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _one_line(text: str) -> str:
    return " ".join(text.split())


def read_number(text: str, what: str) -> float:
    """A number that somebody typed; `what` it is, for the message where it is none."""
    try:
        return float(text.strip().replace(",", "."))
    except ValueError:
        raise PostilError(f"{what} must be a number.", hint="Write it in digits, such as 2 or 1.5.") from None
