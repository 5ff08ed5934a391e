"""The promises of the workbench: a large class graded in the background while its pages stay quick.

    python benchmarks/workbench.py [--count 5000] [--kill] [--keep FOLDER]

The bundled class's first question gets COUNT answers, made from the bundled ones by small changes, so that
nearly all are different. `postil serve` runs as a teacher runs it, with its worker; meanwhile pages are asked
for over HTTP, one after the other, each kind in its turn, and again when all is graded and grouped. With
--kill the server and its worker are killed in the middle and started again. FOLDER keeps the database.
"""

from __future__ import annotations

import argparse
import csv
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path

import httpx
import numpy as np

from postil.workbench.records import Job, NewAnswer
from postil.workbench.store import answers, courses, jobs
from postil.workbench.store.answers import Filter
from postil.workbench.store.database import Store, open_store

BEFORE = ("i think", "because", "well", "so", "it is because", "maybe", "in my opinion", "we learned that")
AFTER = ("then", "i think", "in the end", "like we saw", "in class", "every time", "in summer", "at last")
PAUSE = 0.05  # seconds between two pages: a quick reader
AFTERWARDS = 25  # times that each page is asked for when all is graded

Times = defaultdict[str, list[float]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--kill", action="store_true")
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        database = (options.keep or Path(folder)) / "workbench.db"
        store = open_store(database)
        question = large_class(store, options.count)
        started = time.perf_counter()
        job = jobs.enqueue(store, "grade", question)
        times, afterwards = Times(list), Times(list)
        if options.kill:
            with serving(database) as (server, client):
                ask_until(client, store, job, question, times, options.count // 3)
                kill(server)
            print(f"killed after {jobs.get_job(store, job).done} answers")
        with serving(database) as (_, client):
            ask_until(client, store, job, question, times, options.count)
            seconds = time.perf_counter() - started
            chance = random.Random(13)
            ids = [answer.id for answer in answers.list_answers(store, question)]
            for _ in range(AFTERWARDS):
                for name, page in pages(question, ids, chance).items():
                    ask(client, name, page, afterwards)
        report(store, jobs.get_job(store, job), seconds)
        report_pages("while grading", times)
        report_pages("afterwards", afterwards)
        store.close()


def large_class(store: Store, count: int) -> int:
    """The first bundled question with many answers; returns its number."""
    rows = list(
        csv.DictReader(files("postil.resources").joinpath("demo", "class.csv").open(encoding="utf-8"))
    )
    own = [row for row in rows if row["question_id"] == rows[0]["question_id"]]
    course = courses.create_course(store, "A large class")
    references = [own[0]["reference"], own[0]["reference_2"]]
    question = courses.create_question(store, course, own[0]["question"], references, 2)
    chance = random.Random(7)
    texts = [varied(chance.choice(own)["answer"], chance) for _ in range(count)]
    print(f"{count:,} answers, {len(set(texts)):,} different")
    answers.add_answers(store, question, [NewAnswer(str(n), f"Pupil {n}", t) for n, t in enumerate(texts, 1)])
    return question


def varied(text: str, chance: random.Random) -> str:
    """An answer with a word put before, behind, left out or doubled, or with two letters swapped."""
    words = text.split()
    for _ in range(chance.randint(1, 3)):
        index = chance.randrange(len(words))
        change = chance.randrange(5)
        if change == 0:
            words = [*chance.choice(BEFORE).split(), *words]
        elif change == 1:
            words = [*words, *chance.choice(AFTER).split()]
        elif change == 2 and len(words) > 3:
            del words[index]
        elif change == 3 and len(words[index]) > 3:
            word = words[index]
            words[index] = word[:1] + word[2] + word[1] + word[3:]
        else:
            words.insert(index, words[index])
    return " ".join(words)


@contextmanager
def serving(database: Path) -> Iterator[tuple[subprocess.Popen[str], httpx.Client]]:
    """The workbench as a teacher starts it, and a browser that was let in."""
    command = [sys.executable, "-u", "-m", "postil", "serve", "--local", "--no-browser", "--port", "0"]
    server = subprocess.Popen(
        [*command, "--database", str(database)], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        link = next(
            match
            for line in server.stdout or ()
            if (match := re.search(r"(http://\S+)/open\?token=(\S+)", line))
        )
        with httpx.Client(base_url=link[1], headers={"origin": link[1]}, timeout=60) as client:
            client.post("/open", data={"token": link[2]})
            yield server, client
    finally:
        if server.poll() is None:
            server.send_signal(signal.SIGINT)
        server.communicate()


def kill(server: subprocess.Popen[str]) -> None:
    """End the server and its worker as a power cut would."""
    os.killpg(server.pid, signal.SIGKILL)
    server.wait()


def ask_until(
    client: httpx.Client,
    store: Store,
    job: int,
    question: int,
    times: Times,
    done: int,
) -> None:
    """Ask for pages until so many answers are graded, or the job is at its end."""
    chance = random.Random(11)
    ids = [answer.id for answer in answers.list_answers(store, question)]
    turn = 0
    while (now := jobs.get_job(store, job)).state in ("waiting", "running") and (
        now.done < done or done >= len(ids)
    ):
        known = list(pages(question, ids, chance).items())
        ask(client, *known[turn % len(known)], times)
        turn += 1


def pages(question: int, ids: list[int], chance: random.Random) -> dict[str, str]:
    """What a teacher may look at, by name."""
    return {
        "table": f"/questions/{question}",
        "rows": f"/questions/{question}/rows?page={1 + chance.randrange(max(len(ids) // 50, 1))}",
        "search": f"/questions/{question}/rows?search=sun&state=doubtful",
        "progress": f"/questions/{question}/progress",
        "review": f"/answers/{chance.choice(ids)}",
        "groups": f"/questions/{question}/groups",
        "trust": f"/questions/{question}/trust",
        "export": f"/questions/{question}/export",
        "courses": "/",
    }


def ask(client: httpx.Client, name: str, page: str, times: Times) -> None:
    """Ask for a page, and note how long it took."""
    start = time.perf_counter()
    answer = client.get(page)
    times[name].append(time.perf_counter() - start)
    assert answer.status_code == 200, (page, answer.status_code)
    time.sleep(PAUSE)


def report(store: Store, job: Job, seconds: float) -> None:
    """How long grading took; nothing is left out, whatever was killed."""
    assert job.state == "done", job.error
    views = answers.find_views(store, job.question_id, Filter(order="place"), 0, job.total + 1)
    assert len(views) == job.total == sum(view.judged is not None for view in views)
    assert job.started
    assert job.finished
    alone = (job.finished - job.started).total_seconds()
    print(f"graded and explained in {alone:.1f} s: {job.total / alone:.0f} answers/s")
    print(f"from asking to the end, with the start of the server: {seconds:.1f} s")
    print(f"groups: {len({view.answer.group for view in views}):,}")


def report_pages(when: str, times: Times) -> None:
    """How long the pages took."""
    print(when)
    everything = [duration for durations in times.values() for duration in durations]
    for name, its in [*times.items(), ("all pages", everything)]:
        middle, high = np.percentile(its, (50, 95)) * 1000
        print(f"{name:10} {len(its):5} times, p50 {middle:4.0f} ms, p95 {high:4.0f} ms")


if __name__ == "__main__":
    main()
