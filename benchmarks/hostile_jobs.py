"""A job with poisoned answers, whose processes are killed at random, compared with an undisturbed one.

Ten answers kill, stall, swell or break the process that reads them; meanwhile SIGKILL hits the worker and its
process in turn. Every healthy answer must be judged once, exactly as in an undisturbed run, and the ten must
be left to a person. The process that judges has a memory limit of its own (`--memory`). With `--limit-mb`,
the whole benchmark runs under one as well: in a scope of systemd, else in a cgroup (version 2 or 1), else
with ulimit, where each process has the limit for itself; it prints which. Answers are read by the default
reader unless `--reader` names another. Needs Linux.

    python benchmarks/hostile_jobs.py --answers 2000 --kills 20 --limit-mb 1400
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import text

from postil.data.judgements import Judgement, Reason
from postil.language.network import READER_SETTING, READERS, default_reader, demand_reader
from postil.workbench.jobs.grading import LoadMachine, load_machine
from postil.workbench.jobs.library import GraderMachine, warm_up
from postil.workbench.jobs.worker import running_worker
from postil.workbench.records import Job, Lessons, NewAnswer, Question
from postil.workbench.settings import MEMORY, Settings
from postil.workbench.store import answers, courses, jobs
from postil.workbench.store.database import Store, open_store

QUESTION = "Why does the bulb in the circuit light up?"
REFERENCE = "The circuit is closed, so current flows from the battery through the bulb."
WHO = ("the bulb", "the lamp", "terminal one", "the battery", "the switch", "the wire", "electricity", "it")
DOES = (
    "is closed",
    "is not closed",
    "flows",
    "is connected to",
    "has a gap",
    "lights up because of",
    "stops",
)
WHAT = (
    "the battery",
    "a closed path",
    "the positive terminal",
    "nothing",
    "energy",
    "the other bulb",
    "a loop",
)
POISON = ("die", "eat", "sleep", "break")
IN_SCOPE = "POSTIL_HOSTILE_SCOPE"  # set where systemd has started this script anew
GROUPS = Path("/sys/fs/cgroup")


class PoisonedMachine(GraderMachine):
    """The shipped grader, but some answers do harm when they are judged or explained."""

    def judge(
        self,
        question: Question,
        answers: Sequence[str],
        decided: Sequence[str | None],
        strictness: str = "normal",
        lessons: Lessons = (),
        reader: str | None = None,
    ) -> list[Judgement]:
        """Judge a class, poison first."""
        swallow("judge", answers)
        return super().judge(question, answers, decided, strictness, lessons, reader)

    def explain(
        self, question: Question, answers: Sequence[str], judgements: Sequence[Judgement]
    ) -> list[Judgement]:
        """Explain judgements, poison first."""
        swallow("explain", answers)
        return super().explain(question, answers, judgements)


def load_poisoned() -> PoisonedMachine:
    """The machine with its models."""
    warm_up()
    return PoisonedMachine()


def swallow(stage: str, texts: Sequence[str]) -> None:
    """Do what a poisoned answer says."""
    for answer in texts:
        match answer.split():
            case ["poison", where, "die", *_] if where == stage:
                os._exit(1)
            case ["poison", where, "eat", *_] if where == stage:
                hoard = [bytearray(50 * 1024 * 1024) for _ in range(200)]
                raise AssertionError(f"memory is not limited: {len(hoard)}")
            case ["poison", where, "sleep", *_] if where == stage:
                time.sleep(3600)
            case ["poison", where, "break", *_] if where == stage:
                raise ValueError


def make_answers(count: int, seed: int) -> list[str]:
    """Made-up answers, all different."""
    chosen = random.Random(seed)
    made: dict[str, None] = {}
    while len(made) < count:
        parts = [
            " ".join(chosen.choice(words) for words in (WHO, DOES, WHAT)) for _ in range(chosen.randint(1, 3))
        ]
        made[" and ".join(parts)] = None
    return list(made)


def poisoned(number: int) -> str:
    """A poisoned answer: most when they are judged, every fifth when it is explained."""
    stage = "explain" if number % 5 == 4 else "judge"
    return f"poison {stage} {POISON[number % len(POISON)]} {number}"


def new_job(store: Store, texts: Sequence[str]) -> int:
    """A question with these answers, and a job that grades them."""
    course = courses.create_course(store, "Physics")
    question = courses.create_question(store, course, QUESTION, [REFERENCE], 1)
    answers.add_answers(store, question, [NewAnswer(str(n), "", given) for n, given in enumerate(texts)])
    return jobs.enqueue(store, "grade", question)


def judged(store: Store) -> dict[str, tuple[object, ...]]:
    """What is stored about each answer, by its text."""
    query = """
        SELECT answer.text, label, probabilities, score, confidence, deferred, reason, teacher, alignment
        FROM answer LEFT JOIN judgement ON judgement.answer_id = answer.id
    """
    with store.reading() as session:
        return {row[0]: (*row[1:-1], _aligned(row[-1])) for row in session.execute(text(query))}


def _aligned(stored: str | None) -> object:
    """A stored alignment without its number in the batch, which depends on what else was explained."""
    pair = json.loads(stored) if stored else {}
    return {name: value for name, value in pair.items() if name != "id"}


def children(pid: int) -> list[int]:
    """The processes that a process has started."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            status = (folder / "stat").read_text().rpartition(")")[2].split()
        except (OSError, NotADirectoryError):
            continue
        command = (folder / "cmdline").read_bytes() if int(status[1]) == pid else b""
        if b"spawn_main" in command:  # and not the one that tracks what is shared
            found.append(int(folder.name))
    return found


