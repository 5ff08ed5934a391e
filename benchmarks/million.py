"""A million answers: memory stays flat, and none is lost, doubled, moved or changed.

    python benchmarks/million.py FOLDER [--small 50000] [--large 1000000] [--engine local] [--workers N]

Makes up a small and a large dataset of terse answers in FOLDER (generated.py), grades both without
explanation with `postil grade`, and samples the memory of that command and of all that it starts (PSS: what
processes share is counted once). Then it compares what came out with what went in. Stopped and started again,
it continues where it was, and the highest peak counts.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree

import pyarrow.parquet as pq
from generated import COLUMNS, Row, rows, write_dataset
from grader import report
from memory import taken

PAUSE = 1.0  # seconds between two looks at the memory


@dataclass
class Memory:
    """The most that was taken at once, in bytes, by all processes and by the largest; kept in a file."""

    path: Path
    total: int = 0
    largest: int = 0

    def note(self, taken: list[int]) -> None:
        """Take note of what the processes take now."""
        peaks = (max(self.total, sum(taken)), max(self.largest, *taken))
        if peaks != (self.total, self.largest):
            self.total, self.largest = peaks
            self.path.write_text(json.dumps(peaks))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--small", type=int, default=50_000)
    parser.add_argument("--large", type=int, default=1_000_000)
    parser.add_argument("--files", type=int, default=20)
    parser.add_argument("--engine", default="local")
    parser.add_argument("--workers", type=int)
    options = parser.parse_args()
    command = ["--engine", options.engine]
    if options.workers:
        command += ["--workers", str(options.workers)]
    peaks = []
    for count in (options.small, options.large):
        dataset, output = options.folder / f"answers-{count}", options.folder / f"graded-{count}"
        prepare(dataset, count, options.files)
        memory = Memory(options.folder / f"memory-{count}.json")
        if memory.path.exists():
            memory.total, memory.largest = json.loads(memory.path.read_text())
        begun = time.perf_counter()
        grade(dataset, output, command, memory)
        print(f"{count:,} answers: {time.perf_counter() - begun:,.0f} s; {told(memory)}", flush=True)
        peaks.append(memory.total)
        check(dataset, output, count)
    ratio = peaks[1] / peaks[0]
    report(f"peak for {options.large:,} beside {options.small:,}", f"{ratio:.2f} ×", "≤ 1.2 ×", ratio <= 1.2)


def prepare(dataset: Path, count: int, files: int) -> None:
    """Write the answers, unless they exist."""
    if dataset.is_dir():
        return
    unfinished = dataset.with_name(f"{dataset.name}.unfinished")
    rmtree(unfinished, ignore_errors=True)
    write_dataset(unfinished, count, files, terse=True)
    unfinished.rename(dataset)


def grade(dataset: Path, output: Path, options: list[str], memory: Memory) -> None:
    """Run the command as a user would, and watch it."""
    command = [sys.executable, "-m", "postil", "grade", str(dataset), "-o", str(output), *options]
    with subprocess.Popen(command) as running:
        while running.poll() is None:
            memory.note(taken(running.pid))
            time.sleep(PAUSE)
    assert running.returncode == 0, running.returncode


def told(memory: Memory) -> str:
    total, largest = memory.total / 1e6, memory.largest / 1e6
    return f"{total:,.0f} MB at most, of which the largest process {largest:,.0f} MB"


def check(dataset: Path, output: Path, count: int) -> None:
    """Every row occurs once, in its place, unchanged, and has a label; the files are those of the input."""
    names = sorted(path.name for path in dataset.iterdir())
    assert names == sorted(path.name for path in output.iterdir() if path.is_file())
    expected = rows(count, terse=True)
    seen = labelled = 0
    for name in names:
        given, graded = read(dataset / name), read(output / name)
        for before, after, made in zip(given, graded, expected, strict=False):
            assert before == made, f"{name}: row {seen:,} of the input is another than was made up"
            assert {column: after[column] for column in COLUMNS} == made, f"{name}: row {seen:,} differs"
            seen += 1
            labelled += bool(after["postil_label"])
        assert next(graded, None) is None, f"{name}: has rows too many"
    assert seen == count, f"{seen:,} rows of {count:,}"
    print(f"  {seen:,} rows in {len(names)} files: ids, order and texts as they were; {labelled:,} labelled")


def read(path: Path) -> Iterator[Row]:
    """The rows of a file, as text, a few at a time."""
    return READERS[path.suffix](path)


def _parquet(path: Path) -> Iterator[Row]:
    for batch in pq.ParquetFile(path).iter_batches():
        yield from batch.to_pylist()


def _json_lines(path: Path) -> Iterator[Row]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def _delimited(path: Path) -> Iterator[Row]:
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file, delimiter="\t" if path.suffix == ".tsv" else ",")


READERS: dict[str, Callable[[Path], Iterator[Row]]] = {
    ".parquet": _parquet,
    ".jsonl": _json_lines,
    ".csv": _delimited,
    ".tsv": _delimited,
}


if __name__ == "__main__":
    main()
