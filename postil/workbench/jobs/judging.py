"""The process that judges: started at the first request, restarted if it dies, ended with the server.

Pages and judgements must not wait for each other, and models need memory; so the models live beside the web
server, in one process. It keeps nothing, and what it is given appears in no message and no log. People take
turns: whoever sends much waits for their own requests. What would take too long is refused beforehand.
"""

from __future__ import annotations

import asyncio
import threading
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Hashable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field

from postil.errors import PostilError
from postil.workbench.jobs.limited import FailedError, Failure, LimitedProcess, NotReadyError
from postil.workbench.jobs.readers import reader_price

Plain = Mapping[str, object]  # what goes into JSON as it is
TextPair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ClassTask:
    """Answers to a question, to be judged; `decided` has answers that a person has labelled already.

    With `explain` each answer is compared with the reference in words; with `with_facets`, the findings have
    the facets named in `facets`, or else the points of the reference.
    """

    question: str
    references: tuple[str, ...]
    answers: tuple[str, ...]
    decided: tuple[tuple[str, str], ...] = ()
    scheme: str = "5way"
    explain: bool = False
    with_facets: bool = False
    facets: tuple[str, ...] | None = None
    strictness: str = "normal"
    reader: str | None = None  # the one that is installed
    pupils: str = "older"


@dataclass(frozen=True, slots=True)
class AlignTask:
    """Pairs of sentences whose chunks are to be aligned; warnings name them by `ids`, or by number."""

    pairs: tuple[TextPair, ...]
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EntailTask:
    """Pairs of a text and a hypothesis; warnings name them by `ids`, or by number."""

    pairs: tuple[TextPair, ...]
    scheme: str = "3way"
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FacetsTask:
    """Answers in which to look for the facets of a reference, or for those named.

    Warnings name answers by `ids`, or by number.
    """

    question: str
    reference: str
    answers: tuple[str, ...]
    facets: tuple[str, ...] | None = None
    ids: tuple[str, ...] = ()


Task = ClassTask | AlignTask | EntailTask | FacetsTask


@dataclass(frozen=True, slots=True)
class Findings:
    """What the response says of each answer or pair, in order.

    `warnings` are about a class's question, or say which texts were not read to their end.
    """

    items: list[Plain]
    warnings: tuple[str, ...] = ()


Judge = Callable[[Task], Findings]
LoadJudge = Callable[[], Judge]


def load_judge() -> Judge:
    """The library with its models; only this imports what is slow to import."""
    from postil.workbench.jobs.library import judge, warm_up

    warm_up()
    return judge


MOST_WAITING = 64  # requests of all people together
MOST_OWN = 8  # requests of one person, with the one that is being done
LIMIT = 30.0  # seconds from a request to its answer
TASK_LIMIT = 10.0  # seconds that judging may take, once the models are loaded
_NICE = 5  # pages come first, jobs last
_AGAIN = 5  # seconds until it is worth trying again
SMALLER = "Send fewer or shorter texts at once, or store the answers in a course and start a job."


class TooBusyError(PostilError):
    """Judging is not possible now; `retry_after` are the seconds after which it may be, if that is known."""

    def __init__(self, what: str, *, hint: str = "", retry_after: int | None = None) -> None:
        super().__init__(what, hint=hint)
        self.retry_after = retry_after


class TooManyError(TooBusyError):
    """Too many requests of one person are waiting; others are served."""


class TooMuchError(PostilError):
    """What was sent takes too much time or memory."""


@dataclass(frozen=True, slots=True, eq=False)
class _Request:
    """A task, and what becomes of it."""

    task: Task
    person: Hashable
    future: Future[Findings] = field(default_factory=Future)


