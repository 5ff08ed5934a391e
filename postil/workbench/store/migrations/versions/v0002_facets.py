"""Facets: what a full answer says, what became of each, and which of them a person ticked."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_NEW = {"question": "facets", "judgement": "facets", "proposal": "facets", "decision": "ticked"}
_JUDGED = ("judgement", "proposal")


def upgrade() -> None:
    """Add the columns; NULL says that nobody has set, looked for or ticked any."""
    for table, column in _NEW.items():
        op.add_column(table, sa.Column(column, sa.JSON(), nullable=True))
    for table in _JUDGED:
        op.add_column(table, sa.Column("looked_for", sa.Text(), nullable=True))


def downgrade() -> None:
    """Forget facets and ticks."""
    for table in _JUDGED:
        op.drop_column(table, "looked_for")
    for table, column in _NEW.items():
        op.drop_column(table, column)
