"""Courses, their questions, the answers to them and what people decide: list, make, change and delete."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, HTTPException, Query, Request, Response
from pydantic import BaseModel

from postil.data.questions import Facet
from postil.data.rubrics import usable
from postil.errors import number_of
from postil.workbench.api import rubric_schemas, schemas
from postil.workbench.api.auth import reads
from postil.workbench.api.idempotency import KeyedRoute, writes_once
from postil.workbench.api.routes import (
    AnswerId,
    CourseId,
    OfPage,
    QuestionId,
    demand_reader,
    point_to,
    read_course,
    read_facets,
    read_question,
    show_answer,
    show_preview,
)
from postil.workbench.api.schemas import MOST_NUMBER, Label, State
from postil.workbench.claims import denial, told_by
from postil.workbench.http.access import OfPerson
from postil.workbench.http.problems import ProblemError
from postil.workbench.http.rendering import OfStore, all_views, note
from postil.workbench.records import Decision, Level, NewAnswer, Version, View
from postil.workbench.rubrics import preview
from postil.workbench.store import answers, decisions, events
from postil.workbench.store import courses as stored
from postil.workbench.store.rows import ChangedError, storable

router = APIRouter(tags=["courses"], route_class=KeyedRoute)
questions_router = APIRouter(tags=["questions"], route_class=KeyedRoute)
answers_router = APIRouter(tags=["answers"], route_class=KeyedRoute)
decisions_router = APIRouter(tags=["decisions"], route_class=KeyedRoute)
_LONGEST_SEARCH = 200


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
    demand_reader(request, new.reader)
    strictness = new.strictness or "normal"
    course_id = stored.create_course(store, new.name, person.id, strictness=strictness, reader=new.reader)
    course = read_course(store, course_id)
    note(request, events.COURSE_MADE, course_id=course_id, about=course.name)
    point_to(request, response, f"/courses/{course_id}")
    return course


@router.get("/courses/{course_id}", dependencies=reads(Level.HELP), summary="Get a course")
def get_course(course_id: CourseId, store: OfStore) -> schemas.Course:
    """One course."""
    return read_course(store, course_id)


@router.patch("/courses/{course_id}", dependencies=writes_once(Level.OWN), summary="Change a course")
def rename_course(
    request: Request, course_id: CourseId, store: OfStore, new: schemas.NewCourse
) -> schemas.Course:
    """Give a course another name, strictness or reader.

    With another strictness or reader, labels stay; start a `regrade` job for each question to see what would
    change.
    """
    before = read_course(store, course_id)
    reader = new.reader if "reader" in new.model_fields_set else before.reader
    if reader != before.reader:
        demand_reader(request, reader)
    stored.edit_course(store, course_id, new.name, strictness=new.strictness, reader=reader)
    course = read_course(store, course_id)
    if course.strictness != before.strictness:
        note(request, events.STRICTNESS_CHANGED, course_id=course_id, about=course.name)
    if course.reader != before.reader:
        note(request, events.READER_CHANGED, course_id=course_id, about=course.name)
    if course.name != before.name:
        note(request, events.COURSE_RENAMED, course_id=course_id, about=course.name)
    return course


@router.delete(
    "/courses/{course_id}", dependencies=writes_once(Level.OWN), status_code=204, summary="Delete a course"
)
def delete_course(request: Request, course_id: CourseId, store: OfStore) -> None:
    """Delete a course and everything in it: questions, answers, judgements and decisions."""
    name = stored.get_course(store, course_id).name
    stored.delete_course(store, course_id)
    note(request, events.COURSE_DELETED, course_id=course_id, about=name)


@questions_router.get(
    "/courses/{course_id}/questions", dependencies=reads(Level.HELP), summary="List questions"
)
def list_questions(course_id: CourseId, store: OfStore, page: OfPage) -> schemas.Questions:
    """The questions of a course, oldest first."""
    questions = stored.list_questions(store, course_id)
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
    question_id = stored.create_question(store, course_id, new.text, new.references, new.points)
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
    try:
        stored.edit_question(store, question_id, edit.text, edit.references, edit.points, seen=edit.version)
    except ChangedError as error:
        raise _changed(error, read_question(store, question_id)) from error
    return read_question(store, question_id)


@questions_router.delete(
    "/questions/{question_id}",
    dependencies=writes_once(Level.TEACH),
    status_code=204,
    summary="Delete a question",
)
def delete_question(request: Request, question_id: QuestionId, store: OfStore) -> None:
    """Delete a question with its answers, their judgements and decisions."""
    course_id = stored.get_question(store, question_id).course_id
    stored.delete_question(store, question_id)
    note(request, events.QUESTION_DELETED, course_id=course_id)


@questions_router.get(
    "/questions/{question_id}/facets", dependencies=reads(Level.HELP), summary="Get the facets"
)
def get_facets(question_id: QuestionId, store: OfStore) -> rubric_schemas.Facets:
    """The points that a full answer makes, as set by a teacher."""
    return read_facets(store, question_id)


@questions_router.put(
    "/questions/{question_id}/facets", dependencies=writes_once(Level.TEACH), summary="Set the facets"
)
def set_facets(
    question_id: QuestionId, store: OfStore, person: OfPerson, new: rubric_schemas.NewFacets
) -> rubric_schemas.Facets:
    """Set the points that a full answer makes. Partly right answers then earn the share they express.

    At least one facet must be required. Labels stay; start a `recheck` job to look for new facets in graded
    answers.
    """
    try:
        stored.set_facets(store, question_id, _facets(new), seen=new.version, by=person.id)
    except ChangedError as error:
        raise _changed(error, read_facets(store, question_id)) from error
    return read_facets(store, question_id)


@questions_router.post(
    "/questions/{question_id}/facets/preview", dependencies=reads(Level.TEACH), summary="Preview facets"
)
def preview_facets(
    question_id: QuestionId, store: OfStore, new: rubric_schemas.NewFacets
) -> rubric_schemas.FacetsPreview:
    """Say whose points these facets would change if they were set. Nothing is stored."""
    question = stored.get_question(store, question_id)
    views = all_views(store, question, aligned=False)
    return show_preview(preview(question, views, usable(_facets(new)), {}))


def _facets(new: rubric_schemas.NewFacets) -> list[Facet]:
    """The facets that somebody sent."""
    return [
        Facet(
            facet.id or "",
            facet.name,
            weight=facet.weight,
            required=facet.required,
            group=facet.group,
            needed=facet.needed,
            deduction=facet.deduction,
        )
        for facet in new.facets
    ]


@questions_router.delete(
    "/questions/{question_id}/facets", dependencies=writes_once(Level.TEACH), summary="Forget the facets"
)
def forget_facets(question_id: QuestionId, store: OfStore, person: OfPerson) -> rubric_schemas.Facets:
    """Let Postil find the points of a full answer again; partly right answers then earn half."""
    stored.forget_facets(store, question_id, by=person.id)
    return read_facets(store, question_id)


@answers_router.get(
    "/questions/{question_id}/answers", dependencies=reads(Level.HELP), summary="List answers"
)
def list_answers(
    question_id: QuestionId,
    store: OfStore,
    page: OfPage,
    label: Annotated[Label | None, Query(description="Only answers whose label this is.")] = None,
    state: Annotated[
        State,
        Query(
            description="`doubtful`: a person should look; `undecided` or `decided` by a person; `differs`: "
            "decided differently from the machine."
        ),
    ] = "all",
    search: Annotated[
        str,
        Query(
            max_length=_LONGEST_SEARCH,
            description="Words to look for in the answer, the pupil's name or the id.",
        ),
    ] = "",
) -> schemas.Answers:
    """Answers in the order in which they were stored, each with its judgement and decision."""
    question = stored.get_question(store, question_id)
    after = -1 if page.after is None else page.after
    chosen = answers.Filter(label, state, storable(search), order="place", after=after)
    views = answers.find_views(store, question_id, chosen, 0, page.one_more, aligned=False)
    return page.show(
        schemas.Answers, views, order="answer.place", each=lambda view: show_answer(question, view)
    )


@answers_router.post(
    "/questions/{question_id}/answers",
    dependencies=writes_once(Level.TEACH),
    status_code=201,
    summary="Add answers",
)
def add_answers(
    request: Request, question_id: QuestionId, store: OfStore, new: schemas.NewAnswers
) -> schemas.Added:
    """Add answers after the existing ones: all of them, or none.

    A `key` that occurs twice, or that the question already has, is a conflict.
    """
    most: int = request.app.state.settings.most_answers
    if len(new.answers) > most:
        raise ProblemError("too-large", f"At most {number_of(most, 'answer')} can be stored at once.")
    course_id = stored.get_question(store, question_id).course_id
    added = [NewAnswer(answer.key, answer.student, answer.text) for answer in new.answers]
    labels = {answer.key: answer.label for answer in new.answers if answer.label is not None}
    count = answers.add_answers(store, question_id, added, labels)
    note(request, events.ANSWERS_IMPORTED, course_id=course_id, about=number_of(count, "answer"))
    return schemas.Added(ids=answers.numbers_of(store, question_id, [answer.key for answer in added]))


@answers_router.get("/answers/{answer_id}", dependencies=reads(Level.HELP), summary="Get an answer")
def get_answer(answer_id: AnswerId, store: OfStore) -> schemas.Answer:
    """One answer, with everything known about it."""
    view = answers.get_view(store, answer_id)
    return show_answer(stored.get_question(store, view.answer.question_id), view)


@answers_router.delete(
    "/answers/{answer_id}", dependencies=writes_once(Level.TEACH), status_code=204, summary="Delete an answer"
)
def delete_answer(request: Request, answer_id: AnswerId, store: OfStore) -> None:
    """Delete an answer with its judgement and decisions."""
    question = stored.get_question(store, answers.get_view(store, answer_id).answer.question_id)
    answers.delete_answer(store, answer_id)
    note(request, events.ANSWER_DELETED, course_id=question.course_id)


@decisions_router.put("/answers/{answer_id}/decision", dependencies=writes_once(Level.HELP), summary="Decide")
def decide(
    answer_id: AnswerId, store: OfStore, person: OfPerson, new: schemas.NewDecision
) -> schemas.Decision:
    """Give an answer its label. Earlier decisions are kept, and `undo` brings them back.

    With the answer's `version`, nothing is decided if somebody has decided, or the machine has judged, since.
    """
    view = answers.get_view(store, answer_id)
    ticked = None if new.ticked is None else told_by(view.facets, _ticks(view, new.ticked, new.contradicted))
    # A version that cannot be read is not the one that is stored.
    seen = None if new.version is None else {answer_id: Version.read(new.version) or Version(-1)}
    question_id = view.answer.question_id
    try:
        decisions.decide(
            store, question_id, [answer_id], new.label, "review", ticked, by=person.id, seen=seen, exact=True
        )
    except ChangedError as error:
        view = answers.get_view(store, answer_id)
        current = schemas.CurrentDecision(version=str(view.version), decision=_shown(view.decision))
        raise _changed(error, current) from error
    return schemas.Decision.model_validate(decisions.history(store, answer_id)[0])


@decisions_router.get(
    "/answers/{answer_id}/decisions", dependencies=reads(Level.HELP), summary="List decisions"
)
def list_decisions(answer_id: AnswerId, store: OfStore, page: OfPage) -> schemas.Decisions:
    """All decisions about an answer, newest first, including those taken back."""
    history = decisions.history(store, answer_id)
    return page.show(schemas.Decisions, page.rest(history, newest_first=True))


@decisions_router.post(
    "/questions/{question_id}/undo", dependencies=writes_once(Level.HELP), summary="Take back"
)
def undo(
    question_id: QuestionId,
    store: OfStore,
    decision: Annotated[
        int | None,
        Query(
            ge=1,
            le=MOST_NUMBER,
            description="A decision of the step to be taken back. If another step is the last one by now, "
            "nothing is done (409 `changed`). Without it, whatever is last is taken back.",
        ),
    ] = None,
) -> schemas.Undone:
    """Take back the last step in deciding a question's answers, whoever took it.

    What counted before counts again. A step may concern several answers. Labels that came with the answers
    are not a step. If there is nothing to take back, the list is empty.
    """
    try:
        undone = decisions.undo_last(store, question_id, seen=decision)
    except ChangedError as error:
        last = error.decisions[-1] if error.decisions else None
        raise _changed(error, schemas.CurrentDecision(version="", decision=_shown(last))) from error
    return schemas.Undone.model_validate({"undone": undone})


def _changed(error: ChangedError, current: BaseModel) -> ProblemError:
    """The problem to report when somebody else was faster, with what is stored now."""
    return ProblemError("changed", error.what, hint=error.hint, current=current.model_dump(mode="json"))


def _shown(decision: Decision | None) -> schemas.Decision | None:
    return None if decision is None else schemas.Decision.model_validate(decision)


def _ticks(view: View, ticked: list[str], contradicted: list[str] | None) -> list[str]:
    """The ticks that somebody sent; those that the teacher has not set for the question are refused."""
    if view.set_facets is None:
        raise ProblemError("conflict", "No facets are set for this question.", hint="Leave out `ticked`.")
    if contradicted is None:
        contradicted = [shown.facet.id for shown in view.facets if shown.denied]
    if not {*ticked, *contradicted} <= {facet.id for facet in view.set_facets}:
        raise ProblemError(
            "conflict", "One of the facets does not belong to this question.", hint="Get its facets again."
        )
    return [*ticked, *(denial(facet_id) for facet_id in contradicted if facet_id not in ticked)]
