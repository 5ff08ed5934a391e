"""`postil train`: fit the grader to answers that somebody has labelled."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from postil.cli.table_options import (
    ColumnOption,
    EncodingOption,
    KeyOption,
    QuestionOption,
    ReferenceOption,
    SheetOption,
    WideOption,
    read_source,
)
from postil.errors import InputError, number_of

if TYPE_CHECKING:
    from postil.data.questions import Question


def train(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Labelled answers: a table (.csv, .tsv, .jsonl, .xlsx), SRA XML, or a folder of it.",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FOLDER", help="Where to write the model.", show_default=False
        ),
    ],
    question: QuestionOption = None,
    reference: ReferenceOption = None,
    key: KeyOption = None,
    column: ColumnOption = None,
    sheet: SheetOption = None,
    encoding: EncodingOption = None,
    wide: WideOption = None,
) -> None:
    """Fit the grader to labelled answers, and say how well it does on questions it has not seen.

    Answers without a label are left out. The model is a folder, for `postil grade --model FOLDER`.
    """
    from postil.cli.show import progress_bar
    from postil.data.questions import count_answers
    from postil.grader import train as fit

    _refuse_folder(output)
    options = {
        "question": question,
        "reference": reference,
        "key": key,
        "column": column,
        "sheet": sheet,
        "encoding": encoding,
        "wide": wide,
    }
    questions = _read(source, options)
    with progress_bar("Training") as bar:
        note = (lambda done, total: bar(done, total, "steps")) if bar else None
        figures = fit(questions, output, progress=note)
    _show(figures)
    answers = number_of(count_answers(questions), "labelled answer")
    typer.echo(
        f"""
Each question was judged by a model that had not seen it. The model in {output} has seen all:
{answers} to {number_of(len(questions), "question")}.

If it does better than the grader as shipped, grade with it:
  postil grade FILE --model {output}"""
    )


def _refuse_folder(folder: Path) -> None:
    """Say before the training that a model cannot be written there."""
    if folder.exists() and not folder.is_dir():
        raise InputError(folder, "is a file, and a folder is needed here.", hint="Choose another name.")


def _read(source: Path, options: Mapping[str, Any]) -> list[Question]:
    """Read the questions that have labelled answers; one alone would say nothing of another."""
    from postil.cli.inputs import demand_references
    from postil.data.questions import labelled_only

    questions = labelled_only(read_source(source, **options))
    if not questions:
        raise InputError(
            source,
            "holds no labelled answers to learn from.",
            hint="A column 'label' is needed; other names can be given with --column label=NAME.",
        )
    if len(questions) < 2:
        raise InputError(
            source,
            "has labelled answers to only one question, and at least two are needed to see how well "
            "what is learned carries over.",
            hint="To have the labels of one question used for that question: postil grade FILE "
            "--remember-labelled.",
        )
    demand_references(source, questions)
    return questions


def _show(figures: Mapping[str, float]) -> None:
    from rich.table import Table

    from postil.cli.show import console

    table = Table(box=None, pad_edge=False)
    table.add_column("figure, cross-validated by question")
    table.add_column("value", justify="right")
    for name, value in figures.items():
        table.add_row(name, f"{value:.4f}" if value <= 1 else f"{value:,.0f}")  # a share, or a count
    console().print(table)
