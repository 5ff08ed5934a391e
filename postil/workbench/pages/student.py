"""What a student's link opens: their own feedback, and a way to ask for a second look. Nothing else."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, Response

from postil.errors import PostilError
from postil.workbench.feedback import sheet_of
from postil.workbench.http.access import OfHolder, link_token, read_number, with_link
from postil.workbench.http.addresses import STUDENTS
from postil.workbench.http.rendering import OfStore, back, render
from postil.workbench.store import events
from postil.workbench.store.answers import get_views
from postil.workbench.store.courses import get_course, list_questions
from postil.workbench.store.database import Store, StoreAwayError
from postil.workbench.store.events import log_event
from postil.workbench.store.feedback import LONGEST_REQUEST, Holder, ask, list_looks

router = APIRouter()
Text = Annotated[str, Form()]


@router.get("/feedback/{link}", dependencies=[with_link])
def show_own(request: Request, link: str, store: OfStore, holder: OfHolder) -> HTMLResponse:
    """A student's own feedback."""
    return _own(request, store, link, holder)


@router.post("/feedback/{link}/ask", dependencies=[with_link])
def ask_again(
    request: Request, link: str, store: OfStore, holder: OfHolder, answer: Text = "", words: Text = ""
) -> Response:
    """Ask for a second look at one's own answer."""
    answer_id = read_number(answer) or 0
    try:
        asked = ask(store, link, answer_id, words)
    except StoreAwayError:
        raise
    except PostilError as error:
        return _own(request, store, link, holder, answer_id, words, error)
    # Neither who asked nor from where: a pupil's address is nobody's business.
    log_event(store, None, events.LOOK_ASKED, course_id=asked.course_id, about=f"answer {answer_id}")
    return back(f"{STUDENTS}{link}#answer-{answer_id}")


def _own(
    request: Request,
    store: Store,
    link: str,
    holder: Holder,
    answer_id: int = 0,
    words: str = "",
    error: PostilError | None = None,
) -> HTMLResponse:
    own = holder.student.answers
    views = {view.answer.id: view for view in get_views(store, own)}
    questions, name = list_questions(store, holder.course_id), get_course(store, holder.course_id).name
    sheet = sheet_of(name, holder.student, holder.showing, questions, views, list_looks(store, own))
    return render(
        request,
        "student.html",
        error=error,
        sheet=sheet,
        asking=holder.showing.looks,
        action=f"{STUDENTS}{link}/ask",
        token=link_token(link),
        asked=answer_id,
        words=words,
        longest=LONGEST_REQUEST,
    )
