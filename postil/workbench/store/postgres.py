"""The store in a PostgreSQL database, which several servers can share."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.exc import ArgumentError, DataError, DBAPIError, OperationalError, ProgrammingError

from postil.errors import InputError, PostilError
from postil.workbench.store.kinds import POOL, StoreAwayError, not_there

SCHEMES = ("postgresql", "postgres")
# A reader sees one moment; a writer sees what others have stored by then, and locks what it works under.
READS: dict[str, object] = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
WRITES: dict[str, object] = {"isolation_level": "READ COMMITTED"}
# What the address may say otherwise. Nobody waits for ever: neither for a server that does not answer, nor
# for somebody who stopped in the middle of a transaction.
_USUAL = {
    "application_name": "postil",
    "connect_timeout": "5",
    "keepalives_idle": "30",
    "tcp_user_timeout": "30000",
    "options": "-c timezone=UTC -c lock_timeout=10s -c idle_in_transaction_session_timeout=30s",
}
_MIGRATING = 7_057_110  # any number, the same in all versions: who has it may change the tables
_CLASHES = ("40001", "40P01", "55P03")  # no serial order, deadlock, lock not to be had
# By the first letters of SQLSTATE: connection, resources, operator, not to be written, idle for too long.
_AWAY = ("08", "53", "57", "25006", "25P03")


def make_engine(database: Path | str) -> Engine:
    """Prepare connections to the database at an address."""
    engine = create_engine(
        _url(str(database)),
        hide_parameters=True,  # as in `sqlite`
        pool_pre_ping=True,
        pool_size=POOL,
        max_overflow=POOL,
    )
    event.listen(engine, "handle_error", _hide_rows)
    return engine


def shown(database: str) -> str:
    """The address of a database for people to read: without the password, and what may hold another."""
    url = _url(database)
    return URL.create(SCHEMES[0], url.username, None, url.host, url.port, url.database).render_as_string()


def before_upgrade(connection: Connection) -> None:
    """Wait until no other server changes the tables; what is stored must be Unicode."""
    connection.exec_driver_sql("SET LOCAL lock_timeout = 0")
    connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_MIGRATING})")
    encoding = connection.exec_driver_sql("SHOW server_encoding").scalar()
    if encoding != "UTF8":
        raise PostilError(
            f"the database stores its texts as {encoding}.", hint="Make one with: createdb --encoding UTF8"
        )


def why_closed(database: Path | str, engine: Engine, error: Exception) -> PostilError:
    """Say in words why a database cannot be opened; never with the password of its address."""
    name, state = shown(str(database)), getattr(getattr(error, "orig", None), "sqlstate", None)
    if isinstance(error, OperationalError) and not state:
        if not _answers(engine):
            return StoreAwayError(
                f"the database server of {name} does not answer.",
                hint="Is it running, and are host and port right?",
            )
        reason = str(error.orig).partition("FATAL:")[2].partition("\n")[0].strip()
        return InputError(
            name,
            f"the database server refuses: {reason or 'no reason given'}.",
            hint="Check the user, the password and the name of the database in the address.",
        )
    if state == "42501":
        return InputError(
            name, "this user may not make tables there.", hint="Make the user the owner of the database."
        )
    if isinstance(error, ProgrammingError) and not state:
        return InputError(name, f"the address is not understood: {error.orig}.")
    if isinstance(error, ProgrammingError):
        return InputError(
            name,
            "holds tables of something else, or is damaged.",
            hint="Make a database for Postil alone.",
        )
    return in_words(error) or InputError(name, "cannot be used.")


def in_words(error: Exception) -> PostilError | None:
    """Say in words that the database is away or busy, or that it cannot hold what it was asked for."""
    if isinstance(error, DataError | OverflowError | UnicodeEncodeError):
        return not_there()
    if not isinstance(error, DBAPIError):
        return None
    state = getattr(error.orig, "sqlstate", None)
    if state in _CLASHES:
        return StoreAwayError(
            "somebody else is changing the same at this moment; nothing was stored.", hint="Try again."
        )
    lost = isinstance(error, OperationalError) and state is None
    if lost or error.connection_invalidated or (state or "").startswith(_AWAY):
        return StoreAwayError(
            "the database cannot be reached now.", hint="What is stored is safe. Try again in a moment."
        )
    return None


def forget_deleted(engine: Engine) -> None:
    """Nothing: the server cleans up by itself after a while."""


def _url(database: str) -> URL:
    try:
        url = make_url(database)
    except (ArgumentError, ValueError):
        # Not repeated: it may hold a password.
        raise PostilError(
            "this is not the address of a database.", hint="One looks like postgresql://user@host/name"
        ) from None
    return url.set(drivername="postgresql+psycopg", query={**_USUAL, **url.query})


def _answers(engine: Engine) -> bool:
    """Whether there is a server that could let somebody in."""
    from psycopg import pq
    from psycopg.conninfo import make_conninfo

    _, arguments = engine.dialect.create_connect_args(engine.url)
    known = {name: str(value) for name, value in arguments.items() if isinstance(value, str | int)}
    return pq.PGconn.ping(make_conninfo("", **known).encode()) == pq.Ping.OK


def _hide_rows(context: ExceptionContext) -> None:
    """Keep only the first line of an error: those after it can repeat the row that was to be stored."""
    for error in (context.original_exception, context.sqlalchemy_exception):
        if error is not None and error.args:
            error.args = (str(error.args[0]).partition("\n")[0], *error.args[1:])
