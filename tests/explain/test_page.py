"""The page of an analysed text, from documents made by hand."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import pytest

from postil.explain.page import LONGEST_TREE, amount, chunk_boxes, marked_text, text_page, tree_svg
from postil.language.document import Document, Negation, Quantity, Span, Token

EVIL = '<script>alert("1")</script>&\'"'


def made(words: list[str], heads: list[int] | None = None, **parts) -> Document:
    """A document of one sentence (unless told otherwise) whose words all hang on the first."""
    heads = heads or [0] * len(words)
    tokens, at = [], 0
    for index, (word, head) in enumerate(zip(words, heads, strict=True)):
        relation = "root" if head == index else "dep"
        tokens.append(Token(index, word, at, word.lower(), "NOUN", "NN", head, relation, "Number=Sing"))
        at += len(word) + 1
    plain = {
        "sentences": (Span(0, len(words)),),
        "chunks": (),
        "ists_chunks": (),
        "negations": (),
        "quantities": (),
        "pipeline": "made-1.0",
    }
    return Document(text=" ".join(words), tokens=tuple(tokens), **{**plain, **parts})


BULB = made(
    ["bulbs", "are", "not", "lit", "by", "3", "km", "."],
    [3, 3, 3, 3, 6, 6, 3, 3],
    chunks=(Span(0, 1, "NP"), Span(1, 4, "VP"), Span(4, 5, "PP"), Span(5, 7, "NP")),
    ists_chunks=(Span(0, 1), Span(1, 4), Span(4, 7)),
    negations=(Negation((2,), (3, 4, 5, 6)),),
    quantities=(Quantity(5, 7, 3000.0, "m"),),
)


class Page(HTMLParser):
    """The tags of a page, whether they nest, and their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_a_page_holds_everything():
    page = text_page(BULB, "Bulbs")
    assert page.startswith("<!DOCTYPE html>")
    assert "<title>Bulbs</title>" in page
    assert "1 sentence, 8 words, 1 negation; pipeline made-1.0" in page
    parsed = Page(page)
    assert parsed.open == []
    assert parsed.tags.count("svg") == parsed.tags.count("section") == 1
    for word in ("noun phrase", "iSTS chunk", "negates", "negated", "quantity"):
        assert word in page


def test_a_page_is_the_same_every_time():
    assert text_page(BULB) == text_page(BULB)


def test_nothing_is_fetched_and_nothing_runs():
    page = text_page(BULB)
    parsed = Page(page)
    assert not {"script", "link", "img", "iframe", "object", "base", "form"} & set(parsed.tags)
    assert "default-src 'none'" in page
    for name, value in parsed.attributes:
        assert not name.startswith("on")
        assert name not in ("src", "href")
        if name == "xlink:href":
            assert value.startswith("#")
    # Namespaces look like addresses, but nobody fetches them.
    assert not re.search(r"https?://(?!www\.w3\.org/)|url\(|@import", page)


@pytest.mark.parametrize("field", ["text", "lemma", "pos", "tag", "relation", "morph"])
def test_every_field_is_escaped(field):
    values = dict.fromkeys(("lemma", "pos", "tag", "relation", "morph"), "x") | {"text": "word", field: EVIL}
    first = Token(0, start=0, head=0, **values)
    second = Token(1, start=first.end + 1, head=0, **values)
    document = Document(
        f"{first.text} {second.text}", (first, second), (Span(0, 2),), (Span(0, 2, "NP"),), (Span(0, 1),),
        (Negation((0,), (1,)),), (Quantity(1, 2, 1.0, "m"),), "made",
    )  # fmt: skip
    page = text_page(document)
    assert "<script" not in page
    assert Page(page).open == []


def test_names_and_kinds_are_escaped():
    document = made(
        ["a", "b"], chunks=(Span(0, 2, EVIL),), quantities=(Quantity(0, 1, 1.0, EVIL),), pipeline=EVIL
    )
    page = text_page(document, EVIL)
    assert "<script" not in page
    assert Page(page).open == []


