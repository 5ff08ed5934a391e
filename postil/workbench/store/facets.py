"""Facets: what a full answer to a question says, as a teacher sets it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite
from secrets import token_hex
from typing import Any

from sqlalchemy import select

from postil.data.questions import Facet
from postil.errors import PostilError
from postil.workbench.claims import looked_for
from postil.workbench.store.database import Store
from postil.workbench.store.questions import demand_question, lock_question
from postil.workbench.store.rows import facets_of, storable
from postil.workbench.store.tables import AnswerRow, JudgementRow

MOST_FACETS = 20
LONGEST_NAME = 200
MOST_WEIGHT = 100


def set_facets(store: Store, question_id: int, facets: Sequence[Facet]) -> None:
    """Set what a full answer says. A facet whose id the question knows is the same one, maybe renamed.

    Judgements and ticks stay; where names change, the machine has to look for them (`is_outdated`).
    """
    named = [replace(one, first=" ".join(storable(one.first).split())) for one in facets]
    _demand_usable(named)
    with store.writing() as session:
        row = lock_question(session, question_id)
        known = {one.id for one in facets_of(row.facets) or ()}
        kept = []
        for one in named:
            same = one.id in known
            known.discard(one.id)  # an id that was sent twice is only the first one's
            kept.append(_columns(one, one.id if same else f"f{token_hex(4)}"))
        row.facets = kept


def forget_facets(store: Store, question_id: int) -> None:
    """Leave it to the machine again what a full answer says."""
    with store.writing() as session:
        lock_question(session, question_id).facets = None


def is_outdated(store: Store, question_id: int) -> bool:
    """Whether some answers were judged when a full answer was to say something else."""
    with store.reading() as session:
        wanted = looked_for(facets_of(demand_question(session, question_id).facets))
        others = (
            select(JudgementRow.answer_id)
            .join(AnswerRow, AnswerRow.id == JudgementRow.answer_id)
            .where(AnswerRow.question_id == question_id, JudgementRow.looked_for.is_distinct_from(wanted))
        )
        return session.scalars(others.limit(1)).first() is not None


def _demand_usable(facets: Sequence[Facet]) -> None:
    """Refuse what could not be looked for, or could not be worth anything."""
    if not any(facet.required for facet in facets):
        what = "at least one part must be required." if facets else "a full answer says at least one thing."
        raise PostilError(what, hint="Required parts together earn all points; optional ones only add.")
    if len(facets) > MOST_FACETS:
        raise PostilError(
            f"a full answer has at most {MOST_FACETS} parts.", hint="Join what belongs together."
        )
    names: set[str] = set()
    for number, facet in enumerate(facets, 1):
        if not facet.first:
            raise PostilError(
                f"part {number} has no words.", hint="Write what the answer has to say, or remove it."
            )
        if len(facet.first) > LONGEST_NAME:
            what = f"part {number} has more than {LONGEST_NAME} characters."
            raise PostilError(what, hint="Say it shorter, or make two of it.")
        if facet.first.casefold() in names:
            raise PostilError(f"part {number} is there twice.", hint="Remove one of them.")
        if not (isfinite(facet.weight) and 0 < facet.weight <= MOST_WEIGHT):
            what = f"the weight of part {number} must be a number above 0, and at most {MOST_WEIGHT}."
            raise PostilError(what, hint="If all count the same, give each the weight 1.")
        names.add(facet.first.casefold())


def _columns(facet: Facet, facet_id: str) -> dict[str, Any]:
    return {"id": facet_id, "name": facet.first, "weight": float(facet.weight), "required": facet.required}
