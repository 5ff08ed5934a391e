"""One pupil's data over all courses: find it, read it and erase it, in whichever course it is.

A course knows a pupil by the name and the id that came with an answer. No table lists pupils, so each is
named by the number of one of their answers: all answers of that course with the same name and id are theirs.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, delete, func, or_, select, true, update
from sqlalchemy.orm import Session

from postil.errors import PostilError, number_of
from postil.workbench.exports import is_made
from postil.workbench.records import ASSISTANT, LOCAL, Decision, Person, Question, View
from postil.workbench.store import events
from postil.workbench.store.access import forget_replies
from postil.workbench.store.answers import get_view
from postil.workbench.store.courses import course_names, get_question, lock_question
from postil.workbench.store.database import Store, forget_deleted
from postil.workbench.store.decisions import history
from postil.workbench.store.drafts import drafts_with
from postil.workbench.store.feedback import SecondLook, list_looks
from postil.workbench.store.rows import ChangedError, batches_of, gone, storable
from postil.workbench.store.tables import (
    AnswerRow,
    CourseRow,
    DraftRow,
    EventRow,
    MemberRow,
    QuestionRow,
    SessionRow,
    TaggingRow,
)

MOST_FOUND = 200
_TELLING = 12  # characters; an upload with a shorter text may be anybody's


@dataclass(frozen=True, slots=True)
class Pupil:
    """Somebody as a course knows them: by name and id, of which one may be missing or made up."""

    answer_id: int  # their first one, by which they are named
    course_id: int
    course: str
    student: str
    key: str
    answers: int


@dataclass(frozen=True, slots=True)
class BlindLabel:
    """What somebody said of an answer in a round of double labelling, without who it was."""

    label: str
    note: str
    made: datetime


@dataclass(frozen=True, slots=True)
class Stored:
    """One answer with all that is stored about it."""

    course: str
    question: Question
    view: View
    decisions: Sequence[Decision]
    blind: Sequence[BlindLabel]
    looks: Sequence[SecondLook] = ()


@dataclass(frozen=True, slots=True)
class Erased:
    """How much was erased: answers, and uploads that nobody had added yet."""

    answers: int
    uploads: int


def find_pupils(store: Store, words: str, person: Person = LOCAL, *, exact: bool = False) -> list[Pupil]:
    """Find pupils whose name or id contains these words, or with `exact` equals them, ignoring case.

    An administrator finds them in all courses, others in those where they teach.
    """
    words = " ".join(storable(words).split())
    if not words:
        raise PostilError("a name or an id is missing.", hint="Write the student's name or id.")
    columns = AnswerRow.student, AnswerRow.key
    if exact:
        match = or_(*(func.lower(func.trim(column)) == words.lower() for column in columns))
    else:
        match = or_(*(column.icontains(words, autoescape=True) for column in columns))
    return _pupils(store, and_(match, _teaches(person)), MOST_FOUND)


def get_pupils(store: Store, answer_ids: Collection[int], person: Person = LOCAL) -> list[Pupil]:
    """The pupils who are named by these answers; an error if one is not there, or not for this person."""
    named = select(QuestionRow.course_id, AnswerRow.student, AnswerRow.key)
    named = named.join(QuestionRow, QuestionRow.id == AnswerRow.question_id)
    with store.reading() as session:
        who = session.execute(named.where(AnswerRow.id.in_(answer_ids), _in_course(person))).all()
    if not who or len(who) < len(set(answer_ids)):
        raise gone("student", "Their answers may have been erased in the meantime: search again.")
    same = (
        and_(QuestionRow.course_id == course, AnswerRow.student == student, AnswerRow.key == key)
        for course, student, key in set(map(tuple, who))
    )
    return _pupils(store, or_(*same))


def stored_of(store: Store, pupils: Iterable[Pupil]) -> list[Stored]:
    """Everything that is stored about pupils, by course and question."""
    with store.reading() as session:
        ids = [id for id, _ in _answers(session, pupils)]
        blind: dict[int, list[BlindLabel]] = {}
        for batch in batches_of(ids):
            columns = TaggingRow.answer_id, TaggingRow.label, TaggingRow.note, TaggingRow.made
            taggings = select(*columns).where(TaggingRow.answer_id.in_(batch)).order_by(TaggingRow.made)
            for id, label, note, made in session.execute(taggings):
                blind.setdefault(id, []).append(BlindLabel(label, note, made))
    looks: dict[int, list[SecondLook]] = {}
    for look in list_looks(store, ids):
        looks.setdefault(look.answer_id, []).append(look)
    views = [get_view(store, id) for id in ids]
    questions = {id: get_question(store, id) for id in {view.answer.question_id for view in views}}
    names = course_names(store, {question.course_id for question in questions.values()})
    stored = []
    for view in views:
        question = questions[view.answer.question_id]
        own = view.answer.id
        course = names[question.course_id]
        said = history(store, own), blind.get(own, []), looks.get(own, [])
        stored.append(Stored(course, question, view, *said))
    return stored


def note_export(store: Store, pupils: Sequence[Pupil], person: Person | None, address: str = "") -> None:
    """Log that pupils' data was taken away: who did it and how many answers, in the log of each course."""
    with store.writing() as session:
        for course_id, count in _by_course(pupils).items():
            _note(session, events.PUPIL_EXPORTED, course_id, count, person, address)


