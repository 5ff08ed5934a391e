"""Cuts files into partitions, the work of one worker at a time, and reads them in batches of rows.

A file is always cut in the same way. To cut a text file every record is read, so that a malformed one is
reported before anything is judged.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import lzma
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice, pairwise

import pyarrow as pa
import pyarrow.parquet as pq

from postil.batch.storage import Source, blocks, digest, file_system, unpacked
from postil.batch.work import Task
from postil.data.files import MAX_LINE_BYTES
from postil.data.formats.rows import demand_object, placeholder
from postil.data.formats.spreadsheets import (
    DELIMITERS,
    FORMULA,
    INNER_FORMULA,
    csv_reader,
    defused,
    fit_cells,
    malformed,
    same_name,
    sniff,
)
from postil.errors import InputError

SLICE = 1024 * 1024  # bytes of text; some thousand answers
ROWS = 1024  # of a batch
RAW = "postil_raw"  # the column that holds a row of text as it was written
# What reading a file may raise if it is damaged or compressed in an unknown way.
DAMAGED = (OSError, EOFError, zlib.error, lzma.LZMAError, ValueError)
_MOST_ROWS = 10_000  # of a Parquet file's row groups, taken together
_MOST_NAMES = 2_000  # of fields in JSON; columns beyond are ignored
_HEAD = 256 * 1024
_BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class Layout:
    """What must be known about a file to start reading in the middle of it.

    `names` are the columns. A file of JSON lines has no delimiter and no header; a table of one column has a
    header and no delimiter. `header` is the position where the header ends.
    """

    names: tuple[str, ...] = ()
    header: int = 0
    delimiter: str = ""
    quoted: bool = True
    newline: str = "\n"


def possible_layouts(name: str, kind: str, head: bytes) -> list[Layout]:
    """The possible layouts of a file that begins like this, the likeliest first.

    Tab-separated files also come without quoting, where a quotation mark is an ordinary character.
    """
    newline = "\r\n" if head.partition(b"\n")[0].endswith(b"\r") else "\n"
    if kind == "jsonl":
        return [Layout(quoted=False, newline=newline)]
    text = head.decode("utf-8", "ignore").replace("\r\n", "\n").removeprefix(_BOM)
    if not text.strip():
        raise InputError(name, "the file is empty.", hint="A table has a header at least.")
    mark = "\t" if kind == "tsv" else sniff(text)
    delimiter = mark if mark in DELIMITERS else ""
    choices = (True, False) if kind == "tsv" else (True,)
    return [Layout(delimiter=delimiter, quoted=quoted, newline=newline) for quoted in choices]


def records(name: str, blocks: Iterable[bytes], layout: Layout) -> Iterator[bytes]:
    """The records of a text, each with its line end; blank lines count as records."""
    pattern = _record(layout.delimiter, layout.quoted)
    rest = b""
    line = 1
    for block in blocks:
        rest += block
        position = 0
        while match := pattern.match(rest, position):
            yield match[0]
            line += match[0].count(b"\n")
            position = match.end()
        rest = rest[position:]
        if len(rest) > MAX_LINE_BYTES:
            raise _endless(name, line, layout)
    if rest and not pattern.fullmatch(rest + b"\n"):
        raise _endless(name, line, layout)
    if rest:
        yield rest


@lru_cache
def _record(delimiter: str, quoted: bool) -> re.Pattern[bytes]:
    if not quoted:
        return re.compile(rb"[^\n]*+\n")
    between = re.escape(delimiter.encode())
    other = rb"[^\n" + between + rb"]*+"
    cell = rb'(?:"(?:[^"]++|"")*+"' + other + rb'|(?!")' + other + rb")"
    further = rb"(?:" + between + cell + rb")*+" if delimiter else b""
    return re.compile(rb"(?:\xef\xbb\xbf)?+" + cell + further + rb"\n")


def _endless(name: str, line: int, layout: Layout) -> InputError:
    if layout.quoted:
        return InputError(name, "a quotation mark opens here and never closes.", line=line)
    return InputError(name, "this line is too long to be a record.", line=line)


def text_of(name: str, record: bytes, line: int) -> str:
    """A record as text, without its line end and byte-order mark."""
    try:
        text = record.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(name, "is not UTF-8 text.", line=line, hint="Save it as UTF-8.") from error
    return text.removeprefix(_BOM).removesuffix("\n").removesuffix("\r")


def cells_of(name: str, text: str, layout: Layout, line: int | None = None) -> list[str]:
    """The cells of a record of a table."""
    if not layout.delimiter:
        is_quoted = len(text) > 1 and text[0] == text[-1] == '"'
        return [text[1:-1].replace('""', '"') if is_quoted else text]
    try:
        rows: list[list[str]] = list(csv_reader(text, layout.delimiter, layout.quoted))
    except csv.Error as error:
        raise malformed(name, error, line) from error
    return rows[0] if rows else [""]


def object_of(name: str, text: str, line: int | None = None) -> dict[str, object]:
    """The fields of a line of JSON."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        hint = "A .jsonl file holds one JSON object a line."
        raise InputError(name, "is not JSON.", line=line, hint=hint) from error
    return demand_object(name, value, line)


