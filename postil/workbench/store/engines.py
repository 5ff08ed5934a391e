"""The databases that can hold the store: a SQLite file, or a PostgreSQL database that servers share."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from shutil import disk_usage
from typing import Any, ClassVar

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.exc import ArgumentError, DataError, DBAPIError, OperationalError, ProgrammingError

from postil.errors import InputError, PostilError

# An error that repeats what was being stored would put pupils' text into a log. Ten connections are kept,
# and ten more are opened while there is a lot to do.
_ENGINE: dict[str, Any] = {"hide_parameters": True, "pool_size": 10, "max_overflow": 10}


class StoreAwayError(PostilError):
    """The database cannot be asked now but may be soon: it is away, or busy with others."""


class StoreFullError(StoreAwayError):
    """The disk is full: what is stored can be read, and nothing can be added until there is room."""

    def __init__(self) -> None:
        super().__init__(
            "the disk of the computer that runs Postil is full, so this could not be stored.",
            hint="What is stored is safe. Make room there, or ask whoever looks after it; then try again.",
        )


class Kind:
    """What each kind of database does in its own way."""

    reads: ClassVar[dict[str, object]] = {}  # options of a transaction that only reads
    writes: ClassVar[dict[str, object]] = {}  # options of a transaction that writes
    engine: Engine
    _unholdable: ClassVar[tuple[type[Exception], ...]] = (OverflowError, UnicodeEncodeError)

    def __init__(self, database: Path | str) -> None:
        """Prepare connections to the database, which need not be reached yet."""
        raise NotImplementedError

    @staticmethod
    def shown(database: Path | str) -> str:
        """What to call a database when talking to people: never with a password."""
        return str(database)

    def before_upgrade(self, connection: Connection) -> None:
        """Let one program at a time change the tables."""

    def why_closed(self, error: Exception) -> PostilError:
        """Say why the database could not be opened."""
        raise NotImplementedError

    def in_words(self, error: Exception) -> PostilError | None:
        """Say what went wrong in a transaction; None for a bug."""
        if isinstance(error, self._unholdable):  # nothing that is stored has such a number or text
            return PostilError("this does not exist.", hint="The address may have been changed by hand.")
        return None

    def forget_deleted(self) -> None:
        """Remove traces of deleted data, as far as that is possible at once."""


class SqliteFile(Kind):
    """A file, safe to write while others read."""

    _WRITES = "postil_writes"
    writes: ClassVar[dict[str, object]] = {_WRITES: True}
    # WAL lets pages read while a job writes; secure_delete overwrites what is deleted: it was pupils' text.
    _PRAGMAS: ClassVar = {
        "busy_timeout": "5000",
        "journal_mode": "WAL",
        "synchronous": "NORMAL",
        "foreign_keys": "ON",
        "secure_delete": "ON",
    }
    _BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
    _UNUSABLE = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)
    _ROOM = 2**17  # bytes; with less, the file's log and index cannot even be opened

    def __init__(self, database: Path | str) -> None:
        """Prepare connections to a file, which is made where there is none."""
        self._path = Path(database)
        try:
            if not self._path.exists():  # only its owner may read a class's answers
                self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                self._path.touch(mode=0o600)
            elif not self._path.is_file():
                raise InputError(database, "is not a file.", hint="Name another with --database.")
        except OSError as error:
            raise InputError(database, f"cannot be created: {error.strerror or error}.") from error
        self.engine = create_engine(URL.create("sqlite+pysqlite", database=str(database)), **_ENGINE)
        event.listen(self.engine, "connect", self._set_up)
        event.listen(self.engine, "begin", self._begin)

    def why_closed(self, error: Exception) -> PostilError:
        """Say that the file belongs to another program or is broken, or that the disk is full."""
        message = self.in_words(error)
        if isinstance(message, StoreFullError):
            return message
        what = "is not the database of a workbench, or is damaged."
        return InputError(self._path, what, hint="Name another with --database.")

    def in_words(self, error: Exception) -> PostilError | None:
        """Say that the file cannot be used, or cannot hold what it was asked for."""
        code = 0
        if isinstance(error, OperationalError):
            code = getattr(error.orig, "sqlite_errorcode", 0) & 0xFF  # the rest says more precisely where
        if code == sqlite3.SQLITE_FULL or (code in self._UNUSABLE and self._is_full()):
            return StoreFullError()
        if code not in (*self._BUSY, *self._UNUSABLE):
            return super().in_words(error)
        kind = StoreAwayError if code in self._BUSY else PostilError
        return kind(
            "the workbench's database file cannot be used at the moment.",
            hint="Is another program using the file? Try again in a moment.",
        )

    def _is_full(self) -> bool:
        try:
            return disk_usage(self._path.parent).free < self._ROOM
        except OSError:
            return False

    def forget_deleted(self) -> None:
        """Empty the write-ahead log, in which deleted text would stay for a while."""
        with self.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")

    def _set_up(self, connection: sqlite3.Connection, _: object) -> None:
        connection.isolation_level = None  # transactions begin where `_begin` says, and nowhere else
        for name, value in self._PRAGMAS.items():
            connection.execute(f"PRAGMA {name}={value}")
        # SQLite's own `lower` knows only the letters of English.
        connection.create_function("lower", 1, _lower, deterministic=True)

    def _begin(self, connection: Connection) -> None:
        # A transaction that begins by reading and then writes can fail at once instead of waiting its turn.
        writes = connection.get_execution_options().get(self._WRITES)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _lower(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value


class PostgresDatabase(Kind):
    """A database of a PostgreSQL server, by an address such as postgresql://user@host/name."""

    schemes = ("postgresql", "postgres")
    # A reader sees one moment; a writer sees what others have stored by then, and locks what it works under.
    reads: ClassVar[dict[str, object]] = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
    writes: ClassVar[dict[str, object]] = {"isolation_level": "READ COMMITTED"}
    # Defaults that the address can override. Nobody waits for ever: neither for a server that does not
    # answer, nor for somebody who stopped in the middle of a transaction.
    _DEFAULTS: ClassVar = {
        "application_name": "postil",
        "connect_timeout": "5",
        "keepalives_idle": "30",
        "tcp_user_timeout": "30000",
        "options": "-c timezone=UTC -c lock_timeout=10s -c idle_in_transaction_session_timeout=30s",
    }
    _unholdable = (*Kind._unholdable, DataError)
    _MIGRATING = 7_057_110  # any number, the same in all versions: whoever locks it may change the tables
    _FULL = "53100"
    _CLASHES = ("40001", "40P01", "55P03")  # no serial order, deadlock, lock not available
    # By the first letters of SQLSTATE: connection, resources, operator, read-only, idle for too long.
    _AWAY = ("08", "53", "57", "25006", "25P03")

    def __init__(self, database: Path | str) -> None:
        """Prepare connections to the database at an address."""
        self._name = self.shown(database)
        self.engine = create_engine(self._url(database), pool_pre_ping=True, **_ENGINE)
        event.listen(self.engine, "handle_error", _hide_rows)

    @staticmethod
    def shown(database: Path | str) -> str:
        """The address without the password, and without options, which may hold another."""
        url = PostgresDatabase._url(database)
        bare = URL.create("postgresql", url.username, None, url.host, url.port, url.database)
        return bare.render_as_string()

    def before_upgrade(self, connection: Connection) -> None:
        """Wait until no other server changes the tables; what is stored must be Unicode."""
        connection.exec_driver_sql("SET LOCAL lock_timeout = 0")
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({self._MIGRATING})")
        encoding = connection.exec_driver_sql("SHOW server_encoding").scalar()
        if encoding != "UTF8":
            what = f"the database stores text as {encoding}, and Postil needs UTF8."
            raise PostilError(what, hint="Create one with: createdb --encoding UTF8")

    def why_closed(self, error: Exception) -> PostilError:
        """Say why a database cannot be opened; never with the password of its address."""
        name, state = self._name, getattr(getattr(error, "orig", None), "sqlstate", None)
        if isinstance(error, OperationalError) and not state:
            if not self._answers():
                what = f"the database server of {name} does not answer."
                return StoreAwayError(what, hint="Is it running, and are the host and port correct?")
            reason = str(error.orig).partition("FATAL:")[2].partition("\n")[0].strip()
            return InputError(
                name,
                f"the database server refused the connection: {reason or 'no reason given'}.",
                hint="Check the user, the password and the name of the database in the address.",
            )
        if state == "42501":
            what = "this user is not allowed to create tables there."
            return InputError(name, what, hint="Make the user the owner of the database.")
        if isinstance(error, ProgrammingError) and not state:
            return InputError(name, f"the address cannot be understood: {error.orig}.")
        if isinstance(error, ProgrammingError):
            what = "holds tables of another program, or is damaged."
            return InputError(name, what, hint="Create a database for Postil alone.")
        return self.in_words(error) or InputError(name, "cannot be used.")

    def in_words(self, error: Exception) -> PostilError | None:
        """Say that the database is away or busy, or cannot hold what it was asked for."""
        if not isinstance(error, DBAPIError) or isinstance(error, self._unholdable):
            return super().in_words(error)
        state = getattr(error.orig, "sqlstate", None)
        if state == self._FULL:
            return StoreFullError()
        if state in self._CLASHES:
            what = "somebody else is changing the same thing right now; nothing was stored."
            return StoreAwayError(what, hint="Try again.")
        lost = isinstance(error, OperationalError) and state is None
        if lost or error.connection_invalidated or (state or "").startswith(self._AWAY):
            what = "the database cannot be reached at the moment."
            return StoreAwayError(what, hint="What is stored is safe. Try again in a moment.")
        return None

    @staticmethod
    def _url(database: Path | str) -> URL:
        try:
            url = make_url(str(database))
        except (ArgumentError, ValueError):
            # Not repeated: it may hold a password.
            what = "this is not the address of a database."
            raise PostilError(what, hint="It should look like postgresql://user@host/name") from None
        return url.set(drivername="postgresql+psycopg", query={**PostgresDatabase._DEFAULTS, **url.query})

    def _answers(self) -> bool:
        """Whether there is a server that could let somebody in."""
        from psycopg import pq
        from psycopg.conninfo import make_conninfo

        _, arguments = self.engine.dialect.create_connect_args(self.engine.url)
        known = {name: str(value) for name, value in arguments.items() if isinstance(value, str | int)}
        return pq.PGconn.ping(make_conninfo("", **known).encode()) == pq.Ping.OK


def _hide_rows(context: ExceptionContext) -> None:
    """Keep only the first line of an error: those after it can repeat the row that was to be stored."""
    for error in (context.original_exception, context.sqlalchemy_exception):
        if error is not None and error.args:
            error.args = (str(error.args[0]).partition("\n")[0], *error.args[1:])
