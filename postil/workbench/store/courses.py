"""Courses and their questions: create, list, change and delete them, and set the rubric."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from math import isfinite
from secrets import token_hex
from types import EllipsisType
from typing import Any

from sqlalchemy import ColumnElement, Select, delete, exists, func, or_, select
from sqlalchemy.orm import Session

from postil.data.judgements import Facets
from postil.data.questions import Facet
from postil.data.rubrics import usable
from postil.errors import PostilError, some
from postil.grading.decision import demand_strictness
from postil.language.network import READERS
from postil.workbench.claims import looked_for
from postil.workbench.records import LOCAL, Course, Person, Question
from postil.workbench.store.accounts import demand_heir, person_of
from postil.workbench.store.database import Store, forget_deleted
from postil.workbench.store.rows import (
    ChangedError,
    columns_of_facets,
    demand,
    demand_name,
    facets_of,
    record_of,
    storable,
)
from postil.workbench.store.tables import (
    AccountRow,
    AnswerRow,
    CourseRow,
    DecisionRow,
    JobRow,
    JudgementRow,
    MemberRow,
    ProposalRow,
    QuestionRow,
    RoundRow,
    RubricRow,
    now,
)

NewQuestion = tuple[str, Sequence[str], float]  # its text, its references and its points
LONGEST_NAME = 200  # of a course
MOST_EARLIER = 50  # rubrics of a question that are kept
_LONGEST_TEXT = 5_000
_MOST_REFERENCES = 50
_MOST_POINTS = 1_000_000


def list_courses(store: Store, person: Person = LOCAL) -> list[Course]:
    """The courses that a person may see, the newest first: their own and those shared with them."""
    query = _counted().order_by(CourseRow.id.desc())
    if person.id is not None:
        shared = select(MemberRow.course_id).where(MemberRow.account_id == person.id)
        query = query.where(or_(CourseRow.owner_id == person.id, CourseRow.id.in_(shared)))
    with store.reading() as session:
        return [_record(*row) for row in session.execute(query)]


def create_course(
    store: Store,
    name: str,
    owner: int | None = None,
    *,
    strictness: str = "normal",
    reader: str | None = None,
) -> int:
    """Create a course and return its number; with `--local`, courses have no owner."""
    with store.writing() as session:
        return put_course(session, name, owner, strictness=strictness, reader=reader)


def put_course(
    session: Session,
    name: str,
    owner: int | None = None,
    *,
    strictness: str = "normal",
    reader: str | None = None,
) -> int:
    """Create a course within a transaction, as `create_course` does."""
    demand_strictness(strictness)
    _demand_reader(reader)
    settings = {"strictness": strictness, "reader": reader}
    row = CourseRow(name=_demand_name(name), created=now(), owner_id=owner, **settings)
    if owner is not None:
        demand_heir(session, owner)
    session.add(row)
    session.flush()
    return row.id


def get_course(store: Store, course_id: int) -> Course:
    """One course."""
    with store.reading() as session:
        row = session.execute(_counted().where(CourseRow.id == course_id)).one_or_none()
    return _record(*demand(row, "course"))


def edit_course(
    store: Store,
    course_id: int,
    name: str | None = None,
    *,
    strictness: str | None = None,
    reader: str | EllipsisType | None = ...,
) -> None:
    """Give a course another name, strictness or reader; what is left out stays as it is.

    The reader None is the one that is installed. Judgements stay: how each question was graded,
    `jobs.manner_heard` says.
    """
    changes: dict[str, str | None] = {}
    if name is not None:
        changes["name"] = _demand_name(name)
    if strictness is not None:
        demand_strictness(strictness)
        changes["strictness"] = strictness
    if not isinstance(reader, EllipsisType):
        _demand_reader(reader)
        changes["reader"] = reader
    with store.writing() as session:
        row = lock_course(session, course_id)
        for column, value in changes.items():
            setattr(row, column, value)


def delete_course(store: Store, course_id: int) -> None:
    """Delete a course and everything in it: questions, answers, judgements, decisions and jobs."""
    with store.writing() as session:
        demand_course(session, course_id)
        session.execute(delete(CourseRow).where(CourseRow.id == course_id))
    forget_deleted(store)


def course_names(store: Store, course_ids: Collection[int]) -> dict[int, str]:
    """What courses are called, by their numbers; those that were deleted are left out."""
    query = select(CourseRow.id, CourseRow.name).where(CourseRow.id.in_(course_ids))
    with store.reading() as session:
        return {row.id: row.name for row in session.execute(query)}


def demand_course(session: Session, course_id: int) -> CourseRow:
    """The row of a course, which must exist."""
    return demand(session.get(CourseRow, course_id), "course")


def lock_course(session: Session, course_id: int) -> CourseRow:
    """The row of a course, which must exist, and which nobody else changes until this transaction ends."""
    return demand(session.get(CourseRow, course_id, with_for_update={"key_share": True}), "course")


def _counted() -> Select[Any]:
    questions = select(func.count()).where(QuestionRow.course_id == CourseRow.id)
    answers = (
        select(func.count())
        .select_from(AnswerRow)
        .join(QuestionRow, AnswerRow.question_id == QuestionRow.id)
        .where(QuestionRow.course_id == CourseRow.id)
    )
    counts = questions.scalar_subquery(), answers.scalar_subquery()
    return select(CourseRow, AccountRow, *counts).outerjoin(AccountRow, AccountRow.id == CourseRow.owner_id)


def _record(row: CourseRow, owner: AccountRow | None, questions: int, answers: int) -> Course:
    person = None if owner is None else person_of(owner)
    return Course(row.id, row.name, row.created, questions, answers, person, row.strictness, row.reader)


def _demand_reader(name: str | None) -> None:
    """Refuse a reader that does not exist; whether it can be used here, is for those to say who use it."""
    if name is not None and name not in READERS:
        raise PostilError(f"{some([name])} is not a reader.", hint=f"Readers: {', '.join(READERS)}.")


def _demand_name(name: str) -> str:
    return demand_name(name, LONGEST_NAME, "a course's", "Write one such as 'Physics 7b'.")


def list_questions(store: Store, course_id: int) -> list[Question]:
    """The questions of a course, oldest first."""
    with store.reading() as session:
        demand_course(session, course_id)
        query = _counted_questions().where(QuestionRow.course_id == course_id).order_by(QuestionRow.id)
        return [_question_record(*row) for row in session.execute(query)]


def create_question(store: Store, course_id: int, text: str, references: Sequence[str], points: float) -> int:
    """Create a question and return its number."""
    with store.writing() as session:
        return put_questions(session, course_id, [(text, references, points)])[0]


def put_questions(session: Session, course_id: int, questions: Sequence[NewQuestion]) -> list[int]:
    """Create questions within a transaction, and return their numbers."""
    rows = [QuestionRow(course_id=course_id, created=now(), **_columns(*new)) for new in questions]
    lock_course(session, course_id)
    session.add_all(rows)
    session.flush()
    return [row.id for row in rows]


def get_question(store: Store, question_id: int) -> Question:
    """One question."""
    with store.reading() as session:
        row = session.execute(_counted_questions().where(QuestionRow.id == question_id)).one_or_none()
    return _question_record(*demand(row, "question"))


def edit_question(
    store: Store,
    question_id: int,
    text: str | None,
    references: Sequence[str] | None,
    points: float | None,
    *,
    seen: str | None = None,
) -> None:
    """Change a question; what is None stays as it is. If it is not the version `seen`, nothing changes.

    If the text or the references change, judgements and jobs are deleted: they were about the old ones.
    Decisions and the teacher's facets stay. White space does not count as a change: forms alter it. Refused
    while people label its answers.
    """
    with store.writing() as session:
        row = lock_question(session, question_id)
        _demand_seen(seen, _question_record(row, 0, 0, 0).version, "question")
        columns = _columns(
            row.text if text is None else text,
            row.reference_texts if references is None else references,
            row.points if points is None else points,
        )
        row.points = columns["points"]
        before, after = [row.text, *row.reference_texts], [columns["text"], *columns["reference_texts"]]
        if [text.split() for text in before] != [text.split() for text in after]:
            _refuse_labelled(session, question_id)
            session.execute(delete(JobRow).where(JobRow.question_id == question_id))  # and what they made
            row.text, row.reference_texts = columns["text"], columns["reference_texts"]


def delete_question(store: Store, question_id: int) -> None:
    """Delete a question and everything that belongs to it."""
    with store.writing() as session:
        lock_question(session, question_id)
        session.execute(delete(QuestionRow).where(QuestionRow.id == question_id))
    forget_deleted(store)


def set_facets(
    store: Store, question_id: int, facets: Sequence[Facet], *, seen: str | None = None, by: int | None = None
) -> None:
    """Set the rubric. A facet whose id the question knows is the same facet, perhaps renamed.

    If the rubric is not the version `seen`, nothing changes. The one before is kept, with who replaced it.

    Judgements and ticks stay; where names change, the machine has to look for them (`is_outdated`).
    """
    with store.writing() as session:
        row = lock_question(session, question_id)
        demand_rubric(row, seen)
        replace_rubric(session, row, identified(session, row, facets), by)


def forget_facets(store: Store, question_id: int, *, seen: str | None = None, by: int | None = None) -> None:
    """Take the teacher's rubric away, if it is the version `seen`: the machine finds the items again."""
    with store.writing() as session:
        row = lock_question(session, question_id)
        demand_rubric(row, seen)
        replace_rubric(session, row, None, by)


