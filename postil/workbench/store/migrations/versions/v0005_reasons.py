"""Reasons instead of sentences ("empty" for "nothing was written"), and what to check apart from the note."""

from __future__ import annotations

import re

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
    # Later than 0.1, which only shows them.
    "unread": "Postil ran out of time or memory when it tried to read this answer",
    "unexplained": "Postil ran out of time or memory when it tried to explain its judgement",
    "order": "it has the reference's words, but in a different order",
    "taken_back": "it seems to take back what it says, or to leave it open",
    "asked": "it is written as a question",
    "opposite": "it has the reference's words, but one of them is turned into its opposite",
    "plea": "it asks for marks instead of answering",
    "too_few": "it names fewer things than the question asks for",
    "number": "it has another number or unit than the reference",
    "several": "it also names things that the reference does not have",
    "wordy": "it is several times as long as the reference, though the question asks for one thing",
    "long_reference": "the reference is long, and teachers differ about how much of it must be said",
}
_TABLES = ("judgement", "proposal")
# How version 0.1 ended a note where a person should check the label.
_DOUBT = re.compile(r"(?:^|(?<=\.) )(Please check: .*)", re.DOTALL)
_ADDED = ("reason", "because", "teacher", "doubt")


def _table(name: str) -> sa.TableClause:
    keys = (sa.column(key, sa.Integer) for key in ("answer_id", "job_id"))
    return sa.table(name, *keys, *(sa.column(column, sa.Text) for column in _ADDED))


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=False, server_default="")


def upgrade() -> None:
    """Turn sentences into reasons; one that no version wrote goes in front of the teacher's note."""
    for name in _TABLES:
        op.add_column(name, sa.Column("reason", sa.Text(), nullable=True))
        op.add_column(name, _text("doubt"))
        table = _table(name)
        for reason, sentence in _SENTENCES.items():
            op.execute(table.update().where(table.c.because == sentence).values(reason=reason, because=""))
        words = table.c.because + ". " + table.c.teacher
        op.execute(table.update().where(table.c.because != "").values(teacher=words))
        _set_doubts_apart(table)
        op.drop_column(name, "because")


def _set_doubts_apart(table: sa.TableClause) -> None:
    connection = op.get_bind()
    key = table.c.answer_id, table.c.job_id
    notes = connection.execute(
        sa.select(*key, table.c.teacher).where(table.c.teacher.contains("Please check: "))
    )
    for answer, job, note in notes.all():
        if doubt := _DOUBT.search(note):
            row = table.update().where(key[0] == answer, key[1] == job)
            connection.execute(row.values(teacher=note[: doubt.start()], doubt=doubt[1]))


def downgrade() -> None:
    """Turn reasons into the sentences that earlier versions look for, and put notes together again."""
    for name in _TABLES:
        op.add_column(name, _text("because"))
        table = _table(name)
        for reason, sentence in _SENTENCES.items():
            op.execute(table.update().where(table.c.reason == reason).values(because=sentence))
        note = sa.func.trim(table.c.teacher + " " + table.c.doubt)
        op.execute(table.update().where(table.c.doubt != "").values(teacher=note))
        op.drop_column(name, "doubt")
        op.drop_column(name, "reason")
