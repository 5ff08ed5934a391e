"""JSON as plain rows of text: one object a line, or a list of objects, whose fields are the columns."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path

from postil.data.files import read_text
from postil.data.formats.grids import Grid, as_text, check_size
from postil.errors import InputError

_HALF_A_CHARACTER = re.compile("[\ud800-\udfff]")


def read_lines_of_json(path: Path, encoding: str | None = None) -> Grid:
    """Read a file with one JSON object a line."""

    def objects() -> Iterable[tuple[int, dict[str, object]]]:
        for line, text in enumerate(read_text(path, encoding=encoding).split("\n"), start=1):
            if text.strip():
                hint = "A .jsonl file holds one JSON object a line, not one list."
                yield line, _demand_object(path, line, _parse(path, text, line, hint))

    return _grid(path, objects())


def read_json(path: Path, encoding: str | None = None) -> Grid:
    """Read a file with one list of objects; it may lie in another list, as Moodle writes it."""
    text = read_text(path, encoding=encoding)
    found = _parse(path, text, None, "Export it anew, or choose CSV.")
    while isinstance(found, list) and len(found) == 1 and isinstance(found[0], list):
        found = found[0]
    if not isinstance(found, list) or not found:
        raise InputError(
            path,
            "is JSON, but not a list of rows.",
            hint="Each row is an object, with the columns as fields.",
        )
    return _grid(path, ((number, _demand_object(path, number, one)) for number, one in enumerate(found, 2)))


def _grid(path: Path, objects: Iterable[tuple[int, dict[str, object]]]) -> Grid:
    rows: list[tuple[int, dict[str, str]]] = []
    header: dict[str, None] = {}
    for line, one in objects:
        fields = _fields(path, line, one)
        header.update(dict.fromkeys(fields))
        if any(value.strip() for value in fields.values()):
            rows.append((line, fields))
        check_size(path, len(rows), len(header), line=line)
    return [
        (1, list(header)),
        *((line, [fields.get(name, "") for name in header]) for line, fields in rows),
    ]


def _parse(path: Path, text: str, line: int | None, hint: str) -> object:
    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(pairs)
        if len(found) < len(pairs):
            raise InputError(path, "the object names a field twice.", line=line)
        return found

    try:
        return json.loads(text, object_pairs_hook=unique)
    except (ValueError, RecursionError) as error:
        place = f" at column {error.colno}" if isinstance(error, json.JSONDecodeError) else ""
        at = error.lineno if line is None and isinstance(error, json.JSONDecodeError) else line
        raise InputError(path, f"is not JSON{place}.", line=at, hint=hint) from error


def _demand_object(path: Path, line: int, value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise InputError(path, "is JSON, but not an object with the columns as its fields.", line=line)
    return value


def _fields(path: Path, line: int, value: dict[str, object]) -> dict[str, str]:
    fields: dict[str, str] = {}
    for name, content in value.items():
        # A list becomes numbered columns, as a table would have them: reference, reference_2, …
        items = content if isinstance(content, list) else [content]
        for number, item in enumerate(items or [None], start=1):
            column = name.strip() if number == 1 else f"{name.strip()}_{number}"
            if column in fields:
                raise InputError(path, f"the object names the field {column!r} twice.", line=line)
            fields[column] = _text(path, line, column, item)
    return fields


def _text(path: Path, line: int, name: str, value: object) -> str:
    if isinstance(value, dict | list):
        raise InputError(path, f"the field {name!r} holds neither a text nor a list of texts.", line=line)
    text = value if isinstance(value, str) else as_text(value)
    if _HALF_A_CHARACTER.search(text):
        raise InputError(path, f"the field {name!r} holds half a character (a lone surrogate).", line=line)
    return text
