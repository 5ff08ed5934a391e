"""Guessing passwords: whoever guesses has to wait, and cannot make anybody else wait."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import select, update
from starlette.requests import Request
from webclient import PASSWORD, let_in, make_account, stranger

from postil.workbench.app import create_app
from postil.workbench.settings import Settings
from postil.workbench.store import accounts, logins
from postil.workbench.store.logins import Attempt
from postil.workbench.store.tables import AttemptRow

SCHOOL, HOME, ELSEWHERE = "192.0.2.1", "198.51.100.7", "203.0.113.9"
KNOWN = "postil-8400-known"


@pytest.fixture
def ane(store):
    return make_account(store, "ane")


@pytest.fixture
def bea(store):
    return make_account(store, "bea")


@pytest.fixture
def app(store, tmp_path):
    return create_app(Settings(tmp_path / "workbench.db", local=False), store)


def log_in(client, login="ane", password=PASSWORD):
    return client.post("/login", data={"login": login, "password": password}, follow_redirects=False)


def fail(store, login, address, times=1, mark=""):
    for _ in range(times):
        logins.count_failure(store, Attempt(login, address, mark))


def wait(store, login, address, mark=""):
    return round(logins.wait_before(store, Attempt(login, address, mark)))


def test_after_five_failures_a_login_waits_ever_longer_at_the_same_address(store):
    waits = []
    for _ in range(10):
        fail(store, "Ane", SCHOOL)
        waits.append(wait(store, "ane", SCHOOL))
    assert waits == [0, 0, 0, 0, 30, 60, 120, 240, 480, 900]
    assert wait(store, "bea", SCHOOL) == 0
    assert wait(store, "ane", HOME) == 0
    logins.forgive(store, Attempt("ane", SCHOOL))
    assert wait(store, "ane", SCHOOL) == 0


def test_an_address_waits_after_fifty_failures_with_many_logins_and_is_not_forgiven(store):
    """Somebody tries one common password with everybody's login."""
    for number in range(50):
        assert wait(store, "zoe", SCHOOL) == 0
        fail(store, f"name{number}", SCHOOL)
    assert wait(store, "zoe", SCHOOL) == 30
    logins.forgive(store, Attempt("zoe", SCHOOL))
    assert wait(store, "zoe", SCHOOL) == 30
    assert wait(store, "zoe", HOME) == 0


def test_a_login_waits_after_fifty_failures_from_many_addresses(store):
    """Somebody tries many passwords with one login, from rented computers everywhere."""
    for number in range(50):
        assert wait(store, "ane", HOME) == 0
        fail(store, "ane", f"203.0.113.{number}")
    assert wait(store, "ane", HOME) == 30
    assert wait(store, "bea", HOME) == 0


def test_failures_are_forgotten_after_a_quarter_of_an_hour(store):
    fail(store, "ane", SCHOOL, 8)
    with store.writing() as session:
        session.execute(
            update(AttemptRow).values(
                at=session.scalars(select(AttemptRow.at)).first() - timedelta(minutes=16)
            )
        )
    assert wait(store, "ane", SCHOOL) == 0
    fail(store, "zoe", HOME)
    with store.reading() as session:
        assert len(session.scalars(select(AttemptRow)).all()) == 3


def test_a_stranger_does_not_lock_a_teacher_out(app, ane):
    teacher = stranger(app, HOME)
    thief = stranger(app, ELSEWHERE)
    for number in range(5):
        assert log_in(thief, password=f"guess number {number}").status_code == 403
    assert log_in(thief).status_code == 429
    assert log_in(teacher).status_code == 303


def test_in_a_known_browser_nobody_waits_for_what_strangers_do(app, store, ane):
    """Not for a pupil who guesses at the same school's address, nor for guesses from everywhere."""
    teacher = stranger(app, SCHOOL)
    assert log_in(teacher).status_code == 303
    teacher.cookies.delete("postil-8400")
    fail(store, "ane", SCHOOL, 6)
    for number in range(60):
        fail(store, "ane", f"203.0.113.{number}")
        fail(store, f"pupil{number}", SCHOOL)
    for address in (SCHOOL, HOME):
        assert log_in(stranger(app, address)).status_code == 429
    assert log_in(teacher).status_code == 303


def test_whoever_guesses_in_a_known_browser_waits_there(app, store, ane):
    browser = stranger(app, SCHOOL)
    log_in(browser)
    browser.cookies.delete("postil-8400")
    for number in range(5):
        assert log_in(browser, password=f"guess number {number}").status_code == 403
    assert log_in(browser).status_code == 429
    assert log_in(stranger(app, SCHOOL)).status_code == 303


def test_somebody_elses_mark_is_worth_nothing(app, store, ane, bea):
    thief = stranger(app, ELSEWHERE)
    assert log_in(thief, "bea").status_code == 303
    thief.cookies.delete("postil-8400")
    mark = thief.cookies[KNOWN]
    assert logins.find_mark(store, "bea", mark) == mark
    assert logins.find_mark(store, "ane", mark) == ""
    for number in range(5):
        log_in(thief, "ane", f"guess number {number}")
    assert log_in(thief, "ane").status_code == 429


