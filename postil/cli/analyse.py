"""`postil analyse`: what the text pipeline sees in a text, as a table, as JSON, or drawn."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from postil.cli.options import JsonOption, refuse_output
from postil.errors import PostilError

if TYPE_CHECKING:
    from rich.table import Table

    from postil.language.document import Document, Span

# More than the pipeline takes at once; it is not read to the end only to be refused.
_MOST_BYTES = 16_000_000


def analyse(
    text: Annotated[
        str,
        typer.Argument(
            metavar="TEXT",
            help="The text, or - for standard input; put -- before a text that starts with a dash.",
        ),
    ],
    tokens: Annotated[
        bool, typer.Option("--tokens", help="The text is already tokenised: split it at spaces only.")
    ] = False,
    as_json: JsonOption = False,
    html: Annotated[
        Path | None, typer.Option("--html", help="Draw trees and chunks in this web page.")
    ] = None,
    pipeline: Annotated[Path | None, typer.Option("--pipeline", hidden=True)] = None,
) -> None:
    """Show the words, senses, tree, chunks, negations, quantities, predicates and roles of a text."""
    from postil.cli.show import print_json
    from postil.data.files import write_text

    refuse_output(html)
    document = _analysed(_standard_input() if text == "-" else text, tokens, pipeline)
    if html is not None:
        from postil.explain.text_page import text_page

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
        raise PostilError(
            "standard input is too long to analyse at once.", hint="Split it into smaller texts."
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise PostilError("standard input is not UTF-8 text.", hint="Save or convert it as UTF-8.") from None


def _analysed(text: str, tokens: bool, folder: Path | None) -> Document:
    empty = PostilError("the text contains no words.", hint="Give a text, or - to read standard input.")
    if not text.strip():
        raise empty
    from postil.language.pipeline import load_pipeline

    pipeline = load_pipeline(folder)
    document = next(pipeline.analyse_tokens([text.split()]) if tokens else pipeline.analyse_many([text]))
    if not document.tokens:
        raise empty
    return document


def _show(document: Document) -> None:
    """Print a table for each sentence, and its chunks; then what holds for the whole text."""
    from rich.text import Text

    from postil.cli.show import console
    from postil.explain.text_page import amount, notable_predicates
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

    from postil.cli.show import table

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
