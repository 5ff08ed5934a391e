"""A rubric changed in a browser: items moved, split and brought back by keys; whose points change; ticks."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect
from walking import PATIENCE, told

from postil.data.labels import PARTLY
from postil.data.questions import Facet
from postil.workbench.records import NewAnswer
from postil.workbench.store import answers, courses, decisions
from postil.workbench.store.database import open_store

pytestmark = pytest.mark.slow
ITEMS = ("the sun heats the water", "the water evaporates, and it rises", "it turns into vapour")
TEXTS = ("the sun heats the water", "the water freezes", "i like rain")


@pytest.fixture
def question(workbench) -> str:
    """A question with a rubric of three items, and three answers that a person called partly right."""
    store = open_store(workbench.database)
    course = courses.create_course(store, "Rubrics")
    references = ["The sun heats the water and it evaporates."]
    number = courses.create_question(store, course, "Why is the puddle gone?", references, 4)
    answers.add_answers(
        store, number, [NewAnswer(str(n), f"Pupil {n}", text) for n, text in enumerate(TEXTS)]
    )
    first, *others = (Facet("", name) for name in ITEMS)
    courses.set_facets(store, number, [Facet("", first.first, weight=2.0, deduction=1.0), *others])
    ids = [answer.id for answer in answers.list_answers(store, number)]
    said = [facet.id for facet in courses.get_question(store, number).facets]
    for place, answer in enumerate(ids):
        ticks = {facet: number == 0 and place == 0 for number, facet in enumerate(said)}
        decisions.decide(store, number, [answer], PARTLY, "review", ticks)
    store.close()
    return f"/questions/{number}"


def names(page: Page):
    return page.get_by_role("textbox", name="what a full answer says")


def values(page: Page) -> list[str]:
    return [box.input_value() for box in names(page).all()]


def focused(page: Page) -> str:
    return page.evaluate("document.activeElement.textContent")


def press_button(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).press("Enter")
    page.wait_for_load_state()


def test_items_are_moved_split_and_undone_by_keys(page, question):
    page.goto(f"{question}/facets")
    first, second, third = ITEMS
    press_button(page, "Move down item 1")
    expect(names(page).first).to_have_value(second)
    assert values(page) == [second, first, third]
    assert focused(page) == "Move down item 2"  # so that it can be pressed again
    page.keyboard.press("Enter")
    expect(names(page).last).to_have_value(first)
    assert focused(page) == "Move up item 3"
    press_button(page, "Split item 1")
    expect(names(page)).to_have_count(4)
    assert values(page)[:2] == ["the water evaporates", "it rises"]
    expect(names(page).nth(1)).to_be_focused()
    press_button(page, "Merge with next item 1 and the next")
    expect(names(page)).to_have_count(3)
    for _ in range(4):
        press_button(page, "Undo the last step")
    expect(names(page).first).to_have_value(first)
    assert values(page) == list(ITEMS)
    expect(page.get_by_role("button", name="Undo the last step")).to_have_count(0)


def test_whose_points_change_is_seen_before_it_is_saved_and_can_be_undone(page, question):
    page.goto(f"{question}/facets")
    page.get_by_label("Item 2: points", exact=True).fill("6")
    press_button(page, "Save")
    expect(page.locator(".changes-head h2")).to_have_text("1 answer would get other points")
    row = page.locator("table.changes tbody tr")
    expect(row).to_have_count(1)
    expect(row.locator(".moved")).to_contain_text(re.compile(r"2\s*→\s*becomes\s*0.89"))
    press_button(page, "Save the rubric")
    told(page, "The rubric has been saved.")
    expect(page.locator("table.answers .points").first).to_contain_text("/ 4")
    page.goto(f"{question}/facets")
    page.locator("details.fold summary").first.click()
    press_button(page, page.get_by_role("button", name=re.compile("Undo the last change")).inner_text())
    expect(page.locator(".moved")).to_contain_text(re.compile(r"0.89\s*→\s*becomes\s*2"))
    press_button(page, "Save the rubric")
    told(page, "The rubric has been saved.")


def test_an_item_is_said_or_contradicted_and_the_total_follows(page, question):
    page.goto(f"{question}/review?state=decided&order=place")
    page.locator("#earns").wait_for(timeout=PATIENCE)
    earns = page.locator("#earns")
    expect(earns).to_contain_text("“partly right” earns 2 / 4")
    page.keyboard.press("b")
    expect(earns).to_contain_text("“partly right” earns 3 / 4")
    page.keyboard.press("Shift+A")
    expect(earns).to_contain_text("“partly right” earns 0 / 4")
    boxes = page.locator(".facets li").first.locator("input")
    expect(boxes.first).not_to_be_checked()
    expect(boxes.last).to_be_checked()
    page.keyboard.press("a")
    expect(boxes.last).not_to_be_checked()
    expect(earns).to_contain_text("“partly right” earns 3 / 4")
