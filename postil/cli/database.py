"""`postil database`: back up, restore, bring up to date, take back, or look at the workbench's database."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from postil.cli.serve import DatabaseOption, chosen_database, workbench_packages
from postil.cli.show import progress_bar
from postil.errors import PostilError, number_of

if TYPE_CHECKING:
    from postil.workbench.store.database import Loss

app = typer.Typer(
    short_help="Back up, restore and upgrade the workbench's database.",
    help="Look after the workbench's database: a file, or a database on a PostgreSQL server.",
    no_args_is_help=True,
)


@app.command("backup")
def backup(
    output: Annotated[Path, Argument(metavar="OUT.zip", help="The file to write.")],
    database: DatabaseOption = None,
) -> None:
    """Write everything into one file, while the workbench runs.

    A backup can be restored into either kind of database, by this version of Postil and by later ones. It
    holds pupils' answers: keep it where only you can read it.
    """
    with workbench_packages():
        from postil.workbench.store.backups import back_up
        from postil.workbench.store.database import as_it_is

    with as_it_is(chosen_database(database)) as store, progress_bar("Backing up") as progress:
        manifest = back_up(store, output, progress)
    size = output.stat().st_size / 2**20
    typer.echo(f"Wrote {number_of(manifest.rows, 'row')} to {output} ({size:,.1f} MB).", err=True)


@app.command("restore")
def restore(
    source: Annotated[Path, Argument(metavar="FILE.zip", help="A file written by `backup`.")],
    database: DatabaseOption = None,
) -> None:
    """Make a new database from a backup: all of it, or nothing at all.

    The database must not exist yet; on a PostgreSQL server it must be empty. Everyone has to log in again
    afterwards.
    """
    with workbench_packages():
        from postil.workbench.store.backups import restore as restore_all
        from postil.workbench.store.database import shown

    target = chosen_database(database)
    with progress_bar("Restoring") as progress:
        manifest = restore_all(source, target, progress)
    rows = number_of(manifest.rows, "row")
    typer.echo(f"Restored {rows}, as of {manifest.made}, into {shown(target)}.", err=True)


@app.command("upgrade")
def upgrade(database: DatabaseOption = None) -> None:
    """Bring the tables up to date. Starting the workbench does the same."""
    with workbench_packages():
        from postil.workbench.store.database import as_it_is, newest, revision_of
        from postil.workbench.store.database import upgrade as upgrade_tables

    with as_it_is(chosen_database(database)) as store, store.writing() as session:
        connection = session.connection()
        store.kind.before_upgrade(connection)
        before = revision_of(connection)
        upgrade_tables(connection)
    done = "is up to date" if before == newest() else f"was at {before or 'none'}, and is now up to date"
    typer.echo(f"The database {done}: revision {newest()}.", err=True)


@app.command("downgrade")
def downgrade(
    revision: Annotated[
        str, Argument(metavar="REVISION", help="The older revision, as `status` shows it in that version.")
    ],
    database: DatabaseOption = None,
    yes: Annotated[bool, Option("--yes", help="Delete what the older version does not know.")] = False,
) -> None:
    """Take the tables back to an older version of Postil. Data that it does not know is deleted.

    Stop the workbench and make a backup first.
    """
    with workbench_packages():
        from postil.workbench.store.database import as_it_is, forget_deleted, losses
        from postil.workbench.store.database import downgrade as downgrade_tables

    with as_it_is(chosen_database(database)) as store:
        with store.writing() as session:
            connection = session.connection()
            store.kind.before_upgrade(connection)
            lost = _in_words(losses(connection, revision))
            if not yes:
                raise PostilError(
                    f"going back to revision {revision} deletes {lost}.",
                    hint="Make a backup, stop the workbench, then repeat this with --yes.",
                )
            downgrade_tables(connection, revision)
        forget_deleted(store)
    typer.echo(f"The database is now at revision {revision}. Deleted: {lost}.", err=True)


@app.command("status")
def status(database: DatabaseOption = None) -> None:
    """Show which database this is, the revision of its tables, and how many rows they have."""
    with workbench_packages():
        from postil.workbench.store.backups import demand_revision
        from postil.workbench.store.database import as_it_is, count_rows, newest, shown

    chosen = chosen_database(database)
    with as_it_is(chosen) as store, store.reading() as session:
        connection = session.connection()
        kind = "PostgreSQL database" if connection.dialect.name == "postgresql" else "SQLite file"
        revision = demand_revision(connection)
        rows = count_rows(connection, revision)
    outdated = "" if revision == newest() else f" (newest known: {newest()}; `postil database upgrade`)"
    typer.echo(f"{kind}: {shown(chosen)}\nrevision: {revision}{outdated}\nrows by table:")
    width = max(map(len, rows))
    for name, count in rows.items():
        typer.echo(f"  {name:<{width}} {count:>12,}")


def _in_words(losses: Sequence[Loss]) -> str:
    """What would be lost, in one line."""
    parts = (
        f"{loss.table} ({number_of(loss.count, 'row')})"
        if loss.column is None
        else f"{loss.table}.{loss.column} ({number_of(loss.count, 'value')})"
        for loss in losses
    )
    return ", ".join(parts) or "nothing that is in use"
