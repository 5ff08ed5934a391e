"""What the commands around the workbench share: which database it is, and what must be installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from postil.errors import PostilError

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
        help="Where courses and answers are kept: a file, or postgresql://user@host/name; "
        "else a file in your own data folder.",
        show_default=False,
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
