"""One's own account: its name, its password, its sessions and the tokens of programs."""

from __future__ import annotations

import re
from datetime import timedelta
from threading import current_thread

import pytest
from webclient import PASSWORD, let_in, make_account, stranger

from postil.workbench.app import create_app
from postil.workbench.pages.login import browser_of
from postil.workbench.settings import Settings
from postil.workbench.store import access, accounts, events
from postil.workbench.store.tables import now

SECRET = re.compile(r"postil_[\w-]{20,}")
NEW = "quite another password"


@pytest.fixture
def teo(store):
    return make_account(store, "teo")


@pytest.fixture
def app(store, database, teo):
    return create_app(Settings(database, local=False), store)


@pytest.fixture
def client(app):
    return let_in(app, "teo")


def change(client, current: str = PASSWORD, new: str = NEW, again: str = NEW):
    return client.post("/account/password", data={"current": current, "new": new, "again": again})


def logins(app, password: str) -> bool:
    """Whether Teo gets in."""
    return stranger(app).post("/login", data={"login": "teo", "password": password}).url.path == "/"


def test_the_name_is_changed(client, store):
    page = client.post("/account/name", data={"name": " Teo  <Ruiz> "})
    assert "Your name has been changed." in page.text
    assert ">Teo &lt;Ruiz&gt;</a>" in page.text
    assert accounts.find_account(store, "teo").person.name == "Teo <Ruiz>"
    assert "name must have 1 to" in client.post("/account/name", data={"name": " "}).text


def test_the_password_is_changed_and_other_browsers_are_out(app, client, store):
    other = let_in(app, "teo")
    page = change(client)
    assert "Your password has been changed." in page.text
    assert client.get("/").url.path == "/"
    assert other.get("/").url.path == "/login"
    assert logins(app, NEW)
    assert not logins(app, PASSWORD)
    assert events.PASSWORD_CHANGED in [event.what for event in events.list_events(store)]


def test_a_new_password_ends_the_tokens_unless_they_are_to_be_kept(client, store, teo):
    assert "Keep my tokens" not in client.get("/account").text
    _, secret = access.create_token(store, teo.id, "program", ("read",), None)
    assert re.search(r'name="keep_tokens" value="true">', client.get("/account").text)
    form = {"current": PASSWORD, "new": NEW, "again": NEW, "keep_tokens": "true"}
    assert "need new tokens" not in client.post("/account/password", data=form).text
    assert access.find_token(store, secret)
    assert "need new tokens" in change(client, NEW, PASSWORD, PASSWORD).text
    assert access.find_token(store, secret) is None
    logged = [(event.who, event.what, event.about) for event in events.list_events(store)]
    assert logged[0] == ("teo", events.TOKEN_REVOKED, "1 token, by a new password")
    assert [what for _, what, _ in logged].count(events.PASSWORD_CHANGED) == 2


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ({"current": "wrong password"}, "That is not your current password."),
        ({"again": "something else"}, "do not match"),
        ({"new": "short", "again": "short"}, "at least 10 characters"),
        ({"new": "sunshine99", "again": "sunshine99"}, "a common one, a word or a name"),
    ],
)
def test_a_wrong_change_of_the_password_changes_nothing(app, client, form, told):
    other = let_in(app, "teo")
    assert told in change(client, **form).text
    assert other.get("/").url.path == "/"
    assert logins(app, PASSWORD)


def test_nobody_guesses_the_password_from_a_browser_left_open(app, client):
    for _ in range(5):
        change(client, current="a guess of mine")
    assert "Too many wrong passwords" in change(client).text  # even with the right one
    assert not logins(app, NEW)


def test_a_wrong_password_is_checked_in_turn_and_written_down(client, store, monkeypatch):
    # As many at once as with logging in: who guesses faster is counted before the next guess.
    where = []

    def check(*_):
        where.append(current_thread().name)

    monkeypatch.setattr(accounts, "check_password", check)
    change(client, current="a guess of mine")
    assert [name.rpartition("_")[0] for name in where] == ["postil-login"]
    (event,) = events.list_events(store)
    assert (event.who, event.what) == ("teo", events.LOGIN_FAILED)
    assert "guess" not in event.about


