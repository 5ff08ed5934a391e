"""Charts as SVG: bars, shares of a whole, a histogram, and two pictures of how far a grader can be trusted.

Each also says in words what it shows. The pictures need no script and no style of their own: their colours
stand in attributes, so that a page's style sheet may change them, and no meaning hangs on colour alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
    """One flat bar cut into the shares of a whole; what the colours mean must be said beside it."""
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
    for share, anchor in ((0.0, "start"), (0.2, ""), (0.4, ""), (0.6, ""), (0.8, ""), (1.0, "end")):
        marks.append(
            f'<text class="mark" x="{share * _WIDTH:.0f}" y="{base + 16}" '
            f'text-anchor="{anchor or "middle"}">{low + share * (1 - low):.0%}</text>'
        )
    return "".join(marks)


def _figure(title: str, said: str, drawn: str, height: float) -> str:
    return (
        f'<figure><figcaption>{escape(title)}</figcaption><svg role="img" '
        f'aria-label="{escape(f"{title}: {said}")}" viewBox="0 0 {_WIDTH} {height:g}">{drawn}</svg></figure>'
    )


_HEIGHT = 270
_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 20, 28, 44
_INK, _FAINT, _LINE = "#1f4e79", "#5b6470", "#c9ced6"
_SMALLEST, _LARGEST = 4.0, 8.0  # radius of a circle, by how many answers it stands for


@dataclass(frozen=True, slots=True)
class Bin:
    """Answers of similar confidence: its mean, how many, how many of them right, and between which shares.

    `least` and `most` are the ends of an interval for the share that is right.
    """

    confidence: float
    count: int
    right: int
    least: float
    most: float

    @property
    def share(self) -> float:
        """The share of these answers that is right."""
        return self.right / self.count


@dataclass(frozen=True, slots=True)
class Step:
    """At a required accuracy, the share of answers that can be accepted without a check."""

    accuracy: float
    share: float


def reliability_diagram(bins: Sequence[Bin], title: str) -> str:
    """A picture of confidence against how often it was right; on the dashed line both are the same."""
    lowest = min([0.5, *(group.confidence for group in bins)])
    low = int(lowest * 10 + 1e-9) / 10
    most = max((group.count for group in bins), default=1)
    drawn = [
        *_frame(_ticks(low, 1.0), "how sure Postil was", "how often it was right", low, 1.0),
        f'<path class="ideal" d="M{_x(low, low, 1):.1f} {_y(low):.1f}L{_x(1, low, 1):.1f} {_y(1):.1f}" '
        f'fill="none" stroke="{_FAINT}" stroke-width="1.5" stroke-dasharray="5 4"/>',
    ]
    for group in bins:
        x = _x(group.confidence, low, 1.0)
        radius = _SMALLEST + (_LARGEST - _SMALLEST) * (group.count / most) ** 0.5
        drawn.append(
            f'<path class="range" d="M{x:.1f} {_y(group.least):.1f}V{_y(group.most):.1f}" '
            f'stroke="{_INK}" stroke-width="1.5"/>'
            f'<circle class="point" cx="{x:.1f}" cy="{_y(group.share):.1f}" r="{radius:.1f}" fill="{_INK}"/>'
        )
    said = "; ".join(
        f"about {group.confidence:.0%} sure: "
        f"right {group.right} times out of {group.count} ({group.share:.0%})"
        for group in bins
    )
    return _picture("reliability", title, said or "nothing to show yet", drawn)


def coverage_curve(steps: Sequence[Step], chosen: Step, title: str) -> str:
    """A picture of how many answers can be accepted at which accuracy, with the chosen one marked."""
    low, high = min(step.accuracy for step in steps), max(step.accuracy for step in steps)
    places = [(_x(step.accuracy, low, high), _y(step.share)) for step in steps]
    line = f"M{places[0][0]:.1f} {places[0][1]:.1f}" + "".join(f"L{x:.1f} {y:.1f}" for x, y in places[1:])
    x, y = _x(chosen.accuracy, low, high), _y(chosen.share)
    # The line only falls, so that above it and to the right there is room for words; not beyond the edge.
    anchor, shift = ("start", 8) if x < _WIDTH - _RIGHT - 20 else ("end", _RIGHT - 2)
    drawn = [
        *_frame(_ticks(low, high), "required accuracy", "share of answers accepted unchecked", low, high),
        f'<path class="curve" d="{line}" fill="none" stroke="{_INK}" stroke-width="2.5" '
        'stroke-linejoin="round"/>',
        f'<path class="chosen" d="M{x:.1f} {_y(0):.1f}V{y:.1f}" stroke="{_INK}" stroke-width="1.5" '
        'stroke-dasharray="2 3"/>',
        f'<circle class="point" cx="{x:.1f}" cy="{y:.1f}" r="6" fill="{_INK}"/>',
        _text(x + shift, max(y - 10, _TOP - 4), f"{chosen.share:.0%}", anchor, bold=True),
    ]
    said = "; ".join(f"at {step.accuracy:.0%}, {step.share:.0%} of the answers" for step in steps)
    return _picture("coverage", title, f"{said}. Chosen: {chosen.accuracy:.0%}", drawn)


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers from low to high for an axis, the ends among them."""
    step = 0.1 if high - low > 0.3 else 0.05
    count = int((high - low) / step + 1e-9)
    inner = [low + step * number for number in range(count + 1)]
    return inner if high - inner[-1] < step / 2 else [*inner, high]


def _frame(marks: Sequence[float], below: str, beside: str, low: float, high: float) -> Iterator[str]:
    right = _WIDTH - _RIGHT
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = _y(share)
        yield f'<path class="grid" d="M{_LEFT} {y:.1f}H{right}" stroke="{_LINE}" stroke-width="1"/>'
        yield _text(_LEFT - 6, y + 4, f"{share:.0%}", "end")
    for mark in marks:
        yield _text(_x(mark, low, high), _y(0) + 17, f"{mark:.0%}", "middle")
    yield _text((_LEFT + right) / 2, _HEIGHT - 6, below, "middle")
    yield _text(_LEFT, 12, beside, "start")


def _text(x: float, y: float, words: str, anchor: str, *, bold: bool = False) -> str:
    looks = f'class="value" font-size="14" font-weight="600" fill="{_INK}"'
    if not bold:
        looks = f'class="mark" font-size="12" fill="{_FAINT}"'
    return f'<text {looks} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def _x(value: float, low: float, high: float) -> float:
    return _LEFT + (value - low) / ((high - low) or 1) * (_WIDTH - _LEFT - _RIGHT)


def _y(share: float) -> float:
    return _TOP + (1 - share) * (_HEIGHT - _TOP - _BOTTOM)


def _picture(name: str, title: str, said: str, drawn: Sequence[str]) -> str:
    return (
        f'<svg class="plot" role="img" aria-labelledby="{name}-title {name}-desc" '
        f'viewBox="0 0 {_WIDTH} {_HEIGHT}"><title id="{name}-title">{escape(title)}</title>'
        f'<desc id="{name}-desc">{escape(said)}</desc>{"".join(drawn)}</svg>'
    )