def demand_rubric(row: QuestionRow, seen: str | None) -> None:
    """Refuse to change a rubric that somebody else has changed since it was seen."""
    _demand_seen(seen, _question_record(row, 0, 0, 0).facets_version, "rubric")


def identified(session: Session, row: QuestionRow, facets: Sequence[Facet]) -> tuple[Facet, ...]:
    """A rubric that can be used, each facet with the id that it had before, or else with a new one."""
    items = usable(replace(item, first=storable(item.first), group=storable(item.group)) for item in facets)
    earlier = session.scalars(select(RubricRow.facets).where(RubricRow.question_id == row.id))
    known = {facet.id for columns in (row.facets, *earlier) for facet in facets_of(columns) or ()}
    named: list[Facet] = []
    for item in items:
        id = item.id if item.id in known else f"f{token_hex(4)}"
        known.discard(id)  # an id that was sent twice belongs to the first
        named.append(replace(item, id=id))
    return tuple(named)


def replace_rubric(session: Session, row: QuestionRow, facets: Facets, by: int | None) -> None:
    """Put a rubric in the place of a question's, which is kept; of very many, the oldest are forgotten."""
    columns = None if facets is None else columns_of_facets(facets)
    if facets_of(row.facets) == facets:
        return
    own = RubricRow.question_id == row.id
    session.add(RubricRow(question_id=row.id, facets=row.facets, made=now(), account_id=by))
    session.flush()
    newest = select(RubricRow.id).where(own).order_by(RubricRow.id.desc()).limit(MOST_EARLIER)
    session.execute(delete(RubricRow).where(own, RubricRow.id.not_in(newest.scalar_subquery())))
    row.facets = columns


