"""What a worker does beside its jobs: shows that it is there, and deletes uploads whose time is over."""

from __future__ import annotations

import time
from contextlib import suppress
from secrets import token_hex

from postil.errors import PostilError
from postil.workbench.store.database import Store
from postil.workbench.store.drafts import forget_drafts
from postil.workbench.store.workers import leave, show_life

_EVERY = 20.0  # seconds


class Housekeeping:
    """Does it every so often, however often it is asked; what cannot be done now is done the next time."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._name = token_hex(8)
        self._again = 0.0

    def do(self) -> None:
        """Do it if it is time."""
        if time.monotonic() < self._again:
            return
        self._again = time.monotonic() + _EVERY
        with suppress(PostilError):
            show_life(self._store, self._name)
            forget_drafts(self._store)

    def end(self) -> None:
        """Say that the worker goes."""
        with suppress(PostilError):
            leave(self._store, self._name)
