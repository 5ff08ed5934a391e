"""Decisions: a person's label for an answer, which counts before the machine's; taking the last back."""

from __future__ import annotations

from fastapi import APIRouter

from postil.workbench.api import answer_schemas as schemas
from postil.workbench.api import records
from postil.workbench.api.auth import reads
from postil.workbench.api.common import AnswerId, QuestionId
from postil.workbench.api.paging import OfPlace, cut
from postil.workbench.api.requests import KeyedRoute, writes_once
from postil.workbench.claims import told_by
from postil.workbench.http.access import OfPerson
from postil.workbench.http.problems import ProblemError
from postil.workbench.http.rendering import OfStore
from postil.workbench.people import Level
from postil.workbench.records import View
from postil.workbench.store import decisions as stored
from postil.workbench.store.answers import get_view

router = APIRouter(tags=["decisions"], route_class=KeyedRoute)


@router.put("/answers/{answer_id}/decision", dependencies=writes_once(Level.HELP), summary="Decide")
def decide(
    answer_id: AnswerId, store: OfStore, person: OfPerson, new: schemas.NewDecision
) -> schemas.Decision:
    """Give an answer its label. What was decided before is kept, and can be had back by `undo`."""
    view = get_view(store, answer_id)
    ticked = None if new.ticked is None else told_by(view.facets, _demand_facets(view, new.ticked))
    stored.decide(store, view.answer.question_id, [answer_id], new.label, "review", ticked, by=person.id)
    return records.decision(stored.history(store, answer_id)[0])


@router.get("/answers/{answer_id}/decisions", dependencies=reads(Level.HELP), summary="List decisions")
def list_decisions(answer_id: AnswerId, store: OfStore, place: OfPlace) -> schemas.Decisions:
    """All that was ever decided about an answer, the newest first, also what was taken back."""
    found = stored.history(store, answer_id)
    older = [one for one in found if place.after is None or one.id < place.after]
    shown, following = cut(older, place, lambda one: one.id)
    return schemas.Decisions(items=[records.decision(one) for one in shown], next=following)


@router.post("/questions/{question_id}/undo", dependencies=writes_once(Level.HELP), summary="Take back")
def undo(question_id: QuestionId, store: OfStore) -> schemas.Undone:
    """Take back the last step about a question's answers, whoever made it: what counted before counts again.

    A step may have been about several answers. Labels that came with answers are no step. Where there is
    nothing to take back, the list is empty.
    """
    undone = stored.undo_last(store, question_id)
    return schemas.Undone(undone=[records.decision(one) for one in undone])


def _demand_facets(view: View, ticked: list[str]) -> list[str]:
    """Facets that the teacher has set for the question of an answer."""
    if view.set_facets is None:
        raise ProblemError("conflict", "No facets are set for this question.", hint="Leave out `ticked`.")
    if not set(ticked) <= {one.id for one in view.set_facets}:
        raise ProblemError("conflict", "A facet is not one of the question's.", hint="Get its facets again.")
    return ticked
