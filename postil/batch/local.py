"""The engine of one computer: worker processes that load the model once, and are replaced when they die."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from multiprocessing.connection import Connection

from postil.batch.dataset import plan
from postil.batch.storage import Source
from postil.batch.work import Done, Task, Work
from postil.batch.worker import judge_partition

MOST_TRIES = 3  # a partition that ends so many workers is not tried again
_MOST_IN_VAIN = 8  # times that workers may end one after the other with nothing judged in between
_IN_VAIN = (
    f"the workers ended {_MOST_IN_VAIN} times before anything was judged. Is there enough memory for them? "
    "See --workers."
)
_AHEAD = 2  # partitions handed out for each worker: one in its hands, one waiting
# Libraries would start a thread for every core in every worker.
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
Step = Task | Done


@dataclass(frozen=True, slots=True)
class LocalEngine:
    """Judges partitions in so many processes."""

    workers: int

    def run(self, work: Work, sources: Iterable[Source]) -> Generator[Done, None, None]:
        """Judge files; a worker that is killed takes nothing with it: what was under way is judged again.

        Who killed it cannot be known, so all that were under way count a try. What was under way twice is
        judged by one worker, one after the other, and shows what it is. Where workers end whatever they are
        given, as without the memory for a model, the run stops.
        """
        tries: Counter[Task] = Counter()
        steps = _steps(work, sources)
        lost: list[Task] = []
        in_vain = 0
        while True:
            suspects = [task for task in lost if tries[task] > 1]
            rest = [task for task in lost if tries[task] <= 1]
            again: list[Task] = []
            if suspects:
                left = iter(suspects)
                judged = yield from _run(work, left, again, workers=1, ahead=1)
                rest += left
            else:
                judged = yield from _run(work, chain(rest, steps), again, self.workers, _AHEAD * self.workers)
                rest = []
            in_vain = in_vain + 1 if again and not judged else 0
            for task in again:
                tries[task] += 1
                if in_vain >= _MOST_IN_VAIN:
                    yield Done(task.partition.source, task, error=_IN_VAIN, stop=True)
                if tries[task] >= MOST_TRIES:
                    yield Done(task.partition.source, task, error=_poisonous(task))
            lost = rest + [task for task in again if tries[task] < MOST_TRIES]
            if not lost and not suspects:
                return


def _run(
    work: Work, steps: Iterator[Step], lost: list[Task], workers: int, ahead: int
) -> Generator[Done, None, int]:
    """Judge until all is done or a worker dies; what was under way then is put into `lost`.

    So many partitions are handed out at a time. Says in the end how many were judged.
    """
    running: dict[Future[Done], Task] = {}
    judged = 0
    with _pool(workers, work) as pool:
        try:
            while True:
                while len(running) < ahead and (step := next(steps, None)):
                    if isinstance(step, Done):
                        yield step
                        continue
                    lost.append(step)  # until the pool has taken it
                    running[pool.submit(_judge, step)] = lost.pop()
                if not running:
                    break
                finished, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    done = future.result()
                    del running[future]
                    judged += 1
                    yield done
        except BrokenProcessPool:
            lost += running.values()
    return judged


def _steps(work: Work, sources: Iterable[Source]) -> Iterator[Step]:
    """What there is to do, file by file; a file is read only when its turn comes."""
    for source in sources:
        planned = plan(work, source)
        if isinstance(planned, Done):
            yield planned
        else:
            yield from planned


@contextmanager
def _pool(workers: int, work: Work) -> Iterator[ProcessPoolExecutor]:
    """Worker processes that end when they are left, or when this process is gone.

    They wait at one end of a pipe on which nothing is ever sent, and wake when this process lets go of the
    other end or is killed.
    """
    # Spawned, not forked: the networks' threads do not survive a fork.
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    with here, _environment(ONE_THREAD):
        pool = ProcessPoolExecutor(workers, context, initializer=_begin, initargs=(work, here))
        try:
            yield pool
        finally:
            there.close()
            pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    """Inside, processes that are started have these settings, where the user has not chosen others."""
    added = {name: value for name, value in values.items() if name not in os.environ}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            del os.environ[name]


_WORK: list[Work] = []  # of a worker's process


def _begin(work: Work, leash: Connection) -> None:
    """What a worker does first."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the driver, which then lets go
    _WORK[:] = [work]
    threading.Thread(target=_watch, args=(leash,), daemon=True).start()


def _watch(leash: Connection) -> None:
    leash.poll(None)
    os._exit(1)


def _judge(task: Task) -> Done:
    return judge_partition(_WORK[0], task)


def _poisonous(task: Task) -> str:
    source, number = task.partition.source, task.partition.number + 1
    return f"{source.name}: its part {number:,} ended {MOST_TRIES} workers, and was left."