class JudgingProcess:
    """Judges one task after the other, for one person after the other; few may wait, and none for long."""

    def __init__(
        self,
        load: LoadJudge = load_judge,
        *,
        memory: int = 0,
        most_waiting: int = MOST_WAITING,
        most_own: int = MOST_OWN,
        limit: float = LIMIT,
        task_limit: float = TASK_LIMIT,
    ) -> None:
        self._process = LimitedProcess(load, memory=memory, nice=_NICE)
        self._most, self._most_own = most_waiting, most_own
        self._limit, self._task_limit = limit, task_limit
        self._changed = threading.Condition()
        self._waiting: OrderedDict[Hashable, deque[_Request]] = OrderedDict()  # whoever is next comes first
        self._open: Counter[Hashable] = Counter()  # requests by person, waiting or being judged
        self._served: Hashable = None  # whose turn was the last
        self._server: threading.Thread | None = None
        self._closed = False

    async def do(self, task: Task, person: Hashable = None) -> Findings:
        """Do a task for a person; raises `TooBusyError` if too many wait, `TooMuchError` if it is too big."""
        request = _Request(task, person)
        self._admit(request)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(request.future), self._limit)
        except TimeoutError as error:
            begun = not request.future.cancel()
            what = "is taking too long" if begun else "is not possible now: others came first"
            raise TooBusyError(
                f"judging this {what}; it was given up after {self._limit:.0f} seconds.",
                hint=SMALLER if begun else "Try again in a few seconds.",
                retry_after=None if begun else _AGAIN,
            ) from error
        finally:
            self._forget(request)

    def close(self) -> None:
        """End the process, whatever it is doing."""
        with self._changed:
            self._closed = True
            waiting = [request for own in self._waiting.values() for request in own]
            self._waiting.clear()
            self._changed.notify()
        self._process.close()
        for request in waiting:
            if request.future.set_running_or_notify_cancel():
                request.future.set_exception(_closing())

    def _admit(self, request: _Request) -> None:
        """Put a request behind the person's others."""
        with self._changed:
            if self._closed:
                raise _closing()
            if self._open[request.person] >= self._most_own:
                what = f"{self._open[request.person]} of your requests are waiting to be judged."
                raise TooManyError(what, hint="Wait for their answers.", retry_after=_AGAIN)
            if self._open.total() > self._most:
                what = "too many texts are being judged at this moment."
                raise TooBusyError(what, hint="Try again in a few seconds.", retry_after=_AGAIN)
            self._open[request.person] += 1
            self._waiting.setdefault(request.person, deque()).append(request)
            if self._server is None:
                self._server = threading.Thread(target=self._serve, name="postil-judging", daemon=True)
                self._server.start()
            self._changed.notify()

    def _forget(self, request: _Request) -> None:
        """Drop a request that has been answered or given up."""
        with self._changed:
            own = self._waiting.get(request.person)
            if own and request in own:
                own.remove(request)
                if not own:
                    del self._waiting[request.person]
            self._open[request.person] -= 1
            self._open += Counter()  # without those who have none

    def _next(self) -> _Request | None:
        """Wait for a request: the first of the person who has waited longest for a turn; None at the end."""
        with self._changed:
            while not self._waiting and not self._closed:
                self._changed.wait()
            if self._closed:
                return None
            if self._served in self._waiting:
                self._waiting.move_to_end(self._served)  # nobody has two turns while others wait
            person, own = self._waiting.popitem(last=False)
            self._served, request = person, own.popleft()
            if own:
                self._waiting[person] = own  # behind all others
            return request

    def _serve(self) -> None:
        while (request := self._next()) is not None:
            if not request.future.set_running_or_notify_cancel():
                continue  # given up while it waited
            try:
                findings = self._judged(request.task)
            except Exception as error:  # noqa: BLE001 - the caller gets the error
                request.future.set_exception(_closing() if self._closed else error)
            else:
                request.future.set_result(findings)

    def _seconds(self, task: Task) -> float:
        """How long a task may take; a reader that is not the usual one may have to be loaded first."""
        named = task.reader if isinstance(task, ClassTask) else None
        return self._task_limit + (reader_price(named).loading if named else 0.0)

    def _judged(self, task: Task) -> Findings:
        """Do a task; if the process dies, once more: something else may have killed it."""
        for _ in range(2):
            try:
                findings: Findings = self._process.call("__call__", task, seconds=self._seconds(task))
            except FailedError as failure:
                if failure.why is Failure.TIME:
                    what = f"judging this took longer than {self._task_limit:.0f} seconds, so it was stopped."
                    raise TooMuchError(what, hint=SMALLER) from None
                if failure.why is Failure.MEMORY:
                    what = "judging this takes more memory than there is for it."
                    raise TooMuchError(what, hint=SMALLER) from None
                if failure.why is Failure.FAULT:
                    raise RuntimeError(f"judging failed: {failure.where}") from None
            except NotReadyError as error:
                raise TooBusyError(error.what, hint=error.hint, retry_after=_AGAIN) from None
            else:
                return findings
        what = "judging this crashed the judging process twice."
        raise TooMuchError(what, hint="Send its texts one at a time to find the one that cannot be judged.")


def _closing() -> TooBusyError:
    return TooBusyError("the server is closing.", retry_after=_AGAIN)
