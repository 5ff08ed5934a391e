"""Make the expert reader's stack from what its teacher's run judged, and measure it on what was held back.

    python training/expert_stack.py --data DATA --pool pool.jsonl.xz --soft soft.npz --out packages/expert/postil_expert

POOL is what the adapter was trained on, SOFT what it said of every pair of it (`reader_teacher.py` writes it). As the
careful reader is, the expert is taken at its word (docs/decisions.md): only what is added before a finer label is chosen,
and how sure one must be, is learned, from pairs that the adapter did not learn from; and how much too sure the expert is,
which goes into prompts.json. Writes stack.json, home.npz and figures.json.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from importlib.resources import as_file, files
from pathlib import Path

import numpy as np
from grader_figures import calibration_error, classes_of, curve, interval, macro
from reader_data import WHOLE, read_lines
from reader_soft import read_soft
from reader_stack import CHALLENGE, EACH, WRONG, as_it_says, auc, biases_of, crossed_biases
from scipy.optimize import minimize
from scipy.special import softmax

from postil.data.formats.sra import read_collection
from postil.data.labels import RESPONSE_SCHEMES
from postil.grading.decision import LABELS, collapse_labels
from postil.grading.evidence import EVIDENCE, landmarks
from postil.grading.judging import LONG_REFERENCE
from postil.grading.probabilities import Model, load_model, save_model
from postil.language.expert import PROMPTS_FILE, cooled
from postil.language.network import EXPERT

COARSE = {"not_correct": WRONG, "wrong": WRONG}
LEVELS = np.arange(0.5, 0.991, 0.01)
LEAST = -16.0  # what the stack cuts off as well
PASSING_LONG = 0.95  # exams about office software ask for less of a long reference than the challenge does
ENOUGH = 0.9  # of what passes is right, in the mean of the corpora that were not held out whole
FEW = 20  # answers of a corpus that say nothing about it
FAR = 0.98  # the highest level that is asked for, where even the surest are wrong too often


class Rows:
    """The pairs with people's labels that were held back, and what the expert says of them."""

    def __init__(self, pool: Path, soft: Path, data: Path) -> None:
        corpora, references = {}, {}
        for (_, name), questions in read_collection(data / "sra").items():
            for question in questions if name == "train" else ():
                corpora[question.text] = question.corpus
                references[question.text] = question.references[0].text
        self.learned = set()
        kept = []
        for row in read_lines(pool):
            name = row["source"].removeprefix("graded ")
            if row["source"] == "sra":
                self.learned.add((row["question"], references[row["question"]]))
            if row["task"] == "response" and row["held"] and row["label"]:
                if row["source"] == "sra":
                    name = corpora[row["question"]]
                elif row["source"].startswith("trick"):
                    name = "tricks"
                elif not row["source"].startswith("graded "):
                    continue
                kept.append((name, row))
        said = read_soft(soft, [row for _, row in kept])
        if unsaid := sum(values is None for values in said):
            raise SystemExit(f"{soft} says nothing of {unsaid} of {len(said)} pairs: is it of another pool?")
        self.said = np.maximum(np.array(said, np.float64), LEAST)
        self.chances = np.zeros(0)  # until the stack has weighed what is said
        self.corpus = np.array([name for name, _ in kept])
        self.gold = np.array([COARSE.get(row["label"]) or LABELS.index(row["label"]) for _, row in kept])
        places: dict[str, int] = {}
        self.group = np.array([places.setdefault(row["question"], len(places)) for _, row in kept])
        self.long = np.array([len(row["second"].split()) > LONG_REFERENCE for _, row in kept])
        # Of tricks on known questions nothing is new but the trick.
        self.known = np.array([row["held"] == "answer" for _, row in kept])


def temperature(rows: Rows, chosen: np.ndarray) -> tuple[float, float]:
    """By how much the expert is too sure of questions that it has not learned from; every corpus counts alike.

    Corpora that were held out whole say nothing, so that their figures are those of somebody else's class.
    """
    chosen = chosen[~np.isin(rows.corpus[chosen], (*WHOLE, "tricks"))]
    said, correct, corpus = rows.said[chosen], rows.gold[chosen] == 0, rows.corpus[chosen]
    weights = 1 / np.array([(corpus == name).sum() for name in corpus])

    def cost(settings: np.ndarray) -> float:
        right = softmax(cooled(said, *settings), axis=1)[:, 0]
        return -float((weights * np.log(np.where(correct, right, 1 - right) + 1e-9)).sum())

    heat, lift = minimize(cost, np.array([2.0, 0.0]), method="Nelder-Mead").x
    return float(heat), float(lift)


