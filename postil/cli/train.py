"""`postil train`: fit the grader to answers that somebody has labelled."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from postil.cli.options import ModelFolder, TableOptions, demand_references, expand, read_source, refuse_file
from postil.errors import InputError, number_of

if TYPE_CHECKING:
    from postil.data.questions import Question


@expand
def train(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Labelled answers: a table (.csv, .tsv, .jsonl, .xlsx), SRA XML, or a folder of it.",
        ),
    ],
    output: ModelFolder,
    *,
    tables: TableOptions,
) -> None:
    """Fit the grader to labelled answers, and report how well it does on questions it has not seen.

    Answers without a label are left out. The model is a folder, for `postil grade --model FOLDER`.
    """
    from postil.cli.show import console, progress_bar, table
    from postil.data.questions import count_answers
    from postil.grader import train as fit

    refuse_file(output)
    questions = _read(source, tables)
    with progress_bar("Training", "steps") as progress:
        figures = fit(questions, output, progress=progress)
    shown = table("figure, cross-validated by question", "value", right=("value",))
    for name, value in figures.items():
        shown.add_row(name, f"{value:.4f}" if value <= 1 else f"{value:,.0f}")  # a share, or a count
    console().print(shown)
    answers = number_of(count_answers(questions), "labelled answer")
    typer.echo(
        f"""
Each question was judged by a model that had not seen it. The model in {output} has seen all:
{answers} to {number_of(len(questions), "question")}.

If it does better than the grader as shipped, grade with it:
  postil grade FILE --model {output}"""
    )


def _read(source: Path, options: TableOptions) -> list[Question]:
    """Read the questions that have labelled answers; one alone would say nothing of another."""
    from postil.data.questions import labelled_only

    questions = labelled_only(read_source(source, options))
    if not questions:
        raise InputError(
            source,
            "contains no labelled answers to learn from.",
            hint="Add a column 'label', or name another one with --column label=NAME.",
        )
    if len(questions) < 2:
        raise InputError(
            source,
            "has labelled answers to only one question, but at least two are needed to measure how well the "
            "model does on a new one.",
            hint="To use the labels of one question for that question: postil grade FILE --remember-labelled",
        )
    demand_references(source, questions)
    return questions
