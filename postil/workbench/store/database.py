"""Open the store's database, bring its tables up to date, and take them from one revision to another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, Engine, MetaData, column, create_engine, func, select, table
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.orm import Session

from postil.errors import InputError, PostilError, some
from postil.workbench.store.engines import Kind, PostgresDatabase, SqliteFile, StoreAwayError, StoreFullError

__all__ = [
    "Store",
    "StoreAwayError",
    "StoreFullError",
    "connect",
    "forget_deleted",
    "migrations",
    "open_store",
    "shown",
]

VERSION_TABLE = "alembic_version"  # where Alembic keeps the revision


@dataclass(slots=True)
class Watch:
    """Whether something may have been stored; a request that stored nothing can be sent again."""

    committed: bool = False


_WATCH: ContextVar[Watch | None] = ContextVar("watch", default=None)


@contextmanager
def watch_commits() -> Iterator[Watch]:
    """Record whether anything is stored inside the block, also by threads that this one waits for."""
    watch = Watch()
    before = _WATCH.set(watch)
    try:
        yield watch
    finally:
        _WATCH.reset(before)


@dataclass(frozen=True)
class Store:
    """An open database; every function of the store takes one first."""

    kind: Kind

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """One transaction that only reads: it sees one moment, and nobody waits for it."""
        with self._in_words(), Session(self._reader) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """One transaction that writes: all of it is stored, or none.

        In a file, writers wait for each other. On a server they do not: whoever reads and then writes first
        locks the course or the question under which it happens (`lock_course`, `lock_question`).
        """
        with self._in_words(), Session(self._writer) as session, session.begin():
            yield session
            session.flush()
            watch = _WATCH.get()
            if watch is not None:  # before the commit: if that fails, nobody knows whether it was stored
                watch.committed = True

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        try:
            yield
        except PoolTimeoutError as error:
            what = "the workbench is too busy."
            raise StoreAwayError(what, hint="Try again in a moment.") from error
        except (SQLAlchemyError, OverflowError, UnicodeEncodeError) as error:
            message = self.kind.in_words(error)
            if message is None:
                raise
            raise message from error

    @property
    def engine(self) -> Engine:
        """What connections come from."""
        return self.kind.engine

    @cached_property
    def _reader(self) -> Engine:
        return self.engine.execution_options(**self.kind.reads)

    @cached_property
    def _writer(self) -> Engine:
        return self.engine.execution_options(**self.kind.writes)

    def close(self) -> None:
        """Close all connections; the last one folds a file's log back into the file."""
        self.engine.dispose()


def connect(database: Path | str) -> Store:
    """Open a database as it is, whatever the version of its tables."""
    return Store(_kind(database)(database))


def open_store(database: Path | str) -> Store:
    """Open a file, made where there is none, or "postgresql://user@host/name"; bring it up to date."""
    store = connect(database)
    try:
        with store._writer.begin() as connection:
            store.kind.before_upgrade(connection)
            command.upgrade(migrations(connection), "head")
    except CommandError as error:
        store.close()
        what = "was made by a newer version of Postil."
        raise InputError(shown(database), what, hint="Install that version to open it.") from error
    except SQLAlchemyError as error:
        store.close()
        raise store.kind.why_closed(error) from error
    except PostilError:
        store.close()
        raise
    return store


@contextmanager
def as_it_is(database: Path | str) -> Iterator[Store]:
    """Open an existing database without bringing it up to date."""
    if isinstance(database, Path) and not database.exists():
        raise InputError(database, "does not exist.", hint="Name another with --database.")
    store = connect(database)
    try:
        yield store
    except SQLAlchemyError as error:
        raise store.kind.why_closed(error) from error
    finally:
        store.close()


def shown(database: Path | str) -> str:
    """What to call a database when talking to people: never with a password."""
    return _kind(database).shown(database)


def forget_deleted(store: Store) -> None:
    """Remove traces of deleted data, as far as that is possible at once; the data itself is already gone."""
    with suppress(PostilError), store._in_words():
        store.kind.forget_deleted()