def erase(
    store: Store,
    pupils: Sequence[Pupil],
    person: Person | None = None,
    *,
    address: str = "",
) -> Erased:
    """Erase pupils' answers with all that was said of them, all of it or nothing, and log how many.

    Uploads that contain them, messages that name them and what is kept for programs that repeat a request go
    as well. If there are more or fewer answers than `pupils` say, nothing is erased (`ChangedError`).
    """
    names = {pupil.student.strip() for pupil in pupils if pupil.student.strip()}
    with store.writing() as session:
        answers = _answers(session, pupils)
        for question_id in sorted({question_id for _, question_id in answers}):
            lock_question(session, question_id)
        ids = [id for id, _ in _answers(session, pupils)]  # once more, now that nobody else writes
        if len(ids) != sum(pupil.answers for pupil in pupils):
            what = "these answers have changed in the meantime, so nothing was erased."
            raise ChangedError(what, "Look at what is stored now, then erase it.")
        courses = _by_course(pupils)
        texts = {text for text in _texts(session, ids) if len(text) >= _TELLING}
        cells = {pupil.key for pupil in pupils if not is_made(pupil.key)}
        uploads = drafts_with(session, courses, names | texts, cells)
        session.execute(delete(DraftRow).where(DraftRow.digest.in_(uploads)))
        for batch in batches_of(ids):  # judgements, decisions, labels, links and requests go with them
            session.execute(delete(AnswerRow).where(AnswerRow.id.in_(batch)))
        forget_replies(session, set(ids))
        _forget_names(session, names, courses)
        for course_id, count in courses.items():
            _note(session, events.PUPIL_ERASED, course_id, count, person, address)
    forget_deleted(store)
    return Erased(len(ids), len(uploads))


def _note(
    session: Session, what: str, course_id: int, count: int, person: Person | None, address: str
) -> None:
    about = number_of(count, "answer") + ("" if person else ", on the server")
    events.add_event(session, person, what, course_id=course_id, about=about, address=address)


def _pupils(store: Store, condition: ColumnElement[bool], most: int | None = None) -> list[Pupil]:
    who = CourseRow.id, CourseRow.name, AnswerRow.student, AnswerRow.key
    query = (
        select(func.min(AnswerRow.id), *who, func.count())
        .join(QuestionRow, QuestionRow.id == AnswerRow.question_id)
        .join(CourseRow, CourseRow.id == QuestionRow.course_id)
        .where(condition)
        .group_by(*who)
        .order_by(CourseRow.name, CourseRow.id, AnswerRow.student, AnswerRow.key)
        .limit(most)
    )
    with store.reading() as session:
        return [Pupil(*row) for row in session.execute(query)]


def _answers(session: Session, pupils: Iterable[Pupil]) -> list[tuple[int, int]]:
    """The answers of pupils with their questions, by course and question."""
    answers: list[tuple[int, int]] = []
    for pupil in pupils:
        query = (
            select(AnswerRow.id, AnswerRow.question_id)
            .join(QuestionRow, QuestionRow.id == AnswerRow.question_id)
            .where(QuestionRow.course_id == pupil.course_id)
            .where(AnswerRow.student == pupil.student, AnswerRow.key == pupil.key)
        )
        answers += [(id, question_id) for id, question_id in session.execute(query.order_by(AnswerRow.id))]
    return sorted(answers, key=lambda row: (row[1], row[0]))


def _texts(session: Session, ids: Sequence[int]) -> Iterator[str]:
    for batch in batches_of(ids):
        yield from session.scalars(select(AnswerRow.text).where(AnswerRow.id.in_(batch)))


def _forget_names(session: Session, names: Collection[str], courses: Collection[int]) -> None:
    """Take names out of messages that wait for a page, and out of what the log says of imports."""
    if not names:
        return
    for row in session.scalars(select(SessionRow)):
        left = [message for message in row.messages if not _mentions(json.dumps(message), names)]
        if len(left) < len(row.messages):
            row.messages = left
    kinds = EventRow.what.in_((events.ANSWERS_IMPORTED, events.ANSWER_DELETED))
    query = select(EventRow.id, EventRow.about).where(kinds, EventRow.course_id.in_(courses))
    about = [id for id, words in session.execute(query) if _mentions(json.dumps(words), names)]
    for batch in batches_of(about):
        session.execute(update(EventRow).where(EventRow.id.in_(batch)).values(about=""))


def _mentions(text: str, names: Iterable[str]) -> bool:
    folded = text.casefold()
    return any(json.dumps(name)[1:-1].casefold() in folded for name in names)


def _by_course(pupils: Iterable[Pupil]) -> Counter[int]:
    counts: Counter[int] = Counter()
    for pupil in pupils:
        counts[pupil.course_id] += pupil.answers
    return counts


def _teaches(person: Person) -> ColumnElement[bool]:
    """Whether a person may export and delete the answers of a course; a condition on `CourseRow`."""
    if person.is_owner:
        return true()
    if person.role == ASSISTANT:
        return CourseRow.id.is_(None)
    shared = select(MemberRow.course_id).where(MemberRow.account_id == person.id, MemberRow.level == "teach")
    return or_(CourseRow.owner_id == person.id, CourseRow.id.in_(shared))


def _in_course(person: Person) -> ColumnElement[bool]:
    courses: Any = select(CourseRow.id).where(_teaches(person))
    return QuestionRow.course_id.in_(courses)
