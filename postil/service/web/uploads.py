"""Bringing answers in: a file, a paste or one typed; what a file holds is shown before anything is stored."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Request, Response, UploadFile
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.datastructures import FormData

from postil.errors import PostilError, number_of
from postil.service.drafts import Draft, Drafts, open_file, open_paste
from postil.service.plans import Plan, make_plan
from postil.service.records import NewAnswer
from postil.service.roles import Columns, guess_columns
from postil.service.settings import Settings
from postil.service.store.answers import add_answers, list_answers
from postil.service.store.courses import get_course
from postil.service.store.database import Store
from postil.service.store.questions import get_question
from postil.service.storing import store_plan
from postil.service.web.draftpage import as_told, chosen_columns, draft_page, still_meant
from postil.service.web.largeform import LargeForm
from postil.service.web.pages import OfStore, back, flash, flash_error

router = APIRouter(route_class=LargeForm)
Text = Annotated[str, Form()]


async def read_form(request: Request) -> FormData:
    """The fields of a form, whichever they are."""
    return await request.form()


def get_drafts(request: Request) -> Drafts:
    """The drafts that are being looked at."""
    drafts: Drafts = request.app.state.drafts
    return drafts


def get_settings(request: Request) -> Settings:
    """What the workbench was told when it started."""
    settings: Settings = request.app.state.settings
    return settings


Fields = Annotated[FormData, Depends(read_form)]
OfDrafts = Annotated[Drafts, Depends(get_drafts)]
OfSettings = Annotated[Settings, Depends(get_settings)]


@router.post("/questions/{question_id}/answers/draft")
def bring_answers(
    request: Request,
    question_id: int,
    store: OfStore,
    drafts: OfDrafts,
    settings: OfSettings,
    file: UploadFile | None = None,
    text: Text = "",
) -> RedirectResponse:
    """Read a file or a paste with the answers to one question."""
    question = get_question(store, question_id)
    try:
        most = settings.most_answers
        if file is not None:
            opened = open_file(file.filename or "", file.file.read(), most)
        else:
            opened = open_paste(text, most)
    except PostilError as error:
        flash_error(request, error)
        return back(f"/questions/{question_id}")
    return back(f"/drafts/{drafts.keep(opened, question.course_id, question_id).token}")


@router.post("/courses/{course_id}/draft")
def bring_questions(
    request: Request,
    course_id: int,
    store: OfStore,
    drafts: OfDrafts,
    settings: OfSettings,
    file: UploadFile | None = None,
) -> RedirectResponse:
    """Read a file with several questions and the answers to them."""
    get_course(store, course_id)
    try:
        if file is None:
            raise PostilError("no file was chosen.", hint="Choose one first.")
        opened = open_file(file.filename or "", file.file.read(), settings.most_answers)
    except PostilError as error:
        flash_error(request, error)
        return back(f"/courses/{course_id}")
    return back(f"/drafts/{drafts.keep(opened, course_id, None).token}")


@router.post("/questions/{question_id}/answers")
def type_answer(
    request: Request, question_id: int, store: OfStore, text: Text = "", student: Text = ""
) -> RedirectResponse:
    """Store one answer that was typed in."""
    try:
        if not text.strip():
            raise PostilError("the answer is empty.", hint="Write what the student said.")
        add_answers(store, question_id, [NewAnswer(f"typed-{secrets.token_hex(3)}", student, text.strip())])
        flash(request, "1 answer was added.")
    except PostilError as error:
        flash_error(request, error)
    return back(f"/questions/{question_id}")


@router.get("/drafts/{token}")
def show_draft(
    request: Request, token: str, store: OfStore, drafts: OfDrafts, settings: OfSettings
) -> HTMLResponse:
    """What was brought, which column is taken for what, and what would be stored."""
    draft = drafts.get(token)
    columns = guess_columns(draft)
    return draft_page(request, store, draft, columns, _plan(store, draft, columns, settings, {}), {})


@router.post("/drafts/{token}")
def refresh_draft(
    request: Request, token: str, store: OfStore, drafts: OfDrafts, settings: OfSettings, fields: Fields
) -> HTMLResponse:
    """The same when a column was chosen otherwise, or the first row is no heading."""
    draft = as_told(drafts.get(token), fields)
    columns = chosen_columns(draft, fields)
    meant = still_meant(columns, fields)
    return draft_page(request, store, draft, columns, _plan(store, draft, columns, settings, meant), meant)


@router.post("/drafts/{token}/store")
def store_draft(
    request: Request, token: str, store: OfStore, drafts: OfDrafts, settings: OfSettings, fields: Fields
) -> Response:
    """Store what is shown."""
    draft = as_told(drafts.get(token), fields)
    columns = chosen_columns(draft, fields)
    meant = still_meant(columns, fields)
    plan = _plan(store, draft, columns, settings, meant)
    if plan.problems or (draft.question_id is None and plan.unanswered):
        return draft_page(request, store, draft, columns, plan, meant, status=400)
    taken = drafts.take(token)
    try:
        made = store_plan(store, draft, plan)
    except PostilError:
        drafts.put_back(taken)
        raise
    added = f"{number_of(plan.answers, 'answer')} {'was' if plan.answers == 1 else 'were'} added"
    if draft.question_id is not None:
        flash(request, f"{added}.")
        return back(f"/questions/{draft.question_id}")
    flash(request, f"{added}, to {number_of(len(made), 'new question')}.")
    return back(f"/courses/{draft.course_id}")


@router.post("/drafts/{token}/drop")
def drop_draft(token: str, drafts: OfDrafts) -> RedirectResponse:
    """Forget a draft at once."""
    draft = drafts.get(token)
    drafts.drop(token)
    if draft.question_id is not None:
        return back(f"/questions/{draft.question_id}")
    return back(f"/courses/{draft.course_id}")


def _plan(
    store: Store, draft: Draft, columns: Columns, settings: Settings, fields: Mapping[str, Any]
) -> Plan:
    taken: set[str] = set()
    if draft.question_id is not None:
        taken = {answer.key for answer in list_answers(store, draft.question_id)}
    numbers = {
        name.removeprefix("right-"): str(text) for name, text in fields.items() if name[:6] == "right-"
    }
    given = {int(number): text.splitlines() for number, text in numbers.items() if number.isdecimal()}
    return make_plan(
        draft,
        columns,
        taken=taken,
        left_out={number for number in given if f"take-{number}" not in fields},
        given={number: [line.strip() for line in lines if line.strip()] for number, lines in given.items()},
        most=settings.most_answers,
    )
