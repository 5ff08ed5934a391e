"""Markup and script in names, questions and answers are text like any other: shown as written, never run."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect
from walking import NARROW, PATIENCE, make_course, make_question, overflow, press, told
from watching import Watch

pytestmark = pytest.mark.slow

SCRIPT = "<script>alert(1)</script>"
IMAGE = "\"><img src=x onerror='alert(2)'>"
LONG = "x" * 300 + " <blink>now</blink>"
COURSE = f"{SCRIPT} & {IMAGE}"
QUESTION = f"Why does {SCRIPT} evaporate, {{{{ 7 * 7 }}}} and {IMAGE}?"
REFERENCE = f"The sun {SCRIPT} makes {IMAGE} the water evaporate."
TEXTS = (
    f"the sun {SCRIPT} makes the water evaporate",
    f"The sun {SCRIPT} makes the water evaporate.",
    f"the heat {IMAGE} makes it dry up </td></table></main>",
    "<svg onload=alert(3)><style>*{display:none}</style> the sun",
    "javascript:alert(4) {{ 7 * 7 }} ${7 * 7} &lt;b&gt; evaporates",
    f"{LONG} the water evaporates",
    "the water turns into ice \u202e and goes backwards",
)


def harmless(page: Page) -> None:
    """Nothing on the page came from somebody's text."""
    foreign = "body :is(script, img, blink, style), [onerror], [onload]"
    assert page.locator(foreign).count() == 0, page.url


@pytest.fixture(scope="module")
def paths(browser, workbench):
    """The pages of a hostile class, which was brought in and graded as any other is."""
    context = browser.new_context(base_url=workbench.address, storage_state=workbench.state)
    watch, page = Watch(), context.new_page()
    watch.over(page)
    course = make_course(page, COURSE)
    question = make_question(page, course, QUESTION, REFERENCE, "2")
    pasted = "\n".join(f"{SCRIPT} {n}\t{text}" for n, text in enumerate(TEXTS))
    page.get_by_label("Answers", exact=True).fill(pasted)
    page.get_by_role("button", name="Preview the answers").click()
    expect(page.locator("td.as-answer").first).to_have_text(TEXTS[0])
    harmless(page)
    page.get_by_role("button", name=f"Add {len(TEXTS)} answers").click()
    told(page, "answers added")
    page.goto(f"{question}/facets?own=true")
    page.get_by_label("Item 1: what a full answer says").fill(f"{SCRIPT} {LONG}"[:200])
    page.get_by_role("button", name="Save").last.click()
    page.get_by_role("button", name="Grade now").click()
    page.locator("table.answers .meter").first.wait_for(timeout=PATIENCE)
    answers = [link.get_attribute("href") for link in page.locator("table.answers .who a").all()]
    page.goto(answers[0])
    press(page, "2")
    page.goto(question)
    page.get_by_role("button", name="Grade the others again").click()
    page.locator(".changes-head, .empty").first.wait_for(timeout=PATIENCE)
    context.close()
    assert watch.complaints == []
    of_course = ("", "/questions/new", "/report")
    of_question = ("", "/edit", "/facets", "/start", "/groups", "/changes", "/trust", "/export", "/report")
    return ["/", *(course + end for end in of_course), *(question + end for end in of_question), *answers]


def test_every_page_shows_hostile_text_as_text(page, paths):
    """The watch over every page sees dialogs, policy breaches and requests; none may come."""
    page.set_viewport_size(NARROW)
    for path in paths:
        page.goto(path)
        harmless(page)
        assert overflow(page) == 0, path
    page.goto("/")
    expect(page.get_by_role("link", name=COURSE)).to_be_visible()
    page.goto(next(path for path in paths if path.startswith("/questions/")))
    expect(page.locator("h1")).to_have_text(QUESTION)
    assert sorted(page.locator("table.answers .said").all_inner_texts()) == sorted(TEXTS)


def test_the_watch_sees_a_script_that_is_not_ours(page, watch):
    """A guard that cannot fail guards nothing: what the policy stops shows among the complaints."""
    page.goto("/")
    page.evaluate("document.body.append(Object.assign(document.createElement('script'), {text: 'alert(1)'}))")
    page.evaluate("document.body.append(Object.assign(new Image(), {src: 'http://localhost.invalid/x.png'}))")
    page.wait_for_timeout(200)
    assert any("script" in one for one in watch.complaints)
    assert any("img-src" in one for one in watch.complaints)
    assert not any(one.startswith("dialog") for one in watch.complaints)
    watch.complaints.clear()
