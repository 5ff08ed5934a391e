from __future__ import annotations

import sqlite3
import threading

import pytest
from sqlalchemy import select, text

from postil.errors import InputError, PostilError
from postil.workbench.settings import Settings, default_database
from postil.workbench.store import courses
from postil.workbench.store.database import StoreAwayError, open_store, shown
from postil.workbench.store.tables import CourseRow, now


def test_the_file_is_opened_again_and_keeps_what_it_had(tmp_path):
    path = tmp_path / "new folder" / "workbench.db"
    first = open_store(path)
    courses.create_course(first, "Physics")
    first.close()
    again = open_store(path)
    assert [course.name for course in courses.list_courses(again)] == ["Physics"]
    again.close()
    assert not path.with_name("workbench.db-wal").exists()


def test_only_its_owner_may_read_the_file(tmp_path):
    path = tmp_path / "workbench.db"
    open_store(path).close()
    assert path.stat().st_mode & 0o077 == 0


def test_what_each_connection_is_told(sqlite_store):
    with sqlite_store.engine.connect() as connection:
        told = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout", "secure_delete")
        }
    expected = {"journal_mode": "wal", "synchronous": 1, "foreign_keys": 1, "busy_timeout": 5000}
    assert told == {**expected, "secure_delete": 1}


def test_another_file_is_refused(tmp_path):
    path = tmp_path / "notes.db"
    path.write_text("this is no database at all " * 100)
    with pytest.raises(InputError, match="not the database of a workbench"):
        open_store(path)
    with pytest.raises(InputError, match="not a file"):
        open_store(tmp_path)


def test_a_database_of_a_newer_version_is_refused(new_database):
    database = new_database()
    store = open_store(database)
    with store.engine.begin() as connection:
        before = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(InputError, match="newer version"):
        open_store(database)
    with store.engine.begin() as connection:  # the next test may get the same database
        connection.execute(text("UPDATE alembic_version SET version_num = :before"), {"before": before})
    store.close()


def test_nothing_is_kept_of_a_transaction_that_fails(store):
    def write_and_fail():
        with store.writing() as session:
            session.add(CourseRow(name="x", created=now()))
            session.flush()
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_and_fail()
    assert courses.list_courses(store) == []


def test_readers_do_not_wait_for_a_writer_and_writers_take_turns(store):
    course = courses.create_course(store, "Physics")
    begun, go_on = threading.Event(), threading.Event()

    def write_slowly():
        with store.writing() as session:
            session.connection().exec_driver_sql("UPDATE course SET name = 'Chemistry'")
            begun.set()
            go_on.wait(10)

    slow = threading.Thread(target=write_slowly)
    slow.start()
    assert begun.wait(10)
    assert courses.get_course(store, course).name == "Physics"
    threading.Timer(0.2, go_on.set).start()
    courses.edit_course(store, course, "Biology")  # waits for the other
    slow.join()
    assert courses.get_course(store, course).name == "Biology"


def test_a_busy_file_is_said_in_words(sqlite_store, sqlite_file):
    other = sqlite3.connect(sqlite_file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with sqlite_store.engine.connect() as connection:  # the pool gives the same connection again
        connection.exec_driver_sql("PRAGMA busy_timeout=50")
    with pytest.raises(StoreAwayError, match="cannot be used at the moment"):
        courses.create_course(sqlite_store, "Physics")
    other.close()


def test_deleted_text_is_not_left_in_the_file(sqlite_store, tmp_path):
    course = courses.create_course(sqlite_store, "Physics")
    courses.create_question(sqlite_store, course, "why does quicksilver glisten", ["it does"], 1)
    courses.delete_course(sqlite_store, course)
    assert all(b"quicksilver" not in path.read_bytes() for path in tmp_path.iterdir())


@pytest.mark.parametrize("address", ["sqlite:///x.db", "mysql://me:secret@there/x", "http://there"])
def test_other_kinds_of_database_are_refused(address):
    with pytest.raises(PostilError, match="databases of the kind") as raised:
        open_store(address)
    assert "secret" not in str(raised.value)


def test_a_number_that_no_row_can_have_is_not_there(store):
    for number in (2**31, 2**63, 10**30):
        with pytest.raises(PostilError, match="does not exist"):
            courses.get_course(store, number)


def test_a_text_that_no_database_can_hold_is_not_there(store):
    course = courses.create_course(store, "Phy\0si\ud800cs")
    assert courses.get_course(store, course).name == "Phy\ufffdsi\ufffdcs"
    with pytest.raises(PostilError, match="does not exist"), store.reading() as session:
        session.scalars(select(CourseRow).where(CourseRow.name == "\ud800")).all()


def test_a_nul_is_nowhere_in_a_server(postgres_store):
    with pytest.raises(PostilError, match="does not exist"), postgres_store.reading() as session:
        session.scalars(select(CourseRow).where(CourseRow.name == "\0")).all()


def test_a_file_can_be_named_by_its_path_as_text(tmp_path):
    open_store(str(tmp_path / "workbench.db")).close()
    assert (tmp_path / "workbench.db").is_file()
    assert shown(tmp_path / "workbench.db") == str(tmp_path / "workbench.db")


@pytest.mark.parametrize(
    ("platform", "environment", "end"),
    [
        ("linux", {"XDG_DATA_HOME": "/data"}, "/data/postil/workbench.db"),
        ("linux", {"XDG_DATA_HOME": "data"}, "/.local/share/postil/workbench.db"),
        ("linux", {}, "/.local/share/postil/workbench.db"),
        ("darwin", {}, "/Library/Application Support/Postil/workbench.db"),
        ("win32", {}, "/AppData/Local/Postil/workbench.db"),
    ],
)
def test_where_the_file_lies(platform, environment, end):
    assert default_database(platform, environment).as_posix().endswith(end)


def test_the_workbench_listens_to_this_machine_alone():
    assert Settings().host == "127.0.0.1"
