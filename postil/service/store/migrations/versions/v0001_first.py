"""The first tables: courses, questions, answers, jobs, judgements, proposals and decisions."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the tables."""
    _courses_and_questions()
    _answers()
    _jobs()
    _judgements()
    _decisions()


def _id() -> sa.Column[int]:
    return sa.Column("id", sa.Integer(), primary_key=True)


def _parent(table: str, *, primary: bool = False) -> sa.Column[int]:
    key = sa.ForeignKey(f"{table}.id", ondelete="CASCADE")
    return sa.Column(
        f"{table}_id", sa.Integer(), key, primary_key=primary, autoincrement=False, nullable=False
    )


def _text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=nullable)


def _number(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer(), nullable=False)


def _moment(name: str, *, nullable: bool = False) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def _json(name: str, *, nullable: bool = False) -> sa.Column[object]:
    return sa.Column(name, sa.JSON(), nullable=nullable)


def _courses_and_questions() -> None:
    op.create_table("course", _id(), _text("name"), _moment("created"), sqlite_autoincrement=True)
    op.create_table(
        "question",
        _id(),
        _parent("course"),
        _text("text"),
        _json("reference_texts"),
        sa.Column("points", sa.Double(), nullable=False),
        _moment("created"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_question_course_id", "question", ["course_id"])


def _answers() -> None:
    op.create_table(
        "answer",
        _id(),
        _parent("question"),
        *map(_text, ("key", "student", "text")),
        *map(_number, ("place", "group_number")),
        sa.UniqueConstraint("question_id", "key", name="uq_answer_key"),
        sa.UniqueConstraint("question_id", "place", name="uq_answer_place"),
        sqlite_autoincrement=True,
    )


def _jobs() -> None:
    op.create_table(
        "job",
        _id(),
        _parent("question"),
        *map(_text, ("kind", "state", "phase")),
        *map(_number, ("done", "total")),
        _text("error"),
        _json("result"),
        _text("worker"),
        _number("attempts"),
        _moment("created"),
        *(_moment(name, nullable=True) for name in ("started", "finished", "heartbeat")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_job_question_id", "job", ["question_id"])
    op.create_index("ix_job_state", "job", ["state", "heartbeat"])


def _judged() -> tuple[sa.Column[Any], ...]:
    return (
        _text("label"),
        _json("probabilities"),
        *(sa.Column(name, sa.Double(), nullable=False) for name in ("score", "confidence")),
        sa.Column("deferred", sa.Boolean(), nullable=False),
        *map(_text, ("because", "reference", "teacher", "student")),
        _json("alignment", nullable=True),
        _moment("made"),
    )


def _judgements() -> None:
    op.create_table("judgement", _parent("answer", primary=True), _parent("job"), *_judged())
    op.create_index("ix_judgement_job_id", "judgement", ["job_id"])
    op.create_table("proposal", _parent("job", primary=True), _parent("answer", primary=True), *_judged())
    op.create_index("ix_proposal_answer_id", "proposal", ["answer_id"])


def _decisions() -> None:
    op.create_table(
        "decision",
        _id(),
        _parent("answer"),
        _parent("question"),
        _text("label"),
        _moment("made"),
        _text("source"),
        _number("batch"),
        sa.Column("standing", sa.Boolean(), nullable=False),
        _moment("undone", nullable=True),
        _text("machine_label", nullable=True),
        _json("machine_probabilities", nullable=True),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_decision_answer_id", "decision", ["answer_id"])
    op.create_index("ix_decision_batch", "decision", ["question_id", "batch"])
    standing = sa.text("standing")
    op.create_index(
        "uq_decision_standing",
        "decision",
        ["answer_id"],
        unique=True,
        sqlite_where=standing,
        postgresql_where=standing,
    )
