"""The tables of the store. Nothing outside the store sees these classes."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    DateTime,
    Dialect,
    Double,
    ForeignKey,
    Index,
    Text,
    TypeDecorator,
    UniqueConstraint,
    func,
    select,
    text,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

from postil.data.judgements import Reason


def now() -> datetime:
    """This moment, in UTC."""
    return datetime.now(UTC)


class UtcTime(TypeDecorator[datetime]):
    """A moment in UTC; SQLite forgets time zones, and PostgreSQL gives those of its own."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Store every moment in UTC."""
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Read what is stored as UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def shared_now(session: Session) -> datetime:
    """This moment by the clock of the database server; by this computer's where the database is a file.

    Leases, waits and drafts run by it: machines that share a database need not agree about the time.
    """
    if session.get_bind().dialect.name != "postgresql":
        return now()
    return session.scalars(select(func.clock_timestamp(type_=UtcTime()))).one()


class StoredReason(TypeDecorator[Reason]):
    """A reason by its name."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Reason | None, dialect: Dialect) -> str | None:
        """Store the name."""
        return None if value is None else value.value

    def process_result_value(self, value: str | None, dialect: Dialect) -> Reason | None:
        """Read the name as a reason."""
        return None if value is None else Reason(value)


class Base(DeclarativeBase):
    """What all tables share: text of any length, moments in UTC, JSON."""

    # JSON's none_as_null: a missing alignment is NULL, not the text "null".
    type_annotation_map = {  # noqa: RUF012 - SQLAlchemy reads it from the class
        str: Text(),
        float: Double(),
        datetime: UtcTime(),
        Reason: StoredReason(),
        dict[str, Any]: JSON(none_as_null=True),
        list[str]: JSON(none_as_null=True),
        list[dict[str, Any]]: JSON(none_as_null=True),
    }


# A number once given is never given again: an old page must not speak of another answer.
_NEVER_AGAIN = {"sqlite_autoincrement": True}


class Numbered:
    """What tables share whose rows have numbers."""

    __table_args__: Any = _NEVER_AGAIN
    id: Mapped[int] = mapped_column(primary_key=True, sort_order=-1)


def _parent(table: str, *, primary: bool = False, index: bool = False) -> Mapped[int]:
    """A column that names a row of another table, and goes with it when it is deleted."""
    key = ForeignKey(f"{table}.id", ondelete="CASCADE")
    return mapped_column(key, primary_key=primary, index=index, autoincrement=False)


def _account(**options: Any) -> Mapped[Any]:
    """A column that names an account; it may be empty, for the one person of `--local` has none."""
    return mapped_column(ForeignKey("account.id"), index=True, **options)


class CourseRow(Numbered, Base):
    """A course, its owner, how readily its answers are called correct, and who reads them.

    `reader` is NULL where the course has the reader that is installed.
    """

    __tablename__ = "course"
    name: Mapped[str]
    created: Mapped[datetime]
    owner_id: Mapped[int | None] = _account()
    strictness: Mapped[str] = mapped_column(default="normal")
    reader: Mapped[str | None]


class QuestionRow(Numbered, Base):
    """A question of a course, with its references; `facets` is NULL until a teacher sets them."""

    __tablename__ = "question"
    course_id: Mapped[int] = _parent("course", index=True)
    text: Mapped[str]
    reference_texts: Mapped[list[str]]
    points: Mapped[float]
    created: Mapped[datetime]
    facets: Mapped[list[dict[str, Any]] | None]


class RubricRow(Numbered, Base):
    """A rubric that a question had before it was changed; `facets` is NULL where it had none."""

    __tablename__ = "rubric"
    question_id: Mapped[int] = _parent("question", index=True)
    facets: Mapped[list[dict[str, Any]] | None]
    made: Mapped[datetime]
    account_id: Mapped[int | None] = _account()


class AnswerRow(Numbered, Base):
    """An answer to a question."""

    __tablename__ = "answer"
    __table_args__ = (
        UniqueConstraint("question_id", "key", name="uq_answer_key"),
        UniqueConstraint("question_id", "place", name="uq_answer_place"),
        _NEVER_AGAIN,
    )
    question_id: Mapped[int] = _parent("question")
    key: Mapped[str]
    student: Mapped[str]
    text: Mapped[str]
    place: Mapped[int]
    group_number: Mapped[int]


class JobRow(Numbered, Base):
    """Work on a question in the background; `heartbeat` shows that somebody is still at it."""

    __tablename__ = "job"
    __table_args__ = (Index("ix_job_state", "state", "heartbeat"), _NEVER_AGAIN)
    question_id: Mapped[int] = _parent("question", index=True)
    kind: Mapped[str]
    state: Mapped[str]
    phase: Mapped[str]
    done: Mapped[int]
    total: Mapped[int]
    error: Mapped[str]
    result: Mapped[dict[str, Any]]
    worker: Mapped[str]
    attempts: Mapped[int]
    created: Mapped[datetime]
    started: Mapped[datetime | None]
    finished: Mapped[datetime | None]
    heartbeat: Mapped[datetime | None]


class JudgementColumns:
    """What is kept of a judgement, current or proposed."""

    label: Mapped[str]
    probabilities: Mapped[dict[str, Any]]
    score: Mapped[float]
    confidence: Mapped[float]
    deferred: Mapped[bool]
    reason: Mapped[Reason | None]
    reference: Mapped[str]
    teacher: Mapped[str]
    doubt: Mapped[str]
    student: Mapped[str]
    alignment: Mapped[dict[str, Any] | None]
    made: Mapped[datetime]
    facets: Mapped[list[dict[str, Any]] | None]
    looked_for: Mapped[str | None]
    reader: Mapped[str] = mapped_column(default="")
    read_by: Mapped[str] = mapped_column(default="")


class JudgementRow(JudgementColumns, Base):
    """The machine's judgement of an answer: never more than one, and the job that made it."""

    __tablename__ = "judgement"
    answer_id: Mapped[int] = _parent("answer", primary=True)
    job_id: Mapped[int] = _parent("job", index=True)


