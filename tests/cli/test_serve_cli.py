"""`postil serve`: it starts, shows a link that lets one in, and says plainly what keeps it from starting."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import httpx
import pytest


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is sent as a signal")
def test_it_starts_shows_a_link_and_stops(tmp_path):
    command = [sys.executable, "-m", "postil", "serve", "--port", "0", "--no-browser", "--example"]
    database = tmp_path / "workbench.db"
    with subprocess.Popen(
        [*command, "--database", str(database)], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True
    ) as process:
        try:
            shown = "".join(process.stdout.readline() for _ in range(5))
            link = re.search(r"http://127\.0\.0\.1:\d+/open\?token=([\w-]+)", shown)
            address = link[0].partition("/open")[0]
            with httpx.Client(base_url=address, headers={"Origin": address}, follow_redirects=True) as client:
                assert client.get("/").status_code == 403
                assert client.get(link[0]).status_code == 200
                page = client.post("/open", data={"token": link[1]})
                assert "<h1>Example class</h1>" in page.text
                assert "server" not in page.headers
            assert str(database) in shown
        finally:
            process.send_signal(signal.SIGINT)
        rest = process.stdout.read()
        assert process.wait(timeout=20) == 0
    assert "Closed." in rest


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is sent as a signal")
def test_a_browser_is_opened_after_the_link_was_shown_and_is_not_told_it(tmp_path):
    # A browser that only writes down what it was told.
    told, program = tmp_path / "told", tmp_path / "browser"
    program.write_text(f'#!/bin/sh\necho "$*" > "{told}"\n')
    program.chmod(0o700)
    folder = tmp_path / "data"
    folder.mkdir()
    command = [sys.executable, "-m", "postil", "serve", "--port", "0"]
    with subprocess.Popen(
        [*command, "--database", str(folder / "workbench.db")],
        stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
        env=os.environ | {"BROWSER": f"{program} %s", "PYTHONUNBUFFERED": "1"},
    ) as process:  # fmt: skip
        try:
            shown = [process.stdout.readline() for _ in range(6)]
            assert "/open?token=" in shown[2]
            assert "Your browser opens it now." in shown[5]
            address = told.read_text().strip()
            assert address.startswith("file://")
            assert shown[2].strip() in Path(unquote(urlsplit(address).path)).read_text()
        finally:
            process.send_signal(signal.SIGINT)
        process.stdout.read()
        assert process.wait(timeout=20) == 0
    assert [path for path in folder.iterdir() if path.is_dir()] == []


def test_a_taken_port_is_told(postil, tmp_path, monkeypatch):
    import uvicorn

    taken = uvicorn.Config("", host="127.0.0.1", port=0, log_config=None).bind_socket()
    with taken:
        taken.listen()
        port = taken.getsockname()[1]
        status, _, told = postil("serve", "--port", port, "--database", tmp_path / "x.db", "--no-browser")
    assert status == 2
    assert f"port {port} on this computer is taken" in told
    assert "--port" in told
    assert not (tmp_path / "x.db").exists()


def test_without_the_extra_it_says_what_to_install(postil, monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    status, _, told = postil("serve")
    assert status == 2
    assert "pip install 'postil[serve]'" in told
