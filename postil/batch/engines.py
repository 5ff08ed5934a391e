"""The engines that judge a dataset's partitions: processes on this computer, or actors of a Ray cluster.

On a cluster, Ray Data cuts files, and a pool of actors that load the model once judges. Only short JSON
travels between the stages; answers and results go from storage to a worker and back, never through Ray.
"""

from __future__ import annotations

import json
import logging
import os
import socket
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from postil import __version__
from postil.batch.dataset import plan
from postil.batch.partitions import Layout, Partition
from postil.batch.parts import model_signature
from postil.batch.processes import LeashedPool, single_threaded
from postil.batch.storage import Source
from postil.batch.work import MOST_TRIES, Done, Tally, Task, Work, given_up
from postil.batch.worker import judge_partition
from postil.errors import MissingDataError, PostilError

_AHEAD = 2  # partitions handed out to each worker: one being judged, one waiting
_MOST_IN_VAIN = 8  # crashes in a row with nothing judged in between
_IN_VAIN = (
    f"the workers crashed {_MOST_IN_VAIN} times before anything was graded. Is there enough memory for them? "
    "See --workers."
)
_PLANNING = 2  # files that a cluster cuts at a time: cutting is much quicker than judging
_STORE = 100_000_000  # bytes of shared memory on our own cluster: next to nothing goes through it
_PATIENCE = 120.0  # seconds in which every node must have answered
_SAME = "Every node needs the same Python, Ray, Postil and model as this computer."

Step = Task | Done
Row = dict[str, str]


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


@dataclass(frozen=True, slots=True)
class RayEngine:
    """Judges partitions in actors of a cluster, or without an address of one started on this computer.

    Without `workers` there are as many actors as the cluster has cores. `resource` is a custom resource of
    Ray that the nodes have on which the reader can work; each actor takes one of it.
    """

    workers: int | None = None
    address: str | None = None
    resource: str | None = None

    def run(self, work: Work, sources: Iterable[Source]) -> Generator[Done, None, None]:
        """Judge files; actors that die with their node are restarted, and their work is done again."""
        listed = list(sources)
        if not listed:
            return
        with connected(self, work) as ray:
            workers = self._workers(ray)
            # Ray passes the work of a dead actor on to the next one for ever, so tries are counted here.
            tries = ray.remote(num_cpus=0, max_restarts=-1, max_task_retries=-1)(_Tries).remote()
            rows = _pipeline(ray, work, listed, workers, tries, self.resource).iter_rows()
            try:
                for row in rows:
                    yield read_done(row["done"])
            except ray.exceptions.RayError as error:
                # Ray's own message is pages long and about its internals.
                raise PostilError(
                    f"the Ray cluster could not continue ({type(error).__name__}).",
                    hint="Run the same command again: it continues where it stopped.",
                ) from error

    def _workers(self, ray: Any) -> int:
        """How many actors there can be; more would wait for ever where a resource is used up."""
        if self.resource is None:
            return self.workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
        nodes = [node["Resources"] for node in ray.nodes() if carries(node, self.resource)]
        room = sum(int(min(node.get("CPU", 0), node[self.resource])) for node in nodes)
        if not room:
            what = f"no node with the resource {self.resource!r} has a core and a whole one of it."
            raise PostilError(what, hint=_start_with(self.resource))
        return min(self.workers or room, room)


def carries(node: Mapping[str, Any], resource: str | None) -> bool:
    """Whether a node takes part in the judging: it is alive, and has the resource if one is asked for."""
    return bool(node["Alive"]) and (resource is None or node["Resources"].get(resource, 0) > 0)


def _start_with(resource: str) -> str:
    told = json.dumps({resource: 4})
    return f"On each node with the reader's model, start Ray with: ray start … --resources='{told}'"


def _pipeline(
    ray: Any, work: Work, sources: list[Source], workers: int, tries: Any, resource: str | None
) -> Any:
    """Files → partitions → results; nothing runs until rows are asked for."""
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
        placed = {"resources": {resource: 1}} if resource else {}
        return tasks.map(_Judge, fn_constructor_args=(work, tries), compute=judges, num_cpus=1, **placed)


