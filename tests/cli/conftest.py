"""What the tests of every verb share: the command itself, run in this process."""

from __future__ import annotations

import sys

import pytest

from postil.cli.main import main


@pytest.fixture
def postil(monkeypatch, capsys):
    """Run the command as the shell would; gives its exit status, output and messages."""

    def run(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["postil", *map(str, arguments)])
        with pytest.raises(SystemExit) as caught:
            main()
        captured = capsys.readouterr()
        return int(caught.value.code or 0), captured.out, captured.err

    return run
