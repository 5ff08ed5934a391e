"""The store in one SQLite file, safe to write while others read."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import OperationalError

from postil.errors import InputError, PostilError
from postil.workbench.store.kinds import POOL, StoreAwayError, not_there

_WRITES = "postil_writes"
READS: dict[str, object] = {}
WRITES: dict[str, object] = {_WRITES: True}
# WAL lets pages read while a job writes; secure_delete overwrites what is deleted: it was pupils' text.
_PRAGMAS = {
    "busy_timeout": "5000",
    "journal_mode": "WAL",
    "synchronous": "NORMAL",
    "foreign_keys": "ON",
    "secure_delete": "ON",
}
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_UNUSABLE = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN)


def make_engine(database: Path | str) -> Engine:
    """Prepare connections to a file, which is made where there is none."""
    _prepare(Path(database))
    # An error that repeats what was being stored would put pupils' text into a log.
    url = URL.create("sqlite+pysqlite", database=str(database))
    engine = create_engine(url, hide_parameters=True, pool_size=POOL, max_overflow=POOL)
    event.listen(engine, "connect", _set_up)
    event.listen(engine, "begin", _begin)
    return engine


def before_upgrade(connection: Connection) -> None:
    """Nothing: only one writes at a time."""


def why_closed(database: Path | str, engine: Engine, error: Exception) -> PostilError:
    """Say that a file is another program's, or broken."""
    return InputError(
        database, "is not a file of the workbench, or is damaged.", hint="Name another with --database."
    )


def in_words(error: Exception) -> PostilError | None:
    """Say in words that the file cannot be used, or that it cannot hold what it was asked for."""
    if isinstance(error, OverflowError | UnicodeEncodeError):
        return not_there()
    if not isinstance(error, OperationalError):
        return None
    code = getattr(error.orig, "sqlite_errorcode", 0) & 0xFF  # the rest says more precisely where
    if code not in (*_BUSY, *_UNUSABLE):
        return None
    kind = StoreAwayError if code in _BUSY else PostilError
    return kind(
        "the workbench's file cannot be used now.",
        hint="Is the disk full, or is another program holding the file? Then try again.",
    )


def forget_deleted(engine: Engine) -> None:
    """Empty the write-ahead log, in which deleted text would stay for a while."""
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
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