class ProposalRow(JudgementColumns, Base):
    """A judgement that a regrade would put in the place of the current one."""

    __tablename__ = "proposal"
    job_id: Mapped[int] = _parent("job", primary=True)
    answer_id: Mapped[int] = _parent("answer", primary=True, index=True)


class DecisionRow(Numbered, Base):
    """A person's label for an answer. All are kept; the one that counts is `standing`."""

    __tablename__ = "decision"
    __table_args__ = (
        Index(
            "uq_decision_standing",
            "answer_id",
            unique=True,
            sqlite_where=text("standing"),
            postgresql_where=text("standing"),
        ),
        Index("ix_decision_batch", "question_id", "batch"),
        _NEVER_AGAIN,
    )
    answer_id: Mapped[int] = _parent("answer", index=True)
    question_id: Mapped[int] = _parent("question")
    label: Mapped[str]
    made: Mapped[datetime]
    source: Mapped[str]
    batch: Mapped[int]
    standing: Mapped[bool]
    undone: Mapped[datetime | None]
    machine_label: Mapped[str | None]
    machine_probabilities: Mapped[dict[str, Any] | None]
    ticked: Mapped[dict[str, Any] | None]
    account_id: Mapped[int | None] = _account()


class AccountRow(Numbered, Base):
    """Somebody who may log in; `password` is a hash, NULL until it is chosen. Accounts are never deleted."""

    __tablename__ = "account"
    login: Mapped[str] = mapped_column(unique=True)
    name: Mapped[str]
    role: Mapped[str]
    password: Mapped[str | None]
    created: Mapped[datetime]
    closed: Mapped[datetime | None]


class MemberRow(Base):
    """Somebody with whom a course is shared, to `help` or to `teach`."""

    __tablename__ = "member"
    course_id: Mapped[int] = _parent("course", primary=True)
    account_id: Mapped[int] = _parent("account", primary=True, index=True)
    level: Mapped[str]
    since: Mapped[datetime]


class LinkRow(Base):
    """A link that works once; only the hash of its token is kept."""

    __tablename__ = "link"
    digest: Mapped[str] = mapped_column(primary_key=True)
    purpose: Mapped[str]
    account_id: Mapped[int | None] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"), index=True)
    created: Mapped[datetime]
    expires: Mapped[datetime]


class SessionRow(Base):
    """One browser that was let in: its forms' token, and messages for the next page it sees."""

    __tablename__ = "session"
    digest: Mapped[str] = mapped_column(primary_key=True)
    account_id: Mapped[int | None] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"), index=True)
    csrf: Mapped[str]
    messages: Mapped[list[dict[str, Any]]]
    agent: Mapped[str]
    created: Mapped[datetime]
    seen: Mapped[datetime]


class AttemptRow(Numbered, Base):
    """A login that failed, by the hash of the name or of the address it came from."""

    __tablename__ = "attempt"
    __table_args__ = (Index("ix_attempt_digest", "digest", "at"), _NEVER_AGAIN)
    digest: Mapped[str]
    at: Mapped[datetime]


class TokenRow(Numbered, Base):
    """A token with which a program speaks for a person; only its hash is kept."""

    __tablename__ = "token"
    account_id: Mapped[int | None] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"), index=True)
    name: Mapped[str]
    digest: Mapped[str] = mapped_column(unique=True)
    scopes: Mapped[list[str]]
    created: Mapped[datetime]
    used: Mapped[datetime | None]
    expires: Mapped[datetime | None]


