"""Workbooks as plain rows of text, read so that no workbook costs more than the text in it.

A workbook is a zip archive of XML files, and a few kilobytes of it can claim millions of rows or unpack to
gigabytes. So the archive's parts are read one after the other, only as far as they are needed, and rows,
columns, cells, characters and elements are counted as they come, before any row is filled up with blanks.
"""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar
from xml.parsers import expat

from postil.data.files import atomic_writer, read_bytes, unify_line_ends
from postil.data.formats.spreadsheets import FORMULA, MAX_COLUMNS, USUAL, Grid, Limits, as_text
from postil.errors import InputError, PostilError, some

MAX_CELL = 32_767
_MOST_PARTS = 10_000
_MOST_SHEETS = 1_000
_MOST_ELEMENTS = 6  # for each cell that is read: itself, its value, the parts of a text in several fonts
_LONGEST_FORMAT = 255  # characters of a number format that are looked at

_HIGHEST_ROW = 1e9  # far beyond those that a spreadsheet has, and short enough for a message
_SAVE_AGAIN = "Open it in a spreadsheet program and save it as .xlsx."
_OLD_OR_LOCKED = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENTRY = b"PK\x01\x02"  # what the entry of each part in an archive's table of contents begins with
# A workbook writes some characters as _xHHHH_; a text that only looks like this is written _x005F_xHHHH_.
_LOOKS_ESCAPED = re.compile(r"_(?=x[0-9A-Fa-f]{4}_)")
_ESCAPED = re.compile(r"_x(005F|000D|000A|0009)_", re.IGNORECASE)

_OPEN_DOCUMENT = "content.xml"  # the part of an .ods file that holds its sheets

T = TypeVar("T")
Start = Callable[[str, Mapping[str, str]], None]
End = Callable[[str], None]


class _Enough(Exception):  # noqa: N818 - not an error: the rest of a part is of no interest
    """All that is needed of a part has been read."""


class _Text:
    """The text of the elements that are being read, piece by piece, but not how it is pronounced."""

    __slots__ = ("pieces", "reading", "spoken")

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.reading = self.spoken = False

    def add(self, data: str) -> None:
        if self.reading:
            self.pieces.append(data)


def read_sheet(path: Path, sheet: str | None = None, limits: Limits = USUAL) -> Grid:
    """Read the filled rows of one sheet (the first that has any, or the one named) with their row numbers."""
    return _open(path, limits, lambda workbook: workbook.rows(sheet))


def sheet_titles(path: Path, limits: Limits = USUAL) -> list[str]:
    """The titles of a workbook's sheets, in their order."""
    return _open(path, limits, lambda workbook: workbook.titles())


def _open(path: Path, limits: Limits, read: Callable[[Workbook], T]) -> T:
    """Open a workbook of either kind, and say so in plain words where that cannot be done."""
    data = read_bytes(path, in_lines=False)
    if data.startswith(_OLD_OR_LOCKED):
        if "EncryptedPackage".encode("utf-16-le") in data:
            hint = "Save a copy without a password, and use that one."
            raise InputError(path, "is protected by a password.", hint=hint)
        raise InputError(path, "is an old .xls workbook, which cannot be read.", hint=_SAVE_AGAIN)
    if data.count(_ENTRY) > _MOST_PARTS:  # opening it would already take long
        what = f"is an archive of more than {_MOST_PARTS:,} files, not a workbook."
        raise InputError(path, what, hint=_SAVE_AGAIN)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if _OPEN_DOCUMENT in archive.NameToInfo:
                from postil.data.formats.opendocument import OpenDocument  # which reads its parts as here

                return read(OpenDocument(path, archive, limits))
            return read(Workbook(path, archive, limits))
    except PostilError:
        raise
    except Exception as error:  # zipfile and expat raise anything on a damaged workbook
        what = f"is not an {'.ods' if path.suffix.lower() == '.ods' else '.xlsx'} workbook, or it is damaged."
        raise InputError(path, what, hint=_SAVE_AGAIN) from error


