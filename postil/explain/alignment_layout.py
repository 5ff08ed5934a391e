"""Where the chunks, links and labels of an alignment stand in its picture; nothing is drawn here.

Two sentences that are short enough stand above each other, a row each. Longer ones stand side by side, a
column each, with a line for every chunk, so that the letters keep their size however long the sentences are.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from statistics import fmean

from postil.data.alignments import AlignedPair
from postil.explain.alignments import Labelling, Stretch, is_link, label, stretches

FONT, SMALL = 15, 12
LINE = 20
MARGIN = 16
CAPTION = 22
LABEL_HEIGHT = 20
# Wider rows would be scaled down on a page; then columns are easier to read.
_WIDEST_ROW = 1000
_WIDEST_COLUMN = 340
_LEAST_COLUMN = 120
_PAD_X, _PAD_Y = 10, 6
_BETWEEN = 9
_LEAST_GAP, _MOST_GAP = 92, 240
_EMPTY_GAP = 16
_COLUMN_GAP = 230
# Where along its link a label may stand, the best place first.
_PLACES = (0.5, 0.42, 0.58, 0.35, 0.65, 0.28, 0.72, 0.21, 0.79, 0.15, 0.85)

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Box:
    """A stretch of words with its place in the picture, cut into lines."""

    x: float
    y: float
    width: float
    height: float
    lines: tuple[str, ...]
    stretch: Stretch


@dataclass(frozen=True, slots=True)
class Link:
    """A link between boxes: which alignment it is, where it touches the boxes, where its label stands."""

    alignment: int
    starts: tuple[Point, ...]
    ends: tuple[Point, ...]
    label: str
    hub: Point


@dataclass(frozen=True, slots=True)
class Layout:
    """A whole picture: its size, its boxes, its links, where the captions stand, and which way links run."""

    width: float
    height: float
    sources: tuple[Box, ...]
    targets: tuple[Box, ...]
    links: tuple[Link, ...]
    captions: tuple[Point, Point]
    upright: bool


def lay_out(pair: AlignedPair, labelling: Labelling = label) -> Layout:
    """Place everything: in two rows where they fit, else in two columns."""
    sources, source_places = stretches(pair.source, [each.source for each in pair.alignments])
    targets, target_places = stretches(pair.target, [each.target for each in pair.alignments])
    joined = {
        number: (source_places[number], target_places[number])
        for number, alignment in enumerate(pair.alignments)
        if is_link(alignment)
    }
    labels = [labelling(alignment) for alignment in pair.alignments]
    if max(_row_width(sources), _row_width(targets)) <= _WIDEST_ROW:
        return _rows(labels, sources, targets, joined)
    return _columns(labels, sources, targets, joined)


def text_width(text: str, size: float) -> float:
    """About how wide a text is in a plain sans-serif face, rather too wide than too narrow."""
    return size * sum(map(_letter_width, text))


def _letter_width(letter: str) -> float:
    if unicodedata.combining(letter) or unicodedata.category(letter) in ("Mn", "Cf"):
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.05
    if letter in "ijl.,:;'|!’":
        return 0.3
    if letter in 'ftrI()[]/- "':
        return 0.38
    if letter in "mwMW@%—…":
        return 0.95
    return 0.72 if letter.isupper() else 0.58


def wrapped(text: str, size: float, widest: float) -> list[str]:
    """Cut a text into lines at its blanks; a word too long for a line is cut where the line ends."""
    lines = [""]
    for word in text.split():
        together = f"{lines[-1]} {word}".strip()
        if text_width(together, size) <= widest:
            lines[-1] = together
            continue
        lines += [""] if lines[-1] else []
        for letter in word:
            if lines[-1] and text_width(lines[-1] + letter, size) > widest:
                lines.append("")
            lines[-1] += letter
    return lines


def _box_width(stretch: Stretch) -> float:
    return text_width(stretch.text, FONT) + 2 * _PAD_X


def _row_width(row: Sequence[Stretch]) -> float:
    return sum(_box_width(stretch) + _BETWEEN for stretch in row) - _BETWEEN


Joined = dict[int, tuple[list[int], list[int]]]


def _rows(
    labels: Sequence[str], sources: Sequence[Stretch], targets: Sequence[Stretch], joined: Joined
) -> Layout:
    wide = max(_row_width(sources), _row_width(targets), _LEAST_COLUMN)
    high = LINE + 2 * _PAD_Y
    top = MARGIN + CAPTION
    upper = _row(sources, MARGIN, top)
    lower = _row(targets, MARGIN, 0)
    # The shorter row moves to where its links are steepest.
    slant = [
        _middle([upper[i] for i in these]) - _middle([lower[i] for i in those])
        for these, those in joined.values()
    ]
    room = _row_width(sources) - _row_width(targets)
    shift = min(max(fmean(slant), min(room, 0)), max(room, 0)) if slant else 0.0
    upper = _row(sources, MARGIN + max(-shift, 0), top)
    gap, clear = _first_gap(slant, shift), False
    while not clear:
        bottom = top + high + gap
        lower = _row(targets, MARGIN + max(shift, 0), bottom)
        links, clear = _links(labels, upper, lower, joined, (2, 2 * MARGIN + wide - 2), upright=True)
        gap += 32
        clear = clear or gap > _MOST_GAP
    captions = ((MARGIN, MARGIN + SMALL), (MARGIN, bottom + high + SMALL + 6))
    height = bottom + high + CAPTION
    return Layout(2 * MARGIN + wide, height, tuple(upper), tuple(lower), links, captions, True)


def _first_gap(slant: Sequence[float], shift: float) -> float:
    """Room between the rows: links that lie flat need more of it to be told apart."""
    if not slant:
        return _EMPTY_GAP
    flattest = max(abs(each - shift) for each in slant)
    return min(_LEAST_GAP + flattest / 6, _MOST_GAP)


def _row(row: Sequence[Stretch], x: float, y: float) -> list[Box]:
    boxes = []
    for stretch in row:
        width = _box_width(stretch)
        boxes.append(Box(x, y, width, LINE + 2 * _PAD_Y, (stretch.text,), stretch))
        x += width + _BETWEEN
    return boxes


def _middle(boxes: Sequence[Box]) -> float:
    return fmean(box.x + box.width / 2 for box in boxes)


def _columns(
    labels: Sequence[str], sources: Sequence[Stretch], targets: Sequence[Stretch], joined: Joined
) -> Layout:
    left, right = (
        min(_WIDEST_COLUMN, max([_LEAST_COLUMN, *map(_box_width, column)])) for column in (sources, targets)
    )
    second = MARGIN + left + _COLUMN_GAP
    boxes: tuple[dict[int, Box], dict[int, Box]] = ({}, {})
    y = float(MARGIN + CAPTION)
    for slot in _slots(len(sources), len(targets), joined):
        placed = []
        for side, place in enumerate(slot):
            if place is None:
                continue
            stretch, widest = (targets[place], right) if side else (sources[place], left)
            lines = tuple(wrapped(stretch.text, FONT, widest - 2 * _PAD_X + 0.01))
            width = max(text_width(line, FONT) for line in lines) + 2 * _PAD_X
            x = second if side else MARGIN + left - width
            placed.append(Box(x, y, width, LINE * len(lines) + 2 * _PAD_Y, lines, stretch))
            boxes[side][place] = placed[-1]
        y += max(box.height for box in placed) + _BETWEEN
    first, other = ([column[place] for place in sorted(column)] for column in boxes)
    links, _ = _links(labels, first, other, joined, (MARGIN + left, second), upright=False)
    captions = ((MARGIN + left, MARGIN + SMALL), (second, MARGIN + SMALL))
    return Layout(second + right + MARGIN, y, tuple(first), tuple(other), links, captions, False)


def _slots(sources: int, targets: int, joined: Joined) -> Iterator[tuple[int | None, int | None]]:
    """Which two boxes stand beside each other: as many linked ones as keep the order of both sentences."""
    ends = [(these[0], those[0]) for these, those in joined.values()]
    at, to = 0, 0
    for i, j in (*_longest_chain(sorted(set(ends))), (sources, targets)):
        yield from zip_longest(range(at, i), range(to, j))
        if i < sources and j < targets:
            yield i, j
        at, to = i + 1, j + 1


def _longest_chain(ends: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest run of links of which none crosses another."""
    best: list[list[tuple[int, int]]] = []
    for i, j in ends:
        before = [chain for chain in best if chain[-1][0] < i and chain[-1][1] < j]
        best.append([*max(before, key=len, default=[]), (i, j)])
    return max(best, key=len, default=[])