def note(path: Path, heat: float, lift: float) -> None:
    """Write into the package by how much the reader makes itself less sure."""
    content = json.loads(path.read_text("utf-8"))
    content["tasks"]["response"] |= {"heat": heat, "lift": lift}
    path.write_text(json.dumps(content, indent=1) + "\n", "utf-8")


def level(sure: np.ndarray, right: np.ndarray, corpus: np.ndarray) -> float:
    """The least confidence from which corpora are right often enough in the mean."""
    for least in LEVELS:
        shares = [right[(sure >= least) & (corpus == one)] for one in set(corpus)]
        if np.mean([share.mean() for share in shares if len(share) >= FEW]) >= ENOUGH:
            return round(float(least), 2)
    return FAR


def pass_level(rows: Rows, chosen: np.ndarray) -> float:
    """From which confidence judgements pass; what is called wrong beside a long reference is asked for more."""
    correct = rows.chances[chosen, 0]
    sure, right = np.maximum(correct, 1 - correct), (correct > 0.5) == (rows.gold[chosen] == 0)
    counted = ~np.isin(rows.corpus[chosen], (*WHOLE, "tricks")) & ((correct > 0.5) | ~rows.long[chosen])
    return level(sure[counted], right[counted], rows.corpus[chosen][counted])


def report(rows: Rows, chosen: np.ndarray, labels: dict[str, np.ndarray], passing: float) -> dict:
    found = {}
    for corpus in sorted(set(rows.corpus[chosen])):
        own = chosen[rows.corpus[chosen] == corpus]
        correct, gold = rows.chances[own, 0], rows.gold[own]
        right = (correct > 0.5) == (gold == 0)
        sure = np.maximum(correct, 1 - correct)
        passed = sure >= np.where((correct <= 0.5) & rows.long[own], PASSING_LONG, passing)
        order = np.argsort(-sure, kind="stable")
        values = {
            "answers": len(own),
            "really correct": (gold == 0).mean(),
            "called correct": (correct > 0.5).mean(),
            "accuracy": right.mean(),
            "accuracy of the surest quarter": right[order[: max(1, len(order) // 4)]].mean(),
            "passed": passed.mean(),
            "accuracy of passed": right[passed].mean() if passed.any() else 1.0,
            "calibration error": calibration_error(sure, right),
            "auc": auc(correct, gold == 0),
        }
        for name, scheme in RESPONSE_SCHEMES.items() if corpus in CHALLENGE else ():
            wanted, classes = collapse_labels(gold, scheme), classes_of(name, corpus)
            values[f"macro F1, {name}"] = macro(wanted, labels[name][own], classes)
            values[f"macro F1, {name}, from"], values[f"macro F1, {name}, to"] = interval(
                wanted, labels[name][own], rows.group[own], classes
            )
        found[corpus] = {name: round(float(value), 3) for name, value in values.items()}
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("data", "pool", "soft", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    options = parser.parse_args()
    rows = Rows(options.pool, options.soft, options.data)
    heat, lift = temperature(rows, np.flatnonzero(~rows.known))
    heat, lift = round(heat, 2), round(lift, 2)
    note(options.out / PROMPTS_FILE, heat, lift)
    table = np.zeros((len(rows.said), len(EVIDENCE)))
    table[:, : len(LABELS)] = cooled(rows.said, heat, lift)
    stack = as_it_says()
    rows.chances = stack.probabilities(table)
    passing = pass_level(rows, np.flatnonzero(~rows.known))
    stack = replace(stack, passing=passing, passing_long=PASSING_LONG)
    stacks, figures = {}, {"temperature": heat, "lift": lift, "passing": passing}
    rng = np.random.default_rng(0)
    for name, mask, title in (
        ("new", ~rows.known, "new questions"), ("known", rows.known, "known questions, new answers"),
    ):  # fmt: skip
        chosen = np.flatnonzero(mask)
        drawn = np.concatenate(
            [rng.choice(chosen[rows.corpus[chosen] == one], EACH) for one in sorted(set(rows.corpus[chosen]))]
        )
        stacks[name] = replace(
            stack,
            biases=biases_of(rows, chosen, rows.chances),
            sureness=curve(rows.chances[drawn], np.minimum(rows.gold[drawn], 1), {"2way": (0.0, 0.0)}),
        )
        figures[title] = report(rows, chosen, crossed_biases(rows, chosen, rows.chances), passing)
    with as_file(files("postil.resources").joinpath("grader", "stack.json")) as path:
        known = load_model(path).known
    save_model(options.out / "stack.json", Model(stacks, known, EXPERT, landmarks(sorted(rows.learned))))
    (options.out / "figures.json").write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
