"""The promises of the foundation, each measured beside a peer in the same run.

    python benchmarks/foundation.py [--data FOLDER]

FOLDER holds `sra/` laid out as docs/researchers/data.md shows; without it the reading benchmark is left out.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from xml.etree import ElementTree as ET

from sklearn.metrics import f1_score

from postil.data.formats.sra import read_collection
from postil.data.labels import RESPONSE_SCHEMES
from postil.scoring.responses import tally_classes
from postil.scoring.significance import approximate_randomisation

ITEMS, ITERATIONS = 5835, 10_000


def seconds(action: Callable[[], object], repeats: int = 5) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return median(times)


def report(what: str, ours: float, peer: str, theirs: float, limit: float) -> None:
    verdict = "met" if ours < limit else "MISSED"
    print(f"{what}: {ours:.3f} s (promise < {limit:g} s, {verdict})")
    print(f"    {peer}: {theirs:.3f} s, {theirs / ours:.1f} times ours")


def randomisation() -> None:
    """Scoring a whole test set with significance, against the same done with scikit-learn in a loop."""
    rng = random.Random(0)
    scheme = RESPONSE_SCHEMES["5way"]
    gold = rng.choices(scheme.labels, k=ITEMS)

    def noisy(rate: float) -> list[str]:
        return [label if rng.random() < rate else rng.choice(scheme.labels) for label in gold]

    first, second = noisy(0.6), noisy(0.58)

    def ours() -> None:
        first_tally, second_tally = (tally_classes(gold, labels, scheme) for labels in (first, second))
        approximate_randomisation(first_tally, second_tally, iterations=ITERATIONS)

    def loop(iterations: int) -> None:
        for _ in range(iterations):
            swaps = [rng.random() < 0.5 for _ in gold]
            left = [b if swap else a for a, b, swap in zip(first, second, swaps, strict=True)]
            right = [a if swap else b for a, b, swap in zip(first, second, swaps, strict=True)]
            f1_score(gold, left, average="macro")
            f1_score(gold, right, average="macro")

    few = 20
    theirs = seconds(lambda: loop(few), repeats=1) * ITERATIONS / few
    report(
        f"scoring {ITEMS:,} responses, {ITERATIONS:,} randomisations",
        seconds(ours),
        f"scikit-learn loop (from {few})",
        theirs,
        5,
    )


def reading(folder: Path) -> None:
    """Reading the response corpus, against bare XML parsing of the same files."""
    files = list(folder.rglob("*.xml"))
    ours = seconds(lambda: read_collection(folder))
    theirs = seconds(lambda: [ET.parse(file) for file in files])  # noqa: S314 - the project's own benchmark data
    report(f"reading {len(files)} SRA files", ours, "ElementTree alone", theirs, 1)


def starting() -> None:
    """`postil --help`, against starting Python."""
    ours = seconds(
        lambda: subprocess.run([sys.executable, "-m", "postil", "--help"], capture_output=True, check=True)
    )
    theirs = seconds(lambda: subprocess.run([sys.executable, "-c", "pass"], capture_output=True, check=True))
    report("postil --help", ours, "python -c pass", theirs, 0.3)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    data = parser.parse_args().data
    starting()
    randomisation()
    if data is not None:
        reading(data / "sra")
