"""The workbench without a mouse: every control is reached by Tab, seen when it is, and pressed by Enter."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect
from walking import PATIENCE, make_course, make_question, path_of, press, told

pytestmark = pytest.mark.slow

MOST_STOPS = 40
HERE = "document.activeElement"
# What a person sees of where the focus is: a ring around the control itself or what stands for it.
RING = f"""() => {{
  const at = {HERE};
  const shown = at.matches("input[type=radio]") ? at.nextElementSibling : at;
  const style = getComputedStyle(shown);
  return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
}}"""


def tab_to(page: Page, control) -> None:
    """Press Tab until a control has the focus; on the way every stop has to show itself."""
    page.wait_for_load_state()  # with the style that shows it
    for _ in range(MOST_STOPS):
        page.keyboard.press("Tab")
        assert page.evaluate(RING), page.evaluate(f"{HERE}.outerHTML")
        if control.evaluate(f"one => one === {HERE}"):
            return
    pytest.fail(f"Tab does not reach {control}")


def test_tab_and_enter_lead_from_the_first_page_to_a_stored_answer(page):
    page.goto("/")
    tab_to(page, page.get_by_label("Course name"))
    page.keyboard.type("Physics 7b")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Physics 7b")
    tab_to(page, page.get_by_role("link", name="Write a question"))
    page.keyboard.press("Enter")
    expect(page.get_by_label("Question")).to_be_focused()
    page.keyboard.type("Why is the bulb lit?")
    tab_to(page, page.get_by_label("Right answers"))
    page.keyboard.type("The path is closed.")
    tab_to(page, page.get_by_label("Points"))
    tab_to(page, page.get_by_role("button", name="Save and add answers"))
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Why is the bulb lit?")
    tab_to(page, page.get_by_label("Student"))
    page.keyboard.type("Ann")
    tab_to(page, page.locator("#answer-text"))
    page.keyboard.type("because 1 path is closed")
    tab_to(page, page.get_by_role("button", name="Add this answer"))
    page.keyboard.press("Enter")
    row = page.locator("table.answers tbody tr")
    expect(row).to_have_count(1)
    expect(row).to_contain_text("because 1 path is closed")
    # On to a label, still without a mouse.
    tab_to(page, row.get_by_role("link", name="Ann"))
    page.keyboard.press("Enter")
    expect(page.locator("#review")).to_be_visible()
    tab_to(page, page.get_by_role("button", name="correct", exact=True))
    page.keyboard.press("Enter")
    expect(page.locator("#messages")).to_contain_text("Ann: correct.")


def test_the_skip_link_comes_first_and_leads_to_the_content(page):
    page.goto("/")
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()


def test_keys_with_modifiers_and_keys_in_fields_decide_nothing(page):
    question = make_question(page, make_course(page, "Physics 8a"), "Why is it dark?", "It is open.", "1")
    page.locator("#answer-text").fill("because 1 path is open")
    page.get_by_role("button", name="Add this answer").click()
    rows = page.locator("table.answers tbody tr")
    rows.get_by_role("link").click()
    expect(page.locator("#review")).to_be_visible()
    page.wait_for_load_state()
    answer = path_of(page)
    for key in ("Control+1", "Alt+2", "Meta+3"):
        page.keyboard.press(key)
    expect(page.locator(".history")).to_contain_text("has not been graded")
    press(page, "4")
    page.goto(question)
    page.get_by_role("searchbox", name="Search").press_sequentially("1 path")
    expect(rows).to_have_count(1)
    assert path_of(page) == question
    page.goto(answer)
    expect(page.locator(".history li")).to_have_count(1)
    expect(page.locator(".history li")).to_contain_text("off the point")


def test_what_a_full_answer_says_is_written_and_ticked_by_keys(page):
    reference = "The switch is closed, and the battery is full."
    question = make_question(page, make_course(page, "Physics 9c"), "Why is it lit?", reference, "2")
    page.locator("#answer-text").fill("the switch is closed")
    page.get_by_role("button", name="Add this answer").click()
    expect(page.locator("table.answers tbody tr")).to_have_count(1)
    tab_to(page, page.get_by_role("link", name="Rubric"))
    page.keyboard.press("Enter")
    # Postil's own proposal, to go on from.
    names = page.get_by_role("textbox", name="what a full answer says")
    names.first.wait_for(timeout=PATIENCE)
    expect(names).to_have_count(2)
    expect(names.first).to_have_value("the switch is closed")
    tab_to(page, page.get_by_label("Item 1: points", exact=True))
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("3")
    tab_to(page, page.get_by_role("button", name="Add an item"))
    page.keyboard.press("Enter")
    expect(names).to_have_count(3)
    expect(names.last).to_be_focused()
    page.keyboard.type("the bulb is whole")
    tab_to(page, page.get_by_label("Item 3: required?"))
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")  # in a field: saves
    told(page, "The rubric has been saved.")
    assert path_of(page) == question

    page.goto(f"{question}/review")
    boxes = page.locator("#review input[type=checkbox]")
    expect(boxes).to_have_count(3)
    expect(page.locator("#earns")).to_contain_text("1 / 2")  # half, while nobody has looked
    page.keyboard.press("a")
    expect(page.locator("#earns")).to_contain_text("1.50 / 2")
    page.keyboard.press("c")  # optional
    expect(page.locator("#earns")).to_contain_text("2 / 2")
    tab_to(page, boxes.last)
    page.keyboard.press("Space")
    expect(page.locator("#earns")).to_contain_text("1.50 / 2")
    press(page, "2")
    told(page, "partly right")
    row = page.locator("table.answers tbody tr")
    expect(row).to_contain_text("1 of 3 items")
    expect(row.locator(".points")).to_have_text("1.50 / 2")
    row.get_by_role("link").press("Enter")
    expect(boxes.first).to_be_checked()
    expect(boxes.nth(1)).not_to_be_checked()
