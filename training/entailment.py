"""Fit the stack of the entailer to RTE-1 to RTE-3, measure it by cross-validation, and write it as JSON.

    python training/entailment.py --data DATA --pairs pairs.jsonl.xz --folds FOLDS --out postil/resources/entailment

FOLDS holds the `folds-unseen-questions.npz` that training/encoder.py wrote: what networks say of the RTE pairs that
they did not learn from, in the order of pairs.jsonl.xz. Folds are the encoder's. Writes stack.json,
learned.txt (fingerprints of the pairs) and the figures;
training/entailment_card.py makes the card from them.

    python training/entailment.py --data DATA --reader FOLDER --out packages/careful/postil_careful

fits the stack of the careful reader in FOLDER, or of the expert one (whose model must have been added), to RTE-3's
development pairs alone, which neither has learned from, and writes entailment.json and the figures.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from encoder_data import FOLDS, read_packed
from sklearn.linear_model import LogisticRegression

from postil.data.formats.rte import EntailmentRun, Pair, PairJudgement, read_pairs
from postil.data.labels import ENTAILMENT_SCHEMES
from postil.entailment.entailer import (
    COMPANION_STACK_FILE,
    LABELS,
    STACK_FILE,
    Curve,
    Stack,
    network_pair,
    prepared,
    save_stack,
    standard,
    word_table,
)
from postil.entailment.findings import ENCODER, EVIDENCE, encoder_evidence
from postil.language.expert import ADAPTER_FILE, Expert
from postil.language.network import PairReader, Reader
from postil.research.shipped import LEARNED_FILE, as_lines
from postil.scoring.entailment import score_entailment

# Chosen by cross-validation: taken from all, one by one, while that lowered the loss.
ENTAILED = (
    *ENCODER, "heaviest_missing", "names_missing", "nouns_missing", "numbers_missing", "numbers_clash",
    "polarity_clashes", "left_open", "bonds", "swapped", "hypothesis_length",
)  # fmt: skip
# Only RTE-3 tells contradictions, and has 90: few features, those that speak of them.
DENIED = (
    "encoder_contradiction", "encoder_unknown", "covered_by_one", "numbers_clash", "denied", "opposites",
    "polarity_clashes", "net_oppositions",
)  # fmt: skip
STRENGTH = {"entailed": 0.03, "denied": 0.1}  # the inverse of the penalty on weights
# The first challenge's pairs are unlike later ones: many were made so that words overlap and mislead.
WEIGHTS = {"RTE1": 0.3, "RTE2": 0.7, "RTE3": 1.0}


class Data:
    """Every RTE pair with its label and fold, and the evidence about it."""

    def __init__(self, data: Path, pairs: Path, folds: Path) -> None:
        items = [one for one in read_packed(pairs) if one.get("source") == "rte"]
        self.sets = np.array([item["id"].split()[0].upper() for item in items])
        self.fold = np.array([item["fold"] for item in items])
        known = {
            name: {p.id: p for p in read_pairs(next(data.glob(f"rte/{name}.*")))} for name in files_of(items)
        }
        self.pairs: list[Pair] = [
            known[name][id] for name, id in (item["id"].split(" ", 1) for item in items)
        ]
        self.labels = np.array([pair.label for pair in self.pairs])
        self.logits = np.load(folds / "folds-unseen-questions.npz")["rte"]
        words = word_table([(pair.text, pair.hypothesis) for pair in self.pairs])
        self.table = np.hstack([encoder_evidence(self.logits), words])
        self.weights = np.array([WEIGHTS[name[:4]] for name in self.sets])


class Unseen(Data):
    """RTE-3's development pairs, or `most` of them, and what a reader says of them that has not learned from them."""

    def __init__(self, data: Path, reader: Reader, most: int = 0) -> None:
        pairs = list(read_pairs(data / "rte" / "rte3_dev_3way.tsv"))
        count = min(most or len(pairs), len(pairs))
        self.pairs = [pairs[number * len(pairs) // count] for number in range(count)]
        self.sets = np.array(["RTE3_DEV"] * len(self.pairs))
        self.fold = np.arange(len(self.pairs)) % FOLDS
        self.labels = np.array([pair.label for pair in self.pairs])
        tables = []
        for readings, words in prepared([(pair.text, pair.hypothesis) for pair in self.pairs]):
            logits = reader.pairs([network_pair(reading, reader) for reading in readings], ("nli",))["nli"]
            tables.append(np.hstack([encoder_evidence(logits), words]))
        self.table, self.weights = np.concatenate(tables), np.ones(len(self.pairs))


def files_of(items: list[dict]) -> list[str]:
    return list(dict.fromkeys(item["id"].split()[0] for item in items))


def fit_curve(
    table: np.ndarray, wanted: np.ndarray, weights: np.ndarray, features: tuple[str, ...], strength: float
):
    """A curve fitted to truth values; its chances are calibrated, as those of logistic regression are."""
    columns = table[:, [EVIDENCE.index(name) for name in features]]
    means, scales = columns.mean(axis=0), columns.std(axis=0) + 1e-3
    model = LogisticRegression(C=strength, max_iter=1000)
    model.fit(standard(columns, means, scales), wanted, sample_weight=weights)
    numbers = (tuple(row.round(5).tolist()) for row in (means, scales, model.coef_[0]))
    return Curve(features, *numbers, round(float(model.intercept_[0]), 5))


def fit(data: Data, rows: np.ndarray) -> Stack:
    """A stack learned from some pairs: entailment from all, contradiction from RTE-3's that are not entailed."""
    table, labels = data.table[rows], data.labels[rows]
    entailed = fit_curve(table, labels == "ENTAILMENT", data.weights[rows], ENTAILED, STRENGTH["entailed"])
    told = np.isin(labels, ("CONTRADICTION", "UNKNOWN"))
    ones = np.ones(told.sum())
    denied = fit_curve(table[told], labels[told] == "CONTRADICTION", ones, DENIED, STRENGTH["denied"])
    return Stack(entailed, denied)


def crossed(data: Data) -> np.ndarray:
    """Probabilities of every pair from stacks (and encoders) that have not seen it."""
    found = np.zeros((len(data.labels), len(LABELS)))
    for fold in range(FOLDS):
        inside = data.fold == fold
        found[inside] = fit(data, np.flatnonzero(~inside)).probabilities(data.table[inside])
    return found


def figures(data: Data, chances: np.ndarray) -> dict:
    """Two-way and three-way figures by set; of RTE-3 also by application and length."""
    report: dict = {}
    for name in dict.fromkeys(data.sets):
        rows = np.flatnonzero(data.sets == name)
        report[name] = scored(data, chances, rows)
        if name.startswith("RTE3"):
            tasks = sorted({data.pairs[row].task for row in rows})
            parts = {task: [row for row in rows if data.pairs[row].task == task] for task in tasks}
            for length, is_long in (("long", True), ("short", False)):
                parts[length] = [row for row in rows if data.pairs[row].is_long == is_long]
            report[name]["parts"] = {
                part: scored(data, chances, np.array(own)) for part, own in parts.items()
            }
    return report


def scored(data: Data, chances: np.ndarray, rows: np.ndarray) -> dict:
    gold = [data.pairs[row] for row in rows]
    found: dict = {"count": len(rows)}
    for scheme in ("2way", "3way"):
        if scheme == "3way" and any(pair.label == "NO_ENTAILMENT" for pair in gold):
            continue
        judged = [judgement(pair.id, chances[row], scheme) for pair, row in zip(gold, rows, strict=True)]
        score = score_entailment(gold, EntailmentRun(tuple(judged)), ENTAILMENT_SCHEMES[scheme])
        found[f"accuracy_{scheme}"] = round(score.metrics["accuracy"], 4)
        found["average_precision"] = round(score.metrics["average_precision"], 4)
    return found


def judgement(id: str, chances: np.ndarray, scheme: str) -> PairJudgement:
    label = LABELS[0] if chances[0] >= 0.5 else LABELS[1 + int(chances[1:].argmax())]
    return PairJudgement(id, ENTAILMENT_SCHEMES[scheme].collapse(label) or label, float(chances[0]))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("data", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    for name in ("pairs", "folds", "reader"):
        parser.add_argument(f"--{name}", type=Path)
    parser.add_argument("--figures", type=Path, default=Path("figures.json"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    if options.reader:
        is_expert = (options.reader / ADAPTER_FILE).exists()
        reader: Reader = Expert(options.reader) if is_expert else PairReader(options.reader)
        data: Data = Unseen(options.data, reader)
    else:
        data = Data(options.data, options.pairs, options.folds)
    alone = data.table[:, : len(ENCODER)]
    report = {"encoder alone": figures(data, alone), "stack": figures(data, crossed(data))}
    file = COMPANION_STACK_FILE if options.reader else STACK_FILE
    save_stack(options.out / file, fit(data, np.arange(len(data.labels))))
    if not options.reader:
        known = as_lines((pair.text, pair.hypothesis) for pair in data.pairs)
        (options.out / LEARNED_FILE).write_text(known, "utf-8")
    options.figures.write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
