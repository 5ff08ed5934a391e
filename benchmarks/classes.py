"""Classes of other subjects: how often the two-way label is right, without labels and with a few.

    python benchmarks/classes.py --data DATA [--labels 0 3 5 10 20] [--aside] [--most 300] [--json OUT]

DATA/graded holds the answers (docs/researchers/data.md). Full marks count as correct. Each question is
graded as one class; the answers that `propose` chose are labelled and left out. `passed` are those not left
to a person. With `--aside`, only questions that no training has seen: those whose sha1 ends in 0. The
intervals (95 %) are bootstrapped by question.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from pathlib import Path

import numpy as np

import postil
from postil.data.questions import Answer, Question, Reference

sys.path.append(str(Path(__file__).parents[1] / "training"))

from reader_data import read_lines, set_aside

CORPORA = ("saf_en", "brooklyn_office_exams", "stita", "evouna", "efficientqa_judged")
DOUBTFUL = ("possibly_correct",)
BINS = 10


def classes(path: Path, aside: bool, most: int) -> list[Question]:
    groups: dict[tuple[str, str, tuple[str, ...]], list[Answer]] = {}
    for row in read_lines(path):
        if row["label"] in DOUBTFUL or row["score"] is None:
            continue
        if aside and not set_aside(row["question"]):
            continue
        key = (row["question_id"], row["question"] or "", tuple(row["references"]))
        answers = groups.setdefault(key, [])
        label = "correct" if row["score"] >= 0.999 else "incorrect"
        answers.append(Answer(str(len(answers)), row["answer"], label))
    questions = [
        Question(
            id, text, tuple(Reference(str(at), one) for at, one in enumerate(references)), tuple(answers)
        )
        for (id, text, references), answers in groups.items()
    ]
    return random.Random(0).sample(questions, min(most, len(questions)))


def judged(question: Question, count: int) -> np.ndarray:
    """Of each answer without a label: is the judgement right, passed, `correct`, and how sure."""
    grader = postil.load()
    texts = [answer.text for answer in question.answers]
    references = [reference.text for reference in question.references]
    chosen = set(grader.propose(question.text, references, texts, count)) if count else set()
    decided = [(texts[row], question.answers[row].label or "") for row in chosen]
    known = {text for text, _ in decided}
    judgements = grader.grade_class(question, texts, decided)
    rows = []
    for answer, judgement in zip(question.answers, judgements, strict=True):
        if answer.text not in known:
            called = judgement.labels["2way"] == "correct"
            right = called == (answer.label == "correct")
            rows.append((right, not judgement.deferred, called, judgement.confidence))
    return np.array(rows, float).reshape(-1, 4)


def interval(groups: list[np.ndarray]) -> tuple[float, float]:
    rng = np.random.default_rng(0)
    sums = np.array([(group[:, 0].sum(), len(group)) for group in groups if len(group)])
    draws = sums[rng.integers(0, len(sums), (1000, len(sums)))].sum(axis=1)
    low, high = np.quantile(draws[:, 0] / draws[:, 1], (0.025, 0.975))
    return float(low), float(high)


def figures(groups: list[np.ndarray], base: float) -> dict[str, float | list[float]]:
    rows = np.concatenate(groups)
    right, passed, called, confidence = rows.T
    order = np.argsort(-confidence)
    quarter = right[order[: max(1, len(order) // 4)]].mean()
    bins = np.minimum((confidence * BINS).astype(int), BINS - 1)
    apart = sum(
        abs(right[bins == one].mean() - confidence[bins == one].mean()) * (bins == one).mean()
        for one in set(bins)
    )
    values = {
        "answers": len(rows), "really_correct": base, "accuracy": right.mean(),
        "called_correct": called.mean(),
        "passed": passed.mean(), "accuracy_of_passed": right[passed == 1].mean() if passed.any() else 0.0,
        "accuracy_of_surest_quarter": quarter, "calibration_error": apart,
    }  # fmt: skip
    return {name: round(float(value), 3) for name, value in values.items()} | {
        "interval": [round(value, 3) for value in interval(groups)]
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--corpora", nargs="+", default=CORPORA)
    parser.add_argument("--labels", type=int, nargs="+", default=(0, 5))
    parser.add_argument("--aside", action="store_true")
    parser.add_argument("--most", type=int, default=300, help="questions of each corpus")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    found: dict[str, dict[str, object]] = {}
    for name in options.corpora:
        questions = classes(options.data / "graded" / f"{name}.jsonl.xz", options.aside, options.most)
        if not questions:  # none that no training has seen
            continue
        base = float(np.mean([answer.label == "correct" for q in questions for answer in q.answers]))
        for count in options.labels:
            enough = [question for question in questions if len(question.answers) >= 2 * count]
            if enough:
                values = figures([judged(question, count) for question in enough], base)
                found.setdefault(name, {})[str(count)] = values
                print(f"{name}, {count} labels: {json.dumps(values)}", flush=True)
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
