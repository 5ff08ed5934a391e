"""The process that judges: started at the first request, started again if it dies, gone with the server.

Pages and judgements must not wait for each other, and models need memory; so the models live beside the web
server, in one process. It keeps nothing, and what it is given appears in no message and no log. People take
turns: whoever sends much waits for their own requests. What would take too long is refused beforehand.
"""

from __future__ import annotations

import asyncio
import re
import threading
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Hashable, Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field

from postil.errors import PostilError
from postil.language.network import MOST_OF_A_QUESTION, QUICK, default_reader
from postil.workbench.jobs.limited import FailedError, Failure, LimitedProcess, NotReadyError

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
_SMALLER = "Send fewer or shorter texts at once, or store the answers in a course and start a job."


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
                hint=_SMALLER if begun else "Try again in a few seconds.",
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

    def _judged(self, task: Task) -> Findings:
        """Do a task; if the process dies, once more: something else may have killed it."""
        for _ in range(2):
            try:
                findings: Findings = self._process.call("__call__", task, seconds=self._task_limit)
            except FailedError as failure:
                if failure.why is Failure.TIME:
                    what = f"judging this took longer than {self._task_limit:.0f} seconds, so it was stopped."
                    raise TooMuchError(what, hint=_SMALLER) from None
                if failure.why is Failure.MEMORY:
                    what = "judging this takes more memory than there is for it."
                    raise TooMuchError(what, hint=_SMALLER) from None
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


# What a task costs, estimated before anybody works on it. The prices were measured on one core of 2024, with
# models loaded, so that even hostile texts keep them (benchmarks/hostile.py --requests). A text is read only
# to a certain length, so it has a highest price.
MOST_SECONDS = 3.0
# A word or sign; a run of letters that is too long for a word counts as several.
_WORD = re.compile(r"\w{1,20}|[^\w\s]")

# The words of a text that count: for grading, for aligning, and of the two sides of entailment.
_GRADED, _ALIGNED, _PASSAGE, _HYPOTHESIS = 400, 200, 2_000, 200
_MOST_CLAIMS = 20
_IN_PASSAGE = 40  # words
_CLAUSE = re.compile(r"[.!?;:,]\s|\b(?:and|or|but|because|that|if|when|which|who|so)\b", re.IGNORECASE)

# Seconds.
_ANSWER, _ANSWER_WORD, _BESIDE_REFERENCE = 4e-3, 2.5e-4, 2.5e-7  # for a word beside one of a reference
# For the careful reader, up to so many words of a pair.
_CAREFUL, _CAREFUL_WORD, _CAREFUL_WORDS = 4e-3, 7e-4, 200
_PAIR, _PAIR_WORD, _BESIDE_WORD = 3e-3, 3e-4, 6e-6
_ALONE, _ALONE_WORD, _ALONE_BESIDE = 1e-2, 1e-3, 1.3e-5  # for a pair that is only aligned, and explained so
_CLAIM = 3e-3  # in a passage
_ENTAILED, _PASSAGE_WORD, _HYPOTHESIS_WORD, _BESIDE_HYPOTHESIS = 8e-3, 1.8e-4, 3.5e-4, 2.4e-6


def demand_affordable(task: Task) -> None:
    """Refuse a task that would keep others waiting for too long."""
    seconds = estimate(task)
    if seconds > MOST_SECONDS:
        what = f"judging this would take about {seconds:.0f} seconds; at most {MOST_SECONDS:.0f} are allowed."
        hint = "Send fewer or shorter texts at once, or store the answers in a course and start a job."
        raise TooMuchError(what, hint=hint)


def estimate(task: Task) -> float:
    """The seconds that a task takes on one core, about."""
    if isinstance(task, ClassTask):
        graded = _grading(task)
        if not (task.explain or task.with_facets):
            return graded
        longest = max(_count(reference, _ALIGNED) for reference in task.references)
        claims = task.facets or max(map(_claims, task.references))
        return graded + _aligning(longest, task.answers) + _looking_for(claims, task.answers)
    if isinstance(task, AlignTask):
        return sum(_aligning_pair(*pair) for pair in task.pairs)
    if isinstance(task, EntailTask):
        return sum(_entailing(text, hypothesis) for text, hypothesis in task.pairs)
    return _comparing(task)


def _grading(task: ClassTask) -> float:
    beside = sum(_count(reference, _GRADED) for reference in task.references)
    texts = [*task.answers, *(text for text, _ in task.decided)]
    words = sum(_count(text, _GRADED) for text in texts)
    read = _count(task.question, _GRADED) + beside
    price = _ANSWER * len(texts) + _ANSWER_WORD * (read + words) + _BESIDE_REFERENCE * words * beside
    if default_reader() == QUICK:
        return price
    longest = max(_count(reference, _GRADED) for reference in task.references)
    beside_answers = longest + min(_count(task.question, _GRADED), MOST_OF_A_QUESTION)
    pairs = sum(min(beside_answers + _count(text, _GRADED), _CAREFUL_WORDS) for text in texts)
    return price + _CAREFUL * len(texts) + _CAREFUL_WORD * pairs


def _comparing(task: FacetsTask) -> float:
    reference = _count(task.reference, _ALIGNED)
    return (
        _ANSWER * len(task.answers)
        + _PAIR_WORD * reference
        + _aligning(reference, task.answers)
        + _looking_for(task.facets or _claims(task.reference), task.answers)
    )


def _aligning(reference: int, texts: Iterable[str]) -> float:
    """The price of aligning texts with one that has this many words and has been read already."""
    counts = [_count(text, _ALIGNED) for text in texts]
    return _PAIR * len(counts) + (_PAIR_WORD + _BESIDE_WORD * reference) * sum(counts)


def _aligning_pair(source: str, target: str) -> float:
    first, second = _count(source, _ALIGNED), _count(target, _ALIGNED)
    return _ALONE + _ALONE_WORD * (first + second) + _ALONE_BESIDE * first * second


def _looking_for(claims: tuple[str, ...] | int, answers: tuple[str, ...]) -> float:
    """The price of looking for claims, given or only counted, in answers, which are read in passages."""
    count = claims if isinstance(claims, int) else len(claims)
    return _CLAIM * count * sum(1 + _count(answer, _ALIGNED) / _IN_PASSAGE for answer in answers)


def _claims(reference: str) -> int:
    """How many claims a reference may make, by what could begin a clause."""
    return min(_MOST_CLAIMS, 1 + sum(1 for _ in _CLAUSE.finditer(reference)))


def _entailing(text: str, hypothesis: str) -> float:
    there, here = _count(text, _PASSAGE), _count(hypothesis, _HYPOTHESIS)
    words = _PASSAGE_WORD * there + _HYPOTHESIS_WORD * here
    price = _ENTAILED + words + _BESIDE_HYPOTHESIS * there * here
    if default_reader() == QUICK:
        return price
    return price + _CAREFUL + _CAREFUL_WORD * min(there + here, _CAREFUL_WORDS)


def _count(text: str, most: int) -> int:
    return min(most, sum(1 for _ in _WORD.finditer(text)))
