"""A quiz of a learning platform: shown question by question, then made into questions of a course."""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse

from postil.data.formats.quizzes import Quiz
from postil.errors import PostilError, number_of
from postil.workbench.drafts import Draft
from postil.workbench.http.access import may
from postil.workbench.http.largeform import LargeForm
from postil.workbench.http.rendering import OfStore, back, flash, render
from postil.workbench.pages.uploads import Fields
from postil.workbench.people import Level
from postil.workbench.quizzes import MOST_QUESTIONS, Choice, make_choices
from postil.workbench.store.courses import get_course
from postil.workbench.store.database import Store
from postil.workbench.store.drafts import get_draft
from postil.workbench.store.questions import list_questions
from postil.workbench.store.storing import store_questions

router = APIRouter(route_class=LargeForm)


@router.get("/drafts/{token}/quiz", dependencies=[may(Level.TEACH)])
def show_quiz(request: Request, token: str, store: OfStore) -> HTMLResponse:
    """The questions of a quiz with their right answers, and what of it is not taken."""
    draft, quiz = _quiz(store, token)
    choices = make_choices(quiz, list_questions(store, draft.course_id), None)
    return _page(request, store, draft, quiz, choices)


@router.post("/drafts/{token}/quiz", dependencies=[may(Level.TEACH)])
def store_quiz(request: Request, token: str, store: OfStore, fields: Fields) -> Response:
    """Make the questions that were ticked, all or none."""
    draft, quiz = _quiz(store, token)
    choices = make_choices(quiz, list_questions(store, draft.course_id), fields)
    wanted = [choice for choice in choices if choice.taken]
    if not wanted or len(wanted) > MOST_QUESTIONS or any(choice.problem for choice in wanted):
        return _page(request, store, draft, quiz, choices, status=400)
    made = store_questions(store, draft, [choice.wanted for choice in wanted])
    was = "was" if len(made) == 1 else "were"
    flash(request, f"{number_of(len(made), 'question')} {was} made. Now bring the answers to them.")
    return back(f"/courses/{draft.course_id}")


def _quiz(store: Store, token: str) -> tuple[Draft, Quiz]:
    draft = get_draft(store, token)
    if draft.quiz is None:
        raise PostilError("this file holds answers.", hint="Bring it once more, and look at it there.")
    return draft, draft.quiz


def _page(
    request: Request, store: Store, draft: Draft, quiz: Quiz, choices: Sequence[Choice], status: int = 200
) -> HTMLResponse:
    wanted = [choice for choice in choices if choice.taken]
    problems = []
    if status != 200 and not wanted:
        problems.append("No question is ticked.")
    if len(wanted) > MOST_QUESTIONS:
        problems.append(
            f"These are {len(wanted):,} questions; at most {MOST_QUESTIONS} are taken at once. Untick some."
        )
    if status != 200 and any(choice.problem for choice in wanted):
        count = sum(bool(choice.problem) for choice in wanted)
        problems.append(f"{number_of(count, 'question')} cannot be made yet: see below. Nothing was stored.")
    return render(
        request,
        "quiz.html",
        status=status,
        draft=draft,
        course=get_course(store, draft.course_id),
        quiz=quiz,
        choices=choices,
        taken=len(wanted),
        problems=problems,
        unanswered=sum(not choice.question.references for choice in choices),
    )
