"""`postil readers`: which readers are installed, the expert one's model file, and a server of one's own."""

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
    short_help="List the readers and what each needs; add the expert one's model; connect a server.",
    help="List the readers and what each needs. The expert reader needs a file of one gigabyte, which "
    "`add` names and `fetch` downloads; nothing is ever downloaded by itself. A language model on a server "
    "of your own can read as well, once you `connect` it.",
)


@app.callback(invoke_without_command=True)
def readers(context: typer.Context, as_json: JsonOption = False) -> None:
    """List the readers, and what is missing of each."""
    if context.invoked_subcommand:
        return
    from rich.markup import escape

    from postil.cli.show import console, print_json, table
    from postil.language.network import default_reader, kind_of
    from postil.language.readers import descriptions

    default = kind_of(default_reader())
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


@app.command("connect")
def connect(
    address: Annotated[
        str, Argument(metavar="URL", help="Where the server is, such as http://localhost:8080/v1.")
    ],
    model: Annotated[
        str, Option(metavar="NAME", help="Which of its models to ask; needed if it has several.")
    ] = "",
    public: Annotated[
        bool, Option("--public", help="Let answers leave your own network. Without this, that is refused.")
    ] = False,
    key_file: Annotated[
        Path | None, Option(metavar="FILE", help="A file with the key that the server asks for.")
    ] = None,
    patience: Annotated[
        float, Option(min=1, max=3600, metavar="SECONDS", help="How long to wait for one answer.")
    ] = 60,
    at_once: Annotated[
        int, Option(min=1, max=64, metavar="NUMBER", help="How many answers it is given at the same time.")
    ] = 4,
) -> None:
    """Connect a server with a language model (llama.cpp, Ollama, vLLM …) as the reader `server`.

    The server is asked a question of Postil's own, to see whether it tells how probable words are.
    """
    from postil.language.server import connect as connect_server
    from postil.language.server import log_file

    connection = connect_server(
        address, model, public=public, key_file=key_file, patience=patience, at_once=at_once
    )
    typer.echo(
        f"The model {connection.model!r} at {connection.address} is connected. Try it:\n"
        "  postil grade class.csv --reader server\n"
        "Nobody has measured how well it judges, so it leaves most answers to you.\n"
        f"Each use is noted, without any texts, in {log_file()}.",
        err=True,
    )


@app.command("disconnect")
def disconnect() -> None:
    """Forget the server that is connected."""
    from postil.language.server import disconnect as disconnect_server

    there = disconnect_server()
    typer.echo("The server is no longer connected." if there else "No server is connected.", err=True)


def _expert_model() -> ModelFile:
    from postil.language.readers import expert_model

    return expert_model()


def _ready(path: Path) -> None:
    typer.echo(f"The expert reader will use {path}. Try it: postil grade class.csv --reader expert", err=True)
