"""The promises of the entailer: pairs a second, and how few decisions a paraphrase of the hypothesis changes.

    python benchmarks/entailment.py [--data DATA] [--rounds 3]

Short pairs are in tests/fixtures/paraphrases.tsv; with DATA (a folder with rte/ below it, as
docs/researchers/data.md shows) also RTE-3's short and long ones. The peers, in turns with the entailer: two
of its own steps alone, the encoder's reading and the analysis, the baseline of word overlap, and the
entailer with justifications.
"""

from __future__ import annotations

import argparse
import csv
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from postil.data.formats.rte import Pair, read_pairs
from postil.entailment.entailer import load_entailer
from postil.entailment.reading import _supports
from postil.explain.explanation import justified
from postil.language.network import encoder
from postil.language.pipeline import analyse_many
from postil.research.baselines import word_coverage

PARAPHRASES = Path(__file__).parent.parent / "tests" / "data" / "paraphrases.tsv"
Texts = Sequence[tuple[str, str]]


def paraphrases() -> list[dict[str, str]]:
    with PARAPHRASES.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def report(what: str, value: str, promise: str, met: bool) -> None:
    print(f"{what}: {value} (promise: {promise}; {'kept' if met else 'MISSED'})", flush=True)


def speed(what: str, pairs: Texts, rounds: int, *, promised: bool) -> None:
    """All sides in turns, so that what else the machine does touches all; the first round warms up.

    What the encoder keeps of pairs it has read, and what is kept of words compared, is forgotten before each.
    """
    entailer = load_entailer()
    sides: dict[str, Callable[[], object]] = {
        "entailer": lambda: entailer.judge(pairs),
        "with justifications": lambda: justified([two for _, two in pairs], entailer.judge(pairs)),
        "the encoder's reading alone": lambda: encoder().pairs(pairs, ("nli",)),
        "analysis alone": lambda: list(analyse_many([text for pair in pairs for text in pair])),
        "word overlap": lambda: [word_coverage(Pair("", *pair)) for pair in pairs],
    }
    taken: dict[str, list[float]] = {name: [] for name in sides}
    for number in range(rounds + 1):
        for name, action in sides.items():
            encoder().forget()
            _supports.cache_clear()
            start = time.perf_counter()
            action()
            if number:
                taken[name].append(time.perf_counter() - start)
    for name, times in taken.items():
        rates = ", ".join(f"{len(pairs) / duration:,.0f}" for duration in times)
        best = len(pairs) / min(times)
        if name == "entailer" and promised:
            report(f"{what}, {len(pairs):,} pairs", f"{best:.0f}/s ({rates})", "≥ 150/s", best >= 150)
        else:
            print(f"    {what}, {name}: {best:,.0f} pairs/s ({rates})", flush=True)


def robustness(rows: Sequence[dict[str, str]]) -> None:
    """How many decisions change when the hypothesis is put in other words."""
    first, second = (
        load_entailer().judge([(row["text"], row[name]) for row in rows])
        for name in ("hypothesis", "paraphrase")
    )
    pairs = list(zip(first, second, strict=True))
    two = sum(original.two_way != changed.two_way for original, changed in pairs) / len(rows)
    three = sum(original.label != changed.label for original, changed in pairs) / len(rows)
    report(
        f"{len(rows)} paraphrases",
        f"{two:.1%} of decisions changed; of three-way labels {three:.1%}",
        "≤ 10 %",
        two <= 0.1,
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print(f"cores: {os.cpu_count()}; load before: {os.getloadavg()[0]:.2f}")
    rows = paraphrases()
    short = [(row["text"], row[name]) for row in rows for name in ("hypothesis", "paraphrase")]
    speed("short pairs", short, options.rounds, promised=True)
    if options.data is not None:
        pairs = read_pairs(options.data / "rte" / "rte3_dev_3way.tsv")
        for name, is_long in (("RTE-3's short pairs", False), ("RTE-3's long pairs", True)):
            own = [(pair.text, pair.hypothesis) for pair in pairs if pair.is_long == is_long][:256]
            speed(name, own, options.rounds, promised=False)
    robustness(rows)
    print(f"load after: {os.getloadavg()[0]:.2f}")


if __name__ == "__main__":
    main()
