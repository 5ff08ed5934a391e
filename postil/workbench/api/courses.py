"""Courses: list, make, rename and delete them."""

from __future__ import annotations

from fastapi import APIRouter, HTTPException, Request, Response

from postil.workbench.api import records, schemas
from postil.workbench.api.auth import reads
from postil.workbench.api.common import CourseId, log, point_to
from postil.workbench.api.paging import OfPlace, cut
from postil.workbench.api.requests import KeyedRoute, writes_once
from postil.workbench.http.access import OfPerson
from postil.workbench.http.rendering import OfStore
from postil.workbench.people import Level
from postil.workbench.store import courses as stored
from postil.workbench.store import events

router = APIRouter(tags=["courses"], route_class=KeyedRoute)


@router.get("/courses", dependencies=reads(), summary="List courses")
def list_courses(store: OfStore, person: OfPerson, place: OfPlace) -> schemas.Courses:
    """Your own courses and those shared with you, the newest first."""
    found = stored.list_courses(store, person)
    older = [one for one in found if place.after is None or one.id < place.after]
    shown, following = cut(older, place, lambda one: one.id)
    return schemas.Courses(items=[records.course(one) for one in shown], next=following)


@router.post("/courses", dependencies=writes_once(), status_code=201, summary="Make a course")
def create_course(
    request: Request, response: Response, store: OfStore, person: OfPerson, new: schemas.NewCourse
) -> schemas.Course:
    """Make a course that is yours. Assistants cannot have any."""
    if not person.makes_courses:
        raise HTTPException(403, "Assistants help in the courses of others, and make none.")
    course_id = stored.create_course(store, new.name, person.id)
    course = stored.get_course(store, course_id)
    log(request, events.COURSE_MADE, course_id, course.name)
    point_to(request, response, f"/courses/{course_id}")
    return records.course(course)


@router.get("/courses/{course_id}", dependencies=reads(Level.HELP), summary="Get a course")
def get_course(course_id: CourseId, store: OfStore) -> schemas.Course:
    """One course."""
    return records.course(stored.get_course(store, course_id))


@router.patch("/courses/{course_id}", dependencies=writes_once(Level.OWN), summary="Rename a course")
def rename_course(
    request: Request, course_id: CourseId, store: OfStore, new: schemas.NewCourse
) -> schemas.Course:
    """Give a course another name."""
    stored.rename_course(store, course_id, new.name)
    course = stored.get_course(store, course_id)
    log(request, events.COURSE_RENAMED, course_id, course.name)
    return records.course(course)


@router.delete(
    "/courses/{course_id}", dependencies=writes_once(Level.OWN), status_code=204, summary="Delete a course"
)
def delete_course(request: Request, course_id: CourseId, store: OfStore) -> None:
    """Delete a course and everything in it: questions, answers, judgements and decisions."""
    name = stored.get_course(store, course_id).name
    stored.delete_course(store, course_id)
    log(request, events.COURSE_DELETED, course_id, name)
