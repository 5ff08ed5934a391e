"""The worker: takes jobs from the queue, one after the other, and shows that it is alive while it works."""

from __future__ import annotations

import logging
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from postil.errors import PostilError
from postil.service.jobs.machine import LoadMachine, Machine, load_machine
from postil.service.records import Job
from postil.service.store import jobs
from postil.service.store.database import Store, open_store
from postil.service.store.jobs import STALE, JobGoneError

POLL = 0.3  # seconds between looks at an empty queue
_BEAT = 3.0  # seconds between signs of life
_LOG = logging.getLogger(__name__)


class StopWorkingError(BaseException):
    """Raised in the middle of a job when the worker is told to stop; nothing but the worker may catch it."""


def work(
    database: Path,
    load: LoadMachine = load_machine,
    *,
    name: str = "worker",
    stopped: Callable[[float], bool] | None = None,
    stale: float = STALE,
    batch: int | None = None,
) -> None:
    """Work until told to stop.

    `stopped` waits so many seconds and says whether to stop; without it, the worker goes on for ever. `stale`
    and `batch` are as in `jobs.claim` and `grading.run`. The machine is loaded when the first job comes.
    """
    wait = stopped or _forever
    store = open_store(database)
    machine: Machine | None = None
    try:
        while True:
            job = _claimed(store, name, stale)
            if job is not None:
                machine = machine or load()
                do(store, job, machine, batch=batch)
            if wait(0 if job else POLL):
                return
    finally:
        store.close()


def do(store: Store, job: Job, machine: Machine, *, batch: int | None = None) -> None:
    """Do one job; whatever goes wrong, the worker lives on and the teacher reads a sentence."""
    from postil.service.jobs import grading  # numbers and matrices; nobody needs them before there is a job

    try:
        with _beating(store, job.id):
            grading.run(store, job, machine, batch=batch or grading.BATCH)
    except JobGoneError:
        return  # deleted, or its question was changed: nobody waits for it
    except StopWorkingError:
        _quietly(jobs.release, store, job.id)
        raise
    except PostilError as error:
        _quietly(jobs.fail, store, job.id, str(error))
    except Exception as error:  # noqa: BLE001 - one broken job must not stop the others
        _LOG.error("job %d (%s) failed: %s", job.id, job.kind, _where(error))
        message = (
            f"something went wrong inside ({type(error).__name__}). Start it again; if it happens again, "
        )
        _quietly(jobs.fail, store, job.id, f"{message}please report it.")


def _claimed(store: Store, name: str, stale: float) -> Job | None:
    try:
        return jobs.claim(store, name, stale=stale)
    except PostilError as error:  # the file is busy or the disk is full: it may not be so for long
        _LOG.warning("the queue cannot be read: %s", error)
        return None


@contextmanager
def _beating(store: Store, job_id: int) -> Iterator[None]:
    """Inside, a thread shows that the job is being worked on: judging a class can take a minute."""
    done = threading.Event()

    def beat() -> None:
        while not done.wait(_BEAT):
            _quietly(jobs.heartbeat, store, job_id)

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _quietly(call: Callable[..., None], *arguments: object) -> None:
    """Tell the store something; where it cannot be told, the job will be found stale, and taken over."""
    with suppress(PostilError):
        call(*arguments)


def _where(error: Exception) -> str:
    """The kind of an error and where it happened; its message could hold a pupil's words."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {Path(last.filename).name}, line {last.lineno}"


def _forever(seconds: float) -> bool:
    return threading.Event().wait(seconds)
