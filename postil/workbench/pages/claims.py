"""The rubric of a question: what a full answer says, item by item, with points, for a teacher to change.

The code calls the items facets, as files and the API do. Nothing is stored before a page has shown whose
points would change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Annotated, Any, cast

from fastapi import APIRouter, Depends, Form, Request, UploadFile
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from postil.data.judgements import Facets
from postil.data.questions import Facet
from postil.data.rubrics import LONGEST_ITEM, MOST_FACETS, MOST_WEIGHT, usable
from postil.errors import PostilError, number_of
from postil.grading.credit import worth
from postil.workbench.claims import looked_for
from postil.workbench.exports import file_name
from postil.workbench.http.access import OfPerson, may
from postil.workbench.http.rendering import Message, OfStore, all_views, back, download, flash, render
from postil.workbench.pages.table import ACTIVE, head_of
from postil.workbench.records import Job, Level
from postil.workbench.rubrics import (
    FILES,
    MOST_UNDONE,
    Preview,
    Row,
    Rows,
    Step,
    as_file,
    facets_of_rows,
    fitted,
    pressed,
    preview,
    read_file,
    read_rows_again,
    written,
)
from postil.workbench.store.courses import forget_facets, get_question, is_outdated, set_facets
from postil.workbench.store.database import Store
from postil.workbench.store.jobs import enqueue, get_job, latest_job
from postil.workbench.store.rows import ChangedError
from postil.workbench.store.rubrics import (
    apply_draft,
    draft_rubric,
    drafted,
    earlier_rubrics,
    found_for,
    get_earlier,
)

router = APIRouter()
_LIMITS = {"longest": LONGEST_ITEM, "most": MOST_FACETS, "heaviest": MOST_WEIGHT}
_COLUMNS = ("id", "name", "weight", "required", "group", "needed", "deduction")
_MOST_LISTED = 200  # answers whose points would change
_DOWNLOADS = {"csv": "text/csv", "xml": "application/xml"}


@dataclass(frozen=True, slots=True)
class Sent:
    """The form as it was sent: its rows, the button, the version it began with, and its earlier states."""

    rows: Rows
    button: str = ""
    seen: str = ""
    before: tuple[str, ...] = ()


async def _read(request: Request) -> Sent:
    form = await request.form()
    columns = [[str(cell) for cell in form.getlist(name)] for name in _COLUMNS]
    # Never more than can be set and one to say so; a form that was made by hand may have any number.
    cells = list(zip_longest(*columns, fillvalue=""))[: min(MOST_FACETS + 1, *map(len, columns[:4]))]
    rows = tuple(
        Row(id, name, weight, required != "no", group, needed, deduction)
        for id, name, weight, required, group, needed, deduction in cells
    )
    before = tuple(str(state) for state in form.getlist("before"))[-MOST_UNDONE:]
    return Sent(rows, str(form.get("do", "")), str(form.get("seen", "")), before)


OfForm = Annotated[Sent, Depends(_read)]


@router.get("/questions/{question_id}/facets", dependencies=[may(Level.HELP)])
def show_facets(request: Request, question_id: int, store: OfStore, own: bool = False) -> HTMLResponse:
    """The facets that were set, or else those that Postil proposes; `own` does not wait for these."""
    question = get_question(store, question_id)
    if question.facets is not None:
        return _form(request, store, question_id, tuple(map(Row.of, question.facets)))
    job = latest_job(store, question_id, "facets") or get_job(store, enqueue(store, "facets", question_id))
    if _is_awaited(job) and not own:
        return _form(request, store, question_id, (), waiting=True)
    names = cast(list[str], job.result.get("names", []))
    rows = tuple(Row(name=name) for name in names) or (Row(),)
    return _form(request, store, question_id, rows, proposed=bool(names))


@router.get("/questions/{question_id}/facets/progress", dependencies=[may(Level.HELP)])
def show_progress(question_id: int, store: OfStore, kind: str = "facets") -> Response:
    """An empty response while Postil is still reading; after that, the request to reload the page."""
    job = latest_job(store, question_id, "preview" if kind == "preview" else "facets")
    if job and _is_awaited(job):
        return Response(status_code=204)
    return Response(headers={"HX-Refresh": "true"})


@router.post("/questions/{question_id}/facets", dependencies=[may(Level.TEACH)])
def change_facets(
    request: Request, question_id: int, store: OfStore, person: OfPerson, form: OfForm
) -> Response:
    """Change the rows without keeping anything; show what they would change; and then keep them.

    If the rubric has been changed since the form was opened, the stored one is shown beside what was written.
    """
    rows = form.rows
    try:
        if form.button == "undo":
            return _undo(request, store, question_id, form)
        fit = form.button == "fit"
        points = get_question(store, question_id).points
        step = fitted(rows, points) if fit else pressed(rows, form.button)
        if step is not None:
            return _form(request, store, question_id, step.rows, step=step, form=form)
        # New ones that were left empty are nothing; without them, errors count the rows that are shown.
        rows = tuple(row for row in rows if row.id or row.name.strip())
        if form.button == "edit":
            return _form(request, store, question_id, rows or (Row(),), form=form)
        return _keep(request, store, question_id, usable(facets_of_rows(rows)), form, person.id)
    except ChangedError as error:
        return _form(request, store, question_id, rows or (Row(),), error=error, changed=True)
    except PostilError as error:
        return _form(request, store, question_id, rows or (Row(),), error=error, form=form)


@router.post("/questions/{question_id}/facets/earlier", dependencies=[may(Level.TEACH)])
def bring_back(
    request: Request,
    question_id: int,
    store: OfStore,
    person: OfPerson,
    rubric: Annotated[int, Form()],
) -> Response:
    """Show what a rubric that the question had before would change, as any other draft."""
    facets = get_earlier(store, question_id, rubric).facets
    seen = get_question(store, question_id).facets_version
    if facets is None:
        return _show_without(request, store, question_id, seen)
    rows = tuple(map(Row.of, facets))
    return _keep(request, store, question_id, facets, Sent(rows, "save", seen), person.id)


@router.post("/questions/{question_id}/facets/import", dependencies=[may(Level.TEACH)])
def import_rubric(
    request: Request, question_id: int, store: OfStore, file: UploadFile | None = None
) -> HTMLResponse:
    """Fill the form with the rubric of a file; nothing is kept yet."""
    question = get_question(store, question_id)
    rows = tuple(map(Row.of, question.facets or ())) or (Row(),)
    try:
        if file is None or not file.filename:
            raise PostilError("no file was chosen.", hint=f"Choose one of these kinds: {', '.join(FILES)}.")
        read = read_file(file.filename, file.file.read())
    except PostilError as error:
        return _form(request, store, question_id, rows, error=error)
    told = f"{number_of(len(read.facets), 'item')} read from the file. Nothing is saved yet."
    # What is worded as before is the same item, and keeps its ticks.
    ids = {facet.first.casefold(): facet.id for facet in question.facets or ()}
    facets = [replace(facet, id=ids.get(facet.first.casefold(), "")) for facet in read.facets]
    messages = [Message(told), *(Message(words, "warning") for words in read.notes)]
    return _form(request, store, question_id, tuple(map(Row.of, facets)), messages=messages)


@router.get("/questions/{question_id}/facets.csv", dependencies=[may(Level.TEACH)])
@router.get("/questions/{question_id}/facets.xml", dependencies=[may(Level.TEACH)])
def export_rubric(request: Request, question_id: int, store: OfStore) -> Response:
    """The rubric as a table, or as the form that a Moodle backup has."""
    question = get_question(store, question_id)
    ending = request.url.path.rpartition(".")[2]
    if not question.facets:
        flash(request, "There is no rubric to download.", "error", "Save one first.")
        return back(f"/questions/{question_id}/facets")
    data = as_file(question.facets, f".{ending}", question.text)
    name = file_name(f"rubric {question.text}") if ending == "csv" else "grading"
    return download(data, _DOWNLOADS[ending], f"{name}.{ending}")


@router.get("/questions/{question_id}/facets/preview", dependencies=[may(Level.TEACH)])
def show_preview(request: Request, question_id: int, store: OfStore) -> Response:
    """What a draft would change, once Postil has looked for its items; before, how far it is."""
    job = latest_job(store, question_id, "preview")
    if job is None or job.state in ("applied", "dropped"):
        return back(f"/questions/{question_id}/facets")
    rows, seen = tuple(map(Row.of, drafted(job))), str(job.result.get("seen", ""))
    if _is_awaited(job):
        context: dict[str, Any] = {"job": job, "preview": None, "rows": rows, "seen": seen}
        return render(request, "facets_preview.html", **head_of(store, question_id, "facets"), **context)
    if job.state == "failed":
        error = PostilError("Postil could not check the answers.", hint="Try again, or save without it.")
        return _form(request, store, question_id, rows, error=error, form=Sent(rows, seen=seen))
    question = get_question(store, question_id)
    found = found_for(store, job)
    would = preview(question, all_views(store, question, aligned=False), drafted(job), found)
    return _show(request, store, question_id, drafted(job), seen, would, job)


@router.post("/questions/{question_id}/facets/reset", dependencies=[may(Level.TEACH)])
def reset_facets(
    request: Request, question_id: int, store: OfStore, person: OfPerson, form: OfForm
) -> Response:
    """Go back to Postil's own rubric, unless the rubric has changed in the meantime."""
    if form.button == "preview":
        return _show_without(request, store, question_id, form.seen)
    try:
        forget_facets(store, question_id, seen=form.seen or None, by=person.id)
    except ChangedError as error:
        flash(request, error.what, "warning", "This is the rubric now.")
        return back(f"/questions/{question_id}/facets")
    words = "Postil’s own items are used again; “partly right” earns half the points."
    return _saved(request, store, question_id, words)


