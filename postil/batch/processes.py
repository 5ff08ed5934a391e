"""Child processes: how they start, what they may use, how they end with their parent or are replaced.

Children are spawned, never forked: neither threads nor open connections survive a fork.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from math import ceil
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import FrameType

if sys.platform != "win32":  # which has no such limits
    import resource

_CONTEXT = multiprocessing.get_context("spawn")
_CHECK = 1.0  # seconds between checks that a supervised process is alive
_PATIENCE = 5.0  # seconds it has to stop in good order
_THREAD_LIMITS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_LOG = logging.getLogger(__name__)

# Waits that many seconds and returns whether to stop.
Wait = Callable[[float], bool]


class LeashedPool(ProcessPoolExecutor):
    """Processes that share the tasks submitted to them, and end when they are let go or their parent dies.

    Each holds one end of a pipe on which nothing is ever sent: when the parent closes the other end or is
    killed, the pipe ends, and the process with it. `begin` is called first in every process.
    """

    def __init__(self, workers: int, begin: Callable[..., None], *arguments: object) -> None:
        self._held, self._leash = _CONTEXT.Pipe(duplex=False)
        super().__init__(
            workers, _CONTEXT, initializer=_begin_leashed, initargs=(self._held, begin, arguments)
        )

    def end(self, *, wait: bool = False) -> None:
        """End the processes at once, even in the middle of a task; with `wait`, return when they are gone.

        Unfinished tasks fail with `BrokenProcessPool`; with `wait`, those not yet begun are cancelled.
        """
        processes = list((self._processes or {}).values())
        self._leash.close()
        self._held.close()
        for process in processes:  # a process stuck in a library may never check its leash
            process.kill()
        self.shutdown(wait=wait, cancel_futures=wait)

    def __exit__(self, *_: object) -> None:
        self.end(wait=True)


def _begin_leashed(leash: Connection, begin: Callable[..., None], arguments: tuple[object, ...]) -> None:
    ignore_interrupts()
    threading.Thread(target=_end_with, args=(leash,), daemon=True).start()
    begin(*arguments)


def _end_with(leash: Connection) -> None:
    leash.poll(None)
    os._exit(1)


@contextmanager
def single_threaded() -> Iterator[None]:
    """Inside, libraries of new processes use one thread each, unless the user has chosen otherwise.

    They would start a thread for every core in every process.
    """
    added = [name for name in _THREAD_LIMITS if name not in os.environ]
    os.environ.update(dict.fromkeys(added, "1"))
    try:
        yield
    finally:
        for name in added:
            del os.environ[name]


class SupervisedProcess:
    """A process that is started again when it dies, at most once a second, until it is stopped.

    It may have children of its own, which end with it.
    """

    def __init__(self, name: str, target: Callable[..., None], *arguments: object) -> None:
        self._name, self._target, self._arguments = name, target, arguments
        self._stopping = threading.Event()
        self._process = self._start()
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()

    @property
    def pid(self) -> int | None:
        """The id of the process that runs now."""
        return self._process.pid

    def stop(self) -> None:
        """Ask the process to stop, and kill it if it does not."""
        self._stopping.set()
        self._watcher.join()
        self._process.terminate()
        self._process.join(_PATIENCE)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()

    def _start(self) -> BaseProcess:
        process = _CONTEXT.Process(target=self._target, args=self._arguments, name=f"postil-{self._name}")
        process.start()
        return process

    def _watch(self) -> None:
        while not self._stopping.wait(_CHECK):
            if not self._process.is_alive():
                _LOG.warning("the %s died (exit code %s); restarting", self._name, self._process.exitcode)
                self._process = self._start()


def ignore_interrupts() -> None:
    """Leave Ctrl-C to the parent, which then ends its children."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def lower_priority(by: int) -> None:
    """Let other processes go first, where the system knows priorities."""
    if hasattr(os, "nice"):
        os.nice(by)


def limit_memory(megabytes: int) -> None:
    """Limit the memory that this process may allocate, where the system supports such limits.

    If the whole computer runs out of memory, this process is killed first, not its parent. A crash leaves
    no core dump, because the memory holds what people wrote.
    """
    if sys.platform == "win32":
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if megabytes:
        _, most = resource.getrlimit(resource.RLIMIT_DATA)
        allowed = megabytes * 1024 * 1024
        if most == resource.RLIM_INFINITY or allowed < most:
            resource.setrlimit(resource.RLIMIT_DATA, (allowed, most))
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("500", encoding="ascii")


def limit_processor(seconds: float) -> None:
    """Have the system kill this process once it has used every core for this many more seconds.

    Its parent allows less; this limit is for a process that loses its parent during an endless task.
    """
    if sys.platform == "win32":
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    allowed = ceil(used.ru_utime + used.ru_stime + seconds * (os.cpu_count() or 1)) + 1
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    if most == resource.RLIM_INFINITY or allowed < most:
        resource.setrlimit(resource.RLIMIT_CPU, (allowed, most))


def wait_for_parent(seconds: float) -> bool:
    """Wait for at most this many seconds, and return whether the parent process has ended."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return False
    parent.join(seconds)
    return not parent.is_alive()


def wait_forever(seconds: float) -> bool:
    """Wait, and never stop."""
    return threading.Event().wait(seconds)


class StopWorkingError(BaseException):
    """Raised in the middle of something when the process is asked to stop; nothing else may catch it."""


class Stopping:
    """Stops this process on request: at once while it computes or waits, but never inside a transaction.

    Signals come at any moment. One that raised an error inside a database driver would leave a connection in
    the middle of a query, and the error that follows could hide this one. So it is raised only where nothing
    can break; elsewhere it is remembered, and raised at the next such point.
    """

    def __init__(self, *signals: signal.Signals) -> None:
        self._asked = False
        self._breakable = False
        for number in signals:
            signal.signal(number, self.ask)

    def ask(self, _: int, __: FrameType | None) -> None:
        """Ask the process to stop; this is the signal handler."""
        self._asked = True
        if self._breakable:
            self._breakable = False  # a second signal must not interrupt giving the job back
            raise StopWorkingError

    @contextmanager
    def breakable(self) -> Iterator[None]:
        """Let the process be stopped at once, on entering the block and anywhere inside it."""
        try:
            self._breakable = True
            if self._asked:
                raise StopWorkingError
            yield
        finally:
            self._breakable = False

    def waiting(self, wait: Wait) -> Wait:
        """Wrap a wait function so that the process can be stopped while it waits."""

        def stopped(seconds: float) -> bool:
            with self.breakable():
                return wait(seconds)

        return stopped
