"""Back up a database into one file, the same for SQLite and PostgreSQL, while others go on working.

The tables are those of the database's own revision, not those that today's code knows: an old database can
be backed up before it is upgraded.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from sqlalchemy import JSON, Connection, DateTime, MetaData, Table, event, func, select, text

from postil import __version__
from postil.data.files import atomic_writer
from postil.errors import InputError, PostilError
from postil.workbench.store.database import Store
from postil.workbench.store.dumpfiles import Contents, Manifest, write_manifest, write_table
from postil.workbench.store.revisions import columns_at, demand_known, revision_of
from postil.workbench.store.tables import UtcTime, now

# Secret and short-lived: whoever is in a restored database logs in again. Counters and workers are of the
# machines that were there.
LEFT_OUT = ("session", "link", "attempt", "reply", "draft", "counter", "worker")
_AT_ONCE = 500

Progress = Callable[[int, int, str], None]


def back_up(store: Store, target: Path, progress: Progress | None = None) -> Manifest:
    """Write everything that is to be kept into a new file, as it is at this one moment."""
    if target.suffix.lower() != ".zip":
        raise InputError(target, "a backup's name ends in .zip.", hint=f"Write: {target.name}.zip")
    with store.reading() as session, atomic_writer(target) as file:
        Path(file.name).chmod(0o600)  # before anything is in it
        connection = session.connection()  # one transaction, which sees one moment
        revision = demand_revision(connection)
        tables = reflected(connection, revision)
        counted = _Counted(progress, connection, tables)
        with ZipFile(file, "w", ZIP_DEFLATED) as archive:
            written = tuple(_write(archive, connection, table, counted) for table in tables)
            manifest = Manifest(revision, __version__, now().isoformat(timespec="seconds"), written)
            write_manifest(archive, manifest)
        file.flush()
        os.fsync(file.fileno())
    return manifest


def demand_revision(connection: Connection) -> str:
    """The revision of a database that must have one."""
    revision = revision_of(connection)
    if revision is None:
        raise PostilError("this database holds no workbench.", hint="Name another with --database.")
    return demand_known(revision)


def reflected(connection: Connection, revision: str) -> list[Table]:
    """The tables that are backed up, as the database describes them, in an order in which to insert."""
    names = [name for name in columns_at(revision) if name not in LEFT_OUT]
    metadata = MetaData()
    event.listen(metadata, "column_reflect", _same_on_all)
    metadata.reflect(connection, only=names)
    return [metadata.tables[name] for name in names]


def gives_numbers(table: Table) -> bool:
    """Whether the database numbers the rows of this table."""
    return [column.name for column in table.primary_key] == ["id"]


def sequence_of(connection: Connection, table: Table) -> str | None:
    """The name of what gives the numbers of a table in PostgreSQL."""
    quoted = connection.dialect.identifier_preparer.quote(table.name)
    found: str | None = connection.scalar(select(func.pg_get_serial_sequence(quoted, "id")))
    return found


class _Counted:
    """Tells how many rows are done; counts them all first where somebody is looking."""

    def __init__(self, progress: Progress | None, connection: Connection, tables: list[Table]) -> None:
        counts = (select(func.count()).select_from(table) for table in tables if progress)
        self.total = sum(connection.scalar(count) or 0 for count in counts)
        self.progress = progress
        self.done = 0

    def add(self, rows: int, what: str) -> None:
        self.done += rows
        if self.progress:
            self.progress(self.done, self.total, what)


def _write(archive: ZipFile, connection: Connection, table: Table, counted: _Counted) -> Contents:
    last = _last_number(connection, table) if gives_numbers(table) else None
    return write_table(archive, table.name, _rows(connection, table, counted), last)


def _rows(connection: Connection, table: Table, counted: _Counted) -> Iterator[Mapping[str, Any]]:
    """The rows of a table, some at a time: a school's answers need not fit into memory."""
    wanted = select(table).order_by(*table.primary_key).execution_options(yield_per=_AT_ONCE)
    for rows in connection.execute(wanted).mappings().partitions():
        for row in rows:
            yield {name: _plain(value) for name, value in row.items()}
        counted.add(len(rows), table.name)


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def _last_number(connection: Connection, table: Table) -> int:
    """The highest number that a table has given, even if its row is gone: it must not be given again."""
    if connection.dialect.name == "postgresql":
        sequence = sequence_of(connection, table)  # PostgreSQL has put it into quotes where needed
        called = text(f"SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM {sequence}")  # noqa: S608
        return connection.scalar(called) or 0
    given = text("SELECT seq FROM sqlite_sequence WHERE name = :name")
    return connection.scalar(given, {"name": table.name}) or 0


def _same_on_all(inspector: object, table: object, column: dict[str, Any]) -> None:
    """Read moments and JSON alike, whatever the database calls them."""
    if isinstance(column["type"], DateTime):
        column["type"] = UtcTime()
    elif isinstance(column["type"], JSON):
        column["type"] = JSON(none_as_null=True)