def _plan(row: Row, work: Work) -> list[Row]:
    """The tasks of a file, or why there are none."""
    planned = plan(work, read_source(row["source"]))
    if isinstance(planned, Done):
        return [{"task": "", "done": to_json(planned)}]
    return [{"task": to_json(task), "done": ""} for task in planned]


class _Judge:
    """An actor of the pool."""

    def __init__(self, work: Work, tries: Any) -> None:
        self.work, self.tries = work, tries

    def __call__(self, row: Row) -> Row:
        """Judge a partition; files that planning has dealt with are passed on."""
        return {"done": row["done"] or to_json(self._judge(read_task(row["task"])))}

    def _judge(self, task: Task) -> Done:
        import ray

        source, number = task.partition.source, task.partition.number
        if ray.get(self.tries.begin.remote(source.name, number)) > MOST_TRIES:
            return given_up(task)
        return judge_partition(self.work, task)


class _Tries:
    """An actor that counts how often each partition was started."""

    def __init__(self) -> None:
        self.begun: Counter[tuple[str, int]] = Counter()

    def begin(self, name: str, number: int) -> int:
        """Count a partition that is being started, and return how often it has been."""
        self.begun[name, number] += 1
        return self.begun[name, number]


@contextmanager
def connected(engine: RayEngine, work: Work) -> Iterator[Any]:
    """Connect to Ray, on a cluster whose nodes judge exactly as this computer does.

    A cluster that was started here is shut down at the end; from any other, Postil only disconnects. A
    connection that the calling program has made itself stays open.
    """
    ray = _import()
    if ray.is_initialized():
        check_nodes(ray, work, engine.resource)
        yield ray
        return
    address = engine.address
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.CRITICAL}
    own: dict[str, Any] = {}
    if address is None:
        cores = max(engine.workers or 0, os.cpu_count() or 1)
        own = {"num_cpus": cores, "include_dashboard": False, "object_store_memory": _STORE}
        own |= {"resources": {engine.resource: cores}} if engine.resource else {}
    try:
        _demand_listener(address)
        with _hushed():
            ray.init(address or "local", **own, **quiet)
    except (ImportError, OSError, RuntimeError, ValueError) as error:
        raise _unreachable(address, error) from error
    try:
        if address is not None:
            check_nodes(ray, work, engine.resource)
        yield ray
    finally:
        ray.shutdown()


def _demand_listener(address: str | None) -> None:
    """Fail at once if nothing listens at a host and port: Ray itself would keep trying for minutes."""
    host, _, port = (address or "").rpartition(":")
    if host and port.isdecimal() and "/" not in host:
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()
        except OSError as error:
            raise ConnectionError from error


def _import() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # no usage reports
    # Messages of Ray's processes belong in Ray's own files, not in the output of a command.
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        import ray
        import ray.data
    except ModuleNotFoundError as error:
        what = f"the engine ray needs packages that are not installed ({error.name})."
        raise MissingDataError(what, hint="Install them with: pip install 'postil[cluster]'") from error
    logging.getLogger("ray.data").setLevel(logging.CRITICAL)
    return ray


@contextmanager
def _hushed() -> Iterator[None]:
    """Silence the error stream inside the block: Ray's core prints the settings it has read there."""
    stderr = os.dup(2)
    try:
        with Path(os.devnull).open("wb") as nothing:
            os.dup2(nothing.fileno(), 2)
        yield
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)


def _unreachable(address: str | None, error: Exception) -> PostilError:
    reason = str(error).strip().partition("\n")[0] or type(error).__name__
    if address is None:
        return PostilError(f"Ray could not be started on this computer: {reason}")
    if isinstance(error, ConnectionError):
        hint = "Start one with `ray start --head`. If it uses a token, set RAY_AUTH_MODE=token here as well."
        return PostilError(f"there is no Ray cluster at {address!r}.", hint=hint)
    return PostilError(f"the Ray cluster at {address!r} cannot be used: {reason}")


