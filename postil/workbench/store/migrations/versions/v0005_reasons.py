"""Reasons: what was stored as a sentence ("nothing was written") is stored as what it means ("empty")."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

# As version 0.1 wrote them. They never change here, whatever the reasons are called in words later on.
_SENTENCES = {
    "told": "a person has labelled this answer",
    "empty": "nothing was written",
    "no_words": "there are no words in it",
    "reference": "it is the reference, word for word",
    "no_answer": "it says that there is no answer",
    "question": "it only repeats the question",
    "unknown_words": "hardly a word in it is known",
    "long": "it is much longer than the answers that the grader has learned from",
}
_TABLES = ("judgement", "proposal")


def _table(name: str) -> sa.TableClause:
    return sa.table(
        name, sa.column("reason", sa.Text), sa.column("because", sa.Text), sa.column("teacher", sa.Text)
    )


def upgrade() -> None:
    """Turn sentences into reasons; one that no version wrote goes in front of the teacher's note."""
    for name in _TABLES:
        op.add_column(name, sa.Column("reason", sa.Text(), nullable=True))
        table = _table(name)
        for reason, sentence in _SENTENCES.items():
            op.execute(table.update().where(table.c.because == sentence).values(reason=reason, because=""))
        words = table.c.because + ". " + table.c.teacher
        op.execute(table.update().where(table.c.because != "").values(teacher=words))
        op.drop_column(name, "because")


def downgrade() -> None:
    """Turn reasons into the sentences that earlier versions look for."""
    for name in _TABLES:
        op.add_column(name, sa.Column("because", sa.Text(), nullable=False, server_default=""))
        table = _table(name)
        for reason, sentence in _SENTENCES.items():
            op.execute(table.update().where(table.c.reason == reason).values(because=sentence))
        op.drop_column(name, "reason")
