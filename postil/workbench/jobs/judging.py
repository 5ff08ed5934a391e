"""The process that judges: started at the first request, started again if it dies, gone with the server.

Pages and judgements must not wait for each other, and models need memory; so the models live beside the web
server, in one process. It keeps nothing, and what it is given appears in no message and no log.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Protocol

from postil.batch.processes import LeashedPool, lower_priority
from postil.errors import PostilError, origin

# What a request can ask for, and who answers it: the library, or something simple in a test.

Plain = Mapping[str, object]  # what goes into JSON as it is
TextPair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ClassTask:
    """Answers to a question, to be judged; `decided` has answers that a person has labelled already.

    With `explain` each answer is put beside the reference, in words. Facets are told where `with_facets` is
    set: those named in `facets`, or else the points of the reference.
    """

    question: str
    references: tuple[str, ...]
    answers: tuple[str, ...]
    decided: tuple[tuple[str, str], ...] = ()
    scheme: str = "5way"
    explain: bool = False
    with_facets: bool = False
    facets: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class AlignTask:
    """Pairs of sentences whose chunks are to be aligned."""

    pairs: tuple[TextPair, ...]


@dataclass(frozen=True, slots=True)
class EntailTask:
    """Pairs of a text and a hypothesis."""

    pairs: tuple[TextPair, ...]
    scheme: str = "3way"


@dataclass(frozen=True, slots=True)
class FacetsTask:
    """Answers in which to look for the facets of a reference, or for those named."""

    question: str
    reference: str
    answers: tuple[str, ...]
    facets: tuple[str, ...] | None = None


Task = ClassTask | AlignTask | EntailTask | FacetsTask


@dataclass(frozen=True, slots=True)
class Findings:
    """What the response says of each answer or pair of a task, in order.

    `warnings` tell of a class what is wrong with its question or references, so that nobody could judge well.
    """

    items: list[Plain]
    warnings: tuple[str, ...] = ()


class Judge(Protocol):
    """Does what a request asks for."""

    def __call__(self, task: Task) -> Findings:
        """Do a task."""
        ...


LoadJudge = Callable[[], Judge]


def load_judge() -> Judge:
    """The library; only this imports what is slow to import."""
    from postil.workbench.jobs.library import judge

    return judge


MOST_WAITING = 16
LIMIT = 30.0  # seconds from a request to its answer
_NICE = 5  # pages come first, jobs last
_PATIENCE = 2  # times the limit, for a process that has done nothing yet: it may still be loading models
_AGAIN = 5  # seconds after which it is worth while to ask again


class TooBusyError(PostilError):
    """Judging is not possible now; `retry_after` are the seconds after which it may be, if that is known."""

    def __init__(self, what: str, *, hint: str = "", retry_after: int | None = None) -> None:
        super().__init__(what, hint=hint)
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class _Failed:
    """Why a task could not be done: an error that a person can mend, or where the fault is inside."""

    what: str
    hint: str = ""
    inside: bool = False


class JudgingProcess:
    """Judges one task after the other; few may wait, and none for long."""

    def __init__(
        self, load: LoadJudge = load_judge, *, most_waiting: int = MOST_WAITING, limit: float = LIMIT
    ) -> None:
        self._load = load
        self._most = most_waiting + 1  # and the one that is being done
        self._limit = limit
        self._lock = threading.Lock()
        self._pool: _Pool | None = None
        self._open = 0
        self._closed = False

    async def do(self, task: Task) -> Findings:
        """Do a task; raises `TooBusyError` where too many wait or it takes too long."""
        with self._lock:
            if self._open >= self._most:
                what = "too many texts are being judged at this moment."
                raise TooBusyError(what, hint="Try again in some seconds.", retry_after=_AGAIN)
            self._open += 1
        try:
            return _answered(await asyncio.wait_for(self._done(task), self._limit))
        except TimeoutError as error:
            raise TooBusyError(
                f"this was not judged within {self._limit:.0f} seconds.",
                hint="Send less at once, or store the answers in a course and start a job.",
            ) from error
        finally:
            with self._lock:
                self._open -= 1

    def close(self) -> None:
        """End the process, whatever it is doing."""
        with self._lock:
            self._closed = True
            pool, self._pool = self._pool, None
        if pool:
            pool.end()

    async def _done(self, task: Task) -> Findings | _Failed:
        pool = self._current()
        try:
            return await self._asked(pool, task)
        except BrokenProcessPool:
            self._end(pool)
        pool = self._current()
        try:
            return await self._asked(pool, task)
        except BrokenProcessPool as error:
            self._end(pool)
            raise TooBusyError("the process that judges has died twice.", retry_after=_AGAIN) from error

    async def _asked(self, pool: _Pool, task: Task) -> Findings | _Failed:
        future = pool.submit(task)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            if pool.is_lost_without(future, _PATIENCE * self._limit):
                self._end(pool)
            raise

    def _current(self) -> _Pool:
        with self._lock:
            if self._closed:
                raise TooBusyError("the server is closing.", retry_after=_AGAIN)
            if self._pool is None:
                self._pool = _Pool(self._load)
            return self._pool

    def _end(self, pool: _Pool) -> None:
        """End a process that has died or is given up; who needs one next starts another."""
        with self._lock:
            if self._pool is pool:
                self._pool = None
        pool.end()


class _Pool:
    """A process and the tasks that wait for it."""

    def __init__(self, load: LoadJudge) -> None:
        self._executor = LeashedPool(1, _begin, load)
        self._begun = time.monotonic()
        self._any_done = False
        self._waiting: list[Future[Findings | _Failed]] = []  # the first is the one that is being done
        self._unwanted: set[Future[Findings | _Failed]] = set()

    def submit(self, task: Task) -> Future[Findings | _Failed]:
        """Put a task behind the others."""
        future = self._executor.submit(_do, task)
        self._waiting.append(future)
        future.add_done_callback(self._note)
        return future

    def is_lost_without(self, future: Future[Findings | _Failed], patience: float) -> bool:
        """Whether, now that nobody waits for this task, the process works at something that nobody wants.

        One that has done nothing yet may have to load the models first, and gets more patience.
        """
        self._unwanted.add(future)
        lost = bool(self._waiting) and self._waiting[0] in self._unwanted
        return lost and (self._any_done or time.monotonic() - self._begun > patience)

    def end(self) -> None:
        """End the process at once; whoever waits learns that it is broken."""
        self._executor.end()  # in the middle of a task, if need be: nothing is lost, for nothing is kept

    def _note(self, future: Future[Findings | _Failed]) -> None:
        self._waiting.remove(future)
        self._unwanted.discard(future)
        self._any_done = self._any_done or not future.cancelled()


def _answered(given: Findings | _Failed) -> Findings:
    if not isinstance(given, _Failed):
        return given
    if given.inside:
        raise RuntimeError(given.what)
    raise PostilError(given.what, hint=given.hint)


# --- inside the process ---

_judge: Judge | None = None


def _begin(load: LoadJudge) -> None:
    global _judge
    lower_priority(_NICE)
    _judge = load()


def _do(task: Task) -> Findings | _Failed:
    """Do a task; an error travels without its traceback and, if it is ours, without its message."""
    if _judge is None:
        return _Failed("the process was not begun.", inside=True)
    try:
        return _judge(task)
    except PostilError as error:
        return _Failed(error.what, error.hint)
    except Exception as error:  # noqa: BLE001 - its message could hold a pupil's words
        return _Failed(f"judging failed: {origin(error)}", inside=True)
