"""Importing answers and questions: a file, a paste, a quiz; shown before anything is stored."""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, HTTPException, Request, Response, UploadFile
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.datastructures import FormData

from postil.data.formats.quizzes import Quiz
from postil.errors import PostilError, number_of
from postil.workbench.drafts import (
    Draft,
    open_file,
    open_paste,
)
from postil.workbench.http.access import OfPerson, may
from postil.workbench.http.guard import LargeForm
from postil.workbench.http.rendering import Flashing, OfStore, back, flash, note, render
from postil.workbench.pages.previews import draft_page, read_draft
from postil.workbench.plans import (
    MOST_QUESTIONS,
    Choice,
    make_choices,
)
from postil.workbench.records import Level, NewAnswer, Person
from postil.workbench.settings import Settings
from postil.workbench.store import events
from postil.workbench.store.answers import add_answers
from postil.workbench.store.courses import get_course, get_question, list_questions
from postil.workbench.store.database import Store
from postil.workbench.store.drafts import (
    drop_draft,
    get_brought,
    get_draft,
    keep_draft,
    store_plan,
    store_questions,
)

router = APIRouter(route_class=LargeForm)
Text = Annotated[str, Form()]
_QUIZ_ELSEWHERE = "Import it on the course page, under “Import several questions from a file”."


async def _read_form(request: Request) -> FormData:
    return await request.form()


def _get_settings(request: Request) -> Settings:
    settings: Settings = request.app.state.settings
    return settings


Fields = Annotated[FormData, Depends(_read_form)]
OfSettings = Annotated[Settings, Depends(_get_settings)]


# A file made to hurt takes 2 seconds and 600 MB: so two are read at once, and pages do not wait for them.
_READERS = ThreadPoolExecutor(2, thread_name_prefix="postil-upload")
_MOST_OWN = 3  # files of one person that are being read or wait for it
_AGAIN = 5  # seconds
_own: Counter[int | None] = Counter()
_counting = Lock()


async def _in_turn(person: Person, read: Callable[..., RedirectResponse], *given: Any) -> RedirectResponse:
    """Read a file when its turn comes; refuse it if too many of this person's are waiting."""
    with _counting:
        if _own[person.id] >= _MOST_OWN:
            what = "Several of your files are being read. Wait for them, then choose this one again."
            raise HTTPException(429, what, headers={"Retry-After": str(_AGAIN)})
        _own[person.id] += 1

    def forget(_: object) -> None:
        with _counting:
            _own[person.id] -= 1
            if not _own[person.id]:
                del _own[person.id]

    reading = _READERS.submit(read, *given)
    reading.add_done_callback(forget)  # also if whoever sent it does not wait for the response
    return await asyncio.wrap_future(reading)


@router.post("/questions/{question_id}/answers/draft", dependencies=[may(Level.TEACH)])
async def import_answers(
    request: Request,
    question_id: int,
    store: OfStore,
    settings: OfSettings,
    person: OfPerson,
    file: UploadFile | None = None,
    text: Text = "",
) -> RedirectResponse:
    """Read a file or a paste with the answers to one question."""
    given = question_id, store, settings.most_answers, person, file, text
    return await _in_turn(person, _import_answers, request, *given)


def _import_answers(
    request: Request,
    question_id: int,
    store: Store,
    most: int,
    person: Person,
    file: UploadFile | None,
    text: str,
) -> RedirectResponse:
    question = get_question(store, question_id)
    with Flashing(request):
        if file is not None:
            opened = open_file(file.filename or "", file.file.read(), most)
            if opened.quiz is not None:
                raise PostilError("this file contains questions but no answers.", hint=_QUIZ_ELSEWHERE)
        else:
            opened = open_paste(text, most)
        return back(f"/drafts/{keep_draft(store, opened, question.course_id, question_id, person.id)}")
    return back(f"/questions/{question_id}")


@router.post("/courses/{course_id}/draft", dependencies=[may(Level.TEACH)])
async def import_questions(
    request: Request,
    course_id: int,
    store: OfStore,
    settings: OfSettings,
    person: OfPerson,
    file: UploadFile | None = None,
) -> RedirectResponse:
    """Read a file with several questions and the answers to them."""
    given = course_id, store, settings.most_answers, person, file
    return await _in_turn(person, _import_questions, request, *given)


def _import_questions(
    request: Request, course_id: int, store: Store, most: int, person: Person, file: UploadFile | None
) -> RedirectResponse:
    get_course(store, course_id)
    with Flashing(request):
        if file is None:
            raise PostilError("no file was chosen.", hint="Choose a file first.")
        opened = open_file(file.filename or "", file.file.read(), most)
        return back(f"/drafts/{keep_draft(store, opened, course_id, None, person.id)}")
    return back(f"/courses/{course_id}")