def test_other_sessions_are_shown_and_ended(app, client, teo):
    assert "End all others" not in client.get("/account").text
    other = let_in(app, "teo")
    page = client.get("/account").text
    assert page.count("last seen") == 2
    assert page.count("(this one)") == 1
    assert "only here" in client.post("/account/sessions/end").text
    assert other.get("/").url.path == "/login"
    assert client.get("/account").text.count("last seen") == 1


def test_somebody_elses_sessions_stay(app, client, store):
    make_account(store, "ann", password=None)
    other = let_in(app, "ann")
    client.post("/account/sessions/end")
    assert other.get("/").url.path == "/"


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        ("Mozilla/5.0 (Windows NT 10.0; rv:130.0) Gecko/20100101 Firefox/130.0", "Firefox on Windows"),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X) AppleWebKit/605 Version/17 Safari/605", "Safari on Mac"),
        ("Mozilla/5.0 (Windows NT 10.0) Chrome/129.0 Safari/537.36 Edg/129.0", "Edge on Windows"),
        ("Mozilla/5.0 (Linux; Android 14) Chrome/129.0 Mobile Safari/537.36", "Chrome on Android"),
        ("", "A browser"),
    ],
)
def test_a_browser_in_words(agent, words):
    assert browser_of(agent) == words


def make(client, **fields):
    return client.post(
        "/account/tokens", data={"name": "Tutor", "scopes": ["judge", "read"], "days": "30", **fields}
    )


def test_a_tokens_secret_is_shown_once_and_works(client, store, teo):
    page = make(client)
    secret = SECRET.search(page.text)[0]
    person, token = access.find_token(store, secret)
    assert (person, token.name, token.scopes) == (teo, "Tutor", ("judge", "read"))
    assert timedelta(days=29) < token.expires - now() <= timedelta(days=30)
    again = client.get("/account").text
    assert "Tutor" in again
    assert not SECRET.search(again)


def test_a_token_without_an_end(client, store, teo):
    assert "valid until revoked" in make(client, days="never").text
    assert access.list_tokens(store, teo.id)[0].expires is None


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ({"name": " "}, "A token&#39;s name must have 1 to"),
        ({"scopes": []}, "A token needs known scopes."),
        ({"scopes": ["judge", "rule"]}, "A token needs known scopes."),
        ({"days": "4000"}, "from the list"),
    ],
)
def test_a_wrong_token_comes_back_as_it_was_written(client, store, teo, form, told):
    again = make(client, **form)
    assert again.status_code == 400
    assert told in again.text
    assert 'value="Tutor"' in again.text or "name" in form
    assert access.list_tokens(store, teo.id) == []


def test_a_token_is_revoked(client, store, teo):
    secret = SECRET.search(make(client).text)[0]
    (token,) = access.list_tokens(store, teo.id)
    assert "“Tutor” has been revoked" in client.post(f"/account/tokens/{token.id}/revoke").text
    assert access.find_token(store, secret) is None
    assert client.post(f"/account/tokens/{token.id}/revoke").status_code == 404
    assert [event.what for event in events.list_events(store)] == [events.TOKEN_REVOKED, events.TOKEN_MADE]


def test_nobody_revokes_the_token_of_another(client, store):
    ann = make_account(store, "ann", password=None)
    token, secret = access.create_token(store, ann.id, "hers", ["read"], 30)
    assert client.post(f"/account/tokens/{token.id}/revoke").status_code == 404
    assert access.find_token(store, secret)


def test_a_secret_is_not_in_the_log(client, store):
    secret = SECRET.search(make(client).text)[0]
    assert all(secret not in f"{event}" for event in events.list_events(store))


def test_without_accounts_there_are_only_tokens(store, tmp_path):
    client = let_in(create_app(Settings(tmp_path / "workbench.db"), store))
    page = client.get("/account").text
    assert "Access for programs" in page
    assert "password" not in page.replace("like a password", "")
    assert SECRET.search(make(client).text)
    assert access.list_tokens(store, None)[0].name == "Tutor"
    for path in ("name", "password", "sessions/end"):
        assert client.post(f"/account/{path}", data={"name": "x"}).status_code == 404
