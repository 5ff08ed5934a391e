"""Sheets in the OpenDocument format (.ods: LibreOffice, Google Sheets) as plain rows of text.

One cell can say that it stands for ten thousand, and one row for a million: what is repeated is counted
before it is written out, and what is blank is never written out.
"""

from __future__ import annotations

from collections.abc import Mapping

from postil.data.files import unify_line_ends
from postil.data.formats.spreadsheets import MAX_COLUMNS, MAX_ROWS, Grid, as_text
from postil.data.formats.workbooks import Workbook
from postil.errors import InputError, some

_CONTENT, _MANIFEST = "content.xml", "META-INF/manifest.xml"
_MOST_BLANKS = 1_000  # that one element may stand for
_APART = (
    "annotation",
    "shapes",
    "forms",
    "tracked-changes",
    "deletion",
)  # with paragraphs that no cell shows


class OpenDocument(Workbook):
    """An open .ods file, and how much of it has been read so far."""

    def titles(self) -> list[str]:
        """The titles of its sheets."""
        return [title for title, _ in self._read()]

    def rows(self, name: str | None) -> Grid:
        """The filled rows of the sheet with this name, or of the first that has any."""
        sheets = self._read()
        if name is None:
            grid = next((grid for _, grid in sheets if grid), None)
            if grid is None:
                raise InputError(self.path, "holds no text.")
            return grid
        alike = [grid for title, grid in sheets if title.strip().casefold() == name.strip().casefold()]
        if not alike:
            names = some([title for title, _ in sheets], 10)
            raise InputError(self.path, f"has no sheet called {name!r}; it has {names}.")
        if not alike[0]:
            raise InputError(self.path, f"the sheet {name!r} holds no text.")
        return alike[0]

    def _read(self) -> list[tuple[str, Grid]]:
        """All sheets; what is read of them together is bounded like one."""
        self._refuse_locked()
        sheet = _Sheets(self)
        self.parse(_CONTENT, sheet.start, sheet.end, sheet.text)
        return sheet.sheets

    def _refuse_locked(self) -> None:
        def start(tag: str, _: Mapping[str, str]) -> None:
            if tag == "encryption-data":
                hint = "Save a copy without a password, and use that one."
                raise InputError(self.path, "is protected by a password.", hint=hint)

        self.parse(_MANIFEST, start, lambda tag: None)


class _Sheets:
    """The sheets of a document while it is read element by element."""

    def __init__(self, document: Workbook) -> None:
        self.document = document
        self.sheets: list[tuple[str, Grid]] = []
        self._number = self._repeat = 0  # the row that is read, and how often it stands there
        self._column = self._times = 0  # the same of the cell
        self._cells: dict[int, str] = {}
        self._value: str | None = None
        self._lines: list[list[str]] = []
        self._apart = self._inside = 0
        self._filled = self._characters = 0

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Begin a sheet, a row, a cell, or a piece of its text."""
        if tag in _APART:
            self._apart += 1
        given = {name.rpartition(":")[2]: value for name, value in attributes.items()}
        if tag == "table" and not self._inside:
            self.sheets.append((given.get("name", ""), []))
            self._number = 0
        elif tag == "table-row":
            self._repeat, self._column = _count(given, "number-rows-repeated", MAX_ROWS + 1), 0
            self._cells = {}
        elif tag in ("table-cell", "covered-table-cell"):
            self._times = _count(given, "number-columns-repeated", MAX_COLUMNS * 100)
            self._value, self._lines, self._inside = _value(given), [], 1
        elif self._inside and not self._apart:
            if tag == "p":
                self._lines.append([])
            elif tag in ("s", "tab", "line-break") and self._lines:
                blanks = " " * _count(given, "c", _MOST_BLANKS)
                self._lines[-1].append({"s": blanks, "tab": "\t"}.get(tag, "\n"))

    def text(self, data: str) -> None:
        """Take a piece of a cell's text."""
        if self._lines and self._inside and not self._apart:
            self._lines[-1].append(data)

    def end(self, tag: str) -> None:
        """Finish a cell or a row."""
        if tag in _APART:
            self._apart -= 1
        if tag in ("table-cell", "covered-table-cell"):
            self._end_cell()
        elif tag == "table-row" and self.sheets:
            self._end_row()

    def _end_cell(self) -> None:
        self._inside = 0
        lines = "\n".join("".join(pieces) for pieces in self._lines)
        content = lines if self._value is None else self._value
        first, self._column, self._lines = self._column, self._column + self._times, []
        if content.strip():
            self.document.limits.check_raw(self.document.path, 0, self._column, 0, line=self._number + 1)
            text = unify_line_ends(content)
            self._cells |= dict.fromkeys(range(first, self._column), text)
            # A row is counted as often as it stands there, before it is written out.
            self._filled += self._times * self._repeat
            self._characters += self._times * self._repeat * len(text)
            self.document.limits.check(
                self.document.path, 0, cells=self._filled, characters=self._characters, line=self._number + 1
            )

    def _end_row(self) -> None:
        grid, limits, path = self.sheets[-1][1], self.document.limits, self.document.path
        if self._cells:
            width = max(self._cells) + 1
            rows = len(grid) + self._repeat
            limits.check(path, rows - 1, line=self._number + 1)
            widest = max(width, len(grid[0][1]) if grid else 0)
            limits.check_raw(path, self._number + self._repeat, widest, widest * rows, line=self._number + 1)
            cells = [self._cells.get(place, "") for place in range(width)]
            grid += [(self._number + place, list(cells)) for place in range(1, self._repeat + 1)]
        self._number += self._repeat
        self._cells = {}


def _count(given: Mapping[str, str], name: str, most: int) -> int:
    """How often something stands there: once, unless it says so."""
    text = given.get(name, "1")
    return max(1, min(int(text), most)) if text.isascii() and text.isdigit() and len(text) < 10 else 1


def _value(given: Mapping[str, str]) -> str | None:
    """What a cell holds if that is not a text: numbers without the format that the sheet shows them in."""
    kind = given.get("value-type", "")
    if kind == "float" and "value" in given:
        value = float(given["value"])
        return as_text(value)
    if kind == "date" and "date-value" in given:
        return given["date-value"].replace("T", " ").removesuffix(" 00:00:00")
    if kind == "boolean" and "boolean-value" in given:
        return given["boolean-value"].upper()
    return None
