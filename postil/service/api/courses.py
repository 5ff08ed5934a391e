"""Courses: list, make, rename and delete them."""

from __future__ import annotations

from fastapi import APIRouter, HTTPException, Request, Response

from postil.service.api import converting, schemas
from postil.service.api.auth import reads
from postil.service.api.common import CourseId, log, point_to
from postil.service.api.idempotent import KeyedRoute, writes_once
from postil.service.api.paging import OfPlace, cut
from postil.service.people import Level
from postil.service.store import courses as stored
from postil.service.store import events
from postil.service.web.access import OfPerson
from postil.service.web.pages import OfStore

router = APIRouter(tags=["courses"], route_class=KeyedRoute)


@router.get("/courses", dependencies=reads(), summary="List courses")
def list_courses(store: OfStore, person: OfPerson, place: OfPlace) -> schemas.Courses:
    """Your own courses and those shared with you, the newest first."""
    found = stored.list_courses(store, person)
    older = [one for one in found if place.after is None or one.id < place.after]
    shown, following = cut(older, place, lambda one: one.id)
    return schemas.Courses(items=[converting.course(one) for one in shown], next=following)


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
    return converting.course(course)


@router.get("/courses/{course_id}", dependencies=reads(Level.HELP), summary="Get a course")
def get_course(course_id: CourseId, store: OfStore) -> schemas.Course:
    """One course."""
    return converting.course(stored.get_course(store, course_id))


@router.patch("/courses/{course_id}", dependencies=writes_once(Level.OWN), summary="Rename a course")
def rename_course(
    request: Request, course_id: CourseId, store: OfStore, new: schemas.NewCourse
) -> schemas.Course:
    """Give a course another name."""
    stored.rename_course(store, course_id, new.name)
    course = stored.get_course(store, course_id)
    log(request, events.COURSE_RENAMED, course_id, course.name)
    return converting.course(course)


@router.delete(
    "/courses/{course_id}", dependencies=writes_once(Level.OWN), status_code=204, summary="Delete a course"
)
def delete_course(request: Request, course_id: CourseId, store: OfStore) -> None:
    """Delete a course and everything in it: questions, answers, judgements and decisions."""
    name = stored.get_course(store, course_id).name
    stored.delete_course(store, course_id)
    log(request, events.COURSE_DELETED, course_id, name)
