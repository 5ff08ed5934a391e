"""How well references are taken apart into claims, beside what experts wrote.

    python benchmarks/claims.py split claims/rose_reference_acus.jsonl.xz

Each line of the file is a text with the units that experts took it apart into (ROSE: "atomic content units").
Claims and units are paired so that the words they share are most; a pair's F1 counts words, and a system's is
2 · ΣF1 / (claims + units), over all texts. Beside Postil's claims stand a claim for each sentence and the
clauses of version 0.1. What was chosen was chosen on the odd texts; `--half even` reports on the others.
"""

from __future__ import annotations

import argparse
import json
import lzma
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from scipy.optimize import linear_sum_assignment

from postil.grading.facets import clauses
from postil.language.claims import claims_of
from postil.language.document import Document
from postil.language.pipeline import analyse_many

SYSTEMS: dict[str, Callable[[Document], list[str]]] = {
    "a claim a sentence": lambda document: [document.text_of(sentence) for sentence in document.sentences],
    "clauses of 0.1": lambda document: [clause.statement for clause in clauses(document)],
    "claims": lambda document: [claim.text for claim in claims_of(document)],
}


def rows(path: Path, half: str) -> Iterator[tuple[str, list[str]]]:
    """The texts of one half, or all, with the experts' units."""
    with lzma.open(path, "rt", encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            row = json.loads(line)
            if half == "all" or (number % 2 == 0) == (half == "even"):
                yield row["reference"], [unit for unit in row["claims"] if unit.strip()]


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"[a-z0-9]+", text.lower()))


def shared(claims: Sequence[str], units: Sequence[str]) -> tuple[float, np.ndarray]:
    """The F1s of the best pairing, added up, and every claim's F1 with every unit."""
    table = np.zeros((len(claims), len(units)))
    counted = [words(unit) for unit in units]
    for row, claim in enumerate(map(words, claims)):
        for column, unit in enumerate(counted):
            both = sum((claim & unit).values())
            table[row, column] = 2 * both / max(1, claim.total() + unit.total())
    pairs = linear_sum_assignment(table, maximize=True)
    return float(table[pairs].sum()), table


def split(path: Path, half: str) -> dict[str, dict[str, float]]:
    """For each system its F1 with claims and units paired, each with its best match, and how many."""
    texts = list(rows(path, half))
    documents = list(analyse_many(text for text, _ in texts))
    scores = {}
    for name, system in SYSTEMS.items():
        total = claims_count = units_count = precision = recall = 0.0
        for document, (_, units) in zip(documents, texts, strict=True):
            claims = system(document)
            paired, table = shared(claims, units)
            total, claims_count, units_count = (
                total + paired,
                claims_count + len(claims),
                units_count + len(units),
            )
            precision += float(table.max(axis=1, initial=0).sum())
            recall += float(table.max(axis=0, initial=0).sum())
        best = [precision / claims_count, recall / units_count]
        scores[name] = {
            "f1": 2 * total / (claims_count + units_count),
            "f1_of_best": 2 * best[0] * best[1] / sum(best),
            "claims": claims_count / len(texts),
            "units": units_count / len(texts),
        }
    return scores


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("split", help="references beside experts' units")
    command.add_argument("data", type=Path)
    command.add_argument("--half", choices=("odd", "even", "all"), default="even")
    arguments = parser.parse_args()
    for name, scores in split(arguments.data, arguments.half).items():
        print(f"{name:20s}", "  ".join(f"{key} {value:.3f}" for key, value in scores.items()))


if __name__ == "__main__":
    main()
