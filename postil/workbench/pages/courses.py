"""Courses: the first page, a course with its questions, and making, renaming and deleting one."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from postil.errors import PostilError, number_of
from postil.workbench.http.access import OfPerson, may
from postil.workbench.http.failures import NotAllowedError
from postil.workbench.http.noting import note
from postil.workbench.http.rendering import OfStore, back, flash, flash_error, render
from postil.workbench.people import Level, Person
from postil.workbench.rounds import progress, waits_for
from postil.workbench.store import events
from postil.workbench.store.courses import (
    create_course,
    delete_course,
    get_course,
    list_courses,
    rename_course,
)
from postil.workbench.store.database import Store
from postil.workbench.store.jobs import enqueue
from postil.workbench.store.questions import list_questions
from postil.workbench.store.rounds import work_of
from postil.workbench.store.storing import EXAMPLE, store_example

router = APIRouter()
Text = Annotated[str, Form()]


def _demand_maker(person: OfPerson) -> None:
    if not person.makes_courses:
        raise NotAllowedError("Assistants help in the courses of others, and make none.")


@router.get("/")
def show_courses(request: Request, store: OfStore, person: OfPerson) -> HTMLResponse:
    """One's courses; at the very beginning, ways to begin."""
    unlabelled, unsettled = _waiting(store, person)
    return render(
        request,
        "courses.html",
        courses=list_courses(store, person),
        unlabelled=unlabelled,
        unsettled=unsettled,
    )


@router.post("/courses", dependencies=[Depends(_demand_maker)])
def make_course(request: Request, store: OfStore, person: OfPerson, name: Text = "") -> RedirectResponse:
    """Make a course and go there."""
    try:
        course_id = create_course(store, name, person.id)
        note(request, events.COURSE_MADE, course_id=course_id, about=get_course(store, course_id).name)
        return back(f"/courses/{course_id}")
    except PostilError as error:
        flash_error(request, error)
        return back("/")


@router.post("/courses/demo", dependencies=[Depends(_demand_maker)])
def make_example(request: Request, store: OfStore, person: OfPerson) -> RedirectResponse:
    """Make a course of the class that ships with Postil."""
    course_id = store_example(store, person.id)
    note(request, events.COURSE_MADE, course_id=course_id, about=EXAMPLE)
    flash(request, "This is a made-up class to try things on. Open a question to begin.")
    return back(f"/courses/{course_id}")


@router.get("/courses/{course_id}", dependencies=[may(Level.HELP)])
def show_course(request: Request, course_id: int, store: OfStore) -> HTMLResponse:
    """A course with its questions."""
    course = get_course(store, course_id)
    return render(request, "course.html", course=course, questions=list_questions(store, course_id))


@router.post("/courses/{course_id}/grade", dependencies=[may(Level.HELP)])
def grade_waiting(request: Request, course_id: int, store: OfStore) -> RedirectResponse:
    """Have all questions graded that have answers which nobody has judged, in the background."""
    waiting = [one for one in list_questions(store, course_id) if one.answers > one.judged]
    for question in waiting:
        enqueue(store, "grade", question.id)
    if waiting:
        flash(request, f"{number_of(len(waiting), 'question')} will be graded, one after the other.")
    else:
        flash(request, "Nothing waits: every answer is graded.")
    return back(f"/courses/{course_id}")


@router.post("/courses/{course_id}/rename", dependencies=[may(Level.OWN)])
def give_name(request: Request, course_id: int, store: OfStore, name: Text = "") -> RedirectResponse:
    """Give a course another name."""
    try:
        rename_course(store, course_id, name)
        note(request, events.COURSE_RENAMED, course_id=course_id, about=get_course(store, course_id).name)
    except PostilError as error:
        flash_error(request, error)
    return back(f"/courses/{course_id}")


@router.post("/courses/{course_id}/delete", dependencies=[may(Level.OWN)])
def remove_course(request: Request, course_id: int, store: OfStore) -> RedirectResponse:
    """Delete a course and everything in it."""
    name = get_course(store, course_id).name
    delete_course(store, course_id)
    note(request, events.COURSE_DELETED, course_id=course_id, about=name)
    flash(request, f"“{name}” and everything in it was deleted.")
    return back("/")


def _waiting(store: Store, person: Person) -> tuple[int, int]:
    """How many answers wait to be labelled by a person in rounds, and how many to be settled."""
    works = [work for work in work_of(store, person) if waits_for(work, person)] if person.id else []
    label = sum(len(one.round.answers) - len(one.of(person)) for one in works if one.round.labels(person))
    return label, sum(progress(one).undecided for one in works if one.round.settles(person))
