"""Who gets in: one-time links, sessions, forms of this site only, and headers on every answer."""

from __future__ import annotations

import re

import pytest
from starlette.testclient import TestClient
from webclient import ADDRESS, let_in, make_account, stranger, token_of

from postil.errors import PostilError
from postil.workbench import app as workbench
from postil.workbench.http.access import every_route as routes_of
from postil.workbench.http.addresses import is_students
from postil.workbench.http.monitoring import PATHS
from postil.workbench.records import ASSISTANT, Level
from postil.workbench.settings import Settings
from postil.workbench.store import access, courses, events, logins


@pytest.fixture
def app(store, tmp_path):
    return workbench.create_app(Settings(tmp_path / "workbench.db", most_bytes=20_000), store)


@pytest.fixture
def client(app):
    return let_in(app)


def every_route(app):
    """Each page and form, with some number for each of its parts; for students' see test_student_links.py."""
    return [
        (method, re.sub(r"{\w+}", "1", route.path))
        for route in routes_of(app.routes)
        for method in route.methods
        if not is_students(route.path)
    ]


def test_without_a_session_every_page_is_locked_and_says_how_to_get_in(app):
    client = stranger(app)
    assert len(every_route(app)) > 50
    for method, path in every_route(app):
        if path != "/open" and path not in PATHS:
            answer = client.request(method, path)
            assert (path, answer.status_code) == (path, 403)
            assert "postil serve" in answer.text


def test_a_link_is_used_up_by_its_form_and_not_by_a_preview(app, store):
    token = logins.make_link(store, "open")
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
    assert "already been used" in again.text
    assert client.post("/open", data={"token": token}).url.path == "/"  # who is in stays in


@pytest.mark.parametrize("token", ["", "x", "é", "a" * 5000])
def test_a_guessed_link_opens_nothing(app, store, token):
    logins.make_link(store, "open")
    client = stranger(app)
    assert client.post("/open", data={"token": token}).status_code == 403
    assert client.get("/").status_code == 403


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
        assert client.post("/open", data={"token": logins.make_link(store, "open")}).status_code == 200
        assert client.get("/", headers={"Host": "localhost:80"}).status_code == 200
        assert client.get("/", headers={"Host": "evil.example"}).status_code == 421


def test_localhost_is_this_computer_too(app):
    client = let_in(app)
    answer = client.get("/", headers={"Host": "localhost:8400"})
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
        if method == "POST" and path not in ("/open", "/login"):
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


@pytest.mark.parametrize(
    "path",
    ["/static/..%2fapp.py", "/static/%2e%2e/security.py", "/static/%2e%2e%2fsecurity.py",
     "/static/..%5capp.py", "/static/%252e%252e/app.py", "/static//etc/passwd", "/static/%2fetc%2fpasswd",
     "/static/..;/app.py"],
)  # fmt: skip
def test_static_files_do_not_lead_out_of_their_folder(app, client, path):
    for one in (client, stranger(app)):
        answer = one.get(path, follow_redirects=False)
        assert answer.status_code in (303, 403, 404)
        assert "from __future__" not in answer.text
        assert "root:" not in answer.text


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
    def fails(store, person):
        raise RuntimeError("what a pupil wrote")

    monkeypatch.setattr("postil.workbench.pages.courses.list_courses", fails)
    answer = client.get("/")
    assert answer.status_code == 500
    assert "inside Postil" in answer.text
    assert "RuntimeError" in caplog.text
    assert "pupil" not in answer.text + caplog.text


def test_errors_are_pages_or_messages_in_the_page(client, monkeypatch):
    gone = client.get("/courses/99")
    assert gone.status_code == 404
    assert "This course does not exist." in gone.text
    part = client.get("/courses/99", headers={"HX-Request": "true"})
    assert part.headers["HX-Retarget"] == "#messages"
    assert "<html" not in part.text
    assert client.get("/courses/abc").status_code == 422

    def fails(store, person):
        raise PostilError("<b>bold</b>", hint="<i>hint</i>")

    monkeypatch.setattr("postil.workbench.pages.courses.list_courses", fails)
    escaped = client.get("/").text
    assert "&lt;b&gt;bold" in escaped
    assert "<i>" not in escaped