def _keep(
    request: Request, store: Store, question_id: int, facets: Sequence[Facet], form: Sent, by: int | None
) -> Response:
    """Show what a rubric would change; keep it if nobody's points do, or if that was seen."""
    seen = form.seen or None
    if form.button == "check":
        draft_rubric(store, question_id, facets, form.seen)
        return back(f"/questions/{question_id}/facets/preview")
    job = _looked(store, question_id, facets)
    if form.button != "keep":
        question = get_question(store, question_id)
        if seen is None or seen == question.facets_version:  # else saving says that it has changed
            found = found_for(store, job) if job else {}
            would = preview(question, all_views(store, question, aligned=False), tuple(facets), found)
            if would.anything:
                return _show(request, store, question_id, tuple(facets), form.seen, would, job)
    if job is None:
        set_facets(store, question_id, facets, seen=seen, by=by)
    else:
        apply_draft(store, job.id, facets, seen=seen, by=by)
    return _saved(request, store, question_id, "The rubric has been saved.")


def _looked(store: Store, question_id: int, facets: Sequence[Facet]) -> Job | None:
    """The job that has looked for just these items in all answers, if one has."""
    job = latest_job(store, question_id, "preview")
    same = job is not None and job.state == "done" and looked_for(drafted(job)) == looked_for(tuple(facets))
    return job if same else None


