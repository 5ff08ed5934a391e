"""Only one `postil serve --local` serves a file at a time; the second says where the first is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from postil.cli.lock import served_alone
from postil.errors import PostilError

# What a shell starts in the background ignores Ctrl-C, and so would its children.
HOLD = """
import signal, sys, time
from pathlib import Path
from postil.cli.lock import served_alone
signal.signal(signal.SIGINT, signal.default_int_handler)
with served_alone(Path(sys.argv[1])) as tell_address:
    tell_address("http://127.0.0.1:8400")
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def other(tmp_path):
    """Another process that serves the file."""
    command = [sys.executable, "-c", HOLD, str(tmp_path / "workbench.db")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_the_second_is_told_where_the_first_is(other, tmp_path, postil):
    status, _, told = postil("serve", "--local", "--port", "0", "--database", tmp_path / "workbench.db")
    assert status == 2
    told = " ".join(told.split())
    assert "already open in another `postil serve --local` at http://127.0.0.1:8400." in told
    assert not (tmp_path / "workbench.db").exists()
    (tmp_path / "link.db").symlink_to(tmp_path / "workbench.db")
    with pytest.raises(PostilError, match="already open"), served_alone(tmp_path / "link.db"):
        pass


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGINT])
def test_a_server_that_has_ended_keeps_nobody_out(other, tmp_path, ending):
    other.send_signal(ending)
    other.wait(10)
    with served_alone(tmp_path / "workbench.db") as tell_address:
        tell_address("http://127.0.0.1:9")
        assert (tmp_path / "workbench.db.lock").read_text() == "http://127.0.0.1:9"
        with pytest.raises(PostilError, match=r"127\.0\.0\.1:9\."), served_alone(tmp_path / "workbench.db"):
            pass
    assert list(tmp_path.iterdir()) == []


def test_another_file_or_a_database_server_is_free(other, tmp_path):
    with (
        served_alone(tmp_path / "other.db"),
        served_alone("postgresql:///x"),
        served_alone("postgresql:///x"),
    ):
        assert (tmp_path / "other.db.lock").exists()


def test_before_the_address_is_known_it_is_left_out(tmp_path):
    with served_alone(tmp_path / "a.db") as tell_address:
        for written in ("", "something\nelse\x1b[2J"):
            tell_address(written)
            with pytest.raises(PostilError) as raised, served_alone(tmp_path / "a.db"):
                pass
            assert raised.value.what.endswith("another `postil serve --local`.")


def test_a_lock_that_was_removed_meanwhile_is_taken_anew(tmp_path, monkeypatch):
    """Between opening and locking it, whoever held the lock has ended and removed it."""
    from postil.cli import lock

    take, path = lock._lock, tmp_path / "a.db.lock"
    calls = []

    def late(file):
        if not calls:
            path.unlink()
        calls.append(file)
        return take(file)

    monkeypatch.setattr(lock, "_lock", late)
    with served_alone(tmp_path / "a.db"):
        assert len(calls) == 2
        assert path.exists()


def test_where_there_are_no_locks_it_is_served_all_the_same(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError("no locks here")

    monkeypatch.setattr("fcntl.flock", refuse)
    served = 0
    with served_alone(tmp_path / "a.db"), served_alone(tmp_path / "a.db"):
        served += 1
    with served_alone(Path("/proc/nowhere/a.db")) as tell_address:
        tell_address("http://127.0.0.1:9")
        served += 1
    assert served == 2


def test_windows_locks_what_is_behind_the_address(tmp_path, monkeypatch):
    """With a stand-in for what Windows has: the first byte that is locked comes after the address."""
    from postil.cli import lock

    locked = []

    def locking(descriptor, mode, size):
        if locked:
            raise PermissionError
        locked.append((os.lseek(descriptor, 0, os.SEEK_CUR), mode, size))

    monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(locking=locking, LK_NBLCK=2))
    monkeypatch.setattr(lock, "sys", SimpleNamespace(platform="win32"))
    with served_alone(tmp_path / "a.db") as tell_address:
        tell_address("http://127.0.0.1:9")
        assert locked == [(4096, 2, 1)]
        with pytest.raises(PostilError, match=r"127\.0\.0\.1:9\."), served_alone(tmp_path / "a.db"):
            pass
