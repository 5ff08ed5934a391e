"""Back up a database into one file, the same for SQLite and PostgreSQL, and make a new database of it.

The file is a zip with a list of its tables, and each table's rows as lines of JSON. The tables are those of
the database's own revision, not those that today's code knows: an old database can be backed up before it is
upgraded, and is restored as it was before it is brought up to date.
"""

from __future__ import annotations

import json
import os
import secrets
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import sha256
from io import BufferedReader
from itertools import islice
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from sqlalchemy import JSON, Connection, DateTime, MetaData, Table, event, func, insert, inspect, select, text
from sqlalchemy.exc import DataError, IntegrityError

from postil import __version__
from postil.data.files import atomic_writer
from postil.errors import InputError, PostilError
from postil.workbench.store.database import (
    VERSION_TABLE,
    Store,
    as_it_is,
    columns_at,
    connect,
    demand_known,
    newest,
    revision_of,
    upgrade,
)
from postil.workbench.store.tables import UtcTime, now

FORMAT = "postil backup"
VERSION = 1
# Secret and short-lived: whoever is in a restored database logs in again. Counters and workers belong to the
# machines that were there.
LEFT_OUT = ("session", "link", "attempt", "reply", "draft", "counter", "worker")
_AT_ONCE = 500  # rows that are read or inserted together
_MANIFEST = "manifest.json"
_MANIFEST_BYTES = 1024 * 1024
_LINE_BYTES = 64 * 1024 * 1024
_MOST_MEMBERS = 200
# Rows of a class shrink tenfold, equal ones up to 150-fold. What grows more was made to fill the disk.
_MOST_GROWTH = 600
_SMALL = 64 * 1024 * 1024
_ENCRYPTED = 0x1
_DAMAGED = "is damaged or incomplete."
_OLDER = "Try an older backup."
_COMPANIONS = ("-wal", "-shm")  # of a SQLite file: what is not yet written into it
_ALSO = f"together with the files that end in {' and '.join(_COMPANIONS)}"
_JSON: dict[str, Any] = {"ensure_ascii": False, "separators": (",", ":"), "default": datetime.isoformat}

Progress = Callable[[int, int, str], None]  # rows done, rows in all, table
_Line = tuple[int, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Contents:
    """What a backup has of one table; `last` is the highest number ever given there, if it gives numbers."""

    name: str
    rows: int
    sha256: str
    last: int | None


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup says of itself: the tables' revision, who made it, when, and what is in it."""

    revision: str
    postil: str
    made: str
    tables: tuple[Contents, ...]

    @property
    def rows(self) -> int:
        """How many rows there are in all."""
        return sum(table.rows for table in self.tables)


def back_up(store: Store, target: Path, progress: Progress | None = None) -> Manifest:
    """Write everything that is to be kept into a new file, as it is at this one moment."""
    if target.suffix.lower() != ".zip":
        raise InputError(target, "the name of a backup must end in .zip.", hint=f"Use {target.name}.zip")
    with store.reading() as session, atomic_writer(target) as file:
        Path(file.name).chmod(0o600)  # before anything is in it
        connection = session.connection()  # one transaction, which sees one moment
        revision = demand_revision(connection)
        tables = _reflected(connection, revision)
        count = _counter(progress, connection, tables)
        with ZipFile(file, "w", ZIP_DEFLATED) as archive:
            contents = tuple(_write_table(archive, connection, table, count) for table in tables)
            manifest = Manifest(revision, __version__, now().isoformat(timespec="seconds"), contents)
            listed = {"format": FORMAT, "version": VERSION, **asdict(manifest)}
            archive.writestr(_MANIFEST, json.dumps(listed, indent=1) + "\n")
        file.flush()
        os.fsync(file.fileno())
    return manifest


def restore(source: Path, database: Path | str, progress: Progress | None = None) -> Manifest:
    """Make a new database of a backup, all of it or nothing; returns what the backup says of itself."""
    if isinstance(database, Path):
        return _restore_file(source, database, progress)
    with as_it_is(database) as store, store.writing() as session:
        connection = session.connection()
        store.kind.before_upgrade(connection)
        ours = {VERSION_TABLE, *columns_at(newest())} & set(inspect(connection).get_table_names())
        if ours:
            what = f"this database is not empty: it has a table {min(ours)!r}."
            raise PostilError(what, hint="Create a new one (with createdb), and name it with --database.")
        return _fill(source, connection, progress)


def demand_revision(connection: Connection) -> str:
    """The revision of a database that must have one."""
    revision = revision_of(connection)
    if revision is None:
        raise PostilError("this is not the database of a workbench.", hint="Name another with --database.")
    return demand_known(revision)


def _reflected(connection: Connection, revision: str) -> list[Table]:
    """The tables that are backed up, as the database describes them, in an order in which to insert."""
    names = [name for name in columns_at(revision) if name not in LEFT_OUT]
    metadata = MetaData()
    event.listen(metadata, "column_reflect", _same_on_all)
    metadata.reflect(connection, only=names)
    return [metadata.tables[name] for name in names]


def _same_on_all(inspector: object, table: object, column: dict[str, Any]) -> None:
    """Read moments and JSON alike, whatever the database calls them."""
    if isinstance(column["type"], DateTime):
        column["type"] = UtcTime()
    elif isinstance(column["type"], JSON):
        column["type"] = JSON(none_as_null=True)


def _gives_numbers(table: Table) -> bool:
    return [column.name for column in table.primary_key] == ["id"]


def _last_number(connection: Connection, table: Table) -> int:
    """The highest number that a table has given, even if its row is gone: it must not be given again."""
    if connection.dialect.name == "postgresql":
        sequence = _sequence_of(connection, table)  # PostgreSQL has put it into quotes where needed
        called = text(f"SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM {sequence}")  # noqa: S608
        return connection.scalar(called) or 0
    query = text("SELECT seq FROM sqlite_sequence WHERE name = :name")
    return connection.scalar(query, {"name": table.name}) or 0


def _go_on_from(connection: Connection, table: Table, last: int) -> None:
    """Make a table number its new rows after the highest number ever given."""
    last = max(last, connection.scalar(select(func.max(table.columns.id))) or 0)
    if last == 0:
        return
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.setval(_sequence_of(connection, table), last)))
        return
    values = {"name": table.name, "last": last}
    connection.execute(text("DELETE FROM sqlite_sequence WHERE name = :name"), values)
    connection.execute(text("INSERT INTO sqlite_sequence (name, seq) VALUES (:name, :last)"), values)


