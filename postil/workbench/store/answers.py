"""Answers: store a class's answers, delete one, and put them into groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.orm import Session

from postil.errors import PostilError, some
from postil.workbench.records import Answer, Job, NewAnswer
from postil.workbench.store.database import Store, forget_deleted
from postil.workbench.store.decisions import keep_uploaded
from postil.workbench.store.jobs import lock_work
from postil.workbench.store.questions import demand_question, lock_question
from postil.workbench.store.rows import storable
from postil.workbench.store.tables import AnswerRow, DecisionRow, JudgementRow
from postil.workbench.store.views import Filter, count_views, find_views, get_view, gone, joined, neighbours

__all__ = [
    "Filter",
    "add_answers",
    "count_views",
    "delete_answer",
    "find_views",
    "get_view",
    "list_answers",
    "neighbours",
    "put_answers",
    "set_groups",
]


def add_answers(
    store: Store, question_id: int, answers: Sequence[NewAnswer], labels: Mapping[str, str] | None = None
) -> int:
    """Store answers behind those that are there, all or none, and return how many.

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
    _refuse_stored(session, question_id, keys)
    newest = select(func.max(AnswerRow.place)).where(AnswerRow.question_id == question_id)
    last = session.scalars(newest).one()
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
        given = {storable(key).strip(): label for key, label in labels.items()}
        own = select(AnswerRow.id, AnswerRow.key).where(
            AnswerRow.question_id == question_id, AnswerRow.place >= first
        )
        found = session.execute(own.order_by(AnswerRow.place))
        keep_uploaded(session, question_id, {id: given[key] for id, key in found if key in given})
    return len(rows)


def list_answers(store: Store, question_id: int) -> list[Answer]:
    """All answers to a question, in their order."""
    # Plain columns: a row object for every one of thousands of answers takes five times as long.
    wanted = select(
        AnswerRow.id,
        AnswerRow.question_id,
        AnswerRow.key,
        AnswerRow.student,
        AnswerRow.text,
        AnswerRow.place,
        AnswerRow.group_number,
    )
    wanted = wanted.where(AnswerRow.question_id == question_id).order_by(AnswerRow.place)
    with store.reading() as session:
        demand_question(session, question_id)
        return [Answer(*row) for row in session.execute(wanted)]


def delete_answer(store: Store, answer_id: int) -> None:
    """Delete an answer with its judgement and decisions."""
    with store.writing() as session:
        row = session.get(AnswerRow, answer_id)
        if row is None:
            raise gone()
        lock_question(session, row.question_id)
        session.execute(delete(AnswerRow).where(AnswerRow.id == answer_id))
    forget_deleted(store)


def set_groups(store: Store, question_id: int, groups: Mapping[int, int], job: Job | None = None) -> None:
    """Put answers, named by their numbers, into groups; those deleted in the meantime are passed over.

    If a job does it, it must still be in the hands of who claimed it.
    """
    with store.writing() as session:
        lock_question(session, question_id) if job is None else lock_work(session, job)
        own = select(AnswerRow.id, AnswerRow.group_number).where(AnswerRow.question_id == question_id)
        known = {row.id: row.group_number for row in session.execute(own)}
        moved = [
            {"id": id, "group_number": group}
            for id, group in groups.items()
            if id in known and known[id] != group
        ]
        if moved:
            session.execute(update(AnswerRow), moved)


def _refuse_stored(session: Session, question_id: int, keys: Sequence[str]) -> None:
    stored = set(session.scalars(select(AnswerRow.key).where(AnswerRow.question_id == question_id)))
    again = [key for key in keys if key in stored]
    if again:
        raise PostilError(
            f"the id {some(again)} is already there.",
            hint="Were these answers stored before? Then remove them.",
        )


# Groupings: which groups a question's answers form, how large they are, and what they are called.


@dataclass(frozen=True, slots=True)
class Group:
    """Answers that are alike: how most of them put it, and what they are called together.

    `first` is its first answer; a later grouping can give the same number to other answers. `labels` are
    those that count, and `likely` is what the machine calls most of them.
    """

    number: int
    first: int
    size: int
    decided: int
    text: str
    labels: tuple[str, ...]
    likely: str | None


def group_sizes(store: Store, question_id: int) -> dict[int, int]:
    """How many answers each group of two and more has, the largest first; ungrouped answers are left out."""
    count = func.count()
    wanted = (
        select(AnswerRow.group_number, count)
        .where(AnswerRow.question_id == question_id, AnswerRow.group_number > 0)
        .group_by(AnswerRow.group_number)
        .having(count > 1)
        .order_by(count.desc(), AnswerRow.group_number)
    )
    with store.reading() as session:
        demand_question(session, question_id)
        return {row[0]: row[1] for row in session.execute(wanted)}


def get_groups(store: Store, question_id: int, numbers: Collection[int]) -> list[Group]:
    """These groups, in the order of their numbers' list; one without answers is left out."""
    kinds = (AnswerRow.group_number, AnswerRow.text, JudgementRow.label, DecisionRow.label)
    # Answers of one text and label are counted by the database: a group can be half of a class.
    wanted = (
        joined(*kinds, func.count(), func.min(AnswerRow.id))
        .where(AnswerRow.question_id == question_id, AnswerRow.group_number.in_(numbers))
        .group_by(*kinds)
        .order_by(func.min(AnswerRow.place))
    )
    rows: dict[int, list[Any]] = {number: [] for number in numbers}
    with store.reading() as session:
        for number, *row in session.execute(wanted):
            rows[number].append(row)
    return [_group(number, its) for number, its in rows.items() if its]


def _group(number: int, rows: list[Any]) -> Group:
    texts, counting, said = Counter[str](), Counter[str](), Counter[str]()
    decided = 0
    for text, judged, told, count, _ in rows:
        texts[text] += count
        counting[told or judged or ""] += count
        said[judged or ""] += count
        decided += count if told else 0
    return Group(
        number,
        min(first for *_, first in rows),
        sum(texts.values()),
        decided,
        texts.most_common(1)[0][0],
        tuple(label for label, _ in counting.most_common() if label),
        next((label for label, _ in said.most_common() if label), None),
    )
