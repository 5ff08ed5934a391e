"""The options by which a command is told how to read somebody's table, shared by all that read one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from postil.errors import PostilError

if TYPE_CHECKING:
    from postil.data.questions import Question

_PANEL = "Reading tables"

QuestionOption = Annotated[
    list[str] | None,
    typer.Option(
        "--question",
        metavar="[COLUMN=]TEXT",
        help="The question, where the table does not say it; in a wide table COLUMN=TEXT, for each column.",
        rich_help_panel=_PANEL,
    ),
]
ReferenceOption = Annotated[
    list[str] | None,
    typer.Option(
        "--reference",
        metavar="[COLUMN=]TEXT",
        help="A reference; give it again for further ones. In a wide table COLUMN=TEXT.",
        rich_help_panel=_PANEL,
    ),
]
KeyOption = Annotated[
    Path | None,
    typer.Option(
        "--key",
        metavar="FILE",
        help="A table with the questions and references: columns 'column' or 'question id', 'question', "
        "'reference'.",
        rich_help_panel=_PANEL,
    ),
]
ColumnOption = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        metavar="ROLE=NAME",
        help="Which column is which, where the names do not tell: question, reference, answer, id, label, "
        "question_id or module. Nothing after the = means: no such column.",
        rich_help_panel=_PANEL,
    ),
]
SheetOption = Annotated[
    str | None,
    typer.Option(
        "--sheet",
        metavar="NAME",
        help="The sheet of a workbook to read; else the first that is not empty.",
        rich_help_panel=_PANEL,
    ),
]
EncodingOption = Annotated[
    str | None,
    typer.Option(
        "--encoding",
        metavar="NAME",
        help="The encoding of a text file that is not UTF-8, such as cp1252 (Excel on Windows).",
        rich_help_panel=_PANEL,
    ),
]
WideOption = Annotated[
    bool | None,
    typer.Option(
        "--wide/--long",
        help="One column a question, or one row an answer; else the column names decide.",
        rich_help_panel=_PANEL,
    ),
]


def parse_columns(values: Sequence[str]) -> dict[str, str]:
    """Read `ROLE=NAME` options; further references are numbered."""
    mapping: dict[str, str] = {}
    for value in values:
        role, sign, name = value.partition("=")
        role = role.strip()
        if not sign or not role:
            raise PostilError(
                f"--column {value!r} does not say which column plays which role.",
                hint="Write --column ROLE=NAME, as in --column 'answer=Your reply'.",
            )
        if role in ("reference", "references"):
            number = sum(known.startswith("reference") for known in mapping) + 1
            role = "reference" if number == 1 else f"reference_{number}"
        if role in mapping:
            raise PostilError(f"--column gives the role {role!r} to two columns.", hint="Leave one out.")
        mapping[role] = name.strip()
    return mapping


def read_source(
    source: Path,
    *,
    question: Sequence[str] | None = None,
    reference: Sequence[str] | None = None,
    key: Path | None = None,
    column: Sequence[str] | None = None,
    sheet: str | None = None,
    encoding: str | None = None,
    wide: bool | None = None,
) -> list[Question]:
    """Read questions and answers from a table, long or wide, from SRA XML (a file or a folder), or a quiz."""
    from postil.data.formats.detection import QUIZ_FORMATS, detect

    questions, references, columns = question or (), reference or (), parse_columns(column or ())
    kind = detect(source) if source.suffix.lower() in (".xml", ".gift", ".txt") else ""
    if source.is_dir() or source.suffix.lower() == ".xml" or kind in QUIZ_FORMATS:
        if questions or references or columns or key or sheet or encoding or wide is not None:
            raise PostilError(
                f"{source} is read as {kind if kind in QUIZ_FORMATS else 'SRA XML'}, "
                "which says itself what is what.",
                hint="Leave out the options for reading tables.",
            )
        return _read_marked_up(source, kind)

    from postil.data.formats.rows import read_rows

    header = read_rows(source, encoding=encoding, sheet=sheet).header
    if wide is None:
        wide = _is_wide(header, [*questions, *references], key, columns)
    if wide:
        return _read_wide(source, header, questions, references, key, columns, sheet, encoding)
    return _read_long(source, questions, references, key, columns, sheet, encoding)


def _read_marked_up(source: Path, kind: str) -> list[Question]:
    from postil.data.formats import sra
    from postil.data.formats.detection import read_quiz
    from postil.data.formats.quizzes import as_questions

    return (
        as_questions(read_quiz(source, kind)) if kind in ("Moodle XML", "GIFT") else sra.read_corpus(source)
    )


def _is_wide(
    header: Sequence[str], assignments: Sequence[str], key: Path | None, columns: dict[str, str]
) -> bool:
    from postil.data.formats.columns import candidates
    from postil.data.formats.wide import looks_wide

    if columns.get("answer"):
        return False
    if looks_wide(header):
        return True
    assigned = any(text.startswith(f"{name}=") for text in assignments for name in header)
    return not candidates(header, "answer") and (assigned or key is not None)


def _read_wide(
    source: Path,
    header: Sequence[str],
    questions: Sequence[str],
    references: Sequence[str],
    key: Path | None,
    columns: dict[str, str],
    sheet: str | None,
    encoding: str | None,
) -> list[Question]:
    from postil.data.formats.wide import parse_assignments, read_wide

    if set(columns) - {"id"}:
        raise PostilError(
            f"{source} is read as a wide table, in which --column can only name the id.",
            hint="Name the questions with --question 'COLUMN=text', or read one row an answer with --long.",
        )
    texts = parse_assignments(questions, option="--question", header=header)
    for name, given in texts.items():
        if len(given) > 1:
            raise PostilError(f"--question gives the column {name!r} two texts.", hint="Leave one out.")
    return read_wide(
        source,
        questions={name: given[0] for name, given in texts.items()},
        references=parse_assignments(references, option="--reference", header=header),
        key=key,
        id_column=columns.get("id"),
        encoding=encoding,
        sheet=sheet,
    )


def _read_long(
    source: Path,
    questions: Sequence[str],
    references: Sequence[str],
    key: Path | None,
    columns: dict[str, str],
    sheet: str | None,
    encoding: str | None,
) -> list[Question]:
    from postil.data.formats.tables import fill_from_key, read_table

    if len(questions) > 1:
        raise PostilError(
            f"{source} is read as one row an answer, for which only one --question can be given.",
            hint="For several, the table needs a column with the question or its id.",
        )
    read = read_table(
        source,
        columns=columns,
        question=questions[0] if questions else None,
        references=references,
        encoding=encoding,
        sheet=sheet,
    )
    return fill_from_key(read, key, encoding=encoding) if key is not None else read
