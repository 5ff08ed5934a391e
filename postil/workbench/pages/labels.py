"""Teaching the grader: the few answers to label first, and grading the rest again with what was decided."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, cast

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from postil.errors import PostilError, number_of
from postil.workbench.http.access import OfPerson, may, read_number
from postil.workbench.http.rendering import OfStore, back, flash, missing_reader, render
from postil.workbench.pages.review import demand_label, tell_left
from postil.workbench.pages.table import ACTIVE, active_job, head_of
from postil.workbench.records import Decision, Job, Lessons, Level, Question, Version, View
from postil.workbench.store.answers import get_view
from postil.workbench.store.courses import get_question, list_questions
from postil.workbench.store.database import Store
from postil.workbench.store.decisions import decide, lessons, teaching
from postil.workbench.store.jobs import (
    changed_settings,
    decisions_heard,
    enqueue,
    get_job,
    latest_job,
    reader_missed,
)
from postil.workbench.store.judgements import apply_changes, drop_changes, kinds_of_change, some_changes
from postil.workbench.store.rows import ChangedError

router = APIRouter()
OfJob = Annotated[int, Form(alias="job")]
MOST = 200  # changes shown at once
_FIELD, _SEEN = "label-", "seen-"  # and the number of the answer
_NOTHING = "There is nothing to learn from yet: no answers have been decided."


async def _labelled(request: Request) -> dict[int, str]:
    """The labels that were chosen, by the number of the answer; an answer may be left out."""
    form = await request.form()
    return {
        number: demand_label(str(value))
        for name, value in form.items()
        if name.startswith(_FIELD) and (number := read_number(name.removeprefix(_FIELD)))
    }


async def _seen(request: Request) -> dict[int, Version]:
    """What the page showed of each answer."""
    form = await request.form()
    versions = {
        read_number(name.removeprefix(_SEEN)): Version.read(str(value))
        for name, value in form.items()
        if name.startswith(_SEEN)
    }
    return {number: version for number, version in versions.items() if number and version}


@router.get("/courses/{course_id}/label", dependencies=[may(Level.HELP)])
def walk(request: Request, course_id: int, store: OfStore, after: int = 0) -> RedirectResponse:
    """Go to the first answers of the next question without labels; after the last, back to the course.

    Meanwhile the answers of the question behind it are chosen, so that nobody has to wait for them.
    """
    questions = [question for question in list_questions(store, course_id) if question.id > after]
    waiting = [question for question in questions if _waits(store, question)]
    if not waiting:
        left = "" if after else "Every question with answers has labels already."
        flash(request, left or "That was the last question. Grading carries on in the background.")
        return back(f"/courses/{course_id}")
    if len(waiting) > 1 and latest_job(store, waiting[1].id, "propose") is None:
        enqueue(store, "propose", waiting[1].id)
    return back(f"/questions/{waiting[0].id}/start?walk=1")


def _waits(store: Store, question: Question) -> bool:
    """Whether a question's first answers can be labelled now, and nobody has labelled any."""
    job = active_job(store, question.id) if question.unlabelled else None
    free = job is None or job.kind == "propose"
    return question.unlabelled and free and not teaching(store, question.id)


def _taught(others: Lessons) -> str:
    """Whose labels have been heard before any of this question is given; empty if nobody's."""
    labels = sum(len(question.answers) for question in others)
    return f"{number_of(labels, 'label')} on {number_of(len(others), 'other question')}" if labels else ""


@router.get("/questions/{question_id}/start", dependencies=[may(Level.HELP)])
def show_start(request: Request, question_id: int, store: OfStore, walk: int = 0) -> Response:
    """The answers to label first; while they are being chosen, the progress.

    Who walks through a course's questions goes on to the next one.
    """
    question = get_question(store, question_id)
    at_work = active_job(store, question_id)
    if not question.answers or (at_work and at_work.kind != "propose"):
        return back(f"/questions/{question_id}")
    job = _proposing(store, question)
    head = head_of(store, question_id, "start")
    views = _proposed(store, job)
    return render(
        request,
        "start.html",
        **head,
        job=job,
        choosing=job.state in ACTIVE,
        views=views,
        walk=bool(walk),
        taught=_taught(lessons(store, question_id)),
    )