def sent_raw(app, path, cookie=""):
    """What a client gets that does not tidy up the path before it asks."""
    import anyio

    told = {}
    headers = [(b"host", b"127.0.0.1:8400"), (b"cookie", cookie.encode())]
    scope = {
        "type": "http", "method": "GET", "path": path, "raw_path": path.encode(), "query_string": b"",
        "headers": headers, "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 8400), "scheme": "http",
        "root_path": "", "http_version": "1.1",
    }  # fmt: skip

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message):
        told.setdefault("status", message.get("status"))
        told["body"] = told.get("body", b"") + message.get("body", b"")

    anyio.run(app, scope, receive, send)
    return told


@pytest.mark.parametrize(
    "path",
    ["/static/../app.py", "/static/../../../../../../etc/passwd", "/static/..", "/static/../courses/1",
     "/login/../courses/1", "/open/../", "/api/v1/../../courses/1", "/api/v1/../", "/static/\\..\\app.py",
     "/open/", "/login/", "/api/v1x", "/STATIC/../", "/./courses/1", "//courses/1"],
)  # fmt: skip
def test_a_path_with_dots_gets_nowhere(app, store, path):
    courses.create_course(store, "Physics")
    told = sent_raw(app, path)
    assert told["status"] in (303, 401, 403, 404)
    assert b"Physics" not in told["body"]
    assert b"from __future__" not in told["body"]
    assert b"root:" not in told["body"]


@pytest.fixture
def many(store, tmp_path):
    """The workbench with accounts, and Ane, who has one, with a course."""
    ane = make_account(store, "ane")
    course = courses.create_course(store, "Physics", ane.id)
    courses.create_question(store, course, "Why?", ["Because."], 1)
    return workbench.create_app(Settings(tmp_path / "workbench.db", local=False), store)


def test_without_a_session_every_page_leads_to_the_login(store, tmp_path):
    settings = Settings(tmp_path / "workbench.db", local=False, stranger_per_minute=10_000)
    app = workbench.create_app(settings, store)
    client = stranger(app)
    for method, path in every_route(app):
        if path not in ("/open", "/login", *PATHS):
            answer = client.request(method, path, follow_redirects=False)
            assert (path, answer.status_code) == (path, 303)
            assert answer.headers["location"].startswith("/login")


@pytest.mark.parametrize("path", ["/login", "/open"])
@pytest.mark.parametrize(
    "headers",
    [{"Origin": "http://evil.example"}, {"Origin": "null"}, {"Origin": ""}, {"Sec-Fetch-Site": "cross-site"}],
)
def test_not_even_a_login_comes_from_another_site(many, headers, path):
    answer = stranger(many).post(path, data={"login": "ane", "password": "x"}, headers=headers)
    assert answer.status_code == 403
    assert "another site" in answer.text


def test_the_cookie_is_as_strict_as_its_mode_allows(many, app, store, tmp_path):
    settings = Settings(tmp_path / "workbench.db", local=False, address="https://Postil.example.org/")
    secure = workbench.create_app(settings, store)
    cookies = {}
    for name, one in (("local", app), ("plain", many), ("secure", secure)):
        client = stranger(one)
        if name == "local":
            sent = client.post(
                "/open", data={"token": logins.make_link(store, "open")}, follow_redirects=False
            )
        else:
            data = {"login": "ane", "password": "correct horse battery"}
            sent = client.post("/login", data=data, follow_redirects=False)
        assert sent.status_code == 303
        cookies[name] = sent.headers["set-cookie"]
        assert "HttpOnly" in cookies[name]
        assert "Path=/" in cookies[name]
        assert "Domain" not in cookies[name]
        assert ("strict-transport-security" in sent.headers) == (name == "secure")
    assert "SameSite=strict" in cookies["local"]
    assert "SameSite=lax" in cookies["plain"]
    assert cookies["secure"].startswith("__Host-postil=")
    assert "Secure" in cookies["secure"]
    assert "Secure" not in cookies["plain"]


def test_behind_tls_only_the_address_that_was_named_is_answered(store, tmp_path):
    settings = Settings(tmp_path / "workbench.db", local=False, address="https://postil.example.org")
    client = stranger(workbench.create_app(settings, store))
    assert client.get("/login").status_code == 200
    for host in (
        "postil.example.org:8400",
        "127.0.0.1:8400",
        "evil.example",
        "postil.example.org.evil.example",
    ):
        assert client.get("/login", headers={"Host": host}).status_code == 421
    plain = client.post("/login", headers={"Origin": "http://postil.example.org"})
    assert plain.status_code == 403


