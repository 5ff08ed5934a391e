"""Scores as tables in the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from postil.scoring.score import Score
    from postil.scoring.significance import Comparison


def console() -> Console:
    """A console for standard output; in a pipe it is wide, so that no row is broken."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else 160)


def show_score(score: Score, comparisons: Mapping[str, Comparison]) -> None:
    """Print a score's figures, its classes, and the comparison with another system."""
    out = console()
    figures = Table(box=None, pad_edge=False)
    figures.add_column("figure")
    figures.add_column("value", justify="right")
    if comparisons:
        for name in ("other", "difference", "95 % interval", "p"):
            figures.add_column(name, justify="right")
    for name, value in score.metrics.items():
        if name == "macro_f1_5" and value == score.metrics["macro_f1"]:
            continue  # it differs only where a class is left out
        row = [f"[bold]{name}[/bold]" if name == score.primary else name, f"{value:.4f}"]
        if name in comparisons:
            item = comparisons[name]
            row += [
                f"{item.second:.4f}",
                f"{item.difference:+.4f}",
                f"{item.interval.low:+.4f} … {item.interval.high:+.4f}",
                f"{item.p_value:.4f}{' *' if item.significant else ''}",
            ]
        figures.add_row(*row)
    out.print(figures)
    if score.per_class:
        out.print()
        classes = Table(box=None, pad_edge=False)
        classes.add_column("class")
        for name in ("precision", "recall", "f1", "items"):
            classes.add_column(name, justify="right")
        for label, scores in score.per_class.items():
            numbers = (f"{value:.4f}" for value in (scores.precision, scores.recall, scores.f1))
            classes.add_row(label, *numbers, str(scores.support))
        out.print(classes)
    out.print()
    if comparisons:
        out.print("* significant at p ≤ .05 by approximate randomisation")
    out.print(score.signature, style="dim", soft_wrap=True)


# A progress bar on a terminal, and silence in a pipe.


@contextmanager
def progress_bar(title: str) -> Iterator[Callable[[int, int, str], None] | None]:
    """Give a function to call with (done, total, what); None where nobody is looking."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[what]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(title, what="")
        yield lambda done, total, what: progress.update(task, completed=done, total=total, what=what)
