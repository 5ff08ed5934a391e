from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlalchemy import update
from sqlalchemy.orm import Session

from postil.errors import PostilError
from postil.workbench.records import LOCAL
from postil.workbench.store import access
from postil.workbench.store.access import create_token, find_token, list_tokens, revoke_token
from postil.workbench.store.accounts import close_account, create_account, reopen_account
from postil.workbench.store.database import Store, StoreAwayError
from postil.workbench.store.tables import AccountRow


@pytest.fixture
def teo(store):
    create_account(store, "olga", "Olga", "owner", "correct horse battery")
    return create_account(store, "teo", "Teo", "teacher", "correct horse battery")


def test_a_token_speaks_for_its_account(store, teo):
    token, secret = create_token(store, teo, " grade  book ", ["write", "read"], 30)
    assert secret.startswith("postil_")
    assert len(secret) > 40
    assert (token.name, token.scopes, token.used, token.expired) == (
        "grade book",
        ("read", "write"),
        None,
        False,
    )
    person, found = find_token(store, secret)
    assert (person.id, person.login, found.id) == (teo, "teo", token.id)
    assert list_tokens(store, teo)[0].used is not None
    assert list_tokens(store, None) == []


def test_without_an_account_it_is_the_local_persons(store, teo):
    token, secret = create_token(store, None, "own", ["judge"], None)
    assert find_token(store, secret) == (LOCAL, token)
    assert [one.id for one in list_tokens(store, None)] == [token.id]


def test_the_secret_is_not_kept(store, teo):
    _, secret = create_token(store, teo, "x", ["read"], None)
    with store.reading() as session:
        row = session.scalars(access.select(access.TokenRow)).one()
        assert secret not in f"{vars(row)}"
    for wrong in ("", "postil_", secret[:-1], secret + "x", secret.upper(), "\0", "\ud800"):
        assert find_token(store, wrong) is None


def test_it_ends(store, teo, monkeypatch):
    token, secret = create_token(store, teo, "x", ["read"], 1)
    revoke_token(store, teo, token.id)
    assert find_token(store, secret) is None
    with pytest.raises(PostilError, match="does not exist"):
        revoke_token(store, teo, token.id)
    _, secret = create_token(store, teo, "x", ["read"], 1)
    real = access.now
    monkeypatch.setattr(access, "now", lambda: real() + timedelta(days=1))
    assert find_token(store, secret) is None


def test_nobody_revokes_anothers(store, teo):
    token, secret = create_token(store, teo, "x", ["read"], None)
    for other in (None, teo - 1):
        with pytest.raises(PostilError, match="does not exist"):
            revoke_token(store, other, token.id)
    assert find_token(store, secret)


def test_a_closed_account_has_none(store, teo):
    _, secret = create_token(store, teo, "x", ["read"], None)
    close_account(store, teo, None)
    assert find_token(store, secret) is None
    with pytest.raises(PostilError, match="closed"):
        create_token(store, teo, "x", ["read"], None)
    reopen_account(store, teo)
    assert find_token(store, secret) is None


def test_its_use_is_written_down_once_a_minute(store, teo, monkeypatch):
    _, secret = create_token(store, teo, "x", ["read"], None)
    find_token(store, secret)
    first = list_tokens(store, teo)[0].used
    find_token(store, secret)
    assert list_tokens(store, teo)[0].used == first
    real = access.now
    monkeypatch.setattr(access, "now", lambda: real() + timedelta(seconds=61))
    find_token(store, secret)
    assert list_tokens(store, teo)[0].used > first


@pytest.mark.parametrize(
    ("name", "scopes", "days"),
    [
        ("", ["read"], 1),
        (" ", ["read"], 1),
        ("x" * 101, ["read"], 1),
        ("x", [], 1),
        ("x", ["root"], 1),
        ("x", ["read", "root"], 1),
        ("x", ["read"], 0),
        ("x", ["read"], 3651),
    ],
)
def test_tokens_that_cannot_be(store, teo, name, scopes, days):
    with pytest.raises(PostilError):
        create_token(store, teo, name, scopes, days)
    assert list_tokens(store, teo) == []


def test_not_any_number_of_them(store, teo, monkeypatch):
    monkeypatch.setattr(access, "MOST_TOKENS", 2)
    for _ in range(2):
        create_token(store, teo, "x", ["read"], None)
    with pytest.raises(PostilError, match="2 tokens"):
        create_token(store, teo, "x", ["read"], None)


def test_who_reads_does_not_wait_for_those_who_write(store, teo, monkeypatch):
    _, secret = create_token(store, teo, "x", ["read"], None)

    def busy(_):
        raise StoreAwayError("the workbench's file cannot be used now.")

    monkeypatch.setattr(Store, "writing", busy)
    person, _ = find_token(store, secret)
    assert person.id == teo


def test_an_account_that_is_being_closed_gets_no_token(postgres_store):
    create_account(postgres_store, "olga", "Olga", "owner", "correct horse battery")
    teo = create_account(postgres_store, "teo", "Teo", "teacher", "correct horse battery")
    closing = Session(postgres_store._writer)
    with closing, closing.begin(), ThreadPoolExecutor(1) as pool:
        closing.execute(update(AccountRow).where(AccountRow.id == teo).values(closed=access.now()))
        made = pool.submit(create_token, postgres_store, teo, "x", ["read"], None)
        with pytest.raises(TimeoutError):
            made.result(0.3)  # it waits
        closing.commit()
        with pytest.raises(PostilError, match="closed"):
            made.result(10)
    assert list_tokens(postgres_store, teo) == []
