"""Drafts: uploads that somebody is looking at, kept for half an hour where every server finds them."""

from __future__ import annotations

import json
import secrets
import zlib
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, astuple, dataclass, replace
from datetime import timedelta
from importlib.resources import as_file, files
from operator import attrgetter
from pathlib import Path
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from postil.data.formats.quizzes import Example, Quiz, QuizQuestion, Skipped
from postil.data.formats.rows import Row, Rows
from postil.data.formats.tables import read_table
from postil.data.questions import Answer, Facet, FacetLabel, Question, Reference
from postil.errors import PostilError
from postil.workbench.drafts import Draft, Opened, make_draft
from postil.workbench.plans import Plan
from postil.workbench.records import NewAnswer
from postil.workbench.store.answers import put_answers
from postil.workbench.store.courses import (
    NewQuestion,
    lock_course,
    put_course,
    put_questions,
)
from postil.workbench.store.database import Store, forget_deleted
from postil.workbench.store.rows import digest_of, gone
from postil.workbench.store.tables import DraftRow, shared_now

EXAMPLE = "Example class"
KEPT = timedelta(minutes=30)
_MOST_OF_ONE = 16  # drafts of one person
_MOST_KEPT = 512
_FORMAT = 1
_LEVEL = 1  # of compression: a person waits for it, and it is kept for half an hour only


@dataclass(frozen=True, slots=True)
class Brought:
    """Who uploaded a draft, and for what; `person` is an account, or None with `--local`."""

    person: int | None
    course_id: int
    question_id: int | None


def keep_draft(
    store: Store, opened: Opened, course_id: int, question_id: int | None, person: int | None = None
) -> str:
    """Keep what was read, and return its token; a person with too many drafts loses their oldest."""
    token, body = secrets.token_urlsafe(16), pack(opened)
    row = DraftRow(digest=digest_of(token), account_id=person, course_id=course_id, question_id=question_id)
    forget_drafts(store)
    try:
        with store.writing() as session:
            lost = _forget(session, _newest().where(DraftRow.account_id == person).offset(_MOST_OF_ONE - 1))
            lost += _forget(session, _newest().offset(_MOST_KEPT - 1))
            row.made, row.body = shared_now(session), body
            session.add(row)
    except IntegrityError:
        raise gone("course") from None
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
    query = select(DraftRow.account_id, DraftRow.course_id, DraftRow.question_id)
    with store.reading() as session:
        row = session.execute(query.where(_is(token), _fresh(session))).one_or_none()
    if row is None:
        raise _forgotten()
    return Brought(*row)


def drop_draft(store: Store, token: str) -> None:
    """Delete a draft at once."""
    with store.writing() as session:
        session.execute(delete(DraftRow).where(_is(token)))
    forget_deleted(store)


def forget_drafts(store: Store) -> None:
    """Delete the drafts whose time is over: they hold what pupils wrote, and nobody can see them any more.

    Nobody has to wait for it: where others are writing, it is left for the next time.
    """
    with suppress(PostilError):
        with store.reading() as session:  # there is rarely one, and a write would make others wait
            if session.scalars(_newest().where(~_fresh(session)).limit(1)).first() is None:
                return
        with store.writing() as session:
            _forget(session, _newest().where(~_fresh(session)))
        forget_deleted(store)


def drafts_with(
    session: Session, courses: Collection[int], words: Collection[str], cells: Collection[str]
) -> list[str]:
    """Which uploads for these courses have one of these texts in them, or one of these as a whole cell."""
    needles = [json.dumps(text, ensure_ascii=False)[1:-1].casefold() for text in words if text.strip()]
    needles += [json.dumps(cell, ensure_ascii=False).casefold() for cell in cells]
    query = select(DraftRow.digest, DraftRow.body).where(DraftRow.course_id.in_(courses))
    digests = []
    for digest, body in session.execute(query):
        text = zlib.decompress(body).decode("utf-8", "surrogatepass").casefold()
        if any(needle in text for needle in needles):
            digests.append(digest)
    return digests


def drop_local_drafts(store: Store) -> None:
    """Delete the drafts of `--local`: once it stops, nothing else deletes them in time."""
    with suppress(PostilError):
        with store.writing() as session:
            session.execute(delete(DraftRow).where(DraftRow.account_id.is_(None)))
        forget_deleted(store)


def store_plan(store: Store, draft: Draft, plan: Plan) -> list[int]:
    """Store what was planned, use the draft up, and return the numbers of the questions it went to."""
    if plan.problems:
        raise PostilError(plan.problems[0])
    stored = []
    with store.writing() as session:
        # First the course: two who store at once must not wait for each other's questions.
        lock_course(session, draft.course_id)
        use_draft(session, draft.token)
        for planned in plan.questions:
            question_id = draft.question_id or planned.question_id
            if question_id is None:
                new = planned.text, planned.references, planned.points
                (question_id,) = put_questions(session, draft.course_id, [new])
            elif draft.question_id is None and not planned.answers:
                continue  # this question has all of its answers
            put_answers(session, question_id, planned.answers, planned.labels)
            stored.append(question_id)
    forget_deleted(store)
    return stored if draft.question_id is None else [draft.question_id]


