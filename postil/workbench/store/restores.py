"""Make a new database of a backup: all of it, or nothing.

The tables are made as they were when the backup was made, filled, and then brought up to date.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from sqlalchemy import JSON, Connection, Table, func, insert, inspect, select, text
from sqlalchemy.exc import DataError, IntegrityError

from postil.errors import InputError, PostilError
from postil.workbench.store.backups import Progress, gives_numbers, reflected, sequence_of
from postil.workbench.store.database import connect
from postil.workbench.store.dumpfiles import Manifest, opened, read_rows
from postil.workbench.store.revisions import (
    VERSION_TABLE,
    as_it_is,
    columns_at,
    demand_known,
    newest,
    upgrade,
)
from postil.workbench.store.tables import UtcTime

_AT_ONCE = 500
_COMPANIONS = ("-wal", "-shm")
_ALSO = f"with those that end in {' and '.join(_COMPANIONS)}"


def restore(source: Path, database: Path | str, progress: Progress | None = None) -> Manifest:
    """Make a database, where there is none yet, of a backup; returns what the backup says of itself."""
    if isinstance(database, Path):
        return _restore_file(source, database, progress)
    with as_it_is(database) as store, store.writing() as session:
        connection = session.connection()
        store.kind.before_upgrade(connection)
        _refuse_full(connection)
        return _fill(source, connection, progress)


def _restore_file(source: Path, target: Path, progress: Progress | None) -> Manifest:
    """Fill a file under another name, which becomes the database when it is complete."""
    _refuse_existing(target)
    beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        with closing(connect(beside)) as store, store.writing() as session:
            manifest = _fill(source, session.connection(), progress)
        _refuse_existing(target)  # somebody may have started a workbench there meanwhile
        beside.replace(target)
    finally:
        for one in (beside, *_companions(beside)):
            one.unlink(missing_ok=True)
    return manifest


def _refuse_existing(target: Path) -> None:
    if target.exists() and not (target.is_file() and target.stat().st_size == 0):
        raise InputError(
            target,
            "is there already, and a backup is restored into a new file only.",
            hint=f"Move it away, {_ALSO}, or name another with --database.",
        )
    # SQLite would add what a workbench that was killed left in these to the file that takes its place.
    for left in _companions(target):
        if left.exists():
            raise InputError(
                left,
                "belongs to a database that was here before, and would be read into the new one.",
                hint=f"Move {target.name} away, {_ALSO}, or name another with --database.",
            )


def _companions(target: Path) -> tuple[Path, ...]:
    """Where SQLite keeps what it has not yet written into a file."""
    return tuple(target.with_name(target.name + end) for end in _COMPANIONS)


def _refuse_full(connection: Connection) -> None:
    ours = {VERSION_TABLE, *columns_at(newest())} & set(inspect(connection).get_table_names())
    if ours:
        raise PostilError(
            f"this database is not empty: it has a table {min(ours)!r}.",
            hint="Make a new one (with createdb), and name it with --database.",
        )


def _fill(source: Path, connection: Connection, progress: Progress | None) -> Manifest:
    with opened(source) as (archive, manifest):
        upgrade(connection, demand_known(manifest.revision))
        tables = reflected(connection, manifest.revision)
        if {table.name for table in tables} != {each.name for each in manifest.tables}:
            raise InputError(source, f"has other tables than revision {manifest.revision} has.")
        contents = {each.name: each for each in manifest.tables}
        done = 0
        for table in tables:
            for batch in _batches(read_rows(source, archive, contents[table.name])):
                _insert(source, connection, table, batch)
                done += len(batch)
                if progress:
                    progress(done, manifest.rows, table.name)
            if gives_numbers(table):
                _go_on_from(connection, table, contents[table.name].last or 0)
        upgrade(connection)
    return manifest


_Line = tuple[int, dict[str, Any]]


def _batches(lines: Iterator[_Line]) -> Iterator[list[_Line]]:
    while batch := list(islice(lines, _AT_ONCE)):
        yield batch


def _insert(source: Path, connection: Connection, table: Table, lines: Sequence[_Line]) -> None:
    rows = [_row(source, table, line, found) for line, found in lines]
    try:
        connection.execute(insert(table), rows)
    except (IntegrityError, DataError, OverflowError) as error:
        raise InputError(
            source,
            f"the database does not take a row in lines {lines[0][0]:,} to {lines[-1][0]:,}.",
            record=table.name,
            hint="Was the backup changed by hand? Try an older one.",
        ) from error


def _row(source: Path, table: Table, line: int, found: Mapping[str, Any]) -> dict[str, Any]:
    """A line's values as the database takes them."""
    if found.keys() != set(table.columns.keys()):
        raise InputError(source, "this row has other columns than its table.", record=table.name, line=line)
    try:
        return {column.name: _value(column.type, found[column.name]) for column in table.columns}
    except (TypeError, ValueError) as error:
        raise InputError(
            source, "a value in this row is not of its column's kind.", record=table.name, line=line
        ) from error


def _value(kind: Any, value: Any) -> Any:
    if value is None or isinstance(kind, JSON):
        return value
    if isinstance(kind, UtcTime):
        return datetime.fromisoformat(value).astimezone(UTC)
    expected = kind.python_type
    if expected is float and type(value) is int:
        return float(value)
    if type(value) is not expected:  # True is an int to Python, and not to every database
        raise TypeError
    return value


def _go_on_from(connection: Connection, table: Table, last: int) -> None:
    """Let the numbers of a table begin after the last that was ever given."""
    highest = connection.scalar(select(func.max(table.columns.id))) or 0
    last = max(last, highest)
    if last == 0:
        return
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.setval(sequence_of(connection, table), last)))
        return
    values = {"name": table.name, "last": last}
    connection.execute(text("DELETE FROM sqlite_sequence WHERE name = :name"), values)
    connection.execute(text("INSERT INTO sqlite_sequence (name, seq) VALUES (:name, :last)"), values)
