"""Answers: store and delete them, find them by a filter with what was said of them, and group them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, case, delete, func, insert, or_, select, update
from sqlalchemy.orm import Session, defer

from postil.data.judgements import CREDIT, Facets
from postil.errors import PostilError, some
from postil.grading.credit import by_items, earned
from postil.workbench.claims import facet_views, outcomes_told
from postil.workbench.records import Answer, Job, NewAnswer, View
from postil.workbench.store.courses import demand_question, lock_question
from postil.workbench.store.database import Store, forget_deleted
from postil.workbench.store.decisions import keep_uploaded
from postil.workbench.store.jobs import lock_work
from postil.workbench.store.rows import (
    answer_of,
    batches_of,
    decision_of,
    demand,
    facets_of,
    judged_of,
    outcomes_of,
    storable,
)
from postil.workbench.store.tables import AnswerRow, DecisionRow, JudgementRow, QuestionRow

STATES = ("all", "doubtful", "undecided", "decided", "differs")
ORDERS = ("doubtful", "place", "score")


@dataclass(frozen=True, slots=True)
class Filter:
    """Which answers of a question, and in which order.

    `label` is the one that counts, the teacher's before the machine's. `search` is looked for in answers,
    names and ids. The order "doubtful" begins with what a person should look at, the least sure first, and
    ends with what is decided. With `after`, only answers behind that place are meant.
    """

    label: str | None = None
    state: str = "all"
    search: str = ""
    group: int | None = None
    order: str = "doubtful"
    after: int = -1

    def __post_init__(self) -> None:
        if self.state not in STATES:
            raise PostilError("this filter does not exist.", hint=f"Choose from: {', '.join(STATES)}.")
        if self.order not in ORDERS:
            raise PostilError("this order does not exist.", hint=f"Choose from: {', '.join(ORDERS)}.")


@dataclass(frozen=True, slots=True)
class Group:
    """Answers that are alike: how most of them put it, and what they are called together.

    `first` is its first answer; a later grouping can give the same number to other answers. `labels` are
    those that count, and `likely` is what the machine calls most of them. `decisions` has the numbers of
    those that count, by answer.
    """

    number: int
    first: int
    size: int
    decided: int
    text: str
    labels: tuple[str, ...]
    likely: str | None
    decisions: Mapping[int, int] = field(default_factory=dict)


def add_answers(
    store: Store, question_id: int, answers: Sequence[NewAnswer], labels: Mapping[str, str] | None = None
) -> int:
    """Store answers after the present ones, all or none, and return how many.

    An id that occurs twice, or that a stored answer has, is refused. `labels` are what a person had decided
    before, by the answer's id.
    """
    with store.writing() as session:
        return put_answers(session, question_id, answers, labels)


def put_answers(
    session: Session, question_id: int, answers: Sequence[NewAnswer], labels: Mapping[str, str] | None = None
) -> int:
    """Store answers within a transaction, as `add_answers` does."""
    keys = [storable(answer.key).strip() for answer in answers]
    if not all(keys):
        raise PostilError("an answer has no id.", hint="Give every answer an id of its own.")
    twice = [key for key, count in Counter(keys).items() if count > 1]
    if twice:
        raise PostilError(f"the id {some(twice)} occurs twice.", hint="Give every answer an id of its own.")
    lock_question(session, question_id)
    own = AnswerRow.question_id == question_id
    again = set(keys).intersection(session.scalars(select(AnswerRow.key).where(own)))
    if again:
        what = f"the id {some(key for key in keys if key in again)} is already in use."
        raise PostilError(what, hint="If these answers were stored before, leave them out.")
    last = session.scalars(select(func.max(AnswerRow.place)).where(own)).one()
    first = 0 if last is None else last + 1
    rows = [
        {
            "question_id": question_id,
            "key": key,
            "student": storable(answer.student).strip(),
            "text": storable(answer.text),
            "place": place,
            "group_number": 0,
        }
        for place, (key, answer) in enumerate(zip(keys, answers, strict=True), first)
    ]
    if rows:
        session.execute(insert(AnswerRow), rows)
    if labels:
        label_of = {storable(key).strip(): label for key, label in labels.items()}
        new = select(AnswerRow.id, AnswerRow.key).where(own, AnswerRow.place >= first)
        ids = session.execute(new.order_by(AnswerRow.place))
        keep_uploaded(session, question_id, {id: label_of[key] for id, key in ids if key in label_of})
    return len(rows)


def list_answers(store: Store, question_id: int) -> list[Answer]:
    """All answers to a question, in their order."""
    # Plain columns: a row object for every one of thousands of answers takes five times as long.
    query = select(
        AnswerRow.id,
        AnswerRow.question_id,
        AnswerRow.key,
        AnswerRow.student,
        AnswerRow.text,
        AnswerRow.place,
        AnswerRow.group_number,
    )
    query = query.where(AnswerRow.question_id == question_id).order_by(AnswerRow.place)
    with store.reading() as session:
        demand_question(session, question_id)
        return [Answer(*row) for row in session.execute(query)]


def numbers_of(store: Store, question_id: int, keys: Sequence[str]) -> list[int]:
    """The numbers of answers, named by the ids that they were stored with, in this order."""
    query = select(AnswerRow.key, AnswerRow.id).where(AnswerRow.question_id == question_id)
    with store.reading() as session:
        numbers = dict(session.execute(query).all())
    stored_keys = (storable(key).strip() for key in keys)
    return [numbers[key] for key in stored_keys if key in numbers]


def delete_answer(store: Store, answer_id: int) -> None:
    """Delete an answer with its judgement and decisions."""
    with store.writing() as session:
        lock_question(session, demand(session.get(AnswerRow, answer_id), "answer").question_id)
        session.execute(delete(AnswerRow).where(AnswerRow.id == answer_id))
    forget_deleted(store)


def find_views(
    store: Store, question_id: int, which: Filter, offset: int, limit: int, *, aligned: bool = True
) -> list[View]:
    """The answers that a filter lets through, in its order, from an offset on.

    If not `aligned`, the judgements come without their alignments: only pictures need these.
    """
    query = joined(AnswerRow, JudgementRow, DecisionRow).order_by(*_order(which.order))
    if not aligned:
        query = query.options(defer(JudgementRow.alignment, raiseload=True))
    with store.reading() as session:
        facets = _set_facets(session, question_id)
        # The ids are found first: sorting a whole class with all its words would take far longer.
        if which.order == "score" and facets:
            shown = _by_score(session, question_id, which, facets)[offset : offset + limit]
            rows = session.execute(query.where(AnswerRow.id.in_(shown))).all()
            views = {row[0].id: _view(facets, *row, aligned=aligned) for row in rows}
            return [views[id] for id in shown]
        ids = joined(AnswerRow.id).where(*_conditions(question_id, which)).order_by(*_order(which.order))
        query = query.where(AnswerRow.id.in_(ids.offset(offset).limit(limit)))
        return [_view(facets, *row, aligned=aligned) for row in session.execute(query)]


def count_views(store: Store, question_id: int, which: Filter) -> int:
    """How many answers a filter lets through."""
    with store.reading() as session:
        count: int = session.scalars(joined(func.count()).where(*_conditions(question_id, which))).one()
        return count


def get_view(store: Store, answer_id: int) -> View:
    """One answer."""
    query = joined(AnswerRow, JudgementRow, DecisionRow).where(AnswerRow.id == answer_id)
    with store.reading() as session:
        row = demand(session.execute(query).one_or_none(), "answer")
        return _view(_set_facets(session, row[0].question_id), *row)


def get_views(store: Store, answer_ids: Sequence[int]) -> list[View]:
    """Several answers, whichever questions they belong to, without alignments; missing ones are left out."""
    query = joined(AnswerRow, JudgementRow, DecisionRow).options(
        defer(JudgementRow.alignment, raiseload=True)
    )
    views: list[View] = []
    with store.reading() as session:
        for batch in batches_of(answer_ids):
            rows = session.execute(query.where(AnswerRow.id.in_(batch))).all()
            facets = {number: _set_facets(session, number) for number in {row[0].question_id for row in rows}}
            views += [_view(facets[row[0].question_id], *row, aligned=False) for row in rows]
    return views


def neighbours(store: Store, answer_id: int, which: Filter) -> tuple[int | None, int | None]:
    """The answers before and after one, in the order of the filter.

    A decision can move an answer to another place or out of the filter: ask before deciding. After an
    answer outside the filter comes the filter's first.
    """
    with store.reading() as session:
        question_id = demand(session.get(AnswerRow, answer_id), "answer").question_id
        facets = _set_facets(session, question_id)
        if which.order == "score" and facets:
            ids = _by_score(session, question_id, which, facets)
        else:
            query = joined(AnswerRow.id).where(*_conditions(question_id, which))
            ids = list(session.scalars(query.order_by(*_order(which.order))))
    if answer_id not in ids:
        return None, ids[0] if ids else None
    at = ids.index(answer_id)
    return (ids[at - 1] if at else None), (ids[at + 1] if at + 1 < len(ids) else None)


def set_groups(store: Store, question_id: int, groups: Mapping[int, int], job: Job | None = None) -> None:
    """Put answers, named by their numbers, into groups; those deleted in the meantime are passed over.

    If a job does it, its lease must still hold.
    """
    with store.writing() as session:
        lock_question(session, question_id) if job is None else lock_work(session, job)
        own = select(AnswerRow.id, AnswerRow.group_number).where(AnswerRow.question_id == question_id)
        moved = [
            {"id": row.id, "group_number": groups[row.id]}
            for row in session.execute(own)
            if groups.get(row.id, row.group_number) != row.group_number
        ]
        if moved:
            session.execute(update(AnswerRow), moved)


def group_sizes(store: Store, question_id: int) -> dict[int, int]:
    """How many answers each group of two and more has, the largest first; ungrouped answers are left out."""
    count = func.count()
    query = (
        select(AnswerRow.group_number, count)
        .where(AnswerRow.question_id == question_id, AnswerRow.group_number > 0)
        .group_by(AnswerRow.group_number)
        .having(count > 1)
        .order_by(count.desc(), AnswerRow.group_number)
    )
    with store.reading() as session:
        demand_question(session, question_id)
        return {row[0]: row[1] for row in session.execute(query)}


def get_groups(store: Store, question_id: int, numbers: Collection[int]) -> list[Group]:
    """These groups, in the order of `numbers`; one without answers is left out."""
    kinds = (AnswerRow.group_number, AnswerRow.text, JudgementRow.label, DecisionRow.label)
    # Answers of one text and label are counted by the database: a group can be half of a class.
    query = (
        joined(*kinds, func.count(), func.min(AnswerRow.id))
        .where(AnswerRow.question_id == question_id, AnswerRow.group_number.in_(numbers))
        .group_by(*kinds)
        .order_by(func.min(AnswerRow.place))
    )
    rows: dict[int, list[Any]] = {number: [] for number in numbers}
    standing = (
        select(AnswerRow.group_number, AnswerRow.id, DecisionRow.id)
        .join(DecisionRow, and_(DecisionRow.answer_id == AnswerRow.id, DecisionRow.standing))
        .where(AnswerRow.question_id == question_id, AnswerRow.group_number.in_(numbers))
        .order_by(AnswerRow.place)
    )
    decisions: dict[int, dict[int, int]] = {number: {} for number in numbers}
    with store.reading() as session:
        for number, *row in session.execute(query):
            rows[number].append(row)
        for number, answer_id, decision_id in session.execute(standing):
            decisions[number][answer_id] = decision_id
    return [_group(number, members, decisions[number]) for number, members in rows.items() if members]


def joined(*columns: Any) -> Select[Any]:
    """A query about answers, their judgements and the decisions that count; both of these may be missing."""
    standing = and_(DecisionRow.answer_id == AnswerRow.id, DecisionRow.standing)
    return (
        select(*columns)
        .select_from(AnswerRow)
        .outerjoin(JudgementRow, JudgementRow.answer_id == AnswerRow.id)
        .outerjoin(DecisionRow, standing)
    )


def label_column() -> ColumnElement[str | None]:
    """The label that counts in a `joined` query: the teacher's before the machine's."""
    return func.coalesce(DecisionRow.label, JudgementRow.label)


def _doubtful() -> ColumnElement[bool]:
    return and_(DecisionRow.id.is_(None), or_(JudgementRow.answer_id.is_(None), JudgementRow.deferred))


def _conditions(question_id: int, which: Filter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = [AnswerRow.question_id == question_id]
    states: dict[str, ColumnElement[bool]] = {
        "doubtful": _doubtful(),
        "undecided": DecisionRow.id.is_(None),
        "decided": DecisionRow.id.is_not(None),
        "differs": DecisionRow.label != JudgementRow.label,
    }
    if which.state in states:
        conditions.append(states[which.state])
    if which.label is not None:
        conditions.append(label_column() == which.label)
    if which.after >= 0:
        conditions.append(AnswerRow.place > which.after)
    if which.group is not None:
        conditions.append(AnswerRow.group_number == which.group)
    search = storable(which.search).strip()
    if search:
        columns = AnswerRow.text, AnswerRow.student, AnswerRow.key
        conditions.append(or_(*(column.icontains(search, autoescape=True) for column in columns)))
    return conditions


def _order(name: str) -> list[ColumnElement[Any]]:
    # What the label that counts earns, as the points shown do; less than nothing where there is none.
    credit = case(*((label_column() == label, credit) for label, credit in CREDIT.items()), else_=-1.0)
    looked_at = case((DecisionRow.id.is_not(None), 2), (_doubtful(), 0), else_=1)
    orders: dict[str, list[ColumnElement[Any]]] = {
        "place": [],
        "score": [credit.desc(), func.coalesce(JudgementRow.score, -1.0).desc()],
        "doubtful": [looked_at, func.coalesce(JudgementRow.confidence, -1.0)],
    }
    return [*orders[name], AnswerRow.place.expression]


def _set_facets(session: Session, question_id: int) -> Facets:
    query = select(QuestionRow.facets).where(QuestionRow.id == question_id)
    return facets_of(session.scalars(query).one_or_none())


def _by_score(session: Session, question_id: int, which: Filter, facets: Facets) -> list[int]:
    """The answers in the order of what they earn where that depends on facets, which no query can add up."""
    label = label_column()
    counts = label.in_([name for name in CREDIT if by_items(name, facets)])  # only these need their facets
    columns = case((counts, JudgementRow.facets)), case((counts, DecisionRow.ticked))
    query = joined(AnswerRow.id, label, *columns).where(*_conditions(question_id, which))
    scores: dict[int, float] = {}
    for id, name, outcomes, ticked in session.execute(query.order_by(*_order("score"))):
        views = facet_views(facets, outcomes_of(outcomes), ticked) if by_items(name, facets) else ()
        scores[id] = -1.0 if name is None else earned(name, facets, outcomes_told(views))
    return sorted(scores, key=lambda id: -scores[id])  # stable: equal ones stay in the order of the query


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


def _group(number: int, rows: list[Any], decisions: Mapping[int, int]) -> Group:
    texts, counting, machine = Counter[str](), Counter[str](), Counter[str]()
    decided = 0
    for text, judged, decision, count, _ in rows:
        texts[text] += count
        counting[decision or judged or ""] += count
        machine[judged or ""] += count
        decided += count if decision else 0
    return Group(
        number,
        min(first for *_, first in rows),
        sum(texts.values()),
        decided,
        texts.most_common(1)[0][0],
        tuple(label for label, _ in counting.most_common() if label),
        next((label for label, _ in machine.most_common() if label), None),
        decisions,
    )
