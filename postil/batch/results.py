"""Puts the result of a whole file together from its parts, in the format that the file has."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import IO

import pyarrow as pa
import pyarrow.parquet as pq

from postil.batch.batches import RAW, in_batches
from postil.batch.layouts import Layout, row_text, text_of
from postil.batch.parts import part_path, parts_folder, read_part, tally_of
from postil.batch.sources import blocks, unpacked
from postil.batch.storage import writing
from postil.batch.work import Tally, Task, Work
from postil.batch.worker import columns_added

_ROW_GROUP = 10_000
Prepare = Callable[[Tally], None]


def result_url(work: Work, name: str) -> str:
    """Where the result of that name lies."""
    return f"{work.output}/{name}"


def assemble(work: Work, task: Task, before_rename: Prepare) -> Tally:
    """Make the result of the file that a task belongs to.

    `before_rename` is called with what all rows came to when the result is written and has not its name yet.
    """
    source = task.partition.source
    urls = [part_path(work, task, number) for number in range(task.of)]
    with writing(result_url(work, source.result), parts_folder(work, task)) as file:
        if source.kind == "parquet":
            tally = _write_parquet(file, urls)
        else:
            tally = _write_text(file, urls, work, task)
        before_rename(tally)
    return tally


def _tables(urls: list[str], total: list[Tally]) -> Iterator[pa.Table]:
    for url in urls:
        for table in read_part(url):
            total.append(tally_of(table))
            yield table


def _write_parquet(file: IO[bytes], urls: list[str]) -> Tally:
    total: list[Tally] = []
    tables = _tables(urls, total)
    empty = next(tables)
    with pq.ParquetWriter(file, empty.schema) as writer:
        for table in in_batches(tables, _ROW_GROUP, empty):
            writer.write_table(table)
    return sum(total, Tally())


def _write_text(file: IO[bytes], urls: list[str], work: Work, task: Task) -> Tally:
    layout, source = task.partition.layout, task.partition.source
    names = list(columns_added(work))
    is_json = source.kind == "jsonl"
    if not is_json:
        file.write(_header(task, names))
    total: list[Tally] = []
    for table in _tables(urls, total):
        added = zip(*(table.column(name).to_pylist() for name in names), strict=True)
        for raw, cells in zip(table.column(RAW).to_pylist(), added, strict=True):
            row = _json_row(raw, names, cells) if is_json else _row(raw, cells, layout)
            file.write(f"{row}{layout.newline}".encode())
    return sum(total, Tally())


def _header(task: Task, names: list[str]) -> bytes:
    """The header as it was written, the mark before it too, with the names of what was added."""
    layout, source = task.partition.layout, task.partition.source
    stored = unpacked(source) if source.compressed else blocks(source, 0, layout.header)
    head = b"".join(stored)[: layout.header] if not source.compressed else next(stored)[: layout.header]
    text = text_of(source.name, head, 1)
    mark = "\ufeff" if head.startswith(b"\xef\xbb\xbf") else ""
    own = text.lstrip("\r\n") if layout.delimiter else row_text(layout.names, layout)
    return f"{mark}{_row(own, names, layout)}{layout.newline}".encode()


def _row(raw: str, cells: tuple[object, ...] | list[str], layout: Layout) -> str:
    return f"{raw}{layout.delimiter or ','}{row_text(map(_cell, cells), layout)}"


def _cell(value: object) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _json_row(raw: str, names: list[str], cells: tuple[object, ...]) -> str:
    """A line of JSON with further fields; what was there is not written anew."""
    added = json.dumps(dict(zip(names, cells, strict=True)), ensure_ascii=False)
    own = raw.rstrip().removesuffix("}").rstrip()
    return f"{own}{'' if own.endswith('{') else ', '}{added[1:]}"
