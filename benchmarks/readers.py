"""The readers side by side: how good each is on answers that no training has seen, and what it costs.

    python benchmarks/readers.py --data DATA --kept FOLDER [--readers quick careful …] [--each 120]
        [--pairs 200] [--parts quality entailment cost agreement] [--json OUT] [--limit N]

DATA is as docs/researchers/data.md shows. What the expert says is kept in FOLDER: a run that broke off goes
on from there.

*quality*: `--each` answers of every corpus to questions that no training has seen (`training/held_out.py`)
are graded by every reader as new questions, so that the quick reader has no say in what the others do.
Intervals (95 %) are bootstrapped by question. The time of a million answers is that of these.

*entailment*: RTE-3's development pairs (`--pairs` of them, spread evenly), which only the quick reader has
learned from. Cascades judge entailment as the careful reader does; claims are found without any reader.

*cost*: `reader_costs.py`, each reader in a process of its own.

*agreement*: how far llama.cpp differs from what the adapter's training run said (`--soft`) of the pool
(`--pool`) that it was trained on (`training/reader_data.py`, `training/reader_teacher.py`).

`--limit` is for a quick try: so many answers and pairs, one turn.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
from scipy.special import softmax

import postil
from postil.cli.show import progress_bar
from postil.data.labels import RESPONSE_SCHEMES
from postil.data.questions import Question
from postil.language.expert import Asking
from postil.language.network import CAREFUL, EXPERT, QUICK, READERS, THOROUGH, reader, stack_folder

sys.path.append(str(Path(__file__).parents[1] / "training"))

from grader_figures import classes_of, interval, macro
from held_out import CHALLENGE, RIGHT, Kept, held_out, keep_expert
from reader_data import read_lines
from reader_soft import read_soft
from reader_stack import auc

# There are two entailment.py, and the one in this folder is found first.
SPEC = spec_from_file_location("entailment_training", Path(sys.path[-1], "entailment.py"))
learning = module_from_spec(SPEC)
SPEC.loader.exec_module(learning)

PARTS = ("quality", "entailment", "cost", "agreement")
COUNTED = ("accuracy", "accuracy_2way")
SHOWN = ("accuracy", "average", "auc", "passed", "macro")
UNITS = {"answers": "answers", "questions": "questions", "count": "pairs"}
DRAWS = 2000
ENOUGH = 150  # pairs that a stack can be learned from
LONGEST = 60  # words of question, reference and answer that are compared with the training run
Told = Callable[..., None] | None
Figures = dict[str, float]


def quality(
    names: Sequence[str], corpora: Mapping[str, list[Question]], kept: Kept | None, told: Told
) -> dict:
    """How good every reader is on every corpus, and in the mean of all, and its seconds an answer."""
    total = sum(len(question.answers) for questions in corpora.values() for question in questions)
    report: dict[str, dict[str, Figures]] = {}
    for questions in corpora.values():  # so that words, which all readers share, cost the first one no more
        list(postil.load(reader=QUICK).grade_many(questions))
    for place, name in enumerate(names):
        # To a grader that knows no question all are new, and the quick reader has no say beside the others.
        grader = replace(postil.load(reader=name), known={}, home=np.zeros((0, 0), np.float32))
        done, draws, own = place * total, [], {}
        for corpus, questions in corpora.items():
            reader(name).forget()
            rows, used = [], -spent(kept)
            for number, question in enumerate(questions):
                judgements = grader.grade_class(question, [answer.text for answer in question.answers])
                labels = [answer.label for answer in question.answers]
                rows += zip([number] * len(labels), labels, judgements, strict=True)
                if told:
                    told(done + len(rows), total * len(names), f"{name}, {corpus}")
            used += spent(kept)
            done += len(rows)
            own[corpus], drawn = graded(corpus, rows)
            own[corpus]["seconds an answer"] = round(used / len(rows), 5)
            draws.append(drawn)
        means = {
            key: float(np.mean([figures[key] for figures in own.values()]))
            for key in ("accuracy", "auc", "passed", "accuracy of passed", "seconds an answer")
        }
        bounds = dict(zip(("from", "to"), np.quantile(np.mean(draws, axis=0), (0.025, 0.975)), strict=True))
        report[name] = {**own, "all corpora alike": rounded(means | bounds)}
    return report


def spent(kept: Kept | None) -> float:
    """Processor time until now; what the expert said before, and was kept, counts as if it were said now."""
    return time.process_time() + (kept.seconds - kept.seconds_now if kept else 0.0)


def graded(corpus: str, rows: Sequence[tuple]) -> tuple[Figures, np.ndarray]:
    """The figures of a corpus (rows: question's number, label, judgement), and draws of its accuracy."""
    group = np.array([number for number, _, _ in rows])
    gold = np.array([label == RIGHT for _, label, _ in rows])
    chance = np.array([judgement.probabilities["2way"][RIGHT] for _, _, judgement in rows])
    called = np.array([judgement.labels["2way"] == RIGHT for _, _, judgement in rows])
    passed = np.array([not judgement.deferred for _, _, judgement in rows])
    hits = called == gold
    sums = np.array([(hits[group == each].sum(), (group == each).sum()) for each in np.unique(group)])
    drawn = sums[np.random.default_rng(0).integers(len(sums), size=(DRAWS, len(sums)))].sum(axis=1)
    drawn = drawn[:, 0] / drawn[:, 1]
    low, high = np.quantile(drawn, (0.025, 0.975))
    figures = {
        "answers": len(rows), "questions": len(sums), "really correct": gold.mean(),
        "called correct": called.mean(), "accuracy": hits.mean(), "from": low, "to": high,
        "auc": auc(chance, gold), "passed": passed.mean(),
        "accuracy of passed": hits[passed].mean() if passed.any() else 1.0,
    }  # fmt: skip
    for name, scheme in RESPONSE_SCHEMES.items() if corpus in CHALLENGE else ():
        pairs = [(scheme.collapse(label) or label, judgement.labels[name]) for _, label, judgement in rows]
        wanted, given = np.array([[scheme.labels.index(label) for label in pair] for pair in pairs]).T
        classes = classes_of(name, corpus)
        bounds = interval(wanted, given, group, classes)
        key = f"macro F1, {name}"
        figures |= {key: macro(wanted, given, classes), f"{key}, from": bounds[0], f"{key}, to": bounds[1]}
    return rounded(figures), drawn


def entailment(names: Sequence[str], data: Path, most: int, told: Told) -> dict:
    """Entailment by the readers that have not learned from RTE-3: by itself, and with its stack in folds."""
    report = {}
    for name in [name for name in (CAREFUL, EXPERT) if name in names]:
        if told:
            told(0, 1, f"{name}, entailment")
        pairs = learning.Unseen(data, reader(name), most)
        rows = np.arange(len(pairs.labels))
        tables = {"alone": pairs.table[:, : len(learning.ENCODER)]}
        if len(rows) >= ENOUGH:
            tables["with its stack"] = learning.crossed(pairs)
        report[name] = {title: learning.scored(pairs, table, rows) for title, table in tables.items()}
    return report


def costs(names: Sequence[str], turns: int, told: Told) -> dict:
    """What each reader costs, measured by a process of its own."""
    report = {}
    for place, name in enumerate(names):
        if told:
            told(place, len(names), f"cost of {name}")
        script = str(Path(__file__).with_name("reader_costs.py"))
        command = [sys.executable, script, name, "--turns", str(turns)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        report[name] = json.loads(done.stdout.splitlines()[-1])
    return report


def agreement(pool: Path, soft: Path, most: int) -> Figures:
    """How far the expert in llama.cpp is from what its training run said of pairs that were held back."""
    rows = [
        row
        for row in read_lines(pool)
        if row["task"] == "response" and row["held"] and row["label"]
        if len(f"{row['question']} {row['second']} {row['first']}".split()) <= LONGEST
    ]
    rows = [rows[place] for place in np.random.default_rng(0).permutation(len(rows))[:most].tolist()]
    known = [(row, values) for row, values in zip(rows, read_soft(soft, rows), strict=True) if values]
    logits = np.array(
        [
            reader(EXPERT).pairs([(row["first"], row["second"])], question=row["question"])["response"][0]
            for row, _ in known
        ]
    )
    # As the model said it, before it was made less sure.
    task = Asking.read(stack_folder(EXPERT) or Path()).tasks["response"]
    chance = softmax((logits.astype(np.float64) - task.lift * (np.arange(5) == 0)) * task.heat, axis=1)[:, 0]
    taught = np.exp([values[0] for _, values in known])
    same = (chance > 0.5) == (taught > 0.5)
    return rounded(
        {
            "pairs": len(known),
            "p(correct) differs by": np.abs(chance - taught).mean(),
            "same label": same.mean(),
        }
    )


def rounded(figures: Mapping[str, float]) -> Figures:
    return {key: round(float(value), 4) for key, value in figures.items()}


def show(report: Mapping[str, dict], names: Sequence[str]) -> None:
    """Print the tables, as Markdown."""
    for part in ("quality", "entailment"):
        table: dict[str, dict[str, str]] = {}
        for name, groups in report.get(part, {}).items():
            for group, figures in groups.items():
                count = "".join(f", {figures[key]:g} {unit}" for key, unit in UNITS.items() if key in figures)
                for key, value in figures.items():
                    if key.startswith(SHOWN) and not key.endswith(("from", "to")):
                        title = f"{group}{count if key in COUNTED else ''}, {key}"
                        table.setdefault(title, {})[name] = cell(value, *bounds_of(figures, key))
        print_table(part, names, table)
    if "cost" in report:
        costs = {name: dict(figures) for name, figures in report["cost"].items()}
        for name, groups in report.get("quality", {}).items():
            seconds = groups["all corpora alike"]["seconds an answer"]
            costs.setdefault(name, {})["a million answers, days of a core"] = seconds * 1e6 / 86400
        titles = dict.fromkeys(key for figures in costs.values() for key in figures)
        table = {
            key: {name: f"{figures[key]:.3g}" for name, figures in costs.items() if key in figures}
            for key in titles
        }
        print_table("cost", names, table)
    if "agreement" in report:
        print(f"\nllama.cpp beside the training run: {json.dumps(report['agreement'])}")


def bounds_of(figures: Figures, key: str) -> list[float]:
    prefix = "" if key == "accuracy" else f"{key}, "
    return [figures[f"{prefix}{end}"] for end in ("from", "to") if f"{prefix}{end}" in figures]


def cell(value: float, *bounds: float) -> str:
    return f"{value:.3f}" + (f" [{bounds[0]:.3f}, {bounds[1]:.3f}]" if bounds else "")


def print_table(part: str, names: Sequence[str], rows: Mapping[str, Mapping[str, str]]) -> None:
    columns = [name for name in names if any(name in row for row in rows.values())]
    if columns:
        print(f"\n| {part} | {' | '.join(columns)} |\n| --- {'| ---: ' * len(columns)}|")
    for title, row in rows.items():
        print(f"| {title} | {' | '.join(row.get(name, '') for name in columns)} |")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path)
    parser.add_argument("--kept", type=Path, default=Path("kept"))
    parser.add_argument("--readers", nargs="+", choices=READERS, default=list(READERS))
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS[:3]))
    parser.add_argument("--each", type=int, default=120, help="answers of a corpus; 0 for all")
    parser.add_argument("--pairs", type=int, default=200, help="of RTE-3; 0 for all 800")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--pool", type=Path)
    parser.add_argument("--soft", type=Path)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--limit", type=int, help="for a quick try: so many answers and pairs, one turn")
    options = parser.parse_args()
    if options.limit:
        options.each = options.pairs = options.limit
        options.turns = 1
    if options.data is None and {*options.parts} & {"quality", "entailment"}:
        parser.error("quality and entailment need --data")
    options.kept.mkdir(parents=True, exist_ok=True)
    names = [name for name in READERS if name in options.readers]
    report: dict[str, dict] = {}
    with progress_bar("readers") as told:
        if "cost" in options.parts:
            report["cost"] = costs(names, options.turns, told)
        kept = keep_expert(options.kept / f"{EXPERT}.jsonl") if {EXPERT, THOROUGH} & {*names} else None
        if "quality" in options.parts:
            corpora = held_out(options.data, most=options.each)
            report["quality"] = quality(names, corpora, kept, told)
        if "entailment" in options.parts:
            report["entailment"] = entailment(names, options.data, options.pairs, told)
        if "agreement" in options.parts:
            report["agreement"] = agreement(options.pool, options.soft, options.limit or 300)
    if options.json:
        options.json.write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    show(report, names)


if __name__ == "__main__":
    main()
