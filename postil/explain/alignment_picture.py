"""Pictures of alignments: two sentences cut into chunks, with coloured and labelled links between them.

Two sentences that are short enough stand above each other, a row each. Longer ones stand side by side, a
column each, with a line for every chunk, so that the letters keep their size. The SVG needs no script, style
or font of its own, and may stand in a page or in a file. A page's style sheet may make it smaller.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import zip_longest
from statistics import fmean

from postil.data.judgements import AlignedPair, Alignment
from postil.explain.alignments import (
    LOOKS,
    SENTENCES,
    Labelling,
    Look,
    Names,
    Stretch,
    in_words,
    is_link,
    label,
    look,
    meanings,
    plain_label,
    stretches,
)
from postil.explain.page import escape, page

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
_SHARES = (0.5, 0.42, 0.58, 0.35, 0.65, 0.28, 0.72, 0.21, 0.79, 0.15, 0.85)

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
        for side, index in enumerate(slot):
            if index is None:
                continue
            stretch, widest = (targets[index], right) if side else (sources[index], left)
            lines = tuple(wrapped(stretch.text, FONT, widest - 2 * _PAD_X + 0.01))
            width = max(text_width(line, FONT) for line in lines) + 2 * _PAD_X
            x = second if side else MARGIN + left - width
            placed.append(Box(x, y, width, LINE * len(lines) + 2 * _PAD_Y, lines, stretch))
            boxes[side][index] = placed[-1]
        y += max(box.height for box in placed) + _BETWEEN
    first, other = ([column[index] for index in sorted(column)] for column in boxes)
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
            tuple(_edge(firsts[index], upright, leaving=True) for index in these),
            tuple(_edge(others[index], upright, leaving=False) for index in those),
        )
        for number, (these, those) in joined.items()
    }

    def slant(item: tuple[int, tuple[Sequence[Point], Sequence[Point]]]) -> float:
        start, end = map(_mean, item[1])
        return abs(start[not upright] - end[not upright])

    # The straightest links choose first: a label on a long one has more places to go to.
    for number, (starts, ends) in sorted(touching.items(), key=slant):
        text = labels[number]
        width = text_width(text, SMALL) + 14
        left, right = inside[0] + width / 2, inside[1] - width / 2
        ways = (_between(_mean(starts), _mean(ends), share, upright) for share in _SHARES)
        hubs = [(max(left, min(x, right)), y) for x, y in ways]
        free = [hub for hub in hubs if not any(_overlap(hub, width, *other) for other in covered)]
        clear = clear and bool(free)
        hub = free[0] if free else hubs[0]
        covered.append((hub, width))
        links.append(Link(number, starts, ends, text, hub))
    return tuple(links), clear


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


_INK, _FAINT, _PAPER = "#1e293b", "#57606a", "#ffffff"
_FACE = "Arial, Helvetica, 'Liberation Sans', sans-serif"
_LEAST_WIDTH = 560
_SAMPLE = 30


def alignment_svg(
    pair: AlignedPair, names: Names = SENTENCES, *, in_page: bool = False, plain: bool = False
) -> str:
    """Draw an alignment; `names` say what the two sentences are, such as `("answer", "reference")`.

    A picture `in_page` stands in a web page, where what language it is written in goes without saying.
    With `plain`, links are labelled in words in place of the types' names and scores.
    """
    labelling = partial(plain_label, names=names) if plain else label
    layout = lay_out(pair, labelling)
    width = max(layout.width, _LEAST_WIDTH)
    entries = {name: f"{name}: {meaning}" for name, meaning in meanings(pair, names).items()}
    if plain:  # plain words on the links need no legend, so what has no link is left
        entries = {name: LOOKS[name].words for name in entries if name == "NOALI"}
    legend, height = _legend(entries, layout.height + 12, width - MARGIN)
    drawn = [
        *(_link(pair, link, labelling, layout.upright) for link in layout.links),
        *(_box(pair.alignments, box) for box in (*layout.sources, *layout.targets)),
        *(_label(look(pair.alignments[link.alignment]), link) for link in layout.links),
        *_captions(pair, layout, names),
        *legend,
    ]
    language = "" if in_page else 'xmlns="http://www.w3.org/2000/svg" '
    title = f"Alignment of {names[0]} and {names[1]}"
    return (
        f'<svg {language}role="img" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="{_FACE}" font-size="{FONT}">'
        f"<title>{escape(title)}</title><desc>{escape(in_words(pair, names, labelling))}</desc>\n"
        f'<rect width="100%" height="100%" fill="{_PAPER}"/>\n' + "\n".join(drawn) + "\n</svg>"
    )


def _box(alignments: Sequence[Alignment], box: Box) -> str:
    linked = [alignments[index] for index in box.stretch.alignments if is_link(alignments[index])]
    colour = look(linked[0]).colour if linked else LOOKS["NOALI"].colour
    border = 'stroke-width="1.5"' if linked else f'stroke-dasharray="{LOOKS["NOALI"].dashes}"'
    # The tint is the colour thinned, so that dark letters stand out on it in any of the seven.
    fill = f'fill="{colour}" fill-opacity="{0.14 if linked else 0.1}"'
    middle = box.x + box.width / 2
    first = box.y + (box.height - LINE * len(box.lines)) / 2 + LINE * 0.75
    text = "".join(
        _text(middle, first + LINE * row, line, _INK if linked else _FAINT, anchor="middle")
        for row, line in enumerate(box.lines)
    )
    geometry = f'x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" rx="5"'
    return f'<rect {geometry} {fill} stroke="{colour}" {border}/>{text}'


def _link(pair: AlignedPair, link: Link, labelling: Labelling, upright: bool) -> str:
    """The line of a link; where it joins several boxes, the lines meet at its label."""
    alignment = pair.alignments[link.alignment]
    if len(link.starts) == len(link.ends) == 1:
        path = _curve(link.starts[0], link.ends[0], upright)
    else:
        legs = [(start, link.hub) for start in link.starts] + [(link.hub, end) for end in link.ends]
        path = " ".join(_curve(*leg, upright) for leg in legs)
    title = in_words(replace(pair, alignments=(alignment,)), ("", ""), labelling)
    return f"<g><title>{escape(title)}</title>{_stroke(look(alignment), path, alignment.score or 0)}</g>"


def _curve(start: Point, end: Point, upright: bool) -> str:
    (x, y), (to_x, to_y) = start, end
    if upright:
        middle = (y + to_y) / 2
        return f"M{x:.1f} {y:.1f}C{x:.1f} {middle:.1f} {to_x:.1f} {middle:.1f} {to_x:.1f} {to_y:.1f}"
    middle = (x + to_x) / 2
    return f"M{x:.1f} {y:.1f}C{middle:.1f} {y:.1f} {middle:.1f} {to_y:.1f} {to_x:.1f} {to_y:.1f}"


def _stroke(style: Look, path: str, score: float) -> str:
    """A line in the look of a type, the thicker the higher the score."""
    thick = 1.4 + 0.4 * score
    line = f'<path d="{path}" fill="none" stroke="{style.colour}"'
    if style.dashes == "double":
        inner = f'<path d="{path}" fill="none" stroke="{_PAPER}" stroke-width="1.6"/>'
        return f'{line} stroke-width="{thick + 2.4:.1f}"/>{inner}'
    dashes = f' stroke-dasharray="{style.dashes}"' if style.dashes else ""
    return f'{line} stroke-width="{thick:.1f}"{dashes}/>'


def _label(style: Look, link: Link) -> str:
    x, y = link.hub
    width = text_width(link.label, SMALL) + 12
    return (
        f'<rect x="{x - width / 2:.1f}" y="{y - LABEL_HEIGHT / 2:.1f}" width="{width:.1f}" '
        f'height="{LABEL_HEIGHT}" rx="{LABEL_HEIGHT / 2}" fill="{_PAPER}" stroke="{style.colour}" '
        f'stroke-width="1.5"/>{_text(x, y + 4.2, link.label, _INK, SMALL, "middle")}'
    )


def _captions(pair: AlignedPair, layout: Layout, names: Names) -> Iterator[str]:
    # The boxes of a left column end where its caption ends.
    anchors = ("start", "start") if layout.upright else ("end", "start")
    sides = zip(layout.captions, names, (pair.source, pair.target), anchors, strict=True)
    for (x, y), name, tokens, anchor in sides:
        yield _text(x, y, name if tokens else f"{name} (empty)", _FAINT, SMALL, anchor)


def _legend(entries: Mapping[str, str], top: float, right: float) -> tuple[list[str], float]:
    """A sample of every label in the picture and what it means, in as many lines as it takes; and its end."""
    drawn = []
    x, y = float(MARGIN), top + LINE / 2
    for name, text in entries.items():
        sample = _SAMPLE + 6 if name in LOOKS else 0
        width = sample + text_width(text, SMALL)
        if x > MARGIN and x + width > right:
            x, y = float(MARGIN), y + LINE
        if name == "NOALI":
            drawn.append(
                f'<rect x="{x:.1f}" y="{y - 7:.1f}" width="{_SAMPLE}" height="14" rx="4" fill="none" '
                f'stroke="{LOOKS[name].colour}" stroke-dasharray="{LOOKS[name].dashes}"/>'
            )
        elif sample:
            drawn.append(_stroke(LOOKS[name], f"M{x:.1f} {y:.1f}h{_SAMPLE}", 4))
        drawn.append(_text(x + sample, y + 4.2, text, _FAINT, SMALL))
        x += width + 18
    return drawn, y + LINE / 2 + 8 if entries else top


def _text(x: float, y: float, text: str, colour: str, size: int = FONT, anchor: str = "start") -> str:
    # The size of the whole picture and the start of a line are what holds without a word.
    smaller = f' font-size="{size}"' if size != FONT else ""
    middle = f' text-anchor="{anchor}"' if anchor != "start" else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}"{smaller}{middle}>{escape(text)}</text>'


_STYLE = """
h2 { font-size: .8rem; font-weight: 600; color: #64748b; margin: 0; }
figure { margin: 0; overflow-x: auto; }
figure svg { display: block; max-width: 100%; min-width: 35rem; height: auto; }
@media print { section { break-inside: avoid; } }
"""


def alignment_page(
    pairs: Iterable[tuple[AlignedPair, str]], title: str = "Alignments", names: Names = SENTENCES
) -> str:
    """Draw pairs, each with its explanation, into a whole page."""
    sections = "\n".join(
        f"<section>\n<h2>Pair {escape(pair.id)}</h2>\n<figure>{alignment_svg(pair, names)}</figure>\n"
        f"<p>{escape(explanation)}</p>\n</section>"
        for pair, explanation in pairs
    )
    return page(title, sections, _STYLE)
