"""The promises of the grader: speed in batch and alone, cold start, memory, size of what is installed.

    python benchmarks/grader.py --data DATA [--torch MODEL --weights FINAL] [--count 2000]
    POSTIL_READER=quick|careful|cascade python benchmarks/grader.py --data DATA

DATA is a folder with sra/ below it, as docs/researchers/data.md shows; its training answers are the load.
The peer is the same fine-tuned network run by PyTorch in batches, as a cross-encoder usually is: MODEL is
the folder of the model that training started from, FINAL the learned weights (see training/README.md). Both
sides use as many threads as there are cores.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

from fresh import python

import postil
from postil.data.formats.sra import read_collection
from postil.data.questions import Question
from postil.language import pipeline
from postil.language.measures.features import forget_measured
from postil.language.network import CAREFUL, CASCADE, QUICK, Pair, encoder, reader

ROOT = Path(__file__).parents[1]
ROUNDS, SINGLE = 3, 60

COLD = """
import time
start = time.perf_counter()
import postil
postil.load().grade("Why is the bulb lit?", ["It is in a closed path with the battery."], "a closed path")
print(time.perf_counter() - start)
"""

MEMORY = """
import resource, sys
from pathlib import Path
sys.path.insert(0, sys.argv[3])
import postil
from grader import load
list(postil.load().grade_many(load(Path(sys.argv[1]), int(sys.argv[2]))))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def load(data: Path, count: int) -> list[Question]:
    """Questions drawn at random, with all of their answers, until there are enough of these."""
    questions = [question for group in read_collection(data / "sra").values() for question in group]
    random.Random(0).shuffle(questions)
    total, chosen = 0, []
    for question in questions:
        if total < count:
            chosen.append(question)
            total += len(question.answers)
    return chosen


def seconds(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


# For each reader: answers a second in batch, and milliseconds for one answer.
PROMISES = {QUICK: (200, 40), CAREFUL: (40, 80), CASCADE: (90, 80)}


def forget(grader: postil.Grader) -> None:
    """Each round starts without what is kept of the one before."""
    forget_measured()
    pipeline.forget()
    encoder().forget()
    reader(grader.reader).forget()


def report(what: str, value: str, promise: str, met: bool) -> None:
    print(f"{what}: {value} (promise: {promise}; {'kept' if met else 'MISSED'})", flush=True)


def in_batch(grader: postil.Grader, questions: Sequence[Question]) -> None:
    """Everything: plain cases, analysis, word vectors, pairs, stack."""
    total = sum(len(question.answers) for question in questions)
    times = []
    for _ in range(ROUNDS):
        forget(grader)
        times.append(seconds(lambda: list(grader.grade_many(questions))))
    best = total / min(times)
    rates = ", ".join(f"{total / duration:.0f}" for duration in times)
    least, _ = PROMISES[grader.reader]
    report(f"graded in batch, {total:,} answers", f"{best:.0f}/s ({rates})", f"≥ {least}/s", best >= least)


def alone(grader: postil.Grader, questions: Sequence[Question]) -> None:
    """One answer at a time, each of another question than the one before."""
    asked = [(q.text, [reference.text for reference in q.references], q.answers[-1].text) for q in questions]
    asked = (asked * (SINGLE // len(asked) + 1))[:SINGLE]
    forget(grader)
    _, most = PROMISES[grader.reader]
    middle = 1000 * median(seconds(lambda case=case: grader.grade(*case)) for case in asked)  # type: ignore[misc]
    report("one answer, warm", f"{middle:.1f} ms, median of {len(asked)}", f"≤ {most} ms", middle <= most)


def with_torch(pairs: Sequence[Pair], model: Path, weights: Path) -> Callable[[], object] | None:
    """The same network in PyTorch: 32 pairs of like length at a time, 32-bit numbers."""
    sys.path.insert(0, str(ROOT / "training"))
    try:
        import torch
        from encoder_model import Encoder
        from encoder_pairs import Pairs
        from safetensors.torch import load_file
    except ImportError as error:
        print(f"PyTorch's side is left out: {error.name} is not installed")
        return None
    network = Encoder(model).eval()
    network.load_state_dict({name: value.float() for name, value in load_file(weights).items()})
    torch.set_num_threads(os.cpu_count() or 1)
    items = [{"first": a, "second": b, "task": "response", "label": "correct"} for a, b in pairs]

    def run() -> None:
        rows = Pairs(model, items, "cpu")
        order = sorted(range(len(pairs)), key=lambda index: len(rows.rows[index][0]))
        with torch.inference_mode():
            for start in range(0, len(order), 32):
                network(rows.tensors(order[start : start + 32]), "response")

    return run


def pairs_only(questions: Sequence[Question], torch: tuple[Path, Path] | None) -> None:
    """The encoder's pairs, beside PyTorch in turns."""
    pairs = [(answer.text, q.references[0].text) for q in questions for answer in q.answers][:600]
    encoder().pairs(pairs[:8])
    peer = with_torch(pairs, *torch) if torch else None
    if torch is None:
        print("PyTorch's side is left out: no --torch and --weights")
    ours, theirs = [], []
    for _ in range(ROUNDS):
        encoder().forget()
        ours.append(seconds(lambda: encoder().pairs(pairs)))
        if peer:
            theirs.append(seconds(peer))
    rate = len(pairs) / min(ours)
    report(f"the encoder's pairs alone, {len(pairs)}", f"{rate:.0f}/s", "≥ 400/s", rate >= 400)
    if theirs:
        ratio = median(b / a for a, b in zip(ours, theirs, strict=True))
        value = f"{len(pairs) / min(theirs):.0f}/s; ours is {ratio:.1f} × as fast"
        report("    the same network by PyTorch", value, "≥ 2 ×", ratio >= 2)


def wheel() -> None:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--quiet", "-w", folder, str(ROOT)]
        made = subprocess.run(command, capture_output=True, text=True, check=False)
        if made.returncode:
            print(f"the wheel could not be built: {made.stderr.strip().splitlines()[-1:]}")
            return
        size = sum(path.stat().st_size for path in Path(folder).iterdir()) / 1e6
    report("the wheel", f"{size:.1f} MB", "≤ 95 MB", size <= 95)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--torch", type=Path)
    parser.add_argument("--weights", type=Path)
    parser.add_argument("--count", type=int, default=2000)
    options = parser.parse_args()
    print(f"cores: {os.cpu_count()}; load before: {os.getloadavg()[0]:.2f}")
    cold = median(python(COLD)[0] for _ in range(3))
    report("cold start and first answer", f"{cold:.2f} s", "≤ 2.5 s", cold <= 2.5)
    grader = postil.load()
    questions = load(options.data, options.count)
    grader.grade(questions[0].text, [reference.text for reference in questions[0].references], "it is lit")
    in_batch(grader, questions)
    alone(grader, questions)
    both = options.torch and options.weights
    pairs_only(questions, (options.torch, options.weights) if both else None)
    memory = python(MEMORY, str(options.data), "2000", str(Path(__file__).parent))[0]
    report("memory of a process that grades 2,000", f"{memory:.0f} MB", "≤ 900 MB", memory <= 900)
    wheel()
    print(f"load after: {os.getloadavg()[0]:.2f}")


if __name__ == "__main__":
    main()
