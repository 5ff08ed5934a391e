"""Cuts files into partitions: as much as one worker judges at a time. A file is always cut in the same way.

To cut a text, every record of it is read, and one that is malformed shows before anything is judged.
"""

from __future__ import annotations

import hashlib
import lzma
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from postil.batch.layouts import Layout, cells_of, fitted, object_of, possible_layouts, records, text_of
from postil.batch.sources import Source, blocks, digest, file_system, unpacked
from postil.errors import InputError

SLICE = 1024 * 1024  # bytes of text; some thousand answers
_MOST_ROWS = 10_000  # of a Parquet file's row groups, taken together
_HEAD = 256 * 1024
_MOST_NAMES = 2_000  # of fields in JSON: a column beyond is not looked for
# What reading a file that is damaged, or packed in a way unknown here, may raise.
DAMAGED = (OSError, EOFError, zlib.error, lzma.LZMAError, ValueError)


@dataclass(frozen=True, slots=True)
class Partition:
    """A part of a file: bytes of text, or row groups of Parquet, from `begin` up to but without `end`."""

    source: Source
    number: int
    begin: int
    end: int
    layout: Layout


@dataclass(frozen=True, slots=True)
class Cut:
    """A file, what its bytes hash to, and its partitions: one at least, with nothing in it if need be."""

    source: Source
    sha256: str
    partitions: tuple[Partition, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its columns."""
        return self.partitions[0].layout.names


def cut(source: Source, size: int = SLICE) -> Cut:
    """Cut a file into partitions, having read it from the beginning to the end."""
    try:
        if source.kind == "parquet":
            return Cut(source, digest(source), tuple(_row_groups(source)))
        return _cut_text(source, size)
    except DAMAGED as error:
        raise unreadable(source.name, error) from error


def unreadable(name: str, error: Exception) -> InputError:
    """Say why a file cannot be read: what the system says. What a reader says may repeat a pupil's words."""
    why = error.strerror if isinstance(error, OSError) and error.errno else "it is damaged"
    return InputError(name, f"cannot be read: {why}.")


def _row_groups(source: Source) -> Iterator[Partition]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    files, path = file_system(source.url)
    try:
        with files.open(path, "rb") as file:
            stored = pq.ParquetFile(file)
            about = stored.metadata
            layout = Layout(tuple(stored.schema_arrow.names))
            rows = [about.row_group(number).num_rows for number in range(about.num_row_groups)]
    except (pa.ArrowException, OSError) as error:
        raise InputError(source.name, "is no Parquet file, or is damaged.") from error
    _refuse_same_names(source.name, layout.names)
    number = begin = held = 0
    for place, count in enumerate(rows):
        if held and held + count > _MOST_ROWS:
            yield Partition(source, number, begin, place, layout)
            number, begin, held = number + 1, place, 0
        held += count
    yield Partition(source, number, begin, len(rows), layout)


def _cut_text(source: Source, size: int) -> Cut:
    problem: InputError | None = None
    for layout in possible_layouts(source.name, source.kind, _head(source)):
        try:
            return _scanned(source, layout, size)
        except InputError as error:
            problem = problem or error
    assert problem is not None  # noqa: S101 - there is a layout at least
    raise problem


def _scanned(source: Source, layout: Layout, size: int) -> Cut:
    """Cut at the first end of a record after so many bytes."""
    seen = hashlib.sha256()
    stored = unpacked(source) if source.compressed else _hashed(blocks(source), seen)
    names: dict[str, None] = {}
    ends: list[int] = []
    begin = place = 0
    line = 1
    for record in records(source.name, stored, layout):
        text = text_of(source.name, record, line)
        place += len(record)
        if not text.strip():
            pass
        elif source.kind == "jsonl":
            fields = object_of(source.name, text, line)
            if len(names) < _MOST_NAMES:
                names |= dict.fromkeys(fields)
        elif not layout.names:
            layout = replace(layout, names=_header(source.name, text, layout, line), header=place)
            begin = place
        else:
            fitted(source.name, cells_of(source.name, text, layout, line), layout, line)
        line += record.count(b"\n")
        if place - begin >= size and not source.compressed:
            ends.append(place)
            begin = place
    if source.kind == "jsonl":
        layout = replace(layout, names=tuple(names))
    if begin < place or not ends:
        ends.append(place)
    begins = [layout.header, *ends[:-1]]
    places = zip(begins, ends, strict=True)
    found = tuple(Partition(source, number, a, b, layout) for number, (a, b) in enumerate(places))
    return Cut(source, digest(source) if source.compressed else seen.hexdigest(), found)


def _header(name: str, text: str, layout: Layout, line: int) -> tuple[str, ...]:
    cells = cells_of(name, text, layout, line)
    names = tuple(cell.strip() or f"column {place}" for place, cell in enumerate(cells, start=1))
    _refuse_same_names(name, names)
    return names


def _refuse_same_names(name: str, names: tuple[str, ...]) -> None:
    for place, one in enumerate(names):
        if one in names[:place]:
            first = names.index(one) + 1
            what = f"two columns are called {one!r}: the {first}. and the {place + 1}."
            raise InputError(name, what, hint="Rename or delete one of them.")


def _head(source: Source) -> bytes:
    if source.compressed:
        return next(unpacked(source), b"")[:_HEAD]
    return b"".join(blocks(source, 0, min(_HEAD, source.size)))


def _hashed(stored: Iterable[bytes], seen: hashlib._Hash) -> Iterator[bytes]:
    for block in stored:
        seen.update(block)
        yield block
