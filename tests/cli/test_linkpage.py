"""A secret link reaches the browser through a file that only this user reads, and not for long."""

from __future__ import annotations

import stat
import sys
import webbrowser

import pytest

from postil.cli.serve import open_in_browser

LINK = "http://127.0.0.1:8400/open?token=secret"


@pytest.fixture
def seen(monkeypatch):
    """The addresses that browsers are told."""
    told = []
    monkeypatch.setattr(webbrowser, "open", lambda address: told.append(address) or True)
    return told


def test_the_browser_is_told_a_file_and_the_file_the_link(tmp_path, seen):
    unused = [True]
    remover = open_in_browser(LINK, tmp_path, lambda: unused[0])
    [page] = tmp_path.iterdir()
    assert seen == [page.as_uri()]
    assert "secret" not in seen[0]
    assert f'content="0; url={LINK}"' in page.read_text()
    if sys.platform != "win32":
        assert stat.S_IMODE(page.stat().st_mode) == 0o600
    unused[0] = False
    remover.join(5)
    assert list(tmp_path.iterdir()) == []


def test_the_file_goes_although_nobody_uses_the_link(tmp_path, seen):
    open_in_browser(LINK, tmp_path, lambda: True, patience=0).join(5)
    assert list(tmp_path.iterdir()) == []


def no_browser(address):
    raise webbrowser.Error


@pytest.mark.parametrize("opens", [no_browser, lambda address: False])
def test_without_a_browser_nothing_is_left(tmp_path, monkeypatch, opens):
    monkeypatch.setattr(webbrowser, "open", opens)
    assert open_in_browser(LINK, tmp_path, lambda: True) is None
    assert list(tmp_path.iterdir()) == []
