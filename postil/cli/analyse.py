"""`postil analyse` and `postil similarity`: what Postil sees in a text, and how alike two texts are."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from postil.cli.options import JsonOption, refuse_output
from postil.cli.show import console, note_long, print_json, table
from postil.data.files import write_text
from postil.errors import PostilError

if TYPE_CHECKING:
    from rich.table import Table

    from postil.language.document import Document, Span

# More than the pipeline accepts; input beyond this is refused without being read to the end.
_MOST_BYTES = 16_000_000
MOST_ANALYSED = 3_000  # words and symbols: all are kept and shown at once


def analyse(
    text: Annotated[
        str,
        Argument(
            metavar="TEXT",
            help="The text, or - for standard input; put -- before a text that starts with a dash.",
        ),
    ],
    tokens: Annotated[
        bool, Option("--tokens", help="The text is already tokenised: split it at spaces only.")
    ] = False,
    as_json: JsonOption = False,
    html: Annotated[Path | None, Option(help="Draw trees and chunks in this web page.")] = None,
    pipeline: Annotated[Path | None, Option(hidden=True)] = None,
) -> None:
    """Show the words, senses, tree, chunks, negations, quantities, predicates and roles of a text."""
    refuse_output(html)
    document = _analysed(_standard_input() if text == "-" else text, tokens, pipeline)
    if html is not None:
        from postil.explain.page import text_page

        write_text(html, text_page(document))
    if as_json:
        print_json(_as_json(document))
    elif html is not None:
        typer.echo(f"Wrote {html}.", err=True)
    else:
        _show(document)


def _as_json(document: Document) -> dict[str, object]:
    """All there is to know, in the order of the document's fields; what is found on demand comes last."""
    from postil.language.words.walks import find_senses

    return {
        **{name: value for name, value in asdict(document).items() if not name.startswith("_")},
        "predicates": [asdict(predicate) for predicate in document.predicates],
        "senses": [asdict(sense) for sense in find_senses(document)],
    }