def _links(
    labels: Sequence[str],
    firsts: Sequence[Box],
    others: Sequence[Box],
    joined: Joined,
    inside: tuple[float, float],
    *,
    upright: bool,
) -> tuple[tuple[Link, ...], bool]:
    """All links with their labels placed inside these bounds, and whether no label covers another."""
    links, covered, clear = [], list[tuple[Point, float]](), True
    touching = {
        number: (
            tuple(_edge(firsts[place], upright, leaving=True) for place in these),
            tuple(_edge(others[place], upright, leaving=False) for place in those),
        )
        for number, (these, those) in joined.items()
    }
    # The straightest links choose first: a label on a long one has more places to go to.
    for number, (starts, ends) in sorted(touching.items(), key=lambda item: _slant(item[1], upright)):
        text = labels[number]
        width = text_width(text, SMALL) + 14
        left, right = inside[0] + width / 2, inside[1] - width / 2
        ways = (_between(_mean(starts), _mean(ends), place, upright) for place in _PLACES)
        hubs = [(max(left, min(x, right)), y) for x, y in ways]
        free = [hub for hub in hubs if not any(_overlap(hub, width, *other) for other in covered)]
        clear = clear and bool(free)
        hub = free[0] if free else hubs[0]
        covered.append((hub, width))
        links.append(Link(number, starts, ends, text, hub))
    return tuple(links), clear


def _slant(touching: tuple[Sequence[Point], Sequence[Point]], upright: bool) -> float:
    axis = 0 if upright else 1
    start, end = map(_mean, touching)
    return abs(start[axis] - end[axis])


def _edge(box: Box, upright: bool, *, leaving: bool) -> Point:
    if upright:
        return box.x + box.width / 2, box.y + (box.height if leaving else 0)
    return box.x + (box.width if leaving else 0), box.y + box.height / 2


def _mean(points: Sequence[Point]) -> Point:
    return fmean(x for x, _ in points), fmean(y for _, y in points)


def _between(start: Point, end: Point, share: float, upright: bool) -> Point:
    """The point of a link's curve that has this share of its way behind it."""
    (x, y), (to_x, to_y) = start, end
    slow = 1.5 * share * (1 - share) + share**3
    fast = 3 * share**2 - 2 * share**3
    across, down = (fast, slow) if upright else (slow, fast)
    return x + (to_x - x) * across, y + (to_y - y) * down


def _overlap(hub: Point, width: float, other: Point, other_width: float) -> bool:
    return (
        abs(hub[0] - other[0]) < (width + other_width) / 2 + 3 and abs(hub[1] - other[1]) < LABEL_HEIGHT + 2
    )
