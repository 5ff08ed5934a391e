"""Accidents during a long run on one computer: after each, the result is the same as without it."""

from __future__ import annotations

import errno
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import fsspec
import pytest
from engine_data import json_lines, table
from fsspec.implementations.memory import MemoryFile, MemoryFileSystem
from grade_with_stub import SIZE

from postil.batch import dataset
from postil.batch.dataset import grade_dataset
from postil.batch.partitions import cut

pytestmark = pytest.mark.slow

PROGRAM = Path(__file__).with_name("grade_with_stub.py")
ROWS = 300 + 120
PATIENCE = 180.0  # seconds; a busy machine takes long to start processes


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "a.csv").write_text(table(300))
    (folder / "b.jsonl").write_text(json_lines(120))
    return folder


class Run:
    """The command on a dataset, as a process of its own."""

    def __init__(self, folder, *options, pause=0.0, before=None):
        self.out, self.notes = folder / "out", folder / "notes"
        self.notes.write_text("")
        environment = os.environ | {"STUB_PAUSE": str(pause), "STUB_NOTES": str(self.notes)}
        command = [
            sys.executable,
            PROGRAM,
            "grade",
            folder / "data",
            "-o",
            self.out,
            "--workers",
            2,
            *options,
        ]

        def prepare():
            # What a shell starts in the background is deaf to Ctrl-C, and so is all that it starts.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            if before:
                before()

        self.process = subprocess.Popen(
            [str(part) for part in command],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=prepare,
            start_new_session=True,
        )

    def finish(self):
        """Wait for the end; the exit status and all that was said."""
        out, said = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out + said

    def workers(self):
        return {int(line.split()[0]) for line in self.notes.read_text().splitlines()}

    def judged(self):
        return sum(int(line.split()[1]) for line in self.notes.read_text().splitlines())


def wait_for(seen):
    until = time.monotonic() + PATIENCE
    while not seen():
        assert time.monotonic() < until
        time.sleep(0.02)


