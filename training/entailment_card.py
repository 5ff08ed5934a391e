"""Write the card of the entailer: how it was made, figures, sources, limits, hashes.

    python training/entailment_card.py --figures figures.json [--folder postil/resources/entailment]

figures.json comes from training/entailment.py.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from grader_card import LICENCE, sources_table, write

SOURCES = (
    ("postil encoder", LICENCE, "out-of-fold chances of entailment, contradiction, neither"),
    ("RTE-1 to RTE-3, development sets and the tests of the first two", "research use", "labels the stack learned from; fingerprints of the pairs"),
    ("postil_en", LICENCE, "words, trees, negation, quantities"),
    ("WordNet 3.0", "WordNet licence", "synonyms, opposites, kinds, places"),
)  # fmt: skip
SETS = {
    "RTE3_DEV_3WAY": "RTE-3 dev",
    "RTE2_TEST": "RTE-2 test",
    "RTE2_DEV": "RTE-2 dev",
    "RTE1_TEST": "RTE-1 test",
}
COLUMNS = ("accuracy_2way", "average_precision", "accuracy_3way")

CARD = """# The entailer

Two logistic curves in JSON over what the encoder says of a text and a hypothesis and over what their words, names, numbers,
negations, modal verbs and trees tell: the chance of entailment and, where there is none, of contradiction. Where the text plainly denies the
hypothesis's main word, leaves it open ("may approve") or gives another number, the chance of entailment is halved.

- `stack.json`: the curves.
- `learned.txt`: fingerprints of the pairs they (and the encoder) learned from, so that nobody measures the entailer on those by accident.

## How it was made
training/entailment.py learns and measures. The encoder's outputs that the curves learned from are those of networks that had not
seen the pair. Contradiction was learned from RTE-3's 388 pairs without entailment, of which 90 contradict.

## Figures
Five-fold cross-validation, folds as in the encoder's training; features and settings were chosen on the same folds. Pairs that share a text can stand
in different folds. The official tests of RTE-3 and later were not used.

{table}

## Sources
{sources}

## Limits
English news sentences, mostly; texts up to a paragraph (of longer ones it reads the sentences that bear on the hypothesis). It reasons little: counting, family
trees, dates reckoned from other dates and what everybody knows are beyond it, and it believes a hypothesis whose words are all there too
easily (docs/researchers/entailment.md has forty errors, classed). See the encoder's card on fairness.
"""


def table(figures: dict) -> str:
    rows = ["| | 2-way | average precision | 3-way |", "| --- | ---: | ---: | ---: |"]
    for system, sets in figures.items():
        for key, name in SETS.items():
            rows.append(f"| {system}, {name} | {cells(sets[key])} |")
        for part, one in sets["RTE3_DEV_3WAY"]["parts"].items():
            rows.append(f"| {system}, RTE-3 dev, {part} ({one['count']}) | {cells(one)} |")
    return "\n".join(rows)


def cells(one: dict) -> str:
    return " | ".join(f"{one[name]:.3f}" if name in one else "" for name in COLUMNS)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--figures", type=Path, required=True)
    parser.add_argument("--folder", type=Path, default=Path("postil/resources/entailment"))
    options = parser.parse_args()
    figures = json.loads(options.figures.read_text("utf-8"))
    text = CARD.format(table=table(figures), sources=sources_table(SOURCES))
    write(options.folder, "postil_entailer", text, SOURCES, figures)


if __name__ == "__main__":
    main()
