"""Feedback to students: what a course shows, who its students are, their links, and second looks.

A student is whoever wrote the answers of a course that have the same id and name. Where that is not certain,
nobody is shown anything: better a missing sheet than one with somebody else's answer on it. An id that Postil
made up says nothing, so there the name alone must tell. Only answers that a person has decided are shown.
"""

from __future__ import annotations

import secrets
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from postil.errors import PostilError
from postil.workbench.exports import is_made
from postil.workbench.records import LABELS, Person, Version, View
from postil.workbench.store.answers import get_views
from postil.workbench.store.courses import demand_course, lock_course, lock_question
from postil.workbench.store.database import Store
from postil.workbench.store.decisions import put_decisions
from postil.workbench.store.rows import ChangedError, batches_of, demand, digest_of, gone, record_of, storable
from postil.workbench.store.tables import (
    AnswerRow,
    DecisionRow,
    FeedbackRow,
    QuestionRow,
    SecondLookRow,
    StudentLinkRow,
    now,
)

KEPT, CHANGED = "kept", "changed"  # what became of a grade that was looked at again
LONGEST_REQUEST, LONGEST_COMMENT = 300, 1_000
DAYS = (7, 30, 90, 180, 365)  # for which links can be made
MOST_REQUESTS = 10  # of one student in a day
_SECRET_BYTES = 32
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Showing:
    """What a course shows to its students: anything at all, points, and a way to ask for a second look."""

    shown: bool = False
    points: bool = False
    looks: bool = False


@dataclass(frozen=True, slots=True)
class StudentLink:
    """A link as the teacher sees it: everything but the secret, which is given out once."""

    id: int
    created: datetime
    expires: datetime

    @property
    def expired(self) -> bool:
        """Whether its time is over."""
        return self.expires <= now()


@dataclass(frozen=True, slots=True)
class Student:
    """Somebody whose answers are certain, named by the first of them; `key` is empty if Postil made it up."""

    answer_id: int
    student: str
    key: str
    answers: tuple[int, ...]
    link: StudentLink | None = None

    @property
    def name(self) -> str:
        """What to call them."""
        return self.student or self.key


@dataclass(frozen=True, slots=True)
class Students:
    """The students of a course by name; `unclear` counts the answers that anybody may have written."""

    items: tuple[Student, ...]
    unclear: int

    def of(self, answer_id: int) -> Student | None:
        """Whoever wrote this answer; None where that is not certain."""
        return next((student for student in self.items if answer_id in student.answers), None)


@dataclass(frozen=True, slots=True)
class Holder:
    """Whom a link belongs to, in which course, and what that shows."""

    link_id: int
    course_id: int
    student: Student
    showing: Showing


@dataclass(frozen=True, slots=True)
class SecondLook:
    """A student's request; `outcome` is "kept" or "changed" once it is `answered`."""

    id: int
    answer_id: int
    text: str
    asked: datetime
    answered: datetime | None
    outcome: str
    comment: str


def get_showing(store: Store, course_id: int) -> Showing:
    """What a course shows to its students."""
    with store.reading() as session:
        demand_course(session, course_id)
        return _showing(session, course_id)


def set_showing(store: Store, course_id: int, showing: Showing) -> None:
    """Set what a course shows to its students. While it shows nothing, links are kept but do not work."""
    with store.writing() as session:
        lock_course(session, course_id)
        row = session.get(FeedbackRow, course_id) or FeedbackRow(course_id=course_id)
        row.shown, row.points, row.looks = showing.shown, showing.points, showing.looks
        session.add(row)


def list_students(store: Store, course_id: int) -> Students:
    """The students of a course with their links, by name."""
    with store.reading() as session:
        demand_course(session, course_id)
        return _students(session, course_id)


def get_student(store: Store, course_id: int, answer_id: int) -> Student:
    """Whoever wrote an answer of a course; an error where that is not certain."""
    student = list_students(store, course_id).of(answer_id)
    if student is None:
        what = "nobody can tell for certain whose answer this is."
        raise PostilError(what, hint="Import the answers with the students’ ids, or with names that differ.")
    return student


def make_links(
    store: Store, course_id: int, days: int, *, only: int | None = None, replace: bool = False
) -> list[tuple[Student, str]]:
    """Make links for the students of a course who have none that works, or for the one who is named.

    Returns them with their secrets, which are stored nowhere. With `replace`, links that work are replaced.
    """
    if days not in DAYS:
        raise PostilError("a link can work for 7 to 365 days.", hint="Choose how long from the list.")
    made = []
    with store.writing() as session:
        lock_course(session, course_id)
        if not _showing(session, course_id).shown:
            raise PostilError("feedback is off for this course.", hint="Turn it on, then create links.")
        for student in _students(session, course_id).items:
            works = student.link is not None and not student.link.expired
            if (works and not replace) or (only is not None and only not in student.answers):
                continue
            _end_links(session, student.answers)
            secret = secrets.token_urlsafe(_SECRET_BYTES)
            row = StudentLinkRow(answer_id=student.answer_id, digest=digest_of(secret), created=now())
            row.expires = row.created + days * _DAY
            session.add(row)
            made.append((student, secret))
    if not made:
        what = "there is nobody to create a link for." if only is None else "this link could not be created."
        raise PostilError(what, hint="Every student whose answers are certain has a link that works.")
    return made


