"""`postil check`, `convert` and `features`: describe files, convert them, and measure the answers in them."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from postil.cli.options import (
    TableOptions,
    demand_references,
    expand,
    read_source,
    refuse_file,
    refuse_output,
)
from postil.cli.show import progress_bar
from postil.data.questions import Question, count_answers
from postil.errors import InputError, InputWarning, PostilError, Problem, number_of

_KEYS = {
    "question": "the question's id",
    "answer": "the answer's id",
    "label": "the label, where there is one",
}


@expand
def check(
    files: Annotated[
        list[Path], Argument(metavar="FILE", help="Files or folders of any format Postil reads.")
    ],
    *,
    tables: TableOptions,
) -> None:
    """Describe what files contain, or list what is wrong with them, line by line (exit status 2 on errors).

    With any option for reading tables, all files are read as tables, as `postil convert` would read them.
    """
    broken = [path for path in files if _report_problems(path, tables)]
    if broken:
        raise typer.Exit(2)


def _report_problems(path: Path, options: TableOptions) -> bool:
    """Report on one file; true if it has errors."""
    from postil.data.formats.detection import describe, describe_questions
    from postil.data.formats.ists_rules import check_file

    try:
        if options:
            typer.echo(f"{path}: table: {describe_questions(read_source(path, options))}")
            return False
        problems = check_file(path)
        errors = [problem for problem in problems if problem.severity == "error"]
        if errors:
            _list_problems(path, problems)
            others = number_of(len(problems) - len(errors), "warning")
            typer.echo(f"{path}: {number_of(len(errors), 'error')}, {others}")
            return True
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", InputWarning)
            description = describe(path)
        irregular = [item.message for item in caught if isinstance(item.message, InputWarning)]
        if problems:
            _list_problems(path, problems)
        else:
            for warning in irregular:
                _list_problems(warning.path, warning.problems)
        count = len(problems) or sum(len(warning.problems) for warning in irregular)
        counted = f"; {number_of(count, 'warning')}" if count else ""
        typer.echo(f"{path}: {description}{counted}")
    except PostilError as error:
        typer.echo(f"error: {error}", err=True)
        return True
    return False


def _list_problems(path: Path | str, problems: Sequence[Problem]) -> None:
    for problem in problems:
        record = f" ({problem.record})" if problem.record else ""
        typer.echo(f"{path}:{problem.line}: {problem.severity}: {problem.what}{record}")


@expand
def convert(
    source: Annotated[
        Path,
        Argument(
            metavar="SOURCE",
            help="A table (.csv, .tsv, .jsonl, .xlsx), an SRA XML file or a folder of them, or a quiz "
            "(Moodle XML, GIFT).",
        ),
    ],
    output: Annotated[
        Path,
        Option(
            "--output",
            "-o",
            metavar="TARGET",
            help="Where to write: a table (by its ending), a single question as .xml, or a folder of SRA "
            "XML files.",
        ),
    ],
    *,
    tables: TableOptions,
) -> None:
    """Convert questions and answers between tables (long or wide) and SRA XML."""
    if output.exists() and source.exists() and output.samefile(source):
        what = "is the file being read, and would lose the columns that are not converted."
        raise InputError(output, what, hint="Choose another name for the result.")
    questions = read_source(source, tables)
    _write_target(output, questions)
    labelled = sum(answer.label is not None for question in questions for answer in question.answers)
    counts = f"{number_of(len(questions), 'question')}, {number_of(count_answers(questions), 'answer')}"
    typer.echo(f"Read {counts}, {labelled:,} labelled from {source}; wrote {output}.", err=True)


def _write_target(target: Path, questions: Sequence[Question]) -> None:
    """Write questions in the form the target's name asks for."""
    from postil.data.formats import sra
    from postil.data.formats.rows import SUFFIXES
    from postil.data.formats.tables import write_table

    suffix = target.suffix.lower()
    if target.is_dir() or not suffix:
        _write_folder(target, questions)
    elif suffix == ".xml":
        if len(questions) != 1:
            what = f"an SRA XML file holds one question, but there are {len(questions)}."
            hint = "Name a folder (without an ending): each question then gets its own file."
            raise InputError(target, what, hint=hint)
        sra.write_question(target, questions[0])
    elif suffix in SUFFIXES:
        write_table(target, questions)
    else:
        what = f"cannot be written: files ending in {suffix!r} are not supported."
        hint = f"Supported endings: {', '.join(SUFFIXES)}, .xml; without one, a folder of XML files."
        raise InputError(target, what, hint=hint)


def _write_folder(folder: Path, questions: Sequence[Question]) -> None:
    from postil.data.formats import sra

    refuse_file(folder)
    names = _file_names(questions)
    foreign = {file.name for file in folder.glob("*.xml")} - set(names)
    if foreign:
        what = f"already contains other XML files ({min(foreign)}, …), which would be read with the new ones."
        raise InputError(folder, what, hint="Choose a new or empty folder.")
    for name, question in zip(names, questions, strict=True):
        sra.write_question(folder / name, question)


def _file_names(questions: Sequence[Question]) -> list[str]:
    """A file name for each question: its id without what file systems dislike, made unique."""
    names: dict[str, str] = {}  # by case-folded name: some file systems do not tell Q1 from q1
    for question in questions:
        name = stem = re.sub(r"[^\w.-]+", "_", question.id).strip("._")[:80] or "question"
        numbers = count(2)
        while name.casefold() in names:
            name = f"{stem}_{next(numbers)}"
        names[name.casefold()] = f"{name}.xml"
    return list(names.values())


@expand
def features(
    source: Annotated[
        Path | None,
        Argument(
            metavar="SOURCE",
            help="A table (.csv, .tsv, .jsonl, .xlsx), an SRA XML file, or a folder of them.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        Option(
            "--output", "-o", metavar="TABLE", help="Where to write: .csv, .tsv, .jsonl, .xlsx or .parquet."
        ),
    ] = None,
    extended: Annotated[
        bool, Option("--extended", help="Write every feature, not only EHU-ALM's thirty.")
    ] = False,
    demote: Annotated[
        bool, Option("--demote", help="Leave the question's words out of reference and answer.")
    ] = False,
    workers: Annotated[int, Option(min=1, metavar="N", help="How many processes share the work.")] = 1,
    list_columns: Annotated[bool, Option("--list", help="Show the columns and what they mean.")] = False,
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
        what = "a file to read and a file to write are needed."
        raise PostilError(what, hint="For example: postil features answers.csv -o features.csv")
    refuse_output(output, (*SUFFIXES, ".parquet"))
    if output.suffix.lower() == ".parquet":
        require_pyarrow(output)
    questions = read_source(source, tables)
    table = _measured(source, questions, names, demote, workers)
    _write_features(output, table, about)
    count = len(next(iter(table.values())))
    typer.echo(f"Wrote {len(names)} features of {number_of(count, 'answer')} to {output}.", err=True)


def _measured(
    source: Path, questions: Sequence[Question], names: Sequence[str], demote: bool, workers: int
) -> dict[str, Sequence[object]]:
    """The columns of the feature table, by name: identifiers and labels first, then the measures."""
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


def _write_features(output: Path, table: dict[str, Sequence[object]], about: dict[str, str]) -> None:
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
