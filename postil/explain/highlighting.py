"""An answer as it was written, with marks on the words that make a claim or contradict one.

A grader reads an answer with its misspellings corrected; a person must see what the pupil wrote. So spans are
brought back to the text as it was written before anything is quoted or marked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from postil.data.judgements import CONTRADICTED, EXPRESSED, UNADDRESSED, FacetOutcome, Spans
from postil.explain.alignment_picture import text_width, wrapped
from postil.explain.page import escape

SIGNS = {EXPRESSED: "✓", UNADDRESSED: "–", CONTRADICTED: "✗"}
_WORD = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")
# How far to look for the next word that two texts share: corrections and omissions are short.
_AHEAD = 6


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of an answer, and the numbers (from 1) of the claims that it makes and that it contradicts."""

    text: str
    makes: tuple[int, ...] = ()
    contradicts: tuple[int, ...] = ()

    @property
    def is_marked(self) -> bool:
        """Whether these words have to do with a claim."""
        return bool(self.makes or self.contradicts)


def as_written(outcomes: Sequence[FacetOutcome], read: str, written: str) -> tuple[FacetOutcome, ...]:
    """Outcomes whose spans and words are those of the answer as it was written, not as it was read."""
    places = None if read == written else _places(read, written)
    moved = []
    for outcome in outcomes:
        spans = outcome.spans if places is None else _moved(outcome.spans, places)
        spans = _joined(spans, written)
        words = tuple(written[start:end] for start, end in spans) if spans else outcome.words
        moved.append(replace(outcome, spans=spans, words=words))
    return tuple(moved)


_Place = tuple[int, int, int, int]  # where a word stands in the text that was read and as it was written


def _places(read: str, written: str) -> list[_Place]:
    """Where each word that was read stands in the text as it was written; words put in stand nowhere.

    Both texts are walked side by side. Where they differ, the nearest word that both have is looked for.
    """
    first, second = list(_WORD.finditer(read)), list(_WORD.finditer(written))
    ours, theirs = ([match[0].casefold() for match in side] for side in (first, second))
    places: list[_Place] = []
    at = other = 0
    while at < len(first) and other < len(second):
        near = ours[at : at + _AHEAD + 1], theirs[other : other + _AHEAD + 1]
        skipped, left_out = _next_shared(*near)
        for number in range(skipped):
            # As many words on both sides: each stands for its neighbour; otherwise all stand for all.
            one = skipped == left_out
            start = other + number if one else other
            end = start if one else other + left_out - 1
            if left_out:
                span = first[at + number].span()
                places.append((*span, second[start].start(), second[end].end()))
        at, other = at + skipped, other + left_out
        if at < len(first) and other < len(second):
            places.append((*first[at].span(), *second[other].span()))
            at, other = at + 1, other + 1
    return places


def _next_shared(ours: Sequence[str], theirs: Sequence[str]) -> tuple[int, int]:
    """How many words of each side stand before the next one that both have; (0, 0) where none is near."""
    for distance in range(2 * _AHEAD):
        for skipped in range(min(distance, _AHEAD) + 1):
            left_out = distance - skipped
            inside = left_out <= _AHEAD and skipped < len(ours) and left_out < len(theirs)
            if inside and ours[skipped] == theirs[left_out]:
                return skipped, left_out
    return 0, 0


def _moved(spans: Spans, places: Sequence[_Place]) -> Spans:
    moved = []
    for start, end in spans:
        touched = [place for place in places if place[0] < end and start < place[1]]
        if touched:
            moved.append((min(place[2] for place in touched), max(place[3] for place in touched)))
    return tuple(moved)


