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
    text,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


def now() -> datetime:
    """This moment, in UTC."""
    return datetime.now(UTC)


class UtcTime(TypeDecorator[datetime]):
    """A moment in UTC; SQLite forgets time zones, and this puts theirs back."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Store every moment in UTC."""
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Read what is stored as UTC."""
        return value.replace(tzinfo=UTC) if value is not None and value.tzinfo is None else value


class Base(DeclarativeBase):
    """What all tables share: text of any length, moments in UTC, JSON."""

    # JSON's none_as_null: a missing alignment is NULL, not the text "null".
    type_annotation_map = {  # noqa: RUF012 - SQLAlchemy reads it from the class
        str: Text(),
        float: Double(),
        datetime: UtcTime(),
        dict[str, Any]: JSON(none_as_null=True),
        list[str]: JSON(none_as_null=True),
        list[dict[str, Any]]: JSON(none_as_null=True),
    }


# A number once given is never given again: an old page must not speak of another answer.
_NEVER_AGAIN = {"sqlite_autoincrement": True}


def _parent(table: str, *, primary: bool = False, index: bool = False) -> Mapped[int]:
    """A column that names a row of another table, and goes with it when it is deleted."""
    key = ForeignKey(f"{table}.id", ondelete="CASCADE")
    return mapped_column(key, primary_key=primary, index=index, autoincrement=False)


class CourseRow(Base):
    """A course."""

    __tablename__ = "course"
    __table_args__ = (_NEVER_AGAIN,)
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    created: Mapped[datetime]


class QuestionRow(Base):
    """A question of a course, with its references; `facets` is NULL until a teacher sets them."""

    __tablename__ = "question"
    __table_args__ = (_NEVER_AGAIN,)
    id: Mapped[int] = mapped_column(primary_key=True)
    course_id: Mapped[int] = _parent("course", index=True)
    text: Mapped[str]
    reference_texts: Mapped[list[str]]
    points: Mapped[float]
    created: Mapped[datetime]
    facets: Mapped[list[dict[str, Any]] | None]


class AnswerRow(Base):
    """An answer to a question."""

    __tablename__ = "answer"
    __table_args__ = (
        UniqueConstraint("question_id", "key", name="uq_answer_key"),
        UniqueConstraint("question_id", "place", name="uq_answer_place"),
        _NEVER_AGAIN,
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    question_id: Mapped[int] = _parent("question")
    key: Mapped[str]
    student: Mapped[str]
    text: Mapped[str]
    place: Mapped[int]
    group_number: Mapped[int]


class JobRow(Base):
    """Work on a question in the background; `heartbeat` shows that somebody is still at it."""

    __tablename__ = "job"
    __table_args__ = (Index("ix_job_state", "state", "heartbeat"), _NEVER_AGAIN)
    id: Mapped[int] = mapped_column(primary_key=True)
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
    because: Mapped[str]
    reference: Mapped[str]
    teacher: Mapped[str]
    student: Mapped[str]
    alignment: Mapped[dict[str, Any] | None]
    made: Mapped[datetime]
    facets: Mapped[list[dict[str, Any]] | None]
    looked_for: Mapped[str | None]


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


class DecisionRow(Base):
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
    id: Mapped[int] = mapped_column(primary_key=True)
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
