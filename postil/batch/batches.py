"""Reads a partition in batches of rows: a fixed number of rows each, however the file is stored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import pyarrow as pa
import pyarrow.parquet as pq

from postil.batch.layouts import cells_of, fitted, object_of, records, row_text, text_of
from postil.batch.partitions import DAMAGED, Partition, unreadable
from postil.batch.sources import blocks, file_system, unpacked

ROWS = 1024
RAW = "postil_raw"  # the column of a row of text as it was written


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows as they come out again, and what stands in the columns that were asked for.

    Rows of Parquet keep their columns. A row of text is carried through as it was written, in one column:
    numbers, quotation marks and fields that only some rows have stay as they are.
    """

    rows: pa.Table
    values: dict[str, list[object]]


def read_batches(partition: Partition, columns: Sequence[str], rows: int = ROWS) -> Iterator[Batch]:
    """The rows of a partition in their order, so many at a time; what cannot be read is an `InputError`.

    There is a batch at least, with no row in it if need be.
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
        found = stored.iter_batches(batch_size=rows, row_groups=groups, use_threads=False) if groups else ()
        empty = stored.schema_arrow.empty_table()
        for table in in_batches((pa.Table.from_batches([one], empty.schema) for one in found), rows, empty):
            yield Batch(table, {name: table.column(name).to_pylist() for name in columns})


def _text(partition: Partition, columns: list[str], rows: int) -> Iterator[Batch]:
    source = partition.source
    found = _lines_of_json(partition, columns) if source.kind == "jsonl" else _delimited(partition, columns)
    first = True
    while (some := list(islice(found, rows))) or first:
        first = False
        raw = pa.table({RAW: pa.array([text for text, _ in some], pa.large_string())})
        yield Batch(raw, {name: [values[place] for _, values in some] for place, name in enumerate(columns)})


def _lines_of_json(partition: Partition, columns: list[str]) -> Iterator[tuple[str, list[object]]]:
    for text in _texts(partition):
        fields = object_of(partition.source.name, text)
        yield text, [fields.get(name) for name in columns]


def _delimited(partition: Partition, columns: list[str]) -> Iterator[tuple[str, list[object]]]:
    layout, name = partition.layout, partition.source.name
    places = [layout.names.index(column) for column in columns]
    for text in _texts(partition):
        cells = cells_of(name, text, layout)
        kept = fitted(name, cells, layout)
        # A table of one column needs quotation marks as soon as it gets more.
        raw = text if layout.delimiter and len(kept) == len(cells) else row_text(kept, layout)
        yield raw, [kept[place] for place in places]


def _texts(partition: Partition) -> Iterator[str]:
    """The records of a partition that are not blank."""
    source, layout = partition.source, partition.layout
    stored = unpacked(source) if source.compressed else blocks(source, partition.begin, partition.end)
    place = 0
    for number, record in enumerate(records(source.name, stored, layout), start=1):
        place += len(record)
        if source.compressed and place <= layout.header:
            continue
        text = text_of(source.name, record, number)
        if text.strip():
            yield text


def in_batches(tables: Iterable[pa.Table], rows: int, empty: pa.Table) -> Iterator[pa.Table]:
    """The same rows, `rows` at a time; only the last batch has fewer. Where there are none, it is `empty`."""
    held = empty
    first = True
    for table in tables:
        held = pa.concat_tables([held, table])
        while len(held) >= rows:
            yield held.slice(0, rows)
            held, first = held.slice(rows), False
    if len(held) or first:
        yield held