class Workbook:
    """An open workbook, and how much of it has been read so far."""

    def __init__(self, path: Path, archive: zipfile.ZipFile, limits: Limits) -> None:
        self.path = path
        self.archive = archive
        self.limits = limits
        self.unpacked = 0
        self.elements = 0
        self.epoch_1904 = False

    def titles(self) -> list[str]:
        """The titles of its sheets."""
        return [title for title, _ in self._parts()[0]]

    def _parts(self) -> tuple[list[tuple[str, str]], dict[str, str]]:
        """The title and part of each sheet, and the other parts by their kind."""
        main = next((part for kind, part in self._related("").values() if kind == "officeDocument"), None)
        main = main or "xl/workbook.xml"
        related = self._related(main)
        known = [
            (title, related[id][1])
            for title, id in self._sheets(main)
            if related.get(id, ("", ""))[0] == "worksheet"
        ]
        return known, dict(related.values())

    def rows(self, name: str | None) -> Grid:
        """The filled rows of the sheet with this name, or of the first that has any."""
        known, parts = self._parts()
        sheets = known
        if name is not None:
            sheets = [pair for pair in known if pair[0].strip().casefold() == name.strip().casefold()]
            if not sheets:
                names = some((title for title, _ in known), 10)
                raise InputError(self.path, f"has no sheet called {name!r}; it has {names}.")
        strings = self._strings(parts.get("sharedStrings"))
        styles = _Styles(self, parts.get("styles"))
        titles = {part: title for title, part in sheets}  # sheets can share a part, which is read once
        for part, title in titles.items():
            if grid := _read_rows(self, part, title, strings, styles):
                return grid
        raise InputError(
            self.path, "holds no text." if name is None else f"the sheet {name!r} holds no text."
        )

    def parse(self, part: str, start: Start, end: End, text: Callable[[str], None] | None = None) -> None:
        """Read a part of the workbook element by element, if it exists."""
        if part not in self.archive.NameToInfo:
            return
        self.unpacked += self.archive.getinfo(part).file_size
        if self.unpacked > self.limits.unpacked:
            most = self.limits.unpacked // 2**20
            what = f"unpacks to {self.unpacked / 2**20:,.0f} MB or more; at most {most} MB are read."
            raise InputError(self.path, what, hint="Keep only the sheet with the answers.")
        most = _MOST_ELEMENTS * self.limits.cells

        def begin(tag: str, attributes: Mapping[str, str]) -> None:
            self.elements += 1
            if self.elements > most:
                what = "holds far more formatting or blank cells than text."
                hint = "Copy only the cells with the answers into a new workbook, and use that one."
                raise InputError(self.path, what, hint=hint)
            start(tag.rpartition(":")[2], attributes)

        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.buffer_size = 2**20
        # No workbook declares a document type; where one stands, it declares entities that grow.
        parser.StartDoctypeDeclHandler = _refuse_doctype
        parser.StartElementHandler = begin
        parser.EndElementHandler = lambda tag: end(tag.rpartition(":")[2])
        if text is not None:
            parser.CharacterDataHandler = text
        try:
            parser.Parse(self.archive.read(part), True)
        except _Enough:
            return

    def _related(self, part: str) -> dict[str, tuple[str, str]]:
        """The parts that belong to a part: for the id of each its kind and its name in the archive."""
        folder, name = posixpath.split(part)
        related: dict[str, tuple[str, str]] = {}

        def start(tag: str, attributes: Mapping[str, str]) -> None:
            if tag == "Relationship" and attributes.get("TargetMode") != "External":
                kind = attributes.get("Type", "").rpartition("/")[2]
                target = posixpath.normpath(posixpath.join("/", folder, attributes.get("Target", "")))
                related[attributes.get("Id", "")] = kind, target.lstrip("/")

        self.parse(posixpath.join(folder, "_rels", f"{name}.rels"), start, _nothing)
        return related

    def _sheets(self, main: str) -> list[tuple[str, str]]:
        """The title of each sheet and the id of its part; also finds out from when days are counted."""
        sheets: list[tuple[str, str]] = []

        def start(tag: str, attributes: Mapping[str, str]) -> None:
            if tag == "sheet":
                id = next((text for name, text in attributes.items() if name.rpartition(":")[2] == "id"), "")
                sheets.append((attributes.get("name", ""), id))
                if len(sheets) > _MOST_SHEETS:
                    raise InputError(self.path, f"has more than {_MOST_SHEETS:,} sheets.", hint=_SAVE_AGAIN)
            elif tag == "workbookPr":
                self.epoch_1904 = attributes.get("date1904", "") in ("1", "true")

        def end(tag: str) -> None:
            if tag == "sheets":
                raise _Enough

        if main not in self.archive.NameToInfo:
            raise ValueError("no workbook is in this archive")
        self.parse(main, start, end)
        return sheets

    def _strings(self, part: str | None) -> list[str]:
        """The texts that cells refer to by their numbers."""
        strings: list[str] = []
        text = _Text()

        def start(tag: str, attributes: Mapping[str, str]) -> None:
            if tag == "t":
                text.reading = not text.spoken
            elif tag == "rPh":  # how the text is pronounced
                text.spoken = True

        def end(tag: str) -> None:
            if tag == "t":
                text.reading = False
            elif tag == "rPh":
                text.spoken = False
            elif tag == "si":
                strings.append(_plain("".join(text.pieces)))
                text.pieces.clear()

        if part is not None:
            self.parse(part, start, end, text.add)
        return strings


