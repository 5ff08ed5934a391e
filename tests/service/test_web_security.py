"""Who gets in: one-time links, sessions, forms of this site only, and headers on every answer."""

from __future__ import annotations

import pytest
from fastapi.routing import APIRoute
from starlette.testclient import TestClient
from webclient import ADDRESS, let_in, stranger, token_of

from postil.errors import PostilError
from postil.service.settings import Settings
from postil.service.store import courses
from postil.service.web import app as workbench
from postil.service.web.security import Door


@pytest.fixture
def app(store, tmp_path):
    return workbench.create_app(Settings(tmp_path / "workbench.db", most_bytes=20_000), store)


@pytest.fixture
def client(app):
    return let_in(app)


def every_route(app):
    """Each page and form, with some number for each of its parts."""
    return [
        (method, route.path.replace("{token}", "t").replace("{", "").replace("}", ""))
        for route in app.routes
        if isinstance(route, APIRoute)
        for method in route.methods
    ]


def test_without_a_session_every_page_is_locked_and_says_how_to_get_in(app):
    client = stranger(app)
    for method, path in every_route(app):
        if path != "/open":
            answer = client.request(method, path)
            assert (path, answer.status_code) == (path, 403)
            assert "postil serve" in answer.text


def test_a_link_is_used_up_by_its_form_and_not_by_a_preview(app):
    token = app.state.door.new_link()
    client = stranger(app)
    for _ in range(3):
        assert client.get("/open", params={"token": token}).status_code == 200
    entered = client.post("/open", data={"token": token}, follow_redirects=False)
    assert entered.status_code == 303
    cookie = entered.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert client.get("/").status_code == 200
    again = stranger(app).post("/open", data={"token": token})
    assert again.status_code == 403
    assert "used already" in again.text
    assert client.post("/open", data={"token": token}).url.path == "/"  # who is in stays in


@pytest.mark.parametrize("token", ["", "x", "é", "a" * 5000])
def test_a_guessed_link_opens_nothing(app, token):
    app.state.door.new_link()
    client = stranger(app)
    assert client.post("/open", data={"token": token}).status_code == 403
    assert client.get("/").status_code == 403


def test_old_links_and_sessions_are_forgotten():
    door = Door()
    links = [door.new_link() for _ in range(25)]
    assert door.open(links[0]) is None
    first = door.open(links[-1])
    for _ in range(50):
        assert door.open(door.new_link())
    assert door.session(first) is None
    assert door.session("") is None


@pytest.mark.parametrize(
    "host", ["evil.example:8400", "127.0.0.1", "127.0.0.1:9999", "localhost.evil.example:8400"]
)
def test_another_host_is_refused(client, host):
    answer = client.get("/", headers={"Host": host})
    assert answer.status_code == 421
    assert ADDRESS in answer.text


def test_the_usual_port_is_not_named_by_browsers(store, tmp_path):
    address = "http://127.0.0.1"
    app = workbench.create_app(Settings(tmp_path / "workbench.db", port=80), store)
    with TestClient(app, base_url=address, headers={"Origin": address}) as client:
        assert client.post("/open", data={"token": app.state.door.new_link()}).status_code == 200
        assert client.get("/", headers={"Host": "localhost:80"}).status_code == 200
        assert client.get("/", headers={"Host": "evil.example"}).status_code == 421


def test_a_link_is_unused_until_it_opens():
    door = Door()
    token = door.new_link()
    assert door.is_unused(token)
    door.open(token)
    assert not door.is_unused(token)


def test_localhost_is_this_computer_too(app):
    client = let_in(app)
    answer = client.get("/open", headers={"Host": "localhost:8400"})
    assert answer.status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": ""},
        {"Origin": "http://127.0.0.1:9999"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_a_form_of_another_site_does_nothing(client, store, headers):
    answer = client.post("/courses", data={"name": "Physics"}, headers=headers)
    assert answer.status_code == 403
    assert "another site" in answer.text
    assert courses.list_courses(store) == []


def test_every_form_needs_the_sessions_token(app, store):
    client = let_in(app)
    del client.headers["X-CSRF-Token"]
    for method, path in every_route(app):
        if method == "POST" and path != "/open":
            for data in ({}, {"csrf": ""}, {"csrf": let_in(app).headers["X-CSRF-Token"]}):
                assert (path, client.post(path, data=data).status_code) == (path, 403)
    own = token_of(client.get("/").text)
    assert client.post("/courses", data={"name": "Physics", "csrf": own}).url.path == "/courses/1"


def test_every_answer_carries_the_headers(app, client):
    for answer in (
        client.get("/"),
        client.get("/nowhere"),
        stranger(app).get("/"),
        client.get("/static/app.js"),
    ):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"
        assert answer.headers["x-frame-options"] == "DENY"
        kept = "immutable" in answer.headers["cache-control"]
        assert kept == (answer.url.path == "/static/app.js")
    assert client.get("/").headers["cache-control"] == "no-store"


def test_static_files_do_not_lead_out_of_their_folder(client):
    assert client.get("/static/..%2fapp.py").status_code == 404
    assert client.get("/static/%2e%2e/security.py").status_code == 404


def test_what_is_too_large_is_refused_by_its_length_and_while_it_comes(client, store):
    told = client.post("/courses", data={"name": "x" * 30_000})
    assert told.status_code == 413
    assert "nothing was stored" in told.text

    def pieces():
        for _ in range(30):
            yield b"x" * 1000

    streamed = client.post(
        "/courses", content=pieces(), headers={"Content-Type": "application/x-www-form-urlencoded"}
    )
    assert streamed.status_code == 413
    assert courses.list_courses(store) == []


def test_an_error_inside_is_told_without_its_text(client, monkeypatch, caplog):
    def fails(store):
        raise RuntimeError("what a pupil wrote")

    monkeypatch.setattr("postil.service.web.courses.list_courses", fails)
    answer = client.get("/")
    assert answer.status_code == 500
    assert "inside Postil" in answer.text
    assert "RuntimeError" in caplog.text
    assert "pupil" not in answer.text + caplog.text


def test_errors_are_pages_or_messages_in_the_page(client, monkeypatch):
    gone = client.get("/courses/99")
    assert gone.status_code == 404
    assert "This course is not there." in gone.text
    part = client.get("/courses/99", headers={"HX-Request": "true"})
    assert part.headers["HX-Retarget"] == "#messages"
    assert "<html" not in part.text
    assert client.get("/courses/abc").status_code == 422

    def fails(store):
        raise PostilError("<b>bold</b>", hint="<i>hint</i>")

    monkeypatch.setattr("postil.service.web.courses.list_courses", fails)
    escaped = client.get("/").text
    assert "&lt;b&gt;bold" in escaped
    assert "<i>" not in escaped
