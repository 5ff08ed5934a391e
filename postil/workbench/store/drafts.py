"""Drafts: uploads that somebody is looking at, kept for half an hour where every server finds them."""

from __future__ import annotations

import json
import secrets
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, astuple, dataclass, replace
from datetime import timedelta
from hashlib import sha256
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from sqlalchemy import ColumnElement, Select, delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from postil.data.formats.quizzes import Example, Quiz, QuizQuestion, Skipped
from postil.data.formats.rows import Row, Rows
from postil.data.formats.tables import read_table
from postil.data.questions import Answer, Facet, FacetLabel, Question, Reference
from postil.errors import PostilError
from postil.workbench.drafts import Draft, Opened, make_draft
from postil.workbench.plans import Plan, Planned
from postil.workbench.records import NewAnswer
from postil.workbench.store import courses
from postil.workbench.store.answers import add_answers, put_answers
from postil.workbench.store.courses import create_course, delete_course, lock_course
from postil.workbench.store.database import Store, forget_deleted
from postil.workbench.store.jobs import shared_now
from postil.workbench.store.questions import NewQuestion, create_question, put_questions
from postil.workbench.store.rows import storable
from postil.workbench.store.tables import DraftRow

# What was read from an upload as bytes, so that every server can show it: JSON, compressed.

_FORMAT = 1
_LEVEL = 1  # a person waits for it, and it is there for half an hour


