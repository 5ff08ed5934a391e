"""A table before its header is understood: numbered rows of text, and how large it may grow."""

from __future__ import annotations

from datetime import date, datetime, time
from pathlib import Path

from postil.errors import InputError

MAX_ROWS = 1_048_576
MAX_COLUMNS = 2_000
MAX_CELLS = 20_000_000

Grid = list[tuple[int, list[str]]]


def check_size(path: Path, rows: int, columns: int, *, line: int | None = None) -> None:
    """Refuse a table that is larger than any class, school or corpus is."""
    if rows > MAX_ROWS or columns > MAX_COLUMNS or rows * columns > MAX_CELLS:
        raise InputError(
            path,
            f"has {rows:,} rows and {columns:,} columns or more; at most {MAX_ROWS:,} rows, "
            f"{MAX_COLUMNS:,} columns and {MAX_CELLS:,} cells are read.",
            line=line,
            hint="Is it the right file? Split it into smaller ones.",
        )


def unify_line_ends(text: str) -> str:
    """Write every line end as `\\n`."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def as_text(value: object) -> str:
    """The value of a cell as a person reads it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(sep=" ")
    if isinstance(value, date | time):
        return value.isoformat()
    return str(value)
