"""Browsers for tests: each is logged in and sends what browsers send.

Without accounts (`Settings(local=True)`, the default) `let_in(app)` opens the one-time link. With accounts,
`make_account(store, "ane")` makes somebody with the password `PASSWORD`, and `let_in(app, login="ane")` is
their browser. `stranger(app)` is a browser that nobody has let in.
"""

from __future__ import annotations

import re
from functools import cache

from starlette.testclient import TestClient

from postil.workbench.http.addresses import main_origin
from postil.workbench.http.guard import cookie_name
from postil.workbench.records import TEACHER, Person
from postil.workbench.store import accounts, logins
from postil.workbench.store.accounts import hash_password
from postil.workbench.store.database import Store

ADDRESS = "http://127.0.0.1:8400"
PASSWORD = "correct horse battery"  # noqa: S105 - of nobody


def stranger(app, come_from: str = "testclient") -> TestClient:
    """A client that nobody has let in, at a network address."""
    address = main_origin(app.state.settings)
    headers = {"Origin": address}
    return TestClient(app, address, headers=headers, follow_redirects=True, client=(come_from, 50000))


def let_in(app, login: str | None = None) -> TestClient:
    """A client with a session; it sends the session's token as htmx does."""
    client = stranger(app)
    store: Store = app.state.store
    if login is None:
        answer = client.post("/open", data={"token": logins.make_link(store, "open")})
        assert answer.status_code == 200
        key = key_of(client)
    else:  # without the password's hash, which takes a moment: the tests of logging in do it all
        key = logins.begin_session(store, accounts.find_account(store, login).person.id, "a test")
        client.cookies.set(cookie_name(app.state.settings), key)
    client.headers["X-CSRF-Token"] = logins.find_session(store, key).csrf
    return client


def key_of(client: TestClient) -> str:
    """The key that a browser's cookie holds."""
    (key,) = (cookie.value for cookie in client.cookies.jar if not cookie.name.endswith("-known"))
    return key


def make_account(store: Store, login: str, role: str = TEACHER, password: str | None = PASSWORD) -> Person:
    """Somebody with an account; without a password it is one that nobody has logged in with yet."""
    made = accounts.create_account(store, login, login.title(), role, None)
    if password is not None:
        with store.writing() as session:
            accounts.demand_account(session, made).password = _hashed(password)
    return accounts.get_account(store, made).person


@cache
def _hashed(password: str) -> str:
    """Hashing takes a moment, and every test would do it."""
    return hash_password(password)


def token_of(page: str) -> str:
    """The token that the forms of a page carry."""
    return re.search(r"X-CSRF-Token&#34;: &#34;([\w-]+)", page)[1]
