"""The promise that no text can hurt: processor time and memory of everything that reads, on hostile texts.

    python benchmarks/hostile.py [--length 3000] [--only grade align …] [--kinds emoji json …]
    python benchmarks/hostile.py --requests [--kinds emoji json …]
    python benchmarks/hostile.py --files
    python benchmarks/hostile.py --prices

All but the last two take `--reader quick|careful|cascade` (otherwise the default reader is measured) and
`--known`, with which every question counts as one that the readers have learned from: then the quick reader
is asked beside the other one, which costs most.

Each kind of text in tests/hostile_texts.py, at this length, is graded and explained (as the answer, and as a
second reference as well), aligned, judged for entailment and facets, and analysed, in this one process. For
each reader the table shows how many kinds there were, the slowest and the one that took most memory above
what was in use before, and how much longer the slowest took than at half the length. The exit status is 1 if
a limit is broken: 2 seconds of processor time, 150 MB.

With --requests, the largest request of each sort that the API accepts is made of each kind of text (those
that cost most unless named), of a few long ones and of many short ones, and judged as the server does; the
limits are then 3 seconds and 300 MB.

With --files, every file of tests/hostile_files.py is made with 50 MB and opened as an upload is: read or
refused within 5 seconds.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
import time
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

import postil
import postil.grader
from postil.alignment.aligner import load_aligner
from postil.cli.analyse import MOST_ANALYSED
from postil.entailment.entailer import load_entailer
from postil.errors import PostilError
from postil.explain.explanation import explain, justified
from postil.grading.claims import judge_facets
from postil.language.network import (
    CAREFUL,
    QUICK,
    READER_SETTING,
    companion,
    default_reader,
    demand_reader,
    one_thread_each,
    reader,
)
from postil.language.network import READERS as NETWORKS
from postil.language.pipeline import analyse, analyse_tokens, beginning
from postil.language.words.walks import find_senses
from postil.workbench.drafts import open_file
from postil.workbench.jobs.judging import AlignTask, ClassTask, EntailTask, FacetsTask, Task
from postil.workbench.jobs.library import judge
from postil.workbench.jobs.prices import MOST_SECONDS, estimate
from postil.workbench.jobs.readers import reader_prices

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from hostile_files import HOSTILE
from hostile_texts import QUESTION, REFERENCE, hostile_texts

Input = TypeVar("Input")
SECONDS, MEGABYTES = 2.0, 150.0
START = "There is a gap in the path. "  # so that a grader takes the answer seriously
PAGE = 4096


@dataclass(frozen=True)
class Cost:
    """What reading one text took."""

    kind: str
    seconds: float
    megabytes: float


def grade(text: str) -> None:
    """Grade and explain an answer; the question and the reference that it is compared with are as hostile."""
    postil.load().grade(QUESTION + text, [REFERENCE, REFERENCE + text], START + text, explain=True)


def align(text: str) -> None:
    """Align two hostile sentences and say what that shows."""
    words = " ".join(text.split())
    (pair,) = load_aligner().align_texts([(START + words, f"{REFERENCE} {words}")])
    explain(pair, *analyse_tokens([pair.source, pair.target]))


def entail(text: str) -> None:
    """Judge a hostile text and hypothesis, and justify it."""
    justified([START + text], load_entailer().judge([(REFERENCE + text, START + text)]))


def facets(text: str) -> None:
    """Look for the facets of a hostile reference to a hostile question."""
    judge_facets(QUESTION + text, REFERENCE + text, [START + text])


def analysis(text: str) -> None:
    """All that `postil analyse` shows, of as much as it reads."""
    document = analyse(beginning(" ".join([text] * 4), MOST_ANALYSED))
    find_senses(document)
    _ = document.predicates


READERS: Mapping[str, Callable[[str], None]] = {
    "grade": grade,
    "align": align,
    "entail": entail,
    "facets": facets,
    "analyse": analysis,
}


REQUEST_SECONDS, REQUEST_MEGABYTES = 3.0, 300.0
LENGTHS = {"few long": 20_000, "many short": 100}
DEAR = (  # the kinds that cost most when they were all tried
    "! again and again",
    "$ again and again",
    "§ again and again",
    "\\ with blanks",
    "“a” again and again",
    "“1e9” again and again",
    "“I'm” again and again",
    "nested clauses",
    "because chain",
    "json",
    "chinese",
    "japanese",
    "snake case",
    "consonants",
    "emoji",
    "flags",
    "fractions",
    "distinct words",
    "invented words",
    "distinct numbers",
    "words with full stops",
)


def _class_task(text: str, count: int, *, explain: bool) -> ClassTask:
    longest, together = (500, 10_000) if explain else (3_000, 200 * 3_000)
    answers = [f"{START}{number} {text}"[:longest] for number in range(min(count, together // longest))]
    question = f"{QUESTION}{text}"[:5_000]
    return ClassTask(question, (f"{REFERENCE}{text}"[:longest],), tuple(answers), explain=explain)


# The largest requests of each sort, as many texts as asked for: judging_schemas.py has the limits.
REQUESTS: Mapping[str, Callable[[str, int], Task]] = {
    "grade": lambda text, count: _class_task(text, count, explain=False),
    "explain": lambda text, count: _class_task(text, count, explain=True),
    "decided": lambda text, count: ClassTask(
        f"{QUESTION}{text}"[:5_000],
        (f"{REFERENCE}{text}"[:500],),
        tuple(f"{START}{n} {text}"[:200] for n in range(count)),
        tuple((f"{text[:190]} {n}", "correct") for n in range(min(count, 50))),
    ),
    "align": lambda text, count: AlignTask(
        tuple((f"{START}{number} {text}"[:500], f"{REFERENCE}{text}"[:500]) for number in range(count))
    ),
    "entail": lambda text, count: EntailTask(
        tuple((f"{number} {START}{text}"[:20_000], f"{REFERENCE}{text}"[:2_000]) for number in range(count))
    ),
    "facets": lambda text, count: FacetsTask(
        f"{QUESTION}{text}"[:5_000],
        f"{REFERENCE}{text}"[:1_000],
        tuple(f"{START}{n} {text}"[:1_000] for n in range(count)),
    ),
    "named": lambda text, count: FacetsTask(
        f"{QUESTION}{text}"[:5_000],
        f"{REFERENCE}{text}"[:1_000],
        tuple(f"{START}{n} {text}"[:200] for n in range(count)),
        tuple(f"{text[9 * n : 9 * n + 8]} gap {n}" for n in range(20)),
    ),
}


def largest(make: Callable[[str, int], Task], text: str) -> Task:
    """The request with the most texts that is not refused."""
    counts = range(1, 201 if make is REQUESTS["grade"] else 51)
    affordable = bisect_right(counts, MOST_SECONDS, key=lambda count: estimate(make(text, count)))
    return make(text, max(1, affordable))


def requests(kinds: Sequence[str], watch: Watch) -> int:
    """Judge the largest requests, print what they cost, and count those that broke a limit."""
    broken = 0
    print(
        f"{'request':8} {'texts':10} {'kinds':>5} {'slowest':34} {'seconds':>7} {'most memory':34} {'MB':>5}"
    )
    for name, make in REQUESTS.items():
        judge(make("The switch is open.", 1))
        for size, length in LENGTHS.items():
            texts = {kind: text for kind, text in hostile_texts(length).items() if kind in kinds}
            costs = [cost(judge, kind, largest(make, text), watch) for kind, text in texts.items()]
            slowest = max(costs, key=lambda each: each.seconds)
            most = max(costs, key=lambda each: each.megabytes)
            broken += sum(
                each.seconds > REQUEST_SECONDS or each.megabytes > REQUEST_MEGABYTES for each in costs
            )
            print(
                f"{name:8} {size:10} {len(costs):5} {slowest.kind:34} {slowest.seconds:7.2f} {most.kind:34} "
                f"{most.megabytes:5.0f}",
                flush=True,
            )
    print(f"{broken} requests broke a limit ({REQUEST_SECONDS:.0f} s, {REQUEST_MEGABYTES:.0f} MB).")
    return 1 if broken else 0


UPLOAD_SECONDS, UPLOAD_SIZE = 5.0, 50 * 1024 * 1024


def uploads(watch: Watch) -> int:
    """Open every hostile file, print the slowest, and count those that broke the limit."""
    costs = []
    refused = 0
    for name, make in HOSTILE.items():
        data = make(UPLOAD_SIZE)[:UPLOAD_SIZE]
        before = watch.peak = in_use()
        begun = time.monotonic()
        try:
            open_file(name, data)
        except PostilError:
            refused += 1
        costs.append(Cost(name, time.monotonic() - begun, max(watch.peak, in_use()) - before))
    print(f"{len(costs)} files, {refused} refused; the slowest:")
    for each in sorted(costs, key=lambda each: -each.seconds)[:8]:
        print(f"{each.kind:34} {each.seconds:7.2f} s {each.megabytes:6.0f} MB")
    broken = sum(each.seconds > UPLOAD_SECONDS for each in costs)
    print(f"{broken} files broke the limit ({UPLOAD_SECONDS:.0f} s).")
    return 1 if broken else 0


MARGIN = 1.5  # how much more a price must be than what was measured: other cores are slower
SIZES = (20, 40, 80, 160, 240)  # pieces of a pair


def pair_seconds(name: str, size: int, times: int = 12) -> float:
    """The seconds of one core that a reader takes for a pair of so many pieces."""
    half = size // 2 - 2
    pairs = [(f"{number} " + "bulb " * (half - 1), "path " * half) for number in range(times)]
    with one_thread_each():
        reader(name).pairs(pairs[:1])
        reader(name).forget()
        begun = time.process_time()
        reader(name).pairs(pairs)
    return (time.process_time() - begun) / times


def prices() -> int:
    """Print what pairs cost with the installed readers, and whether the careful one's price is enough."""
    names = [QUICK, *([CAREFUL] if companion() else [])]
    for name in names:
        piece, pair = np.polyfit(SIZES, [pair_seconds(name, size) for size in SIZES], 1)
        price = reader_prices()[name]
        print(f"{name:8} measured: {pair:.4f} s a pair, {piece:.6f} s a piece")
        print(f"{'':8} price:    {price.pair:.4f} s a pair, {price.piece:.6f} s a piece (beside quick)")
    if CAREFUL not in names:
        print("The careful reader is not installed.")
        return 0
    short = [size for size in SIZES if price.of(size) < MARGIN * (pair + piece * size)]
    print(f"The price of the careful reader is {'too low' if short else 'enough'}.")
    return 1 if short else 0


