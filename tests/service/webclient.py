"""A browser for tests: it was let in by a one-time link, and sends what browsers send."""

from __future__ import annotations

import re

from starlette.testclient import TestClient

ADDRESS = "http://127.0.0.1:8400"


def stranger(app) -> TestClient:
    """A client that nobody has let in."""
    return TestClient(app, base_url=ADDRESS, headers={"Origin": ADDRESS}, follow_redirects=True)


def let_in(app) -> TestClient:
    """A client with a session; it sends the session's token as htmx does."""
    client = stranger(app)
    answer = client.post("/open", data={"token": app.state.door.new_link()})
    assert answer.status_code == 200
    client.headers["X-CSRF-Token"] = token_of(answer.text)
    return client


def token_of(page: str) -> str:
    """The token that the forms of a page carry."""
    return re.search(r"X-CSRF-Token&#34;: &#34;([\w-]+)", page)[1]
