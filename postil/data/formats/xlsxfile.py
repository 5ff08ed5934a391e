"""Excel workbooks as plain rows of text, with the guards that files from strangers need."""

from __future__ import annotations

import io
import re
import warnings
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from postil.data.files import atomic_writer, read_bytes
from postil.data.formats.grids import Grid, as_text, check_size, unify_line_ends
from postil.errors import InputError, PostilError, some

MAX_UNPACKED_BYTES = 512 * 1024 * 1024
MAX_CELL = 32_767

_OLD_OR_LOCKED = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
# A text that begins so would be read as a formula or, like `#N/A`, as an error.
MEAN_SOMETHING = ("=", "+", "-", "@", "\t", "#")
# A workbook writes some characters as _xHHHH_; a text that only looks like this is written _x005F_xHHHH_.
_LOOKS_ESCAPED = re.compile(r"_(?=x[0-9A-Fa-f]{4}_)")
_ESCAPED = re.compile(r"_x(005F|000D|000A|0009)_", re.IGNORECASE)


def read_sheet(path: Path, sheet: str | None = None) -> Grid:
    """Read the filled rows of one sheet (the first that has any, or the one named) with their row numbers."""
    data = read_bytes(path)
    _refuse_what_is_no_workbook(path, data)
    try:
        with warnings.catch_warnings():
            # openpyxl warns of styles and extensions it does not know; none of them touches the text.
            warnings.simplefilter("ignore")
            return _read(path, data, sheet)
    except PostilError:
        raise
    except Exception as error:  # on a damaged workbook openpyxl lets through whatever happens to it
        raise InputError(
            path,
            "is a damaged workbook, or none.",
            hint="Open it in a spreadsheet program and save it again as .xlsx.",
        ) from error


def _refuse_what_is_no_workbook(path: Path, data: bytes) -> None:
    if data.startswith(_OLD_OR_LOCKED):
        if "EncryptedPackage".encode("utf-16-le") in data:
            raise InputError(
                path, "is protected by a password.", hint="Save a copy without a password, and name that one."
            )
        raise InputError(
            path,
            "is a workbook of the old .xls kind, which cannot be read.",
            hint="Open it in a spreadsheet program and save it as .xlsx.",
        )
    try:
        unpacked = unpacked_bytes(data)
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise InputError(
            path,
            "is not an .xlsx workbook, or it is damaged.",
            hint="Open it in a spreadsheet program and save it as .xlsx.",
        ) from error
    if unpacked > MAX_UNPACKED_BYTES:
        raise InputError(
            path,
            f"unpacks to {unpacked / 2**20:,.0f} MB; at most {MAX_UNPACKED_BYTES // 2**20} MB are read.",
            hint="Keep only the sheet with the answers.",
        )


def unpacked_bytes(data: bytes) -> int:
    """How large a zip archive, such as a workbook, says that it is when unpacked."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return sum(entry.file_size for entry in archive.infolist())


def _read(path: Path, data: bytes, sheet: str | None) -> Grid:
    from openpyxl import load_workbook

    workbook = load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
    try:
        sheets = list(workbook.worksheets)
        if sheet is not None:
            sheets = [one for one in sheets if one.title.strip().casefold() == sheet.strip().casefold()]
            if not sheets:
                names = some((one.title for one in workbook.worksheets), 10)
                raise InputError(path, f"has no sheet called {sheet!r}; it has {names}.")
        for one in sheets:
            grid = list(_filled_rows(path, one))
            if grid:
                return grid
    finally:
        workbook.close()
    raise InputError(path, "holds no text." if sheet is None else f"the sheet {sheet!r} holds no text.")


def _filled_rows(path: Path, sheet: Any) -> Iterator[tuple[int, list[str]]]:
    # The size a sheet claims can be wrong, or the whole possible grid: only the cells themselves are trusted.
    sheet.reset_dimensions()
    filled = 0
    for number, values in enumerate(sheet.iter_rows(min_row=1, min_col=1, values_only=True), start=1):
        cells = [_text(value) for value in values]
        while cells and not cells[-1]:
            cells.pop()
        check_size(path, number, 1)
        if any(map(str.strip, cells)):
            filled += 1
            check_size(path, filled, len(cells), line=number)
            yield number, cells


def _text(value: object) -> str:
    if not isinstance(value, str):
        return as_text(value)
    return unify_line_ends(_ESCAPED.sub(lambda match: chr(int(match[1], 16)), value))


def write_sheet(path: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write one sheet in which every cell is text, also one that begins like a formula."""
    from openpyxl import Workbook

    workbook = Workbook(write_only=True)
    try:
        sheet = workbook.create_sheet("answers")
        for row in (header, *rows):
            sheet.append([text_cell(sheet, text) for text in row])
        with atomic_writer(path) as file:
            workbook.save(file)
    finally:
        workbook.close()


def text_cell(sheet: Any, text: str) -> Any:
    """A cell of a sheet being written that is text whatever it begins with; one too long for it is cut."""
    from openpyxl.cell import WriteOnlyCell

    cell: Any = WriteOnlyCell(sheet, value=_cut(_escaped(text)))
    cell.data_type = "s"
    if text.startswith(MEAN_SOMETHING):
        # Without this mark the text becomes a formula when somebody edits the cell.
        cell.quotePrefix = True
    return cell


def _cut(text: str) -> str:
    """A text that fits into a cell, whose room is counted in halves of the rarer characters."""
    units = text.encode("utf-16-le", "surrogatepass")
    if len(units) <= 2 * MAX_CELL:
        return text
    return units[: 2 * (MAX_CELL - 1)].decode("utf-16-le", "ignore") + "…"


def _escaped(text: str) -> str:
    return _LOOKS_ESCAPED.sub("_x005F_", unify_line_ends(text))


def fits_a_cell(text: str) -> bool:
    """Whether a text is short enough for one cell of a workbook (longer ones would be cut without a word)."""
    return len(_escaped(text).encode("utf-16-le", "surrogatepass")) // 2 <= MAX_CELL
