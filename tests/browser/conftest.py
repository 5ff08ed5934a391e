"""The workbench as a teacher runs it, and a real browser that was let in by its link.

Every page that a test opens is watched, and what it must not do fails the test: see `watching`.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright
from walking import WIDE
from watching import Watch

expect.set_options(timeout=20_000)  # as long as any other step: two browsers may share a busy machine
_NAMES = ("chromium", "chromium-browser", "google-chrome")


@dataclass(frozen=True)
class Server:
    """A workbench that was started: its process, and where it keeps its courses."""

    process: subprocess.Popen[str]
    database: Path


@dataclass(frozen=True)
class Workbench:
    """A workbench that answers: its address, where it keeps its courses, and what lets a browser in."""

    address: str
    database: Path
    state: Any


@pytest.fixture(scope="session")
def chromium() -> str:
    """The browser's program; where there is none, these tests are left out, but never unnoticed in CI."""
    found = next(filter(None, map(shutil.which, _NAMES)), None)
    if found is not None:
        return found
    told = f"no browser is installed (one of: {', '.join(_NAMES)})"
    if os.environ.get("CI"):
        pytest.fail(told)
    pytest.skip(told)


@pytest.fixture(scope="module")
def server(request, chromium, tmp_path_factory) -> Iterator[Server]:
    """A workbench with nothing in it yet, about to start; the browser starts meanwhile.

    It is one for one person, unless a module of tests says `ACCOUNTS = True`.
    """
    database = tmp_path_factory.mktemp("workbench") / "workbench.db"
    command = [sys.executable, "-u", "-m", "postil", "serve", "--port", "0", "--no-browser"]
    if not getattr(request.module, "ACCOUNTS", False):
        command.append("--local")
    with subprocess.Popen(
        [*command, "--database", str(database)], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True
    ) as process:
        try:
            yield Server(process, database)
        finally:
            process.send_signal(signal.SIGINT if sys.platform != "win32" else signal.SIGTERM)
            process.wait(timeout=60)


@pytest.fixture(scope="module")
def browser(chromium, server) -> Iterator[Browser]:
    """A browser for one module only: while it runs, so does an event loop, which other tests stumble over."""
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def workbench(browser, server) -> Workbench:
    """The workbench, and what a browser keeps that has opened its link."""
    shown = "".join(server.process.stdout.readline() for _ in range(5))
    link = re.search(r"(http://127\.0\.0\.1:\d+)/open\?token=[\w-]+", shown)
    assert link, shown
    return Workbench(link[1], server.database, _let_in(browser, link[0], link[1]))


def _let_in(browser: Browser, link: str, address: str) -> Any:
    """Open the link as a person does, and return what the browser has to keep to stay in."""
    context = browser.new_context()
    watch, page = Watch(), context.new_page()
    watch.over(page)
    page.goto(link)
    page.wait_for_url(f"{address}/")
    assert watch.complaints == []
    state = context.storage_state()
    context.close()
    return state


@pytest.fixture
def watch() -> Watch:
    """What the pages of this test must not do; a test that expects it of them empties the list."""
    return Watch()


@pytest.fixture
def page(browser, workbench, watch) -> Iterator[Page]:
    """A watched page in a browser that was let in."""
    context = browser.new_context(
        base_url=workbench.address, storage_state=workbench.state, viewport=WIDE, reduced_motion="reduce"
    )
    context.set_default_timeout(20_000)
    context.on("page", watch.over)
    opened = context.new_page()
    yield opened
    context.close()
    assert watch.complaints == []
