"""`postil database` on both kinds of database."""

from __future__ import annotations

from contextlib import closing

import pytest
from school import fill
from typer.testing import CliRunner

from postil.cli.database import app
from postil.workbench.store.database import known, newest, open_store


def run(*arguments):
    done = CliRunner().invoke(app, [str(one) for one in arguments], catch_exceptions=False)
    return done.exit_code, done.output


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_database_is_looked_after(kind, nowhere, tmp_path):
    place, other, file = nowhere(kind), nowhere(kind), tmp_path / "school.zip"
    with closing(open_store(place)) as store:
        fill(store)
        status, told = run("backup", file, "--database", place)  # while it is open
    assert (status, told.startswith("Wrote ")) == (0, True)
    assert run("downgrade", known()[0], "--yes", "--database", place)[0] == 0
    status, told = run("status", "--database", place)
    assert f"revision: {known()[0]} (newest known: {newest()}" in told
    assert "account" not in told
    assert run("upgrade", "--database", place)[0] == 0
    assert run("restore", file, "--database", other)[0] == 0
    status, told = run("status", "--database", other)
    rows = dict(line.split() for line in told.splitlines()[3:])
    assert (rows["account"], rows["answer"], rows["session"]) == ("4", "8", "0")
    assert told.splitlines()[0].startswith(
        "PostgreSQL database: postgresql://" if kind != "sqlite" else "SQLite"
    )