def _show(
    request: Request,
    store: Store,
    question_id: int,
    facets: Facets,
    seen: str,
    would: Preview,
    job: Job | None = None,
) -> HTMLResponse:
    """The page with whose points would change, and the draft in a form that keeps it."""
    head = head_of(store, question_id, "facets")
    return render(
        request,
        "facets_preview.html",
        **head,
        job=job,
        preview=would,
        rows=tuple(map(Row.of, facets or ())),
        seen=seen or head["question"].facets_version,
        listed=would.changes[:_MOST_LISTED],
        forgetting=facets is None,
    )


def _show_without(request: Request, store: Store, question_id: int, seen: str) -> HTMLResponse:
    """The page with what it would change if Postil's own items were used again."""
    question = get_question(store, question_id)
    would = preview(question, all_views(store, question, aligned=False), None, {})
    return _show(request, store, question_id, None, seen, would)


def _undo(request: Request, store: Store, question_id: int, form: Sent) -> HTMLResponse:
    """The form as it was before the last button; the step is not among those that can be undone."""
    *before, last = form.before or ("",)
    rows = read_rows_again(last) or form.rows
    undone = Sent(rows, seen=form.seen, before=tuple(before))
    told = [Message("The last step was undone. This is not saved yet.")] if form.before else []
    return _form(request, store, question_id, rows, form=undone, messages=told)


def _saved(request: Request, store: Store, question_id: int, words: str) -> RedirectResponse:
    outdated = is_outdated(store, question_id)
    more = "Postil has not checked the answers against it yet: see below." if outdated else ""
    flash(request, words, hint=more)
    return back(f"/questions/{question_id}")


def _form(
    request: Request,
    store: Store,
    question_id: int,
    rows: Rows,
    *,
    waiting: bool = False,
    proposed: bool = False,
    step: Step | None = None,
    form: Sent | None = None,
    messages: Sequence[Message] = (),
    error: PostilError | None = None,
    changed: bool = False,
) -> HTMLResponse:
    """The page with these rows, which may be Postil's own; a `step` says which row to go on with.

    `form` is what was sent, if anything; where somebody else has `changed` the rubric, the stored one is
    shown as well.
    """
    head: dict[str, Any] = head_of(store, question_id, "facets")
    job = latest_job(store, question_id, "facets")
    failed = not waiting and head["question"].facets is None and job is not None and job.state == "failed"
    before = form.before if form else ()
    if step is not None and form is not None:
        before = (*before, written(form.rows))[-MOST_UNDONE:]
        messages = [Message(step.told, "warning")] if step.told else messages
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
        focus=None if step is None else (step.focus, step.on),
        messages=messages,
        seen=(form.seen if form else "") or head["question"].facets_version,
        changed=changed,
        before=before,
        files=",".join(FILES),
        earlier=earlier_rubrics(store, question_id),
        whole=worth(head["question"].facets) if head["question"].facets else None,
    )


def _is_awaited(job: Job) -> bool:
    """Whether it is worth waiting for a job; where no worker is, a person writes what a full answer says."""
    return job.state in ACTIVE and not job.forsaken
