"""The parts of a result: the judged rows of each partition, in a file of its own until all are there.

What belongs to the run itself lies in `_postil` below the output: readers of datasets pass over such names.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from postil.batch.sources import Source, file_system
from postil.batch.storage import names_in, remove_folder, writing
from postil.batch.work import Tally, Task, Work
from postil.errors import InputError

OWN = "_postil"
_END = b"\xff\xff\xff\xff\0\0\0\0"  # of a stream of Arrow that is complete


def parts_folder(work: Work, task: Task) -> str:
    """Where the parts of a task's file lie; another input, model or option has another place."""
    made_of = _short(work.run, task.sha256, str(task.of))
    return f"{_all_parts(work)}/{_short(task.partition.source.result)}-{made_of}"


def remove_parts(work: Work, sources: Iterable[Source]) -> None:
    """Remove what runs that were stopped, or had other options, have left of files that are finished now.

    Parts of other files stay: who grades another dataset into the same folder has no part in them.
    """
    results = {_short(source.result) for source in sources}
    for name in names_in(_all_parts(work)):
        if name.partition("-")[0] in results:
            remove_folder(f"{_all_parts(work)}/{name}")
    if not names_in(_all_parts(work)):
        remove_folder(_all_parts(work))


def _all_parts(work: Work) -> str:
    return f"{work.output}/{OWN}/parts"


def _short(*told: str) -> str:
    return hashlib.sha256("\n".join(told).encode()).hexdigest()[:20]


def part_path(work: Work, task: Task, number: int | None = None) -> str:
    """Where the part of a task lies, or of the partition with another number of the same file."""
    wanted = task.partition.number if number is None else number
    return f"{parts_folder(work, task)}/{wanted:08}.arrow"


def write_part(work: Work, task: Task, judged: Iterable[tuple[pa.Table, Tally]]) -> Tally:
    """Write the judged rows of a partition as they come, and say what they came to."""
    total = Tally()
    with writing(part_path(work, task), parts_folder(work, task)) as file:
        # A stream, since columns may have another dictionary in every batch.
        writer: pa.ipc.RecordBatchStreamWriter | None = None
        for table, tally in judged:
            writer = writer or pa.ipc.new_stream(file, table.schema)
            writer.write_table(table)
            total += tally
        if writer:
            writer.close()
    return total


def read_part(url: str) -> Iterator[pa.Table]:
    """The rows of a part, some at a time, after a table of none; `InputError` where it is not whole.

    Arrow takes a stream that was cut off between two batches for a complete one.
    """
    files, path = file_system(url)
    try:
        with files.open(path, "rb") as file:
            file.seek(-len(_END), os.SEEK_END)
            if file.read() != _END:
                raise pa.ArrowInvalid("the end is missing")
            file.seek(0)
            reader = pa.ipc.open_stream(file)
            yield reader.schema.empty_table()
            for batch in reader:
                yield pa.Table.from_batches([batch])
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InputError(
            url.removeprefix("file://"),
            "this part of the result is not there, or is damaged.",
            hint="Run the command again. On a cluster, is this folder the same on every node?",
        ) from error


def read_tally(url: str) -> Tally | None:
    """What the rows of a part came to; None where the part is not there yet, or is damaged."""
    try:
        return sum(map(tally_of, read_part(url)), Tally())
    except (InputError, KeyError):
        return None


def tally_of(table: pa.Table) -> Tally:
    """What judged rows came to."""
    labels: dict[str, int] = {}
    for one in pc.value_counts(table.column("postil_label")).to_pylist():
        labels[one["values"]] = one["counts"]
    unjudged = labels.pop(None, 0)  # type: ignore[call-overload]
    deferred: Any = pc.sum(table.column("postil_deferred")).as_py()
    return Tally(len(table), labels, deferred or 0, unjudged)
