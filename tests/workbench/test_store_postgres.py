"""What only a PostgreSQL server has: addresses, passwords, rights, and servers that are away."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import psycopg
import pytest
from sqlalchemy import update

from postil.errors import InputError, PostilError
from postil.workbench.store import courses
from postil.workbench.store.courses import lock_course
from postil.workbench.store.database import StoreAwayError, open_store, shown
from postil.workbench.store.tables import CourseRow, now

SECRET = "correct-horse"  # noqa: S105 - made up


@pytest.fixture
def own_database(postgres):
    """A function that makes a database with these options, and nothing in it; returns its address."""
    made = []

    def make(options=""):
        made.append(f"own{len(made)}")
        _do(postgres.url("postgres"), f"CREATE DATABASE {made[-1]} TEMPLATE template0 {options}")
        return postgres.url(made[-1])

    yield make
    for name in made:
        _do(postgres.url("postgres"), f"DROP DATABASE {name} WITH (FORCE)")


def _do(address, *statements):
    with psycopg.connect(address, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement)


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("postgresql://me@there/postil", "postgresql://me@there/postil"),
        (f"postgres://me:{SECRET}@there:5433/postil", "postgresql://me@there:5433/postil"),
        (f"postgresql://there/postil?user=me&password={SECRET}", "postgresql://there/postil"),
    ],
)
def test_an_address_is_shown_without_the_password(address, expected):
    assert shown(address) == expected


def test_an_address_that_is_none_is_not_repeated():
    with pytest.raises(PostilError, match="not the address of a database") as raised:
        open_store(f"postgresql://me:{SECRET}@there:fifty/postil")
    assert SECRET not in str(raised.value)


def test_an_address_with_an_option_that_nobody_knows(postgres):
    with pytest.raises(
        InputError, match='the address cannot be understood: invalid connection option "colour"'
    ):
        open_store(postgres.url("workbench") + "&colour=green")


@pytest.mark.parametrize("host", ["127.0.0.1:1", "%2Fnowhere"])
def test_a_server_that_does_not_answer(host):
    with pytest.raises(StoreAwayError, match=r"does not answer. Is it running") as raised:
        open_store(f"postgresql://me:{SECRET}@{host}/postil")
    assert SECRET not in str(raised.value)


def test_a_database_that_is_not_there_and_a_user_who_is_not_known(postgres):
    with pytest.raises(InputError, match=r'refused the connection: database "none" does not exist\. Check'):
        open_store(postgres.url("none"))
    stranger = postgres.url("workbench").replace("//postil@", f"//stranger:{SECRET}@")
    with pytest.raises(InputError, match=r'refused the connection: role "stranger" does not exist') as raised:
        open_store(stranger)
    assert SECRET not in str(raised.value)


def test_a_user_without_rights(postgres, own_database):
    address = own_database()
    _do(address, "CREATE ROLE guest LOGIN")
    try:
        with pytest.raises(InputError, match="not allowed to create tables"):
            open_store(address.replace("//postil@", "//guest@"))
    finally:
        _do(address, "DROP ROLE guest")


def test_tables_of_something_else(own_database):
    address = own_database()
    _do(address, "CREATE TABLE notes (id int)")
    open_store(address).close()  # beside ours they may stay
    other = own_database()
    _do(other, "CREATE TABLE course (id int)")
    with pytest.raises(InputError, match="tables of another program"):
        open_store(other)


def test_a_database_without_unicode(own_database):
    address = own_database("ENCODING 'LATIN1' LOCALE 'C'")
    with pytest.raises(PostilError, match=r"as LATIN1, and Postil needs UTF8. Create one with"):
        open_store(address)


def test_servers_that_start_together_make_the_tables_once(own_database):
    address = own_database()
    with ThreadPoolExecutor(4) as pool:
        opened = list(pool.map(lambda _: open_store(address), range(4)))
    courses.create_course(opened[0], "Physics")
    assert all(len(courses.list_courses(store)) == 1 for store in opened)
    for store in opened:
        store.close()


def test_who_reads_sees_one_moment_and_cannot_write(postgres_store):
    with postgres_store.reading() as session:
        connection = session.connection()
        assert connection.exec_driver_sql("SELECT count(*) FROM course").scalar() == 0
        courses.create_course(postgres_store, "Physics")
        assert connection.exec_driver_sql("SELECT count(*) FROM course").scalar() == 0
        assert connection.exec_driver_sql("SHOW transaction_read_only").scalar() == "on"
        assert connection.exec_driver_sql("SHOW timezone").scalar() == "UTC"
        assert connection.exec_driver_sql("SHOW lock_timeout").scalar() == "10s"
        assert connection.exec_driver_sql("SHOW idle_in_transaction_session_timeout").scalar() == "30s"
    with postgres_store.writing() as session:
        connection = session.connection()
        assert connection.exec_driver_sql("SHOW transaction_isolation").scalar() == "read committed"
        assert connection.exec_driver_sql("SHOW transaction_read_only").scalar() == "off"


def test_an_error_does_not_repeat_what_was_to_be_stored(postgres_store):
    def store_nonsense():
        with postgres_store.writing() as session:
            session.add(CourseRow(name="quicksilver", created=None))

    with pytest.raises(Exception, match="not-null") as raised:
        store_nonsense()
    error = raised.value
    assert "quicksilver" not in f"{error} {error!r} {error.orig} {error.orig!r} {error.__cause__!r}"


def test_people_who_wait_for_each_other_are_told(postgres_store):
    first, second = (courses.create_course(postgres_store, name) for name in ("Physics", "Chemistry"))

    met = Barrier(2)

    def rename_both(ids):
        with postgres_store.writing() as session:
            session.execute(update(CourseRow).where(CourseRow.id == ids[0]).values(name="x"))
            met.wait(10)
            session.execute(update(CourseRow).where(CourseRow.id == ids[1]).values(name="x"))

    def attempt(ids):
        try:
            rename_both(ids)
        except StoreAwayError as error:
            return str(error)
        return ""

    with ThreadPoolExecutor(2) as pool:
        said = sorted(pool.map(attempt, [(first, second), (second, first)]))
    assert said[0] == ""
    assert said[1].startswith("somebody else is changing the same thing right now; nothing was stored.")


def test_who_stops_in_the_middle_of_writing_does_not_hold_up_others_for_long(postgres_url):
    impatient = "&options=-c%20idle_in_transaction_session_timeout%3D100ms"
    store = open_store(postgres_url + impatient)
    course = courses.create_course(store, "Physics")

    def stand_still():
        with store.writing() as session:
            lock_course(session, course).name = "Chemistry"
            session.flush()
            time.sleep(0.5)

    with pytest.raises(StoreAwayError, match="cannot be reached at the moment"):
        stand_still()
    courses.edit_course(store, course, "Biology")
    assert courses.get_course(store, course).name == "Biology"
    store.close()


def test_a_store_finds_its_server_again(postgres, postgres_store):
    courses.create_course(postgres_store, "Physics")
    postgres.stop("immediate")
    with pytest.raises(StoreAwayError, match="cannot be reached at the moment"):
        courses.list_courses(postgres_store)
    with pytest.raises(StoreAwayError, match="cannot be reached at the moment"):
        courses.create_course(postgres_store, "Chemistry")
    postgres.start()
    assert [course.name for course in courses.list_courses(postgres_store)] == ["Physics"]


def test_a_server_that_stops_in_the_middle_of_writing(postgres, postgres_store):
    def write():
        with postgres_store.writing() as session:
            session.add(CourseRow(name="half", created=now()))
            session.flush()
            postgres.stop("immediate")

    try:
        with pytest.raises(StoreAwayError):
            write()
    finally:
        postgres.start()
    assert courses.list_courses(postgres_store) == []
