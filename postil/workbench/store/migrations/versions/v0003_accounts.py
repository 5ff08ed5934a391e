"""Accounts, shared courses, sessions, tokens, the log, and rounds of double labelling."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from postil.workbench.store.migrations.versions.v0001_first import (
    double,
    id_column,
    json,
    key,
    moment,
    number,
    parent,
    text,
)

revision = "0003"
down_revision = "0002"

# In the order in which they can be made; they go in the other.
_TABLES = (
    "account",
    "member",
    "link",
    "session",
    "attempt",
    "token",
    "reply",
    "event",
    "round",
    "round_answer",
    "tagging",
)
_OWNED = (("course", "owner_id"), ("decision", "account_id"))


def upgrade() -> None:
    """Make the tables; existing courses and decisions belong to nobody yet."""
    _accounts()
    _entrance()
    _programs()
    _events()
    _rounds()
    for table, column in _OWNED:
        op.add_column(table, _account(column), inline_references=True)
        op.create_index(f"ix_{table}_{column}", table, [column])


def downgrade() -> None:
    """Forget whose anything was, and everything that only people with accounts have made."""
    for table, column in _OWNED:
        op.drop_index(f"ix_{table}_{column}", table)
        op.drop_column(table, column)
    for table in reversed(_TABLES):
        op.drop_table(table)


def _accounts() -> None:
    op.create_table(
        "account",
        id_column(),
        text("login", unique=True),
        text("name"),
        text("role"),
        text("password", nullable=True),
        moment("created"),
        moment("closed", nullable=True),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "member",
        parent("course", primary=True),
        parent("account", primary=True),
        text("level"),
        moment("since"),
    )
    op.create_index("ix_member_account_id", "member", ["account_id"])


def _entrance() -> None:
    op.create_table(
        "link",
        key("digest"),
        text("purpose"),
        parent("account", nullable=True),
        moment("created"),
        moment("expires"),
    )
    op.create_table(
        "session",
        key("digest"),
        parent("account", nullable=True),
        text("csrf"),
        json("messages"),
        text("agent"),
        moment("created"),
        moment("seen"),
    )
    for table in ("link", "session"):
        op.create_index(f"ix_{table}_account_id", table, ["account_id"])
    op.create_table("attempt", id_column(), text("digest"), moment("at"), sqlite_autoincrement=True)
    op.create_index("ix_attempt_digest", "attempt", ["digest", "at"])


def _programs() -> None:
    op.create_table(
        "token",
        id_column(),
        parent("account", nullable=True),
        text("name"),
        text("digest", unique=True),
        json("scopes"),
        moment("created"),
        moment("used", nullable=True),
        moment("expires", nullable=True),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_token_account_id", "token", ["account_id"])
    op.create_table(
        "reply",
        key("digest"),
        text("request"),
        number("status", nullable=True),
        text("body"),
        moment("created"),
    )
    op.create_index("ix_reply_created", "reply", ["created"])


def _events() -> None:
    op.create_table(
        "event",
        id_column(),
        moment("at"),
        _account("account_id"),
        text("who"),
        text("what"),
        number("course_id", nullable=True),
        text("about"),
        text("address"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_event_at", "event", ["at"])
    op.create_index("ix_event_account_id", "event", ["account_id"])


def _rounds() -> None:
    people = ("first_id", "second_id", "referee_id")
    op.create_table(
        "round",
        id_column(),
        parent("question"),
        *(sa.Column(name, sa.Integer(), sa.ForeignKey("account.id"), nullable=False) for name in people),
        number("seed"),
        text("state"),
        moment("created"),
        moment("closed", nullable=True),
        sqlite_autoincrement=True,
    )
    for name in ("question_id", *people):
        op.create_index(f"ix_round_{name}", "round", [name])
    op.create_table("round_answer", parent("round", primary=True), parent("answer", primary=True))
    op.create_index("ix_round_answer_answer_id", "round_answer", ["answer_id"])
    op.create_table(
        "tagging",
        parent("round", primary=True),
        parent("answer", primary=True),
        sa.Column(
            "account_id", sa.Integer(), sa.ForeignKey("account.id"), primary_key=True, autoincrement=False
        ),
        text("label"),
        double("seconds", nullable=True),
        text("note"),
        moment("made"),
    )
    for name in ("answer_id", "account_id"):
        op.create_index(f"ix_tagging_{name}", "tagging", [name])


def _account(column: str) -> sa.Column[int]:
    """Who did or has something; nobody, in the mode of one person."""
    return sa.Column(column, sa.Integer(), sa.ForeignKey("account.id"), nullable=True)
