"""The engine of a Ray cluster: Ray Data cuts files, and a pool of actors that load the model once judges.

What travels between the stages is short JSON; answers and results go from storage to a worker and back, never
through Ray.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable
from dataclasses import dataclass
from typing import Any

from postil.batch.local import MOST_TRIES
from postil.batch.messages import read_done, read_source, read_task, to_json
from postil.batch.planning import plan
from postil.batch.ray_cluster import connected
from postil.batch.sources import Source
from postil.batch.work import Done, Task, Work
from postil.batch.worker_worker import judge_partition
from postil.errors import PostilError

_PLANNING = 2  # files that are cut at a time, at most: that is much quicker than judging them
_AHEAD = 2  # partitions handed out for each actor: one in its hands, one waiting

Row = dict[str, str]


@dataclass(frozen=True, slots=True)
class RayEngine:
    """Judges partitions in so many actors of a cluster; without an address, of one made on this computer.

    Without a number there are as many actors as the cluster has cores.
    """

    workers: int | None = None
    address: str | None = None

    def run(self, work: Work, sources: Iterable[Source]) -> Generator[Done, None, None]:
        """Judge files. Actors that die with their node are started again, and what they had in hand, too."""
        listed = list(sources)
        if not listed:
            return
        with connected(self.address, self.workers, work.model) as ray:
            workers = self.workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
            # Ray gives what an actor had in hand when it died to the next one, for ever: somebody must count.
            tries = ray.remote(num_cpus=0, max_restarts=-1, max_task_retries=-1)(_Tries).remote()
            rows = _pipeline(ray, work, listed, workers, tries).iter_rows()
            try:
                for row in rows:
                    yield read_done(row["done"])
            except ray.exceptions.RayError as error:
                # What Ray says is pages long, and of its own insides.
                raise PostilError(
                    f"the Ray cluster could not go on ({type(error).__name__}).",
                    hint="Run the same command again: it continues where it stopped.",
                ) from error


def _pipeline(ray: Any, work: Work, sources: list[Source], workers: int, tries: Any) -> Any:
    """Files → partitions → what came of them; nothing runs until somebody asks for rows."""
    context = ray.data.DataContext.get_current().copy()
    context.enable_progress_bars = context.print_on_execution_start = False
    # Every row is a block of its own, so that an actor is given one partition, however many its file has.
    context.target_max_block_size = 1
    rows = [{"source": to_json(source)} for source in sources]
    planners = ray.data.TaskPoolStrategy(size=min(_PLANNING, len(rows)))
    judges = ray.data.ActorPoolStrategy(size=workers, max_tasks_in_flight_per_actor=_AHEAD)
    with ray.data.DataContext.current(context):
        files = ray.data.from_items(rows, override_num_blocks=len(rows))
        # Planning asks for no core of its own: the actors hold them all.
        tasks = files.flat_map(_plan, fn_args=(work,), compute=planners, num_cpus=0)
        return tasks.map(_Judge, fn_constructor_args=(work, tries), compute=judges, num_cpus=1)


def _plan(row: Row, work: Work) -> list[Row]:
    """What there is to do with a file."""
    planned = plan(work, read_source(row["source"]))
    if isinstance(planned, Done):
        return [{"task": "", "done": to_json(planned)}]
    return [{"task": to_json(task), "done": ""} for task in planned]


class _Judge:
    """An actor of the pool."""

    def __init__(self, work: Work, tries: Any) -> None:
        self.work, self.tries = work, tries

    def __call__(self, row: Row) -> Row:
        """Judge a partition; what planning has finished with is passed on."""
        return {"done": row["done"] or to_json(self._judge(read_task(row["task"])))}

    def _judge(self, task: Task) -> Done:
        import ray

        source, number = task.partition.source, task.partition.number
        if ray.get(self.tries.begin.remote(source.name, number)) > MOST_TRIES:
            why = f"{source.name}: its part {number + 1:,} ended {MOST_TRIES} workers, and was left."
            return Done(source, task, error=why)
        return judge_partition(self.work, task)


class _Tries:
    """An actor that knows how often each partition was begun."""

    def __init__(self) -> None:
        self.begun: Counter[tuple[str, int]] = Counter()

    def begin(self, name: str, number: int) -> int:
        """A partition is begun; for the how manieth time."""
        self.begun[name, number] += 1
        return self.begun[name, number]
