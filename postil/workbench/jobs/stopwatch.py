"""How long the stages of a job take."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


class Stopwatch:
    """The seconds spent in each stage that were not taken to be counted yet."""

    def __init__(self) -> None:
        self._spent: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Inside, a stage goes on."""
        begun = time.monotonic()
        try:
            yield
        finally:
            self._spent[name] = self._spent.get(name, 0.0) + time.monotonic() - begun

    def take(self) -> dict[str, float]:
        """What was spent since this was last asked."""
        spent, self._spent = self._spent, {}
        return spent
