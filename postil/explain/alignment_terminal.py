"""An alignment in the terminal: a row for each link, `chunk  =EQUI 5=  chunk`, in colour if there is any."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from postil.data.alignments import AlignedPair, Alignment
from postil.explain.alignments import LOOKS, SENTENCES, Names, is_link, label, look, meanings, words
from postil.explain.page import printable

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text


def alignment_table(pair: AlignedPair, names: Names = SENTENCES) -> Table:
    """The rows of an alignment, in the order of the first sentence as far as the second allows.

    The console that prints it knows how wide it is and whether it has colours.
    """
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 1))
    table.add_column(Text(names[0]), justify="right", overflow="fold")
    table.add_column("", justify="center", no_wrap=True)
    table.add_column(Text(names[1]), overflow="fold")
    for alignment in _in_order(pair):
        style = "" if is_link(alignment) else "dim"
        table.add_row(
            Text(printable(words(pair.source, alignment.source)), style),
            _sign(alignment),
            Text(printable(words(pair.target, alignment.target)), style),
        )
    return table


def legend_line(pair: AlignedPair, names: Names = SENTENCES) -> Text:
    """What the labels of a pair mean, in one line."""
    from rich.text import Text

    line = Text()
    for name, meaning in meanings(pair, names).items():
        style = LOOKS[name].plain_colour if name in LOOKS else ""
        line.append("   " if line else "").append(name, style).append(f" {meaning}", "dim")
    return line


def _in_order(pair: AlignedPair) -> Iterator[Alignment]:
    """Alignments by their first token; one with an empty first side follows what stands before it."""
    waiting = sorted((each for each in pair.alignments if not each.source), key=lambda each: each.target)
    for alignment in sorted((each for each in pair.alignments if each.source), key=lambda each: each.source):
        while waiting and alignment.target and waiting[0].target < alignment.target:
            yield waiting.pop(0)
        yield alignment
    yield from waiting


def _sign(alignment: Alignment) -> Text:
    from rich.text import Text

    style = look(alignment)
    if not is_link(alignment):
        return Text(label(alignment), "dim")
    return Text(f"{style.sign}{label(alignment)}{style.sign}", f"bold {style.plain_colour}")
