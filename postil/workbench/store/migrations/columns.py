"""The kinds of column that migrations make. They never change: databases that exist are made of them."""

from __future__ import annotations

import sqlalchemy as sa


def id_column() -> sa.Column[int]:
    """The number of a row."""
    return sa.Column("id", sa.Integer(), primary_key=True)


def digest() -> sa.Column[str]:
    """The hash of a secret, by which a row is found."""
    return sa.Column("digest", sa.Text(), primary_key=True)


def parent(table: str, *, primary: bool = False, nullable: bool = False) -> sa.Column[int]:
    """The row of another table that this one goes with."""
    key = sa.ForeignKey(f"{table}.id", ondelete="CASCADE")
    return sa.Column(
        f"{table}_id", sa.Integer(), key, primary_key=primary, autoincrement=False, nullable=nullable
    )


def text(name: str, *, nullable: bool = False, unique: bool | None = None) -> sa.Column[str]:
    """Text of any length."""
    return sa.Column(name, sa.Text(), nullable=nullable, unique=unique)


def number(name: str, *, nullable: bool = False) -> sa.Column[int]:
    """A whole number."""
    return sa.Column(name, sa.Integer(), nullable=nullable)


def double(name: str, *, nullable: bool = False) -> sa.Column[float]:
    """Any number."""
    return sa.Column(name, sa.Double(), nullable=nullable)


def moment(name: str, *, nullable: bool = False) -> sa.Column[object]:
    """A moment, in UTC."""
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def json(name: str, *, nullable: bool = False) -> sa.Column[object]:
    """A list or an object."""
    return sa.Column(name, sa.JSON(), nullable=nullable)


def data(name: str) -> sa.Column[bytes]:
    """Bytes that only the program understands."""
    return sa.Column(name, sa.LargeBinary(), nullable=False)


def key(name: str) -> sa.Column[str]:
    """A text by which, with others perhaps, a row is found."""
    return sa.Column(name, sa.Text(), primary_key=True)
