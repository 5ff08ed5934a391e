"""A process with limits of its own, for work that may take too long, use too much memory, or crash.

What it is given appears in no message and no log.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from postil.batch.processes import LeashedPool, limit_memory, limit_processor, lower_priority
from postil.errors import PostilError, origin

_LOADING = 120.0  # seconds that the models may take to load
_STARTS = 5  # processes that may die while they load, one after the other
_LOG = logging.getLogger(__name__)


class Failure(StrEnum):
    """Why a task was not done."""

    DEATH = "the process died"
    TIME = "it took too long"
    MEMORY = "it needed too much memory"
    FAULT = "there is a fault inside"


class FailedError(Exception):
    """A task that a process could not do; `where` is the place of a fault inside."""

    def __init__(self, why: Failure, where: str = "") -> None:
        super().__init__(f"{why}{where and f': {where}'}")
        self.why, self.where = why, where


class NotReadyError(PostilError):
    """There is no process, and it is not the task's fault."""


@dataclass(frozen=True, slots=True)
class _Refused:
    """An error that the user can correct, on its way back from the process."""

    what: str
    hint: str


@dataclass(frozen=True, slots=True)
class _Failed:
    """A failure that the process survived, on its way back."""

    why: Failure
    where: str = ""


class LimitedProcess:
    """A process that does one task after the other with what `load` gives it, under limits of its own.

    It is started when there is something to do, and replaced after it has died, or was ended because it took
    too long or had no memory left. `memory` is in megabytes, and 0 means without limit.
    """

    def __init__(self, load: Callable[[], object], *, memory: int = 0, nice: int = 0) -> None:
        self._load, self._memory, self._nice = load, memory, nice
        self._lock = threading.Lock()
        self._pool: LeashedPool | None = None
        self._closed = False

    def call(self, method: str, *arguments: object, seconds: float) -> Any:
        """Call a method of the loaded object; raises `FailedError`, or the method's own `PostilError`.

        The seconds count from when everything is loaded.
        """
        pool = self._ready()
        try:
            result = pool.submit(_do, method, arguments, seconds).result(seconds)
        except TimeoutError:
            self._end(pool)
            raise FailedError(Failure.TIME) from None
        except BrokenProcessPool:
            self._end(pool)
            raise FailedError(Failure.DEATH) from None
        except BaseException:  # the process around this one is told to stop
            self._end(pool)
            raise
        if isinstance(result, _Refused):
            raise PostilError(result.what, hint=result.hint)
        if isinstance(result, _Failed):
            if result.why is Failure.MEMORY:  # what is left may not be enough for the next task
                self._end(pool)
            raise FailedError(result.why, result.where)
        return result

    def close(self) -> None:
        """End the process, whatever it is doing; no other is started."""
        with self._lock:
            self._closed = True
            pool = self._pool
        if pool:
            self._end(pool)

    def _ready(self) -> LeashedPool:
        """A process that has loaded everything, so that no task is blamed for failures while loading."""
        for _ in range(_STARTS):
            with self._lock:
                if self._closed:
                    raise NotReadyError("the server is closing.")
                if self._pool is None:
                    self._pool = LeashedPool(1, _begin, self._memory, self._nice)
                pool = self._pool
            try:
                result = pool.submit(_prepare, self._load).result(_LOADING)
            except (BrokenProcessPool, TimeoutError):
                self._end(pool)
                continue
            except BaseException:
                self._end(pool)
                raise
            if isinstance(result, _Refused):
                raise PostilError(result.what, hint=result.hint)
            if not isinstance(result, _Failed):
                return pool
            self._end(pool)
            _LOG.warning("the models could not be loaded: %s", FailedError(result.why, result.where))
        what = "the models could not be loaded."
        raise NotReadyError(what, hint="They may need more memory: see --memory of `postil serve`.")

    def _end(self, pool: LeashedPool) -> None:
        with self._lock:
            if self._pool is pool:
                self._pool = None
        pool.end()


_loaded: Any = None  # inside the process


def _begin(memory: int, nice: int) -> None:
    lower_priority(nice)
    limit_memory(memory)


def _prepare(load: Callable[[], object]) -> _Refused | _Failed | None:
    global _loaded
    if _loaded is None:
        limit_processor(_LOADING)
        _loaded = _tried(load)
        if isinstance(_loaded, _Refused | _Failed):
            failed, _loaded = _loaded, None
            return failed
    return None


def _do(method: str, arguments: tuple[object, ...], seconds: float) -> Any:
    limit_processor(seconds)
    return _tried(lambda: getattr(_loaded, method)(*arguments))


def _tried(call: Callable[[], Any]) -> Any:
    """The result of a call, or its error without traceback; only a `PostilError` keeps its message."""
    try:
        return call()
    except PostilError as error:
        return _Refused(error.what, error.hint)
    except MemoryError:
        return _Failed(Failure.MEMORY)
    except Exception as error:  # noqa: BLE001 - its message could hold a pupil's words
        return _Failed(Failure.FAULT, origin(error))
