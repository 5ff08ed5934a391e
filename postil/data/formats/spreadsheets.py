"""CSV, TSV and Excel files as plain rows of text, before their header is understood."""

from __future__ import annotations

import csv
import io
import re
import warnings
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

from postil.data.files import MAX_LINE_BYTES, atomic_writer, read_bytes, read_text, write_text
from postil.errors import InputError, PostilError, some

MAX_ROWS = 1_048_576
MAX_COLUMNS = 2_000
MAX_CELLS = 20_000_000

Grid = list[tuple[int, list[str]]]


def check_size(path: Path, rows: int, columns: int, *, line: int | None = None) -> None:
    """Refuse a table larger than any class, school or corpus."""
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


DELIMITERS = ",;\t|"
_SEEN_BY_SNIFFER = 256 * 1024
_NEEDS_QUOTES = re.compile(r'[",;\t|\n]|^\s|\s$')
_FORMULA_STARTS = ("=", "+", "-", "@", "\t")


def read_delimited(path: Path, *, delimiter: str | None, encoding: str | None) -> Grid:
    """Read the filled rows of a CSV or TSV file, guessing the delimiter if none is given."""
    text = read_text(path, encoding=encoding)
    first, _, rest = text.partition("\n")
    declared = re.fullmatch(r"sep=([,;\t|])", first)  # how Excel notes the delimiter in a CSV file
    skipped = 1 if declared and rest.strip() else 0
    if declared and skipped:
        delimiter, text = declared[1], rest
    delimiter = delimiter or sniff(text)
    try:
        return _parse(path, text, delimiter, skipped)
    except InputError as error:
        if delimiter != "\t":
            raise
        # Tab-separated files also come without quoting, where a quotation mark is an ordinary character.
        try:
            return _parse(path, text, delimiter, skipped, quoted=False)
        except InputError:
            raise error from None


def sniff(text: str) -> str:
    """Find the delimiter that splits the rows as it splits the header.

    Only marks outside quotation marks count; where the header has none, the table has one column, and the
    answer is a character that does not occur in it.
    """
    records = _count_marks(text[:_SEEN_BY_SNIFFER], cut=len(text) > _SEEN_BY_SNIFFER)
    candidates = [mark for mark in DELIMITERS if records and records[0][mark]]
    if not candidates:
        return next(mark for mark in map(chr, range(0xE000, 0xF900)) if mark not in text)

    def fit(mark: str) -> tuple[float, int]:
        width = records[0][mark]
        return sum(record[mark] == width for record in records) / len(records), width

    return max(candidates, key=fit)


def _count_marks(text: str, *, cut: bool) -> list[Counter[str]]:
    """Count the possible delimiters in each record that is not blank; the last may be cut off."""
    records: list[Counter[str]] = []
    count: Counter[str] = Counter()
    quoted, start = False, 0
    for match in re.finditer(r'["\n,;\t|]', text):
        mark = match[0]
        if mark == '"':
            quoted = not quoted
        elif not quoted and mark != "\n":
            count[mark] += 1
        elif not quoted:
            if text[start : match.start()].strip():
                records.append(count)
            count, start = Counter(), match.end()
    if text[start:].strip() and not (cut and records):
        records.append(count)
    return records


def csv_reader(text: str, delimiter: str, quoted: bool) -> Any:
    """A strict reader of delimited text."""
    # The limit belongs to the whole process, so it is only ever raised.
    csv.field_size_limit(max(csv.field_size_limit(), MAX_LINE_BYTES))
    lines = io.StringIO(text, newline="\n")  # only \n: Unicode's line separators occur inside answers
    return csv.reader(
        lines, delimiter=delimiter, quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE, strict=True
    )


def malformed(path: Path | str, error: csv.Error, line: int | None) -> InputError:
    """What is wrong with delimited text."""
    unclosed = "unexpected end" in str(error)
    what = "a quotation mark opens here and never closes." if unclosed else f"is malformed here: {error}."
    hint = "A quotation mark inside a quoted cell is written twice."
    return InputError(path, what, line=line, hint=hint)


def same_name(path: Path | str, name: str, first: int, second: int, line: int | None = None) -> InputError:
    """Two columns, by their places, have one name."""
    what = f"columns {first} and {second} are both called {name!r}."
    return InputError(path, what, line=line, hint="Rename or delete one of them.")