def test_a_fixed_address_to_listen_on_is_a_name_of_the_workbench(store, tmp_path):
    settings = Settings(tmp_path / "workbench.db", host="192.0.2.7", local=False)
    client = stranger(workbench.create_app(settings, store))
    assert client.get("/login", headers={"Host": "192.0.2.7:8400"}).status_code == 200
    assert client.get("/login", headers={"Host": "192.0.2.8:8400"}).status_code == 421


def test_who_asks_too_often_waits(store, tmp_path):
    make_account(store, "ane")
    limits = {"person_per_minute": 5, "stranger_per_minute": 3, "login_per_minute": 2}
    app = workbench.create_app(Settings(tmp_path / "workbench.db", local=False, **limits), store)
    outside, inside = stranger(app), let_in(app, "ane")
    assert [outside.get("/", follow_redirects=False).status_code for _ in range(4)] == [303] * 3 + [429]
    assert [outside.get("/login").status_code for _ in range(11)] == [200] * 10 + [429]
    assert [outside.post("/login").status_code for _ in range(3)] == [403, 403, 429]
    assert outside.get("/static/app.js").status_code == 200
    assert [inside.get("/").status_code for _ in range(6)] == [200] * 5 + [429]
    told = inside.get("/")
    assert 0 < int(told.headers["retry-after"]) <= 60
    assert "Try again in" in told.text


def test_the_api_is_refused_in_its_own_words(app, client):
    for path, headers in (
        ("/api/v1/courses", {"Host": "evil.example"}),
        ("/api/v1", {"Host": "evil.example"}),
    ):
        told = client.get(path, headers=headers)
        assert told.status_code == 421
        assert told.headers["content-type"] == "application/problem+json"
        assert told.json()["status"] == 421
    assert client.get("/api/v1/courses").status_code == 401  # a cookie does not count there
    large = client.post("/api/v1/courses", content=b"x" * 30_000)
    assert large.json()["status"] == 413


def test_what_is_anothers_is_not_there_and_what_is_shared_has_its_limits(many, store):
    bea, iker = make_account(store, "bea"), make_account(store, "iker", ASSISTANT)
    others, helper = let_in(many, "bea"), let_in(many, "iker")
    for path in ("/courses/1", "/questions/1", "/courses/1/export.xlsx"):
        assert others.get(path).status_code == 404
    assert others.post("/questions/1/grade").status_code == 404
    access.share_course(store, 1, iker.id, Level.HELP)
    assert helper.get("/questions/1").status_code == 200
    refused = helper.post("/questions/1/edit", data={"text": "x"})
    assert refused.status_code == 403
    assert "shared with you as a helper" in refused.text
    assert helper.post("/courses", data={"name": "Own"}).status_code == 403
    assert helper.post("/courses/demo").status_code == 403
    access.share_course(store, 1, bea.id, Level.TEACH)
    assert others.get("/questions/1/edit").status_code == 200
    assert others.post("/courses/1/delete").status_code == 403
    assert let_in(many, "ane").post("/courses/1/delete").url.path == "/"
    assert [event.who for event in events.list_events(store, what=events.COURSE_DELETED)] == ["ane"]


def test_what_somebody_brings_is_seen_by_nobody_else(many, store):
    bea = make_account(store, "bea")
    access.share_course(store, 1, bea.id, Level.TEACH)
    ane, other = let_in(many, "ane"), let_in(many, "bea")
    brought = ane.post("/questions/1/answers/draft", data={"text": "one\ntwo"})
    assert brought.url.path.startswith("/drafts/")
    assert other.get(brought.url.path).status_code == 404
    assert other.post(f"{brought.url.path}/store").status_code == 404
    assert ane.get(brought.url.path).status_code == 200


def test_a_number_that_is_none_is_refused_before_anything_is_looked_up(client):
    for text in ("abc", "-1", "1.0", "+1", "1_0", "\u0661", "%201"):
        assert client.get(f"/courses/{text}").status_code == 422
    for text in ("99", str(2**31), str(2**63), "9" * 5000):
        assert client.get(f"/courses/{text}").status_code == 404


def test_a_page_that_does_not_say_who_may_see_it_is_refused(store, tmp_path, monkeypatch):
    from fastapi import APIRouter

    router = APIRouter()
    router.get("/questions/{question_id}/secret")(lambda question_id: "")
    monkeypatch.setattr(workbench, "_ROUTES", router)
    with pytest.raises(ValueError, match=re.escape("/questions/{question_id}/secret")):
        workbench.create_app(Settings(tmp_path / "workbench.db"), store)
