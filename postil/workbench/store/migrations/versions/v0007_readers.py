"""Which reader a course has, and for each judgement which reader was asked for and which one decided."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

_TABLES = ("judgement", "proposal")
_COLUMNS = ("reader", "read_by")


def upgrade() -> None:
    """Courses keep the reader that is installed; of earlier judgements nobody knows who read the answer."""
    op.add_column("course", sa.Column("reader", sa.Text(), nullable=True))
    for table in _TABLES:
        for column in _COLUMNS:
            op.add_column(table, sa.Column(column, sa.Text(), nullable=False, server_default=""))


def downgrade() -> None:
    """Earlier versions read every course with the reader that is installed."""
    for table in _TABLES:
        for column in _COLUMNS:
            op.drop_column(table, column)
    op.drop_column("course", "reader")