@pytest.mark.parametrize(
    "forged",
    ["x", "x.y", "1.x.y", "~~~~~~~~~", "..", "é.ü.", "²..", "1" * 3000 + ".a.b", "{mark}x", "1{mark}"],
)
def test_a_forged_mark_is_worth_nothing(store, ane, forged):
    mark = logins.add_mark(store, ane.id, "")
    assert logins.find_mark(store, "ane", forged.format(mark=mark)) == ""
    assert logins.find_any_mark(store, forged.format(mark=mark)) == ""
    assert logins.find_any_mark(store, mark) == mark
    assert logins.find_mark(store, "nobody", mark) == ""


def test_people_who_share_a_browser_are_all_known_there(store, ane, bea):
    marks = ""
    for person in (ane, bea, ane):
        marks = logins.add_mark(store, person.id, marks)
    assert marks.count("~") == 1
    assert logins.find_mark(store, "ane", marks)
    assert logins.find_mark(store, "bea", marks)
    for number in range(10):
        marks = logins.add_mark(store, make_account(store, f"teacher{number}").id, marks)
    assert marks.count("~") == 7
    assert not logins.find_mark(store, "ane", marks)


def test_a_mark_ends_with_the_password_and_the_account(store, ane, bea):
    marks = logins.add_mark(store, bea.id, logins.add_mark(store, ane.id, ""))
    logins.change_password(store, ane.id, "quite another password")
    assert logins.find_mark(store, "ane", marks) == ""
    make_account(store, "olga", "owner")
    accounts.close_account(store, bea.id, None)
    assert logins.find_mark(store, "bea", marks) == ""


@pytest.mark.parametrize(
    ("address", "cookie"),
    [("", "postil-8400-known="), ("https://postil.example.org", "__Host-postil-known=")],
)
def test_scripts_and_other_sites_do_not_get_the_mark(store, tmp_path, ane, address, cookie):
    app = create_app(Settings(tmp_path / "workbench.db", local=False, address=address), store)
    (header,) = (
        header for header in log_in(stranger(app)).headers.get_list("set-cookie") if header.startswith(cookie)
    )
    rules = header.lower().split("; ")
    assert {"httponly", "samesite=lax", "path=/", f"max-age={365 * 24 * 3600}"} <= set(rules)
    assert ("secure" in rules) == bool(address)


def test_a_whole_network_of_ipv6_addresses_is_one(app, ane):
    for number in range(5):
        log_in(stranger(app, f"2001:db8:1:2::{number}"), password=f"guess number {number}")
    assert log_in(stranger(app, "2001:db8:1:2:ffff::9")).status_code == 429
    assert log_in(stranger(app, "2001:db8:1:3::9")).status_code == 303


def test_strangers_do_not_keep_anybody_from_changing_the_password(app, store, ane):
    client = let_in(app, "ane")
    fail(store, "ane", "testclient", 60)
    new = "quite another password"
    changed = client.post("/account/password", data={"current": PASSWORD, "new": new, "again": new})
    assert "Your password has been changed." in changed.text
    assert logins.find_mark(store, "ane", client.cookies[KNOWN])


def test_a_school_behind_one_address_gets_in(app, store):
    """A whole school opens its pages at the bell, and then thirty teachers log in."""
    teachers = [make_account(store, f"teacher{number}").login for number in range(30)]
    page = Request({"type": "http", "method": "GET", "path": "/", "headers": [], "client": (SCHOOL, 1)})
    refusals = [app.state.limits.refusal(page, None) for _ in range(500)]
    assert refusals.index(next(filter(None, refusals))) == 240
    assert stranger(app, SCHOOL).get("/").status_code == 429
    for login in teachers:
        client = stranger(app, SCHOOL)
        assert client.get("/login").status_code == 200
        assert log_in(client, login).status_code == 303


def test_a_pupil_who_floods_the_login_does_not_keep_out_a_known_browser(store, tmp_path, ane, bea):
    settings = Settings(tmp_path / "workbench.db", local=False, stranger_per_minute=3, login_per_minute=4)
    app = create_app(settings, store)
    teacher = stranger(app, SCHOOL)
    assert log_in(teacher).status_code == 303
    teacher.cookies.delete("postil-8400")
    pupil = stranger(app, SCHOOL)
    for _ in range(21):
        pupil.get("/", follow_redirects=False)
        pupil.get("/login")
        log_in(pupil, "pupil")
    assert {log_in(stranger(app, SCHOOL), "bea").status_code, pupil.get("/login").status_code} == {429}
    pupil.cookies.set(KNOWN, "1.forged.mark")
    assert pupil.get("/login").status_code == 429
    assert teacher.get("/").url.path == "/login"
    assert log_in(teacher).status_code == 303
    teacher.cookies.delete("postil-8400")
    again = [teacher.get("/login").status_code for _ in range(5)]
    assert again == [200] * 4 + [429]  # it has a limit as well


def test_failures_are_kept_as_hashes(store):
    fail(store, "ane", SCHOOL)
    with store.reading() as session:
        rows = session.scalars(select(AttemptRow.digest)).all()
    assert len(rows) == 3
    assert all(len(digest) == 64 for digest in rows)


def test_a_mark_does_not_log_anybody_in(app, store, ane):
    client = stranger(app)
    client.cookies.set(KNOWN, logins.add_mark(store, ane.id, ""))
    assert client.get("/", follow_redirects=False).headers["location"] == "/login"
    assert logins.find_session(store, client.cookies[KNOWN]) is None