def _standard_input() -> str:
    data = sys.stdin.buffer.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        what = "standard input is too long to analyse at once."
        raise PostilError(what, hint="Split it into smaller texts.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise PostilError("standard input is not UTF-8 text.", hint="Save or convert it as UTF-8.") from None


def _analysed(text: str, tokens: bool, folder: Path | None) -> Document:
    empty = PostilError("the text contains no words.", hint="Give a text, or - to read standard input.")
    if not text.strip():
        raise empty
    from postil.language.pipeline import beginning, load_pipeline

    note_long([("the text", text)], MOST_ANALYSED)
    text = beginning(text, MOST_ANALYSED)
    pipeline = load_pipeline(folder)
    document = next(pipeline.analyse_tokens([text.split()]) if tokens else pipeline.analyse_many([text]))
    if not document.tokens:
        raise empty
    return document


def _show(document: Document) -> None:
    """Print a table for each sentence, and its chunks; then what holds for the whole text."""
    from rich.text import Text

    from postil.explain.page import amount, notable_predicates
    from postil.language.words.walks import find_senses

    def line(name: str, text: str) -> None:
        out.print(Text.assemble((f"{name}  ", "bold"), text), soft_wrap=True)

    out = console()
    senses = {sense.token: sense.name for sense in find_senses(document)}
    for sentence in document.sentences:
        out.print(_table(document, sentence, senses))
        out.print()
        for name, spans in (("chunks", document.chunks), ("iSTS chunks", document.ists_chunks)):
            line(name, _bracketed(document, sentence, spans))
        out.print()
    for predicate in notable_predicates(document):
        roles = ", ".join(
            f"{argument.role} {_words(document, range(argument.start, argument.end))}"
            for argument in predicate.arguments
        )
        name = f"{_words(document, (predicate.index,))} ({predicate.roleset})"
        line("predicate", f"{name}: {roles or 'no roles'}")
    for negation in document.negations:
        scope = _words(document, negation.scope) or "(nothing)"
        line("negation", f"{_words(document, negation.cue)} → {scope}")
    for quantity in document.quantities:
        words = _words(document, range(quantity.start, quantity.end))
        line("quantity", f"{words} = {amount(quantity)}")
    out.print(Text(document.pipeline, "dim"))


def _table(document: Document, sentence: Span, senses: Mapping[int, str]) -> Table:
    from rich.text import Text

    words = table("word", "lemma", "pos", "tag", "relation", "head", "negated", "sense")
    for token in document.words(sentence):
        head = "" if token.head == token.index else document.tokens[token.head].text
        negated = "yes" if document.is_negated(token.index) else ""
        sense = senses.get(token.index, "")
        cells = (token.text, token.lemma, token.pos, token.tag, token.relation, head, negated, sense)
        # Text, not strings: what stands in brackets is a word here, not a style.
        words.add_row(*(Text(_printable(cell)) for cell in cells))
    return words


def _bracketed(document: Document, sentence: Span, spans: Sequence[Span]) -> str:
    """The sentence with each chunk in brackets, its kind before it."""
    starts = {span.start: span for span in spans if span.end <= sentence.end}
    parts, at = [], sentence.start
    while at < sentence.end:
        span = starts.get(at)
        end = span.end if span else at + 1
        words = _words(document, range(at, end))
        kind = f"{span.kind} " if span and span.kind else ""
        parts.append(f"[{kind}{words}]" if span else words)
        at = end
    return " ".join(parts)


def _words(document: Document, indices: Sequence[int]) -> str:
    """Words side by side, with dots where some between them are left out."""
    parts: list[str] = []
    for before, index in zip((None, *indices), indices, strict=False):
        parts += ["…"] if before is not None and index != before + 1 else []
        parts.append(_printable(document.tokens[index].text))
    return " ".join(parts)


def _printable(text: str) -> str:
    return text if text.isprintable() else "".join(c if c.isprintable() else "\ufffd" for c in text)


@dataclass(frozen=True, slots=True)
class _Measure:
    """A line of the table: which measure, its value, and by which senses it came about."""

    family: str
    measure: str
    title: str
    value: float
    by: str = ""


def similarity(
    first: Annotated[str, Argument(metavar="WORD|TEXT", help="A word or a text.")],
    second: Annotated[str, Argument(metavar="WORD|TEXT", help="Another word or text.")],
    as_json: JsonOption = False,
) -> None:
    """Show how alike two words or two texts are, by every measure."""
    from postil.language.words.relations import word_relation

    first, second = first.strip(), second.strip()
    if not first or not second:
        raise PostilError("one of the two is empty.", hint="Give two words or two texts, in quotes.")
    are_words = len(first.split()) == len(second.split()) == 1
    rows = list(_word_rows(first, second) if are_words else _text_rows(first, second))
    related = word_relation(first, second) if are_words else None
    relation = f"{first} {related.value} {second}" if related else ""
    if as_json:
        measures = [asdict(row) for row in rows]
        print_json({"first": first, "second": second, "relation": relation or None, "measures": measures})
    else:
        _show_measures(rows, relation)


def _word_rows(first: str, second: str) -> Iterator[_Measure]:
    from postil.language.words.spaces import lda, lsa
    from postil.language.words.walks import similarity as walk_similarity
    from postil.language.words.wordnet import wordnet
    from postil.language.words.wordnet_measures import MEASURES, best_senses, word_similarity

    wn = wordnet()
    for word in (first, second):
        if not wn.synsets(word):
            typer.echo(f"WordNet does not know {word!r}; its measures are 0.", err=True)
    for measure in MEASURES.values():
        senses = best_senses(first, second, measure.name)
        by = " – ".join(wn.name(sense) for sense in senses) if senses else ""
        yield _Measure(
            "WordNet", measure.name, measure.title, word_similarity(first, second, measure.name), by
        )
    words = [first.lower()], [second.lower()]
    yield _Measure("graph", "walk", "personalised PageRank", walk_similarity(*words))
    yield _Measure("corpus", "lsa", "latent semantic analysis", lsa().similarity(*words))
    yield _Measure("corpus", "lda", "latent topics", lda().similarity(*words))


def _text_rows(first: str, second: str) -> Iterator[_Measure]:
    from postil.language.measures.texts import TEXT_MEASURES, compare
    from postil.language.pipeline import analyse_many

    for name, value in compare(*analyse_many([first, second])).items():
        measure = TEXT_MEASURES[name]
        yield _Measure(measure.family, name, measure.title, value)


def _show_measures(rows: list[_Measure], relation: str) -> None:
    from rich.text import Text

    with_senses = any(row.by for row in rows)
    senses = ["by the senses"] if with_senses else []
    measures = table("family", "measure", "what it is", "value", *senses, right=("value",))
    before = ""
    for row in rows:
        cells = (row.family if row.family != before else "", row.measure, row.title, f"{row.value:.4f}")
        measures.add_row(*(Text(cell) for cell in (*cells, *([row.by] if with_senses else []))))
        before = row.family
    out = console()
    out.print(measures)
    if relation:
        out.print()
        out.print(Text(f"{relation}."))
