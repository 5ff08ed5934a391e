"""The readers side by side: a class of thirty, answers a second, memory; with a pool of pairs, quality too.

    python benchmarks/readers.py [--readers quick careful expert] [--pool pool.jsonl.xz [--soft soft.npz]]

Each reader runs in a process of its own. The class has thirty different short answers to a question that no
reader knows. `--pool` is what the careful and the expert reader were trained on (`training/reader_data.py`):
short pairs that were held back from training, as many of each source, are judged one by one (`--rows`). The
shipped careful reader has learned a little from them in its last minutes, so its own figures are those on its
card. `--soft` is what the expert's training run said of the pool (`training/reader_teacher.py`), which
llama.cpp is compared with.
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
import resource
import subprocess
import sys
import time
from collections import defaultdict
from itertools import product
from pathlib import Path

import numpy as np
from scipy.special import softmax

QUESTION = "Why does a bicycle tyre feel warm after it has been pumped up?"
REFERENCE = "Pumping compresses the air, and compressed air gets warmer."
BEGINNINGS = ("because", "I think", "the reason is that", "it is warm since", "well,", "it happens because")
ENDS = (
    "the air is pressed together and heats up", "the sun shines on it", "the rubber rubs on the road",
    "compressed air gets hot", "there is more air inside so it is cold",
)  # fmt: skip
LONGEST = 60  # words of question, reference and answer


def used() -> float:
    """Seconds of the processor that this process has taken, whatever else the machine does."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def measured(name: str, pool: Path | None, rows: int, soft: Path | None) -> dict[str, object]:
    """All figures of a reader."""
    import postil
    from postil.language.network import reader

    answers = [f"{beginning} {end}" for beginning, end in product(BEGINNINGS, ENDS)]
    question = postil.Question("q", QUESTION, (postil.Reference("r", REFERENCE),))
    grader = postil.load(reader=name)
    started = time.perf_counter()
    grader.grade_class(question, answers[:1])
    figures: dict[str, object] = {"start": time.perf_counter() - started}
    reader(name).forget()
    started, before = time.perf_counter(), used()
    judgements = grader.grade_class(question, answers)
    figures["class of 30"] = time.perf_counter() - started
    figures["class of 30, processor"] = used() - before
    figures["called correct"] = sum(judgement.label == "correct" for judgement in judgements)
    reader(name).forget()
    started, before = time.perf_counter(), used()
    reader(name).pairs([(answer, REFERENCE) for answer in answers], question=QUESTION)
    figures["answers a second"] = len(answers) / (time.perf_counter() - started)
    figures["answers a second of a core"] = len(answers) / (used() - before)
    figures["memory, MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    if pool:
        figures |= quality(name, pool, rows, soft)
    return {key: round(float(value), 4) for key, value in figures.items()}  # type: ignore[arg-type]


def quality(name: str, pool: Path, count: int, soft: Path | None) -> dict[str, object]:
    """How often a reader's own probabilities are right on pairs that were held back."""
    from postil.language.network import reader

    by_source: dict[str, list[tuple[int, dict]]] = defaultdict(list)
    with lzma.open(pool, "rt", encoding="utf-8") as file:
        for number, line in enumerate(file):
            row = json.loads(line)
            texts = f"{row['question']} {row['second']} {row['first']}"
            if row["task"] == "response" and row["held"] and row["label"] and len(texts.split()) <= LONGEST:
                by_source[row["source"]].append((number, row))
    rng = random.Random(0)
    sources = sorted(by_source)
    chosen = [rng.choice(by_source[sources[place % len(sources)]]) for place in range(count)]
    chances = []
    for place, (_, row) in enumerate(chosen):
        logits = reader(name).pairs([(row["first"], row["second"])], question=row["question"])["response"][0]
        chances.append(softmax(logits.astype(np.float64)))
        print(f"\r{name}: {place + 1} of {count}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    correct = np.array(chances)[:, 0]
    gold = np.array([row["label"] == "correct" for _, row in chosen])
    figures: dict[str, object] = {"pairs": count, "accuracy": ((correct > 0.5) == gold).mean()}
    if soft:
        from postil.language.expert import expert

        # As the model said it, before it was made less sure.
        task = expert().asking.tasks["response"]
        said = np.log(np.array(chances)) - task.lift * (np.arange(5) == 0)
        correct = softmax(said * task.heat, axis=1)[:, 0]
        figures["accuracy as it said"] = ((correct > 0.5) == gold).mean()
        taught = np.exp(np.load(soft)["soft"][[number for number, _ in chosen], 0].astype(np.float64))
        figures["accuracy in training's run"] = ((taught > 0.5) == gold).mean()
        figures["difference of p(correct)"] = np.abs(correct - taught).mean()
        figures["same label"] = ((correct > 0.5) == (taught > 0.5)).mean()
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--readers", nargs="+", default=["quick", "careful", "cascade", "expert"])
    parser.add_argument("--pool", type=Path)
    parser.add_argument("--soft", type=Path, help="compare the expert reader with its training's run")
    parser.add_argument("--rows", type=int, default=300)
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.alone:
        (name,) = options.readers
        print(json.dumps(measured(name, options.pool, options.rows, options.soft)))
        return
    for name in options.readers:
        command = [sys.executable, __file__, "--alone", "--readers", name, "--rows", str(options.rows)]
        for option in ("pool", "soft"):
            if getattr(options, option) and (option != "soft" or name == "expert"):
                command += [f"--{option}", str(getattr(options, option))]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        print(name)
        for key, value in json.loads(done.stdout.splitlines()[-1]).items():
            print(f"  {key}: {value:g}", flush=True)


if __name__ == "__main__":
    main()
