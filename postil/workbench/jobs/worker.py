"""The worker: takes jobs from the queue, one after the other, and shows that it is alive while it works."""

from __future__ import annotations

import logging
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain, repeat
from pathlib import Path
from random import uniform
from typing import TypeVar

from postil.errors import PostilError
from postil.workbench.jobs.housekeeping import Housekeeping
from postil.workbench.jobs.machine import LoadMachine, Machine, load_machine
from postil.workbench.jobs.stopping import Stopped, StopWorkingError
from postil.workbench.records import Job
from postil.workbench.store import jobs
from postil.workbench.store.database import Store, StoreAwayError, open_store
from postil.workbench.store.jobs import STALE, JobGoneError

POLL = 0.3  # seconds between looks at an empty queue
_SPREAD = (0.8, 1.2)  # times that: workers that were started together do not look together for ever
_BEAT = 3.0  # seconds between signs of life
_PAUSES = (0.1, 0.3, 1.0, 2.0, 5.0)  # seconds to wait for a database that is away; the last goes on and on
_LOG = logging.getLogger(__name__)

_T = TypeVar("_T")


def work(
    database: Path | str,
    load: LoadMachine = load_machine,
    *,
    name: str = "worker",
    stopped: Stopped | None = None,
    stale: float = STALE,
    batch: int | None = None,
) -> None:
    """Work until told to stop.

    Without `stopped`, the worker goes on for ever. `stale` and `batch` are as in `jobs.claim` and
    `grading.run`. The machine is loaded when the first job comes.
    """
    wait = stopped or forever
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
    stopped: Stopped | None = None,
    beside: Callable[[], None] | None = None,
) -> None:
    """Do one job; whatever goes wrong, the worker lives on and the teacher reads a sentence.

    While the database is away the worker waits, and then goes on with what is left of the job, unless
    somebody else has taken it over. `beside` is called now and then meanwhile, in another thread.
    """
    from postil.workbench.jobs import grading  # numbers and matrices; nobody needs them before there is a job

    wait = stopped or forever

    def attempt() -> None:
        grading.run(store, jobs.resume(store, job), machine, batch=batch or grading.BATCH)

    def fail(message: str) -> None:
        with suppress(PostilError):
            _patiently(lambda: jobs.fail(store, job, message), wait)

    try:
        with _beating(store, job, beside):
            _patiently(attempt, wait)
    except JobGoneError:
        return  # deleted, or its question was changed, or somebody else has it: nobody waits for this
    except StopWorkingError:
        with suppress(PostilError):
            jobs.release(store, job)
        raise
    except PostilError as error:
        fail(str(error))
    except Exception as error:  # noqa: BLE001 - one broken job must not stop the others
        _LOG.error("job %d (%s) failed: %s", job.id, job.kind, _where(error))
        what = f"something went wrong inside ({type(error).__name__})."
        fail(f"{what} Start it again; if it happens again, please report it.")


def _claimed(store: Store, name: str, stale: float) -> Job | None:
    try:
        return jobs.claim(store, name, stale=stale)
    except StoreAwayError:
        raise
    except PostilError as error:  # the disk is full: it may not be so for long
        _LOG.warning("the queue cannot be read: %s", error)
        return None


def _patiently(call: Callable[[], _T], wait: Stopped) -> _T:
    """Call, and again and again while the database is away; until then nothing can be done anyway."""
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
    """Inside, a thread shows that the job is being worked on: judging a class can take a minute."""
    done = threading.Event()

    def beat() -> None:
        while not done.wait(_BEAT):
            # Where it cannot be told, the job will be found stale, and taken over.
            with suppress(PostilError):
                jobs.heartbeat(store, job)
            if beside:
                beside()

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _where(error: Exception) -> str:
    """The kind of an error and where it happened; its message could hold a pupil's words."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {Path(last.filename).name}, line {last.lineno}"


def forever(seconds: float) -> bool:
    """A way to wait for who is never told to stop."""
    return threading.Event().wait(seconds)
