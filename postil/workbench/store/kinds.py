"""What the store asks of a kind of database; `sqlite` and `postgres` are the two that there are."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from sqlalchemy import Connection, Engine

from postil.errors import PostilError

POOL = 10  # connections that are kept, and as many more while there is much to do


class StoreAwayError(PostilError):
    """The database cannot be asked now but may be soon: it is away, or busy with others."""


class Kind(Protocol):
    """A kind of database: a module with these functions."""

    @property
    def READS(self) -> Mapping[str, object]:  # noqa: N802 - a constant of the module
        """Options of a transaction that only reads."""
        ...

    @property
    def WRITES(self) -> Mapping[str, object]:  # noqa: N802 - a constant of the module
        """Options of a transaction that writes."""
        ...

    def make_engine(self, database: Path | str) -> Engine:
        """Prepare connections to the database, which need not be reached yet."""
        ...

    def before_upgrade(self, connection: Connection) -> None:
        """Let one program at a time change the tables."""
        ...

    def why_closed(self, database: Path | str, engine: Engine, error: Exception) -> PostilError:
        """Say in words why the database could not be opened."""
        ...

    def in_words(self, error: Exception) -> PostilError | None:
        """Say in words what went wrong in a transaction; None if it is a mistake of ours."""
        ...

    def forget_deleted(self, engine: Engine) -> None:
        """Leave nothing of what was deleted, as far as this can be done at once."""
        ...


def not_there() -> PostilError:
    """Say of a number or a text that the database cannot hold what is true: nothing has it."""
    return PostilError("this is not there.", hint="The address may have been changed by hand.")
