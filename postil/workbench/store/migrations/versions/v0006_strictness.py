"""How strictly a course is graded: `lenient`, `normal` or `strict`."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Courses of earlier versions were graded as `normal` grades."""
    op.add_column("course", sa.Column("strictness", sa.Text(), nullable=False, server_default="normal"))


def downgrade() -> None:
    """Earlier versions grade every course as `normal` does."""
    op.drop_column("course", "strictness")
