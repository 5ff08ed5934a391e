"""The file of a backup: a zip with a list of its tables, and each table's rows as lines of JSON."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from hashlib import sha256
from io import BufferedReader
from pathlib import Path
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from postil.errors import InputError

FORMAT = "postil backup"
VERSION = 1
_MANIFEST = "manifest.json"
_MANIFEST_BYTES = 1024 * 1024
_LINE_BYTES = 64 * 1024 * 1024
_MOST_MEMBERS = 200
# Rows of a class shrink tenfold, equal ones up to 150-fold. What grows more was made to fill the disk.
_MOST_GROWTH = 600
_SMALL = 64 * 1024 * 1024
_ENCRYPTED = 0x1
_DAMAGED = "is damaged, or was not copied to its end."


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


def write_table(archive: ZipFile, name: str, rows: Iterable[Mapping[str, Any]], last: int | None) -> Contents:
    """Write a table's rows as they come, one a line."""
    count, hashed = 0, sha256()
    with archive.open(_member(name), "w", force_zip64=True) as file:
        for row in rows:
            line = json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
            hashed.update(line)
            file.write(line)
            count += 1
    return Contents(name, count, hashed.hexdigest(), last)


def write_manifest(archive: ZipFile, manifest: Manifest) -> None:
    """Write what is in the backup; it comes last, for nobody can count what is not yet written."""
    found = {"format": FORMAT, "version": VERSION, **asdict(manifest)}
    archive.writestr(_MANIFEST, json.dumps(found, indent=1) + "\n")


@contextmanager
def opened(path: Path) -> Iterator[tuple[ZipFile, Manifest]]:
    """Open a backup that can be read, or say what is wrong with it."""
    with _readable(path):
        archive = ZipFile(path)
    with archive:
        with _readable(path):
            _refuse_foreign(path, archive.infolist())
            manifest = _manifest(path, archive.read(_MANIFEST))
        expected = {_MANIFEST, *(_member(table.name) for table in manifest.tables)}
        if sorted(archive.namelist()) != sorted(expected):
            raise InputError(
                path, "does not hold the tables that it says it holds.", hint="Try an older one."
            )
        yield archive, manifest


def read_rows(path: Path, archive: ZipFile, table: Contents) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows of a table with the numbers of their lines; in the end, whether these were all of them."""
    line, hashed = 0, sha256()
    with _readable(path, table.name), archive.open(_member(table.name)) as file:
        for line, text in enumerate(_lines(path, file, table.name), 1):
            hashed.update(text)
            yield line, _row(path, table.name, line, text)
    if line != table.rows or hashed.hexdigest() != table.sha256:
        raise InputError(
            path,
            f"has other rows ({line:,}) than were written ({table.rows:,}): the file was changed.",
            record=table.name,
            hint="Try an older backup.",
        )


def _member(table: str) -> str:
    return f"{table}.jsonl"


@contextmanager
def _readable(path: Path, table: str | None = None) -> Iterator[None]:
    try:
        yield
    except (BadZipFile, zlib.error, EOFError) as error:
        raise InputError(path, _DAMAGED, record=table, hint="Try an older backup.") from error
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror or error}.", record=table) from error


def _refuse_foreign(path: Path, members: list[ZipInfo]) -> None:
    """Refuse what Postil did not write: other zips, and those made to do harm."""
    if _MANIFEST not in (member.filename for member in members):
        raise InputError(
            path, "is not a backup of Postil.", hint="Name one that `postil database backup` made."
        )
    for member in members:
        plain = member.compress_type in (ZIP_STORED, ZIP_DEFLATED) and not member.flag_bits & _ENCRYPTED
        bomb = member.file_size > max(_SMALL, member.compress_size * _MOST_GROWTH)
        large = member.filename == _MANIFEST and member.file_size > _MANIFEST_BYTES
        if bomb or large or not plain or len(members) > _MOST_MEMBERS:
            raise InputError(
                path,
                "is packed as no backup of Postil is.",
                record=member.filename[:40],
                hint="Do not trust it.",
            )


def _manifest(path: Path, data: bytes) -> Manifest:
    try:
        found = json.loads(data)
        if found["format"] != FORMAT:
            raise InputError(path, "is not a backup of Postil.")
        if int(found["version"]) > VERSION:
            raise InputError(
                path, "was made by a newer version of Postil.", hint="Restore it with that version."
            )
        tables = tuple(
            Contents(str(one["name"]), int(one["rows"]), str(one["sha256"]), _number(one["last"]))
            for one in found["tables"]
        )
        return Manifest(str(found["revision"]), str(found["postil"]), str(found["made"]), tables)
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(path, _DAMAGED, record=_MANIFEST, hint="Try an older backup.") from error


def _number(value: Any) -> int | None:
    return None if value is None else int(value)


def _lines(path: Path, file: IO[bytes], table: str) -> Iterator[bytes]:
    buffered = BufferedReader(file)  # type: ignore[type-var]  # a zip's member reads as a raw file does
    while line := buffered.readline(_LINE_BYTES):
        if not line.endswith(b"\n"):
            raise InputError(path, "has a line without an end.", record=table, hint="Try an older backup.")
        yield line


def _row(path: Path, table: str, line: int, text: bytes) -> dict[str, Any]:
    try:
        row = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(path, "this is not JSON.", record=table, line=line) from error
    if not isinstance(row, dict):
        raise InputError(path, "this is not a row.", record=table, line=line)
    return row
