"""Pictures of alignments, read back as XML: what is drawn, where, and that nothing covers anything."""

from __future__ import annotations

import random
import re
import xml.etree.ElementTree as ET
from functools import partial

import pytest

from postil.data.judgements import TYPES, AlignedPair, Alignment
from postil.explain.alignment_picture import (
    FONT,
    Layout,
    alignment_page,
    alignment_svg,
    lay_out,
    text_width,
    wrapped,
)
from postil.explain.alignments import LOOKS, SENTENCES, in_words, plain_label, stretches, words

SVG = "{http://www.w3.org/2000/svg}"
EVIL = '<script>alert("1")</script>&\'"'
SHORT = AlignedPair(
    "1",
    ("three", "bulbs", "glow", "in", "the", "circuit"),
    ("two", "bulbs", "are", "lit", "!"),
    (
        Alignment((1,), (1,), ("SIMI", "FACT"), 3),
        Alignment((2,), (2,), ("EQUI",), 5),
        Alignment((3,), (3, 4), ("SPE1",), 4),
        Alignment((4, 5, 6), (), ("NOALI",), None),
        Alignment((), (5,), ("NOALI", "POL"), None),
    ),
)
CROSSING = AlignedPair(
    "2",
    ("salt", "stays", "when", "water", "dries", "up"),
    ("water", "evaporates", "and", "the", "salt", "remains"),
    (
        Alignment((1,), (4, 5), ("SPE2",), 4),
        Alignment((2,), (6,), ("EQUI",), 5),
        Alignment((3,), (3,), ("REL",), 1),
        Alignment((4, 6), (1, 2), ("OPPO",), 4),
        Alignment((5,), (2,), ("SIMI", "POL"), 2.5),
    ),
)


def long(size: int, seed: int = 0) -> AlignedPair:
    """Two sentences of as many words, in chunks of one to four, most of them linked and many crossing."""
    order = random.Random(seed)
    sentence = tuple(
        order.choice(("water", "a", "salt", "evaporates", "in", "sunlight")) for _ in range(size)
    )

    def cut() -> list[tuple[int, ...]]:
        chunks, at = [], 1
        while at <= size:
            end = min(size, at + order.randint(0, 3))
            chunks.append(tuple(range(at, end + 1)))
            at = end + 1
        return chunks

    sources, targets = cut(), cut()
    linked = min(len(sources), len(targets)) * 2 // 3
    mixed = sorted(targets[:linked], key=lambda chunk: chunk[0] + order.randint(0, 12))
    alignments = [
        Alignment(source, target, (TYPES[number % 6],), 5 if number % 6 == 0 else number % 4 + 1)
        for number, (source, target) in enumerate(zip(sources, mixed, strict=False))
    ]
    alignments += [Alignment(chunk, (), ("NOALI",), None) for chunk in sources[linked:]]
    alignments += [Alignment((), chunk, ("NOALI",), None) for chunk in targets[linked:]]
    return AlignedPair("9", sentence, sentence, tuple(alignments))


def drawn(pair: AlignedPair, *, plain: bool = False) -> ET.Element:
    return ET.fromstring(alignment_svg(pair, plain=plain))


def texts(svg: ET.Element) -> list[str]:
    return [node.text or "" for node in svg.iter(f"{SVG}text")]


def covers(rectangles: list[tuple[float, float, float, float]]) -> bool:
    return any(
        x < other_x + other_wide and other_x < x + wide and y < other_y + other_high and other_y < y + high
        for number, (x, y, wide, high) in enumerate(rectangles)
        for other_x, other_y, other_wide, other_high in rectangles[:number]
    )


def labels(layout: Layout) -> list[tuple[float, float, float, float]]:
    found = []
    for link in layout.links:
        width = text_width(link.label, 12) + 12
        found.append((link.hub[0] - width / 2, link.hub[1] - 10, width, 20))
    return found