def store_questions(store: Store, draft: Draft, questions: Sequence[NewQuestion]) -> list[int]:
    """Create the questions chosen from a quiz, all or none, and return their numbers."""
    with store.writing() as session:
        lock_course(session, draft.course_id)
        use_draft(session, draft.token)
        stored = put_questions(session, draft.course_id, questions)
    forget_deleted(store)
    return stored


def store_example(store: Store, owner: int | None = None) -> int:
    """Create a course from the class that ships with Postil, all of it or nothing, without its labels."""
    with as_file(files("postil.resources").joinpath("demo", "class.csv")) as path:
        questions = read_table(path)
    with store.writing() as session:
        course_id = put_course(session, EXAMPLE, owner)
        for question in questions:
            references = [reference.text for reference in question.references]
            (question_id,) = put_questions(session, course_id, [(question.text, references, 2.0)])
            answers = [NewAnswer(answer.id, "", answer.text) for answer in question.answers]
            put_answers(session, question_id, answers)
    return course_id


def use_draft(session: Session, token: str) -> None:
    """Use a draft up in the transaction that stores what is in it: of two who store it only one can.

    After it, what was not stored of the draft has to be forgotten (`forget_deleted`).
    """
    used = delete(DraftRow).where(_is(token), _fresh(session)).returning(DraftRow.digest)
    if session.scalars(used).one_or_none() is None:
        raise _forgotten()


def pack(opened: Opened) -> bytes:
    """What was read from a file as bytes, so that every server can show it: JSON, compressed."""
    rows = opened.rows
    packed = {
        "format": _FORMAT,
        "name": opened.name,
        "path": str(rows.path),
        "header": rows.header,
        "lines": [row.line for row in rows.rows],
        "cells": [row.cells for row in rows.rows],
        "wide": [_packed_question(question) for question in opened.wide],
        "notes": opened.notes,
        "headed": opened.headed,
        "quiz": None if opened.quiz is None else asdict(opened.quiz),
    }
    text = json.dumps(packed, ensure_ascii=False, separators=(",", ":"), default=astuple)
    return zlib.compress(text.encode("utf-8", "surrogatepass"), _LEVEL)  # files hold halves of characters


def unpack(body: bytes) -> Opened | None:
    """What was read, from its bytes; None if another version of Postil has packed it."""
    packed = json.loads(zlib.decompress(body).decode("utf-8", "surrogatepass"))
    if packed["format"] != _FORMAT:
        return None
    lines = zip(packed["lines"], packed["cells"], strict=True)
    rows = tuple(Row(line, tuple(cells)) for line, cells in lines)
    table = Rows(Path(packed["path"]), tuple(packed["header"]), rows)
    wide = tuple(map(_question, packed["wide"]))
    quiz = None if packed["quiz"] is None else _quiz(packed["quiz"])
    return Opened(packed["name"], table, wide, tuple(packed["notes"]), packed["headed"], quiz)


def _packed_question(question: Question) -> dict[str, Any]:
    """A question by the names of its fields; its thousands of answers are lists, which are packed faster."""
    answers = map(attrgetter("id", "text", "label", "match", "count", "facets", "row"), question.answers)
    return {**asdict(replace(question, answers=())), "answers": list(answers)}


def _question(packed: Mapping[str, Any]) -> Question:
    answers = (
        Answer(id, text, label, match, count, tuple(FacetLabel(*facet) for facet in facets), row)
        for id, text, label, match, count, facets, row in packed["answers"]
    )
    references = (
        Reference(**{**reference, "facets": tuple(Facet(**facet) for facet in reference["facets"])})
        for reference in packed["references"]
    )
    return Question(**{**packed, "answers": tuple(answers), "references": tuple(references)})


def _quiz(packed: Mapping[str, Any]) -> Quiz:
    questions = []
    for question in packed["questions"]:
        lists = {name: tuple(question[name]) for name in ("references", "tags", "notes")}
        examples = tuple(Example(**example) for example in question["examples"])
        questions.append(QuizQuestion(**{**question, **lists, "examples": examples}))
    return Quiz(tuple(questions), tuple(Skipped(**skipped) for skipped in packed["skipped"]))


def _forget(session: Session, digests: Select[Any]) -> int:
    """Delete drafts and return how many; those that somebody is just storing are skipped."""
    old = list(session.scalars(digests.with_for_update(skip_locked=True)))
    session.execute(delete(DraftRow).where(DraftRow.digest.in_(old)))
    return len(old)


def _newest() -> Select[Any]:
    return select(DraftRow.digest).order_by(DraftRow.made.desc(), DraftRow.digest)


def _fresh(session: Session) -> ColumnElement[bool]:
    moment = shared_now(session)  # what is later than that was made before the clock was set back
    return and_(DraftRow.made > moment - KEPT, DraftRow.made < moment + KEPT)


def _is(token: str) -> ColumnElement[bool]:
    return DraftRow.digest == digest_of(token)


def _forgotten() -> PostilError:
    return PostilError(
        "this upload is no longer available.",
        hint="An upload is removed once it has been added, and after half an hour. Check whether its answers "
        "are there; if not, upload the file again.",
    )