def _sequence_of(connection: Connection, table: Table) -> str | None:
    """The name of the PostgreSQL sequence that numbers a table's rows."""
    quoted = connection.dialect.identifier_preparer.quote(table.name)
    sequence: str | None = connection.scalar(select(func.pg_get_serial_sequence(quoted, "id")))
    return sequence


def _counter(
    progress: Progress | None, connection: Connection, tables: Iterable[Table]
) -> Callable[[int, str], None]:
    """A function to call with the rows just written and their table; it reports any progress wanted."""
    if progress is None:
        return lambda rows, table: None
    total = sum(connection.scalar(select(func.count()).select_from(table)) or 0 for table in tables)
    done = 0

    def count(rows: int, table: str) -> None:
        nonlocal done
        done += rows
        progress(done, total, table)

    return count


def _write_table(
    archive: ZipFile, connection: Connection, table: Table, count: Callable[[int, str], None]
) -> Contents:
    """Write a table's rows, some at a time: a school's answers need not fit into memory."""
    last = _last_number(connection, table) if _gives_numbers(table) else None
    written, hashed = 0, sha256()
    query = select(table).order_by(*table.primary_key).execution_options(yield_per=_AT_ONCE)
    with archive.open(_member(table.name), "w", force_zip64=True) as file:
        for rows in connection.execute(query).mappings().partitions():
            for row in rows:
                data = json.dumps(dict(row), **_JSON).encode() + b"\n"
                hashed.update(data)
                file.write(data)
            written += len(rows)
            count(len(rows), table.name)
    return Contents(table.name, written, hashed.hexdigest(), last)


def _member(table: str) -> str:
    return f"{table}.jsonl"


@contextmanager
def _opened(path: Path) -> Iterator[tuple[ZipFile, Manifest]]:
    """Open a backup that can be read, or say what is wrong with it."""
    with _readable(path):
        archive = ZipFile(path)
    with archive:
        with _readable(path):
            _refuse_foreign(path, archive.infolist())
            manifest = _manifest(path, archive.read(_MANIFEST))
        expected = {_MANIFEST, *(_member(table.name) for table in manifest.tables)}
        if sorted(archive.namelist()) != sorted(expected):
            raise InputError(path, "does not hold the tables that it claims to hold.", hint=_OLDER)
        yield archive, manifest


@contextmanager
def _readable(path: Path, table: str | None = None) -> Iterator[None]:
    try:
        yield
    except (BadZipFile, zlib.error, EOFError) as error:
        raise InputError(path, _DAMAGED, record=table, hint=_OLDER) from error
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror or error}.", record=table) from error


def _refuse_foreign(path: Path, members: list[ZipInfo]) -> None:
    """Refuse what Postil did not write: other zips, and those made to do harm."""
    if _MANIFEST not in (member.filename for member in members):
        what = "is not a backup of Postil."
        raise InputError(path, what, hint="Name one that `postil database backup` made.")
    for member in members:
        plain = member.compress_type in (ZIP_STORED, ZIP_DEFLATED) and not member.flag_bits & _ENCRYPTED
        bomb = member.file_size > max(_SMALL, member.compress_size * _MOST_GROWTH)
        large = member.filename == _MANIFEST and member.file_size > _MANIFEST_BYTES
        if bomb or large or not plain or len(members) > _MOST_MEMBERS:
            what = "is not packed the way Postil packs a backup."
            raise InputError(path, what, record=member.filename[:40], hint="Do not trust it.")


