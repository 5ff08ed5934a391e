"""Answers and decisions: store a class's answers, read what was said of them, decide, and take it back."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request

from postil.errors import number_of
from postil.workbench.api import schemas
from postil.workbench.api.auth import reads
from postil.workbench.api.idempotency import KeyedRoute, writes_once
from postil.workbench.api.routes import AnswerId, OfPage, QuestionId, log, show_answer
from postil.workbench.api.schemas import Label, State
from postil.workbench.claims import told_by
from postil.workbench.http.access import OfPerson
from postil.workbench.http.problems import ProblemError
from postil.workbench.http.rendering import OfStore
from postil.workbench.records import Level, NewAnswer, View
from postil.workbench.store import answers as stored
from postil.workbench.store import decisions as stored_decisions
from postil.workbench.store import events
from postil.workbench.store.answers import numbers_of
from postil.workbench.store.courses import get_question
from postil.workbench.store.rows import storable

router = APIRouter(tags=["answers"], route_class=KeyedRoute)
decisions_router = APIRouter(tags=["decisions"], route_class=KeyedRoute)
_LONGEST_SEARCH = 200


@router.get("/questions/{question_id}/answers", dependencies=reads(Level.HELP), summary="List answers")
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
    question = get_question(store, question_id)
    after = -1 if page.after is None else page.after
    chosen = stored.Filter(label, state, storable(search), order="place", after=after)
    views = stored.find_views(store, question_id, chosen, 0, page.one_more, aligned=False)
    return page.show(
        schemas.Answers, views, order="answer.place", each=lambda view: show_answer(question, view)
    )


@router.post(
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
    course_id = get_question(store, question_id).course_id
    answers = [NewAnswer(answer.key, answer.student, answer.text) for answer in new.answers]
    labels = {answer.key: answer.label for answer in new.answers if answer.label is not None}
    count = stored.add_answers(store, question_id, answers, labels)
    log(request, events.ANSWERS_IMPORTED, course_id, number_of(count, "answer"))
    return schemas.Added(ids=numbers_of(store, question_id, [answer.key for answer in answers]))


@router.get("/answers/{answer_id}", dependencies=reads(Level.HELP), summary="Get an answer")
def get_answer(answer_id: AnswerId, store: OfStore) -> schemas.Answer:
    """One answer, with everything known about it."""
    view = stored.get_view(store, answer_id)
    return show_answer(get_question(store, view.answer.question_id), view)


@router.delete(
    "/answers/{answer_id}", dependencies=writes_once(Level.TEACH), status_code=204, summary="Delete an answer"
)
def delete_answer(request: Request, answer_id: AnswerId, store: OfStore) -> None:
    """Delete an answer with its judgement and decisions."""
    question = get_question(store, stored.get_view(store, answer_id).answer.question_id)
    stored.delete_answer(store, answer_id)
    log(request, events.ANSWER_DELETED, question.course_id)


@decisions_router.put("/answers/{answer_id}/decision", dependencies=writes_once(Level.HELP), summary="Decide")
def decide(
    answer_id: AnswerId, store: OfStore, person: OfPerson, new: schemas.NewDecision
) -> schemas.Decision:
    """Give an answer its label. Earlier decisions are kept, and `undo` brings them back."""
    view = stored.get_view(store, answer_id)
    ticked = None if new.ticked is None else told_by(view.facets, _demand_facets(view, new.ticked))
    stored_decisions.decide(
        store, view.answer.question_id, [answer_id], new.label, "review", ticked, by=person.id
    )
    return schemas.Decision.model_validate(stored_decisions.history(store, answer_id)[0])


@decisions_router.get(
    "/answers/{answer_id}/decisions", dependencies=reads(Level.HELP), summary="List decisions"
)
def list_decisions(answer_id: AnswerId, store: OfStore, page: OfPage) -> schemas.Decisions:
    """All decisions about an answer, newest first, including those taken back."""
    decisions = stored_decisions.history(store, answer_id)
    return page.show(schemas.Decisions, page.rest(decisions, newest_first=True))


@decisions_router.post(
    "/questions/{question_id}/undo", dependencies=writes_once(Level.HELP), summary="Take back"
)
def undo(question_id: QuestionId, store: OfStore) -> schemas.Undone:
    """Take back the last step in deciding a question's answers, whoever took it.

    What counted before counts again. A step may concern several answers. Labels that came with the answers
    are not a step. If there is nothing to take back, the list is empty.
    """
    return schemas.Undone.model_validate({"undone": stored_decisions.undo_last(store, question_id)})


def _demand_facets(view: View, ticked: list[str]) -> list[str]:
    """Facets that the teacher has set for the question of an answer."""
    if view.set_facets is None:
        raise ProblemError("conflict", "No facets are set for this question.", hint="Leave out `ticked`.")
    if not set(ticked) <= {facet.id for facet in view.set_facets}:
        raise ProblemError(
            "conflict", "One of the facets does not belong to this question.", hint="Get its facets again."
        )
    return ticked
