"""`postil features`: the feature table of a user's file, for other programs to learn from."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from postil.cli.options import TableOptions, demand_references, expand, read_source, refuse_output
from postil.errors import PostilError, number_of

if TYPE_CHECKING:
    from postil.data.questions import Question

_KEYS = {
    "question": "the question's id",
    "answer": "the answer's id",
    "label": "the label, where there is one",
}


@expand
def features(
    source: Annotated[
        Path | None,
        typer.Argument(
            metavar="SOURCE",
            help="A table (.csv, .tsv, .jsonl, .xlsx), an SRA XML file, or a folder of them.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="TABLE", help="Where to write: .csv, .tsv, .jsonl, .xlsx or .parquet."
        ),
    ] = None,
    extended: Annotated[
        bool, typer.Option("--extended", help="Write every feature, not only EHU-ALM's thirty.")
    ] = False,
    demote: Annotated[
        bool, typer.Option("--demote", help="Leave the question's words out of reference and answer.")
    ] = False,
    workers: Annotated[
        int,
        typer.Option("--workers", min=1, metavar="N", help="How many processes share the work."),
    ] = 1,
    list_columns: Annotated[
        bool, typer.Option("--list", help="Show the columns and what they mean.")
    ] = False,
    *,
    tables: TableOptions,
) -> None:
    """Measure how alike question, reference and answer are: a row for each answer, a column for each measure.

    The first reference of each question is used. A second file, whose name ends in .columns.tsv, describes
    the columns (in Parquet, the description is inside the file).
    """
    from postil.data.formats.rows import SUFFIXES, require_pyarrow
    from postil.language.measures.features import EXTENDED, FEATURES, THIRTY

    names = EXTENDED if extended else THIRTY
    about = _KEYS | {name: FEATURES[name].about for name in names}
    if list_columns:
        for name, text in about.items():
            typer.echo(f"{name}\t{text}")
        return
    if source is None or output is None:
        raise PostilError(
            "a file to read and a file to write are needed.",
            hint="For example: postil features answers.csv -o features.csv",
        )
    refuse_output(output, (*SUFFIXES, ".parquet"))
    if output.suffix.lower() == ".parquet":
        require_pyarrow(output)
    questions = read_source(source, tables)
    table = _measured(source, questions, names, demote, workers)
    _write(output, table, about)
    count = len(next(iter(table.values())))
    typer.echo(f"Wrote {len(names)} features of {number_of(count, 'answer')} to {output}.", err=True)


def _measured(
    source: Path, questions: Sequence[Question], names: Sequence[str], demote: bool, workers: int
) -> dict[str, Sequence[object]]:
    """The columns of the table."""
    from postil.cli.show import progress_bar
    from postil.language.measures.features import feature_table

    rows = [(question, answer) for question in questions for answer in question.answers]
    demand_references(source, [question for question in questions if question.answers])
    triplets = [(question.text, question.references[0].text, answer.text) for question, answer in rows]
    with progress_bar("Measuring", "answers") as progress:
        values = feature_table(triplets, names, demote=demote, workers=workers, progress=progress)
    keys: dict[str, Sequence[object]] = {
        "question": [question.id for question, _ in rows],
        "answer": [answer.id for _, answer in rows],
        "label": [answer.label or "" for _, answer in rows],
    }
    return keys | {name: values[:, index].tolist() for index, name in enumerate(names)}


def _write(output: Path, table: dict[str, Sequence[object]], about: dict[str, str]) -> None:
    from postil.data.formats.rows import write_parquet, write_rows

    if output.suffix.lower() == ".parquet":
        write_parquet(output, table, about)
        return
    texts = (
        [f"{value:.6g}" if isinstance(value, float) else str(value) for value in column]
        for column in table.values()
    )
    write_rows(output, list(table), zip(*texts, strict=True))
    write_rows(output.with_name(f"{output.stem}.columns.tsv"), ["column", "says"], list(about.items()))
