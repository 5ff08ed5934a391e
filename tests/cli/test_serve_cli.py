"""`postil serve`: it starts, shows a link that lets one in, and says plainly what keeps it from starting."""

from __future__ import annotations

import re
import signal
import subprocess
import sys

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
