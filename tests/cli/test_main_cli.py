"""The command itself: its verbs, its exit statuses, its behaviour in a pipe."""

from __future__ import annotations

import subprocess
import sys

import pytest

from postil import __version__
from postil.cli import main as module
from postil.cli.main import main
from postil.errors import PostilError


def test_the_version(postil):
    assert postil("--version") == (0, f"postil {__version__}\n", "")


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_names_every_verb(postil, option):
    status, out, err = postil(option)
    assert (status, err) == (0, "")
    for verb in ("demo", "check", "convert", "score", "bench"):
        assert f"\n  {verb} " in out


@pytest.mark.parametrize(
    ("group", "verbs"),
    [
        ("score", ("responses", "facets", "entailment", "alignment", "senses")),
        ("bench", ("responses", "entailment", "alignment", "facets", "senses", "systems")),
    ],
)
def test_help_names_every_task(postil, group, verbs):
    status, out, _ = postil(group, "--help")
    assert status == 0
    for verb in verbs:
        assert f"\n  {verb} " in out


def test_a_mistyped_verb(postil):
    status, out, err = postil("scor")
    assert (status, out) == (2, "")
    assert "scor" in err
    assert "Traceback" not in err


def test_errors_are_a_message_and_a_hint(postil, monkeypatch):
    def fail() -> None:
        raise PostilError("the bell is cracked.", hint="Ring another.")

    monkeypatch.setattr(module, "app", fail)
    assert postil() == (2, "", "postil: the bell is cracked.\n        Ring another.\n")


def test_errors_of_our_own_are_not_hidden(monkeypatch):
    def fail() -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(module, "app", fail)
    with pytest.raises(ZeroDivisionError):
        main()


def run_python(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, timeout=60, check=False, **options
    )


def test_it_runs_as_a_module():
    done = run_python("-m", "postil", "--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"postil {__version__}\n", "")


def test_the_command_starts_without_anything_heavy():
    code = (
        "import sys, postil.cli.main\n"
        "print([name for name in ('numpy', 'scipy', 'sklearn', 'openpyxl') if name in sys.modules])"
    )
    assert run_python("-c", code).stdout.strip() == "[]"


@pytest.mark.skipif(sys.platform == "win32", reason="a pipe of the Unix shell")
def test_a_reader_that_has_seen_enough():
    done = subprocess.run(
        ["sh", "-c", '"$1" -m postil bench systems | true; echo done', "sh", sys.executable],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("done\n", "")