@router.post("/questions/{question_id}/answers", dependencies=[may(Level.TEACH)])
def type_answer(
    request: Request, question_id: int, store: OfStore, text: Text = "", student: Text = ""
) -> RedirectResponse:
    """Store one answer that was typed in."""
    with Flashing(request):
        if not text.strip():
            raise PostilError("the answer is empty.", hint="Write what the student said.")
        add_answers(store, question_id, [NewAnswer(f"typed-{secrets.token_hex(3)}", student, text.strip())])
        flash(request, "1 answer added.")
    return back(f"/questions/{question_id}")


@router.get("/drafts/{token}", dependencies=[may(Level.TEACH)])
def show_draft(request: Request, token: str, store: OfStore, settings: OfSettings) -> Response:
    """Show the uploaded answers, what each column is taken for, and what would be stored."""
    draft = get_draft(store, token)
    if draft.quiz is not None:
        return back(f"/drafts/{token}/quiz")
    return draft_page(request, store, read_draft(store, draft, {}, settings.most_answers))


@router.post("/drafts/{token}", dependencies=[may(Level.TEACH)])
def refresh_draft(
    request: Request, token: str, store: OfStore, settings: OfSettings, fields: Fields
) -> HTMLResponse:
    """Show the draft again after a column was changed, or the first row was declared not to be a heading."""
    reading = read_draft(store, get_draft(store, token), fields, settings.most_answers)
    return draft_page(request, store, reading)


@router.post("/drafts/{token}/store", dependencies=[may(Level.TEACH)])
def store_draft(
    request: Request, token: str, store: OfStore, settings: OfSettings, fields: Fields
) -> Response:
    """Store what is shown."""
    reading = read_draft(store, get_draft(store, token), fields, settings.most_answers)
    draft, plan = reading.draft, reading.plan
    if plan.problems or (draft.question_id is None and (plan.unanswered or plan.untold)):
        return draft_page(request, store, reading, status=400)
    made = store_plan(store, draft, plan)
    about = f"{number_of(plan.answers, 'answer')}, question {', '.join(map(str, made))}"
    note(request, events.ANSWERS_IMPORTED, course_id=draft.course_id, about=about)
    added = f"{number_of(plan.answers, 'answer')} added"
    if draft.question_id is not None:
        flash(request, f"{added}.")
        return back(f"/questions/{draft.question_id}")
    new = sum(planned.question_id is None for planned in plan.questions)
    where = [number_of(new, "new question")] if new else []
    where += [f"{number_of(len(made) - new, 'existing question')}"] if len(made) > new else []
    next_step = "Next: “Label the first answers”. It leads from question to question."
    flash(request, f"{added} to {' and '.join(where)}.", hint=next_step if made else "")
    return back(f"/courses/{draft.course_id}")


@router.post("/drafts/{token}/drop", dependencies=[may(Level.TEACH)])
def forget_draft(token: str, store: OfStore) -> RedirectResponse:
    """Forget a draft at once."""
    brought = get_brought(store, token)
    drop_draft(store, token)
    if brought.question_id is not None:
        return back(f"/questions/{brought.question_id}")
    return back(f"/courses/{brought.course_id}")


# A quiz of a learning platform: shown question by question, then made into questions of a course.


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
    ticked = [choice for choice in choices if choice.taken]
    if not ticked or len(ticked) > MOST_QUESTIONS or any(choice.problem for choice in ticked):
        return _page(request, store, draft, quiz, choices, status=400)
    made = store_questions(store, draft, [choice.wanted for choice in ticked])
    them = "it" if len(made) == 1 else "them"
    flash(request, f"{number_of(len(made), 'question')} imported. Now add the answers to {them}.")
    return back(f"/courses/{draft.course_id}")


def _quiz(store: Store, token: str) -> tuple[Draft, Quiz]:
    draft = get_draft(store, token)
    if draft.quiz is None:
        raise PostilError("this file contains answers.", hint="Upload it again.")
    return draft, draft.quiz


def _page(
    request: Request, store: Store, draft: Draft, quiz: Quiz, choices: Sequence[Choice], status: int = 200
) -> HTMLResponse:
    ticked = [choice for choice in choices if choice.taken]
    problems = []
    if status != 200 and not ticked:
        problems.append("No questions are ticked.")
    if len(ticked) > MOST_QUESTIONS:
        most = f"at most {MOST_QUESTIONS} can be imported at once"
        problems.append(f"{len(ticked):,} questions are ticked; {most}.")
    if status != 200 and any(choice.problem for choice in ticked):
        count = sum(bool(choice.problem) for choice in ticked)
        problems.append(f"{number_of(count, 'question')} cannot be imported yet: see below.")
    return render(
        request,
        "quiz.html",
        status=status,
        draft=draft,
        course=get_course(store, draft.course_id),
        quiz=quiz,
        choices=choices,
        taken=len(ticked),
        problems=problems,
        unanswered=sum(not choice.question.references for choice in choices),
    )
