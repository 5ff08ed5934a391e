"""Small charts as SVG: bars, shares of a whole, a histogram; each also says in words what it shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from postil.explain.page import escape

# As wide as a phone, so that the letters keep their size there.
_WIDTH = 340
_NAMES, _NUMBERS = 104, 84
_ROW = 30
_BINS, _HIGH = 10, 110


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of a chart: what it counts, how many, and the CSS class that colours it."""

    name: str
    count: int
    style: str


def bar_chart(bars: Sequence[Bar], title: str) -> str:
    """A figure with a bar a row: its name, its length, its count and its share of all."""
    total = sum(bar.count for bar in bars) or 1
    longest = max((bar.count for bar in bars), default=0) or 1
    rows = []
    for index, bar in enumerate(bars):
        y = index * _ROW
        width = bar.count / longest * (_WIDTH - _NAMES - _NUMBERS)
        rows.append(
            f'<text x="0" y="{y + 20}">{escape(bar.name)}</text>'
            f'<rect class="{bar.style}" x="{_NAMES}" y="{y + 5}" width="{width:.1f}" height="20" rx="3"/>'
            f'<text x="{_NAMES + width + 8:.1f}" y="{y + 20}">{bar.count:,} · {bar.count / total:.0%}</text>'
        )
    return _figure(title, in_words(bars), "".join(rows), len(bars) * _ROW)


def share_bar(bars: Sequence[Bar], title: str) -> str:
    """One flat bar cut into the shares of a whole; what the colours mean has to stand beside it."""
    total = sum(bar.count for bar in bars) or 1
    at, parts = 0.0, []
    for bar in bars:
        width = bar.count / total * 100
        # A sliver less than its share leaves a line of paper between neighbours.
        parts.append(
            f'<rect class="{bar.style}" x="{at:.2f}" y="0" width="{max(0.0, width - 0.3):.2f}" height="10"/>'
        )
        at += width
    said = escape(f"{title}: {in_words(bars)}")
    drawn = "".join(parts)
    return (
        f'<svg class="share" role="img" aria-label="{said}" viewBox="0 0 100 10" '
        f'preserveAspectRatio="none">{drawn}</svg>'
    )


def histogram(values: Sequence[float], title: str) -> str:
    """A figure that counts shares in ten steps, from 50% up where all are that high, from 0% otherwise."""
    low = 0.5 if all(value >= 0.5 for value in values) else 0.0
    step = (1 - low) / _BINS
    counts = [0] * _BINS
    for value in values:
        # A hair added, because 0.7 lies a rounding error below the edge at 70%.
        counts[max(0, min(_BINS - 1, int((value - low) / step + 1e-9)))] += 1
    most = max(counts) or 1
    width, parts, said = _WIDTH / _BINS, [], []
    for index, count in enumerate(counts):
        x, height = index * width, count / most * _HIGH
        top = 18 + _HIGH - height
        if count:
            parts.append(
                f'<rect class="plain" x="{x + 1.5:.1f}" y="{top:.1f}" width="{width - 3:.1f}" '
                f'height="{height:.1f}" rx="2"/>'
                f'<text x="{x + width / 2:.1f}" y="{top - 4:.1f}" text-anchor="middle">{count:,}</text>'
            )
            said.append(f"{low + index * step:.0%} to {low + (index + 1) * step:.0%}: {count:,}")
    parts.append(_axis(low))
    return _figure(title, "; ".join(said), "".join(parts), _HIGH + 38)


def in_words(bars: Sequence[Bar]) -> str:
    """What bars show, for those who do not see them: `correct 3 (75%), partly right 1 (25%)`."""
    total = sum(bar.count for bar in bars) or 1
    return ", ".join(f"{bar.name} {bar.count:,} ({bar.count / total:.0%})" for bar in bars)


def _axis(low: float) -> str:
    base = 18 + _HIGH
    marks = [f'<path class="axis" d="M0 {base + 0.5}H{_WIDTH}"/>']
    for place, anchor in ((0.0, "start"), (0.2, ""), (0.4, ""), (0.6, ""), (0.8, ""), (1.0, "end")):
        marks.append(
            f'<text class="mark" x="{place * _WIDTH:.0f}" y="{base + 16}" '
            f'text-anchor="{anchor or "middle"}">{low + place * (1 - low):.0%}</text>'
        )
    return "".join(marks)


def _figure(title: str, said: str, drawn: str, height: float) -> str:
    return (
        f'<figure><figcaption>{escape(title)}</figcaption><svg role="img" '
        f'aria-label="{escape(f"{title}: {said}")}" viewBox="0 0 {_WIDTH} {height:g}">{drawn}</svg></figure>'
    )
