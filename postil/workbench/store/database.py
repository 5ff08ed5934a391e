"""Open the store's database, a SQLite file or one of a PostgreSQL server, and bring it up to date."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.orm import Session

from postil.errors import InputError, PostilError
from postil.workbench.store import postgres, sqlite
from postil.workbench.store.commits import note_commit
from postil.workbench.store.kinds import Kind, StoreAwayError

__all__ = ["Store", "StoreAwayError", "connect", "forget_deleted", "migrations", "open_store", "shown"]


@dataclass(frozen=True)
class Store:
    """An open database; every function of the store takes one first."""

    engine: Engine
    kind: Kind

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """One transaction that only reads: it sees one moment, and nobody waits for it."""
        with self._in_words(), Session(self._reader) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """One transaction that writes: all of it is stored, or none.

        In a file, writers wait for each other. On a server they do not: who reads and then writes locks the
        course or the question under which it happens before reading (`lock_course`, `lock_question`).
        """
        with self._in_words(), Session(self._writer) as session, session.begin():
            yield session
            session.flush()
            note_commit()

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        try:
            yield
        except PoolTimeoutError as error:
            raise StoreAwayError(
                "the workbench has too much to do.", hint="Try again in a moment."
            ) from error
        except (SQLAlchemyError, OverflowError, UnicodeEncodeError) as error:
            said = self.kind.in_words(error)
            if said is None:
                raise
            raise said from error

    @cached_property
    def _reader(self) -> Engine:
        return self.engine.execution_options(**self.kind.READS)

    @cached_property
    def _writer(self) -> Engine:
        return self.engine.execution_options(**self.kind.WRITES)

    def close(self) -> None:
        """Close all connections; the last one folds a file's log back into the file."""
        self.engine.dispose()


def connect(database: Path | str) -> Store:
    """Open a database as it is, whatever the version of its tables."""
    kind = _kind(database)
    return Store(kind.make_engine(database), kind)


def open_store(database: Path | str) -> Store:
    """Open a file, made if it is not there, or "postgresql://user@host/name"; bring its tables up to date."""
    store = connect(database)
    try:
        with store._writer.begin() as connection:
            store.kind.before_upgrade(connection)
            command.upgrade(migrations(connection), "head")
    except CommandError as error:
        store.close()
        raise InputError(
            shown(database), "was made by a newer version of Postil.", hint="Install that version to open it."
        ) from error
    except SQLAlchemyError as error:
        store.close()
        raise store.kind.why_closed(database, store.engine, error) from error
    except PostilError:
        store.close()
        raise
    return store


def shown(database: Path | str) -> str:
    """What to call a database when talking to people: never with a password."""
    return postgres.shown(str(database)) if _kind(database) is postgres else str(database)


def forget_deleted(store: Store) -> None:
    """Leave nothing of what was deleted, as far as this can be done at once; it is deleted in any case."""
    with suppress(PostilError), store._in_words():
        store.kind.forget_deleted(store.engine)


def migrations(connection: Connection) -> Config:
    """What alembic has to know to change the tables over a connection, in its transaction."""
    config = Config()
    config.set_main_option("script_location", "postil.workbench.store:migrations")
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


def _kind(database: Path | str) -> Kind:
    scheme, slashes, _ = str(database).partition("://")
    if isinstance(database, Path) or not slashes:
        return sqlite
    if scheme in postgres.SCHEMES:
        return postgres
    raise PostilError(
        f"there is no database of the kind {scheme[:20]!r}.",
        hint="Name a file, or a PostgreSQL database as in postgresql://user@host/name",
    )
