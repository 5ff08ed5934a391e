"""Asks something of the database for monitors, who must have an answer soon, whatever the database does."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Generic, TypeVar

PATIENCE = 2.0  # seconds

_T = TypeVar("_T")


class Probe(Generic[_T]):
    """A question that one thread asks at a time; whoever asks meanwhile gets the same answer.

    It has a thread of its own: those of the pages may all be waiting for a database that hangs. Nobody can
    end that wait, so there is never a second: monitors come again and again.
    """

    def __init__(self, ask: Callable[[], _T]) -> None:
        self._ask = ask
        self._lock = threading.Lock()
        self._asked: Future[_T | None] | None = None

    async def answer(self, seconds: float = PATIENCE) -> _T | None:
        """The answer; None if there was an error, or none within so many seconds."""
        with self._lock:
            asked = self._asked
            if asked is None or asked.done():
                asked = Future()
                threading.Thread(target=self._run, args=(asked,), daemon=True).start()
                self._asked = asked  # not before somebody asks: what nobody asks is never answered
        waiting = asyncio.wrap_future(asked)
        # Not `wait_for`, which would cancel what others are waiting for.
        await asyncio.wait([waiting], timeout=seconds)
        return waiting.result() if waiting.done() else None

    def _run(self, asked: Future[_T | None]) -> None:
        try:
            asked.set_result(self._ask())
        except Exception:  # noqa: BLE001 - the answer is no, whatever it was
            asked.set_result(None)  # an error that comes too late for all who asked would go into the log
