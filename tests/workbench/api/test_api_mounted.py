"""The API inside the workbench: behind the same guard as the pages."""

from __future__ import annotations

from dataclasses import replace

import pytest
from apiclient import SETTINGS, refused, secret_of
from fastapi.testclient import TestClient

from postil.workbench.app import create_app

ADDRESS = "http://127.0.0.1:8400"


@pytest.fixture
def client(sqlite_store):
    app = create_app(replace(SETTINGS, most_bytes=10_000), sqlite_store)
    headers = {"Authorization": f"Bearer {secret_of(sqlite_store, None)}"}
    return TestClient(app, f"{ADDRESS}/api/v1/", headers=headers)


def test_a_token_is_enough(client):
    made = client.post("courses", json={"name": "A"})
    assert made.status_code == 201
    assert made.headers["Location"] == f"/api/v1/courses/{made.json()['id']}"
    assert made.headers["Cache-Control"] == "no-store"
    assert client.get("courses").json()["items"] == [made.json()]


def test_a_token_opens_no_page(client):
    assert client.get(f"{ADDRESS}/").status_code == 403


def test_the_description_can_be_read_by_anybody(client):
    client.headers.pop("Authorization")
    page = client.get("docs")
    assert page.status_code == 200
    assert "script-src 'self'" in page.headers["Content-Security-Policy"]
    assert client.get("openapi.json").json()["servers"] == [{"url": "/api/v1"}]


def test_what_the_guard_refuses_is_a_problem(client):
    large = client.post("courses", json={"name": "A" * 10_001})
    refused(large, 413, "too-large")
    unsized = client.post("courses", content=iter([b"{", b" " * 20_000]))
    refused(unsized, 413, "too-large")
    elsewhere = client.get("me", headers={"Host": "evil.example"})
    refused(elsewhere, 421, "misdirected")
    missing = client.get(f"{ADDRESS}/api/v1")
    assert missing.status_code == 404
