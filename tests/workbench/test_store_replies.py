from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

from postil.workbench.store import access
from postil.workbench.store.access import Reply, begin_reply, free_key, keep_reply


def test_a_key_is_taken_once(store):
    assert begin_reply(store, "token 1", "k", "request") is None
    assert begin_reply(store, "token 1", "k", "request") == Reply("request", None, "")
    keep_reply(store, "token 1", "k", 201, "{}")
    assert begin_reply(store, "token 1", "k", "another") == Reply("request", 201, "{}")


def test_callers_have_keys_of_their_own(store):
    assert begin_reply(store, "token 1", "1 k", "request") is None
    assert begin_reply(store, "token 1 1", "k", "request") is None


def test_what_was_given_up_is_free(store):
    begin_reply(store, "token 1", "k", "request")
    free_key(store, "token 1", "k")
    assert begin_reply(store, "token 1", "k", "another") is None


def test_a_day_later_it_is_forgotten(store, monkeypatch):
    begin_reply(store, "token 1", "k", "request")
    keep_reply(store, "token 1", "k", 200, "{}")
    real = access.now
    monkeypatch.setattr(access, "now", lambda: real() + timedelta(hours=23, minutes=59))
    assert begin_reply(store, "token 1", "k", "request").status == 200
    monkeypatch.setattr(access, "now", lambda: real() + timedelta(hours=24, seconds=1))
    assert begin_reply(store, "token 1", "k", "request") is None


def test_of_many_at_once_one_gets_it(store):
    start = Barrier(8)

    def take(number):
        start.wait()
        return begin_reply(store, "token 1", "k", f"request {number}")

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(take, range(8)))
    assert found.count(None) == 1
    winner = found.index(None)
    assert all(one is None or one == Reply(f"request {winner}", None, "") for one in found)
