"""Which version a database's tables have, and the way from one version to another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from alembic import command
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, MetaData, column, create_engine, func, select, table
from sqlalchemy.exc import SQLAlchemyError

from postil.errors import InputError, PostilError, some
from postil.workbench.store.database import Store, connect, migrations

VERSION_TABLE = "alembic_version"  # where Alembic keeps the revision


@dataclass(frozen=True, slots=True)
class Loss:
    """What an older version does not know: a table with its rows, or a column with the values in it."""

    table: str
    column: str | None
    count: int


@contextmanager
def as_it_is(database: Path | str) -> Iterator[Store]:
    """Open a database that is there, without bringing it up to date."""
    if isinstance(database, Path) and not database.exists():
        raise InputError(database, "is not there.", hint="Name another with --database.")
    store = connect(database)
    try:
        yield store
    except SQLAlchemyError as error:
        raise store.kind.why_closed(database, store.engine, error) from error
    finally:
        store.close()


@cache
def known() -> tuple[str, ...]:
    """The revisions that this version of Postil knows, oldest first."""
    scripts = ScriptDirectory(str(Path(__file__).with_name("migrations")))
    return tuple(script.revision for script in scripts.walk_revisions())[::-1]


def newest() -> str:
    """The revision that this version of Postil works with."""
    return known()[-1]


def revision_of(connection: Connection) -> str | None:
    """The revision of a database; None where no tables of the workbench are in it."""
    return MigrationContext.configure(connection).get_current_revision()


def demand_known(revision: str) -> str:
    """The revision, if it is one of those known here."""
    if revision not in known():
        raise PostilError(
            f"the tables' revision {some([revision])} is unknown: a newer version of Postil made them.",
            hint=f"Install that version. This one knows {known()[0]} to {newest()}.",
        )
    return revision


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Bring a database up to a revision, in the connection's transaction."""
    _refuse_newer(connection)
    command.upgrade(migrations(connection), revision)


def downgrade(connection: Connection, revision: str) -> None:
    """Take a database back to an older revision, in the connection's transaction; see `losses`."""
    _demand_older(connection, revision)
    command.downgrade(migrations(connection), revision)


def losses(connection: Connection, revision: str) -> list[Loss]:
    """What going back to an older revision would delete: the tables and columns that are in use."""
    before = columns_at(_demand_older(connection, revision))
    after = columns_at(revision)
    rows = [Loss(name, None, _count(connection, name)) for name in before if name not in after]
    values = [
        Loss(name, one, _count(connection, name, one))
        for name, columns in before.items()
        for one in columns
        if name in after and one not in after[name]
    ]
    return [loss for loss in (*rows, *values) if loss.count]


def count_rows(connection: Connection, revision: str) -> dict[str, int]:
    """How many rows each table of a revision has, by name."""
    return {name: _count(connection, name) for name in sorted(columns_at(revision))}


@cache
def columns_at(revision: str) -> Mapping[str, tuple[str, ...]]:
    """The tables of a revision with their columns, in an order in which their rows can be inserted.

    The migrations themselves say it: they are run on a database in memory.
    """
    engine = create_engine("sqlite://")
    found = MetaData()
    with engine.begin() as connection:
        command.upgrade(migrations(connection), demand_known(revision))
        found.reflect(connection)
    engine.dispose()
    own = (one for one in found.sorted_tables if one.name != VERSION_TABLE)
    return {one.name: tuple(one.columns.keys()) for one in own}


def _count(connection: Connection, name: str, of: str | None = None) -> int:
    """How many rows a table has, or values that one of its columns has."""
    counted = func.count() if of is None else func.count(column(of))
    return connection.scalar(select(counted).select_from(table(name))) or 0


def _refuse_newer(connection: Connection) -> None:
    revision = revision_of(connection)
    if revision is not None:
        demand_known(revision)


def _demand_older(connection: Connection, revision: str) -> str:
    """The revision that a database has, if the other is one before it."""
    current = demand_known(revision_of(connection) or "none")
    earlier = known()[: known().index(current)]
    if revision not in earlier:
        raise PostilError(
            f"this database has revision {current}, and {some([revision])} is none before it.",
            hint=f"Earlier ones: {', '.join(earlier)}." if earlier else "There is none.",
        )
    return current