class _Styles:
    """Which of a workbook's styles show a number as a date, a time or a duration."""

    def __init__(self, workbook: Workbook, part: str | None) -> None:
        self._formats: dict[int, str] = {}
        self._styles: list[int] = []
        self._known: dict[str, tuple[bool, bool]] = {}
        inside = False

        def start(tag: str, attributes: Mapping[str, str]) -> None:
            nonlocal inside
            if tag == "cellXfs":
                inside = True
            elif tag == "xf" and inside:
                self._styles.append(int(attributes.get("numFmtId", 0)))
            elif tag == "numFmt":
                code = attributes.get("formatCode", "")[:_LONGEST_FORMAT]
                self._formats[int(attributes.get("numFmtId", 0))] = code

        def end(tag: str) -> None:
            if tag == "cellXfs":
                raise _Enough

        if part is not None:
            workbook.parse(part, start, end)

    def of(self, style: str) -> tuple[bool, bool]:
        """Whether a style, by its number, is for dates and times, and whether for durations."""
        from openpyxl.styles.numbers import BUILTIN_FORMATS, is_date_format, is_timedelta_format

        if style not in self._known:
            number = int(style)
            id = self._styles[number] if number < len(self._styles) else 0
            code = self._formats.get(id, BUILTIN_FORMATS.get(id))
            self._known[style] = is_date_format(code), is_timedelta_format(code)
        return self._known[style]


def _read_rows(workbook: Workbook, part: str, title: str, strings: list[str], styles: _Styles) -> Grid:
    """The filled rows of a sheet, which is refused at a limit, before any row is filled up with blanks."""
    limits, grid = workbook.limits, Grid()
    cells: dict[int, str] = {}
    text = _Text()
    inside = False
    number = column = filled = characters = widest = 0
    kind, style = "n", ""
    sheet = f"sheet {some([title])}"

    def start(tag: str, attributes: Mapping[str, str]) -> None:
        nonlocal inside, number, column, kind, style
        if tag == "c":
            address = attributes.get("r")
            column = _column(address.rstrip("0123456789")) if address else column + 1
            kind, style = attributes.get("t", "n"), attributes.get("s", "")
            text.pieces.clear()
        elif tag in ("v", "t"):
            text.reading = inside and not text.spoken
        elif tag == "row":
            number, column = int(min(float(attributes.get("r", number + 1)), _HIGHEST_ROW)), 0
            cells.clear()
            limits.check_raw(workbook.path, number, 0, 0, line=number, record=sheet)
        elif tag == "rPh":
            text.spoken = True
        elif tag == "sheetData":
            inside = True

    def end(tag: str) -> None:
        nonlocal filled, characters, widest
        if tag in ("v", "t"):
            text.reading = False
        elif tag == "c":
            content = _value("".join(text.pieces), kind, style, strings, styles, workbook.epoch_1904)
            if content:
                cells[column] = content
                filled, characters = filled + 1, characters + len(content)
                if column > MAX_COLUMNS or filled > limits.cells or characters > limits.characters:
                    limits.check_raw(workbook.path, 0, column, 0, line=number, record=sheet)
                    limits.check(
                        workbook.path, 0, cells=filled, characters=characters, line=number, record=sheet
                    )
        elif tag == "row":
            if any(map(str.strip, cells.values())):
                width = max(cells)
                widest = max(widest, width)
                padded = widest * (len(grid) + 1)
                limits.check(workbook.path, len(grid), line=number, record=sheet)
                limits.check_raw(workbook.path, 0, widest, padded, line=number, record=sheet)
                grid.append((number, [cells.get(index, "") for index in range(1, width + 1)]))
            cells.clear()
        elif tag == "rPh":
            text.spoken = False
        elif tag == "sheetData":
            raise _Enough

    workbook.parse(part, start, end, text.add)
    return grid


