"""The promises of the engines: what a second worker adds, and what Ray costs.

    python benchmarks/engines.py [--count 12000] [--rounds 2] [--files 48] [--explain]

Made-up answers (generated.py) are graded, without explanation unless asked, by one local worker, by two, and
by two actors of a Ray cluster on this computer, in turn, each from a fresh start; every second round goes
backwards, so that a machine that becomes slower or quicker favours none. “Running” is the rate from when all
workers have delivered something until one of them finds nothing left to do; “in all” also counts starting
and ending. Memory is the most that this program and all that it starts took at once.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from generated import write_dataset
from grader import report
from memory import taken

from postil.batch.dataset import Report, grade_dataset
from postil.batch.engines import LocalEngine, RayEngine
from postil.batch.work import Engine, Work


@dataclass(frozen=True)
class Run:
    """How a run went: answers a second while all worked and in all, seconds to the first one, megabytes."""

    running: float
    in_all: float
    first: float
    memory: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=12_000)
    parser.add_argument("--files", type=int, default=48)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--explain", action="store_true")
    options = parser.parse_args()
    engines: dict[str, tuple[Engine, int]] = {
        "one local worker": (LocalEngine(1), 1),
        "two local workers": (LocalEngine(2), 2),
        "two actors of Ray": (RayEngine(2), 2),
    }
    runs: dict[str, list[Run]] = {name: [] for name in engines}
    with tempfile.TemporaryDirectory() as folder:
        dataset = Path(folder) / "dataset"
        write_dataset(dataset, options.count, options.files)
        for number in range(options.rounds):
            for name in list(engines)[:: -1 if number % 2 else 1]:
                output = Path(folder) / f"{number} {name}"
                runs[name].append(one_run(dataset, output, *engines[name], explain=options.explain))
                print(f"round {number + 1}, {name}: {summary(runs[name][-1:])}", flush=True)
    for name, repeats in runs.items():
        print(f"{name}: {summary(repeats)}")
    if options.explain:
        return  # the promises are about labels alone
    single, double, ray = runs.values()
    compare("two local workers beside one", double, single, 1.7)
    compare("two actors of Ray beside two local workers", ray, double, 0.9)


def one_run(dataset: Path, output: Path, engine: Engine, workers: int, *, explain: bool) -> Run:
    """Grade everything; what came when."""
    came: list[tuple[float, int]] = []

    def note(state: Report) -> None:
        came.append((time.perf_counter(), state.rows_judged))

    start = time.perf_counter()
    with watched() as memory:
        done = grade_dataset(str(dataset), Work(str(output), explain=explain), engine, note)
    end = time.perf_counter()
    assert not done.failed, done.failed
    (begun, before), (stopped, after) = came[workers - 1], came[-workers]
    running = (after - before) / (stopped - begun)
    return Run(running, done.rows_judged / (end - start), came[0][0] - start, max(memory) / 1e6)


@contextmanager
def watched() -> Iterator[list[int]]:
    """Look every second at what is taken of memory; the list is of bytes."""
    seen: list[int] = []
    over = threading.Event()

    def look() -> None:
        while not over.wait(1.0):
            seen.append(sum(taken(os.getpid())))

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield seen
    finally:
        over.set()
        watcher.join()


def summary(runs: list[Run]) -> str:
    rates = f"running {average(runs, 'running'):.0f} answers/s, in all {average(runs, 'in_all'):.0f}/s"
    first, memory = average(runs, "first"), average(runs, "memory")
    return f"{rates}, first result after {first:.1f} s; {memory:,.0f} MB at most"


def average(runs: list[Run], name: str) -> float:
    return mean(getattr(run, name) for run in runs)


def compare(what: str, ours: list[Run], theirs: list[Run], promise: float) -> None:
    """The ratio of the rates; the promise is about running, and the other ratio is shown beside it."""
    ratio = average(ours, "running") / average(theirs, "running")
    in_all = average(ours, "in_all") / average(theirs, "in_all")
    report(what, f"{ratio:.2f} × running, {in_all:.2f} × in all", f"≥ {promise} ×", ratio >= promise)


if __name__ == "__main__":
    main()
