"""The `postil` command: its verbs, and the one place where errors become a message and an exit status."""

from __future__ import annotations

import io
import os
import sys
import warnings
from typing import Annotated

import typer

from postil import __version__
from postil.cli import (
    accounts,
    align,
    analyse,
    annotate,
    bench,
    database,
    demo,
    entail,
    files,
    grade,
    readers,
    rubric,
    score,
    senses,
    serve,
)
from postil.errors import InputWarning, PostilError

app = typer.Typer(
    name="postil",
    help="Read short answers, judge them against a reference, and say why.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help is shown three times as fast
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(version: bool) -> None:
    if version:
        typer.echo(f"postil {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Read short answers, judge them against a reference, and say why."""


app.command(short_help="Try Postil on a bundled, made-up class.")(demo.demo)
app.command(short_help="Grade a class's answers.")(grade.grade)
app.command(short_help="Grade classes in the browser.")(serve.serve)
app.command(short_help="Do the workbench's jobs in a separate process.")(serve.worker)
app.command(short_help="Fit the grader to your own labelled answers.")(grade.train)
app.command(short_help="Show the words, tree, chunks, senses and roles of a text.")(analyse.analyse)
app.command(short_help="Align the chunks of two sentences, and say what differs.")(align.align)
app.command(short_help="Judge whether a text implies a hypothesis, and say why.")(entail.entail)
app.command(short_help="Say which small claims of a reference an answer expresses.")(entail.facets)
app.command(short_help="Show how alike two words or two texts are.")(analyse.similarity)
app.command(short_help="Write a table of features for answers.")(files.features)
app.command(short_help="Describe what files contain, or what is wrong with them.")(files.check)
app.command(short_help="Convert answers between tables and SRA XML.")(files.convert)
app.command(short_help="Show a rubric, or convert it from or for Moodle.")(rubric.rubric)
app.add_typer(readers.app, name="readers")
app.add_typer(senses.app, name="senses")
app.add_typer(score.app, name="score")
app.add_typer(bench.app, name="bench")
app.add_typer(annotate.app, name="annotate")
app.add_typer(accounts.app, name="accounts")
app.add_typer(accounts.pupils_app, name="pupils")
app.add_typer(database.app, name="database")


def _show_warning(message: Warning | str, *about: object, **more: object) -> None:
    """Say what is irregular in a file, without the line of code that found it."""
    sys.stderr.write(f"warning: {message}\n")


def main() -> None:
    """Run the command line; anything a user can mend is one message and exit status 2, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        # A console that cannot show a character shows a substitute instead of failing.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("default", InputWarning)
            warnings.showwarning = _show_warning
            app()
    except PostilError as error:
        sys.stderr.write(f"postil: {error.what}\n")
        if error.hint:
            sys.stderr.write(f"        {error.hint}\n")
        raise SystemExit(2) from None
    except BrokenPipeError:
        # The reader of our output (`head`, a pager) has seen enough.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0) from None
    except OSError as error:
        # What no reader or writer foresaw: a full disk, a folder that may not be looked into.
        where = f"{error.filename}: " if error.filename else ""
        sys.stderr.write(f"postil: {where}{error.strerror or error}.\n")
        raise SystemExit(2) from None
