"""Grades a dataset: an engine judges what is not finished, and each file is put together from its parts."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from postil.batch.locking import only_run
from postil.batch.manifests import manifest, manifest_url, run_of
from postil.batch.onequestion import refuse_several_questions
from postil.batch.parts import parts_folder, remove_parts
from postil.batch.results import assemble
from postil.batch.sources import Source, file_system, find_sources, full_url, is_local, is_pattern
from postil.batch.storage import WriteError, remove_folder, write_json
from postil.batch.work import Done, Engine, Tally, Task, Work
from postil.errors import InputError, PostilError


@dataclass(slots=True)
class Report:
    """What came of a dataset so far: files graded now, finished before and failed.

    `tally` says what the rows of the results came to; `rows` are all that are judged, those of files that are
    not finished, too. `stopped` says why no more could be written. Rows and bytes `judged` are this run's.
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
    """Grade every file of a dataset into the output's folder; files that an earlier run finished stay.

    A file that cannot be read is reported, and the others are graded all the same. Where the output cannot
    be written, the run stops: the same call continues when it can be.
    """
    output = full_url(work.output)
    model = str(Path(work.model).resolve()) if work.model else None
    work = replace(work, output=output, model=model)
    work = replace(work, run=run_of(work))
    if output == full_url(dataset):
        raise InputError(work.output, "is the dataset itself.", hint="Choose another folder for the result.")
    if is_pattern(output) and not is_local(file_system(output)[0]):
        # To copy and to remove, stores read names as patterns.
        raise InputError(work.output, "is a pattern.", hint="Choose a folder without *, ? and [ in its name.")
    sources = find_sources(dataset, besides=output)
    refuse_several_questions(work, sources)
    ledger = _Ledger(work, sources)
    try:
        with only_run(output) as is_alone, closing(engine.run(work, sources)) as found:
            for done in found:
                if done.stop:
                    ledger.report.stopped = done.error
                    return ledger.report
                ledger.take(done)
                if progress:
                    progress(ledger.report)
            ledger.close()
            if is_alone:
                remove_parts(work, [one for one in sources if one.name not in ledger.report.failed])
    except WriteError as error:
        ledger.report.stopped = str(error)
    return ledger.report


@dataclass(slots=True)
class _Open:
    """A file that is not finished: which of its parts are there, and what they came to."""

    source: Source
    parts: set[int] = field(default_factory=set)
    tally: Tally = field(default_factory=Tally)
    bytes: float = 0


class _Ledger:
    """Knows how far each file is, and puts a file together as soon as its last part is there."""

    def __init__(self, work: Work, sources: list[Source]) -> None:
        self.work = work
        self.report = Report(files=len(sources), bytes=sum(source.size for source in sources))
        self._open = {source.name: _Open(source) for source in sources}

    def take(self, done: Done) -> None:
        """Note what came of a partition or a file; raises `WriteError` where nothing can be written."""
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
        """Nothing more comes: what is not finished has failed."""
        for state in list(self._open.values()):
            self._fail(state, f"{state.source.name}: was not finished. Run the command again.")

    def _finish(self, state: _Open, task: Task) -> None:
        source = state.source
        own = parts_folder(self.work, task)

        def write_manifest(tally: Tally) -> None:
            write_json(manifest_url(self.work, source), manifest(self.work, task, tally), own)

        try:
            assemble(self.work, task, write_manifest)
            remove_folder(own)
        except WriteError:
            raise
        except PostilError as error:
            self._fail(state, str(error))
            return
        self._close(state)
        self.report.graded.append(source.name)

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
        self.report.bytes_done += state.source.size - state.bytes  # nobody waits for the rest of it

    def _close(self, state: _Open) -> None:
        del self._open[state.source.name]
        self.report.tally += state.tally