@cache
def _column(letters: str) -> int:
    from openpyxl.utils import column_index_from_string

    return column_index_from_string(letters)


def _value(
    text: str, kind: str, style: str, strings: Sequence[str], styles: _Styles, epoch_1904: bool
) -> str:
    """What a cell shows, from what is written in it."""
    if not text:
        return ""
    if kind == "s":
        return strings[int(text)]
    if kind == "n":
        return _number(text, style, styles, epoch_1904)
    if kind == "b":
        return as_text(bool(int(text)))
    if kind == "d":
        from openpyxl.utils import datetime as moments

        return as_text(moments.from_ISO8601(text))  # type: ignore[no-untyped-call]
    return _plain(text)


def _number(text: str, style: str, styles: _Styles, epoch_1904: bool) -> str:
    from openpyxl.utils.datetime import MAC_EPOCH, WINDOWS_EPOCH, from_excel

    value = float(text) if set(text) & set(".eE") else int(text)
    is_date, is_duration = styles.of(style) if style else (False, False)
    if not is_date:
        return as_text(value)
    try:
        return as_text(from_excel(value, MAC_EPOCH if epoch_1904 else WINDOWS_EPOCH, is_duration))
    except (OverflowError, ValueError):  # what spreadsheet programs show for days that are none
        return "#VALUE!"


def _plain(text: str) -> str:
    if "_x" in text or "_X" in text:
        text = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)
    return unify_line_ends(text)


def _nothing(tag: str) -> None:
    """Most elements end without consequences."""


def _refuse_doctype(*_: object) -> None:
    raise ValueError("a workbook declares no document type")


# Writing workbooks.


def write_sheet(
    path: Path, header: Sequence[str], rows: Iterable[Sequence[str]], *, private: bool = False
) -> None:
    """Write one sheet in which every cell is text, also one that begins like a formula."""
    from openpyxl import Workbook

    workbook = Workbook(write_only=True)
    try:
        sheet = workbook.create_sheet("answers")
        for row in (header, *rows):
            sheet.append([text_cell(sheet, text) for text in row])
        with atomic_writer(path, private=private) as file:
            workbook.save(file)
    finally:
        workbook.close()


def means_something(text: str) -> bool:
    """Whether a program would take a text for a formula or, like `#N/A`, for an error."""
    return text.startswith("#") or FORMULA.match(text) is not None


def text_cell(sheet: Any, text: str) -> Any:
    """A cell of a sheet being written that is text whatever it begins with; one too long for it is cut."""
    from openpyxl.cell import WriteOnlyCell

    value = _escaped(text)
    if not fits_a_cell(text):
        units = value.encode("utf-16-le", "surrogatepass")
        value = units[: 2 * (MAX_CELL - 1)].decode("utf-16-le", "ignore") + "…"
    cell: Any = WriteOnlyCell(sheet, value=value)
    cell.data_type = "s"
    if means_something(text):
        # Without this mark, which programs show as an apostrophe, editing the cell makes it a formula.
        cell.quotePrefix = True
    return cell


def _escaped(text: str) -> str:
    return _LOOKS_ESCAPED.sub("_x005F_", unify_line_ends(text))


def fits_a_cell(text: str) -> bool:
    """Whether a text is short enough for one cell of a workbook (longer ones would be cut silently)."""
    # The room in a cell is counted in halves of the rarer characters.
    return len(_escaped(text).encode("utf-16-le", "surrogatepass")) // 2 <= MAX_CELL
