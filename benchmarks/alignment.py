"""The promises of the aligner: pairs a second, on given chunks and on texts, and the optimiser's worst time.

    python benchmarks/alignment.py [--data DATA] [--count 1000]

DATA is a folder with ists/ below it, as docs/researchers/data.md shows; without it the pairs are made up.
The peers, in turns with the aligner: the baseline of identical tokens, which knows no meaning, and two of
the aligner's own steps alone, the encoder's reading and the analysis.
"""

from __future__ import annotations

import argparse
import os
import random
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from statistics import median

import numpy as np

from postil.alignment.aligner import load_aligner
from postil.alignment.features import _relation, read
from postil.alignment.optimiser import Candidate, choose, groups
from postil.data.judgements import ChunkedPair
from postil.language.network import encoder
from postil.language.pipeline import analyse_tokens
from postil.research.baselines import IdenticalTokens
from postil.research.benchmarks import read_datasets

ROUNDS = 5
TEXT = """the a some two old red small bulb switch battery wire path dog cat man woman child bridge river car
is are was not may runs sleeps falls opens closes shines in on near with quickly again because while and"""
WORDS = TEXT.split()


def given(data: Path | None, count: int) -> list[ChunkedPair]:
    """Pairs drawn at random from the training sets, or made up at their usual length."""
    rng = random.Random(0)
    if data is not None:
        pairs = [pair for _, chunked in read_datasets(data / "ists").values() for pair in chunked]
        return rng.sample(pairs, min(count, len(pairs)))
    return [made_up(rng, str(number), rng.randint(5, 16)) for number in range(count)]


def made_up(rng: random.Random, name: str, length: int) -> ChunkedPair:
    words = rng.choices(WORDS, k=length)
    others = [rng.choice(WORDS) if rng.random() < 0.3 else word for word in words]
    return ChunkedPair(name, tuple(words), tuple(others), cut(rng, length), cut(rng, length))


def cut(rng: random.Random, length: int, share: float = 0.5) -> tuple[tuple[int, ...], ...]:
    places = [0, *(number for number in range(1, length) if rng.random() < share), length]
    return tuple(tuple(range(a + 1, b + 1)) for a, b in pairwise(places))


def seconds(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def report(what: str, value: str, promise: str, met: bool) -> None:
    print(f"{what}: {value} (promise: {promise}; {'kept' if met else 'MISSED'})", flush=True)


def speed(pairs: Sequence[ChunkedPair]) -> None:
    """All sides in turns, so that what else the machine does touches all."""
    aligner = load_aligner()
    texts = [(" ".join(pair.source), " ".join(pair.target)) for pair in pairs]
    sides: dict[str, Callable[[], object]] = {
        "given chunks": lambda: aligner.align(pairs),
        "texts": lambda: aligner.align_texts(texts),
        "the encoder's reading alone": lambda: read(texts),
        "analysis alone": lambda: list(
            analyse_tokens(words for pair in pairs for words in (pair.source, pair.target))
        ),
        "identical tokens": lambda: IdenticalTokens().predict(pairs),
    }
    for action in sides.values():
        action()
    taken: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(ROUNDS):
        for name, action in sides.items():
            _relation.cache_clear()  # each round looks its words up and reads its pairs again
            encoder().forget()
            taken[name].append(seconds(action))
    for name, times in taken.items():
        rates = ", ".join(f"{len(pairs) / duration:,.0f}" for duration in times)
        best = len(pairs) / min(times)
        if name in ("given chunks", "texts"):
            report(f"{name}, {len(pairs):,} pairs", f"{best:.0f}/s ({rates})", "≥ 150/s", best >= 150)
        else:
            print(f"    {name}: {best:,.0f} pairs/s ({rates})")


def crowd(rng: np.random.Generator, share: float) -> list[Candidate]:
    """Sixty chunks beside sixty, a share of them alike, and the groups that the aligner would try."""
    chances = np.where(rng.random((60, 60)) < share, rng.random((60, 60)), 0)
    single = [
        Candidate((row,), (column,), float(chances[row, column] - 0.42) * 3)
        for row, column in np.argwhere(chances > 0.42).tolist()
    ]
    return single + [Candidate(*group, float(rng.random() - 0.3) * 5) for group in groups(chances)]


def optimiser() -> None:
    """Sixty chunks on either side, from few that are alike to all of them; each problem the best of three."""
    rng = np.random.default_rng(0)
    for share in (0.02, 0.05, 0.1, 0.2, 0.5, 1.0):
        problems = [crowd(rng, share) for _ in range(20)]
        times = [1000 * min(seconds(partial(choose, problem)) for _ in range(3)) for problem in problems]
        exact = sum(choose(problem).exact for problem in problems)
        value = f"worst {max(times):.0f} ms, median {median(times):.0f} ms, {exact} of {len(problems)} exact"
        report(f"60 × 60 chunks, {share:.0%} alike", value, "≤ 50 ms", max(times) <= 50)


def long_sentences() -> None:
    """Sentences of some sixty chunks through the whole aligner: how many are aligned exactly."""
    rng = random.Random(1)
    pairs = [made_up(rng, str(number), 120) for number in range(16)]
    alignments = load_aligner().align(pairs)
    exact = sum(not alignment.status for alignment in alignments)
    print(f"    sentences of 120 words aligned exactly: {exact} of {len(pairs)}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path)
    parser.add_argument("--count", type=int, default=1000)
    options = parser.parse_args()
    print(f"cores: {os.cpu_count()}; load before: {os.getloadavg()[0]:.2f}")
    speed(given(options.data, options.count))
    optimiser()
    long_sentences()
    print(f"load after: {os.getloadavg()[0]:.2f}")


if __name__ == "__main__":
    main()