def row_text(cells: Iterable[str], layout: Layout) -> str:
    """Cells as they are written into a file of this layout, without the line end."""
    delimiter = layout.delimiter or ","
    if not layout.quoted:
        return delimiter.join(" ".join(cell.split()) for cell in cells)
    written = io.StringIO()
    csv.writer(written, delimiter=delimiter, lineterminator="").writerow(list(cells))
    return written.getvalue()


# Where a cell may begin like a formula, so that the row has to be looked at.
_SUSPECT = re.compile(rf"(?:^|[,;\t|\"])'*(?:{FORMULA.pattern})")
_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?(?:[eE][+-]?\d+)?")


def defused_row(text: str, layout: Layout) -> str:
    """A record in which no cell is a formula: as it was written, unless one of its cells is one."""
    if not (_SUSPECT.search(text) or INNER_FORMULA.search(text)):
        return text
    # A table of one column is written with quotation marks, where it needs them, as soon as it gets more.
    written = layout if layout.delimiter else replace(layout, delimiter=",")
    cells = cells_of("", text, written)
    safe = [cell if _NUMBER.fullmatch(cell.strip()) else defused(cell) for cell in cells]
    if safe == cells:
        return text
    return row_text(safe, layout) if layout.quoted else layout.delimiter.join(safe)


@dataclass(frozen=True, slots=True)
class Partition:
    """A part of a file: bytes of text, or row groups of Parquet, from `begin` to before `end`."""

    source: Source
    number: int
    begin: int
    end: int
    layout: Layout


def cut(source: Source, size: int = SLICE) -> list[Task]:
    """Read a file to the end and cut it into tasks: at least one, whose partition may be empty."""
    try:
        if source.kind == "parquet":
            sha256, partitions = digest(source), list(_row_groups(source))
        else:
            sha256, partitions = _cut_text(source, size)
    except DAMAGED as error:
        raise unreadable(source.name, error) from error
    return [Task(partition, sha256, len(partitions)) for partition in partitions]


def unreadable(name: str, error: Exception) -> InputError:
    """Why a file cannot be read, in the system's words; a parser's own message may repeat a pupil's words."""
    why = error.strerror if isinstance(error, OSError) and error.errno else "it is damaged"
    return InputError(name, f"cannot be read: {why}.")


def _row_groups(source: Source) -> Iterator[Partition]:
    files, path = file_system(source.url)
    try:
        with files.open(path, "rb") as file:
            stored = pq.ParquetFile(file)
            about = stored.metadata
            layout = Layout(tuple(stored.schema_arrow.names))
            rows = [about.row_group(number).num_rows for number in range(about.num_row_groups)]
    except (pa.ArrowException, OSError) as error:
        raise InputError(source.name, "is not a Parquet file, or it is damaged.") from error
    _refuse_same_names(source.name, layout.names)
    number = begin = total = 0
    for group, count in enumerate(rows):
        if total and total + count > _MOST_ROWS:
            yield Partition(source, number, begin, group, layout)
            number, begin, total = number + 1, group, 0
        total += count
    yield Partition(source, number, begin, len(rows), layout)


def _cut_text(source: Source, size: int) -> tuple[str, list[Partition]]:
    """The hash of a text file's bytes, and its partitions."""
    problem: InputError | None = None
    for layout in possible_layouts(source.name, source.kind, head_of(source, _HEAD)):
        try:
            return _scanned(source, layout, size)
        except InputError as error:
            problem = problem or error
    assert problem is not None  # noqa: S101 - there is at least one layout
    raise problem


def _scanned(source: Source, layout: Layout, size: int) -> tuple[str, list[Partition]]:
    """Cut at the first end of a record after `size` bytes."""
    hasher = hashlib.sha256()
    stored = unpacked(source) if source.compressed else _hashed(blocks(source), hasher)
    names: dict[str, None] = {}
    ends: list[int] = []
    begin = position = 0
    line = 1
    for record in records(source.name, stored, layout):
        text = text_of(source.name, record, line)
        position += len(record)
        if not text.strip():
            pass
        elif source.kind == "jsonl":
            fields = object_of(source.name, text, line)
            if len(names) < _MOST_NAMES:
                names |= dict.fromkeys(fields)
        elif not layout.names:
            layout = replace(layout, names=_header(source.name, text, layout, line), header=position)
            begin = position
        else:
            cells = cells_of(source.name, text, layout, line)
            fit_cells(source.name, cells, len(layout.names), line)
        line += record.count(b"\n")
        if position - begin >= size and not source.compressed:
            ends.append(position)
            begin = position
    if source.kind == "jsonl":
        layout = replace(layout, names=tuple(names))
    if begin < position or not ends:
        ends.append(position)
    spans = pairwise([layout.header, *ends])
    partitions = [Partition(source, number, *span, layout) for number, span in enumerate(spans)]
    return digest(source) if source.compressed else hasher.hexdigest(), partitions


