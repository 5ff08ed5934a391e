"""How quickly texts are judged that come with a request: POST /api/v1/grade, cold and warm.

    python benchmarks/judging.py

`postil serve --local` runs as a teacher runs it. Requests of 1, 30 and 200 answers (50 with explanations) to
the bundled class's first question come one after the other, and no two answers of a size are the same: no
cache has them. Cold is the first request after the server has started, which starts the process that judges
and loads the models.
"""

from __future__ import annotations

import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from csv import DictReader
from importlib.resources import files
from pathlib import Path

import numpy as np
from workbench import varied

from postil.client import Client
from postil.workbench.store.access import create_token
from postil.workbench.store.database import open_store

# Answers in a request, and how many requests; with explanations the API takes fewer at once.
SIZES = {False: {1: 100, 30: 30, 200: 5}, True: {1: 50, 30: 10, 50: 5}}


def main() -> None:
    rows = list(DictReader(files("postil.resources").joinpath("demo", "class.csv").open(encoding="utf-8")))
    own = [row for row in rows if row["question_id"] == rows[0]["question_id"]]
    for explain in (False, True):
        print(f"\n{'with' if explain else 'without'} explanations")
        print("answers   cold s   requests/s   answers/s   median ms   p95 ms")
        for size, count in SIZES[explain].items():
            with serving() as client:
                cold, *warm = list(timed(client, own, size, count + 1, explain=explain))
            median, slow = np.percentile(warm, (50, 95))
            rate = len(warm) / sum(warm)
            figures = f"{rate:12.1f} {size * rate:11.0f} {1000 * median:11.0f} {1000 * slow:8.0f}"
            print(f"{size:7} {cold:8.2f} {figures}", flush=True)


def timed(
    client: Client, own: list[dict[str, str]], size: int, count: int, *, explain: bool
) -> Iterator[float]:
    """The seconds that each request took."""
    chance = random.Random(17)
    seen: set[str] = set()
    for _ in range(count):
        texts: list[str] = []
        while len(texts) < size:
            text = varied(chance.choice(own)["answer"], chance)
            if text not in seen:
                seen.add(text)
                texts.append(text)
        references = [own[0]["reference"], own[0]["reference_2"]]
        started = time.perf_counter()
        judged = client.grade_class(own[0]["question"], references, texts, explain=explain).items
        yield time.perf_counter() - started
        assert len(judged) == size


@contextmanager
def serving() -> Iterator[Client]:
    """The workbench as a teacher starts it, and a client with a token for judging."""
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "workbench.db"
        store = open_store(database)
        _, token = create_token(store, None, "benchmark", ["judge"], None)
        store.close()
        command = [sys.executable, "-u", "-m", "postil", "serve", "--local", "--no-browser", "--port", "0"]
        server = subprocess.Popen([*command, "--database", str(database)], stdout=subprocess.PIPE, text=True)
        try:
            address = next(
                match[1] for line in server.stdout or () if (match := re.search(r"(http://\S+)/open\?", line))
            )
            with Client(address, token, retries=0) as client:
                yield client
        finally:
            server.send_signal(signal.SIGINT)
            server.communicate()


if __name__ == "__main__":
    main()
