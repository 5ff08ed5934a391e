"""`postil grade DATASET -o FOLDER`: datasets larger than memory, by many processes or on a cluster."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from glob import iglob
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Option

from postil.cli.options import TableOptions, choose, parse_columns
from postil.cli.show import console, progress_bar, table
from postil.data.files import is_folder
from postil.data.labels import PLAIN_NAMES, RESPONSE_SCHEMES
from postil.errors import PostilError, number_of

if TYPE_CHECKING:
    from postil.batch.dataset import Report
    from postil.batch.work import Engine, Work
    from postil.cli.grade import GradeOptions

ENGINES = ("local", "ray")
_DATASET_ONLY = (".parquet", ".gz", ".bz2", ".xz", ".zst")
_MOST_FAILED = 20  # failures that are listed one by one
_EVERY = 30.0  # seconds between lines in a log


@dataclass(frozen=True, slots=True)
class DatasetOptions:
    """Where a dataset is graded."""

    engine: Annotated[
        str | None,
        Option(
            metavar="NAME",
            help="Where to grade a dataset: local (this computer, the default) or ray (a Ray cluster).",
        ),
    ] = None
    workers: Annotated[
        int | None,
        Option(metavar="N", min=1, help="How many processes grade a dataset; by default one for each core."),
    ] = None
    address: Annotated[
        str | None,
        Option(
            metavar="ADDRESS",
            help="Which Ray cluster: 'auto' for the one this computer belongs to, or HOST:PORT.",
        ),
    ] = None
    cluster_resource: Annotated[
        str | None,
        Option(
            metavar="NAME",
            help="Grade only on nodes of the Ray cluster that have this resource, such as those with the "
            "expert reader's model; each worker takes one of it.",
        ),
    ] = None


def is_folder_name(output: str) -> bool:
    """Whether a result goes into a folder, and what is graded is a dataset."""
    from postil.data.formats.rows import SUFFIXES

    if output.strip() in ("", "-"):
        raise PostilError("-o names no file and no folder.", hint="To see the result here, leave out -o.")
    ending = PurePosixPath(output).suffix.lower()
    if ending in SUFFIXES or output.lower() in SUFFIXES:  # a name that is nothing but its ending is a slip
        return False
    return output.endswith("/") or "://" in output or is_folder(Path(output)) or not ending[1:].isalpha()


def refuse_as_table(source: str, output: str | None, options: DatasetOptions) -> None:
    """Refuse a source that can only be graded as a dataset, and options that are only for datasets."""
    matches = iglob(source)  # noqa: PTH207 - patterns may begin at the root
    is_pattern = any(mark in source for mark in "*?[") and not Path(source).exists() and any(matches)
    ending = PurePosixPath(source).suffix.lower()
    is_dataset = is_pattern or "://" in source or ending in _DATASET_ONLY or _holds_tables(Path(source))
    if is_dataset or Path(output or "").suffix == ".parquet":
        what = f"{source if output is None else output}: the result of a dataset is a folder of files."
        raise PostilError(what, hint=f"Name a folder with -o, as in: postil grade '{source}' -o graded")
    used = next((name for name, value in asdict(options).items() if value is not None), None)
    if used:
        what = f"--{used.replace('_', '-')} is for datasets, whose result goes into a folder."
        raise PostilError(what, hint="Name a folder with -o.")


def _holds_tables(folder: Path) -> bool:
    """Whether this is a folder of tables, and not of SRA XML."""
    from postil.data.formats.rows import SUFFIXES

    endings = {path.suffix.lower() for path in folder.rglob("*")} if folder.is_dir() else set()
    return ".xml" not in endings and not endings.isdisjoint((*SUFFIXES, *_DATASET_ONLY))


def grade_folder(
    source: str,
    output: str,
    options: GradeOptions,
    credit: Mapping[str, float],
    tables: TableOptions,
    dataset: DatasetOptions,
) -> None:
    """Grade a dataset, show the progress, and report the result."""
    from postil.batch.storage import file_system

    _refuse_table_options(options, tables)
    work = _work(output, options, credit, tables, elsewhere=dataset.cluster_resource is not None)
    file_system(source)  # says which packages are missing, before what follows needs them
    from postil.batch.dataset import grade_dataset

    engine = _engine(dataset)
    begun = time.monotonic()
    try:
        with showing_progress() as progress:
            report = grade_dataset(source, work, engine, progress)
    except KeyboardInterrupt:
        typer.echo("Stopped. The results so far are kept: run the same command to continue.", err=True)
        raise typer.Exit(130) from None
    _summarise(report, work, time.monotonic() - begun)
    if report.failed or report.stopped:
        raise typer.Exit(1)


def _refuse_table_options(options: GradeOptions, tables: TableOptions) -> None:
    """Refuse options that make sense for a single table only."""
    single = {
        "--report": options.report,
        "--remember": options.remember,
        "--rubric": options.rubric,
        "--remember-labelled": options.remember_labelled or None,
        "--propose": options.propose,
        "--sheet": tables.sheet,
        "--encoding": tables.encoding,
        "--wide": tables.wide,
    }
    used = next((option for option, value in single.items() if value is not None), None)
    if used:
        what = f"{used} works with a single table, not with a dataset."
        raise PostilError(what, hint="Leave it out, or write the result to a table, as in: -o result.csv")


def _work(
    output: str, options: GradeOptions, credit: Mapping[str, float], tables: TableOptions, *, elsewhere: bool
) -> Work:
    """What to do with every row, from the options; impossible ones are refused at once.

    A reader that works `elsewhere` need not work on this computer.
    """
    from postil.batch.work import Asked, Work
    from postil.data.formats.tables import plain, read_key
    from postil.language.network import CAREFUL, CASCADE, READERS

    questions = tables.question or ()
    if len(questions) > 1:
        raise PostilError(
            "only one --question can be given for a dataset.",
            hint="For several questions, the files need a column with the question or its id.",
        )
    # Of a dataset of any size, the careful reader reads only what the quick one is unsure of.
    if elsewhere and options.reader in READERS and options.model is None:
        replace(options, reader=None).grader(credit)
        reader = options.reader
    else:
        reader = options.grader(credit).reader
    if options.reader is None and reader == CAREFUL:
        reader = CASCADE
    key: dict[str, Asked] = {}
    for entry in read_key(tables.key) if tables.key else ():
        for name in entry.names:
            key.setdefault(plain(name), Asked(entry.question, entry.references))
    return Work(
        output,
        scheme=options.labels,
        explain=options.explain,
        columns=parse_columns(tables.column or ()),
        question=questions[0] if questions else None,
        references=tuple(tables.reference or ()),
        key=key,
        model=str(options.model) if options.model else None,
        credit=tuple(sorted(credit.items())),
        target=options.target,
        raw=options.raw,
        reader=reader,
        strictness=options.strictness,
        pupils=options.pupils,
    )


def _engine(options: DatasetOptions) -> Engine:
    if choose("--engine", options.engine or ENGINES[0], ENGINES) == "ray":
        from postil.batch.engines import RayEngine

        return RayEngine(options.workers, options.address, options.cluster_resource)
    if options.address is not None:
        raise PostilError("--address names a Ray cluster.", hint="Add --engine ray.")
    if options.cluster_resource is not None:
        raise PostilError("--cluster-resource is of a Ray cluster.", hint="Add --engine ray.")
    from postil.batch.engines import LocalEngine

    # The cores that this process may use, where the system knows.
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return LocalEngine(options.workers or cores or 1)


def _summarise(report: Report, work: Work, seconds: float) -> None:
    tally = report.tally
    speed = f", {rate(report, seconds)} answers a second" if report.rows_judged else ""
    earlier = f"; {number_of(len(report.before), 'file')} from earlier runs" if report.before else ""
    typer.echo(
        f"Graded {number_of(len(report.graded), 'file')} of {report.files:,} in {duration(seconds)}"
        f" ({number_of(report.rows_judged, 'row')} judged{speed}){earlier}."
    )
    if tally.rows:
        _show_labels(report, work.scheme)
    if tally.unjudged:
        typer.echo(f"No reference to compare with: {number_of(tally.unjudged, 'row')}, left without a label.")
    if report.graded or report.before:
        typer.echo(f"The results are in {work.output}.")
    for why in list(report.failed.values())[:_MOST_FAILED]:
        typer.echo(f"failed: {why}", err=True)
    if len(report.failed) > _MOST_FAILED:
        typer.echo(f"failed: {len(report.failed) - _MOST_FAILED:,} more.", err=True)
    if report.stopped:
        typer.echo(f"postil: {report.stopped}", err=True)
        typer.echo("        Once this is fixed, run the same command to continue.", err=True)


def _show_labels(report: Report, scheme: str) -> None:
    tally = report.tally
    counts = table("label", "says", "rows", "share", right=("rows", "share"))
    labels = [
        (label, PLAIN_NAMES[label], tally.labels.get(label, 0)) for label in RESPONSE_SCHEMES[scheme].labels
    ]
    for label, says, count in (*labels, ("", "of them left to a person", tally.deferred)):
        counts.add_row(label, says, f"{count:,}", f"{count / tally.rows:.1%}")
    console().print(counts)


@contextmanager
def showing_progress() -> Iterator[Callable[[Report], None]]:
    """Give a function that shows the state of a dataset: a bar on a terminal, lines in a log."""
    begun = latest = time.monotonic()
    with progress_bar("Grading") as bar:
        if bar:
            bar(0, 1, "reading the files and starting the workers")

        def show(report: Report) -> None:
            nonlocal latest
            now = time.monotonic()
            share = report.bytes_done / report.bytes if report.bytes else 1.0
            if bar:
                bar(share, 1, words(report, now - begun))
            elif now - latest >= _EVERY:
                latest = now
                typer.echo(f"{share:.1%} done: {words(report, now - begun)}", err=True)

        yield show


def words(report: Report, seconds: float) -> str:
    """Rows, rate and the time left, if the remaining bytes take as long as those already judged."""
    if not report.bytes_judged or not seconds:
        return f"{report.rows:,} rows"
    left = seconds * (report.bytes - report.bytes_done) / report.bytes_judged
    return f"{report.rows:,} rows, {rate(report, seconds)} answers/s, {duration(left)} left"


def rate(report: Report, seconds: float) -> str:
    """Answers judged per second, with a decimal if there are few."""
    speed = report.rows_judged / max(seconds, 1e-3)
    return f"{speed:,.0f}" if speed >= 10 else f"{speed:.1f}"


def duration(seconds: float) -> str:
    """A time as people say it: `45 s`, `12 min 5 s`, `3 h 20 min`, `2 days 4 h`."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    if days:
        return f"{days} day{'s' if days > 1 else ''} {hours} h"
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
