"""The first tables: courses, questions, answers, jobs, judgements, proposals and decisions.

Later steps use the kinds of column that are defined here. They never change: existing databases have them.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

key = partial(sa.Column, type_=sa.Text(), primary_key=True)
text = partial(sa.Column, type_=sa.Text(), nullable=False)
number = partial(sa.Column, type_=sa.Integer(), nullable=False)
double = partial(sa.Column, type_=sa.Double(), nullable=False)
moment = partial(sa.Column, type_=sa.DateTime(timezone=True), nullable=False)
json = partial(sa.Column, type_=sa.JSON(), nullable=False)


def id_column() -> sa.Column[int]:
    """The number of a row."""
    return sa.Column("id", sa.Integer(), primary_key=True)


def parent(table: str, *, primary: bool = False, nullable: bool = False) -> sa.Column[int]:
    """The row of another table that this one goes with."""
    cascade = sa.ForeignKey(f"{table}.id", ondelete="CASCADE")
    return number(f"{table}_id", cascade, primary_key=primary, autoincrement=False, nullable=nullable)


def upgrade() -> None:
    """Make the tables."""
    _courses_and_questions()
    _answers()
    _jobs()
    _judgements()
    _decisions()


def downgrade() -> None:
    """Leave nothing."""
    for table in ("decision", "proposal", "judgement", "job", "answer", "question", "course"):
        op.drop_table(table)


def _courses_and_questions() -> None:
    op.create_table("course", id_column(), text("name"), moment("created"), sqlite_autoincrement=True)
    op.create_table(
        "question",
        id_column(),
        parent("course"),
        text("text"),
        json("reference_texts"),
        double("points"),
        moment("created"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_question_course_id", "question", ["course_id"])


def _answers() -> None:
    op.create_table(
        "answer",
        id_column(),
        parent("question"),
        *map(text, ("key", "student", "text")),
        *map(number, ("place", "group_number")),
        sa.UniqueConstraint("question_id", "key", name="uq_answer_key"),
        sa.UniqueConstraint("question_id", "place", name="uq_answer_place"),
        sqlite_autoincrement=True,
    )


def _jobs() -> None:
    op.create_table(
        "job",
        id_column(),
        parent("question"),
        *map(text, ("kind", "state", "phase")),
        *map(number, ("done", "total")),
        text("error"),
        json("result"),
        text("worker"),
        number("attempts"),
        moment("created"),
        *(moment(name, nullable=True) for name in ("started", "finished", "heartbeat")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_job_question_id", "job", ["question_id"])
    op.create_index("ix_job_state", "job", ["state", "heartbeat"])


def _judged() -> tuple[sa.Column[Any], ...]:
    return (
        text("label"),
        json("probabilities"),
        *map(double, ("score", "confidence")),
        sa.Column("deferred", sa.Boolean(), nullable=False),
        *map(text, ("because", "reference", "teacher", "student")),
        json("alignment", nullable=True),
        moment("made"),
    )


def _judgements() -> None:
    op.create_table("judgement", parent("answer", primary=True), parent("job"), *_judged())
    op.create_index("ix_judgement_job_id", "judgement", ["job_id"])
    op.create_table("proposal", parent("job", primary=True), parent("answer", primary=True), *_judged())
    op.create_index("ix_proposal_answer_id", "proposal", ["answer_id"])


def _decisions() -> None:
    op.create_table(
        "decision",
        id_column(),
        parent("answer"),
        parent("question"),
        text("label"),
        moment("made"),
        text("source"),
        number("batch"),
        sa.Column("standing", sa.Boolean(), nullable=False),
        moment("undone", nullable=True),
        text("machine_label", nullable=True),
        json("machine_probabilities", nullable=True),
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