@contextmanager
def limited(megabytes: int, groups: Path = GROUPS) -> Iterator[str]:
    """Limit the memory of this process and all that it starts; gives the kind of limit in words."""
    if not megabytes:
        yield "none beside --memory"
    elif os.environ.get(IN_SCOPE):
        yield f"{megabytes} MB together, by systemd"
    elif (group := make_group(megabytes, groups)) is not None:
        try:
            yield f"{megabytes} MB together, by a cgroup"
        finally:
            for process in (group / "cgroup.procs").read_text().split():  # also what multiprocessing left
                with suppress(OSError):  # it has ended meanwhile
                    (group.parent / "cgroup.procs").write_text(process)
            with suppress(OSError):
                group.rmdir()
    else:
        most = megabytes * 1024 * 1024
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
        yield f"{megabytes} MB for each process, by ulimit"


def run_in_scope(megabytes: int) -> int | None:
    """Run this script in a scope of systemd, and return its status; None if systemd does not run here."""
    command = ["systemd-run", "--scope", "--quiet", "-p", f"MemoryMax={megabytes}M", "-p", "MemorySwapMax=0"]
    if os.getuid():
        command.insert(1, "--user")
    if not Path("/run/systemd/system").exists() or shutil.which(command[0]) is None:
        return None
    if subprocess.run([*command, "true"], capture_output=True, check=False).returncode:
        return None
    anew = [*command, sys.executable, *sys.argv]
    return subprocess.run(anew, env={**os.environ, IN_SCOPE: "yes"}, check=False).returncode


def make_group(megabytes: int, groups: Path) -> Path | None:
    """Move this process to a new cgroup with this limit; None if that is not possible."""
    own = [line for line in Path("/proc/self/cgroup").read_text().splitlines() if line.startswith("0::")]
    here = groups / own[0].removeprefix("0::").strip("/") if own else groups
    with suppress(OSError):  # version 2, below this process's own group
        if "memory" in (here / "cgroup.controllers").read_text().split():
            (here / "cgroup.subtree_control").write_text("+memory")
            return _entered(here, "memory.max", megabytes)
    with suppress(OSError):  # version 1, which has a tree for memory alone
        return _entered(groups / "memory", "memory.limit_in_bytes", megabytes)
    return None