def is_outdated(store: Store, question_id: int) -> bool:
    """Whether some answers were judged by an earlier rubric."""
    with store.reading() as session:
        current = looked_for(facets_of(demand_question(session, question_id).facets))
        query = select(JudgementRow.answer_id).join(AnswerRow, AnswerRow.id == JudgementRow.answer_id)
        outdated = AnswerRow.question_id == question_id, JudgementRow.looked_for.is_distinct_from(current)
        return session.scalars(query.where(*outdated).limit(1)).first() is not None


def demand_question(session: Session, question_id: int) -> QuestionRow:
    """The row of a question, which must exist."""
    return demand(session.get(QuestionRow, question_id), "question")


def lock_question(session: Session, question_id: int) -> QuestionRow:
    """The row of a question, which must exist, and under which nobody else writes until this is done.

    To avoid deadlocks, locks are always taken in this order: course, question, job.
    """
    return demand(session.get(QuestionRow, question_id, with_for_update={"key_share": True}), "question")


def _refuse_labelled(session: Session, question_id: int) -> None:
    """Refuse to change what a round is about: those who began to label have read the old question."""
    query = select(RoundRow.id).where(RoundRow.question_id == question_id, RoundRow.closed.is_(None))
    round_id = session.scalars(query.order_by(RoundRow.id)).first()
    if round_id is not None:
        what = f"labelling round {round_id} is under way with this text and these references."
        raise PostilError(what, hint="Close or delete that round before you change the question.")


