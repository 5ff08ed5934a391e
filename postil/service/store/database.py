"""Open the store's database: one SQLite file, brought up to date, safe to write while others read."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import DatabaseError, OperationalError
from sqlalchemy.orm import Session

from postil.errors import InputError, PostilError

_WRITES = "postil_writes"
# WAL lets pages read while a job writes; secure_delete overwrites what is deleted: it was pupils' text.
_PRAGMAS = {
    "busy_timeout": "5000",
    "journal_mode": "WAL",
    "synchronous": "NORMAL",
    "foreign_keys": "ON",
    "secure_delete": "ON",
}


@dataclass(frozen=True)
class Store:
    """An open database; every function of the store takes one first."""

    engine: Engine

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """One transaction that only reads: it sees one moment, and nobody waits for it."""
        with _within_numbers(), Session(self.engine) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """One transaction that writes: all of it is stored, or none; writers wait for each other."""
        try:
            with _within_numbers(), Session(self._writer) as session, session.begin():
                yield session
        except OperationalError as error:
            raise PostilError(
                "the workbench's file cannot be written now.",
                hint="Is the disk full, or is another program holding the file? Then try again.",
            ) from error

    @cached_property
    def _writer(self) -> Engine:
        return self.engine.execution_options(**{_WRITES: True})

    def close(self) -> None:
        """Close all connections; the last one folds the log back into the file."""
        self.engine.dispose()


def open_store(database: Path) -> Store:
    """Open the workbench's file, made if it is not there, and bring its tables up to date."""
    _prepare(database)
    # An error that repeats what was being stored would put pupils' text into a log.
    engine = create_engine(URL.create("sqlite+pysqlite", database=str(database)), hide_parameters=True)
    event.listen(engine, "connect", _set_up)
    event.listen(engine, "begin", _begin)
    store = Store(engine)
    try:
        _upgrade(store)
    except DatabaseError as error:
        store.close()
        raise InputError(
            database, "is not a file of the workbench, or is damaged.", hint="Name another with --database."
        ) from error
    except CommandError as error:
        store.close()
        raise InputError(
            database, "was made by a newer version of Postil.", hint="Install that version to open it."
        ) from error
    return store


@contextmanager
def _within_numbers() -> Iterator[None]:
    """Say of a number that is larger than any the database can hold what is true: nothing has it."""
    try:
        yield
    except OverflowError as error:
        raise PostilError("this is not there.", hint="The address may have been changed by hand.") from error


def forget_deleted(store: Store) -> None:
    """Empty the write-ahead log, in which deleted text would stay for a while."""
    with store.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")


def _prepare(database: Path) -> None:
    """Make the file where there is none; only its owner may read a class's answers."""
    try:
        if not database.exists():
            database.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            database.touch(mode=0o600)
        elif not database.is_file():
            raise InputError(database, "is not a file.", hint="Name another with --database.")
    except OSError as error:
        raise InputError(database, f"cannot be made: {error.strerror or error}.") from error


def _set_up(connection: sqlite3.Connection, _: object) -> None:
    connection.isolation_level = None  # transactions begin where `_begin` says, and nowhere else
    for name, value in _PRAGMAS.items():
        connection.execute(f"PRAGMA {name}={value}")
    # SQLite's own knows only the letters of English.
    connection.create_function("lower", 1, _lower, deterministic=True)


def _lower(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value


def _begin(connection: Connection) -> None:
    # A transaction that begins by reading and then writes can fail at once instead of waiting its turn.
    writes = connection.get_execution_options().get(_WRITES)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _upgrade(store: Store) -> None:
    config = Config()
    config.set_main_option("script_location", "postil.service.store:migrations")
    config.set_main_option("path_separator", "os")
    with store._writer.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