def _entered(parent: Path, limit: str, megabytes: int) -> Path:
    """A new group in this one, with this process in it."""
    group = parent / f"postil-hostile-{os.getpid()}"
    group.mkdir()
    try:
        (group / limit).write_text(str(megabytes * 1024 * 1024))
        (group / "cgroup.procs").write_text(str(os.getpid()))
    except OSError:
        group.rmdir()
        raise
    return group


def run(
    folder: Path, load: LoadMachine, texts: Sequence[str], memory: int, kills: int, seed: int
) -> tuple[dict[str, tuple[object, ...]], Job, float, int]:
    """Grade a class, and kill so many processes meanwhile."""
    database = folder / "workbench.db"
    store = open_store(database)
    job = new_job(store, texts)
    chosen = random.Random(seed)
    begun, killed, again = time.monotonic(), 0, time.monotonic() + 5
    with running_worker(Settings(database, memory=memory), load) as worker:
        while (state := jobs.get_job(store, job)).state not in ("done", "failed"):
            time.sleep(0.1)
            if killed < kills and time.monotonic() > again and state.state == "running":
                targets = children(worker.pid or 0)
                target = chosen.choice([worker.pid, *targets])
                os.kill(target or 0, signal.SIGKILL)
                killed += 1
                again = time.monotonic() + chosen.uniform(0.5, 12)
    table = judged(store)
    with store.reading() as session:
        rows = session.execute(text("SELECT count(*) FROM judgement")).scalar()
    store.close()
    if rows != len(texts):
        print(f"{rows} judgements of {len(texts)} answers")
    return table, state, time.monotonic() - begun, killed


def main() -> None:
    """Read the options and run the comparison under the limit."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--answers", type=int, default=2000, help="healthy and poisoned together")
    parser.add_argument("--poisoned", type=int, default=10)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--memory", type=int, default=MEMORY, help="megabytes for the process that judges")
    parser.add_argument(
        "--limit-mb", type=int, default=0, help="megabytes for the whole benchmark; 0: no limit"
    )
    parser.add_argument("--reader", choices=READERS, help="who reads (default: as installed)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.reader:
        demand_reader(options.reader)
        os.environ[READER_SETTING] = options.reader  # processes inherit it
    logging.disable(logging.WARNING)
    if options.limit_mb and not os.environ.get(IN_SCOPE):
        status = run_in_scope(options.limit_mb)
        if status is not None:
            sys.exit(status)
    with limited(options.limit_mb) as limit:
        sys.exit(compare(options, limit))


def compare(options: argparse.Namespace, limit: str) -> int:
    """Run both jobs, and print what became of the answers; 1 if anything was lost."""
    healthy = make_answers(options.answers - options.poisoned, options.seed)
    poison = [poisoned(number) for number in range(options.poisoned)]
    mixed = healthy + poison
    random.Random(options.seed).shuffle(mixed)
    # What could not be explained was judged with the others; the shipped grader explains it.
    alone = [given for given in mixed if not given.startswith("poison judge")]
    with TemporaryDirectory() as first, TemporaryDirectory() as second:
        expected, _, usual, _ = run(Path(first), load_machine, alone, options.memory, 0, 0)
        table, job, took, killed = run(
            Path(second), load_poisoned, mixed, options.memory, options.kills, options.seed
        )
    equal = sum(table[given] == expected[given] for given in healthy)
    left = sum(bool(table[given][4]) and table[given][5] in set(Reason) for given in poison)
    rows = [
        ("reader", default_reader()),
        ("memory limit", limit),
        ("job", job.state),
        ("processes killed from outside", f"{killed} of {options.kills}"),
        ("healthy answers judged as undisturbed", f"{equal} of {len(healthy)}"),
        ("poisoned answers left to a person", f"{left} of {len(poison)}"),
        ("seconds, undisturbed and disturbed", f"{usual:.0f}, {took:.0f}"),
    ]
    for name, value in rows:
        print(f"{name:40} {value}")
    kept = equal == len(healthy) and left == len(poison)
    return int(job.state != "done" or killed < options.kills or not kept)


if __name__ == "__main__":
    main()
