"""The pages that Postil writes: the frame that all share, and the page of an analysed text.

Each page is one file without scripts; nothing is fetched and every text is escaped. The page of a text shows
tree, chunks, negation and quantities of every sentence.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from postil.errors import number_of
from postil.language.document import Document, Predicate, Quantity, Span, Token

_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_COMMON_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #1e293b; background: #f8fafc; margin: 2rem auto;
  max-width: 72rem; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin: 0; }
.facts, .note { color: #64748b; font-size: .9rem; margin: .2rem 0 1rem; }
section { background: #fff; border: 1px solid #e2e8f0; border-radius: .6rem; padding: 1rem 1.3rem;
  margin: 1rem 0; }
table { border-collapse: collapse; font-size: .9rem; }
summary { cursor: pointer; color: #475569; }
"""


def page(title: str, body: str, style: str = "") -> str:
    """Put a body of finished HTML into a whole page, with a style of its own after the common one."""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<title>{escape(title)}</title>
<style>{_COMMON_STYLE}{style}</style>
</head>
<body>
<h1>{escape(title)}</h1>
{body}
</body>
</html>
"""


def escape(text: str) -> str:
    """A text as it may stand in HTML, between tags or in a quoted attribute."""
    return html.escape(printable(text))


def printable(text: str) -> str:
    """A text with a replacement mark for every character that no page can show."""
    return _UNPRINTABLE.sub("\ufffd", text)


# A wider tree says nothing to anyone, and drawing it takes megabytes.
LONGEST_TREE = 80
_LETTER_WIDTH, _LEAST_WIDTH, _LONGEST_WORD = 9, 96, 24
_MARGIN = 18
_INK, _PAPER, _FONT = "#334155", "#ffffff", "system-ui, sans-serif"

_KINDS = {
    "NP": "noun phrase",
    "VP": "verb phrase",
    "PP": "preposition",
    "ADJP": "adjective phrase",
    "ADVP": "adverb phrase",
    "SBAR": "subordinator",
    "PRT": "particle",
}
_STYLE = """
h2 { font-size: .8rem; font-weight: 600; color: #64748b; margin: 1.1rem 0 .35rem; }
.legend { display: flex; flex-wrap: wrap; gap: .5rem 1.1rem; align-items: center; font-size: .9rem; }
.text { font-size: 1.2rem; line-height: 2; margin: 0; overflow-wrap: anywhere; }
.scope { text-decoration: underline 2px #dc2626; text-underline-offset: .3em; }
.twice { text-decoration-style: double; }
.cue { color: #b91c1c; font-weight: 700; }
.quantity { background: #fef9c3; border-bottom: 2px solid #ca8a04; border-radius: .2rem; padding: 0 .15rem; }
.chunks { display: flex; flex-wrap: wrap; gap: .4rem; align-items: flex-end; }
.chunk { border: 1px solid #cbd5e1; border-radius: .35rem; padding: .1rem .5rem; background: #f1f5f9; }
.chunk small { color: #475569; margin-left: .35rem; font-size: .7rem; }
.loose { padding: .1rem; color: #94a3b8; }
.NP { background: #dbeafe; border-color: #93c5fd; } .VP { background: #ffedd5; border-color: #fdba74; }
.PP { background: #dcfce7; border-color: #86efac; }
.ADJP, .ADVP { background: #f3e8ff; border-color: #d8b4fe; }
.PREDICATE { background: #fee2e2; border-color: #fca5a5; }
.ROLE { background: #fefce8; border-color: #fde047; }
.line { margin: .3rem 0; }
.SBAR { background: #fce7f3; border-color: #f9a8d4; } .ISTS { background: #e0f2f1; border-color: #80cbc4; }
figure { margin: 0; overflow-x: auto; } figure svg { display: block; margin: 0 auto; }
.displacy-word { font-size: 15px; } .displacy-tag { font-size: 12px; fill: #64748b; }
.displacy-label { font-size: 11.5px; fill: #0f766e; letter-spacing: 0; } .displacy-arc { stroke: #94a3b8; }
.displacy-arrow text { transform: translateY(-19px); }
.displacy-arrowhead { fill: #64748b; }
summary { margin-top: 1rem; }
th { text-align: left; color: #64748b; font-weight: 600; } th, td { padding: .15rem 1rem .15rem 0; }
"""


def text_page(document: Document, title: str = "Analysis") -> str:
    """Draw a document as a whole page, without scripts and with nothing fetched from elsewhere."""
    sentences = "\n".join(_section(document, number) for number in range(len(document.sentences)))
    counts = (
        number_of(len(document.sentences), "sentence"),
        number_of(len(document.tokens), "word"),
        number_of(len(document.negations), "negation"),
    )
    facts = f'<p class="facts">{", ".join(counts)}; pipeline {escape(document.pipeline)}</p>'
    return page(title, f"{facts}\n{_legend(document)}\n{sentences}", _STYLE)


def tree_svg(document: Document, sentence: Span, name: str = "tree") -> str:
    """Draw the tree of a sentence as SVG, without the arcs to punctuation.

    `name` keeps the drawings of one page apart.
    """
    tokens = document.words(sentence)
    texts = [printable(token.text) for token in tokens]
    short = [text if len(text) <= _LONGEST_WORD else f"{text[: _LONGEST_WORD - 1]}…" for text in texts]
    # displaCy escapes words itself, but neither tags nor labels.
    words = [{"text": text, "tag": escape(token.pos)} for text, token in zip(short, tokens, strict=True)]
    arcs = [
        {
            "start": min(token.head, token.index) - sentence.start,
            "end": max(token.head, token.index) - sentence.start,
            "label": escape(token.relation),
            "dir": "left" if token.index < token.head else "right",
        }
        for token in tokens
        if token.head != token.index
        and token.relation != "punct"
        and sentence.start <= token.head < sentence.end
    ]
    longest = max((len(word["text"]) for word in words), default=0)
    options = {
        "compact": True,
        "distance": max(_LEAST_WIDTH, (longest + 1) * _LETTER_WIDTH),
        "word_spacing": 26,
        "arrow_stroke": 1.5,
        "arrow_width": 6,
        "arrow_spacing": 10,
        "color": _INK,
        "bg": _PAPER,
        "font": _FONT,
    }
    renderer = _renderer()(options)
    svg: str = renderer.render_svg(name, words, arcs)
    # Compact arcs are a third as high as the room displaCy leaves for them: cut off what stays empty.
    top = max(0.0, renderer.highest_level * renderer.distance / 3 - _MARGIN)
    height = renderer.height - top
    view = f'height="{height:g}" viewBox="0 {top:g} {renderer.width:g} {height:g}"'
    return svg.replace(f'height="{renderer.height}"', view, 1).replace(
        f"height: {renderer.height}px", f"height: {height:g}px", 1
    )


def marked_text(document: Document, sentence: Span) -> str:
    """The sentence as it was written, in HTML: cues of negation, what they negate, and quantities marked."""
    cues = {index for negation in document.negations for index in negation.cue}
    quantities = {quantity.start: quantity for quantity in document.quantities}
    parts: list[str] = []
    at = document.tokens[sentence.start].start if sentence.end > sentence.start else 0
    open_until = -1
    for token in document.words(sentence):
        parts.append(escape(document.text[at : token.start]))
        if token.index in quantities and open_until < 0:
            quantity = quantities[token.index]
            open_until = min(quantity.end, sentence.end)
            parts.append(f'<span class="quantity" title="{escape(amount(quantity))}">')
        parts.append(_marked_word(document, token, token.index in cues))
        if token.index + 1 == open_until:
            parts.append("</span>")
            open_until = -1
        at = token.end
    return "".join(parts)


def chunk_boxes(document: Document, sentence: Span, spans: Sequence[Span]) -> str:
    """The sentence's chunks as coloured boxes; words in no chunk stand between them."""
    boxes = []
    for span, in_chunk in _covering(sentence, spans):
        text = escape(document.text_of(span))
        if in_chunk and span.kind:
            meaning = _KINDS.get(span.kind, span.kind)
            style = span.kind if span.kind in _KINDS else ""
            label = f"{text}<small>{escape(span.kind)}</small>"
            boxes.append(f'<span class="chunk {style}" title="{escape(meaning)}">{label}</span>')
        else:
            boxes.append(f'<span class="{"chunk ISTS" if in_chunk else "loose"}">{text}</span>')
    return f'<div class="chunks">{"".join(boxes)}</div>'


def amount(quantity: Quantity) -> str:
    """A quantity in words: its value in base units."""
    return f"{quantity.value:g} {quantity.unit}".rstrip()


def _marked_word(document: Document, token: Token, is_cue: bool) -> str:
    negating = [negation for negation in document.negations if token.index in negation.scope]
    classes = ["cue"] * is_cue + ["scope"] * bool(negating) + ["twice"] * (len(negating) > 1)
    if not classes:
        return escape(token.text)
    by = ", ".join(" ".join(document.tokens[i].text for i in negation.cue) for negation in negating)
    title = f' title="negated by: {escape(by)}"' if negating else ' title="negates"'
    return f'<span class="{" ".join(classes)}"{title}>{escape(token.text)}</span>'


def _covering(sentence: Span, spans: Sequence[Span]) -> Iterator[tuple[Span, bool]]:
    """Cut a sentence into its chunks and the stretches between them."""
    at = sentence.start
    for span in sorted(spans, key=lambda span: span.start):
        start, end = max(span.start, at), min(span.end, sentence.end)
        if start >= end:
            continue
        if at < start:
            yield Span(at, start), False
        yield Span(start, end, span.kind), True
        at = end
    if at < sentence.end:
        yield Span(at, sentence.end), False


def _section(document: Document, number: int) -> str:
    sentence = document.sentences[number]
    size = sentence.end - sentence.start
    tree = (
        f'<figure aria-label="Dependency tree">{tree_svg(document, sentence, f"tree-{number + 1}")}</figure>'
        if size <= LONGEST_TREE
        else f'<p class="note">The tree of these {size} words is too wide to draw.</p>'
    )
    return f"""<section>
<p class="text">{marked_text(document, sentence)}</p>
<h2>Tree</h2>
{tree}
<h2>Chunks (CoNLL-2000)</h2>
{chunk_boxes(document, sentence, document.chunks)}
<h2>Chunks (iSTS)</h2>
{chunk_boxes(document, sentence, document.ists_chunks)}
{_predicates(document, sentence)}<details><summary>Words</summary>
{_table(document, sentence)}
</details>
</section>"""


def notable_predicates(document: Document) -> Iterator[Predicate]:
    """The predicates worth showing: an auxiliary without roles of its own says nothing."""
    for predicate in document.predicates:
        if predicate.arguments or document.tokens[predicate.index].pos != "AUX":
            yield predicate


def _predicates(document: Document, sentence: Span) -> str:
    """A line for each predicate of a sentence: its word and sense, and who or what plays which role."""
    lines = []
    for predicate in notable_predicates(document):
        if not sentence.start <= predicate.index < sentence.end:
            continue
        word = escape(document.tokens[predicate.index].text)
        roles = "".join(
            f'<span class="chunk ROLE">{escape(document.text_of(Span(argument.start, argument.end)))}'
            f"<small>{escape(argument.role)}</small></span>"
            for argument in predicate.arguments
        )
        sense = f"<small>{escape(predicate.roleset)}</small>"
        lines.append(
            f'<div class="chunks line"><span class="chunk PREDICATE">{word}{sense}</span>{roles}</div>'
        )
    return "<h2>Predicates and roles (PropBank)</h2>\n" + "\n".join(lines) + "\n" if lines else ""


def _table(document: Document, sentence: Span) -> str:
    head = "".join(
        f"<th>{name}</th>" for name in ("word", "lemma", "part of speech", "tag", "depends on", "form")
    )
    rows = []
    for token in document.words(sentence):
        on = "root" if token.head == token.index else f"{document.tokens[token.head].text} ({token.relation})"
        cells = (token.text, token.lemma, token.pos, token.tag, on, token.morph.replace("|", ", "))
        rows.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
    return f"<table><tr>{head}</tr>\n" + "\n".join(rows) + "\n</table>"


def _legend(document: Document) -> str:
    used = {span.kind for span in document.chunks}
    chunks = "".join(
        f'<span><span class="chunk {kind}">{kind}</span> {meaning}</span>'
        for kind, meaning in _KINDS.items()
        if kind in used
    )
    return (
        f'<div class="legend" aria-label="Legend">{chunks}<span class="chunk ISTS">iSTS chunk</span>'
        '<span class="cue">negates</span><span class="scope">negated</span>'
        '<span class="quantity">quantity</span></div>'
    )


@cache
def _renderer() -> Any:
    from spacy.displacy.render import DependencyRenderer

    class Renderer(DependencyRenderer):
        """displaCy's drawing, the same on every run: it goes through the arcs in the order of a set."""

        def get_levels(self, arcs: list[dict[str, Any]]) -> dict[tuple[int, int, str], int]:
            levels: dict[tuple[int, int, str], int] = {}
            highest = [0] * max((arc["end"] for arc in arcs), default=0)
            for arc in sorted(arcs, key=lambda arc: (arc["end"] - arc["start"], arc["start"])):
                start, end = arc["start"], arc["end"]
                level = max(highest[start:end]) + 1
                highest[start:end] = [level] * (end - start)
                levels[start, end, arc["label"]] = level
            return levels

    return Renderer
