"""`postil check`: say what a file holds, or everything that is wrong with it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

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


def check(
    files: Annotated[list[Path], typer.Argument(help="Files or folders of any format Postil reads.")],
    question: QuestionOption = None,
    reference: ReferenceOption = None,
    key: KeyOption = None,
    column: ColumnOption = None,
    sheet: SheetOption = None,
    encoding: EncodingOption = None,
    wide: WideOption = None,
) -> None:
    """Say what files hold, or list what is wrong with them, line by line (exit status 2 on errors).

    With any option for reading tables, all files are read as tables, as `postil convert` would read them.
    """
    options = {
        "question": question,
        "reference": reference,
        "key": key,
        "column": column,
        "sheet": sheet,
        "encoding": encoding,
        "wide": wide,
    }
    given = {name: value for name, value in options.items() if value not in (None, [])}
    broken = False
    for path in files:
        broken = _check(path, given) or broken
    if broken:
        raise typer.Exit(2)


def _check(path: Path, options: dict[str, Any]) -> bool:
    """Report on one file; true if it has errors."""
    from postil.data.formats.chunks import check_alignments
    from postil.data.formats.detection import describe, describe_questions
    from postil.errors import PostilError, number_of

    try:
        if options:
            typer.echo(f"{path}: table: {describe_questions(read_source(path, **options))}")
            return False
        problems = check_alignments(path) if path.suffix.lower() == ".wa" else []
        errors = [problem for problem in problems if problem.severity == "error"]
        for problem in problems:
            record = f" ({problem.record})" if problem.record else ""
            typer.echo(f"{path}:{problem.line}: {problem.severity}: {problem.what}{record}")
        if errors:
            warnings = number_of(len(problems) - len(errors), "warning")
            typer.echo(f"{path}: {number_of(len(errors), 'error')}, {warnings}")
            return True
        found = f"; {number_of(len(problems), 'warning')}" if problems else ""
        typer.echo(f"{path}: {describe(path)}{found}")
    except PostilError as error:
        typer.echo(f"error: {error}", err=True)
        return True
    return False