@router.post("/questions/{question_id}/start", dependencies=[may(Level.HELP)])
def keep_start(
    request: Request,
    question_id: int,
    store: OfStore,
    person: OfPerson,
    labelled: Annotated[dict[int, str], Depends(_labelled)],
    seen: Annotated[dict[int, Version], Depends(_seen)],
    walk: Annotated[int, Form()] = 0,
) -> RedirectResponse:
    """Keep the labels and have the class graded by them; if it is graded already, show what would change.

    What somebody else has decided since the page was shown stays, and the next page says so.
    """
    question = get_question(store, question_id)
    if not labelled:
        flash(request, "Label at least one answer, or skip this step.", kind="error")
        return back(f"/questions/{question_id}/start{'?walk=1' if walk else ''}")
    left: list[Decision] = []
    for answer_id, label in labelled.items():
        view = get_view(store, answer_id)
        same = view.answer.question_id == question_id and view.decision and view.decision.label == label
        if not same:  # the page also shows what was labelled before
            version = seen.get(answer_id, view.version)
            try:
                decide(
                    store, question_id, [answer_id], label, "start", by=person.id, seen={answer_id: version}
                )
            except ChangedError as error:
                left += error.decisions
    saved = number_of(len(labelled) - len(left), "label")
    tell_left(request, store, left)
    if question.judged:
        enqueue(store, "regrade", question_id)
        flash(request, f"{saved} saved.")
        shown = f"/questions/{question_id}/changes"
    else:
        enqueue(store, "grade", question_id)
        flash(request, f"{saved} saved. Postil is now grading the class as strictly as you do.")
        shown = f"/questions/{question_id}"
    return back(f"/courses/{question.course_id}/label?after={question_id}" if walk else shown)


def _proposing(store: Store, question: Question) -> Job:
    """The job that chooses for the present answers; started if there is none, or nothing left to label."""
    job = latest_job(store, question.id, "propose")
    if job is not None and job.state != "done":
        return job
    if job is not None and job.total == question.answers:
        views = _proposed(store, job)
        open_ = not views or any(view.decision is None for view in views)
        if open_ and len(views) == len(_ids(job)):
            return job
    return get_job(store, enqueue(store, "propose", question.id))


def _ids(job: Job) -> list[int]:
    return cast(list[int], job.result.get("answers", []))


def _proposed(store: Store, job: Job) -> list[View]:
    """The answers that a job has chosen, without those deleted since."""
    views = []
    for answer_id in _ids(job):
        with suppress(PostilError):
            views.append(get_view(store, answer_id))
    return views


@router.post("/questions/{question_id}/regrade", dependencies=[may(Level.HELP)])
def grade_again(request: Request, question_id: int, store: OfStore) -> RedirectResponse:
    """Have the rest of the class graded again, in the background; nothing changes by that alone."""
    get_question(store, question_id)
    changed = changed_settings(store, question_id, missing_reader(request))
    if not (teaching(store, question_id) or changed):
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
    chosen = next((change for change in kinds if change.name == kind), None)
    total = sum(change.count for change in kinds)
    return render(
        request,
        "changes.html",
        **head,
        job=job,
        stage="none" if job is None else "running" if job.state in ACTIVE else job.state,
        decisions=len(teaching(store, question_id)),
        heard=decisions_heard(store, question_id),
        missed=reader_missed(store, question_id),
        changed=changed_settings(store, question_id, missing_reader(request)),
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
    """Apply the proposed changes; answers that somebody has decided in the meantime stay as they are."""
    if not _is_open(request, store, question_id, job_id):
        return back(f"/questions/{question_id}/changes")
    count = sum(kind.count for kind in kinds_of_change(store, job_id))
    apply_changes(store, job_id)
    own = "Your own decisions" if request.app.state.settings.local else "Decisions by a person"
    flash(request, f"Applied {number_of(count, 'change')}. {own} stayed as they were.")
    return back(f"/questions/{question_id}")


@router.post("/questions/{question_id}/changes/drop", dependencies=[may(Level.TEACH)])
def drop(request: Request, question_id: int, store: OfStore, job_id: OfJob) -> RedirectResponse:
    """Leave everything as it was."""
    if _is_open(request, store, question_id, job_id):
        drop_changes(store, job_id)
        flash(request, "Everything was left as it was.")
    return back(f"/questions/{question_id}")


def _is_open(request: Request, store: Store, question_id: int, job_id: int) -> bool:
    """Whether these are still the latest changes, undecided; a page left open may show older ones."""
    job = latest_job(store, question_id, "regrade")
    if job and job.id == job_id and job.state == "done":
        return True
    flash(request, "These changes are out of date.", "warning", "Here are the latest.")
    return False
