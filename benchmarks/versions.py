"""Two versions of Postil measured in turns on the bundled class: start, answers per second, memory.

    python benchmarks/versions.py OLD NEW [--rounds 3]

OLD and NEW are folders with a checkout each; both run with the Python that runs this script. Each round
starts a fresh process for each version; the medians and their ratio are printed.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
from pathlib import Path

# Runs in either version, so it imports only what both have; 0.1 read tables elsewhere.
MEASURE = """
import resource, time
from dataclasses import replace
from importlib import import_module
from importlib.resources import files
import postil
try:
    from postil.data.formats.tables import read_table
except ImportError:
    read_table = import_module("postil.corpora.tables").read_table

start = time.perf_counter()
questions = read_table(str(files("postil.resources").joinpath("demo", "class.csv")))
grader = postil.load()
list(grader.grade_many(questions[:1]))
cold = time.perf_counter() - start
list(grader.grade_many(questions[:1], explain=True))

def rate(word, rounds, explain):
    count, start = 0, time.perf_counter()
    for number in range(rounds):  # other texts each time: nothing is remembered from the round before
        changed = [
            replace(q, answers=tuple(replace(a, text=a.text + f" {word}" * number) for a in q.answers))
            for q in questions
        ]
        count += sum(len(judged) for _, judged in grader.grade_many(changed, explain=explain))
    return count / (time.perf_counter() - start)

plain, explained = rate("x", 3, False), rate("y", 2, True)
print(cold, plain, explained, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""
NAMES = ("start, s", "answers/s", "explained/s", "memory, MB")


def measure(folder: Path) -> list[float]:
    environment = {**os.environ, "PYTHONPATH": str(folder.resolve())}
    command = [sys.executable, "-c", MEASURE]
    done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=True)
    return [float(figure) for figure in done.stdout.split()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    rounds = [(measure(options.old), measure(options.new)) for _ in range(options.rounds)]
    for index, name in enumerate(NAMES):
        old, new = (statistics.median(figures[side][index] for figures in rounds) for side in (0, 1))
        print(f"{name:12} {old:8.2f} {new:8.2f}  × {new / old:.3f}")


if __name__ == "__main__":
    main()
