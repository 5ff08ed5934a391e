"""For the tests of the API: a program with a token, and people who have accounts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from fastapi import FastAPI
from fastapi.testclient import TestClient

from postil.workbench.api.app import create_api
from postil.workbench.records import ASSISTANT, OWNER, TEACHER
from postil.workbench.settings import Settings
from postil.workbench.store.access import create_token
from postil.workbench.store.accounts import create_account
from postil.workbench.store.database import Store

SETTINGS = Settings(Path("nowhere.db"))
PASSWORD = "correct horse battery"  # noqa: S105 - nobody's
PROBLEM = "application/problem+json"


def make_app(store: Store, judging: object = None, **changes: object) -> FastAPI:
    """The API at its place, without the pages around it."""
    app, api = FastAPI(), create_api(replace(SETTINGS, **changes), store)
    if judging is not None:
        api.state.judging = judging
    app.mount("/api/v1", api)
    return app


def program(app: FastAPI, secret: str | None = None) -> TestClient:
    """A program that sends a token."""
    headers = {} if secret is None else {"Authorization": f"Bearer {secret}"}
    return TestClient(app, "http://test/api/v1/", headers=headers)


def secret_of(store: Store, account_id: int | None, *scopes: str, days: int | None = None) -> str:
    """A token for an account."""
    _, secret = create_token(store, account_id, "test", scopes or ("read", "write"), days)
    return secret


def people(store: Store) -> dict[str, int]:
    """An owner, two teachers and an assistant."""
    roles = {"olga": OWNER, "teo": TEACHER, "tina": TEACHER, "ann": ASSISTANT}
    return {
        login: create_account(store, login, login.title(), role, PASSWORD) for login, role in roles.items()
    }


def refused(response, status: int, kind: str) -> dict:
    """What a refusal says; it must be a problem of this kind."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == PROBLEM
    said = response.json()
    assert said["type"] == f"/api/v1/docs#{kind}", said
    assert said["status"] == status
    assert said["title"]
    assert said["detail"]
    return said


def found_at(response) -> str:
    """Where what was made can be found, as `program` takes it."""
    root, _, path = response.headers["Location"].partition("/api/v1/")
    assert (root, bool(path)) == ("", True)
    return path
