"""`postil facets`: which small claims of a reference an answer expresses, leaves out or contradicts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from postil.cli.options import JsonOption, refuse_output
from postil.errors import PostilError, number_of

if TYPE_CHECKING:
    from postil.data.judgements import FacetOutcome

_ONLY_ANSWER = "answer"  # the id of an answer that was given on the command line


def facets(
    reference: Annotated[
        str,
        typer.Argument(
            metavar="REFERENCE|FILE",
            help="A right answer, in quotes; or, on its own, an SRA XML file or folder with facets.",
        ),
    ],
    answer: Annotated[
        str | None, typer.Argument(metavar="ANSWER", help="The answer to compare, in quotes.")
    ] = None,
    question: Annotated[
        str, typer.Option("--question", help="The question; an answer need not repeat what it already says.")
    ] = "",
    facet_file: Annotated[
        Path | None,
        typer.Option(
            "--facets",
            help="Facets to use instead of Postil's own: a TSV with id, first and second, or SRA XML.",
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write a tab-separated run, as in the challenge.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Say for each facet of a reference whether the answer expresses it, and in which words."""
    from postil.cli.show import print_json
    from postil.data.formats.sra import write_run
    from postil.explain.alignments import plain_outcome
    from postil.explain.notes import facets_in_words

    refuse_output(output)
    if answer is None:
        if question or facet_file is not None or as_json or output is None:
            raise PostilError(
                "there is no answer to compare with the reference.",
                hint="Give REFERENCE and ANSWER in quotes, or an SRA XML FILE with -o RUN.tsv.",
            )
        _judge_corpus(Path(reference), output)
        return
    outcomes = _judge(question, reference, answer, facet_file)
    if output is not None:
        write_run(output, {f"{outcome.facet.id}*{_ONLY_ANSWER}": outcome.label for outcome in outcomes})
        typer.echo(f"Judged {number_of(len(outcomes), 'facet')}; wrote {output}.", err=True)
    if as_json:
        print_json(
            {
                "question": question,
                "reference": reference,
                "answer": answer,
                "facets": [plain_outcome(outcome) for outcome in outcomes],
                "explanation": facets_in_words(outcomes),
            }
        )
    elif output is None:
        _show(outcomes)


def _judge(question: str, reference: str, answer: str, facet_file: Path | None) -> tuple[FacetOutcome, ...]:
    from postil.data.formats.sra import read_facets
    from postil.grading.claims import judge_facets

    if not any(map(str.isalnum, reference)) or not any(map(str.isalnum, answer)):
        raise PostilError("one of the two texts contains no words.", hint="Give two texts, in quotes.")
    facets = None if facet_file is None else read_facets(facet_file)
    return judge_facets(question, reference, [answer], facets)[0]


def _judge_corpus(path: Path, output: Path) -> None:
    """Judge every facet of a challenge's file or folder for every answer in it."""
    from postil.cli.show import progress_bar
    from postil.data.formats.sra import read_corpus, write_run
    from postil.grading.claims import judge_facets

    questions = read_corpus(path)
    labels: dict[str, str] = {}
    with progress_bar("Judging facets", "questions") as progress:
        for done, question in enumerate(questions, start=1):
            texts = [answer.text for answer in question.answers]
            for reference in question.references:
                if not reference.facets:
                    continue
                judged = judge_facets(question.text, reference.text, texts, reference.facets)
                for answer, outcomes in zip(question.answers, judged, strict=True):
                    labels |= {f"{outcome.facet.id}*{answer.id}": outcome.label for outcome in outcomes}
            if progress:
                progress(done, len(questions))
    if not labels:
        raise PostilError(f"{path}: no reference here has facets, or no question has answers.")
    write_run(output, labels)
    typer.echo(f"Judged {number_of(len(labels), 'facet')}; wrote {output}.", err=True)


def _show(outcomes: Sequence[FacetOutcome]) -> None:
    from rich.text import Text

    from postil.cli.show import console, print_text, table
    from postil.explain.notes import facet_text, facets_in_words
    from postil.explain.page import printable

    if outcomes:
        out = console()
        rows = table("facet", "outcome", "sure", "in the words", right=("sure",))
        for outcome in outcomes:
            words = Text(printable(" … ".join(outcome.words)))
            name = Text(printable(facet_text(outcome.facet)))
            rows.add_row(name, outcome.label, f"{outcome.confidence:.2f}", words)
        out.print(rows)
        out.print()
    print_text(facets_in_words(outcomes))