@dataclass(frozen=True, slots=True)
class Equipment:
    """What a node judges with: Postil's version, the hash of the model, and what its reader still needs."""

    version: str = ""
    model: str = ""
    missing: str = ""


def check_nodes(ray: Any, work: Work, resource: str | None = None) -> None:
    """Refuse a cluster where a node that judges lacks something or has another Postil, model or reader.

    With a resource, the nodes that have it judge; the others only cut files, and need the same version.
    """
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    model, reader = work.model, work.reader

    # Defined here so that Ray sends the function itself: even a node without Postil can run it.
    def equipment(judges: bool) -> tuple[str, str, str]:
        try:
            from postil import __version__ as version
            from postil.batch import parts
        except ImportError:
            return "", "", ""
        try:
            return version, *(
                (parts.model_signature(model), parts.missing_of(reader)) if judges else ("", "")
            )
        except OSError:
            return version, "", ""

    nodes = [node for node in ray.nodes() if node["Alive"]]
    judging = {node["NodeID"] for node in nodes if carries(node, resource)}
    if not judging:
        raise PostilError(
            f"no node of the cluster has the resource {resource!r}.", hint=_start_with(resource or "")
        )
    ask = ray.remote(num_cpus=0, max_retries=0)(equipment)
    asked = {}
    for node in nodes:
        placement = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
        reply = ask.options(scheduling_strategy=placement).remote(node["NodeID"] in judging)
        asked[reply] = node["NodeManagerAddress"], node["NodeID"] in judging
    ready, late = ray.wait(list(asked), num_returns=len(asked), timeout=_PATIENCE)
    if late:
        raise PostilError(f"the cluster's node {asked[late[0]][0]} does not answer.", hint=_SAME)
    try:
        equipped = [(*asked[reply], Equipment(*ray.get(reply))) for reply in ready]
    except ray.exceptions.RayError as error:
        why = f"a node of the cluster cannot run Postil ({type(error).__name__})."
        raise PostilError(why, hint=_SAME) from error
    here = Equipment(__version__, model_signature(model))
    for address, judges, there in equipped:
        compare_node(address, there, here if judges else Equipment(__version__))


def compare_node(address: str, there: Equipment, here: Equipment) -> None:
    """Refuse a node whose version or model is not the one of this computer, or that lacks the reader."""
    if there.version != here.version:
        has = f"has Postil {there.version}, but this computer has {here.version}"
        has = has if there.version else "has no Postil with the extra `cluster`"
    elif there.model != here.model:
        has = "has a different model from this computer" if there.model else "has no model at that path"
    elif there.missing:
        has = f"cannot judge: {there.missing.rstrip('.')}"
        hint = "Or start Ray with a resource on the nodes that can, and name it: --cluster-resource NAME"
        raise PostilError(f"the cluster's node {address} {has}.", hint=hint)
    else:
        return
    raise PostilError(f"the cluster's node {address} {has}.", hint=_SAME)


def to_json(value: Source | Task | Done) -> str:
    """A file, a task or a result as JSON, for workers on other computers."""
    return json.dumps(asdict(value))


def read_source(text: str) -> Source:
    """Read a file of a dataset."""
    return Source(**json.loads(text))


def read_task(text: str) -> Task:
    """Read a task."""
    return _task(**json.loads(text))


def read_done(text: str) -> Done:
    """Read the result of a task."""
    fields = json.loads(text)
    task = _task(**fields["task"]) if fields["task"] else None
    known = {"source": Source(**fields["source"]), "task": task, "tally": Tally(**fields["tally"])}
    return Done(**fields | known)


def _task(partition: dict[str, Any], sha256: str, of: int) -> Task:
    names = tuple(partition["layout"]["names"])
    layout = Layout(**partition["layout"] | {"names": names})
    source = Source(**partition["source"])
    return Task(Partition(**partition | {"source": source, "layout": layout}), sha256, of)
