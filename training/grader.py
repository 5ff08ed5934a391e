"""Train the stack on out-of-fold evidence for the three scenarios, and measure everything about the grader.

    python training/grader.py --data DATA --folds FOLDS --out postil/resources/grader [--cache evidence.npz]

FOLDS holds the `folds-….npz` that training/encoder.py wrote. Two stacks: `new` for questions the encoder has never
seen (learned from the unseen-question and unseen-domain folds), `known` for those it has learned from. Writes
stack.json and figures.json; training/grader_card.py makes the card from them.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
from encoder_data import FOLDS
from grader_figures import curve, figures, learning_curve, quality, tuned
from scipy.special import log_softmax

from postil.data.formats.sra import read_collection
from postil.grading import evidence
from postil.grading.answers import as_read, fingerprint
from postil.grading.decision import LABELS
from postil.grading.evidence import EVIDENCE, IN_CLASS, assemble, word_table
from postil.grading.memory import KNOWN, adjust
from postil.grading.probabilities import Model, fit_stack, save_model
from postil.language.network import encoder
from postil.research.benchmarks import SCENARIOS, response_folds

PENALTY = 10.0
ALONE = 0.3  # weight of an answer judged without its class


class Data:
    """Every training answer: its question, label, folds, and the evidence in each scenario."""

    def __init__(self, data: Path, folds: Path, cache: Path) -> None:
        self.questions = [
            q for (_, name), group in read_collection(data / "sra").items() if name == "train" for q in group
        ]
        rows = [(number, a) for number, q in enumerate(self.questions) for a in q.answers]
        self.question = np.array([number for number, _ in rows])
        self.corpus = np.array([self.questions[number].corpus for number, _ in rows])
        self.module = np.array([f"{self.questions[n].corpus}/{self.questions[n].module}" for n, _ in rows])
        self.labels = np.array([LABELS.index(a.label) for _, a in rows])
        self.fold = {name: self._folds(name) for name in SCENARIOS}
        covered, words, self.likeness = self._texts(cache)
        self.tables = {
            name: self._table(
                log_softmax(np.load(folds / f"folds-{name}.npz")["response"].astype(np.float64), axis=-1),
                covered,
                words,
            )
            for name in SCENARIOS
        }

    def _folds(self, scenario: str) -> np.ndarray:
        where = {}
        for number, (_, test) in enumerate(response_folds(self.questions, scenario, FOLDS)):
            where.update({(q.corpus, a.id): number for q in test for a in q.answers})
        return np.array([where[q.corpus, a.id] for q in self.questions for a in q.answers])

    def _texts(self, cache: Path) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
        """What does not depend on the fold: coverage, words, likeness of answers; kept, since it takes minutes."""
        if cache.exists():
            kept = np.load(cache)
            return kept["covered"], kept["words"], [kept[f"l{n}"] for n in range(len(self.questions))]
        covered, words, likeness = [], [], []
        started = time.time()
        for number, question in enumerate(self.questions, start=1):
            references = [reference.text for reference in question.references]
            answers = as_read(question.text, references, [answer.text for answer in question.answers])
            table, chosen, sides = evidence.best_coverage(encoder(), question.text, references, answers)
            covered.append(table)
            words.append(word_table(question.text, chosen, answers))
            likeness.append(evidence.similarities(sides, sides))
            print(
                f"\r{number} of {len(self.questions)} questions, {time.time() - started:.0f} s",
                end="",
                flush=True,
            )
        print()
        found = (np.concatenate(covered), np.concatenate(words), likeness)
        arrays = {f"l{n}": one.astype(np.float32) for n, one in enumerate(likeness)}
        np.savez_compressed(cache, covered=found[0], words=found[1], **arrays)
        return found

    def _table(self, encoded: np.ndarray, covered: np.ndarray, words: np.ndarray) -> np.ndarray:
        """Assembled class by class."""
        table = np.zeros((len(self.labels), len(EVIDENCE)))
        for number in range(len(self.questions)):
            here = self.question == number
            table[here] = assemble(encoded[here], covered[here], words[here], np.arange(here.sum()))
        return table

    def weights(self, rows: np.ndarray) -> np.ndarray:
        """Both corpora count alike."""
        counts = {name: (self.corpus[rows] == name).sum() for name in set(self.corpus)}
        weights = np.array([1 / counts[name] for name in self.corpus[rows]])
        return weights * len(rows) / weights.sum()


def alone(table: np.ndarray) -> np.ndarray:
    """The evidence as it would be without the rest of the class."""
    places = [EVIDENCE.index(name) for name in IN_CLASS]
    bare = table.copy()
    bare[:, places] = 0
    return bare


def stack_of(data: Data, rows: np.ndarray, names: tuple[str, ...]):
    """A stack learned from some answers as these scenarios show them, within their class and alone."""
    tables = [data.tables[name][rows] for name in names]
    weights = data.weights(rows) / len(names)
    return fit_stack(
        np.concatenate([*tables, *map(alone, tables)]),
        np.eye(len(LABELS))[np.concatenate([data.labels[rows]] * 2 * len(names))],
        weights=np.concatenate([weights] * len(names) + [weights * ALONE] * len(names)),
        penalty=PENALTY,
    )


def crossed(data: Data, scenario: str) -> np.ndarray:
    """Probabilities of every answer from stacks that have not seen its question (or domain, or itself)."""
    names = ("unseen-answers",) if scenario == "unseen-answers" else ("unseen-questions", "unseen-domains")
    found = np.zeros((len(data.labels), len(LABELS)))
    for fold in range(FOLDS):
        inside = data.fold[scenario] == fold
        found[inside] = stack_of(data, np.where(~inside)[0], names).probabilities(
            data.tables[scenario][inside]
        )
    return remembered(data, found) if scenario == "unseen-answers" else found


def remembered(data: Data, probabilities: np.ndarray) -> np.ndarray:
    """The probabilities of unseen answers after a look at the labels of the other folds' answers."""
    moved = probabilities.copy()
    fold, wanted = data.fold["unseen-answers"], np.eye(len(LABELS))[data.labels]
    for number, likeness in enumerate(data.likeness):
        here = np.where(data.question == number)[0]
        for one in np.unique(fold[here]):
            test, rest = here[fold[here] == one], here[fold[here] != one]
            across = likeness[np.ix_(fold[here] == one, fold[here] != one)]
            among = likeness[np.ix_(fold[here] != one, fold[here] != one)]
            moved[test] = adjust(probabilities[test], across, probabilities[rest], among, wanted[rest], KNOWN)
    return moved


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("data", "folds", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--cache", type=Path, default=Path("evidence.npz"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    data = Data(options.data, options.folds, options.cache)
    probabilities = {name: crossed(data, name) for name in SCENARIOS}
    report = {name: figures(data, name, probabilities[name]) for name in SCENARIOS}
    report["labels on a new question"] = learning_curve(data, probabilities["unseen-questions"])
    everything = np.arange(len(data.labels))
    stacks = {}
    for name, scenarios in (("known", ("unseen-answers",)), ("new", ("unseen-questions", "unseen-domains"))):
        both = np.concatenate([probabilities[scenario] for scenario in scenarios])
        gold, corpora = np.tile(data.labels, len(scenarios)), np.tile(data.corpus, len(scenarios))
        biases = tuned(both, gold, corpora)
        stacks[name] = replace(
            stack_of(data, everything, scenarios), biases=biases, sureness=curve(both, gold, biases)
        )
        print(name, biases, {key: round(quality(both, gold, corpora, key, biases), 4) for key in biases})
    known = Counter(
        fingerprint(q.text, [r.text for r in q.references]) for q in data.questions for _ in q.answers
    )
    save_model(options.out / "stack.json", Model(stacks, known))
    (options.out / "figures.json").write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
