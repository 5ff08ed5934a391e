"""Courses: the first page, a course with its questions, and making, renaming and deleting one."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from postil.errors import PostilError
from postil.service.store.courses import create_course, delete_course, get_course, list_courses, rename_course
from postil.service.store.questions import list_questions
from postil.service.storing import store_example
from postil.service.web.pages import OfStore, back, flash, flash_error, render

router = APIRouter()
Text = Annotated[str, Form()]


@router.get("/")
def show_courses(request: Request, store: OfStore) -> HTMLResponse:
    """All courses; at the very beginning, ways to begin."""
    return render(request, "courses.html", courses=list_courses(store))


@router.post("/courses")
def make_course(request: Request, store: OfStore, name: Text = "") -> RedirectResponse:
    """Make a course and go there."""
    try:
        return back(f"/courses/{create_course(store, name)}")
    except PostilError as error:
        flash_error(request, error)
        return back("/")


@router.post("/courses/demo")
def make_example(request: Request, store: OfStore) -> RedirectResponse:
    """Make a course of the class that ships with Postil."""
    course_id = store_example(store)
    flash(request, "This is a made-up class to try things on. Open a question to begin.")
    return back(f"/courses/{course_id}")


@router.get("/courses/{course_id}")
def show_course(request: Request, course_id: int, store: OfStore) -> HTMLResponse:
    """A course with its questions."""
    course = get_course(store, course_id)
    return render(request, "course.html", course=course, questions=list_questions(store, course_id))


@router.post("/courses/{course_id}/rename")
def give_name(request: Request, course_id: int, store: OfStore, name: Text = "") -> RedirectResponse:
    """Give a course another name."""
    try:
        rename_course(store, course_id, name)
    except PostilError as error:
        flash_error(request, error)
    return back(f"/courses/{course_id}")


@router.post("/courses/{course_id}/delete")
def remove_course(request: Request, course_id: int, store: OfStore) -> RedirectResponse:
    """Delete a course and everything in it."""
    name = get_course(store, course_id).name
    delete_course(store, course_id)
    flash(request, f"“{name}” and everything in it was deleted.")
    return back("/")
