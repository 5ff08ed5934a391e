"""The challenges' tab-separated files: a header line, then one record a line, no quoting."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from postil.data.files import read_lines, write_text
from postil.errors import InputError, some


@dataclass(frozen=True, slots=True)
class TsvRow:
    """One record: its fields by column name, and the line it stands on."""

    line: int
    fields: dict[str, str]


def read_tsv(path: Path | str, required: Sequence[Sequence[str]]) -> list[TsvRow]:
    """Read a tab-separated file; `required` lists, for each column that must be there, its accepted names."""
    lines = read_lines(path)
    header = [name.strip() for name in lines[0].split("\t")]
    for names in required:
        if not set(names) & set(header):
            raise InputError(
                path,
                f"the header has no column {' or '.join(map(repr, names))}; it has {some(header, 10)}.",
                line=1,
                hint="Is this the right kind of file? Columns are separated by tabs.",
            )
    if len(set(header)) < len(header):
        raise InputError(path, "the header names a column twice.", line=1)
    rows = []
    for number, line in enumerate(lines[1:], start=2):
        if not line.strip():
            continue
        fields = line.split("\t")
        if len(fields) != len(header):
            raise InputError(path, f"{len(fields)} columns where the header has {len(header)}.", line=number)
        rows.append(TsvRow(number, dict(zip(header, map(str.strip, fields), strict=True))))
    if not rows:
        raise InputError(path, "there is a header and no record below it.")
    return rows


def write_tsv(path: Path | str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write a tab-separated file, refusing fields the format cannot hold."""
    lines = ["\t".join(header)]
    for row in rows:
        for name, field in zip(header, row, strict=True):
            if set(field) & set("\t\n\r\0") or field != field.strip():
                raise InputError(
                    path,
                    f"cannot be written: {name!r} holds a tab, a line break, a NUL or outer blanks, "
                    "which a tab-separated file cannot.",
                    record=repr(row[0]),
                )
        lines.append("\t".join(row))
    write_text(path, "\n".join(lines) + "\n")


class Seen:
    """Remembers on which line each id stood, and objects when one comes again."""

    def __init__(self, path: Path | str, what: str = "id") -> None:
        self.path = path
        self.what = what
        self.lines: dict[str, int | None] = {}

    def add(self, id: str, line: int | None) -> None:
        """Note an id; none at all is an error, and a second time is one that names both places."""
        if not id:
            raise InputError(self.path, f"there is no {self.what} here.", line=line)
        if id in self.lines:
            first = self.lines[id]
            before = f" (first on line {first})" if first is not None else ""
            raise InputError(
                self.path,
                f"the {self.what} {id!r} occurs twice{before}.",
                line=line,
                hint="Ids must be unique.",
            )
        self.lines[id] = line
