"""Whether something may have been stored: for who must know if a request that failed can be done again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(slots=True)
class Watch:
    """Whether a transaction that writes has come to its end since; what broke off before stored nothing."""

    committed: bool = False


_WATCH: ContextVar[Watch | None] = ContextVar("watch", default=None)


@contextmanager
def watch_commits() -> Iterator[Watch]:
    """Watch what is stored from here on, also in threads that this one waits for."""
    watch = Watch()
    before = _WATCH.set(watch)
    try:
        yield watch
    finally:
        _WATCH.reset(before)


def note_commit() -> None:
    """Say that a transaction is being committed: if that fails, nobody knows whether it was stored."""
    watch = _WATCH.get()
    if watch is not None:
        watch.committed = True
