"""A PostgreSQL server for tests alone: in a temporary folder, reached by a socket, removed at the end."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from itertools import count
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest
from psycopg import sql

from postil.workbench.store.database import open_store
from postil.workbench.store.tables import Base

USER = "postil"
# It need not survive a power cut; but what it calls stored is there after a crash of the server.
_OPTIONS = (
    "-c fsync=off -c full_page_writes=off -c listen_addresses= -c shared_buffers=32MB "
    "-c max_connections=120 -c autovacuum=off"
)
_TEMPLATE = "workbench"
_SEND_AWAY = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s"
_FIRST_NUMBERS = "SELECT setval(seqrelid, 1, false) FROM pg_sequence"


class PostgresServer:
    """A server that runs; every test gets a database with all tables for itself."""

    def __init__(self, programs: Path) -> None:
        self._programs = programs
        self._numbers = count(1)
        self._free: list[str] = []
        # Not below pytest's own folder: nobody else may enter that, and a socket's path must be short.
        self.folder = Path(tempfile.mkdtemp(prefix="postil-pg-"))
        # The server refuses to be root's.
        self._owner = pwd.getpwnam("postgres") if os.geteuid() == 0 else None
        if self._owner:
            os.chown(self.folder, self._owner.pw_uid, self._owner.pw_gid)
        settings = ("--encoding=UTF8", "--locale=C.UTF-8", "--auth=trust", "--no-sync")
        self._run("initdb", *settings, "--username", USER, "--pgdata", self._data)
        self.start()
        self._do(f"CREATE DATABASE {_TEMPLATE}")
        open_store(self.url(_TEMPLATE)).close()

    def url(self, database: str) -> str:
        """The address of a database."""
        return f"postgresql://{USER}@/{database}?host={quote(str(self.folder), safe='')}"

    def lend(self) -> str:
        """A database with all tables and nothing in them; returns its name."""
        if self._free:
            return self._free.pop()
        name = f"test{next(self._numbers)}"
        self._do(f"CREATE DATABASE {name} TEMPLATE {_TEMPLATE}")
        return name

    def take_back(self, name: str) -> None:
        """Empty a database for the next test, whoever is still connected: much faster than making another."""
        self._do(_SEND_AWAY, [name])
        try:
            with psycopg.connect(self.url(name)) as connection:
                for table in reversed(Base.metadata.sorted_tables):
                    connection.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(table.name)))
                connection.execute(_FIRST_NUMBERS)
        except psycopg.Error:  # its tables are not ours any more
            self._do(f"DROP DATABASE {name} WITH (FORCE)")
        else:
            self._free.append(name)

    def start(self) -> None:
        """Start it, and wait until it answers."""
        options = f"-k {self.folder} {_OPTIONS}"
        log = str(self.folder / "log")
        self._run("pg_ctl", "start", "--wait", "--pgdata", self._data, "--log", log, "--options", options)

    def stop(self, mode: str = "fast") -> None:
        """Stop it: `fast` ends what people do, `immediate` is as if it had crashed."""
        self._run("pg_ctl", "stop", "--wait", "--pgdata", self._data, "--mode", mode)

    def remove(self) -> None:
        """Stop it, and leave nothing."""
        self.stop("immediate")
        shutil.rmtree(self.folder)

    @property
    def _data(self) -> str:
        return str(self.folder / "data")

    def _do(self, statement: str, values: list[str] | None = None) -> None:
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(statement, values)

    def _run(self, program: str, *arguments: str) -> None:
        owner = {"user": self._owner.pw_uid, "group": self._owner.pw_gid, "extra_groups": []}
        subprocess.run(
            [self._programs / program, *arguments],
            check=True,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            **(owner if self._owner else {}),
        )


def start_server() -> PostgresServer:
    """Start a server; where PostgreSQL is not installed, tests that need it are skipped, but not in CI."""
    programs = _programs()
    if programs is None:
        leave = pytest.fail if os.environ.get("CI") else pytest.skip
        leave("PostgreSQL's programs (initdb, pg_ctl) are not installed")
    return PostgresServer(programs)


def _programs() -> Path | None:
    """Where initdb and pg_ctl are; Debian keeps them off the path."""
    installed = Path("/usr/lib/postgresql").glob("*/bin")
    newest = sorted(installed, key=lambda path: float(path.parent.name), reverse=True)
    found = [path for path in newest if (path / "initdb").exists()]
    on_path = shutil.which("initdb")
    return found[0] if found else Path(on_path).resolve().parent if on_path else None