def _kind(database: Path | str) -> type[Kind]:
    scheme, slashes, _ = str(database).partition("://")
    if isinstance(database, Path) or not slashes:
        return SqliteFile
    if scheme in PostgresDatabase.schemes:
        return PostgresDatabase
    raise PostilError(
        f"databases of the kind {scheme[:20]!r} are not supported.",
        hint="Name a file, or a PostgreSQL database such as postgresql://user@host/name",
    )


@dataclass(frozen=True, slots=True)
class Loss:
    """What an older version does not know: a table with its rows, or a column with the values in it."""

    table: str
    column: str | None
    count: int


def migrations(connection: Connection) -> Config:
    """What Alembic has to know to change the tables over a connection, in its transaction."""
    config = Config()
    config.set_main_option("script_location", "postil.workbench.store:migrations")
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


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
            f"table revision {some([revision])} is unknown: a newer version of Postil created it.",
            hint=f"Install that version. This one knows {known()[0]} to {newest()}.",
        )
    return revision


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Bring a database up to a revision, in the connection's transaction."""
    current = revision_of(connection)
    if current is not None:
        demand_known(current)
    command.upgrade(migrations(connection), revision)


def downgrade(connection: Connection, revision: str) -> None:
    """Take a database back to an older revision, in the connection's transaction; see `losses`."""
    _demand_older(connection, revision)
    command.downgrade(migrations(connection), revision)


# Columns whose values a step back turns into what the older version knows.
_TURNED_BACK = {(table, column) for table in ("judgement", "proposal") for column in ("reason", "doubt")}
# Values that are no loss: an older version works as if every row had them.
_USUAL = {("course", "strictness"): "normal"} | {
    (table, column): "" for table in ("judgement", "proposal") for column in ("reader", "read_by")
}


def losses(connection: Connection, revision: str) -> list[Loss]:
    """What going back to an older revision would delete: the tables and columns that are in use."""
    before, after = columns_at(_demand_older(connection, revision)), columns_at(revision)
    rows = [Loss(name, None, _count(connection, name)) for name in before if name not in after]
    values = [
        Loss(name, lost, _count(connection, name, lost))
        for name, columns in before.items()
        for lost in columns
        if name in after and lost not in after[name] and (name, lost) not in _TURNED_BACK
    ]
    return [loss for loss in (*rows, *values) if loss.count]


def count_rows(connection: Connection, revision: str) -> dict[str, int]:
    """How many rows each table of a revision has, by name."""
    return {name: _count(connection, name) for name in sorted(columns_at(revision))}


@cache
def columns_at(revision: str) -> Mapping[str, tuple[str, ...]]:
    """The tables of a revision with their columns, in an order in which their rows can be inserted.

    They come from the migrations themselves, which are run on a database in memory.
    """
    engine, metadata = create_engine("sqlite://"), MetaData()
    with engine.begin() as connection:
        command.upgrade(migrations(connection), demand_known(revision))
        metadata.reflect(connection)
    engine.dispose()
    tables = {table.name: tuple(table.columns.keys()) for table in metadata.sorted_tables}
    return {name: columns for name, columns in tables.items() if name != VERSION_TABLE}


def _count(connection: Connection, name: str, of: str | None = None) -> int:
    """How many rows a table has, or values that one of its columns has and that could be lost."""
    counted = func.count() if of is None else func.count(column(of))
    query = select(counted).select_from(table(name))
    if of is not None and (name, of) in _USUAL:
        query = query.where(column(of) != _USUAL[name, of])
    return connection.scalar(query) or 0


def _demand_older(connection: Connection, revision: str) -> str:
    """The revision that a database has, if the other is one before it."""
    current = demand_known(revision_of(connection) or "none")
    earlier = known()[: known().index(current)]
    if revision not in earlier:
        raise PostilError(
            f"this database is at revision {current}, and {some([revision])} is not an earlier one.",
            hint=f"Earlier ones: {', '.join(earlier)}." if earlier else "There are no earlier ones.",
        )
    return current