def pack(opened: Opened) -> bytes:
    """Make bytes of what was read from a file."""
    rows = opened.rows
    packed = {
        "format": _FORMAT,
        "name": opened.name,
        "path": str(rows.path),
        "header": rows.header,
        "lines": [row.line for row in rows.rows],
        "cells": [row.cells for row in rows.rows],
        "wide": [_packed_question(one) for one in opened.wide],
        "notes": opened.notes,
        "headed": opened.headed,
        "quiz": None if opened.quiz is None else asdict(opened.quiz),
    }
    text = json.dumps(packed, ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(text.encode("utf-8", "surrogatepass"), _LEVEL)  # files hold halves of characters


def unpack(body: bytes) -> Opened | None:
    """What was read, from its bytes; None if another version of Postil has packed it."""
    packed = json.loads(zlib.decompress(body).decode("utf-8", "surrogatepass"))
    if packed["format"] != _FORMAT:
        return None
    lines = zip(packed["lines"], packed["cells"], strict=True)
    rows = Rows(
        Path(packed["path"]),
        tuple(packed["header"]),
        tuple(Row(line, tuple(cells)) for line, cells in lines),
    )
    wide = tuple(map(_question, packed["wide"]))
    quiz = None if packed["quiz"] is None else _quiz(packed["quiz"])
    return Opened(packed["name"], rows, wide, tuple(packed["notes"]), packed["headed"], quiz)


def _packed_question(question: Question) -> dict[str, Any]:
    """A question by the names of its fields; its thousands of answers are lists, which are packed faster."""
    answers = [
        (one.id, one.text, one.label, one.match, one.count, [astuple(facet) for facet in one.facets], one.row)
        for one in question.answers
    ]
    return {**asdict(replace(question, answers=())), "answers": answers}


def _question(packed: Mapping[str, Any]) -> Question:
    answers = (
        Answer(id, text, label, match, count, tuple(FacetLabel(*facet) for facet in facets), row)
        for id, text, label, match, count, facets, row in packed["answers"]
    )
    references = (
        Reference(**{**one, "facets": tuple(Facet(**facet) for facet in one["facets"])})
        for one in packed["references"]
    )
    return Question(**{**packed, "answers": tuple(answers), "references": tuple(references)})


def _quiz(packed: Mapping[str, Any]) -> Quiz:
    return Quiz(
        tuple(map(_quiz_question, packed["questions"])),
        tuple(Skipped(**one) for one in packed["skipped"]),
    )


def _quiz_question(packed: Mapping[str, Any]) -> QuizQuestion:
    lists = {name: tuple(packed[name]) for name in ("references", "tags", "notes")}
    examples = tuple(Example(**one) for one in packed["examples"])
    return QuizQuestion(**{**packed, **lists, "examples": examples})


KEPT = timedelta(minutes=30)
_MOST_OF_ONE = 16
_MOST_KEPT = 512


@dataclass(frozen=True, slots=True)
class Brought:
    """Who brought a draft, and what for; `person` is an account, or None with `--local`."""

    person: int | None
    course_id: int
    question_id: int | None


def keep_draft(
    store: Store, opened: Opened, course_id: int, question_id: int | None, person: int | None = None
) -> str:
    """Keep what was read, and return its token; who brings too much loses their own oldest first."""
    token, body = secrets.token_urlsafe(16), pack(opened)
    row = DraftRow(digest=_digest(token), account_id=person, course_id=course_id, question_id=question_id)
    forget_drafts(store)
    try:
        with store.writing() as session:
            lost = _forget(session, _newest().where(_of(person)).offset(_MOST_OF_ONE - 1))
            lost += _forget(session, _newest().offset(_MOST_KEPT - 1))
            row.made, row.body = shared_now(session), body
            session.add(row)
    except IntegrityError:
        raise courses.gone() from None
    if lost:
        forget_deleted(store)
    return token


def get_draft(store: Store, token: str) -> Draft:
    """The draft of this token, while it is kept."""
    with store.reading() as session:
        row = session.scalars(select(DraftRow).where(_is(token), _fresh(session))).one_or_none()
    opened = None if row is None else unpack(row.body)
    if row is None or opened is None:
        raise _forgotten()
    return make_draft(token, opened, row.course_id, row.question_id, row.account_id)


def get_brought(store: Store, token: str) -> Brought:
    """Whose draft it is, without what is in it."""
    wanted = select(DraftRow.account_id, DraftRow.course_id, DraftRow.question_id)
    with store.reading() as session:
        row = session.execute(wanted.where(_is(token), _fresh(session))).one_or_none()
    if row is None:
        raise _forgotten()
    return Brought(*row)


def use_draft(session: Session, token: str) -> None:
    """Use a draft up in the transaction that stores what is in it: of two who store it only one can.

    After it, what was not stored of the draft has to be forgotten (`forget_deleted`).
    """
    used = delete(DraftRow).where(_is(token), _fresh(session)).returning(DraftRow.digest)
    if session.scalars(used).one_or_none() is None:
        raise _forgotten()


def drop_draft(store: Store, token: str) -> None:
    """Forget a draft at once."""
    with store.writing() as session:
        session.execute(delete(DraftRow).where(_is(token)))
    forget_deleted(store)


def forget_drafts(store: Store) -> None:
    """Delete the drafts whose time is over: they hold what pupils wrote, and nobody can see them any more.

    Nobody has to wait for it, so where others write it is left for the next time.
    """
    with suppress(PostilError):
        with store.reading() as session:  # there is rarely one, and a write would make others wait
            if session.scalars(_newest().where(~_fresh(session)).limit(1)).first() is None:
                return
        with store.writing() as session:
            _forget(session, _newest().where(~_fresh(session)))
        forget_deleted(store)


def drop_local_drafts(store: Store) -> None:
    """Forget the drafts of the mode for one person: when it stops, nobody deletes them in time."""
    with suppress(PostilError):
        with store.writing() as session:
            session.execute(delete(DraftRow).where(_of(None)))
        forget_deleted(store)


def _forget(session: Session, which: Select[Any]) -> int:
    """Delete drafts, and say how many; who is just storing one of them is not waited for."""
    found = list(session.scalars(which.with_for_update(skip_locked=True)))
    session.execute(delete(DraftRow).where(DraftRow.digest.in_(found)))
    return len(found)


def _newest() -> Select[Any]:
    return select(DraftRow.digest).order_by(DraftRow.made.desc(), DraftRow.digest)


def _of(person: int | None) -> ColumnElement[bool]:
    return DraftRow.account_id.is_(None) if person is None else DraftRow.account_id == person


def _fresh(session: Session) -> ColumnElement[bool]:
    return DraftRow.made > shared_now(session) - KEPT


def _is(token: str) -> ColumnElement[bool]:
    return DraftRow.digest == _digest(token)


def _digest(token: str) -> str:
    return sha256(storable(token).encode()).hexdigest()


def _forgotten() -> PostilError:
    return PostilError(
        "this upload is no longer here.",
        hint="An upload is forgotten when it was added, and after half an hour. Look whether its answers are "
        "there; if not, bring the file once more.",
    )


# Stores what a draft holds, completely or not at all.

EXAMPLE = "Example class"


def store_plan(store: Store, draft: Draft, plan: Plan, points: float = 1.0) -> list[int]:
    """Store what was planned, use the draft up, and return the numbers of the questions it went to."""
    if plan.problems:
        raise PostilError(plan.problems[0])
    with store.writing() as session:
        # First the course: two who store at once must not wait for each other's questions.
        lock_course(session, draft.course_id)
        use_draft(session, draft.token)
        if draft.question_id is not None:
            for planned in plan.questions:
                put_answers(session, draft.question_id, planned.answers, planned.labels)
            stored = [draft.question_id]
        else:
            # A question that has all of its answers stays out.
            wanted = [one for one in plan.questions if one.question_id is None or one.answers]
            stored = [_store(session, draft.course_id, planned, points) for planned in wanted]
    forget_deleted(store)
    return stored


def store_questions(store: Store, draft: Draft, wanted: Sequence[NewQuestion]) -> list[int]:
    """Make the questions of a quiz that a person wants, all or none, and return their numbers."""
    with store.writing() as session:
        lock_course(session, draft.course_id)
        use_draft(session, draft.token)
        made = put_questions(session, draft.course_id, wanted)
    forget_deleted(store)
    return made


def _store(session: Session, course_id: int, planned: Planned, points: float) -> int:
    """Store a question with its answers, or the answers of one that is there; returns its number."""
    question_id = planned.question_id
    if question_id is None:
        (question_id,) = put_questions(session, course_id, [(planned.text, planned.references, points)])
    put_answers(session, question_id, planned.answers, planned.labels)
    return question_id


def store_example(store: Store, owner: int | None = None) -> int:
    """Make a course of the class that ships with Postil; its labels stay out, so that there is work to do."""
    with as_file(files("postil.resources").joinpath("demo", "class.csv")) as path:
        questions = read_table(path)
    course_id = create_course(store, EXAMPLE, owner)
    try:
        for question in questions:
            references = [reference.text for reference in question.references]
            question_id = create_question(store, course_id, question.text, references, 2.0)
            answers = [NewAnswer(answer.id, "", answer.text) for answer in question.answers]
            add_answers(store, question_id, answers)
    except PostilError:
        delete_course(store, course_id)
        raise
    return course_id
