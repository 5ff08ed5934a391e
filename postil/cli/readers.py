"""`postil readers`: which readers are installed, and the model file that the expert one needs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from postil.cli.options import JsonOption
from postil.errors import PostilError

if TYPE_CHECKING:
    from postil.language.model_files import ModelFile

app = typer.Typer(
    short_help="List the readers and what each needs; add the expert one's model.",
    help="List the readers and what each needs. The expert reader needs a file of one gigabyte, which "
    "`add` names and `fetch` downloads; nothing is ever downloaded by itself.",
)


@app.callback(invoke_without_command=True)
def readers(context: typer.Context, as_json: JsonOption = False) -> None:
    """List the readers, and what is missing of each."""
    if context.invoked_subcommand:
        return
    from rich.markup import escape

    from postil.cli.show import console, print_json, table
    from postil.language.network import default_reader
    from postil.language.readers import descriptions

    default = default_reader()
    listed = descriptions()
    if as_json:
        print_json([{**entry.to_dict(), "default": entry.name == default} for entry in listed])
        return
    shown = table("reader", "is", "needs", whole=("reader",))
    for entry in listed:
        name = f"{entry.name} (default)" if entry.name == default else entry.name
        missing = f"missing: {entry.missing}" if entry.missing else f"{entry.needs} ✓"
        shown.add_row(name, entry.what, escape(missing))
    console().print(shown)


@app.command("add")
def add(
    file: Annotated[Path, Argument(metavar="FILE.gguf", help="The publisher's file of the model.")],
) -> None:
    """Check the expert reader's model by its hash, and remember where it is."""
    from postil.cli.show import progress_bar

    model = _expert_model()
    with progress_bar("Checking") as progress:
        model.add(file, progress)
    _ready(file)


@app.command("fetch")
def fetch(
    reader: Annotated[str, Argument(metavar="NAME", help="The reader: expert.")],
    address: Annotated[
        str,
        Option(
            "--from", metavar="ADDRESS", help="Another server with the same file, such as a school's own."
        ),
    ] = "",
) -> None:
    """Download a reader's model from its publisher, check it by its hash, and remember where it is.

    If it breaks off, the same command goes on from there.
    """
    from postil.cli.show import progress_bar
    from postil.language.fetching import fetch as download
    from postil.language.network import EXPERT

    if reader != EXPERT:
        raise PostilError(f"the {reader!r} reader needs no download.", hint="Only this one does: expert.")
    model = _expert_model()
    source = address or model.needed.address
    typer.echo(
        f"{model.needed.name} ({model.needed.bytes / 1e9:.1f} GB, {model.needed.licence}) from {source}",
        err=True,
    )
    with progress_bar("Downloading") as progress:
        path = download(model, address, progress)
    _ready(path)


def _expert_model() -> ModelFile:
    from postil.language.readers import expert_model

    return expert_model()


def _ready(path: Path) -> None:
    typer.echo(f"The expert reader will use {path}. Try it: postil grade class.csv --reader expert", err=True)
