from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

from postil.workbench.store import replies
from postil.workbench.store.replies import Reply, begin, finish, give_up


def test_a_key_is_taken_once(store):
    assert begin(store, "token 1", "k", "request") is None
    assert begin(store, "token 1", "k", "request") == Reply("request", None, "")
    finish(store, "token 1", "k", 201, "{}")
    assert begin(store, "token 1", "k", "another") == Reply("request", 201, "{}")


def test_callers_have_keys_of_their_own(store):
    assert begin(store, "token 1", "1 k", "request") is None
    assert begin(store, "token 1 1", "k", "request") is None


def test_what_was_given_up_is_free(store):
    begin(store, "token 1", "k", "request")
    give_up(store, "token 1", "k")
    assert begin(store, "token 1", "k", "another") is None


def test_a_day_later_it_is_forgotten(store, monkeypatch):
    begin(store, "token 1", "k", "request")
    finish(store, "token 1", "k", 200, "{}")
    real = replies.now
    monkeypatch.setattr(replies, "now", lambda: real() + timedelta(hours=23, minutes=59))
    assert begin(store, "token 1", "k", "request").status == 200
    monkeypatch.setattr(replies, "now", lambda: real() + timedelta(hours=24, seconds=1))
    assert begin(store, "token 1", "k", "request") is None


def test_of_many_at_once_one_gets_it(store):
    start = Barrier(8)

    def take(number):
        start.wait()
        return begin(store, "token 1", "k", f"request {number}")

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(take, range(8)))
    assert found.count(None) == 1
    winner = found.index(None)
    assert all(one is None or one == Reply(f"request {winner}", None, "") for one in found)
