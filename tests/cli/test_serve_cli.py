"""`postil serve`: it starts, shows a link to log in with, and says plainly what keeps it from starting."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import unquote, urlsplit

import httpx
import pytest

from postil.cli.serve import ServeOptions, run
from postil.errors import PostilError

pytestmark = pytest.mark.slow


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is sent as a signal")
def test_it_starts_shows_a_link_and_stops(tmp_path):
    command = [sys.executable, "-m", "postil", "serve", "--local", "--port", "0", "--no-browser", "--example"]
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
                form = {"csrf": re.search(r'name="csrf" value="([^"]+)"', page.text)[1]}
                brought = {"file": ("form.csv", b"question,answer\nWhy?,because of rain\n")}
                page = client.post(f"{page.url.path}/draft", data=form, files=brought)
                assert "because of rain" in page.text
            assert str(database) in shown
        finally:
            process.send_signal(signal.SIGINT)
        rest = process.stdout.read()
        assert process.wait(timeout=60) == 0
    assert "Closed." in rest
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("SELECT count(*) FROM draft").fetchone() == (0,)


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is sent as a signal")
def test_a_browser_is_opened_after_the_link_was_shown_and_is_not_told_it(tmp_path):
    # A browser that only writes down what it was told.
    told, program = tmp_path / "told", tmp_path / "browser"
    program.write_text(f'#!/bin/sh\necho "$*" > "{told}"\n')
    program.chmod(0o700)
    folder = tmp_path / "data"
    folder.mkdir()
    command = [sys.executable, "-m", "postil", "serve", "--local", "--port", "0"]
    with subprocess.Popen(
        [*command, "--database", str(folder / "workbench.db")],
        stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
        env=os.environ | {"BROWSER": f"{program} %s", "PYTHONUNBUFFERED": "1"},
    ) as process:  # fmt: skip
        try:
            shown = [process.stdout.readline() for _ in range(6)]
            assert "/open?token=" in shown[2]
            assert "Your browser is opening it." in shown[5]
            address = told.read_text().strip()
            assert address.startswith("file://")
            assert shown[2].strip() in Path(unquote(urlsplit(address).path)).read_text()
        finally:
            process.send_signal(signal.SIGINT)
        process.stdout.read()
        assert process.wait(timeout=60) == 0
    assert [path for path in folder.iterdir() if path.is_dir()] == []


def test_a_taken_port_is_told(postil, tmp_path, monkeypatch):
    import uvicorn

    taken = uvicorn.Config("", host="127.0.0.1", port=0, log_config=None).bind_socket()
    with taken:
        taken.listen()
        port = taken.getsockname()[1]
        status, _, told = postil("serve", "--port", port, "--database", tmp_path / "x.db", "--no-browser")
    assert status == 2
    assert f"port {port} on this computer is in use" in told
    assert "--port" in told
    assert not (tmp_path / "x.db").exists()


def test_without_the_extra_it_says_what_to_install(postil, monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    status, _, told = postil("serve")
    assert status == 2
    assert "pip install 'postil[serve]'" in told


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is sent as a signal")
def test_with_accounts_the_first_link_makes_the_owner_and_later_there_is_a_login(tmp_path):
    from postil.workbench.store.accounts import create_account
    from postil.workbench.store.database import open_store

    command = [sys.executable, "-u", "-m", "postil", "serve", "--port", "0"]
    command += ["--database", str(tmp_path / "workbench.db")]

    def started(lines):
        pipes = {"stdout": subprocess.PIPE, "stdin": subprocess.DEVNULL, "text": True}
        process = subprocess.Popen(command, **pipes)
        return process, "".join(process.stdout.readline() for _ in range(lines))

    def stop(process):
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)

    store = open_store(tmp_path / "workbench.db")
    create_account(store, "teo", "Teo", "teacher", None)  # who is no owner, so the link comes all the same
    store.close()
    process, shown = started(6)
    try:
        link = re.search(r"(http://127\.0\.0\.1:\d+)/open\?token=([\w-]+)", shown)
        with httpx.Client(base_url=link[1], headers={"Origin": link[1]}, follow_redirects=True) as client:
            assert client.get("/").url.path == "/login"
            words = "three quiet words"
            filled = {"name": "Ane", "login": "ane", "password": words, "again": words}
            page = client.post("/open", data={"token": link[2], **filled})
            assert page.url.path == "/"
            assert "Ane" in page.text
    finally:
        stop(process)
    process, shown = started(3)
    stop(process)
    assert "log in at" in shown
    assert "token" not in shown


@pytest.fixture
def begun(monkeypatch, postil):
    """Run `postil serve` as far as the store is ready, and return what can still get in."""
    from postil.workbench.store import logins
    from postil.workbench.store.database import open_store

    class ReadyError(PostilError):
        pass

    def ready(*_):
        raise ReadyError("ready.")

    monkeypatch.setattr("postil.workbench.app.create_app", ready)
    here = SimpleNamespace(getsockname=lambda: ("127.0.0.1", 8400))
    monkeypatch.setattr("postil.cli.serve._listen", lambda *_: here)
    monkeypatch.setattr(signal, "signal", lambda *_: None)

    def begin(database, *told, alone=True):
        store = open_store(database)
        key, link = logins.begin_session(store, None), logins.make_link(store, "open")
        store.close()
        if alone:
            assert "ready" in postil("serve", *told, "--port", "0", "--database", database)[2]
        else:
            with pytest.raises(ReadyError):
                run(ServeOptions(local=True, port=0, database=str(database)), alone=False)
        store = open_store(database)
        found = logins.find_session(store, key), logins.peek_link(store, link)
        store.close()
        return [one is not None for one in found]

    return begin


def test_sessions_and_links_of_one_person_end_with_the_next_start(begun, tmp_path):
    assert begun(tmp_path / "a.db", "--local") == [False, False]
    assert begun(tmp_path / "b.db") == [True, True]  # which open nothing where there are accounts
    assert begun(tmp_path / "c.db", alone=False) == [True, True]


def test_with_accounts_courses_that_are_nobodys_get_an_owner(begun, tmp_path):
    from postil.workbench.store import access, accounts, courses
    from postil.workbench.store.database import open_store

    store = open_store(tmp_path / "workbench.db")
    ane = accounts.create_account(store, "ane", "Ane", "owner", "three quiet words")
    course = courses.create_course(store, "Made with --local")
    begun(tmp_path / "workbench.db", "--local")
    assert access.owner_of(store, course) is None
    begun(tmp_path / "workbench.db")
    assert access.owner_of(store, course).id == ane
    store.close()


@pytest.mark.parametrize(
    ("told", "why"),
    [
        (["--local", "--host", "192.0.2.1"], "--local"),
        (["--local", "--address", "https://postil.example.org"], "--local"),
        (["--host", "0.0.0.0"], "--address"),  # noqa: S104 - what is refused
        (["--address", "postil.example.org"], "https://"),
        (["--example"], "--local"),
        (["--monitor", "example.org"], "--monitor"),
    ],
)
def test_what_does_not_go_together_is_told(postil, tmp_path, told, why):
    status, _, shown = postil("serve", *told, "--port", "0", "--database", tmp_path / "x.db")
    assert status == 2
    assert why in shown
    assert not (tmp_path / "x.db").exists()
