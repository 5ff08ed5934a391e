"""Views: answers with what the machine and the teacher say of them, chosen by a filter and in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, case, func, or_, select
from sqlalchemy.orm import Session, defer

from postil.data.judgements import CREDIT, Facets
from postil.data.labels import PARTLY
from postil.errors import PostilError
from postil.grading.credit import earned
from postil.workbench.claims import facet_views, ticks_of
from postil.workbench.records import View
from postil.workbench.store.database import Store
from postil.workbench.store.rows import answer_of, decision_of, facets_of, judged_of, outcomes_of, storable
from postil.workbench.store.tables import AnswerRow, DecisionRow, JudgementRow, QuestionRow

STATES = ("all", "doubtful", "undecided", "decided", "differs")
ORDERS = ("doubtful", "place", "score")


@dataclass(frozen=True, slots=True)
class Filter:
    """Which answers of a question, and in which order.

    `label` is the one that counts, the teacher's before the machine's. `search` is looked for in answers,
    names and ids. The order "doubtful" has what a person should look at first, the least sure before the
    others, and what is decided last. `after` is a place: only answers behind it are meant.
    """

    label: str | None = None
    state: str = "all"
    search: str = ""
    group: int | None = None
    order: str = "doubtful"
    after: int = -1

    def __post_init__(self) -> None:
        if self.state not in STATES:
            raise PostilError("there is no such which.", hint=f"Known: {', '.join(STATES)}.")
        if self.order not in ORDERS:
            raise PostilError("there is no such order.", hint=f"Known: {', '.join(ORDERS)}.")


def find_views(
    store: Store, question_id: int, which: Filter, offset: int, limit: int, *, aligned: bool = True
) -> list[View]:
    """The answers that a filter lets through, in its order, from one place on.

    If not `aligned`, the judgements come without their alignments: only pictures need these.
    """
    wanted = joined(AnswerRow, JudgementRow, DecisionRow).order_by(*_order(which.order))
    if not aligned:
        wanted = wanted.options(defer(JudgementRow.alignment, raiseload=True))
    with store.reading() as session:
        facets = _set_facets(session, question_id)
        # Which answers is found out first: sorting a whole class with all its words would take far longer.
        if which.order == "score" and facets:
            shown = _by_score(session, question_id, which, facets)[offset : offset + limit]
            rows = session.execute(wanted.where(AnswerRow.id.in_(shown))).all()
            found = {row[0].id: _view(facets, *row, aligned=aligned) for row in rows}
            return [found[id] for id in shown]
        ids = joined(AnswerRow.id).where(*_conditions(question_id, which)).order_by(*_order(which.order))
        wanted = wanted.where(AnswerRow.id.in_(ids.offset(offset).limit(limit)))
        return [_view(facets, *row, aligned=aligned) for row in session.execute(wanted)]


def count_views(store: Store, question_id: int, which: Filter) -> int:
    """How many answers a filter lets through."""
    with store.reading() as session:
        count: int = session.scalars(joined(func.count()).where(*_conditions(question_id, which))).one()
        return count


def get_view(store: Store, answer_id: int) -> View:
    """One answer."""
    wanted = joined(AnswerRow, JudgementRow, DecisionRow).where(AnswerRow.id == answer_id)
    with store.reading() as session:
        row = session.execute(wanted).one_or_none()
        if row is None:
            raise gone()
        return _view(_set_facets(session, row[0].question_id), *row)


def neighbours(store: Store, answer_id: int, which: Filter) -> tuple[int | None, int | None]:
    """The answers before and after one, as the filter has them.

    A decision can move an answer to another place or out of the filter: ask before deciding. From outside
    the filter, one goes on to its first answer.
    """
    with store.reading() as session:
        row = session.get(AnswerRow, answer_id)
        if row is None:
            raise gone()
        facets = _set_facets(session, row.question_id)
        if which.order == "score" and facets:
            ids = _by_score(session, row.question_id, which, facets)
        else:
            wanted = joined(AnswerRow.id).where(*_conditions(row.question_id, which))
            ids = list(session.scalars(wanted.order_by(*_order(which.order))))
    if answer_id not in ids:
        return None, ids[0] if ids else None
    at = ids.index(answer_id)
    return (ids[at - 1] if at else None), (ids[at + 1] if at + 1 < len(ids) else None)


def gone() -> PostilError:
    """Say that an answer is not there."""
    return PostilError("this answer is not there.", hint="It may have been deleted in another window.")


def joined(*what: Any) -> Select[Any]:
    """A query about answers, their judgements and the decisions that count; both of these may be missing."""
    standing = and_(DecisionRow.answer_id == AnswerRow.id, DecisionRow.standing)
    return (
        select(*what)
        .select_from(AnswerRow)
        .outerjoin(JudgementRow, JudgementRow.answer_id == AnswerRow.id)
        .outerjoin(DecisionRow, standing)
    )


def _doubtful() -> ColumnElement[bool]:
    return and_(DecisionRow.id.is_(None), or_(JudgementRow.answer_id.is_(None), JudgementRow.deferred))


def _conditions(question_id: int, which: Filter) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = [AnswerRow.question_id == question_id]
    states: dict[str, ColumnElement[bool]] = {
        "doubtful": _doubtful(),
        "undecided": DecisionRow.id.is_(None),
        "decided": DecisionRow.id.is_not(None),
        "differs": DecisionRow.label != JudgementRow.label,
    }
    if which.state in states:
        found.append(states[which.state])
    if which.label is not None:
        found.append(_label() == which.label)
    if which.after >= 0:
        found.append(AnswerRow.place > which.after)
    if which.group is not None:
        found.append(AnswerRow.group_number == which.group)
    wanted = storable(which.search).strip()
    if wanted:
        columns = AnswerRow.text, AnswerRow.student, AnswerRow.key
        found.append(or_(*(column.icontains(wanted, autoescape=True) for column in columns)))
    return found


def _order(name: str) -> list[ColumnElement[Any]]:
    decided = DecisionRow.id.is_not(None)
    orders: dict[str, list[ColumnElement[Any]]] = {
        "place": [],
        "score": [_credit().desc(), func.coalesce(JudgementRow.score, -1.0).desc()],
        "doubtful": [
            case((decided, 2), (_doubtful(), 0), else_=1),
            func.coalesce(JudgementRow.confidence, -1.0),
        ],
    }
    return [*orders[name], AnswerRow.place.expression]


def _set_facets(session: Session, question_id: int) -> Facets:
    wanted = select(QuestionRow.facets).where(QuestionRow.id == question_id)
    return facets_of(session.scalars(wanted).one_or_none())


def _by_score(session: Session, question_id: int, which: Filter, facets: Facets) -> list[int]:
    """The answers in the order of what they earn where that depends on facets, which no query can add up."""
    partly = _label() == PARTLY  # only of these the facets are needed
    kept = case((partly, JudgementRow.facets)), case((partly, DecisionRow.ticked))
    wanted = joined(AnswerRow.id, _label(), *kept).where(*_conditions(question_id, which))
    scores: dict[int, float] = {}
    for id, label, outcomes, ticked in session.execute(wanted.order_by(*_order("score"))):
        ticks = ticks_of(facet_views(facets, outcomes_of(outcomes), ticked)) if label == PARTLY else None
        scores[id] = -1.0 if label is None else earned(label, facets, ticks)
    return sorted(scores, key=lambda id: -scores[id])  # stable: equal ones stay in the order of the query


def _label() -> ColumnElement[str | None]:
    """The label that counts: the teacher's before the machine's."""
    return func.coalesce(DecisionRow.label, JudgementRow.label)


def _credit() -> ColumnElement[float]:
    """What the label that counts earns, as the points shown do; less than nothing where there is none."""
    return case(*((_label() == label, credit) for label, credit in CREDIT.items()), else_=-1.0)


def _view(
    facets: Facets,
    answer: AnswerRow,
    judged: JudgementRow | None,
    decision: DecisionRow | None,
    *,
    aligned: bool = True,
) -> View:
    return View(
        answer_of(answer),
        None if judged is None else judged_of(judged, aligned=aligned),
        None if decision is None else decision_of(decision),
        facets,
    )
