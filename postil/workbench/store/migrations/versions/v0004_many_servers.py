"""What several servers share: uploads that are being looked at, counters, signs of life of workers."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from postil.workbench.store.migrations.versions.v0001_first import double, key, moment, parent

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Make the tables; all are empty at first."""
    op.create_table(
        "draft",
        key("digest"),
        parent("account", nullable=True),
        parent("course"),
        parent("question", nullable=True),
        moment("made"),
        sa.Column("body", sa.LargeBinary(), nullable=False),
    )
    for column in ("account_id", "course_id", "question_id", "made"):
        op.create_index(f"ix_draft_{column}", "draft", [column])
    slot = sa.Column("slot", sa.Integer(), primary_key=True, autoincrement=False)
    op.create_table("counter", key("name"), key("label"), slot, double("value"))
    op.create_table("worker", key("name"), moment("seen"))


def downgrade() -> None:
    """Forget all of it: nothing that was graded or decided is in these tables."""
    for table in ("worker", "counter", "draft"):
        op.drop_table(table)
