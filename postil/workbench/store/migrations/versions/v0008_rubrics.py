"""Rubrics that were replaced, so that they can be brought back."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from postil.workbench.store.migrations.versions.v0001_first import id_column, json, moment, number, parent

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Make the table, which is empty at first. Rubrics themselves stay: what they lack says nothing."""
    op.create_table(
        "rubric",
        id_column(),
        parent("question"),
        json("facets", nullable=True),
        moment("made"),
        number("account_id", sa.ForeignKey("account.id"), nullable=True),
        sqlite_autoincrement=True,
    )
    for column in ("question_id", "account_id"):
        op.create_index(f"ix_rubric_{column}", "rubric", [column])


def downgrade() -> None:
    """Forget earlier rubrics. Groups and deductions stay in the current ones, where nobody reads them."""
    op.drop_table("rubric")
