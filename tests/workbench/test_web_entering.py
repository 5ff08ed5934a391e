"""Logging in and out, and the links with which people get their first or a new password."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import select
from webclient import PASSWORD, key_of, let_in, make_account, stranger

from postil.workbench.app import create_app
from postil.workbench.http.guard import cookie_name
from postil.workbench.records import OWNER
from postil.workbench.settings import Settings
from postil.workbench.store import access, accounts, courses, events, logins
from postil.workbench.store.database import StoreAwayError
from postil.workbench.store.logins import Attempt
from postil.workbench.store.tables import SessionRow


@pytest.fixture
def app(store, tmp_path):
    return create_app(Settings(tmp_path / "workbench.db", local=False), store)


@pytest.fixture
def ane(store):
    return make_account(store, "ane", OWNER)


def log_in(client, login="ane", password=PASSWORD, **more):
    return client.post("/login", data={"login": login, "password": password, **more}, follow_redirects=False)


def logged(store):
    return [(event.who, event.what, event.about) for event in events.list_events(store)]


def test_somebody_logs_in_and_out(app, store, ane):
    client = stranger(app)
    sent = client.get("/courses/7?page=2", follow_redirects=False)
    assert (sent.status_code, sent.headers["location"]) == (303, "/login?next=%2Fcourses%2F7%3Fpage%3D2")
    page = client.get(sent.headers["location"])
    assert 'autocomplete="username"' in page.text
    assert 'autocomplete="current-password"' in page.text
    assert 'value="/courses/7?page=2"' in page.text
    entered = log_in(client, "ANE", next="/courses/7?page=2")
    assert (entered.status_code, entered.headers["location"]) == (303, "/courses/7?page=2")
    home = client.get("/")
    assert home.status_code == 200
    assert "Ane" in home.text
    assert client.get("/login?next=/account", follow_redirects=False).headers["location"] == "/account"
    key = key_of(client)
    csrf = logins.find_session(store, key).csrf
    left = client.post("/logout", data={"csrf": csrf}, follow_redirects=False)
    assert left.headers["location"] == "/login?ended=out"
    assert "You have logged out." in client.get("/login?ended=out").text
    assert logins.find_session(store, key) is None
    client.cookies.set(cookie_name(app.state.settings), key)  # somebody kept a copy
    assert client.get("/", follow_redirects=False).headers["location"] == "/login?ended=read"
    assert logged(store) == [("ane", events.LOGGED_OUT, ""), ("ane", events.LOGGED_IN, "")]


def test_logging_out_needs_the_forms_token(app, ane):
    client = let_in(app, "ane")
    del client.headers["X-CSRF-Token"]
    assert client.post("/logout").status_code == 403
    assert client.get("/").status_code == 200


def test_a_wrong_login_is_told_without_saying_what_is_wrong(app, store, ane):
    client = stranger(app)
    wrong, unknown = log_in(client, "ane", "not the password"), log_in(client, "nobody")
    assert wrong.status_code == unknown.status_code == 403
    assert "Wrong login or password" in wrong.text
    assert wrong.text == unknown.text.replace('value="nobody"', 'value="ane"')
    assert PASSWORD not in unknown.text
    # What nobody is called may be a password in the wrong field: it is not written down.
    assert logged(store) == [("", events.LOGIN_FAILED, ""), ("", events.LOGIN_FAILED, "ane")]


def test_guessing_is_slowed_down_for_the_right_password_too(app, store, ane):
    client = stranger(app)
    for number in range(5):
        assert log_in(client, password=f"guess number {number}").status_code == 403
    wrong, right = log_in(client, "ane", "guess number 6"), log_in(client)
    assert wrong.status_code == right.status_code == 429
    assert wrong.text == right.text
    assert 0 < int(right.headers["retry-after"]) <= 30
    assert "Wait" in right.text
    assert log_in(client, "bea").status_code == 403  # others are not kept waiting


def test_a_login_makes_a_new_session_and_ends_the_one_before(app, store, ane):
    client = stranger(app)
    planted = "a key that somebody else put there"
    client.cookies.set(cookie_name(app.state.settings), planted)
    log_in(client)
    first = client.cookies.get(cookie_name(app.state.settings), domain="127.0.0.1")
    assert first != planted
    again = stranger(app)
    again.cookies.set(cookie_name(app.state.settings), first)
    log_in(again)
    assert logins.find_session(store, first) is None
    with store.reading() as session:
        assert len(session.scalars(select(SessionRow)).all()) == 1


@pytest.mark.parametrize(
    "next_",
    ["//evil.example", "/\\evil.example", "https://evil.example", "\\\\evil", "/\t/evil.example",
     "javascript:x", "/%0d%0a", "evil", "", "/login", "/logout?x=1", "/open?token=x", "/" + "a" * 3000],
)  # fmt: skip
def test_a_login_leads_nowhere_else(app, ane, next_):
    where = log_in(stranger(app), next=next_).headers["location"]
    assert where == ("/%0d%0a" if next_ == "/%0d%0a" else "/")


def test_a_page_asked_for_with_two_slashes_is_not_where_one_is_sent(app, ane):
    for path in ("//evil.example", "/\\evil.example", "//evil.example/%2e%2e"):
        sent = stranger(app).get(f"http://127.0.0.1:8400{path}", follow_redirects=False)
        assert (sent.status_code, sent.headers["location"]) == (303, "/login")


def test_parts_of_pages_and_forms_lead_to_the_login_too(app, ane):
    client = stranger(app)
    shown = {"HX-Request": "true", "HX-Current-URL": "http://127.0.0.1:8400/questions/3?page=2"}
    part = client.get("/questions/3/progress", headers=shown)
    assert part.headers["hx-redirect"] == "/login?next=%2Fquestions%2F3%3Fpage%3D2"
    assert part.text == ""
    form = client.post("/courses", data={"name": "x"}, follow_redirects=False)
    assert (form.status_code, form.headers["location"]) == (303, "/login")


def test_the_first_owner_is_made_with_the_link(app, store):
    course = courses.create_course(store, "Physics, made with --local")
    assert "Nobody has an account here yet" in stranger(app).get("/login").text
    token = logins.make_link(store, "owner")
    client = stranger(app)
    page = client.get("/open", params={"token": token})
    assert page.text.count('autocomplete="new-password"') == 2
    assert "At least 10 characters" in page.text
    filled = {"token": token, "name": "Ane", "login": "ane", "password": PASSWORD, "again": PASSWORD}
    make_account(store, "teo")
    for wrong in (
        {"again": "something else"},
        {"login": "a b"},
        {"login": "teo"},
        {"name": ""},
        {"password": "x", "again": "x"},
    ):
        refused = client.post("/open", data=filled | wrong)
        assert refused.status_code == 400
        assert PASSWORD not in refused.text
    home = client.post("/open", data=filled)
    assert home.status_code == 200
    assert "made with --local" in home.text
    owner = accounts.find_account(store, "ane").person
    assert owner.is_owner
    assert access.owner_of(store, course) == owner
    second = stranger(app).post("/open", data=filled | {"login": "eve"})
    assert second.status_code == 403
    assert "no longer works" in second.text
    assert accounts.find_account(store, "eve") is None


def test_a_late_link_for_the_first_owner_makes_no_second_one(app, store, ane):
    token = logins.make_link(store, "owner")
    filled = {"token": token, "name": "Eve", "login": "eve", "password": PASSWORD, "again": PASSWORD}
    assert stranger(app).post("/open", data=filled).status_code == 400
    assert accounts.count_accounts(store) == 1


def test_an_invitation_lets_somebody_choose_a_password(app, store):
    bea = make_account(store, "bea", password=None)
    token = logins.make_link(store, "invitation", bea.id)
    client = stranger(app)
    page = client.get("/open", params={"token": token})
    assert "Bea, choose a password" in page.text
    assert log_in(client, "bea").status_code == 403
    assert client.post("/open", data={"token": token, "password": "x", "again": "x"}).status_code == 400
    chosen = {"token": token, "password": PASSWORD, "again": PASSWORD}
    assert client.post("/open", data=chosen).url.path == "/"
    assert stranger(app).post("/open", data=chosen).status_code == 403
    assert client.post("/open", data=chosen).url.path == "/"  # who is in stays in
    assert log_in(stranger(app), "bea").status_code == 303
    assert ("bea", events.LINK_USED, "invitation") in logged(store)


def test_a_new_password_ends_what_was_logged_in_and_what_kept_one_waiting(app, store, ane):
    old = let_in(app, "ane")
    for _ in range(6):
        logins.count_failure(store, Attempt("ane", "testclient"))
    token = logins.make_link(store, "reset", ane.id)
    client = stranger(app)
    assert "Choose a new password" in client.get("/open", params={"token": token}).text
    new = "another good password"
    _, secret = access.create_token(store, ane.id, "program", ("read",), None)
    home = client.post("/open", data={"token": token, "password": new, "again": new})
    assert home.url.path == "/"
    assert "your tokens are revoked" in home.text
    assert access.find_token(store, secret) is None
    assert ("ane", events.TOKEN_REVOKED, "1 token, by a new password") in logged(store)
    assert old.get("/", follow_redirects=False).headers["location"] == "/login?ended=read"
    assert log_in(stranger(app)).status_code == 403
    assert log_in(stranger(app), password=new).status_code == 303


def test_links_of_one_mode_do_not_open_the_other(app, store, tmp_path, ane):
    local = create_app(Settings(tmp_path / "workbench.db"), store)
    for opened, purpose, account in ((app, "open", None), (local, "reset", ane.id), (local, "owner", None)):
        token = logins.make_link(store, purpose, account)
        assert stranger(opened).get("/open", params={"token": token}).status_code == 403
        filled = {"token": token, "name": "E", "login": "eve", "password": PASSWORD, "again": PASSWORD}
        assert stranger(opened).post("/open", data=filled).status_code == 403
        assert logins.peek_link(store, token)


def test_sessions_of_one_mode_do_not_open_the_other(app, store, tmp_path, ane):
    local = create_app(Settings(tmp_path / "workbench.db"), store)
    for opened, account, status in ((app, None, 303), (local, ane.id, 403)):
        client = stranger(opened)
        client.cookies.set(cookie_name(opened.state.settings), logins.begin_session(store, account))
        assert client.get("/", follow_redirects=False).status_code == status


def test_there_is_no_login_for_one_person(store, tmp_path):
    local = create_app(Settings(tmp_path / "workbench.db"), store)
    assert stranger(local).get("/login").status_code == 403
    assert log_in(stranger(local)).status_code == 403
    assert let_in(local).get("/login").status_code == 404


def test_a_stolen_key_is_worth_nothing_after_the_account_was_closed(app, store, ane):
    bea = make_account(store, "bea")
    client = let_in(app, "bea")
    assert client.get("/").status_code == 200
    accounts.close_account(store, bea.id, None)
    assert client.get("/", follow_redirects=False).status_code == 303
    assert log_in(stranger(app), "bea").status_code == 403


def test_a_session_that_was_left_alone_ends(app, store, ane):
    client = let_in(app, "ane")
    with store.writing() as session:
        row = session.scalars(select(SessionRow)).one()
        row.seen -= timedelta(hours=13)
    assert client.get("/", follow_redirects=False).status_code == 303


def test_messages_wait_for_the_next_page_in_the_database(app, ane):
    client = let_in(app, "ane")
    shown = client.post("/courses", data={"name": ""})
    assert "name must have 1 to 200 characters." in shown.text
    assert "name must have 1 to 200 characters." not in client.get("/").text


def test_while_the_database_is_away_a_page_says_so(app, store, ane, monkeypatch):
    client = let_in(app, "ane")

    def away(*_, **__):
        raise StoreAwayError("the database is away.", hint="Try again soon.")

    for place in ("pages.courses.list_courses", "http.guard.find_session"):
        monkeypatch.setattr(f"postil.workbench.{place}", away)
        told = client.get("/?x=1")
        assert told.status_code == 503
        assert "database is away" in told.text.lower()
        assert "<h1>Postil is not available right now</h1>" in told.text
        assert '<a class="button primary" href="/?x=1">Try again</a>' in told.text


def test_a_form_that_comes_after_the_session_says_that_it_is_lost(app, ane, store):
    client = let_in(app, "ane")
    logins.end_session(store, key_of(client))
    before = {"Referer": f"{client.base_url}/courses/7?page=2"}
    sent = client.post("/courses/7/rename", data={"name": "x"}, headers=before, follow_redirects=False)
    assert sent.headers["location"] == "/login?next=%2Fcourses%2F7%3Fpage%3D2&ended=sent"
    page = client.get(sent.headers["location"]).text
    assert "Your session has ended. What you just sent was not stored." in page
    assert 'value="/courses/7?page=2"' in page


@pytest.mark.parametrize("before", ["http://evil.example/x", "http://127.0.0.1:8400.evil.example/x", ""])
def test_nobody_is_sent_to_where_another_site_says(app, before):
    sent = stranger(app).post("/courses", headers={"Referer": before}, follow_redirects=False)
    assert sent.headers["location"] == "/login"


def test_who_opens_the_link_of_somebody_else_is_told(app, ane, store):
    ben = make_account(store, "ben")
    link = {"token": logins.make_link(store, "reset", ben.id)}
    assert (
        "You are logged in as Ane; this will log you out."
        in let_in(app, "ane").get("/open", params=link).text
    )
    assert "log you out" not in let_in(app, "ben").get("/open", params=link).text