def test_a_short_pair():
    svg = drawn(SHORT)
    assert texts(svg)[:5] == ["three", "bulbs", "glow", "in the circuit", "two"]
    assert {"SIMI FACT 3", "EQUI 5", "SPE1 4"} <= set(texts(svg))
    assert len(list(svg.iter(f"{SVG}g"))) == 3
    assert not any("NOALI" in text for text in texts(svg) if ":" not in text)


def test_it_is_told_in_words_too():
    svg = drawn(SHORT)
    assert svg.get("role") == "img"
    assert svg.find(f"{SVG}title").text == "Alignment of sentence 1 and sentence 2"
    said = svg.find(f"{SVG}desc").text
    assert "“three” – “two”: SIMI FACT 3; " in said
    assert "only in sentence 1: “in the circuit”; only in sentence 2: “!”" in said


def test_names_of_the_two():
    svg = alignment_svg(SHORT, ("answer", "reference"))
    assert "SPE1: answer more specific" in svg
    assert "only in reference" in svg
    assert "sentence" not in svg


def test_plain_words_in_place_of_the_types():
    svg = alignment_svg(SHORT, ("answer", "reference"), plain=True)
    shown = texts(drawn(SHORT, plain=True))
    assert {"similar, not equally certain", "same", "sentence 1 more precise", "only here"} <= set(shown)
    assert "“three” – “two”: similar, not equally certain; " in svg
    assert "“glow” – “are lit”: answer more precise; " in svg
    assert not re.search(r"\b(EQUI|OPPO|SPE[12]|SIMI|REL|NOALI|FACT|POL)\b", svg)


def test_the_legend_has_what_the_picture_has():
    legend = [text.split(":")[0] for text in texts(drawn(SHORT)) if ":" in text]
    assert legend == ["EQUI", "SPE1", "SIMI", "NOALI", "FACT", "POL"]


def test_no_type_is_told_by_colour_alone():
    for part in ("colour", "dashes", "sign", "meaning", "words"):
        assert len({getattr(style, part) for style in LOOKS.values()}) == len(TYPES), part
    assert tuple(LOOKS) == TYPES


def test_what_is_not_aligned_is_dashed():
    boxes = [node for node in drawn(SHORT).iter(f"{SVG}rect") if node.get("fill-opacity")]
    assert [node.get("stroke-dasharray") is not None for node in boxes] == [False] * 3 + [True] + [
        False
    ] * 3 + [True]


def test_many_to_many_meet_at_their_label():
    layout = lay_out(CROSSING)
    split = next(link for link in layout.links if link.alignment == 3)
    assert (len(split.starts), len(split.ends)) == (2, 2)
    path = next(
        node.find(f"{SVG}path").get("d")
        for node in drawn(CROSSING).iter(f"{SVG}g")
        if "water … up" in node.find(f"{SVG}title").text
    )
    assert path.count("M") == 4
    assert path.count(f"{split.hub[0]:.1f} {split.hub[1]:.1f}") == 4


def test_a_word_in_two_alignments_is_linked_twice():
    pair = AlignedPair("1", ("a",), ("b", "c"), (Alignment((1,), (1,), ("EQUI",), 5),) * 2)
    assert len(lay_out(pair).links) == 2
    assert [box.lines for box in lay_out(pair).targets] == [("b",), ("c",)]


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("pair", [SHORT, CROSSING, long(12), long(40), long(90, 1), long(200, 2)])
def test_nothing_covers_anything_and_all_is_inside(pair, plain):
    layout = lay_out(pair, partial(plain_label, names=SENTENCES)) if plain else lay_out(pair)
    for boxes in (layout.sources, layout.targets):
        assert not covers([(box.x, box.y, box.width, box.height) for box in boxes])
    assert not covers(labels(layout))
    svg = drawn(pair, plain=plain)
    _, _, width, height = map(float, svg.get("viewBox").split())
    assert width <= 1032
    for node in svg.iter(f"{SVG}rect"):
        if node.get("width") != "100%":
            x, y, wide, high = (float(node.get(name)) for name in ("x", "y", "width", "height"))
            assert x >= 0
            assert y >= 0
            assert x + wide <= width
            assert y + high <= height


