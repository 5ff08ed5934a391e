"""`postil facets`: which small claims of a reference an answer expresses, leaves out or contradicts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from postil.errors import PostilError, number_of

if TYPE_CHECKING:
    from postil.data.judgements import FacetOutcome

_ONLY_ANSWER = "answer"  # the id of an answer that was given on the command line


def facets(
    reference: Annotated[
        str,
        typer.Argument(
            metavar="REFERENCE|FILE",
            help="A right answer, in quotes; or alone, the challenge's XML file or folder with facets.",
            show_default=False,
        ),
    ],
    answer: Annotated[
        str | None,
        typer.Argument(metavar="ANSWER", help="The answer to compare, in quotes.", show_default=False),
    ] = None,
    question: Annotated[
        str, typer.Option("--question", help="The question: what it names already need not be said again.")
    ] = "",
    facet_file: Annotated[
        Path | None,
        typer.Option(
            "--facets",
            help="Facets to use instead of our own: a TSV with id, first, second; or the challenge's XML.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the challenge's tab-separated run.", show_default=False),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON on standard output.")] = False,
) -> None:
    """Say for each facet of a reference whether the answer expresses it, and in which words."""
    from postil.data.files import refuse_unwritable

    if output is not None:
        refuse_unwritable(output)
    if answer is None:
        if question or facet_file is not None or as_json or output is None:
            raise PostilError(
                "there is no answer to compare with the reference.",
                hint="Give REFERENCE and ANSWER in quotes, or the challenge's FILE with -o RUN.tsv.",
            )
        _judge_corpus(Path(reference), output)
        return
    outcomes = _judge(question, reference, answer, facet_file)
    if output is not None:
        from postil.data.formats.sra import write_run

        write_run(output, {f"{one.facet.id}*{_ONLY_ANSWER}": one.label for one in outcomes})
        typer.echo(f"Judged {number_of(len(outcomes), 'facet')}; wrote {output}.", err=True)
    if as_json:
        typer.echo(json.dumps(_as_json(question, reference, answer, outcomes), indent=2, ensure_ascii=False))
    elif output is None:
        _show(outcomes)


def _judge(question: str, reference: str, answer: str, facet_file: Path | None) -> tuple[FacetOutcome, ...]:
    from postil.data.formats.sra import read_facets
    from postil.grading.claims import judge_facets

    if not any(map(str.isalnum, reference)) or not any(map(str.isalnum, answer)):
        raise PostilError("one of the two holds no words.", hint="Give two texts, in quotes.")
    given = None if facet_file is None else read_facets(facet_file)
    return judge_facets(question, reference, [answer], given)[0]


def _judge_corpus(path: Path, output: Path) -> None:
    """Judge every facet of a challenge's file or folder for every answer in it."""
    from postil.cli.show import progress_bar
    from postil.data.formats.sra import read_corpus, write_run
    from postil.grading.claims import judge_facets

    questions = read_corpus(path)
    labels: dict[str, str] = {}
    with progress_bar("Judging facets") as bar:
        for done, one in enumerate(questions, start=1):
            for reference in one.references:
                if reference.facets:
                    texts = [answer.text for answer in one.answers]
                    judged = judge_facets(one.text, reference.text, texts, reference.facets)
                    ids = [answer.id for answer in one.answers]
                    for id, outcomes in zip(ids, judged, strict=True):
                        labels |= {f"{each.facet.id}*{id}": each.label for each in outcomes}
            if bar:
                bar(done, len(questions), "questions")
    if not labels:
        raise PostilError(f"{path}: no reference here has facets, or no question has answers.")
    write_run(output, labels)
    typer.echo(f"Judged {number_of(len(labels), 'facet')}; wrote {output}.", err=True)


def _as_json(
    question: str, reference: str, answer: str, outcomes: Sequence[FacetOutcome]
) -> dict[str, object]:
    from postil.explain.alignments import plain_outcome
    from postil.explain.notes import facets_in_words

    return {
        "question": question,
        "reference": reference,
        "answer": answer,
        "facets": [plain_outcome(one) for one in outcomes],
        "explanation": facets_in_words(outcomes),
    }


def _show(outcomes: Sequence[FacetOutcome]) -> None:
    from rich.table import Table
    from rich.text import Text

    from postil.cli.show import console
    from postil.explain.notes import facet_text, facets_in_words
    from postil.explain.page import printable

    out = console()
    table = Table(box=None, pad_edge=False)
    for name in ("facet", "outcome", "sure", "in the words"):
        table.add_column(name, justify="right" if name == "sure" else "left")
    for one in outcomes:
        words = Text(printable(" … ".join(one.words)))
        table.add_row(Text(printable(facet_text(one.facet))), one.label, f"{one.confidence:.2f}", words)
    if outcomes:
        out.print(table)
        out.print()
    out.print(Text(printable(facets_in_words(outcomes))), soft_wrap=not out.is_terminal)