def _manifest(path: Path, data: bytes) -> Manifest:
    try:
        listed = json.loads(data)
        if listed["format"] != FORMAT:
            raise InputError(path, "is not a backup of Postil.")
        if int(listed["version"]) > VERSION:
            what = "was made by a newer version of Postil."
            raise InputError(path, what, hint="Restore it with that version.")
        tables = tuple(
            Contents(
                str(table["name"]),
                int(table["rows"]),
                str(table["sha256"]),
                None if table["last"] is None else int(table["last"]),
            )
            for table in listed["tables"]
        )
        return Manifest(str(listed["revision"]), str(listed["postil"]), str(listed["made"]), tables)
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(path, _DAMAGED, record=_MANIFEST, hint=_OLDER) from error


def _read_rows(path: Path, archive: ZipFile, table: Contents) -> Iterator[_Line]:
    """The rows of a table with the numbers of their lines; at the end, an error if rows were changed."""
    line, hashed = 0, sha256()
    with _readable(path, table.name), archive.open(_member(table.name)) as file:
        buffered = BufferedReader(file)  # type: ignore[type-var]  # a zip's member reads as a raw file does
        while data := buffered.readline(_LINE_BYTES):
            if not data.endswith(b"\n"):
                raise InputError(path, "has an unfinished line.", record=table.name, hint=_OLDER)
            line += 1
            hashed.update(data)
            try:
                row = json.loads(data)
            except (ValueError, RecursionError) as error:
                raise InputError(path, "this is not JSON.", record=table.name, line=line) from error
            if not isinstance(row, dict):
                raise InputError(path, "this is not a row.", record=table.name, line=line)
            yield line, row
    if line != table.rows or hashed.hexdigest() != table.sha256:
        what = f"was changed after it was written: {line:,} rows are left of {table.rows:,}, or some differ."
        raise InputError(path, what, record=table.name, hint=_OLDER)


def _restore_file(source: Path, target: Path, progress: Progress | None) -> Manifest:
    """Fill a file under another name, which becomes the database when it is complete."""
    _refuse_existing(target)
    part = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        with closing(connect(part)) as store, store.writing() as session:
            manifest = _fill(source, session.connection(), progress)
        _refuse_existing(target)  # somebody may have started a workbench there meanwhile
        part.replace(target)
    finally:
        for path in (part, *_companions(part)):
            path.unlink(missing_ok=True)
    return manifest


def _refuse_existing(target: Path) -> None:
    if target.exists() and not (target.is_file() and target.stat().st_size == 0):
        raise InputError(
            target,
            "already exists, and a backup can only be restored into a new file.",
            hint=f"Move it away, {_ALSO}, or name another with --database.",
        )
    # SQLite would add what a workbench that was killed left in these to the file that takes its place.
    for companion in filter(Path.exists, _companions(target)):
        raise InputError(
            companion,
            "belongs to an earlier database, and would be read into the new one.",
            hint=f"Move {target.name} away, {_ALSO}, or name another with --database.",
        )


def _companions(target: Path) -> list[Path]:
    return [target.with_name(target.name + end) for end in _COMPANIONS]


def _fill(source: Path, connection: Connection, progress: Progress | None) -> Manifest:
    with _opened(source) as (archive, manifest):
        upgrade(connection, demand_known(manifest.revision))
        tables = _reflected(connection, manifest.revision)
        contents = {table.name: table for table in manifest.tables}
        if {table.name for table in tables} != contents.keys():
            raise InputError(source, f"does not have the tables of revision {manifest.revision}.")
        done = 0
        for table in tables:
            lines = _read_rows(source, archive, contents[table.name])
            while batch := list(islice(lines, _AT_ONCE)):
                _insert(source, connection, table, batch)
                done += len(batch)
                if progress:
                    progress(done, manifest.rows, table.name)
            if _gives_numbers(table):
                _go_on_from(connection, table, contents[table.name].last or 0)
        upgrade(connection)
    return manifest


def _insert(source: Path, connection: Connection, table: Table, lines: Sequence[_Line]) -> None:
    rows = [_restored_row(source, table, line, values) for line, values in lines]
    try:
        connection.execute(insert(table), rows)
    except (IntegrityError, DataError, OverflowError) as error:
        raise InputError(
            source,
            f"the database rejected a row in lines {lines[0][0]:,} to {lines[-1][0]:,}.",
            record=table.name,
            hint="Was the backup changed by hand? Try an older one.",
        ) from error


def _restored_row(source: Path, table: Table, line: int, values: Mapping[str, Any]) -> dict[str, Any]:
    """A line's values as the database takes them."""
    if values.keys() != set(table.columns.keys()):
        raise InputError(source, "this row does not have its table's columns.", record=table.name, line=line)
    try:
        return {column.name: _value(column.type, values[column.name]) for column in table.columns}
    except (TypeError, ValueError) as error:
        what = "a value in this row has the wrong type for its column."
        raise InputError(source, what, record=table.name, line=line) from error


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
