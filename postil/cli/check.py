"""`postil check`: say what a file holds, or everything that is wrong with it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def check(
    files: Annotated[list[Path], typer.Argument(help="Files or folders of any format Postil reads.")],
) -> None:
    """Say what files hold, or list what is wrong with them, line by line (exit status 2 on errors)."""
    broken = False
    for path in files:
        broken = _check(path) or broken
    if broken:
        raise typer.Exit(2)


def _check(path: Path) -> bool:
    """Report on one file; true if it has errors."""
    from postil.corpora.detect import describe
    from postil.corpora.istscheck import check_alignments
    from postil.errors import PostilError

    try:
        problems = check_alignments(path) if path.suffix.lower() == ".wa" else []
        errors = [problem for problem in problems if problem.severity == "error"]
        for problem in problems:
            record = f" ({problem.record})" if problem.record else ""
            typer.echo(f"{path}:{problem.line}: {problem.severity}: {problem.what}{record}")
        if errors:
            typer.echo(f"{path}: {len(errors)} errors, {len(problems) - len(errors)} warnings")
            return True
        typer.echo(f"{path}: {describe(path)}" + (f"; {len(problems)} warnings" if problems else ""))
    except PostilError as error:
        typer.echo(f"error: {error}", err=True)
        return True
    return False
