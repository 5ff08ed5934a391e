"""`postil database`: back up, restore, look, go up and down."""

from __future__ import annotations

import sqlite3
import sys

import pytest

from postil.workbench.store import accounts, courses
from postil.workbench.store.database import newest, open_store


@pytest.fixture
def database(tmp_path):
    """A file with a course and an account."""
    path = tmp_path / "workbench.db"
    store = open_store(path)
    courses.create_course(store, "Physics", accounts.create_account(store, "teo", "Teo", "teacher", None))
    store.close()
    return path


def test_a_backup_is_made_and_restored(postil, database, tmp_path):
    file, new = tmp_path / "b.zip", tmp_path / "new.db"
    status, out, told = postil("database", "backup", file, "--database", database)
    assert (status, out) == (0, "")
    assert told.startswith(f"Wrote 2 rows to {file} (0.0 MB).")
    status, out, told = postil("database", "restore", file, "--database", new)
    assert (status, out) == (0, "")
    assert told.startswith("Restored 2 rows, as of ")
    status, _, told = postil("database", "restore", file, "--database", new)
    assert status == 2
    assert "already exists" in told
    store = open_store(new)
    assert [course.name for course in courses.list_courses(store)] == ["Physics"]
    store.close()


def test_the_database_can_be_named_in_the_environment(postil, database, monkeypatch):
    monkeypatch.setenv("POSTIL_DATABASE", str(database))
    status, out, _ = postil("database", "status")
    assert status == 0
    assert str(database) in out


def test_it_says_how_much_is_in_it(postil, database):
    status, out, _ = postil("database", "status", "--database", database)
    assert status == 0
    lines = out.splitlines()
    assert lines[0] == f"SQLite file: {database}"
    assert lines[1] == f"revision: {newest()}"
    rows = dict(line.split() for line in lines[3:])
    assert (rows["course"], rows["account"], rows["answer"]) == ("1", "1", "0")


def test_back_to_before_there_were_accounts_and_up_again(postil, database):
    older = "0002"
    status, _, told = postil("database", "downgrade", older, "--database", database)
    assert status == 2
    assert "deletes account (1 row), course.owner_id (1 value)." in told
    assert "--yes" in told
    _, out, _ = postil("database", "status", "--database", database)
    assert f"revision: {newest()}\n" in out
    status, _, told = postil("database", "downgrade", older, "--yes", "--database", database)
    assert status == 0
    assert f"is now at revision {older}" in told
    _, out, _ = postil("database", "status", "--database", database)
    assert f"revision: {older} (newest known: {newest()}; `postil database upgrade`)" in out
    assert b"Teo" not in database.read_bytes()
    status, _, told = postil("database", "upgrade", "--database", database)
    assert f"was at {older}, and is now up to date: revision {newest()}." in told
    status, _, told = postil("database", "upgrade", "--database", database)
    assert (status, told) == (0, f"The database is up to date: revision {newest()}.\n")


@pytest.mark.parametrize("verb", [("status",), ("upgrade",), ("backup", "b.zip"), ("downgrade", "0001")])
def test_what_is_not_there_is_not_made(postil, tmp_path, monkeypatch, verb):
    monkeypatch.chdir(tmp_path)
    status, _, told = postil("database", *verb, "--database", "none.db")
    assert status == 2
    assert "none.db: does not exist." in told
    assert list(tmp_path.iterdir()) == []


def test_a_database_of_a_newer_version(postil, database, tmp_path):
    connection = sqlite3.connect(database)
    connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.commit()
    connection.close()
    for verb in (("status",), ("upgrade",), ("backup", tmp_path / "b.zip"), ("downgrade", "0001")):
        status, _, told = postil("database", *verb, "--database", database)
        assert status == 2
        assert "'9999' is unknown" in told


def test_a_password_is_never_shown(postil, tmp_path):
    address = f"postgresql://teo:geheim@/none?host={tmp_path}"
    for verb in (("status",), ("restore", tmp_path / "b.zip")):
        status, out, told = postil("database", *verb, "--database", address)
        assert status == 2
        assert "geheim" not in out + told


def test_other_kinds_of_database_are_refused(postil):
    status, _, told = postil("database", "status", "--database", "mysql://me@here/x")
    assert status == 2
    assert "databases of the kind 'mysql' are not supported" in told


def test_without_the_packages_it_says_what_to_install(postil, database, monkeypatch):
    monkeypatch.setitem(sys.modules, "alembic", None)
    for name in [name for name in sys.modules if name.startswith("postil.workbench.store")]:
        monkeypatch.delitem(sys.modules, name)
    status, _, told = postil("database", "status", "--database", database)
    assert status == 2
    assert "pip install 'postil[serve]'" in told
