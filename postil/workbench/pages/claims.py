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


@dataclass(frozen=True, slots=True)
class Filled:
    """The form as it was sent: its rows, and which button was pressed."""

    rows: tuple[Row, ...]
    pressed: str


async def _read(request: Request) -> Filled:
    form = await request.form()
    columns = [[str(cell) for cell in form.getlist(name)] for name in ("id", "name", "weight", "required")]
    # Never more than can be set and one to say so; a form that was made by hand may have any number.
    cells = list(zip(*columns, strict=False))[: MOST_FACETS + 1]
    rows = tuple(Row(id, name, weight, required != "no") for id, name, weight, required in cells)
    return Filled(rows, str(form.get("do", "")))


OfForm = Annotated[Filled, Depends(_read)]


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
    """Nothing while Postil still reads; then the page is asked to load again."""
    job = latest_job(store, question_id, "facets")
    if job and _is_awaited(job):
        return Response(status_code=204)
    return Response(headers={"HX-Refresh": "true"})


@router.post("/questions/{question_id}/facets", dependencies=[may(Level.TEACH)])
def change_facets(request: Request, question_id: int, store: OfStore, filled: OfForm) -> Response:
    """Keep what was written; a row is added or taken away without keeping anything yet."""
    rows = list(filled.rows)
    if filled.pressed == "add":
        if len(rows) >= MOST_FACETS:
            error = PostilError(f"a rubric can have at most {MOST_FACETS} items.")
            return _form(request, store, question_id, rows, error=error)
        return _form(request, store, question_id, [*rows, Row()], focus=len(rows))
    buttons = [f"{_REMOVE}{number}" for number in range(len(rows))]
    if filled.pressed in buttons:
        number = buttons.index(filled.pressed)
        del rows[number]
        gone = Message("One item was removed. This is not saved yet.", "warning")
        focus = min(number, len(rows) - 1)
        return _form(request, store, question_id, rows or [Row()], focus=max(focus, 0), messages=[gone])
    # New ones that were left empty are nothing; without them, errors count the rows that are shown.
    rows = [row for row in rows if row.id or row.name.strip()]
    try:
        facets = []
        for number, row in enumerate(rows, 1):
            weight = read_number(row.weight, f"the weight of item {number}")
            facets.append(Facet(row.id, row.name, weight=weight, required=row.required))
        set_facets(store, question_id, facets)
    except PostilError as error:
        return _form(request, store, question_id, rows or [Row()], error=error)
    return _saved(request, store, question_id, "The rubric has been saved.")


@router.post("/questions/{question_id}/facets/reset", dependencies=[may(Level.TEACH)])
def reset_facets(request: Request, question_id: int, store: OfStore) -> RedirectResponse:
    """Leave it to Postil again what a full answer says."""
    forget_facets(store, question_id)
    words = "Postil’s own items are used again; “partly right” earns half the points."
    return _saved(request, store, question_id, words)


@router.post("/questions/{question_id}/facets/find", dependencies=[may(Level.TEACH)])
def find_again(question_id: int, store: OfStore) -> RedirectResponse:
    """Have Postil propose facets once more, after this has failed."""
    get_question(store, question_id)
    enqueue(store, "facets", question_id)
    return back(f"/questions/{question_id}/facets")


@router.post("/questions/{question_id}/recheck", dependencies=[may(Level.HELP)])
def look_again(question_id: int, store: OfStore) -> RedirectResponse:
    """Have Postil look for the facets in all answers, in the background; labels stay."""
    get_question(store, question_id)
    enqueue(store, "recheck", question_id)
    return back(f"/questions/{question_id}")


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
) -> HTMLResponse:
    """The page with these rows, which may be Postil's own; `focus` is the row to go on with."""
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
    )


def _is_awaited(job: Job) -> bool:
    """Whether it is worth waiting for a job; where no worker is, a person writes what a full answer says."""
    return job.state in ACTIVE and not job.forsaken
