from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import pytest
from apiclient import SETTINGS, found_at, make_app, people, program, refused, secret_of
from fastapi.testclient import TestClient

from postil.workbench.api.app import create_api
from postil.workbench.app import create_app
from postil.workbench.records import Level
from postil.workbench.settings import Settings
from postil.workbench.store import access
from postil.workbench.store.access import share_course
from postil.workbench.store.accounts import close_account
from postil.workbench.store.logins import begin_session


@pytest.mark.parametrize(
    ("header", "challenge"),
    [
        (None, "Bearer"),
        ("", "Bearer"),
        ("Bearer", "Bearer"),
        ("Bearer ", "Bearer"),
        ("Basic YTpi", "Bearer"),
        ("Bearer postil_nobody", 'Bearer error="invalid_token"'),
        ("bearer \xff", 'Bearer error="invalid_token"'),
    ],
)
def test_without_a_token_nothing_is_shown(store, header, challenge):
    client = program(make_app(store))
    headers = {} if header is None else {"Authorization": header.encode("latin-1")}
    for answer in (client.get("me", headers=headers), client.post("courses", headers=headers, content="{")):
        refused(answer, 401, "unauthorized")
        assert answer.headers["WWW-Authenticate"] == challenge


def test_of_a_request_without_a_token_nothing_is_read(store):
    """Otherwise a stranger's JSON keeps the server busy for seconds and takes much memory."""
    app = make_app(store)
    client = program(app)
    with_body = [
        (method, re.sub(r"{\w+}", "1", path.lstrip("/")))
        for path, operations in create_api(SETTINGS, None).openapi()["paths"].items()
        for method, operation in operations.items()
        if "requestBody" in operation
    ]
    assert ("post", "grade") in with_body
    for method, path in with_body:
        damaged = client.request(method, path, content="{", headers={"Content-Type": "application/json"})
        refused(damaged, 401, "unauthorized")


def test_who_am_i(store):
    teo = people(store)["teo"]
    client = program(make_app(store, local=False), secret_of(store, teo, "read", days=3))
    me = client.get("me").json()
    assert (me["login"], me["role"], me["token"], me["scopes"]) == ("teo", "teacher", "test", ["read"])
    assert me["expires"]


def test_cookies_do_not_count(store):
    client = program(make_app(store))
    client.cookies.set("postil-8400", secret_of(store, None))
    refused(client.get("me"), 401, "unauthorized")


@pytest.mark.parametrize(
    ("scopes", "method", "path", "missing"),
    [
        (("read",), "POST", "courses", "write"),
        (("write",), "GET", "courses", "read"),
        (("judge",), "GET", "courses", "read"),
        (("read", "write"), "POST", "grade", "judge"),
    ],
)
def test_a_token_is_for_its_scopes_only(store, scopes, method, path, missing):
    client = program(make_app(store), secret_of(store, None, *scopes))
    answer = client.request(method, path, json={"name": "A"} if method == "POST" else None)
    refused(answer, 403, "insufficient-scope")
    assert answer.headers["WWW-Authenticate"] == f'Bearer error="insufficient_scope", scope="{missing}"'


def test_tokens_that_do_not_work_any_more(store, monkeypatch):
    account = people(store)
    app = make_app(store, local=False)
    token, secret = access.create_token(store, account["teo"], "x", ["read"], 1)
    client = program(app, secret)
    assert client.get("me").status_code == 200
    real = access.now
    monkeypatch.setattr(access, "now", lambda: real() + timedelta(days=1, seconds=1))
    refused(client.get("me"), 401, "unauthorized")
    monkeypatch.undo()
    access.revoke_token(store, account["teo"], token.id)
    refused(client.get("me"), 401, "unauthorized")
    other = program(app, secret_of(store, account["tina"]))
    assert other.get("me").status_code == 200
    close_account(store, account["tina"], None)
    refused(other.get("me"), 401, "unauthorized")


def test_a_token_of_the_local_mode_opens_nothing_where_there_are_accounts(store):
    secret = secret_of(store, None)
    assert program(make_app(store), secret).get("me").status_code == 200
    refused(program(make_app(store, local=False), secret).get("me"), 401, "unauthorized")


def test_a_token_of_an_account_opens_nothing_in_the_local_mode(store):
    secret = secret_of(store, people(store)["teo"])
    assert program(make_app(store, local=False), secret).get("me").status_code == 200
    refused(program(make_app(store), secret).get("me"), 401, "unauthorized")


def test_a_course_is_its_owners_and_those_it_is_shared_with(store):
    account = people(store)
    app = make_app(store, local=False)
    teo, tina, ann, olga = (
        program(app, secret_of(store, account[who])) for who in ("teo", "tina", "ann", "olga")
    )
    where = found_at(teo.post("courses", json={"name": "A"}))
    course_id = teo.get(where).json()["id"]
    question = found_at(teo.post(f"{where}/questions", json={"text": "Why?", "references": ["x"]}))
    for other in (tina, ann, olga):
        assert other.get("courses").json()["items"] == []
        refused(other.get(where), 404, "not-found")
        refused(other.get(f"{question}/answers"), 404, "not-found")
        refused(other.delete(where), 404, "not-found")
    share_course(store, course_id, account["ann"], Level.HELP)
    share_course(store, course_id, account["tina"], Level.TEACH)
    assert len(ann.get("courses").json()["items"]) == 1
    refused(ann.post(f"{question}/answers", json={"answers": [{"key": "a", "text": "x"}]}), 403, "forbidden")
    refused(ann.get(f"{question}/export"), 403, "forbidden")
    assert tina.post(f"{question}/answers", json={"answers": [{"key": "a", "text": "x"}]}).status_code == 201
    refused(tina.patch(where, json={"name": "B"}), 403, "forbidden")
    (answer,) = ann.get(f"{question}/answers").json()["items"]
    assert ann.put(f"answers/{answer['id']}/decision", json={"label": "correct"}).status_code == 200
    refused(ann.post("courses", json={"name": "B"}), 403, "forbidden")


def test_there_is_a_limit_for_each_token_and_address(store):
    account = people(store)
    app = make_app(store, local=False, person_per_minute=3, stranger_per_minute=2)
    busy, other = (
        program(app, secret_of(store, account["teo"])),
        program(app, secret_of(store, account["tina"])),
    )
    assert [busy.get("me").status_code for _ in range(4)] == [200, 200, 200, 429]
    too_many = busy.post("courses", json={"name": "A"})
    refused(too_many, 429, "too-many-requests")
    assert 1 <= int(too_many.headers["Retry-After"]) <= 60
    assert other.get("me").status_code == 200
    stranger = program(app, "postil_guess")
    assert [stranger.get("me").status_code for _ in range(3)] == [401, 401, 429]
    assert stranger.get("health").status_code == 429
    assert other.get("me").status_code == 200


def test_a_person_has_one_limit_for_all_tokens_and_the_pages(store):
    account = people(store)
    app = create_app(Settings(Path("nowhere.db"), local=False, person_per_minute=3), store)
    headers = [{"Authorization": f"Bearer {secret_of(store, account['teo'])}"} for _ in range(2)]
    client = TestClient(app, "http://127.0.0.1:8400")
    client.cookies.set("postil-8400", begin_session(store, account["teo"]))
    assert client.get("/").status_code == 200
    assert [client.get("/api/v1/me", headers=one).status_code for one in headers] == [200, 200]
    assert client.get("/api/v1/me", headers=headers[0]).status_code == 429
    assert client.get("/").status_code == 429
