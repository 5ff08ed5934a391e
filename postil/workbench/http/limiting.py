"""How often somebody may ask: a limit for each person, and one for each address nobody is logged in from."""

from __future__ import annotations

import time
from math import ceil

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

from postil.workbench.settings import Settings


class Limits:
    """The requests of the last minute, counted in memory: each server process counts its own."""

    def __init__(self, settings: Settings) -> None:
        self._limiter = MovingWindowRateLimiter(MemoryStorage())
        self._person = RateLimitItemPerMinute(settings.person_per_minute)
        self._stranger = RateLimitItemPerMinute(settings.stranger_per_minute)

    def person(self, who: str) -> int:
        """Count a request of somebody who is known; returns the seconds to wait if it is one too many."""
        return self._count(self._person, "person", who)

    def stranger(self, address: str) -> int:
        """Count a request from an address; returns the seconds to wait if it is one too many."""
        return self._count(self._stranger, "address", address)

    def _count(self, limit: RateLimitItemPerMinute, kind: str, who: str) -> int:
        if self._limiter.hit(limit, kind, who):
            return 0
        again = self._limiter.get_window_stats(limit, kind, who).reset_time
        return max(1, ceil(again - time.time()))