class ReplyRow(Base):
    """The response to a write that had an idempotency key; `status` is NULL while the write is under way."""

    __tablename__ = "reply"
    digest: Mapped[str] = mapped_column(primary_key=True)
    request: Mapped[str]
    status: Mapped[int | None]
    body: Mapped[str]
    created: Mapped[datetime] = mapped_column(index=True)


class EventRow(Numbered, Base):
    """Something that somebody did, for the log; it outlives what it is about, and has no pupil's words."""

    __tablename__ = "event"
    at: Mapped[datetime] = mapped_column(index=True)
    account_id: Mapped[int | None] = _account()
    who: Mapped[str]
    what: Mapped[str]
    course_id: Mapped[int | None]
    about: Mapped[str]
    address: Mapped[str]


class DraftRow(Base):
    """An upload that somebody is looking at, packed; only the hash of its token is kept."""

    __tablename__ = "draft"
    digest: Mapped[str] = mapped_column(primary_key=True)
    account_id: Mapped[int | None] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"), index=True)
    course_id: Mapped[int] = _parent("course", index=True)
    question_id: Mapped[int | None] = mapped_column(ForeignKey("question.id", ondelete="CASCADE"), index=True)
    made: Mapped[datetime] = mapped_column(index=True)
    body: Mapped[bytes]


class CounterRow(Base):
    """What was counted, for operators: the sum over the slots.

    Each count goes to any one slot: with a single row, all writers would wait for each other.
    """

    __tablename__ = "counter"
    name: Mapped[str] = mapped_column(primary_key=True)
    label: Mapped[str] = mapped_column(primary_key=True)
    slot: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    value: Mapped[float]


class WorkerRow(Base):
    """A worker, by a name that nobody else has, and when it showed a sign of life."""

    __tablename__ = "worker"
    name: Mapped[str] = mapped_column(primary_key=True)
    seen: Mapped[datetime]


class RoundRow(Numbered, Base):
    """Answers of a question that two people label blind; a third settles where they differ."""

    __tablename__ = "round"
    question_id: Mapped[int] = _parent("question", index=True)
    first_id: Mapped[int] = _account()
    second_id: Mapped[int] = _account()
    referee_id: Mapped[int] = _account()
    seed: Mapped[int]
    state: Mapped[str]
    created: Mapped[datetime]
    closed: Mapped[datetime | None]


class RoundAnswerRow(Base):
    """An answer that is to be labelled in a round."""

    __tablename__ = "round_answer"
    round_id: Mapped[int] = _parent("round", primary=True)
    answer_id: Mapped[int] = _parent("answer", primary=True, index=True)


class TaggingRow(Base):
    """What one person of a round said of an answer: a label, or X for what is not fit to be labelled."""

    __tablename__ = "tagging"
    round_id: Mapped[int] = _parent("round", primary=True)
    answer_id: Mapped[int] = _parent("answer", primary=True, index=True)
    account_id: Mapped[int] = _account(primary_key=True, autoincrement=False)
    label: Mapped[str]
    seconds: Mapped[float | None]
    note: Mapped[str]
    made: Mapped[datetime]


class FeedbackRow(Base):
    """What a course shows to its students; nothing while there is no row, or it is not `shown`."""

    __tablename__ = "feedback"
    course_id: Mapped[int] = _parent("course", primary=True)
    shown: Mapped[bool]
    points: Mapped[bool]
    looks: Mapped[bool]


class StudentLinkRow(Numbered, Base):
    """A student's link to their own feedback, by the hash of its secret.

    As everywhere, a student is named by one of their answers, and the link goes with it.
    """

    __tablename__ = "student_link"
    answer_id: Mapped[int] = _parent("answer", index=True)
    digest: Mapped[str] = mapped_column(unique=True)
    created: Mapped[datetime]
    expires: Mapped[datetime]


class SecondLookRow(Numbered, Base):
    """A student's request for a second look at an answer, and what came of it; one may be open at a time."""

    __tablename__ = "second_look"
    __table_args__ = (
        Index(
            "uq_second_look_open",
            "answer_id",
            unique=True,
            sqlite_where=text("answered IS NULL"),
            postgresql_where=text("answered IS NULL"),
        ),
        _NEVER_AGAIN,
    )
    answer_id: Mapped[int] = _parent("answer", index=True)
    text: Mapped[str]
    asked: Mapped[datetime]
    answered: Mapped[datetime | None]
    outcome: Mapped[str]
    comment: Mapped[str]
    account_id: Mapped[int | None] = _account()
