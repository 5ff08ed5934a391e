"""Grades a dataset: an engine judges what is not finished, and each file is assembled from its parts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

import pyarrow.parquet as pq

from postil.batch import parts, storage
from postil.batch.partitions import (
    RAW,
    Layout,
    cut,
    defused_row,
    head_of,
    in_batches,
    read_batches,
    row_text,
    text_of,
)
from postil.batch.storage import Source, WriteError, file_system, full_url, is_local
from postil.batch.work import Done, Engine, Tally, Task, Work, unexpected
from postil.batch.worker import columns_added, find_roles
from postil.data.formats.spreadsheets import defused
from postil.errors import InputError, PostilError
from postil.language.network import default_reader

_ROW_GROUP = 10_000


@dataclass(slots=True)
class Report:
    """The state of a dataset: files graded now, finished before and failed.

    `tally` covers the rows of finished results; `rows` counts all judged rows, including those of unfinished
    files. `stopped` says why no more could be written. Rows and bytes `judged` are this run's.
    """

    files: int = 0
    graded: list[str] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    stopped: str = ""
    tally: Tally = field(default_factory=Tally)
    rows: int = 0
    rows_judged: int = 0
    bytes: float = 0
    bytes_done: float = 0
    bytes_judged: float = 0


Progress = Callable[[Report], None]


def grade_dataset(dataset: str, work: Work, engine: Engine, progress: Progress | None = None) -> Report:
    """Grade every file of a dataset into the output folder; files that an earlier run finished stay.

    A file that cannot be read is reported, and the others are still graded. If the output cannot be
    written, the run stops, and the same call continues it later.
    """
    output = full_url(work.output)
    model = str(Path(work.model).resolve()) if work.model else None
    # Named here, so that the manifest tells it, and nodes with other settings judge alike.
    reader = work.reader or ("" if model else default_reader())
    work = replace(work, output=output, model=model, reader=reader)
    work = replace(work, run=parts.run_of(work))
    if output == full_url(dataset):
        raise InputError(work.output, "is the dataset itself.", hint="Choose another output folder.")
    if storage.is_pattern(output) and not is_local(file_system(output)[0]):
        # Object stores read names as patterns when copying and removing.
        raise InputError(work.output, "is a pattern.", hint="Choose a folder without *, ? and [ in its name.")
    sources = storage.find_sources(dataset, besides=output)
    refuse_several_questions(work, sources)
    ledger = _Ledger(work, sources)
    try:
        with only_run(output) as is_alone, closing(engine.run(work, sources)) as results:
            for done in results:
                if done.stop:
                    ledger.report.stopped = done.error
                    return ledger.report
                ledger.take(done)
                if progress:
                    progress(ledger.report)
            ledger.close()
            if is_alone:
                parts.remove_parts(
                    work, [source for source in sources if source.name not in ledger.report.failed]
                )
    except WriteError as error:
        ledger.report.stopped = str(error)
    return ledger.report


@dataclass(slots=True)
class _Open:
    """An unfinished file: its finished parts and their tally."""

    source: Source
    parts: set[int] = field(default_factory=set)
    tally: Tally = field(default_factory=Tally)
    bytes: float = 0


class _Ledger:
    """Keeps track of each file, and assembles it as soon as its last part is finished."""

    def __init__(self, work: Work, sources: list[Source]) -> None:
        self.work = work
        self.report = Report(files=len(sources), bytes=sum(source.size for source in sources))
        self._open = {source.name: _Open(source) for source in sources}

    def take(self, done: Done) -> None:
        """Record the result of a partition or a file; raises `WriteError` if nothing can be written."""
        state = self._open.get(done.source.name)
        if state is None:
            return
        if done.error:
            self._fail(state, done.error)
        elif done.task is None:
            self._count(state, done, state.source.size)
            self._close(state)
            self.report.before.append(state.source.name)
        elif done.task.partition.number not in state.parts:
            self._count(state, done, state.source.size / done.task.of)
            state.parts.add(done.task.partition.number)
            if len(state.parts) == done.task.of:
                self._finish(state, done.task)

    def close(self) -> None:
        """Nothing more will come: unfinished files have failed."""
        for state in list(self._open.values()):
            self._fail(state, f"{state.source.name}: was not finished. Run the command again.")

    def _finish(self, state: _Open, task: Task) -> None:
        try:
            assemble(self.work, task, state.tally)
        except WriteError:
            raise
        except PostilError as error:
            self._fail(state, str(error))
            return
        self._close(state)
        self.report.graded.append(state.source.name)

    def _count(self, state: _Open, done: Done, size: float) -> None:
        report = self.report
        state.tally += done.tally
        state.bytes += size
        report.rows += done.tally.rows
        report.bytes_done += size
        if not done.before:
            report.rows_judged += done.tally.rows
            report.bytes_judged += size

    def _fail(self, state: _Open, why: str) -> None:
        del self._open[state.source.name]
        self.report.failed[state.source.name] = why
        self.report.bytes_done += state.source.size - state.bytes  # the rest will never be done

    def _close(self, state: _Open) -> None:
        del self._open[state.source.name]
        self.report.tally += state.tally


def plan(work: Work, source: Source) -> list[Task] | Done:
    """The tasks of a file; a `Done` if an earlier run has finished it or it cannot be graded."""
    try:
        if storage.exists(f"{work.output}/{source.result}"):
            # Comparing the bytes is much quicker than reading every record again.
            return Done(source, tally=parts.finished(work, source, storage.digest(source)), before=True)
        tasks = cut(source)
        find_roles(source.name, tasks[0].partition.layout.names, work)
    except PostilError as error:
        return Done(source, error=str(error))
    except OSError as error:
        return Done(source, error=f"{source.name}: cannot be read: {error.strerror or type(error).__name__}.")
    except Exception as error:  # noqa: BLE001 - the other files are still graded
        return Done(source, error=unexpected(source.name, error))
    return tasks


@contextmanager
def only_run(output: str) -> Iterator[bool]:
    """Keep other runs out of the folder while the block runs; yield whether that is guaranteed.

    The operating system lets go of the lock when the process ends, however it ends. Elsewhere, as in an
    object store, two runs write the same bytes under the same names, which is wasteful and harmless.
    """
    try:
        import fcntl
    except ModuleNotFoundError:  # not on Windows
        yield False
        return
    files, path = file_system(output)
    if not is_local(files):
        yield False
        return
    folder = Path(path) / parts.OWN
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / "lock").open("wb")
    except OSError as error:
        raise WriteError(path, f"cannot be written: {error.strerror or error}.") from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            what = f"{path}: another `postil grade` is writing into this folder."
            raise PostilError(what, hint="Wait until it has finished, or choose another folder.") from error
        except OSError:  # a network drive that knows no locks
            yield False
            return
        yield True


def refuse_several_questions(work: Work, sources: Iterable[Source]) -> None:
    """Refuse references for all rows if the rows answer several questions, before anything is judged."""
    if not work.references:
        return
    first = ""
    for source in sources:
        for question in _questions(work, source):
            first = first or question
            if question != first:
                what = "the rows answer several questions, but the references were given for all at once."
                hint = "Put the references into a column or into a key file (--key)."
                raise InputError(source.name, what, hint=hint)


def _questions(work: Work, source: Source) -> Iterator[str]:
    """The questions of a file, by text or else by id; none if `plan` will refuse the file."""
    try:
        tasks = cut(source)
        roles = find_roles(source.name, tasks[0].partition.layout.names, work)
        columns = [name for name in (roles.question, roles.question_id) if name is not None]
        for task in tasks if columns else ():
            for batch in read_batches(task.partition, columns):
                rows = set(zip(*(map(_text, batch.values[name]) for name in columns), strict=True))
                yield from filter(None, (next(filter(None, row), "") for row in rows))
    except Exception:  # noqa: BLE001 - `plan` reports this file, and the others are still graded
        return


def _text(value: object) -> str:
    return "" if value is None else str(value).strip()


def assemble(work: Work, task: Task, tally: Tally) -> None:
    """Write the result of the file that a task belongs to, in the file's own format, from its parts.

    The manifest is written before the result gets its name.
    """
    source, folder = task.partition.source, parts.parts_folder(work, task)
    tables = chain.from_iterable(parts.read_part(parts.part_path(work, task, n)) for n in range(task.of))
    with storage.writing(f"{work.output}/{source.result}", folder) as file:
        if source.kind == "parquet":
            empty = next(tables)
            with pq.ParquetWriter(file, empty.schema) as writer:
                for table in in_batches(tables, _ROW_GROUP, empty):
                    writer.write_table(table)
        else:
            names, layout = list(columns_added(work)), task.partition.layout
            is_json = source.kind == "jsonl"
            if not is_json:
                file.write(_header(task, names, raw=work.raw))
            for table in tables:
                added = zip(*(table.column(name).to_pylist() for name in names), strict=True)
                for raw, cells in zip(table.column(RAW).to_pylist(), added, strict=True):
                    if not is_json and not work.raw:
                        raw, cells = defused_row(raw, layout), tuple(map(_defused, cells))
                    row = _json_row(raw, names, cells) if is_json else _row(raw, cells, layout)
                    file.write(f"{row}{layout.newline}".encode())
        storage.write_json(parts.manifest_url(work, source), parts.manifest(work, task, tally), folder)
    storage.remove_folder(folder)


def _header(task: Task, names: list[str], *, raw: bool) -> bytes:
    """The header as it was written, with its byte-order mark, and the names of the added columns."""
    layout, source = task.partition.layout, task.partition.source
    head = head_of(source, layout.header)
    text = text_of(source.name, head, 1)
    mark = "\ufeff" if head.startswith(b"\xef\xbb\xbf") else ""
    own = text.lstrip("\r\n") if layout.delimiter else row_text(layout.names, layout)
    own = own if raw else defused_row(own, layout)
    return f"{mark}{_row(own, names, layout)}{layout.newline}".encode()


def _row(raw: str, cells: tuple[object, ...] | list[str], layout: Layout) -> str:
    return f"{raw}{layout.delimiter or ','}{row_text(map(_cell, cells), layout)}"


def _defused(value: object) -> object:
    return defused(value) if isinstance(value, str) else value


def _cell(value: object) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _json_row(raw: str, names: list[str], cells: tuple[object, ...]) -> str:
    """A line of JSON with further fields; the existing ones stay exactly as they were."""
    added = json.dumps(dict(zip(names, cells, strict=True)), ensure_ascii=False)
    own = raw.rstrip().removesuffix("}").rstrip()
    return f"{own}{'' if own.endswith('{') else ', '}{added[1:]}"
