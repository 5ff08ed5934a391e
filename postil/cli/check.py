"""`postil check`: say what a file holds, or everything that is wrong with it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from postil.cli.options import TableOptions, expand, read_source


@expand
def check(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE", help="Files or folders of any format Postil reads.")
    ],
    *,
    tables: TableOptions,
) -> None:
    """Describe what files contain, or list what is wrong with them, line by line (exit status 2 on errors).

    With any option for reading tables, all files are read as tables, as `postil convert` would read them.
    """
    broken = [path for path in files if _check(path, tables)]
    if broken:
        raise typer.Exit(2)


def _check(path: Path, options: TableOptions) -> bool:
    """Report on one file; true if it has errors."""
    from postil.data.formats.chunks import check_alignments
    from postil.data.formats.detection import describe, describe_questions
    from postil.errors import PostilError, number_of

    try:
        if options:
            typer.echo(f"{path}: table: {describe_questions(read_source(path, options))}")
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
        warnings = f"; {number_of(len(problems), 'warning')}" if problems else ""
        typer.echo(f"{path}: {describe(path)}{warnings}")
    except PostilError as error:
        typer.echo(f"error: {error}", err=True)
        return True
    return False