def test_long_sentences_stand_in_columns():
    assert lay_out(SHORT).upright
    layout = lay_out(long(40))
    assert not layout.upright
    assert [box.y for box in layout.sources] == sorted(box.y for box in layout.sources)
    level = [link for link in layout.links if link.starts[0][1] == link.ends[0][1]]
    assert len(level) >= len(layout.links) / 4
    shown = " ".join(line for box in layout.sources for line in box.lines)
    assert shown == " ".join(long(40).source)


def test_a_long_chunk_is_wrapped():
    pair = AlignedPair("1", ("word",) * 60, ("x" * 300,), (Alignment((*range(1, 61),), (1,), ("EQUI",), 5),))
    for boxes in (lay_out(pair).sources, lay_out(pair).targets):
        assert len(boxes[0].lines) > 4
        assert boxes[0].width <= 340.1


def test_lines():
    assert wrapped("one two three", FONT, text_width("one two", FONT)) == ["one two", "three"]
    assert "".join(wrapped("abcdefgh", FONT, text_width("abc", FONT))) == "abcdefgh"
    assert wrapped("", FONT, 10) == [""]


def test_letters_have_their_widths():
    assert text_width("iii", 10) < text_width("aaa", 10) < text_width("WWW", 10)
    assert text_width("e\u0301", 10) == text_width("e", 10)
    assert text_width("漢", 10) > text_width("a", 10)


@pytest.mark.parametrize(
    "pair",
    [
        AlignedPair("1", (), ()),
        AlignedPair("1", (), ("a", "b"), (Alignment((), (1, 2), ("NOALI",), None),)),
        AlignedPair("1", ("a",), (), ()),
        AlignedPair("1", ("a",), ("b",), (Alignment((1,), (1,), ("FACT",), None),)),
    ],
)
def test_strange_pairs(pair):
    svg = drawn(pair)
    assert float(svg.get("height")) < 260
    for tokens, name in ((pair.source, "sentence 1"), (pair.target, "sentence 2")):
        assert (f"{name} (empty)" in texts(svg)) == (not tokens)


def test_every_text_is_escaped():
    pair = AlignedPair("1", (EVIL, "a\x00\x1bb"), (EVIL,), (Alignment((1,), (1,), (EVIL,), 3),))
    svg = alignment_svg(pair, (EVIL, EVIL))
    assert "<script" not in svg
    assert not re.search(r"[\x00\x1b]", svg)
    assert EVIL in texts(ET.fromstring(svg))


def test_nothing_is_fetched_and_nothing_runs():
    svg = alignment_svg(long(60))
    assert not re.search(r"<(script|style|image|use|foreignObject|a)\b|href|url\(|\s(on\w+|style)=", svg)
    assert re.findall(r"https?://[^\"]*", svg) == ["http://www.w3.org/2000/svg"]
    assert svg == alignment_svg(long(60))


def test_a_page_of_pairs():
    page = alignment_page([(SHORT, "They differ."), (CROSSING, EVIL)], "Two & two")
    assert page.count("<svg") == page.count("<section>") == 2
    assert "<title>Two &amp; two</title>" in page
    assert "<p>They differ.</p>" in page
    assert "<script" not in page
    assert "default-src 'none'" in page


def test_stretches():
    cut, taken = stretches(("a", "b", "c", "d"), [(1, 3), (2,), ()])
    assert [(each.text, each.alignments) for each in cut] == [
        ("a", (0,)),
        ("b", (1,)),
        ("c", (0,)),
        ("d", ()),
    ]
    assert taken == [[0, 2], [1], []]


def test_words():
    assert words(("a", "b", "c", "d"), (1, 2, 4)) == "a b … d"
    assert words(("a",), ()) == ""
    assert in_words(AlignedPair("1", (), ()), ("x", "y")) == "nothing is aligned"
