"""Answers: store a class's answers, delete one, and put them into groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.orm import Session

from postil.errors import PostilError, some
from postil.workbench.records import Answer, Job, NewAnswer
from postil.workbench.store.database import Store, forget_deleted
from postil.workbench.store.decisions import keep_uploaded
from postil.workbench.store.jobs import lock_work
from postil.workbench.store.questions import demand_question, lock_question
from postil.workbench.store.rows import storable
from postil.workbench.store.tables import AnswerRow
from postil.workbench.store.views import Filter, count_views, find_views, get_view, gone, neighbours

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