def is_gone(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def parts(out):
    return list(out.glob("_postil/parts/*/*.arrow"))


@pytest.fixture
def undisturbed(data, work, here, tmp_path, monkeypatch):
    """The bytes of each result, made in this process."""
    monkeypatch.setattr(dataset, "cut", lambda source: cut(source, SIZE))
    report = grade_dataset(str(data), replace(work, output=f"{tmp_path}/whole"), here)
    assert (report.tally.rows, report.failed) == (ROWS, {})
    return {name: (tmp_path / "whole" / name).read_bytes() for name in ("a.csv", "b.jsonl")}


def results(out):
    return {path.name: path.read_bytes() for path in out.glob("*.*")}


def leftovers(out):
    return sorted(path.name for path in (out / "_postil").iterdir())


def test_a_worker_is_killed(tmp_path, undisturbed):
    run = Run(tmp_path, pause=0.02)
    wait_for(run.workers)
    victim = next(iter(run.workers()))
    os.kill(victim, signal.SIGKILL)
    status, said = run.finish()
    assert status == 0, said
    assert results(run.out) == undisturbed
    assert run.workers() > {victim}
    assert leftovers(run.out) == ["lock", "manifests"]


def test_the_driver_is_killed_and_the_command_run_again(tmp_path, undisturbed):
    run = Run(tmp_path, pause=0.1)
    wait_for(lambda: len(parts(run.out)) > 3)
    run.process.kill()
    run.finish()
    wait_for(lambda: all(map(is_gone, run.workers())))
    kept = {path: path.stat().st_mtime_ns for path in parts(run.out)}
    begun = results(run.out)
    assert undisturbed.items() >= begun.items()
    again = Run(tmp_path)
    status, said = again.finish()
    assert status == 0, said
    assert results(run.out) == undisturbed
    # A part that was there is not judged again.
    assert 0 < again.judged() <= ROWS - 9 * len(kept)
    assert leftovers(run.out) == ["lock", "manifests"]


def test_ctrl_c(tmp_path, undisturbed):
    run = Run(tmp_path, pause=0.1)  # one alone would take longer than the other does to start
    wait_for(lambda: len(run.workers()) == 2)
    os.killpg(run.process.pid, signal.SIGINT)  # as a terminal does it: to all
    status, said = run.finish()
    assert status == 130
    assert "the same command" in said
    assert "Traceback" not in said
    assert all(map(is_gone, run.workers()))
    assert Run(tmp_path).finish()[0] == 0
    assert results(run.out) == undisturbed


def small_files():
    """No file may be larger than this: the next write fails, as on a full disk."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (9_000, resource.RLIM_INFINITY))


def test_no_file_may_grow(tmp_path, undisturbed):
    run = Run(tmp_path, before=small_files)
    status, said = run.finish()
    assert status == 1
    assert said.count("cannot be written: File too large") == 1
    assert "the same command" in said
    assert "a.csv" not in results(run.out)
    assert Run(tmp_path).finish()[0] == 0
    assert results(run.out) == undisturbed
    assert leftovers(run.out) == ["lock", "manifests"]


TMPFS = """
mount -t tmpfs -o size=96k tmpfs "$OUT" || exit 9
"$@"; echo "first: $?"
cp -r "$OUT" "$OUT.full"
mount -o remount,size=16m "$OUT"
"$@"; echo "second: $?"
cp -r "$OUT" "$OUT.kept"
"""


def may_mount():
    """Whether a disk of our own can be made here: a file system in memory that only one process sees."""
    tried = ["unshare", "-rm", "sh", "-c", "mount -t tmpfs -o size=4k tmpfs /mnt"]
    return shutil.which("unshare") is not None and subprocess.run(tried, capture_output=True).returncode == 0


# Where none can be made, the tests above and below stand alone.
@pytest.mark.parametrize("disk", ["tmpfs"] if may_mount() else [])
def test_the_disk_is_full(tmp_path, data, undisturbed, disk):
    (tmp_path / "out").mkdir()
    command = [sys.executable, str(PROGRAM), "grade", str(data), "-o", str(tmp_path / "out"), "--workers=2"]
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", TMPFS, "sh", *command],
        env=os.environ | {"OUT": str(tmp_path / "out")},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    assert re.findall(r"(?:first|second): \d+", done.stdout) == ["first: 1", "second: 0"]
    assert done.stderr.count("No space left on device") == 1
    assert undisturbed.items() > results(tmp_path / "out.full").items()
    assert results(tmp_path / "out.kept") == undisturbed


class SmallDisk(MemoryFileSystem):
    """A file system with little room, in memory."""

    protocol = "smalldisk"
    store: dict[str, object] = {}  # noqa: RUF012 - as in the class above it
    pseudo_dirs = [""]  # noqa: RUF012
    room = 0

    @classmethod
    def _strip_protocol(cls, path):
        return super()._strip_protocol(path.replace("smalldisk://", "memory://", 1))

    def _open(self, path, mode="rb", **options):
        opened = super()._open(path, mode, **options)
        if mode == "wb":
            opened.write = lambda data: self._write(opened, data)
        return opened

    def _write(self, opened, data):
        held = sum(len(file.getbuffer()) for file in self.store.values())
        if held + memoryview(data).nbytes > self.room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return MemoryFile.write(opened, data)


@pytest.mark.parametrize("room", [500, 8_000, 40_000])
def test_no_space_is_left(data, work, here, undisturbed, room):
    fsspec.register_implementation("smalldisk", SmallDisk, clobber=True)
    SmallDisk.room, SmallDisk.store = room, {}
    onto = replace(work, output="smalldisk://out")
    report = grade_dataset(str(data), onto, here)
    assert "cannot be written: No space left on device" in report.stopped
    assert report.failed == {}
    whole = {path.rpartition("/")[2]: path for path in SmallDisk.store if "_postil" not in path}
    assert all(bytes(SmallDisk.store[path].getbuffer()) == undisturbed[name] for name, path in whole.items())
    SmallDisk.room = 10_000_000
    again = grade_dataset(str(data), onto, here)
    assert (again.stopped, again.failed, again.tally.rows) == ("", {}, ROWS)
    for name, wanted in undisturbed.items():
        assert fsspec.filesystem("smalldisk").cat_file(f"/out/{name}") == wanted


def test_a_store_that_refuses_in_words_of_its_own_stops_the_run(data, work, here, monkeypatch):
    """Otherwise every partition would be judged, and lost."""

    class NoCredentialsError(Exception):
        """As the libraries of stores have them: no `OSError`."""

    def refused(*_, **__):
        raise NoCredentialsError("who are you?")

    monkeypatch.setattr(MemoryFileSystem, "mv", refused)
    report = grade_dataset(str(data), replace(work, output="memory://refused"), here)
    assert report.stopped.endswith("cannot be written: who are you?.")
    assert report.failed == {}
    fsspec.filesystem("memory").rm("/refused", recursive=True)


def test_a_corrupt_file_among_good_ones(tmp_path, data, undisturbed):
    (data / "c.parquet").write_bytes(b"PAR1 torn")
    (data / "aa.csv").write_text('question,reference,answer\nQ,r,"x')
    run = Run(tmp_path)
    status, said = run.finish()
    assert status == 1
    assert "failed: c.parquet: is not a Parquet file, or it is damaged." in said
    assert "failed: aa.csv, line 2: a quotation mark opens here and never closes." in said
    assert results(run.out) == undisturbed


def test_an_answer_that_ends_every_worker(tmp_path, data, undisturbed):
    row = '{"question": "Why?", "reference": "So.", "answer": "poison"}\n'
    (data / "bad.jsonl").write_text(row)
    run = Run(tmp_path)
    status, said = run.finish()
    assert status == 1
    assert "failed: bad.jsonl: part 1 of it crashed 3 workers, so it was skipped." in said
    assert results(run.out) == undisturbed


def test_a_read_only_folder_is_one_message(tmp_path, data):
    (tmp_path / "out").write_text("a file, not a folder")
    status, said = Run(tmp_path, "-o", tmp_path / "out" / "deeper").finish()
    assert status == 1
    assert said.count("cannot be written") == 1
