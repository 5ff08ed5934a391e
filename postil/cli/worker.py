"""`postil worker`: does the jobs of a workbench, beside others that do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from postil.errors import InputError, PostilError

# What the commands around the workbench share: which database it is, and what must be installed.

_NEEDED = (
    "alembic",
    "argon2",
    "fastapi",
    "jinja2",
    "limits",
    "multipart",
    "prometheus_client",
    "psycopg",
    "python_multipart",
    "sqlalchemy",
    "uvicorn",
)

DatabaseOption = Annotated[
    str | None,
    typer.Option(
        "--database",
        metavar="WHERE",
        envvar="POSTIL_DATABASE",
        help="Where courses and answers are stored: a file, or postgresql://user@host/name; by default a "
        "file in your data folder.",
    ),
]


@contextmanager
def workbench_packages() -> Iterator[None]:
    """Say what to install where an import fails that only the workbench needs."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name and error.name.partition(".")[0] not in _NEEDED:
            raise
        raise PostilError(
            f"the workbench needs packages that are not installed ({error.name}).",
            hint="Install them with: pip install 'postil[serve]'",
        ) from error


def chosen_database(named: str | None) -> Path | str:
    """The database that an option names: a file, or the address of one on a server."""
    from postil.workbench.settings import default_database

    if named is None:
        return default_database()
    return named if "://" in named else Path(named)


def existing_database(named: str | None, *, hint: str) -> Path | str:
    """The database that an option names, which must exist if it is a file."""
    database = chosen_database(named)
    if isinstance(database, Path) and not database.exists():
        raise InputError(database, "does not exist.", hint=hint)
    return database


def worker(database: DatabaseOption = None) -> None:
    """Do the jobs of a workbench (grading, proposing, looking for facets) until stopped.

    `postil serve` has its own worker unless it is started with --no-worker. Any number of workers can share a
    PostgreSQL database, on any number of machines, or a file, on one machine. A worker that is stopped puts
    its job back into the queue; if it is killed, another takes over after a few seconds.
    """
    with workbench_packages():
        from postil.workbench.jobs import grading
        from postil.workbench.jobs.worker import work_here
        from postil.workbench.store.database import shown
    # It could be made; but a worker at a file that nobody else uses would wait for ever.
    chosen = existing_database(database, hint="Start `postil serve` first, or name another file.")
    typer.echo(
        f"Doing the jobs of {shown(chosen)}. Press Ctrl-C to stop; an unfinished job goes back into the "
        "queue."
    )
    work_here(chosen, grading.load_machine)
    typer.echo("Stopped.")
