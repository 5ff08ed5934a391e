"""The engine for one computer: worker processes that load the model once and are replaced when they die."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import chain

from postil.batch.dataset import plan
from postil.batch.processes import LeashedPool, single_threaded
from postil.batch.storage import Source
from postil.batch.work import MOST_TRIES, Done, Task, Work, given_up
from postil.batch.worker import judge_partition

_MOST_IN_VAIN = 8  # crashes in a row with nothing judged in between
_IN_VAIN = (
    f"the workers crashed {_MOST_IN_VAIN} times before anything was graded. Is there enough memory for them? "
    "See --workers."
)
_AHEAD = 2  # partitions handed out to each worker: one being judged, one waiting
Step = Task | Done


@dataclass(frozen=True, slots=True)
class LocalEngine:
    """Judges partitions in `workers` processes."""

    workers: int

    def run(self, work: Work, sources: Iterable[Source]) -> Generator[Done, None, None]:
        """Judge files; if a worker is killed, what was under way is judged again.

        Which partition crashed it is unknown, so a try is counted for all that were under way. Those with two
        tries are judged one at a time by a single worker, which shows the culprit. If workers crash whatever
        they are given, as without enough memory for the model, the run stops.
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
                    yield given_up(task)
            lost = rest + [task for task in again if tries[task] < MOST_TRIES]
            if not lost and not suspects:
                return


def _run(
    work: Work, steps: Iterator[Step], lost: list[Task], workers: int, ahead: int
) -> Generator[Done, None, int]:
    """Judge until all is done or a worker dies; whatever was under way then is added to `lost`.

    At most `ahead` partitions are handed out at a time. Returns how many were judged.
    """
    running: dict[Future[Done], Task] = {}
    judged = 0
    with single_threaded(), LeashedPool(workers, _begin, work) as pool:
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
    """The work to do, file by file; a file is read only when its turn comes."""
    for source in sources:
        planned = plan(work, source)
        if isinstance(planned, Done):
            yield planned
        else:
            yield from planned


_WORK: list[Work] = []  # of a worker's process


def _begin(work: Work) -> None:
    _WORK[:] = [work]


def _judge(task: Task) -> Done:
    return judge_partition(_WORK[0], task)
