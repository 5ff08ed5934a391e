"""Make a database in which judgements and proposals have every `because` that version 0.1 can store.

    python tests/golden/reasons.py BACKUP.zip

`tests/fixtures/databases/v0004-reasons.zip` was made so with the code of 0.1. Like the folders beside it, it
never changes: it is what people have on their disks, and a migration that reads these sentences is tested
with it.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from collect import INPUTS, ask_server, postil_command

QUESTION = "Why is the bulb lit when the switch is closed?"
REFERENCE = "The circuit is closed, so current flows through the bulb."
ANSWERS = (
    "current flows through the bulb",
    "the circuit is closed",
    "The circuit is closed.",  # the same words as the one before, which a person labels
    "the circuit is open",
    "",
    "?!",
    "i don't know",
    "asdfgh qwrtz yxcvb",
    "Why is the bulb lit when the switch is closed?",
    "the circuit is closed so current flows through the bulb",
)


def fill(program: Any) -> None:
    """A class that was graded after one decision, and judged again after another, not applied yet."""
    course = program.post("/courses", json={"name": "Physics 7b"}).json()["id"]
    given = {"text": QUESTION, "references": [REFERENCE], "points": 2}
    question = program.post(f"/courses/{course}/questions", json=given).json()["id"]
    texts = (*ANSWERS, (INPUTS / "long.txt").read_text(encoding="utf-8").strip())
    answers = [{"key": f"u{number:02}", "text": text} for number, text in enumerate(texts, 1)]
    program.post(f"/questions/{question}/answers", json={"answers": answers})
    listed = program.get(f"/questions/{question}/answers").json()["items"]
    numbers = [one["id"] for one in sorted(listed, key=lambda one: one["key"])]
    program.put(f"/answers/{numbers[1]}/decision", json={"label": "partially_correct_incomplete"})
    _work(program, question, "grade")
    program.put(f"/answers/{numbers[0]}/decision", json={"label": "partially_correct_incomplete"})
    _work(program, question, "regrade")


def _work(program: Any, question: int, kind: str) -> None:
    job = program.post(f"/questions/{question}/jobs", json={"kind": kind}).json()
    while job["state"] in ("waiting", "running"):
        time.sleep(0.1)
        job = program.get(f"/jobs/{job['id']}").json()
    assert job["state"] == "done", job


def main() -> None:
    """Fill a new database, and back it up."""
    target = Path(sys.argv[1]).absolute()
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        ask_server(fill)
        assert postil_command("database", "backup", target, "--database", "workbench.db")["status"] == 0
        os.chdir(target.parent)


if __name__ == "__main__":
    main()
