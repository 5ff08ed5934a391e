"""Delimited text (CSV, TSV) as plain rows of text, whichever delimiter a spreadsheet program chose."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from postil.data.files import MAX_LINE_BYTES, read_text, write_text
from postil.data.formats.grids import Grid, check_size, unify_line_ends
from postil.errors import InputError

_DELIMITERS = ",;\t|"
_SEEN_BY_SNIFFER = 256 * 1024
_NEEDS_QUOTES = re.compile(r'[",;\t|\n]|^\s|\s$')
_FORMULA_STARTS = ("=", "+", "-", "@", "\t")


def read_delimited(path: Path, *, delimiter: str | None, encoding: str | None) -> Grid:
    """Read the filled rows of a CSV or TSV file, finding out the delimiter where none is given."""
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
        # Tab-separated files also come without quoting: there a quotation mark is only a character.
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
    candidates = [mark for mark in _DELIMITERS if records and records[0][mark]]
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


def _parse(path: Path, text: str, delimiter: str, skipped: int, *, quoted: bool = True) -> Grid:
    # The limit belongs to the whole process, so it is only ever raised.
    csv.field_size_limit(max(csv.field_size_limit(), MAX_LINE_BYTES))
    reader = csv.reader(
        io.StringIO(text, newline="\n"),  # only \n: Unicode's line separators occur inside answers
        delimiter=delimiter,
        quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE,
        strict=True,
    )
    grid: Grid = []
    line = skipped + 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                width = len(grid[0][1]) if grid else len(cells)
                check_size(path, len(grid), width, line=line)
                grid.append((line, _fitted(path, line, cells, width)))
            line = skipped + reader.line_num + 1
    except csv.Error as error:
        unclosed = "unexpected end" in str(error)
        raise InputError(
            path,
            "a quotation mark opens here and never closes." if unclosed else f"is malformed here: {error}.",
            line=line,
            hint="A quotation mark inside a quoted cell is written twice.",
        ) from error
    return grid


def _fitted(path: Path, line: int, cells: list[str], width: int) -> list[str]:
    """Cut blank cells that stand beyond the header; any other difference in width is an error."""
    if len(cells) < width or any(cell.strip() for cell in cells[width:]):
        raise InputError(
            path,
            f"this row has {len(cells)} cells, and the header has {width}.",
            line=line,
            hint="A cell that holds the delimiter or a line break must stand in quotation marks.",
        )
    return cells[:width]


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
        text = "'" + text  # a hyphen alone is no formula, and says that there is nothing
    text = unify_line_ends(text)
    # Any delimiter calls for quotes, not only this file's own: the reader, which has to guess, is not misled.
    if _NEEDS_QUOTES.search(text) or (alone and not text):
        doubled = text.replace('"', '""')
        return f'"{doubled}"'
    return text