def fit_cells(path: Path | str, cells: list[str], width: int, line: int | None = None) -> list[str]:
    """Cut blank cells beyond the header; any other difference in width is an error."""
    if len(cells) < width or any(cell.strip() for cell in cells[width:]):
        hint = "A cell that contains the delimiter or a line break must be in quotation marks."
        what = f"this row has {len(cells)} cells, but the header has {width}."
        raise InputError(path, what, line=line, hint=hint)
    return cells[:width]


def _parse(path: Path, text: str, delimiter: str, skipped: int, *, quoted: bool = True) -> Grid:
    reader = csv_reader(text, delimiter, quoted)
    grid: Grid = []
    line = skipped + 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                width = len(grid[0][1]) if grid else len(cells)
                check_size(path, len(grid), width, line=line)
                grid.append((line, fit_cells(path, cells, width, line)))
            line = skipped + reader.line_num + 1
    except csv.Error as error:
        raise malformed(path, error, line) from error
    return grid


def write_delimited(
    path: Path,
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    delimiter: str,
    defuse_formulas: bool = False,
) -> None:
    """Write a CSV or TSV file in UTF-8 with `\\n` line ends."""
    lines = (
        delimiter.join(_quoted(cell, defuse_formulas, alone=len(row) == 1) for cell in row)
        for row in (header, *rows)
    )
    write_text(path, "".join(f"{line}\n" for line in lines))


def _quoted(text: str, defuse: bool, *, alone: bool) -> str:
    if defuse and text.startswith(_FORMULA_STARTS) and text != "-":
        text = "'" + text  # a hyphen alone is not a formula but means "nothing"
    text = unify_line_ends(text)
    # Any delimiter calls for quotes, not only this file's own: the reader, which has to guess, is not misled.
    if _NEEDS_QUOTES.search(text) or (alone and not text):
        doubled = text.replace('"', '""')
        return f'"{doubled}"'
    return text


# Excel workbooks as plain rows of text, with the guards that files from strangers need.

MAX_UNPACKED_BYTES = 512 * 1024 * 1024
MAX_CELL = 32_767

_NOT_A_WORKBOOK = "is not an .xlsx workbook, or it is damaged."
_SAVE_AGAIN = "Open it in a spreadsheet program and save it as .xlsx."
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
            # openpyxl warns of unknown styles and extensions, which do not matter for the text.
            warnings.simplefilter("ignore")
            return _read(path, data, sheet)
    except PostilError:
        raise
    except Exception as error:  # openpyxl raises anything on a damaged workbook
        raise InputError(path, _NOT_A_WORKBOOK, hint=_SAVE_AGAIN) from error


def _refuse_what_is_no_workbook(path: Path, data: bytes) -> None:
    if data.startswith(_OLD_OR_LOCKED):
        if "EncryptedPackage".encode("utf-16-le") in data:
            hint = "Save a copy without a password, and use that one."
            raise InputError(path, "is protected by a password.", hint=hint)
        raise InputError(path, "is an old .xls workbook, which cannot be read.", hint=_SAVE_AGAIN)
    try:
        unpacked = unpacked_bytes(data)
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise InputError(path, _NOT_A_WORKBOOK, hint=_SAVE_AGAIN) from error
    if unpacked > MAX_UNPACKED_BYTES:
        what = f"unpacks to {unpacked / 2**20:,.0f} MB; at most {MAX_UNPACKED_BYTES // 2**20} MB are read."
        raise InputError(path, what, hint="Keep only the sheet with the answers.")


def unpacked_bytes(data: bytes) -> int:
    """The size of a zip archive, such as a workbook, when unpacked, as the archive states it."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return sum(entry.file_size for entry in archive.infolist())


def _read(path: Path, data: bytes, sheet: str | None) -> Grid:
    from openpyxl import load_workbook

    workbook = load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
    try:
        sheets = list(workbook.worksheets)
        if sheet is not None:
            sheets = [
                candidate
                for candidate in sheets
                if candidate.title.strip().casefold() == sheet.strip().casefold()
            ]
            if not sheets:
                names = some((candidate.title for candidate in workbook.worksheets), 10)
                raise InputError(path, f"has no sheet called {sheet!r}; it has {names}.")
        for candidate in sheets:
            grid = list(_filled_rows(path, candidate))
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
    """Whether a text is short enough for one cell of a workbook (longer ones would be cut silently)."""
    return len(_escaped(text).encode("utf-16-le", "surrogatepass")) // 2 <= MAX_CELL
