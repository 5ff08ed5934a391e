"""How a worker is told to stop: at once while it thinks or waits, never while it speaks with the database."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

from postil.data.judgements import Judgement
from postil.workbench.jobs.machine import LoadMachine, Machine
from postil.workbench.records import Question

# Waits so many seconds and says whether to stop.
Stopped = Callable[[float], bool]


class StopWorkingError(BaseException):
    """Raised in the middle of something when the worker is told to stop; nothing else may catch it."""


class Stopping:
    """Whether the worker was told to stop.

    Signals come at any moment. One that raised an error inside a driver would leave a connection in the
    middle of a question, and the error that comes of that could hide this one. So it is raised only where
    nothing can break; elsewhere it is noted, and raised at the next such place.
    """

    def __init__(self) -> None:
        self._told = False
        self._breakable = False

    def tell(self, _: int, __: FrameType | None) -> None:
        """Tell it; made to be the handler of a signal."""
        self._told = True
        if self._breakable:
            self._breakable = False  # a second signal must not be heard while the job is given back
            raise StopWorkingError

    @contextmanager
    def breakable(self) -> Iterator[None]:
        """Inside, and at its beginning, the worker can be stopped at once."""
        try:
            self._breakable = True
            if self._told:
                raise StopWorkingError
            yield
        finally:
            self._breakable = False

    def waiting(self, wait: Stopped) -> Stopped:
        """The same way to wait, in which the worker can be stopped."""

        def stopped(seconds: float) -> bool:
            with self.breakable():
                return wait(seconds)

        return stopped


class BreakableMachine:
    """A machine that can be stopped while it works; it is loaded when it is first asked for something."""

    def __init__(self, load: LoadMachine, stopping: Stopping) -> None:
        self._load = load
        self._stopping = stopping
        self._loaded: Machine | None = None

    @contextmanager
    def _machine(self) -> Iterator[Machine]:
        with self._stopping.breakable():
            self._loaded = self._loaded or self._load()
            yield self._loaded

    def judge(
        self, question: Question, answers: Sequence[str], decided: Sequence[str | None]
    ) -> list[Judgement]:
        """Judge a whole class."""
        with self._machine() as machine:
            return machine.judge(question, answers, decided)

    def explain(
        self, question: Question, answers: Sequence[str], judgements: Sequence[Judgement]
    ) -> list[Judgement]:
        """Explain some of the judgements."""
        with self._machine() as machine:
            return machine.explain(question, answers, judgements)

    def propose(self, question: Question, answers: Sequence[str], count: int) -> list[int]:
        """The places of the answers to label first."""
        with self._machine() as machine:
            return machine.propose(question, answers, count)

    def facets(self, question: Question) -> list[str]:
        """What a full answer says."""
        with self._machine() as machine:
            return machine.facets(question)

    def group(self, answers: Sequence[str]) -> list[int]:
        """The numbers of the groups."""
        with self._machine() as machine:
            return machine.group(answers)
