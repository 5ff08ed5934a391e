"""CSV and TSV files as plain rows of text, before their header is understood; how large a table may be."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

from postil.data.files import MAX_BYTES, MAX_LINE_BYTES, read_text, unify_line_ends, write_text
from postil.errors import InputError

MAX_ROWS = 1_048_576  # of a sheet in a spreadsheet program, blank ones included
MAX_COLUMNS = 2_000  # blank ones included
MAX_CELLS = 20_000_000
MAX_UNPACKED_BYTES = 512 * 1024 * 1024
_SPLIT = "Is it the right file? Split it into smaller ones."
_MOST_TITLES = 10  # rows above the heading
_BLANK_CELLS = 10  # for each cell that may be read, so many may be blank ones that are left out

Grid = list[tuple[int, list[str]]]


@dataclass(frozen=True, slots=True)
class Limits:
    """How large a table may be; by default, larger than any class, school or corpus.

    Rows are those below the header that are not blank. Readers check the limits while they read, so that a
    table which is too large costs no more than one that is just not.
    """

    rows: int = MAX_ROWS
    columns: int = MAX_COLUMNS
    cells: int = MAX_CELLS
    characters: int = MAX_BYTES
    unpacked: int = MAX_UNPACKED_BYTES

    def check(
        self,
        path: Path | str,
        rows: int,
        columns: int = 0,
        *,
        cells: int = 0,
        characters: int = 0,
        line: int | None = None,
        record: str | None = None,
    ) -> None:
        """Refuse a table that has so many filled rows, columns or characters."""
        if columns > self.columns:
            what = f"has {columns:,} columns; at most {self.columns:,} can be read."
        elif rows > self.rows:
            what = f"has more than {self.rows:,} rows, the most that can be read at once."
        elif max(cells, rows * columns) > self.cells:
            what = f"has more than {self.cells:,} cells, the most that can be read at once."
        elif characters > self.characters:
            what = f"has more than {self.characters:,} characters, the most that can be read at once."
        else:
            return
        raise InputError(path, what, line=line, record=record, hint=_SPLIT)

    def check_raw(
        self,
        path: Path | str,
        rows: int,
        columns: int,
        cells: int,
        *,
        line: int | None = None,
        record: str | None = None,
    ) -> None:
        """Refuse a table with so many rows, columns or cells, blank ones included."""
        if columns > MAX_COLUMNS:
            what = f"has {columns:,} columns; at most {MAX_COLUMNS:,} can be read."
        elif rows > MAX_ROWS:
            what = f"has more than {MAX_ROWS:,} rows, the most that can be read, even if they are blank."
        elif cells > _BLANK_CELLS * self.cells:
            most = _BLANK_CELLS * self.cells
            what = f"has more than {most:,} cells, the most that can be read, even if they are blank."
        else:
            return
        raise InputError(path, what, line=line, record=record, hint=_SPLIT)


USUAL = Limits()


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


def read_delimited(
    path: Path, *, delimiter: str | None, encoding: str | None, limits: Limits = USUAL
) -> Grid:
    """Read the filled rows of a CSV or TSV file, guessing the delimiter if none is given."""
    text = read_text(path, encoding=encoding)
    first, _, rest = text.partition("\n")
    declared = re.fullmatch(r"sep=([,;\t|])", first)  # how Excel notes the delimiter in a CSV file
    skipped = 1 if declared and rest.strip() else 0
    if declared and skipped:
        delimiter, text = declared[1], rest
    delimiter = delimiter or sniff(text)
    try:
        return _parse(path, text, delimiter, skipped, limits)
    except InputError as error:
        if delimiter != "\t":
            raise
        # Tab-separated files also come without quoting, where a quotation mark is an ordinary character.
        try:
            return _parse(path, text, delimiter, skipped, limits, quoted=False)
        except InputError:
            raise error from None


def sniff(text: str) -> str:
    """Find the delimiter that splits the rows as it splits the header.

    Only marks outside quotation marks count; where the header has none, the table has one column, and the
    delimiter is a character that occurs in no text.
    """
    records = _count_marks(text[:_SEEN_BY_SNIFFER], cut=len(text) > _SEEN_BY_SNIFFER)
    candidates = [mark for mark in DELIMITERS if records and records[0][mark]]
    if not candidates:
        return _below_titles(text) or "\0"  # which no text file holds

    def fit(mark: str) -> tuple[float, int]:
        width = records[0][mark]
        return sum(record[mark] == width for record in records) / len(records), width

    return max(candidates, key=fit)


def _below_titles(text: str) -> str:
    """The delimiter of the first row that has any, if this row names columns; titles above it have none."""
    from postil.data.formats.headings import is_role

    for line in text[:_SEEN_BY_SNIFFER].split("\n")[: _MOST_TITLES + 1]:
        for mark in DELIMITERS:
            if mark in line:
                return mark if any(is_role(cell.strip(' "')) for cell in line.split(mark)) else ""
    return ""


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
    if "unexpected end" in str(error):
        what = "a quotation mark opens here and never closes."
    elif "field limit" in str(error):
        what = "a quotation mark opens here and does not close, or the cell is too long."
    else:
        what = f"is malformed here: {error}."
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


def _parse(
    path: Path, text: str, delimiter: str, skipped: int, limits: Limits, *, quoted: bool = True
) -> Grid:
    reader = csv_reader(text, delimiter, quoted)
    grid: Grid = []
    line, rows, cells_seen = skipped + 1, 0, 0
    try:
        for cells in reader:
            rows, cells_seen = rows + 1, cells_seen + len(cells)
            limits.check_raw(path, rows, len(cells), cells_seen, line=line)
            if "".join(cells).strip():
                if len(grid) <= _MOST_TITLES and all(_is_title(row) for _, row in grid):
                    grid = [(number, row + [""] * (len(cells) - len(row))) for number, row in grid]
                width = len(grid[0][1]) if grid else len(cells)
                limits.check(path, len(grid), line=line)
                grid.append((line, fit_cells(path, cells, width, line)))
            line = skipped + reader.line_num + 1
    except csv.Error as error:
        raise malformed(path, error, line) from error
    return grid


def _is_title(cells: list[str]) -> bool:
    """Whether a row is so narrow, and reads so, that the heading may stand below it."""
    filled = [cell.strip() for cell in cells if cell.strip()]
    from postil.data.formats.headings import is_role  # which is made of grids

    return len(filled) == 1 and not is_role(filled[0]) and not filled[0].endswith("?")


def write_delimited(
    path: Path,
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    delimiter: str,
    *,
    private: bool = False,
) -> None:
    """Write a CSV or TSV file in UTF-8 with `\\n` line ends."""
    lines = (delimiter.join(_quoted(cell, len(row) == 1) for cell in row) for row in (header, *rows))
    write_text(path, "".join(f"{line}\n" for line in lines), private=private)


def _quoted(text: str, alone: bool) -> str:
    text = unify_line_ends(text)
    # Any delimiter calls for quotes, not only this file's own: the reader, which has to guess, is not misled.
    if _NEEDS_QUOTES.search(text) or (alone and not text):
        return '"' + text.replace('"', '""') + '"'
    return text


# Texts that spreadsheet programs would run. An answer may be a formula that sends a class list elsewhere, or
# only `-5 °C`: with an apostrophe before it, every program shows it as the text it is.

# What a formula begins with, also in the wide letters of Chinese and Japanese keyboards. Blanks before it are
# cut by some programs, and a tab or a line end can move what follows into another cell.
FORMULA = re.compile(r"[\s\ufeff\u200b]*[=+\-@＝＋－＠]|[\t\r]")
_DEFUSED = re.compile(rf"'+(?:{FORMULA.pattern})")
# Where lists are separated by semicolons, as in most of Europe, programs cut a file with commas at semicolons
# and line ends, whatever its quotation marks say, and what follows is a cell. Dashes begin lines of lists:
# behind one, only what calls something counts.
INNER_FORMULA = re.compile(
    r"(?<=[;\n\r])'*(?:[^\S\n\r]|[\ufeff\u200b])*(?:[=@＝＠]|[+\-＋－](?=[^;\n\r]*[(|!]))"
)


def defused(text: str) -> str:
    """A text that no spreadsheet program takes for a formula; `undefused` gives back the original."""
    if text == "-":
        return text  # not a formula; it means "nothing"
    begins = FORMULA.match(text) or _DEFUSED.match(text)
    return ("'" if begins else "") + INNER_FORMULA.sub(r"'\g<0>", text)


def undefused(text: str) -> str:
    """The original of a text that `defused` has written."""
    text = INNER_FORMULA.sub(lambda match: match[0].removeprefix("'"), text)
    return text[1:] if _DEFUSED.match(text) else text