def test_what_cannot_be_shown_is_replaced():
    page = text_page(made(["a\x00b", "\x1b[31m", "\ud800", "𝄞", "सूर्य", "🙂"]))
    assert not re.search(r"[\x00\x1b\ud800]", page)
    assert "𝄞" in page
    page.encode("utf-8")


def test_the_tree():
    svg = ET.fromstring(tree_svg(BULB, BULB.sentences[0], "t1"))
    space = "{http://www.w3.org/2000/svg}"
    words = [node.text for node in svg.iter(f"{space}tspan") if node.get("class") == "displacy-word"]
    assert words == [token.text for token in BULB.tokens]
    assert sum(node.get("class") == "displacy-arc" for node in svg.iter(f"{space}path")) == 7
    left, top, width, height = map(float, svg.get("viewBox").split())
    assert (left, width, height) == (0, float(svg.get("width")), float(svg.get("height")))
    assert top >= 0


def test_trees_of_strange_sentences():
    assert "<svg" in tree_svg(made(["alone"]), Span(0, 1))
    crossing = made(["a", "b", "c", "d"], [2, 3, 2, 2])
    assert tree_svg(crossing, Span(0, 4)).count('class="displacy-arc"') == 3
    # A head in another sentence has no place in the drawing.
    assert tree_svg(crossing, Span(0, 2)).count('class="displacy-arc"') == 0


def test_punctuation_is_not_linked():
    tokens = (
        Token(0, "go", 0, "go", "VERB", "VB", 0, "root"),
        Token(1, ".", 2, ".", "PUNCT", ".", 0, "punct"),
    )
    document = Document("go.", tokens, (Span(0, 2),), (), (), (), (), "made")
    assert "displacy-arc" not in tree_svg(document, Span(0, 2))


def test_a_tree_too_wide_is_not_drawn():
    page = text_page(made(["word"] * (LONGEST_TREE + 1)))
    assert "<svg" not in page
    assert f"these {LONGEST_TREE + 1} words" in page


def test_negation_and_quantities_are_marked():
    marked = marked_text(BULB, BULB.sentences[0])
    assert '<span class="cue" title="negates">not</span>' in marked
    assert '<span class="scope" title="negated by: not">lit</span>' in marked
    assert '<span class="quantity" title="3000 m">' in marked
    assert re.sub(r"<[^>]+>", "", marked) == BULB.text


def test_two_negations_cancel_and_show_it():
    document = made(["not", "impossible"], negations=(Negation((0,), (1,)), Negation((1,), (1,), "prefix")))
    assert 'class="cue scope twice" title="negated by: not, impossible"' in marked_text(document, Span(0, 2))


def test_chunks_cover_the_sentence():
    boxes = chunk_boxes(BULB, BULB.sentences[0], BULB.chunks)
    assert re.findall(r"<span class=\"(\w+ ?\w*)\"", boxes) == [
        "chunk NP",
        "chunk VP",
        "chunk PP",
        "chunk NP",
        "loose",
    ]
    plain = chunk_boxes(BULB, BULB.sentences[0], BULB.ists_chunks)
    assert re.findall(r">([^<]+)</span>", plain) == ["bulbs", "are not lit", "by 3 km", "."]


def test_chunks_that_leave_the_sentence_are_cut():
    document = made(["a", "b", "c"], sentences=(Span(0, 2), Span(2, 3)), chunks=(Span(1, 3, "NP"),))
    assert ">b<" in chunk_boxes(document, Span(0, 2), document.chunks)
    assert ">c<" in chunk_boxes(document, Span(2, 3), document.chunks)


def test_no_sentences_no_sections():
    page = text_page(Document("", (), (), (), (), (), (), "made"))
    assert Page(page).tags.count("section") == 0


@pytest.mark.parametrize(
    ("value", "unit", "said"), [(3000.0, "m", "3000 m"), (0.5, "", "0.5"), (1e9, "J", "1e+09 J")]
)
def test_amounts(value, unit, said):
    assert amount(Quantity(0, 1, value, unit)) == said