def end_links(store: Store, course_id: int, only: int | None = None) -> int:
    """Make the links of a course, or those of the student who wrote an answer, stop working at once."""
    with store.writing() as session:
        lock_course(session, course_id)
        query = select(AnswerRow.id).join(QuestionRow, QuestionRow.id == AnswerRow.question_id)
        ids: Iterable[int] = session.scalars(query.where(QuestionRow.course_id == course_id)).all()
        if only is not None:
            student = _students(session, course_id).of(only)
            ids = student.answers if student else [only]
        return _end_links(session, tuple(ids))


def find_holder(store: Store, secret: str) -> Holder | None:
    """Whom a link belongs to; None if it is unknown, revoked or expired, or the course shows nothing."""
    with store.reading() as session:
        return _holder(session, secret)


def list_looks(store: Store, answer_ids: Sequence[int]) -> list[SecondLook]:
    """All requests for a second look at these answers, the oldest first."""
    looks: list[SecondLook] = []
    with store.reading() as session:
        for batch in batches_of(answer_ids):
            query = select(SecondLookRow).where(SecondLookRow.answer_id.in_(batch))
            looks += [record_of(SecondLook, row) for row in session.scalars(query)]
    return sorted(looks, key=lambda look: look.id)


def open_looks(store: Store, course_id: int) -> list[tuple[SecondLook, View]]:
    """The requests that wait in a course, the oldest first, with the answers that they are about."""
    query = (
        select(SecondLookRow)
        .join(AnswerRow, AnswerRow.id == SecondLookRow.answer_id)
        .join(QuestionRow, QuestionRow.id == AnswerRow.question_id)
        .where(QuestionRow.course_id == course_id, SecondLookRow.answered.is_(None))
        .order_by(SecondLookRow.id)
    )
    with store.reading() as session:
        looks = [record_of(SecondLook, row) for row in session.scalars(query)]
    views = {view.answer.id: view for view in get_views(store, [look.answer_id for look in looks])}
    return [(look, views[look.answer_id]) for look in looks if look.answer_id in views]


def count_open_looks(store: Store, course_ids: Collection[int]) -> dict[int, int]:
    """How many requests wait in each of these courses; those without any are left out."""
    query = (
        select(QuestionRow.course_id, func.count())
        .join(AnswerRow, AnswerRow.question_id == QuestionRow.id)
        .join(SecondLookRow, SecondLookRow.answer_id == AnswerRow.id)
        .where(QuestionRow.course_id.in_(course_ids), SecondLookRow.answered.is_(None))
        .group_by(QuestionRow.course_id)
    )
    with store.reading() as session:
        return {number: count for number, count in session.execute(query).all()}  # noqa: C416 - rows are no pairs


def ask(store: Store, secret: str, answer_id: int, words: str) -> Holder:
    """Ask for a second look at one's own answer, with the secret of one's link; returns whose that is."""
    words = " ".join(storable(words).split())
    if not 0 < len(words) <= LONGEST_REQUEST:
        what = f"a request needs a sentence of at most {LONGEST_REQUEST} characters."
        raise PostilError(what, hint="Say in one sentence what your teacher should look at.")
    try:
        with store.writing() as session:
            holder = demand(_holder(session, secret), "page", "Ask your teacher for a new link.")
            if not holder.showing.looks:
                raise PostilError("your teacher takes no requests here.", hint="Ask in person.")
            mine = holder.student.answers
            decided = select(DecisionRow.id).where(DecisionRow.answer_id == answer_id, DecisionRow.standing)
            if answer_id not in mine or session.scalars(decided).first() is None:
                raise gone("answer", "Reload the page, then try again.")
            # Two at once wait for each other here, so that neither slips past the limit.
            session.get(StudentLinkRow, holder.link_id, with_for_update=True)
            recent = select(func.count()).select_from(SecondLookRow)
            recent = recent.where(SecondLookRow.answer_id.in_(mine), SecondLookRow.asked > now() - _DAY)
            if session.scalars(recent).one() >= MOST_REQUESTS:
                raise PostilError("you have asked often today.", hint="Come back tomorrow.")
            row = SecondLookRow(answer_id=answer_id, text=words, asked=now(), outcome="", comment="")
            session.add(row)
            session.flush()
            return holder
    except IntegrityError:
        what = "you have already asked about this answer."
        raise PostilError(what, hint="Your teacher’s reply will be on this page.") from None


