"""An alignment as a picture: two sentences cut into chunks, with coloured and labelled links between them.

The SVG needs no script, style or font of its own, and may stand in a page or in a file. A page's style sheet
may make it smaller.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from postil.data.alignments import AlignedPair, Alignment
from postil.explain.alignment_layout import (
    FONT,
    LABEL_HEIGHT,
    LINE,
    MARGIN,
    SMALL,
    Box,
    Layout,
    Link,
    Point,
    lay_out,
    text_width,
)
from postil.explain.alignments import (
    LOOKS,
    SENTENCES,
    Labelling,
    Look,
    Names,
    in_words,
    is_link,
    label,
    look,
    meanings,
    plain_label,
)
from postil.explain.page import escape

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
    told = _told(pair, names, plain=plain)
    legend, height = _legend(told, layout.height + 12, width - MARGIN)
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
    linked = [alignments[place] for place in box.stretch.alignments if is_link(alignments[place])]
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
    place = f'x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" rx="5"'
    return f'<rect {place} {fill} stroke="{colour}" {border}/>{text}'


def _link(pair: AlignedPair, link: Link, labelling: Labelling, upright: bool) -> str:
    """The line of a link; where it joins several boxes, the lines meet at its label."""
    alignment = pair.alignments[link.alignment]
    if len(link.starts) == len(link.ends) == 1:
        path = _curve(link.starts[0], link.ends[0], upright)
    else:
        legs = [(start, link.hub) for start in link.starts] + [(link.hub, end) for end in link.ends]
        path = " ".join(_curve(*leg, upright) for leg in legs)
    told = in_words(AlignedPair(pair.id, pair.source, pair.target, (alignment,)), ("", ""), labelling)
    return f"<g><title>{escape(told)}</title>{_stroke(look(alignment), path, alignment.score or 0)}</g>"


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


def _told(pair: AlignedPair, names: Names, *, plain: bool) -> dict[str, str]:
    """What the legend says of each label; plain words on the links need none, so what has no link is left."""
    told = {name: f"{name}: {meaning}" for name, meaning in meanings(pair, names).items()}
    return {name: LOOKS[name].words for name in told if name == "NOALI"} if plain else told


def _legend(told: Mapping[str, str], top: float, right: float) -> tuple[list[str], float]:
    """A sample of every label in the picture and what it means, in as many lines as it takes; and its end."""
    drawn = []
    x, y = float(MARGIN), top + LINE / 2
    for name, text in told.items():
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
    return drawn, y + LINE / 2 + 8 if told else top


def _text(x: float, y: float, text: str, colour: str, size: int = FONT, anchor: str = "start") -> str:
    # The size of the whole picture and the start of a line are what holds without a word.
    smaller = f' font-size="{size}"' if size != FONT else ""
    middle = f' text-anchor="{anchor}"' if anchor != "start" else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}"{smaller}{middle}>{escape(text)}</text>'
