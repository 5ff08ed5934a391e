"""Fifty people at once: how quick pages are with accounts, while a large class is graded.

    python benchmarks/users.py [--users 50] [--seconds 60] [--database postgresql://…] [--think 5]

Every user is a teacher with an account and a graded class of 60. They log in within the first ten seconds,
and then look at pages and decide about answers, with a pause of THINK seconds on average after each: a person
reads. Meanwhile the worker grades another class of thousands. The server is `postil serve`, one process, on
this computer, with its worker beside it; the users are one more process.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from workbench import Times, large_class, pages, report_pages

from postil.workbench.records import TEACHER, Judged, NewAnswer
from postil.workbench.store import accounts, answers, courses, jobs, judgements
from postil.workbench.store.database import Store, open_store
from postil.workbench.store.decisions import LABELS
from postil.workbench.store.tables import now

PASSWORD = "a rather long password"  # noqa: S105 - of made-up people
CLASS = 60
ARRIVAL = 10.0  # seconds in which everybody logs in


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--users", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--think", type=float, default=5.0)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--database")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        database = options.database or Path(folder) / "workbench.db"
        store = open_store(database)
        classes = [graded_class(store, number) for number in range(options.users)]
        job = jobs.enqueue(store, "grade", large_class(store, options.count))
        with serving(database) as address:
            while jobs.get_job(store, job).state == "waiting":
                time.sleep(0.2)
            times = asyncio.run(everybody(address, classes, options.seconds, options.think))
            known = jobs.get_job(store, job)
        print(f"{options.users} users; the job: {known.state}, {known.done:,} of {known.total:,}")
        if known.state != "running":
            print("the job ended before the users did: give more with --count")
        report_pages("with a job running", times)
        store.close()


def graded_class(store: Store, number: int) -> tuple[str, int, list[int]]:
    """A teacher's login, and a question of theirs with its answers, all judged."""
    login = f"teacher{number}"
    person = accounts.create_account(store, login, f"Teacher {number}", TEACHER, PASSWORD)
    course = courses.create_course(store, f"Class {number}", person)
    question = courses.create_question(store, course, "Why does ice float?", ["It is less dense."], 2)
    texts = [f"it is less dense than water number {n}" for n in range(CLASS)]
    answers.add_answers(store, question, [NewAnswer(str(n), f"Pupil {n}", t) for n, t in enumerate(texts)])
    ids = [answer.id for answer in answers.list_answers(store, question)]
    jobs.enqueue(store, "grade", question)
    job = jobs.lease_job(store, "benchmark")
    assert job
    judgements.save_judgements(store, job, [judged(id, index) for index, id in enumerate(ids)])
    jobs.finish(store, job, {"answers": CLASS, "decided": 0})
    return login, question, ids


def judged(answer_id: int, number: int) -> Judged:
    label = LABELS[number % len(LABELS)]
    chances = dict.fromkeys(LABELS, 0.1) | {label: 0.6}
    return Judged(
        answer_id, label, chances, 0.5, 0.6 + number % 40 / 100, number % 6 == 0, "", "It is less dense.",
        "It says the same.", "Well done.", None, now(),
    )  # fmt: skip


@contextmanager
def serving(database: Path | str) -> Iterator[str]:
    """The workbench with accounts, as a school runs it; gives its address."""
    command = [sys.executable, "-u", "-m", "postil", "serve", "--port", "0", "--database", str(database)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
    try:
        yield next(match[0] for line in server.stdout or () if (match := re.search(r"http://[^\s/]+", line)))
    finally:
        server.send_signal(signal.SIGINT)
        server.communicate()


async def everybody(
    address: str, classes: list[tuple[str, int, list[int]]], seconds: float, think: float
) -> Times:
    """Let everybody work for so long; how long they waited, by kind of page."""
    times = Times(list)
    end = time.perf_counter() + seconds
    each = [user(address, *course, end, think, random.Random(course[0]), times) for course in classes]
    await asyncio.gather(*each)
    return times


async def user(
    address: str,
    login: str,
    question: int,
    ids: list[int],
    end: float,
    think: float,
    chance: random.Random,
    times: Times,
) -> None:
    """One teacher: logs in, looks at pages, decides about answers."""

    async def timed(name: str, method: str, path: str, **more: object) -> httpx.Response:
        start = time.perf_counter()
        answer = await client.request(method, path, **more)  # type: ignore[arg-type]
        times[name].append(time.perf_counter() - start)
        assert answer.status_code in (200, 303), (name, answer.status_code, answer.text[:300])
        return answer

    async with httpx.AsyncClient(base_url=address, headers={"origin": address}, timeout=60) as client:
        await asyncio.sleep(chance.uniform(0, ARRIVAL))
        await timed("login", "POST", "/login", data={"login": login, "password": PASSWORD})
        page = await timed("courses", "GET", "/")
        token = re.search(r"X-CSRF-Token&#34;: &#34;([\w-]+)", page.text)
        assert token
        while time.perf_counter() < end:
            await asyncio.sleep(chance.expovariate(1 / think))
            if chance.random() < 0.3:
                form = {"csrf": token[1], "label": chance.choice(LABELS)}
                await timed("decide", "POST", f"/answers/{chance.choice(ids)}/decide", data=form)
            else:
                name, path = chance.choice(list(pages(question, ids, chance).items()))
                await timed(name, "GET", path)


if __name__ == "__main__":
    main()