def answer_look(
    store: Store,
    answer_id: int,
    look_id: int,
    label: str,
    comment: str,
    person: Person,
    seen: Version | None = None,
) -> str:
    """Answer a request: keep the answer's label or give another, with a comment; returns what became of it.

    If somebody has decided since the answer was `seen`, nothing is stored (`ChangedError`).
    """
    comment = " ".join(storable(comment).split())
    if not 0 < len(comment) <= LONGEST_COMMENT:
        what = f"a reply needs a comment of at most {LONGEST_COMMENT:,} characters."
        raise PostilError(what, hint="Tell the student in a sentence why.")
    if label not in LABELS:
        raise PostilError("no grade was chosen.", hint="Choose the one that should count.")
    with store.writing() as session:
        answer = demand(session.get(AnswerRow, answer_id), "answer")
        lock_question(session, answer.question_id)
        row = session.get(SecondLookRow, look_id, with_for_update=True, populate_existing=True)
        if row is None or row.answer_id != answer_id or row.answered is not None:
            raise ChangedError("this request has been answered already.", "Somebody else was faster.")
        standing = select(DecisionRow.id, DecisionRow.label)
        standing = standing.where(DecisionRow.answer_id == answer_id, DecisionRow.standing)
        decision = session.execute(standing).one_or_none()
        if seen is not None and seen.decision != (decision.id if decision else 0):
            what = "somebody has decided about this answer since you looked, so nothing was stored."
            raise ChangedError(what, "Look at it again, then reply.")
        row.outcome = KEPT if decision and decision.label == label else CHANGED
        if row.outcome == CHANGED:
            put_decisions(session, answer.question_id, [answer_id], label, "review", by=person.id)
        row.answered, row.comment, row.account_id = now(), comment, person.id
        return row.outcome


def _showing(session: Session, course_id: int) -> Showing:
    row = session.get(FeedbackRow, course_id)
    return Showing() if row is None else record_of(Showing, row)


def _holder(session: Session, secret: str) -> Holder | None:
    query = (
        select(StudentLinkRow, QuestionRow.course_id)
        .join(AnswerRow, AnswerRow.id == StudentLinkRow.answer_id)
        .join(QuestionRow, QuestionRow.id == AnswerRow.question_id)
        .where(StudentLinkRow.digest == digest_of(secret), StudentLinkRow.expires > now())
    )
    found = session.execute(query).one_or_none()
    if found is None:
        return None
    row, course_id = found
    showing = _showing(session, course_id)
    student = _students(session, course_id).of(row.answer_id) if showing.shown else None
    return None if student is None else Holder(row.id, course_id, student, showing)


def _students(session: Session, course_id: int) -> Students:
    """Whose answers are whose in a course, as far as that is certain."""
    query = (
        select(AnswerRow.id, AnswerRow.question_id, AnswerRow.key, AnswerRow.student)
        .join(QuestionRow, QuestionRow.id == AnswerRow.question_id)
        .where(QuestionRow.course_id == course_id)
        .order_by(AnswerRow.id)
    )
    answers: dict[tuple[str, str], list[int]] = defaultdict(list)
    asked: Counter[tuple[tuple[str, str], int]] = Counter()
    ids: dict[str, set[str]] = defaultdict(set)
    for answer_id, question_id, key, student in session.execute(query):
        who = ("" if is_made(key) else key.strip(), " ".join(student.split()))
        answers[who].append(answer_id)
        asked[who, question_id] += 1
        ids[who[1]].add(who[0])
    # Two answers to one question, or a name that stands beside several ids, are of two students.
    unclear = {who for (who, _), count in asked.items() if count > 1} | {("", "")}
    unclear |= {("", name) for name, known in ids.items() if len(known - {""}) > 1}
    links = _links(session, course_id)
    students = [
        Student(own[0], name, key, tuple(own), next((links[id] for id in own if id in links), None))
        for (key, name), own in answers.items()
        if (key, name) not in unclear
    ]
    students.sort(key=lambda student: (student.student.casefold(), student.key.casefold(), student.answer_id))
    return Students(tuple(students), sum(len(own) for who, own in answers.items() if who in unclear))


def _links(session: Session, course_id: int) -> dict[int, StudentLink]:
    query = (
        select(StudentLinkRow)
        .join(AnswerRow, AnswerRow.id == StudentLinkRow.answer_id)
        .join(QuestionRow, QuestionRow.id == AnswerRow.question_id)
        .where(QuestionRow.course_id == course_id)
        .order_by(StudentLinkRow.id)
    )
    return {row.answer_id: record_of(StudentLink, row) for row in session.scalars(query)}


def _end_links(session: Session, answer_ids: Sequence[int]) -> int:
    ended = 0
    for batch in batches_of(answer_ids):
        gone_now = delete(StudentLinkRow).where(StudentLinkRow.answer_id.in_(batch))
        ended += len(session.scalars(gone_now.returning(StudentLinkRow.id)).all())
    return ended
