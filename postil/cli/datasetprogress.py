"""How far a dataset is: a bar on a terminal, and a line now and then in a log."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from postil.batch.dataset import Report

_EVERY = 30.0  # seconds between lines


@contextmanager
def showing_progress() -> Iterator[Callable[[Report], None]]:
    """Give a function to call with what came of a dataset so far."""
    begun = time.monotonic()
    if not sys.stderr.isatty():
        told = [begun]

        def line(report: Report) -> None:
            now = time.monotonic()
            if now - told[0] >= _EVERY:
                told[0] = now
                typer.echo(f"{_share(report):.1%} done: {words(report, now - begun)}", err=True)

        yield line
        return

    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    columns = (TextColumn("Grading"), BarColumn(), TaskProgressColumn(), TextColumn("{task.fields[what]}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", what="reading the files and starting the workers", total=1.0)

        def bar(report: Report) -> None:
            what = words(report, time.monotonic() - begun)
            progress.update(task, completed=_share(report), what=what)

        yield bar


def words(report: Report, seconds: float) -> str:
    """Rows, rate and the time left: as much longer for each byte that is left as for each that was judged."""
    found = f"{report.rows:,} rows"
    if report.bytes_judged and seconds:
        left = seconds * (report.bytes - report.bytes_done) / report.bytes_judged
        found += f", {rate(report, seconds)} answers/s, {duration(left)} left"
    return found


def rate(report: Report, seconds: float) -> str:
    """Answers judged in a second: with a decimal where there are few."""
    found = report.rows_judged / max(seconds, 1e-3)
    return f"{found:,.0f}" if found >= 10 else f"{found:.1f}"


def _share(report: Report) -> float:
    return report.bytes_done / report.bytes if report.bytes else 1.0


def duration(seconds: float) -> str:
    """A time as people say it: `45 s`, `12 min 5 s`, `3 h 20 min`, `2 days 4 h`."""
    whole = round(seconds)
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    if days:
        return f"{days} day{'s' if days > 1 else ''} {hours} h"
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
