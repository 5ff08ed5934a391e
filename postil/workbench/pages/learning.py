"""Grade the rest again with the teacher's decisions, and show what would change before anything does."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from postil.errors import number_of
from postil.workbench.http.access import may
from postil.workbench.http.rendering import OfStore, back, flash, render
from postil.workbench.pages.table import ACTIVE, head_of
from postil.workbench.people import Level
from postil.workbench.records import Job, View
from postil.workbench.store.database import Store
from postil.workbench.store.decisions import teaching
from postil.workbench.store.figures import kinds_of_change, some_changes
from postil.workbench.store.jobs import decisions_heard, enqueue, latest_job
from postil.workbench.store.judgements import apply_changes, drop_changes
from postil.workbench.store.questions import get_question

router = APIRouter()
OfJob = Annotated[int, Form(alias="job")]

MOST = 200  # changes shown at once
_NOTHING = "There is nothing to learn from yet: no answer is decided."


@router.post("/questions/{question_id}/regrade", dependencies=[may(Level.HELP)])
def grade_again(request: Request, question_id: int, store: OfStore) -> RedirectResponse:
    """Have the rest of the class graded again, in the background; nothing changes by that alone."""
    get_question(store, question_id)
    if not teaching(store, question_id):
        flash(request, _NOTHING, "warning", "Review a few answers first.")
        return back(f"/questions/{question_id}/changes")
    enqueue(store, "regrade", question_id)
    return back(f"/questions/{question_id}/changes")


@router.get("/questions/{question_id}/changes", dependencies=[may(Level.HELP)])
def show_changes(request: Request, question_id: int, store: OfStore, kind: str = "") -> HTMLResponse:
    """How far grading again is, and then what would change."""
    head = head_of(store, question_id, "changes")
    facets = head["question"].facets
    # Another job may run as well; its progress is not what this page waits for.
    job = latest_job(store, question_id, "regrade")
    kinds = kinds_of_change(store, job.id) if job and job.state == "done" else []
    chosen = next((one for one in kinds if one.name == kind), None)
    total = sum(one.count for one in kinds)
    return render(
        request,
        "changes.html",
        **head,
        job=job,
        stage=_stage(job),
        decisions=len(teaching(store, question_id)),
        heard=decisions_heard(store, question_id),
        changes=some_changes(store, job.id, chosen, MOST) if job and kinds else [],
        listed=chosen.count if chosen else total,
        total=total,
        kinds=kinds,
        chosen=chosen,
        before=lambda change: View(change.answer, change.before, None, facets),
        after=lambda change: View(change.answer, change.after, None, facets),
    )


@router.post("/questions/{question_id}/changes/apply", dependencies=[may(Level.TEACH)])
def apply(request: Request, question_id: int, store: OfStore, job_id: OfJob) -> RedirectResponse:
    """Take over what was proposed; answers that somebody has decided in the meantime stay as they are."""
    if not _is_open(request, store, question_id, job_id):
        return back(f"/questions/{question_id}/changes")
    count = sum(kind.count for kind in kinds_of_change(store, job_id))
    apply_changes(store, job_id)
    you = "you" if request.app.state.settings.local else "people"
    flash(request, f"Taken over: {number_of(count, 'change')}. What {you} decided stayed as it was.")
    return back(f"/questions/{question_id}")


@router.post("/questions/{question_id}/changes/drop", dependencies=[may(Level.TEACH)])
def drop(request: Request, question_id: int, store: OfStore, job_id: OfJob) -> RedirectResponse:
    """Leave everything as it was."""
    if _is_open(request, store, question_id, job_id):
        drop_changes(store, job_id)
        flash(request, "Everything was kept as it was.")
    return back(f"/questions/{question_id}")


def _stage(job: Job | None) -> str:
    """Where the work stands, in the words that the page chooses its contents by."""
    if job is None:
        return "none"
    return "running" if job.state in ACTIVE else job.state


def _is_open(request: Request, store: Store, question_id: int, job_id: int) -> bool:
    """Whether these are still the latest changes, undecided; a page left open may show older ones."""
    job = latest_job(store, question_id, "regrade")
    if job and job.id == job_id and job.state == "done":
        return True
    flash(request, "These changes are no longer the latest.", "warning", "Here is how it stands now.")
    return False
