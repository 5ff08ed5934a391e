"""What commands print: tables, texts and JSON on standard output, and a progress bar on a terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from postil.explain.page import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from postil.scoring.significance import Comparison, Score


_NOTED = 3  # long texts that are named


def console() -> Console:
    """A console for standard output; in a pipe it is wide, so that no row is broken."""
    from rich.console import Console

    return Console(highlight=False, width=None if sys.stdout.isatty() else 160)


def table(*names: str, right: Collection[str] = (), whole: Collection[str] = ()) -> Table:
    """A table without lines; the columns in `right` hold numbers, and those in `whole` never wrap."""
    from rich.table import Table

    plain = Table(box=None, pad_edge=False)
    for name in names:
        plain.add_column(name, justify="right" if name in right else "left", no_wrap=name in whole)
    return plain


def print_text(text: str) -> None:
    """Print a text, its unprintable characters replaced; a terminal breaks its lines, a pipe does not."""
    from rich.text import Text

    out = console()
    out.print(Text(printable(text)), soft_wrap=not out.is_terminal)


def print_json(data: object) -> None:
    """Print something as JSON for programs."""
    typer.echo(json.dumps(data, indent=2, ensure_ascii=False))


def note_long(texts: Iterable[tuple[str, str]], most: int, longest: int | None = None) -> None:
    """Say on standard error where reading ended, of texts (each with its name) longer than is read."""
    from postil.explain.wording import read_up_to

    told = read_up_to(texts, most, longest)
    for sentence in told[:_NOTED]:
        typer.echo(f"note: {sentence}", err=True)
    if len(told) > _NOTED:
        typer.echo(f"note: {len(told) - _NOTED:,} more texts were read only up to that length.", err=True)


@contextmanager
def progress_bar(
    title: str, unit: str = "", total: int | None = None
) -> Iterator[Callable[..., None] | None]:
    """Give a function to call with (done, total, unit); None in a pipe, where nobody is looking."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[unit]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(title, unit="")

        def update(done: float, known: float, unit: str = unit) -> None:
            progress.update(task, completed=done, total=total or known, unit=unit)

        yield update


def show_score(score: Score, comparisons: Mapping[str, Comparison]) -> None:
    """Print a score's figures, its classes, and the comparison with another system."""
    out = console()
    compared = ("value", *(("other", "difference", "95 % interval", "p") if comparisons else ()))
    figures = table("figure", *compared, right=compared)
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
        measures = ("precision", "recall", "f1", "items")
        classes = table("class", *measures, right=measures)
        for label, scores in score.per_class.items():
            numbers = (f"{value:.4f}" for value in (scores.precision, scores.recall, scores.f1))
            classes.add_row(label, *numbers, str(scores.support))
        out.print(classes)
    out.print()
    if comparisons:
        out.print("* significant at p ≤ .05 by approximate randomisation")
    out.print(score.signature, style="dim", soft_wrap=True)
