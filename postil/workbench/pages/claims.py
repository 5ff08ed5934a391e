"""The rubric of a question: what a full answer says, item by item, with weights, for a teacher to change.

The code calls the items facets, as files and the API do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, cast

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from postil.data.questions import Facet
from postil.errors import PostilError
from postil.workbench.http.access import may
from postil.workbench.http.rendering import Message, OfStore, back, flash, render
from postil.workbench.pages.courses import read_number
from postil.workbench.pages.table import ACTIVE, head_of
from postil.workbench.records import Job, Level
from postil.workbench.store.courses import (
    LONGEST_NAME,
    MOST_FACETS,
    MOST_WEIGHT,
    forget_facets,
    get_question,
    is_outdated,
    set_facets,
)
from postil.workbench.store.database import Store
from postil.workbench.store.jobs import enqueue, get_job, latest_job
from postil.workbench.store.rows import ChangedError

router = APIRouter()
_LIMITS = {"longest": LONGEST_NAME, "most": MOST_FACETS, "heaviest": MOST_WEIGHT}
_REMOVE = "remove-"  # and the number of the row


@dataclass(frozen=True, slots=True)
class Row:
    """A facet as it stands in the form, whatever was typed; a new one has no id."""

    id: str = ""
    name: str = ""
    weight: str = "1"
    required: bool = True


async def _read(request: Request) -> tuple[list[Row], str, str]:
    """The form as it was sent: its rows, which button was pressed, and the version it was filled with."""
    form = await request.form()
    columns = [[str(cell) for cell in form.getlist(name)] for name in ("id", "name", "weight", "required")]
    # Never more than can be set and one to say so; a form that was made by hand may have any number.
    cells = list(zip(*columns, strict=False))[: MOST_FACETS + 1]
    rows = [Row(id, name, weight, required != "no") for id, name, weight, required in cells]
    return rows, str(form.get("do", "")), str(form.get("seen", ""))


OfForm = Annotated[tuple[list[Row], str, str], Depends(_read)]


@router.get("/questions/{question_id}/facets", dependencies=[may(Level.HELP)])
def show_facets(request: Request, question_id: int, store: OfStore, own: bool = False) -> HTMLResponse:
    """The facets that were set, or else those that Postil proposes; `own` does not wait for these."""
    question = get_question(store, question_id)
    if question.facets is not None:
        rows = [Row(facet.id, facet.first, f"{facet.weight:g}", facet.required) for facet in question.facets]
        return _form(request, store, question_id, rows)
    job = latest_job(store, question_id, "facets") or get_job(store, enqueue(store, "facets", question_id))
    if _is_awaited(job) and not own:
        return _form(request, store, question_id, [], waiting=True)
    names = cast(list[str], job.result.get("names", []))
    rows = [Row(name=name) for name in names] or [Row()]
    return _form(request, store, question_id, rows, proposed=bool(names))


@router.get("/questions/{question_id}/facets/progress", dependencies=[may(Level.HELP)])
def show_progress(question_id: int, store: OfStore) -> Response:
    """An empty response while Postil is still reading; after that, the request to reload the page."""
    job = latest_job(store, question_id, "facets")
    if job and _is_awaited(job):
        return Response(status_code=204)
    return Response(headers={"HX-Refresh": "true"})


@router.post("/questions/{question_id}/facets", dependencies=[may(Level.TEACH)])
def change_facets(request: Request, question_id: int, store: OfStore, form: OfForm) -> Response:
    """Keep what was written; a row is added or taken away without keeping anything yet.

    If the rubric has been changed since the form was opened, the stored one is shown beside what was written.
    """
    rows, pressed, seen = form
    if pressed == "add":
        if len(rows) >= MOST_FACETS:
            error = PostilError(f"a rubric can have at most {MOST_FACETS} items.")
            return _form(request, store, question_id, rows, error=error, seen=seen)
        return _form(request, store, question_id, [*rows, Row()], focus=len(rows), seen=seen)
    buttons = [f"{_REMOVE}{number}" for number in range(len(rows))]
    if pressed in buttons:
        number = buttons.index(pressed)
        del rows[number]
        gone = Message("One item was removed. This is not saved yet.", "warning")
        focus = max(min(number, len(rows) - 1), 0)
        rows = rows or [Row()]
        return _form(request, store, question_id, rows, focus=focus, messages=[gone], seen=seen)
    # New ones that were left empty are nothing; without them, errors count the rows that are shown.
    rows = [row for row in rows if row.id or row.name.strip()]
    try:
        facets = []
        for number, row in enumerate(rows, 1):
            weight = read_number(row.weight, f"the weight of item {number}")
            facets.append(Facet(row.id, row.name, weight=weight, required=row.required))
        set_facets(store, question_id, facets, seen=seen or None)
    except ChangedError as error:
        return _form(request, store, question_id, rows or [Row()], error=error, changed=True)
    except PostilError as error:
        return _form(request, store, question_id, rows or [Row()], error=error, seen=seen)
    return _saved(request, store, question_id, "The rubric has been saved.")


@router.post("/questions/{question_id}/facets/reset", dependencies=[may(Level.TEACH)])
def reset_facets(request: Request, question_id: int, store: OfStore, form: OfForm) -> Response:
    """Go back to Postil's own rubric, unless the rubric has changed in the meantime."""
    try:
        forget_facets(store, question_id, seen=form[2] or None)
    except ChangedError as error:
        flash(request, error.what, "warning", "This is the rubric now.")
        return back(f"/questions/{question_id}/facets")
    words = "Postil’s own items are used again; “partly right” earns half the points."
    return _saved(request, store, question_id, words)


def _saved(request: Request, store: Store, question_id: int, words: str) -> RedirectResponse:
    outdated = is_outdated(store, question_id)
    more = "Postil has not checked the answers against it yet: see below." if outdated else ""
    flash(request, words, hint=more)
    return back(f"/questions/{question_id}")


def _form(
    request: Request,
    store: Store,
    question_id: int,
    rows: Sequence[Row],
    *,
    waiting: bool = False,
    proposed: bool = False,
    focus: int | None = None,
    messages: Sequence[Message] = (),
    error: PostilError | None = None,
    seen: str = "",
    changed: bool = False,
) -> HTMLResponse:
    """The page with these rows, which may be Postil's own; `focus` is the row to go on with.

    `seen` is the version that the form was filled with; where somebody else has `changed` it, the stored
    rubric is shown as well.
    """
    head: dict[str, Any] = head_of(store, question_id, "facets")
    job = latest_job(store, question_id, "facets")
    failed = not waiting and head["question"].facets is None and job is not None and job.state == "failed"
    return render(
        request,
        "facets.html",
        error=error,
        **head,
        **_LIMITS,
        rows=rows,
        waiting=waiting,
        proposed=proposed,
        failed=failed,
        focus=focus,
        messages=messages,
        seen=seen or head["question"].facets_version,
        changed=changed,
    )


def _is_awaited(job: Job) -> bool:
    """Whether it is worth waiting for a job; where no worker is, a person writes what a full answer says."""
    return job.state in ACTIVE and not job.forsaken
