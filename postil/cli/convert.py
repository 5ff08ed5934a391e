"""`postil convert`: from one form of a corpus to another: long and wide tables, SRA XML."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from postil.cli.options import TableOptions, expand, read_source, refuse_file
from postil.errors import InputError, number_of

if TYPE_CHECKING:
    from postil.data.questions import Question


@expand
def convert(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="SOURCE",
            help="A table (.csv, .tsv, .jsonl, .xlsx), an SRA XML file or a folder of them, or a quiz "
            "(Moodle XML, GIFT).",
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
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
    from postil.data.questions import count_answers

    if output.exists() and source.exists() and output.samefile(source):
        raise InputError(
            output,
            "is the file being read, and would lose the columns that are not converted.",
            hint="Choose another name for the result.",
        )
    questions = read_source(source, tables)
    write_target(output, questions)
    labelled = sum(answer.label is not None for question in questions for answer in question.answers)
    counts = f"{number_of(len(questions), 'question')}, {number_of(count_answers(questions), 'answer')}"
    typer.echo(f"Read {counts}, {labelled:,} labelled from {source}; wrote {output}.", err=True)


def write_target(target: Path, questions: Sequence[Question]) -> None:
    """Write questions in the form the target's name asks for."""
    from postil.data.formats import sra
    from postil.data.formats.rows import SUFFIXES
    from postil.data.formats.tables import write_table

    suffix = target.suffix.lower()
    if target.is_dir() or not suffix:
        _write_folder(target, questions)
    elif suffix == ".xml":
        if len(questions) != 1:
            raise InputError(
                target,
                f"an SRA XML file holds one question, but there are {len(questions)}.",
                hint="Name a folder (without an ending): each question then gets its own file.",
            )
        sra.write_question(target, questions[0])
    elif suffix in SUFFIXES:
        write_table(target, questions)
    else:
        raise InputError(
            target,
            f"cannot be written: files ending in {suffix!r} are not supported.",
            hint=f"Supported endings: {', '.join(SUFFIXES)}, .xml; without one, a folder of XML files.",
        )


def _write_folder(folder: Path, questions: Sequence[Question]) -> None:
    from postil.data.formats import sra

    refuse_file(folder)
    names = _file_names(questions)
    foreign = {file.name for file in folder.glob("*.xml")} - set(names)
    if foreign:
        raise InputError(
            folder,
            f"already contains other XML files ({min(foreign)}, …), which would be read with the new ones.",
            hint="Choose a new or empty folder.",
        )
    for name, question in zip(names, questions, strict=True):
        sra.write_question(folder / name, question)


def _file_names(questions: Sequence[Question]) -> list[str]:
    """A file name for each question: its id without what file systems dislike, made unique."""
    names: dict[str, str] = {}  # by what file systems that do not tell Q1 from q1 take them for
    for question in questions:
        name = stem = re.sub(r"[^\w.-]+", "_", question.id).strip("._")[:80] or "question"
        numbers = count(2)
        while name.casefold() in names:
            name = f"{stem}_{next(numbers)}"
        names[name.casefold()] = f"{name}.xml"
    return list(names.values())
