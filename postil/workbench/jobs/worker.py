"""The worker: takes jobs from the queue, one after the other, and shows that it is alive while it works."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain, repeat
from pathlib import Path
from random import uniform
from secrets import token_hex
from typing import TypeVar

from postil.batch.processes import (
    Stopping,
    StopWorkingError,
    SupervisedProcess,
    Wait,
    ignore_interrupts,
    lower_priority,
    wait_for_parent,
    wait_forever,
)
from postil.errors import PostilError, origin
from postil.workbench.jobs.grading import LoadMachine, Machine, load_machine
from postil.workbench.jobs.isolation import IsolatedMachine
from postil.workbench.records import Job
from postil.workbench.settings import MEMORY, Settings
from postil.workbench.store import jobs
from postil.workbench.store.database import Store, StoreAwayError, open_store
from postil.workbench.store.drafts import forget_drafts
from postil.workbench.store.jobs import LEASE_SECONDS, LeaseLostError, leave, show_life

_EVERY = 20.0  # seconds between rounds of housekeeping
_NICE = 10  # pages come first
POLL = 0.3  # seconds between looks at an empty queue
_SPREAD = (0.8, 1.2)  # random factors: workers started together do not poll in step for ever
_BEAT = 3.0  # seconds between signs of life
_PAUSES = (0.1, 0.3, 1.0, 2.0, 5.0)  # seconds to wait for an unavailable database; the last is repeated
_LOG = logging.getLogger(__name__)

_T = TypeVar("_T")


class Housekeeping:
    """What a worker does beside its jobs, every so often: shows that it is alive, and deletes old uploads."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._name = token_hex(8)
        self._again = 0.0

    def do(self) -> None:
        """Do the housekeeping if it is due; whatever fails now is retried the next time."""
        if time.monotonic() < self._again:
            return
        self._again = time.monotonic() + _EVERY
        with suppress(PostilError):
            show_life(self._store, self._name)
            forget_drafts(self._store)

    def end(self) -> None:
        """Record that the worker is stopping."""
        with suppress(PostilError):
            leave(self._store, self._name)


def work(
    database: Path | str,
    load: LoadMachine = load_machine,
    *,
    name: str = "worker",
    stopped: Wait | None = None,
    stale: float = LEASE_SECONDS,
    batch: int | None = None,
) -> None:
    """Work until told to stop.

    Without `stopped`, the worker goes on for ever. `stale` and `batch` are as in `jobs.lease_job` and
    `grading.run`. The machine is loaded when the first job comes.
    """
    wait = stopped or wait_forever
    store = _patiently(lambda: open_store(database), wait)
    machine: Machine | None = None
    house = Housekeeping(store)
    try:
        while True:
            house.do()
            job = _patiently(lambda: _claimed(store, name, stale), wait)
            if job is not None:
                machine = machine or load()
                do(store, job, machine, batch=batch, stopped=wait, beside=house.do)
            if wait(0 if job else POLL * uniform(*_SPREAD)):  # noqa: S311 - no secret
                return
    finally:
        house.end()
        store.close()


def do(
    store: Store,
    job: Job,
    machine: Machine,
    *,
    batch: int | None = None,
    stopped: Wait | None = None,
    beside: Callable[[], None] | None = None,
) -> None:
    """Do one job; if it fails, the worker carries on and the teacher gets a message.

    While the database is away the worker waits, and then goes on with what is left of the job, unless
    somebody else has taken it over. `beside` is called now and then meanwhile, in another thread.
    """
    from postil.workbench.jobs import grading  # numbers and matrices; nobody needs them before there is a job

    wait = stopped or wait_forever

    def attempt() -> None:
        grading.run(store, jobs.renew_lease(store, job), machine, batch=batch or grading.BATCH)

    def fail(message: str) -> None:
        with suppress(PostilError):
            _patiently(lambda: jobs.fail(store, job, message), wait)

    try:
        with _beating(store, job, beside):
            _patiently(attempt, wait)
    except LeaseLostError:
        return  # deleted, or its question was changed, or somebody else has it: nobody waits for this
    except StopWorkingError:
        with suppress(PostilError):
            jobs.release_lease(store, job)
        raise
    except PostilError as error:
        fail(str(error))
    except Exception as error:  # noqa: BLE001 - one broken job must not stop the others
        _LOG.error("job %d (%s) failed: %s", job.id, job.kind, origin(error))
        what = f"something went wrong inside ({type(error).__name__})."
        fail(f"{what} Start it again; if it happens again, please report it.")


def _claimed(store: Store, name: str, stale: float) -> Job | None:
    try:
        return jobs.lease_job(store, name, expires_after=stale)
    except StoreAwayError:
        raise
    except PostilError as error:  # the file cannot be used: it may be so again soon
        _LOG.warning("the queue cannot be read: %s", error)
        return None


def _patiently(call: Callable[[], _T], wait: Wait) -> _T:
    """Call, and retry while the database is unavailable: without it, there is nothing else to do."""
    for pause in chain(_PAUSES, repeat(_PAUSES[-1])):
        try:
            return call()
        except StoreAwayError as error:
            if pause == _PAUSES[0]:
                _LOG.warning("waiting for the database: %s", error)
            if wait(pause):
                raise StopWorkingError from error
    raise AssertionError("the pauses never end")


@contextmanager
def _beating(store: Store, job: Job, beside: Callable[[], None] | None) -> Iterator[None]:
    """Renew the job's lease in a thread while the block runs, as judging a class can take a minute."""
    done = threading.Event()

    def beat() -> None:
        while not done.wait(_BEAT):
            # If this fails, the lease runs out, and another worker takes the job over.
            with suppress(PostilError):
                jobs.renew_lease(store, job)
            if beside:
                beside()

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


@contextmanager
def running_worker(settings: Settings, load: LoadMachine = load_machine) -> Iterator[SupervisedProcess]:
    """Run a worker during the block; a job that it has not finished goes back into the queue."""
    worker = SupervisedProcess("worker", run, settings.database, load, settings.memory)
    try:
        yield worker
    finally:
        worker.stop()


def run(database: Path | str, load: LoadMachine, memory: int) -> None:
    """What the process does: work until it is asked to stop or the server is gone."""
    ignore_interrupts()
    _work(database, load, memory, wait_for_parent, Stopping(signal.SIGTERM))


def work_here(database: Path | str, load: LoadMachine, memory: int = MEMORY) -> None:
    """Work in this process until it is asked to stop, by a service manager or by Ctrl-C.

    The machine works in another, which may have so many megabytes of memory.
    """
    _work(database, load, memory, wait_forever, Stopping(signal.SIGTERM, signal.SIGINT))


def _work(database: Path | str, load: LoadMachine, memory: int, wait: Wait, stopping: Stopping) -> None:
    lower_priority(_NICE)
    machine = IsolatedMachine(load, memory=memory, breakable=stopping.breakable)
    try:
        with suppress(StopWorkingError):
            work(database, lambda: machine, name=f"worker {os.getpid()}", stopped=stopping.waiting(wait))
    finally:
        machine.close()
