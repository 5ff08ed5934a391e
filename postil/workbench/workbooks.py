"""A workbook to look at: sheets with a header that stays in sight, texts that are texts, numbers that add up.

Every text cell is marked as text, so that an answer which begins like a formula never becomes one.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from postil.data.formats.xlsxfile import MEAN_SOMETHING, text_cell

Cell = str | float | None

_SHORT = 40  # characters; longer texts are broken into lines
_FORBIDDEN = re.compile(r"[\\/*?:\[\]\x00-\x1f]")
_LONGEST_NAME = 31


@dataclass(frozen=True, slots=True)
class Sheet:
    """One sheet: its name, the names of its columns with their widths in characters, and its rows."""

    name: str
    columns: Sequence[tuple[str, int]]
    rows: Sequence[Sequence[Cell]]


def workbook(sheets: Iterable[Sheet]) -> bytes:
    """Write sheets as an .xlsx file."""
    from openpyxl import Workbook
    from openpyxl.styles import Alignment, Font
    from openpyxl.utils import get_column_letter

    book = Workbook(write_only=True)
    used: set[str] = set()
    wrapped = Alignment(vertical="top", wrap_text=True)
    for one in sheets:
        sheet = book.create_sheet(_sheet_name(one.name, used))
        sheet.freeze_panes = "A2"
        for number, (_, width) in enumerate(one.columns, 1):
            sheet.column_dimensions[get_column_letter(number)].width = width
        header = [text_cell(sheet, name) for name, _ in one.columns]
        for cell in header:
            cell.font = Font(bold=True)
        sheet.append(header)
        for row in one.rows:
            sheet.append([_cell(sheet, value, wrapped) for value in row])
    written = io.BytesIO()
    book.save(written)
    return written.getvalue()


def _cell(sheet: Any, value: Cell, wrapped: Any) -> Any:
    """What stands in a cell: most values as they are, which is fastest; only some texts need more."""
    if not isinstance(value, str):
        return value
    if len(value) <= _SHORT and not value.startswith(MEAN_SOMETHING) and "_x" not in value:
        return value
    cell = text_cell(sheet, value)
    cell.alignment = wrapped
    return cell


def _sheet_name(wanted: str, used: set[str]) -> str:
    """A name that a sheet may have and no other has: short, and without marks that mean something."""
    base = _FORBIDDEN.sub(" ", wanted).strip(" '")[:_LONGEST_NAME].strip(" '") or "answers"
    name, number = base, 1
    while name.casefold() in used:
        number += 1
        name = f"{base[: _LONGEST_NAME - len(str(number)) - 1]} {number}"
    used.add(name.casefold())
    return name
