"""People in a real browser: the first owner, somebody who is invited, a shared course, and how it looks."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest
from playwright.sync_api import Browser, Page, expect
from test_axe import look_over
from walking import told

pytestmark = pytest.mark.slow

ACCOUNTS = True
PASSWORD = "correct horse battery"  # noqa: S105 - of nobody
OWNER, GUEST = "olga@school.example", "ann.with.a.long.login@a-school-with-a-long-name.example"


@pytest.fixture(scope="module")
def workbench(browser, server):
    """The workbench, and what the browser of its first owner keeps."""
    shown = "".join(server.process.stdout.readline() for _ in range(5))
    link = re.search(r"(http://127\.0\.0\.1:\d+)/open\?token=[\w-]+", shown)
    assert link, shown
    context = browser.new_context(base_url=link[1])
    page = context.new_page()
    page.goto("/login")
    expect(page.locator("h1")).to_have_text("Log in")
    assert look_over(page) == []
    page.goto(link[0])
    page.get_by_label("Your name").fill("Olga Lindenbaum")
    page.get_by_label("Login").fill(OWNER)
    assert look_over(page) == []
    choose_password(page, "Create account")
    page.wait_for_url(f"{link[1]}/")
    state = context.storage_state()
    context.close()
    return SimpleNamespace(address=link[1], database=server.database, state=state)


def choose_password(page: Page, button: str) -> None:
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password again").fill(PASSWORD)
    page.get_by_role("button", name=button).click()


def test_somebody_is_invited_and_helps_in_a_course(page, browser, workbench):
    page.goto("/people")
    page.get_by_label("Name").fill("Ann, who has a name that is quite long")
    page.get_by_label("Login").fill(GUEST)
    page.get_by_role("radio", name="assistant").check()
    page.get_by_role("button", name="Create link").click()
    shown = page.locator("#once")
    expect(shown).to_be_visible()
    assert look_over(page) == []
    invitation = shown.input_value()
    page.goto("/people/2")
    page.locator("summary").click()
    assert look_over(page) == []

    page.goto("/")
    page.get_by_label("Name").fill("Physics 7b")
    page.get_by_role("button", name="Create course").click()
    page.get_by_role("link", name="Share").click()
    page.get_by_label("With whom?").select_option(GUEST)
    page.get_by_role("button", name="Share").click()
    told(page, "The course is now shared with Ann")
    assert look_over(page) == []

    guest = browser.new_context(base_url=workbench.address)
    look_as_a_guest(guest.new_page(), invitation)
    guest.close()


def look_as_a_guest(page: Page, invitation: str) -> None:
    """What somebody sees who was invited: a form, then one course with nothing to change in it."""
    page.goto(invitation)
    assert look_over(page) == []
    choose_password(page, "Save and log in")
    expect(page.get_by_role("link", name="Physics 7b")).to_be_visible()
    expect(page.get_by_role("button", name="Create course")).to_have_count(0)
    assert look_over(page) == []
    page.get_by_role("link", name="Physics 7b").click()
    page.get_by_role("link", name="Who can see it").click()
    expect(page.locator("h1")).to_contain_text("People in")
    expect(page.get_by_role("button", name="Remove")).to_have_count(0)
    assert look_over(page) == []
    page.get_by_role("button", name="Log out").click()
    page.get_by_label("Login").fill(GUEST.upper())
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Physics 7b")).to_be_visible()


def test_a_token_is_shown_once_and_copied(page: Page, browser: Browser):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto("/account")
    page.get_by_label("What is it for?").fill("Tutoring system")
    page.get_by_role("button", name="Create token").click()
    secret = page.locator("#once").input_value()
    assert secret.startswith("postil_")
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == secret
    assert look_over(page) == []
    page.goto("/account")
    expect(page.locator("#once")).to_have_count(0)
    page.get_by_text("Revoke…").click()
    page.get_by_role("button", name="Revoke token").click()
    told(page, "“Tutoring system” has been revoked.")


def test_the_log(page: Page):
    page.goto("/log")
    page.get_by_label("What").select_option("logged in")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("table.log tbody tr").first).to_contain_text("logged in")
    assert look_over(page) == []
    page.goto("/log?kind=round+started")
    expect(page.get_by_text("Nothing in the log matches")).to_be_visible()
    assert look_over(page) == []
