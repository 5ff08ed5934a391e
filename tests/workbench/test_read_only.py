"""Web processes and workers write nothing outside the database: all other files can be read-only."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from postil.workbench.records import NewAnswer
from postil.workbench.store import answers, courses, jobs

# Loaded when a process starts: writes down each file that Python opens for writing, and each that it makes.
_WATCH = """
import os, sys
_notes = os.open(os.environ["NOTES"], os.O_WRONLY | os.O_APPEND)
_WRITES = os.O_WRONLY | os.O_RDWR
def _watch(event, arguments):
    if event == "open" and isinstance(arguments[0], str) and arguments[2] & _WRITES:
        os.write(_notes, (arguments[0] + "\\n").encode())
    elif event in ("os.mkdir", "os.rename"):
        os.write(_notes, (str(arguments[0]) + "\\n").encode())
sys.addaudithook(_watch)
"""


@pytest.fixture
def outside(tmp_path):
    """What a process finds: an empty home, a folder for what is temporary, and somebody who watches."""
    for name in ("home", "tmp", "watch"):
        (tmp_path / name).mkdir()
    (tmp_path / "notes").touch()
    (tmp_path / "watch" / "sitecustomize.py").write_text(_WATCH)
    return tmp_path


def _started(outside: Path, database: str, *arguments: str) -> subprocess.Popen[str]:
    paths = [str(outside / "watch"), os.environ.get("PYTHONPATH", "")]
    # Nothing else of this environment: libraries keep quiet where they see that tests run.
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(outside / "home"),
        "TMPDIR": str(outside / "tmp"),
        "NOTES": str(outside / "notes"),
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "PYTHONDONTWRITEBYTECODE": "1",
        "POSTIL_DATABASE": database,
    }
    return subprocess.Popen(
        [sys.executable, "-m", "postil", *arguments],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, env=environment, cwd=outside / "home",
    )  # fmt: skip


def _stopped(process: subprocess.Popen[str]) -> int:
    process.send_signal(signal.SIGTERM)
    process.stdout.read()
    process.stdout.close()
    return process.wait(timeout=60)


@pytest.mark.skipif(sys.platform == "win32", reason="processes are stopped by a signal")
def test_a_class_is_graded_and_nothing_is_written_outside_the_database(postgres_url, postgres_store, outside):
    course = courses.create_course(postgres_store, "Physics 7b")
    question = courses.create_question(postgres_store, course, "Why is it lit?", ["The path is closed."], 2)
    answers.add_answers(postgres_store, question, [NewAnswer("a", "Pupil A", "the circuit is closed")])
    web = _started(outside, postgres_url, "serve", "--no-worker", "--port", "0")
    worker = _started(outside, postgres_url, "worker")
    try:
        shown = "".join(web.stdout.readline() for _ in range(3))
        address = re.search(r"http://127\.0\.0\.1:\d+", shown)[0]
        job = jobs.enqueue(postgres_store, "grade", question)
        assert httpx.get(f"{address}/healthz").status_code == 200
        assert httpx.get(f"{address}/readyz").status_code == 200
        assert httpx.get(f"{address}/login").status_code == 200
        ends = time.monotonic() + 90
        while jobs.get_job(postgres_store, job).state not in ("done", "failed"):
            assert time.monotonic() < ends
            time.sleep(0.2)
    finally:
        ended = [_stopped(web), _stopped(worker)]
    assert jobs.get_job(postgres_store, job).state == "done"
    assert ended == [0, 0]
    assert list((outside / "home").rglob("*")) == []
    assert list((outside / "tmp").rglob("*")) == []
    written = {Path(line) for line in (outside / "notes").read_text().splitlines()}
    allowed = (outside / "tmp", Path("/dev"), Path("/proc"))
    assert {path for path in written if not any(path.is_relative_to(place) for place in allowed)} == set()