def _joined(spans: Spans, text: str) -> Spans:
    """Spans inside a text in order, those that only blanks keep apart as one."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted({(start, end) for start, end in spans if 0 <= start < end <= len(text)}):
        if joined and not text[joined[-1][1] : start].strip():
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return tuple(joined)


def pieces(written: str, outcomes: Sequence[FacetOutcome]) -> list[Piece]:
    """An answer cut where what it says of the claims changes; claims are numbered in their order."""
    marks = [
        (start, end, number, outcome.label)
        for number, outcome in enumerate(outcomes, 1)
        if outcome.label != UNADDRESSED
        for start, end in outcome.spans
        if 0 <= start < end <= len(written)
    ]
    cuts = sorted({0, len(written), *(place for mark in marks for place in mark[:2])})
    cut = []
    for start, end in pairwise(cuts):
        here = [mark for mark in marks if mark[0] <= start and end <= mark[1]]
        makes, contradicts = (
            tuple(number for *_, number, label in here if label == kind) for kind in (EXPRESSED, CONTRADICTED)
        )
        cut.append(Piece(written[start:end], makes, contradicts))
    return cut


def _numbers(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))


def _signs(piece: Piece, *, numbered: bool) -> Iterator[tuple[str, str]]:
    """What stands behind a piece: signs to see, and words to hear."""
    for numbers, sign, verb in (
        (piece.makes, SIGNS[EXPRESSED], "makes"),
        (piece.contradicts, SIGNS[CONTRADICTED], "contradicts"),
    ):
        if numbers:
            which = f"point {_numbers(numbers)}" if numbered else "the point"
            yield sign + (_numbers(numbers) if numbered else ""), f" ({verb} {which}) "


def highlighted(written: str, outcomes: Sequence[FacetOutcome]) -> str:
    """An answer in HTML with what makes a claim or contradicts one marked: by line, sign, colour and words.

    The signs behind a mark have the numbers of the claims where there are several.
    """
    numbered = len(outcomes) > 1
    parts = []
    for piece in pieces(written, outcomes):
        text = escape(piece.text)
        if piece.is_marked:
            signs = "".join(
                f'<sup aria-hidden="true">{sign}</sup><span class="visually-hidden">{words}</span>'
                for sign, words in _signs(piece, numbered=numbered)
            )
            text = f'<mark class="{"denies" if piece.contradicts else "says"}">{text}</mark>{signs}'
        parts.append(text)
    return "".join(parts)


# What a page needs to show marks, in light and in dark; a page with a look of its own brings its own.
STYLE = """
mark.says, mark.denies { background: #d1fae5; color: inherit; font-weight: inherit; white-space: normal;
  border-radius: .2rem; text-decoration: underline solid #047857 2px; text-underline-offset: .22em; }
mark.denies { background: #ffe4e6; text-decoration: underline wavy #be123c 2px; }
mark + sup { font-size: .72em; font-weight: 700; color: #065f46; margin-left: .1em; white-space: nowrap; }
mark.denies + sup { color: #9f1239; }
.visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
"""
# Sizes of a picture.
_FONT, _SMALL, _LINE, _MARGIN, _WIDTH = 16, 12, 30, 16, 720
_FACE = "Arial, Helvetica, 'Liberation Sans', sans-serif"
_DARK = (
    ".paper{fill:#1e2228}.ink{fill:#e9e6de}.soft{fill:#a9b0ba}.says{fill:#14352a}.denies{fill:#45192a}"
    ".line{stroke:#34b489}.wave{stroke:#f0627f}.ok{fill:#a5ebd0}.no{fill:#ffc1cd}"
)
_LIGHT = (
    ".paper{fill:#fff}.ink{fill:#1e293b}.soft{fill:#57606a}.says{fill:#d1fae5}.denies{fill:#ffe4e6}"
    ".line,.wave{fill:none;stroke:#047857;stroke-width:2}.wave{stroke:#be123c}.ok{fill:#065f46}.no{fill:#9f1239}"
)


def highlight_svg(written: str, outcomes: Sequence[FacetOutcome], names: Sequence[str]) -> str:
    """A picture of a highlighted answer above the claims, which `names` puts into words; for files.

    It needs no script and no font of its own, and is dark where the reader's screen is.
    """
    numbered = len(outcomes) > 1
    drawn: list[str] = []
    x, y = float(_MARGIN), float(_MARGIN + _LINE - 8)
    heard = []
    for piece in pieces(written, outcomes):
        for word in re.findall(r"\S+\s*", piece.text):
            shown, width = word.rstrip(), text_width(word, _FONT)
            if x > _MARGIN and x + text_width(shown, _FONT) > _WIDTH - _MARGIN:
                x, y = float(_MARGIN), y + _LINE
            if piece.is_marked:
                drawn += _marked(x, y, width if word is not shown else text_width(shown, _FONT), piece)
            drawn.append(_text(x, y, shown, "ink", _FONT))
            x += width
        heard.append(piece.text)
        for sign, words in _signs(piece, numbered=numbered):
            drawn.append(_text(x + 1, y - 6, sign, "no" if piece.contradicts else "ok", _SMALL, bold=True))
            x += text_width(sign, _SMALL) + 8
            heard.append(words)
    y += 12
    for number, (outcome, name) in enumerate(zip(outcomes, names, strict=True), 1):
        style = {EXPRESSED: "ok", CONTRADICTED: "no"}.get(outcome.label, "soft")
        start = f"{SIGNS[outcome.label]} {number}." if numbered else SIGNS[outcome.label]
        for row, line in enumerate(wrapped(name, _SMALL + 2, _WIDTH - 2 * _MARGIN - 34)):
            y += 22
            if not row:
                drawn.append(_text(_MARGIN, y, start, style, _SMALL + 2, bold=True))
            drawn.append(_text(_MARGIN + 34, y, line, "soft", _SMALL + 2))
    height = y + _MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{_WIDTH}" height="{height:.0f}" '
        f'viewBox="0 0 {_WIDTH} {height:.0f}" font-family="{_FACE}">'
        f"<title>The answer and the claims of the reference</title><desc>{escape(''.join(heard))}</desc>"
        f"<style>{_LIGHT}@media (prefers-color-scheme:dark){{{_DARK}}}</style>\n"
        f'<rect width="100%" height="100%" class="paper"/>\n' + "\n".join(drawn) + "\n</svg>"
    )


def _marked(x: float, y: float, width: float, piece: Piece) -> Iterator[str]:
    """The ground and the line of a marked word: straight where it makes a claim, else a wave."""
    ground = "denies" if piece.contradicts else "says"
    yield f'<rect x="{x:.1f}" y="{y - 15:.1f}" width="{width:.1f}" height="21" class="{ground}"/>'
    if piece.contradicts:
        waves = "".join(f"q2 {-3 if step % 2 else 3} 4 0" for step in range(int(width // 4)))
        yield f'<path d="M{x:.1f} {y + 6:.1f}{waves}" class="wave"/>'
    else:
        yield f'<path d="M{x:.1f} {y + 6:.1f}h{width:.1f}" class="line"/>'


def _text(x: float, y: float, text: str, style: str, size: int, *, bold: bool = False) -> str:
    weight = ' font-weight="700"' if bold else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{style}" font-size="{size}"{weight}>{escape(text)}</text>'