def _demand_seen(seen: str | None, current: str, thing: str) -> None:
    """Refuse to change what somebody else has changed since it was seen; None sees whatever there is."""
    if seen is not None and seen != current:
        what = f"this {thing} has been changed since you opened it, so nothing was saved."
        raise ChangedError(what, "Compare the two, then save yours or keep the other.")


def _counted_questions() -> Select[Any]:
    own = AnswerRow.question_id == QuestionRow.id
    answers = select(func.count()).select_from(AnswerRow).where(own)
    judged = answers.join(JudgementRow, JudgementRow.answer_id == AnswerRow.id)
    decided = select(func.count()).where(DecisionRow.question_id == QuestionRow.id, DecisionRow.standing)
    undecided = judged.where(~exists().where(DecisionRow.answer_id == AnswerRow.id, DecisionRow.standing))
    counted = (answers, judged, decided, undecided, _heard())
    return select(QuestionRow, *(count.correlate(QuestionRow).scalar_subquery() for count in counted))


def _heard() -> Select[Any]:
    """How many labels the last grading of a question knew, unless its changes still wait to be applied."""
    decided = exists().where(DecisionRow.answer_id == ProposalRow.answer_id, DecisionRow.standing)
    differ: ColumnElement[bool] = exists().where(
        ProposalRow.job_id == JobRow.id,
        JudgementRow.answer_id == ProposalRow.answer_id,
        JudgementRow.label != ProposalRow.label,
        ~decided.correlate(ProposalRow),
    )
    return (
        select(JobRow.result["decided"].as_integer())
        .where(JobRow.question_id == QuestionRow.id, JobRow.kind.in_(("grade", "regrade", "recheck")))
        .where(or_(JobRow.state.in_(("applied", "dropped")), (JobRow.state == "done") & ~differ))
        .order_by(JobRow.id.desc())
        .limit(1)
    )


def _question_record(
    row: QuestionRow, answers: int, judged: int, decided: int, undecided: int = 0, heard: int | None = None
) -> Question:
    values = {"references": tuple(row.reference_texts), "facets": facets_of(row.facets)}
    counts = {
        "answers": answers,
        "judged": judged,
        "decided": decided,
        "provisional": 0 if heard else undecided,
    }
    return record_of(Question, row, **counts, **values)


def _columns(text: str, references: Sequence[str], points: float) -> dict[str, Any]:
    """The columns of a question, or an error that says why it could not be graded."""
    text = storable(text).strip()
    texts = [text for text in (storable(reference).strip() for reference in references) if text]
    if not text:
        raise PostilError("a question needs some text.", hint="Write what was asked.")
    if not texts:
        raise PostilError("a question needs a reference answer.", hint="Give at least one correct answer.")
    if max(map(len, (text, *texts))) > _LONGEST_TEXT:
        what = f"a question and its references can have at most {_LONGEST_TEXT:,} characters each."
        raise PostilError(what, hint="Shorten the longest.")
    if len(texts) > _MOST_REFERENCES:
        what = f"a question can have at most {_MOST_REFERENCES} references."
        raise PostilError(what, hint="Keep the best ones.")
    if not (isfinite(points) and 0 < points <= _MOST_POINTS):
        raise PostilError("the points must be a number above 0.", hint="Most questions are worth 1 to 10.")
    return {"text": text, "reference_texts": texts, "points": float(points)}
