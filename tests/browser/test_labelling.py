"""Double labelling with the keyboard alone: two people label ten answers, and a third settles."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Page, expect
from test_axe import look_over
from test_keyboard import HERE, tab_to
from walking import ANSWERS, QUESTION, REFERENCES, WIDE, press

from postil.workbench.records import NewAnswer
from postil.workbench.store import accounts, answers, courses
from postil.workbench.store.database import open_store
from postil.workbench.store.rounds import make_round

pytestmark = pytest.mark.slow

PASSWORD = "ten rainy puddles"  # noqa: S105 - of nobody
TEXTS = ANSWERS[0], *ANSWERS[9:18]
# What each presses for the answers; they differ about the fourth, the sixth and the last.
FIRST = dict(zip(TEXTS, "1122455512", strict=True))
SECOND = dict(zip(TEXTS, "1123425515", strict=True)) | {TEXTS[-1]: "x"}


@pytest.fixture(scope="module")
def server(chromium, tmp_path_factory) -> Iterator[str]:
    """The address of a workbench with accounts, in which Ann and Ben were asked to label for Eva."""
    database = tmp_path_factory.mktemp("workbench") / "workbench.db"
    store = open_store(database)
    people = [
        accounts.create_account(store, who, who.title(), "teacher", PASSWORD) for who in ("ann", "ben", "eva")
    ]
    course = courses.create_course(store, "Physics 7b", people[2])
    question = courses.create_question(store, course, QUESTION, REFERENCES, 2)
    new = [NewAnswer(f"p{n}", f"Pupil {n}", text) for n, text in enumerate(TEXTS, 1)]
    answers.add_answers(store, question, new)
    make_round(store, question, *people, seed=5)
    store.close()
    command = [sys.executable, "-u", "-m", "postil", "serve", "--port", "0", "--database", str(database)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True) as process:
        try:
            shown = "".join(process.stdout.readline() for _ in range(4))
            yield re.search(r"http://127\.0\.0\.1:\d+", shown)[0]
        finally:
            process.send_signal(signal.SIGINT if sys.platform != "win32" else signal.SIGTERM)
            process.wait(timeout=60)


@pytest.fixture
def logged_in(browser, server, watch):
    """A function: a page of somebody who has typed login and password."""

    @contextmanager
    def opened(login: str) -> Iterator[Page]:
        context = browser.new_context(base_url=server, viewport=WIDE, reduced_motion="reduce")
        context.set_default_timeout(20_000)
        context.on("page", watch.over)
        page = context.new_page()
        page.goto("/login")
        for words in (login, PASSWORD):
            page.keyboard.type(words)
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_url(f"{server}/")
        yield page
        context.close()
        assert watch.complaints == []

    return opened


def label_all(page: Page, keys: dict[str, str]) -> None:
    """Press a key for each answer that comes, and see that no page says whose it is."""
    tab_to(page, page.get_by_role("link", name=re.compile("^To label")))
    press(page, "Enter")
    assert look_over(page) == []
    card = page.get_by_role("link", name=QUESTION)  # which shows the ring around itself
    while not card.evaluate(f"one => one === {HERE}"):
        page.keyboard.press("Tab")
    press(page, "Enter")
    assert look_over(page) == []
    said = page.locator(".review-grid .answer-text.large")
    while said.count():
        assert "Pupil" not in page.content()
        press(page, keys[said.inner_text()])


def test_two_label_and_a_third_settles_by_keys_alone(logged_in):
    with logged_in("ann") as page:
        label_all(page, FIRST)
        expect(page.locator("#main")).to_contain_text("Thank you")
        # A second thought about the last one, with a note.
        tab_to(page, page.get_by_role("link", name="Back to the last answer"))
        press(page, "Enter")
        pressed = page.locator(".choice[aria-pressed]")
        before = pressed.get_attribute("data-key")
        page.keyboard.press("n")
        page.keyboard.type("123, not sure")
        page.keyboard.press("Escape")
        press(page, before)
        expect(page.locator("#main")).to_contain_text("Thank you")
    with logged_in("ben") as page:
        label_all(page, SECOND)
        expect(page.locator("#main")).to_contain_text("referee decides")
        assert look_over(page) == []
        page.goto("/rounds/1")
        assert look_over(page) == []
    with logged_in("eva") as page:
        expect(page.get_by_role("link", name="To label (1)")).to_be_visible()
        page.goto("/questions/1/rounds")
        assert look_over(page) == []
        page.goto("/rounds/1")
        expect(page.locator(".figures")).to_contain_text("70%")
        assert look_over(page) == []
        tab_to(page, page.get_by_role("link", name="Settle 3 disagreements"))
        press(page, "Enter")
        expect(page.locator(".said .badge")).to_have_count(2)
        assert look_over(page) == []
        expect(page.locator("#main")).not_to_contain_text(re.compile("Ann|Ben"))
        press(page, "1")
        press(page, "u")
        for key in "212":
            press(page, key)
        expect(page.locator("#main")).to_contain_text("Everything is settled")
        page.goto("/rounds/1")
        tab_to(page, page.get_by_role("button", name="Use as decisions and grade"))
        press(page, "Enter")
        expect(page.locator("#messages")).to_contain_text("10 labels now count as decisions.")