class Everything(dict[str, int]):
    """What is known if every question is."""

    def __contains__(self, _: object) -> bool:
        return True


def know_everything() -> None:
    """Let the grader take every question for one that it has learned from."""
    model: Any = postil.grader._shipped(default_reader())
    object.__setattr__(model, "known", Everything())


class Watch:
    """The most memory in use since it was last reset, looked at every few milliseconds."""

    def __init__(self) -> None:
        self.peak = 0.0
        threading.Thread(target=self._look, daemon=True).start()

    def _look(self) -> None:
        while True:
            self.peak = max(self.peak, in_use())
            time.sleep(0.004)


def in_use() -> float:
    """The megabytes of memory that this process has."""
    pages = Path("/proc/self/statm").read_text("ascii").split()[1]
    return int(pages) * PAGE / 1e6


def cost(read: Callable[[Input], object], kind: str, text: Input, watch: Watch) -> Cost:
    """What a reader takes for a text."""
    before = watch.peak = in_use()
    begun = time.process_time()
    read(text)
    return Cost(kind, time.process_time() - begun, max(watch.peak, in_use()) - before)


def main() -> int:
    """Measure, print the table, and say whether the limits hold."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--length", type=int, default=3000, help="characters of a text")
    parser.add_argument("--only", nargs="+", choices=READERS, default=list(READERS), help="readers")
    parser.add_argument("--kinds", nargs="+", help="kinds of text (default: all)")
    parser.add_argument("--requests", action="store_true", help="the largest requests that the API accepts")
    parser.add_argument("--files", action="store_true", help="files of 50 MB, opened as uploads are")
    parser.add_argument("--prices", action="store_true", help="what the readers take for a pair")
    parser.add_argument("--reader", choices=NETWORKS, help="who reads (default: as installed)")
    parser.add_argument("--known", action="store_true", help="questions that the readers have learned from")
    options = parser.parse_args()
    if options.prices:
        return prices()
    if options.reader:
        demand_reader(options.reader)
        os.environ[READER_SETTING] = options.reader
    if options.known:
        know_everything()
    texts = {
        kind: text
        for kind, text in hostile_texts(options.length).items()
        if options.kinds is None or kind in options.kinds
    }
    watch = Watch()
    if options.files:
        return uploads(watch)
    print(f"Reader: {default_reader()}{', of known questions' if options.known else ''}.")
    if options.requests:
        return requests(options.kinds or DEAR, watch)
    broken = 0
    print(
        f"{'reader':8} {'kinds':>5} {'slowest':34} {'seconds':>7} {'× half':>6} {'most memory':34} {'MB':>5}"
    )
    for name in options.only:
        read = READERS[name]
        for _ in range(2):
            read("The switch is open, so the bulb is not in a closed path.")  # models are loaded
        costs = [cost(read, kind, text, watch) for kind, text in texts.items()]
        slowest = max(costs, key=lambda each: each.seconds)
        largest = max(costs, key=lambda each: each.megabytes)
        half = cost(read, slowest.kind, hostile_texts(options.length // 2)[slowest.kind], watch)
        growth = slowest.seconds / max(half.seconds, 1e-3)
        broken += sum(each.seconds > SECONDS or each.megabytes > MEGABYTES for each in costs)
        print(
            f"{name:8} {len(costs):5} {slowest.kind:34} {slowest.seconds:7.2f} {growth:6.1f} "
            f"{largest.kind:34} {largest.megabytes:5.0f}",
            flush=True,
        )
    print(f"{broken} texts broke a limit ({SECONDS:.0f} s, {MEGABYTES:.0f} MB).")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