def _header(name: str, text: str, layout: Layout, line: int) -> tuple[str, ...]:
    cells = cells_of(name, text, layout, line)
    names = tuple(cell.strip() or placeholder(place) for place, cell in enumerate(cells))
    _refuse_same_names(name, names)
    return names


def _refuse_same_names(name: str, names: tuple[str, ...]) -> None:
    for index, column in enumerate(names):
        if column in names[:index]:
            raise same_name(name, column, names.index(column) + 1, index + 1)


def head_of(source: Source, size: int) -> bytes:
    """The first bytes of a text file, unpacked."""
    if source.compressed:
        return next(unpacked(source), b"")[:size]
    return b"".join(blocks(source, 0, min(size, source.size)))


def _hashed(stored: Iterable[bytes], hasher: hashlib._Hash) -> Iterator[bytes]:
    for block in stored:
        hasher.update(block)
        yield block


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows to pass through to the result, and the values of the columns asked for.

    Rows of Parquet keep their columns. A row of text is passed through as it was written, in one column:
    numbers, quotation marks and fields that only some rows have stay as they are.
    """

    rows: pa.Table
    values: dict[str, list[object]]


def read_batches(partition: Partition, columns: Sequence[str], rows: int = ROWS) -> Iterator[Batch]:
    """The rows of a partition in order, `rows` at a time; `InputError` if they cannot be read.

    There is at least one batch, which may be empty.
    """
    read = _parquet if partition.source.kind == "parquet" else _text
    try:
        yield from read(partition, list(columns), rows)
    except (pa.ArrowException, *DAMAGED) as error:
        raise unreadable(partition.source.name, error) from error


def _parquet(partition: Partition, columns: list[str], rows: int) -> Iterator[Batch]:
    files, path = file_system(partition.source.url)
    with files.open(path, "rb") as file:
        stored = pq.ParquetFile(file)
        groups = list(range(partition.begin, partition.end))
        batches = stored.iter_batches(batch_size=rows, row_groups=groups, use_threads=False) if groups else ()
        empty = stored.schema_arrow.empty_table()
        for table in in_batches(
            (pa.Table.from_batches([batch], empty.schema) for batch in batches), rows, empty
        ):
            yield Batch(table, {name: table.column(name).to_pylist() for name in columns})


def _text(partition: Partition, columns: list[str], rows: int) -> Iterator[Batch]:
    records = _records(partition, columns)
    first = True
    while (chunk := list(islice(records, rows))) or first:
        first = False
        raw = pa.table({RAW: pa.array([text for text, _ in chunk], pa.large_string())})
        yield Batch(raw, {name: [values[index] for _, values in chunk] for index, name in enumerate(columns)})


def _records(partition: Partition, columns: list[str]) -> Iterator[tuple[str, list[object]]]:
    """Each record as it was written, or as a row of several columns must be, and its values."""
    layout, name = partition.layout, partition.source.name
    is_json = partition.source.kind == "jsonl"
    indices = [] if is_json else [layout.names.index(column) for column in columns]
    for text in _texts(partition):
        if is_json:
            fields = object_of(name, text)
            yield text, [fields.get(column) for column in columns]
            continue
        cells = cells_of(name, text, layout)
        row = fit_cells(name, cells, len(layout.names))
        # A table of one column needs quotation marks as soon as it gets more.
        raw = text if layout.delimiter and len(row) == len(cells) else row_text(row, layout)
        yield raw, [row[index] for index in indices]


def _texts(partition: Partition) -> Iterator[str]:
    """The records of a partition that are not blank."""
    source, layout = partition.source, partition.layout
    stored = unpacked(source) if source.compressed else blocks(source, partition.begin, partition.end)
    position = 0
    for number, record in enumerate(records(source.name, stored, layout), start=1):
        position += len(record)
        if source.compressed and position <= layout.header:
            continue
        text = text_of(source.name, record, number)
        if text.strip():
            yield text


def in_batches(tables: Iterable[pa.Table], rows: int, empty: pa.Table) -> Iterator[pa.Table]:
    """The same rows, `rows` at a time; only the last batch has fewer. Without rows, it is `empty`."""
    rest = empty
    first = True
    for table in tables:
        rest = pa.concat_tables([rest, table])
        while len(rest) >= rows:
            yield rest.slice(0, rows)
            rest, first = rest.slice(rows), False
    if len(rest) or first:
        yield rest
