"""The worker's process: started beside the web server, started again if it dies, gone when the server is."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from postil.workbench.jobs.machine import LoadMachine, load_machine
from postil.workbench.jobs.stopping import BreakableMachine, Stopped, Stopping, StopWorkingError
from postil.workbench.jobs.worker import forever, work
from postil.workbench.settings import Settings

_NICE = 10  # pages come first
_LOOK = 1.0  # seconds between looks whether the worker lives
_PATIENCE = 5.0  # seconds that it has to stop
_LOG = logging.getLogger(__name__)


@contextmanager
def running_worker(settings: Settings, load: LoadMachine = load_machine) -> Iterator[WorkerProcess]:
    """Inside, a worker does the jobs of the workbench."""
    worker = WorkerProcess(settings.database, load)
    try:
        yield worker
    finally:
        worker.stop()


class WorkerProcess:
    """A worker in a process of its own."""

    def __init__(self, database: Path | str, load: LoadMachine) -> None:
        self._arguments = (database, load)
        # Spawned, not forked: the server has threads and open connections.
        self._context = multiprocessing.get_context("spawn")
        self._stopping = threading.Event()
        self._process = self._started()
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()

    @property
    def pid(self) -> int | None:
        """The number of the process."""
        return self._process.pid

    def stop(self) -> None:
        """Tell the worker to stop; a job in its hands goes back into the queue."""
        self._stopping.set()
        self._watcher.join()
        self._process.terminate()
        self._process.join(_PATIENCE)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()

    def _started(self) -> multiprocessing.process.BaseProcess:
        process = self._context.Process(target=run, args=self._arguments, name="postil-worker", daemon=True)
        process.start()
        return process

    def _watch(self) -> None:
        while not self._stopping.wait(_LOOK):
            if not self._process.is_alive():
                _LOG.warning("the worker stopped (%s) and is started again", self._process.exitcode)
                self._process = self._started()


def run(database: Path | str, load: LoadMachine) -> None:
    """What the process does: work until it is told to stop or the server is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which then stops this
    _work(database, load, _alone, [signal.SIGTERM])


def work_here(database: Path | str, load: LoadMachine) -> None:
    """Work in this process until it is told to stop, by a service manager or by Ctrl-C."""
    _work(database, load, forever, [signal.SIGTERM, signal.SIGINT])


def _work(
    database: Path | str, load: LoadMachine, stopped: Stopped, signals: Sequence[signal.Signals]
) -> None:
    """Work until one of the signals comes, or `stopped` says so."""
    stopping = Stopping()
    for number in signals:
        signal.signal(number, stopping.tell)
    if hasattr(os, "nice"):
        os.nice(_NICE)
    name = f"worker {os.getpid()}"
    with suppress(StopWorkingError):
        work(
            database, partial(BreakableMachine, load, stopping), name=name, stopped=stopping.waiting(stopped)
        )


def _alone(seconds: float) -> bool:
    """Wait for so long, and say whether the server is gone."""
    server = multiprocessing.parent_process()
    if server is None:
        return False
    server.join(seconds)
    return not server.is_alive()
