"""Alignments in the terminal, printed to consoles of several widths, with colours and without."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from postil.data.judgements import AlignedPair, Alignment
from postil.explain.alignments import alignment_table, legend_line

PAIR = AlignedPair(
    "1",
    ("so", "three", "[red]", "bulbs", "glow", "in", "it"),
    ("but", "two", "bulbs", "are", "lit", "now"),
    (
        Alignment((5, 7), (4, 5), ("SPE1",), 4),
        Alignment((2, 3, 4), (2, 3), ("SIMI", "FACT"), 2.5),
        Alignment((1,), (), ("NOALI",), None),
        Alignment((6,), (), ("NOALI",), None),
        Alignment((), (6,), ("NOALI", "POL"), None),
        Alignment((), (1,), ("NOALI",), None),
    ),
)


def printed(shown, width: int = 80, colour: str | None = None) -> str:
    file = io.StringIO()
    Console(file=file, width=width, color_system=colour, force_terminal=colour is not None).print(shown)
    return file.getvalue()


def test_a_row_for_each_alignment():
    lines = [line.rstrip() for line in printed(alignment_table(PAIR)).splitlines()]
    assert lines == [
        "       sentence 1                   sentence 2",
        "               so       NOALI",
        "                        NOALI       but",
        "three [red] bulbs  ~SIMI FACT 2.5~  two bulbs",
        "        glow … it     >SPE1 4>      are lit",
        "               in       NOALI",
        "                      NOALI POL     now",
    ]


def test_without_colours_it_is_plain():
    assert "\x1b" not in printed(alignment_table(PAIR)) + printed(legend_line(PAIR))


def test_with_colours():
    assert "\x1b[1;33m" in printed(alignment_table(PAIR), colour="standard")
    assert "\x1b[33mSIMI" in printed(legend_line(PAIR), colour="standard")


@pytest.mark.parametrize("width", [30, 40, 60, 200])
def test_it_keeps_to_the_width(width):
    long = AlignedPair(
        "1",
        ("water",) * 30,
        ("evaporation" * 20, "is"),
        (Alignment((*range(1, 31),), (1, 2), ("EQUI",), 5),),
    )
    out = printed(alignment_table(long), width)
    assert max(map(len, out.splitlines())) <= width
    assert "=EQUI 5=" in out
    assert out.count("water") == 30
    assert "".join(out.split()).count("…") == 0


def test_the_legend():
    assert printed(legend_line(PAIR, ("answer", "reference")), 200).rstrip() == (
        "SPE1 answer more specific   SIMI similar   NOALI not aligned   FACT fact against possibility   "
        "POL opinions differ"
    )


def test_names():
    assert printed(alignment_table(PAIR, ("answer", "reference"))).split()[:2] == ["answer", "reference"]


def test_what_would_steer_the_terminal_is_replaced():
    pair = AlignedPair("1", ("\x1b[31mred",), (), (Alignment((1,), (), ("NOALI",), None),))
    assert "\ufffd[31mred" in printed(alignment_table(pair))


def test_nothing_to_show():
    assert printed(alignment_table(AlignedPair("1", (), ()))).split() == ["sentence", "1", "sentence", "2"]
