"""Courses and questions: list, make, change and delete them, and say what a full answer says."""

from __future__ import annotations

from fastapi import APIRouter, HTTPException, Request, Response

from postil.data.questions import Facet
from postil.workbench.api import schemas
from postil.workbench.api.auth import reads
from postil.workbench.api.idempotency import KeyedRoute, writes_once
from postil.workbench.api.routes import (
    CourseId,
    OfPage,
    QuestionId,
    log,
    point_to,
    read_course,
    read_facets,
    read_question,
)
from postil.workbench.http.access import OfPerson
from postil.workbench.http.rendering import OfStore
from postil.workbench.records import Level
from postil.workbench.store import courses as stored
from postil.workbench.store import courses as stored_questions
from postil.workbench.store import events

router = APIRouter(tags=["courses"], route_class=KeyedRoute)
questions_router = APIRouter(tags=["questions"], route_class=KeyedRoute)


@router.get("/courses", dependencies=reads(), summary="List courses")
def list_courses(store: OfStore, person: OfPerson, page: OfPage) -> schemas.Courses:
    """Your own courses and those shared with you, newest first."""
    return page.show(schemas.Courses, page.rest(stored.list_courses(store, person), newest_first=True))


@router.post("/courses", dependencies=writes_once(), status_code=201, summary="Make a course")
def create_course(
    request: Request, response: Response, store: OfStore, person: OfPerson, new: schemas.NewCourse
) -> schemas.Course:
    """Make a course of your own. Assistants cannot have courses."""
    if not person.makes_courses:
        raise HTTPException(403, "Assistants help in other people's courses, and cannot make their own.")
    course_id = stored.create_course(store, new.name, person.id)
    course = read_course(store, course_id)
    log(request, events.COURSE_MADE, course_id, course.name)
    point_to(request, response, f"/courses/{course_id}")
    return course


@router.get("/courses/{course_id}", dependencies=reads(Level.HELP), summary="Get a course")
def get_course(course_id: CourseId, store: OfStore) -> schemas.Course:
    """One course."""
    return read_course(store, course_id)


@router.patch("/courses/{course_id}", dependencies=writes_once(Level.OWN), summary="Rename a course")
def rename_course(
    request: Request, course_id: CourseId, store: OfStore, new: schemas.NewCourse
) -> schemas.Course:
    """Give a course another name."""
    stored.rename_course(store, course_id, new.name)
    course = read_course(store, course_id)
    log(request, events.COURSE_RENAMED, course_id, course.name)
    return course


@router.delete(
    "/courses/{course_id}", dependencies=writes_once(Level.OWN), status_code=204, summary="Delete a course"
)
def delete_course(request: Request, course_id: CourseId, store: OfStore) -> None:
    """Delete a course and everything in it: questions, answers, judgements and decisions."""
    name = stored.get_course(store, course_id).name
    stored.delete_course(store, course_id)
    log(request, events.COURSE_DELETED, course_id, name)


@questions_router.get(
    "/courses/{course_id}/questions", dependencies=reads(Level.HELP), summary="List questions"
)
def list_questions(course_id: CourseId, store: OfStore, page: OfPage) -> schemas.Questions:
    """The questions of a course, oldest first."""
    questions = stored_questions.list_questions(store, course_id)
    return page.show(schemas.Questions, page.rest(questions, newest_first=False))


@questions_router.post(
    "/courses/{course_id}/questions",
    dependencies=writes_once(Level.TEACH),
    status_code=201,
    summary="Make a question",
)
def create_question(
    request: Request, response: Response, course_id: CourseId, store: OfStore, new: schemas.NewQuestion
) -> schemas.Question:
    """Make a question with at least one right answer to compare with."""
    question_id = stored_questions.create_question(store, course_id, new.text, new.references, new.points)
    point_to(request, response, f"/questions/{question_id}")
    return read_question(store, question_id)


@questions_router.get("/questions/{question_id}", dependencies=reads(Level.HELP), summary="Get a question")
def get_question(question_id: QuestionId, store: OfStore) -> schemas.Question:
    """One question, and how many of its answers are judged and decided."""
    return read_question(store, question_id)


@questions_router.patch(
    "/questions/{question_id}", dependencies=writes_once(Level.TEACH), summary="Change a question"
)
def edit_question(question_id: QuestionId, store: OfStore, edit: schemas.QuestionEdit) -> schemas.Question:
    """Change the fields that are sent, and leave the rest.

    If the text or the references change, the machine's judgements are deleted; people's decisions stay.
    """
    stored_questions.edit_question(store, question_id, edit.text, edit.references, edit.points)
    return read_question(store, question_id)


@questions_router.delete(
    "/questions/{question_id}",
    dependencies=writes_once(Level.TEACH),
    status_code=204,
    summary="Delete a question",
)
def delete_question(request: Request, question_id: QuestionId, store: OfStore) -> None:
    """Delete a question with its answers, their judgements and decisions."""
    course_id = stored_questions.get_question(store, question_id).course_id
    stored_questions.delete_question(store, question_id)
    log(request, events.QUESTION_DELETED, course_id)


@questions_router.get(
    "/questions/{question_id}/facets", dependencies=reads(Level.HELP), summary="Get the facets"
)
def get_facets(question_id: QuestionId, store: OfStore) -> schemas.Facets:
    """The points that a full answer makes, as set by a teacher."""
    return read_facets(store, question_id)


@questions_router.put(
    "/questions/{question_id}/facets", dependencies=writes_once(Level.TEACH), summary="Set the facets"
)
def set_facets(question_id: QuestionId, store: OfStore, new: schemas.NewFacets) -> schemas.Facets:
    """Set the points that a full answer makes. Partly right answers then earn the share they express.

    At least one facet must be required. Labels stay; start a `recheck` job to look for new facets in graded
    answers.
    """
    facets = [
        Facet(facet.id or "", facet.name, weight=facet.weight, required=facet.required)
        for facet in new.facets
    ]
    stored_questions.set_facets(store, question_id, facets)
    return read_facets(store, question_id)


@questions_router.delete(
    "/questions/{question_id}/facets", dependencies=writes_once(Level.TEACH), summary="Forget the facets"
)
def forget_facets(question_id: QuestionId, store: OfStore) -> schemas.Facets:
    """Let Postil find the points of a full answer again; partly right answers then earn half."""
    stored_questions.forget_facets(store, question_id)
    return read_facets(store, question_id)
