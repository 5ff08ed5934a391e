"""Feedback to students: what a course shows them, their links, and their requests for a second look."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from postil.workbench.store.migrations.versions.v0001_first import id_column, moment, number, parent, text

revision = "0009"
down_revision = "0008"
_OPEN = sa.text("answered IS NULL")


def upgrade() -> None:
    """Make the tables, which are empty at first: no course shows anything until its teacher says so."""
    op.create_table(
        "feedback",
        parent("course", primary=True),
        *(sa.Column(name, sa.Boolean(), nullable=False) for name in ("shown", "points", "looks")),
    )
    op.create_table(
        "student_link",
        id_column(),
        parent("answer"),
        text("digest", unique=True),
        moment("created"),
        moment("expires"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_student_link_answer_id", "student_link", ["answer_id"])
    op.create_table(
        "second_look",
        id_column(),
        parent("answer"),
        text("text"),
        moment("asked"),
        moment("answered", nullable=True),
        text("outcome"),
        text("comment"),
        number("account_id", sa.ForeignKey("account.id"), nullable=True),
        sqlite_autoincrement=True,
    )
    for column in ("answer_id", "account_id"):
        op.create_index(f"ix_second_look_{column}", "second_look", [column])
    op.create_index(
        "uq_second_look_open",
        "second_look",
        ["answer_id"],
        unique=True,
        sqlite_where=_OPEN,
        postgresql_where=_OPEN,
    )


def downgrade() -> None:
    """Forget all three: every link stops working, and requests are lost."""
    for table in ("second_look", "student_link", "feedback"):
        op.drop_table(table)
