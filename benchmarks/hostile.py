"""The promise that no text can hurt: processor time and memory of everything that reads, on hostile texts.

    python benchmarks/hostile.py [--length 3000] [--only grade align …] [--kinds emoji json …]
    python benchmarks/hostile.py --requests [--kinds emoji json …]
    python benchmarks/hostile.py --files

Each kind of text in tests/hostile_texts.py, at this length, is graded and explained (as the answer, and as a
second reference as well), aligned, judged for entailment and facets, and analysed, in this one process. For
each reader the table shows how many kinds there were, the slowest and the one that took most memory above
what was in use before, and how much longer the slowest took than at half the length. The exit status is 1 if
a limit is broken: 2 seconds of processor time, 150 MB.

With --requests, the largest request of each sort that the API accepts is made of each kind of text (those
that cost most unless named) and judged as the server does; the limits are then 3 seconds and 300 MB.

With --files, every file of tests/hostile_files.py is made with 50 MB and opened as an upload is: read or
refused within 5 seconds.
"""

from __future__ import annotations

import argparse
import sys
import threading
import time
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import postil
from postil.alignment.aligner import load_aligner
from postil.cli.analyse import MOST_ANALYSED
from postil.entailment.entailer import load_entailer
from postil.errors import PostilError
from postil.explain.explanation import explain, justified
from postil.grading.claims import judge_facets
from postil.language.pipeline import analyse, analyse_tokens, beginning
from postil.language.words.walks import find_senses
from postil.workbench.drafts import open_file
from postil.workbench.jobs.judging import (
    MOST_SECONDS,
    AlignTask,
    ClassTask,
    EntailTask,
    FacetsTask,
    Task,
    estimate,
)
from postil.workbench.jobs.library import judge

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
    "japanese",
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
}


def largest(make: Callable[[str, int], Task], text: str) -> Task:
    """The request with the most texts that is not refused."""
    counts = range(1, 201 if make is REQUESTS["grade"] else 51)
    affordable = bisect_right(counts, MOST_SECONDS, key=lambda count: estimate(make(text, count)))
    return make(text, max(1, affordable))


def requests(kinds: Sequence[str], watch: Watch) -> int:
    """Judge the largest requests, print what they cost, and count those that broke a limit."""
    broken = 0
    print(f"{'request':8} {'kinds':>5} {'slowest':34} {'seconds':>7} {'most memory':34} {'MB':>5}")
    for name, make in REQUESTS.items():
        judge(make("The switch is open.", 1))
        texts = {kind: text for kind, text in hostile_texts(20_000).items() if kind in kinds}
        costs = [cost(judge, kind, largest(make, text), watch) for kind, text in texts.items()]
        slowest = max(costs, key=lambda each: each.seconds)
        most = max(costs, key=lambda each: each.megabytes)
        broken += sum(each.seconds > REQUEST_SECONDS or each.megabytes > REQUEST_MEGABYTES for each in costs)
        print(
            f"{name:8} {len(costs):5} {slowest.kind:34} {slowest.seconds:7.2f} {most.kind:34} "
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
    options = parser.parse_args()
    texts = {
        kind: text
        for kind, text in hostile_texts(options.length).items()
        if options.kinds is None or kind in options.kinds
    }
    watch = Watch()
    if options.files:
        return uploads(watch)
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
