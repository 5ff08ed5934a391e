"""A class of forty answers, and the steps that browser tests repeat."""

from __future__ import annotations

import csv
import io
import re
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Page, expect

PATIENCE = 240_000  # milliseconds that grading may take on a busy machine
WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 400, "height": 800}
QUESTION = "Why does a puddle disappear on a sunny day even though no water flows away?"
REFERENCES = (
    "The heat of the sun makes the water evaporate into the air.",
    "Sunlight warms the water, and it turns into water vapour.",
)
FORMULA = '=HYPERLINK("http://example.org";"the sun dries it")'
# Forty short answers; some say the same in nearly the same words.
ANSWERS = (
    "The sun heats the water and it evaporates into the air.",
    "the sun heats the water and it evaporates into the air",
    "The sun heats the water and it evaporates in the air",
    "it evaporates because of the heat from the sun",
    "It evaporates because of the heat of the sun.",
    "the water turns into vapor when the sun warms it up",
    "The heat of the sun makes the water evaporate.",
    "sunlight makes it warm and the water becomes vapour",
    "Because the sun turns the water into a gas that mixes with the air.",
    "The water particles get energy from the sun and go into the air",
    "It dries up.",
    "it dries up",
    "It dries up!",
    "It just dries up",
    "evaporation",
    "Evaporation.",
    "it evaporates",
    "It evaporates.",
    "The sun shines on it.",
    "the sun shines on it",
    "it gets warm",
    "It is warm so the water becomes steam and rises up.",
    "The water freezes because of the sun.",
    "the water gets colder and turns to ice",
    "the air turns into water so it looks like its gone",
    "The puddle soaks into the ground.",
    "It flows into the gutter.",
    "The wind blows the water away.",
    "Puddles are made by rain.",
    "The clouds drink it.",
    "because water is wet",
    "Rain falls from clouds in autumn.",
    "the puddle is small",
    "My dog drinks from puddles.",
    "idk",
    "I don't know",
    "?",
    "no idea",
    FORMULA,
    "@sun makes it go up in the air",
)


def class_file() -> dict[str, Any]:
    """The class as a form exports it, for an input of files; its longest column is not the answers'."""
    written = io.StringIO()
    rows = [
        (f"p{n:02}", f"Pupil {n}", text, "sent from the classroom's third tablet, on a rainy Monday morning")
        for n, text in enumerate(ANSWERS, 1)
    ]
    csv.writer(written).writerows([("ref", "name", "what they wrote", "remark"), *rows])
    return {"name": "puddle.csv", "mimeType": "text/csv", "buffer": written.getvalue().encode()}


def overflow(page: Page) -> int:
    """By how many pixels a page is wider than the window."""
    return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")


def path_of(page: Page) -> str:
    """Where a page is, without its filter."""
    return urlsplit(page.url).path


def press(page: Page, key: str) -> None:
    """Press a key that leads to another answer, and wait until that is there."""
    page.wait_for_load_state()  # what listens for keys comes last
    with page.expect_navigation():
        page.keyboard.press(key)


def told(page: Page, words: str) -> None:
    """See what the page says about what was just done."""
    expect(page.locator("#messages")).to_contain_text(words)


def make_course(page: Page, name: str) -> str:
    """Make a course on the first page; returns its address."""
    page.goto("/")
    page.get_by_label(re.compile("^(Course name|Name)")).fill(name)
    page.get_by_role("button", name="Create course").click()
    expect(page.locator("h1")).to_have_text(name)
    return path_of(page)


def make_question(page: Page, course: str, text: str, references: str, points: str) -> str:
    """Write a question into a course; returns its address."""
    page.goto(f"{course}/questions/new")
    page.get_by_label("Question").fill(text)
    page.get_by_label("Right answers").fill(references)
    page.get_by_label("Points").fill(points)
    page.get_by_role("button", name="Save and add answers").click()
    expect(page.locator("h1")).to_have_text(text)
    return path_of(page)
