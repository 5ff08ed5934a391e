"""Pictures of the workbench for its guide: one class, from the first page to the export.

    python benchmarks/screenshots.py [--to docs/images] [--browser /usr/bin/chromium]

`postil serve` runs as a teacher runs it; a headless Chromium walks through it and takes a picture of each
page. The class is the bundled one; its first question is asked once more of a larger class whose answers
are partly alike, so that there is something to group and to learn from. Needs the extra `dev` and a browser.
"""

from __future__ import annotations

import argparse
import csv
import io
import shutil
import tempfile
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

from playwright.sync_api import Page, sync_playwright
from workbench import serving

from postil.data.labels import PLAIN_NAMES, RESPONSE_SCHEMES

PUPILS = (
    *("Ada", "Ben", "Cem", "Dilan", "Emil", "Fay", "Gus", "Hana", "Ivo", "Jule", "Kofi", "Lena", "Mats"),
    *("Nora", "Omar", "Pia", "Quinn", "Rosa", "Sami", "Tara", "Uwe", "Vera", "Wim", "Xenia", "Yan", "Zoe"),
    *("Aino", "Bela", "Cleo", "Dario", "Elif", "Finn", "Greta", "Hugo", "Ines", "Jan", "Kaja", "Liam"),
    *("Mira", "Nils"),
)
RIGHT, PARTLY, WRONG, OFF, NONE = LABELS = RESPONSE_SCHEMES["5way"].labels
# The answers of the larger class beyond the bundled ones, with the labels of the same teacher.
MORE = {
    "it dries up": PARTLY,
    "It dries up!": PARTLY,
    "It just dries up": PARTLY,
    "Evaporation": PARTLY,
    "evaporation.": PARTLY,
    "the sun shines on it": PARTLY,
    "The sun shines on the puddle.": PARTLY,
    "The sun heats the water and it evaporates in the air": RIGHT,
    "the sun heats the water, it evaporates into the air": RIGHT,
    "the sun heats up the water and it evaporates into the air": RIGHT,
    "idk!": NONE,
    "?": NONE,
    "The ground drinks it.": WRONG,
    "Because the heat of the sun turns the water into a gas that mixes with the air.": RIGHT,
    "sunlight makes it warm and the water becomes vapour": PARTLY,
    "It is warm so the water becomes steam and rises up.": PARTLY,
    "The wind blows the water away.": WRONG,
    "the water gets colder and turns to ice": WRONG,
    "The water particles get energy from the sun and leave into the air": RIGHT,
    "because water is wet": OFF,
    "The clouds drink it.": WRONG,
    "it gets warm": PARTLY,
    "It evaporates.": PARTLY,
    "it evaporates": PARTLY,
    "the puddle is small": OFF,
    "sun + heat = evaporation into the air": RIGHT,
    "The heat of the sun makes the water evaporate.": RIGHT,
}
# What a full answer says: in whose words, how much it weighs, and whether it is required.
PARTS = (
    ("the sun warms the water", "1", "yes"),
    ("the water evaporates", "2", "yes"),
    ("it goes into the air", "1", "no"),
)
WIDE, NARROW, TALL = 1280, 400, 640
TALL_ENOUGH, WHOLE = 880, 1500  # what is below is left out
HEIGHT = "document.documentElement.scrollHeight"
# An answer's text without what tells which claims its marked words make.
WITHOUT_SIGNS = """answer => {
  const copy = answer.cloneNode(true);
  copy.querySelectorAll("sup, .visually-hidden").forEach(sign => sign.remove());
  return copy.textContent.trim();
}"""
Shoot = Callable[..., None]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--to", type=Path, default=Path(__file__).parent.parent / "docs" / "images")
    parser.add_argument("--browser", default=shutil.which("chromium") or shutil.which("google-chrome"))
    options = parser.parse_args()
    options.to.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder) / "workbench.db") as (_, client),
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=options.browser, args=["--no-sandbox"])
        address = str(client.base_url)
        context = browser.new_context(
            base_url=address, viewport={"width": WIDE, "height": TALL}, reduced_motion="reduce"
        )
        context.add_cookies(
            [{"name": name, "value": value, "url": address} for name, value in client.cookies.items()]
        )
        walk(context.new_page(), options.to)
        browser.close()
    sizes = [path.stat().st_size for path in options.to.glob("workbench-*.png")]
    print(f"{len(sizes)} pictures, {sum(sizes) / 2**20:.2f} MB")


def walk(page: Page, folder: Path) -> None:
    """Go through the workbench, and take a picture of each page."""

    def shoot(name: str, most: int = TALL_ENOUGH) -> None:
        # Messages in a corner are put back after a moment, for screen readers.
        page.wait_for_timeout(400)
        page.evaluate("scrollTo(0, 0)")
        size = page.viewport_size or {"width": WIDE, "height": TALL}
        page.set_viewport_size({"width": size["width"], "height": min(most, page.evaluate(HEIGHT))})
        page.screenshot(path=folder / f"workbench-{name}.png")
        page.set_viewport_size(size)

    question = prepare(page, shoot)
    start(page, question, shoot)
    parts(page, question, shoot)
    page.goto(question)
    shoot("table")
    review(page, question, shoot)
    page.goto(f"{question}/groups")
    page.locator(".group summary").first.click()
    shoot("groups")
    group = page.locator(".group").first
    label = label_of(group.locator(".answer-text").first.inner_text())
    group.get_by_role("button", name=PLAIN_NAMES[label]).click()
    page.goto(question)
    page.get_by_role("button", name="Grade the others again").click()
    page.wait_for_selector(".changes-head, .empty", timeout=120_000)
    shoot("changes")
    page.goto(f"{question}/trust")
    shoot("trust", WHOLE)
    page.goto(f"{question}/export")
    shoot("export")
    page.set_viewport_size({"width": NARROW, "height": 900})
    page.goto(f"{question}?state=undecided")
    shoot("phone", 1200)


def prepare(page: Page, shoot: Shoot) -> str:
    """Make the courses and the question, and bring the answers; returns the question's address."""
    page.goto("/")
    shoot("first")
    page.get_by_role("button", name="Try the sample class").click()
    shoot("course")
    page.goto("/")
    page.get_by_label("Name").fill("Earth science 7b")
    page.get_by_role("button", name="Create course").click()
    course = page.url
    page.goto("/")
    shoot("courses")
    page.goto(f"{course}/questions/new")
    first = bundled()[0]
    page.get_by_label("Question").fill(first["question"])
    page.get_by_label("Right answers").fill(f"{first['reference']}\n{first['reference_2']}")
    page.get_by_label("Points").fill("2")
    shoot("new-question")
    page.get_by_role("button", name="Save and add answers").click()
    question = page.url
    page.locator("#answers-file").set_input_files(
        {"name": "puddle.csv", "mimeType": "text/csv", "buffer": a_class().encode()}
    )
    page.get_by_role("button", name="Preview the file").click()
    shoot("preview")
    page.get_by_role("button", name="Add 40 answers").click()
    return question


def bundled() -> list[dict[str, str]]:
    """The rows of the bundled class that belong to its first question."""
    with files("postil.resources").joinpath("demo", "class.csv").open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    return [row for row in rows if row["question_id"] == rows[0]["question_id"]]


def a_class() -> str:
    """A file as a form exports it."""
    texts = [*(row["answer"] for row in bundled()), *MORE]
    written = io.StringIO()
    rows = [(f"7b-{n:02}", pupil, text) for n, (pupil, text) in enumerate(zip(PUPILS, texts, strict=True), 1)]
    csv.writer(written).writerows([("Id", "Name", "Response"), *rows])
    return written.getvalue()


def start(page: Page, question: str, shoot: Shoot) -> None:
    """Label the proposed answers, as the bundled class's teacher would, and have the class graded."""
    page.goto(f"{question}/start")
    page.wait_for_selector("#start", timeout=120_000)
    for answer in page.locator(".start-answer").all():
        answer.locator(f"input[value={label_of(answer.locator('.answer-text').inner_text())}]").check()
    shoot("start", WHOLE)
    page.get_by_role("button", name="Save and grade the class").click()
    page.wait_for_selector("table.answers .meter", timeout=120_000)


def parts(page: Page, question: str, shoot: Shoot) -> None:
    """Say in the teacher's words what a full answer says, and have it looked for."""
    page.goto(f"{question}/facets")
    page.wait_for_selector(".facet-rows", timeout=120_000)
    names = page.locator("input[name=name]")
    while names.count() < len(PARTS):
        page.get_by_role("button", name="Add an item").click()
    for index, (name, weight, must) in enumerate(PARTS):
        names.nth(index).fill(name)
        page.locator("input[name=weight]").nth(index).fill(weight)
        page.locator("select[name=required]").nth(index).select_option(must)
    shoot("parts", WHOLE)
    page.get_by_role("button", name="Save", exact=True).last.click()
    page.get_by_role("button", name="Check the answers first").click()
    page.wait_for_selector(".changes-head", timeout=120_000)
    shoot("rubric-preview")
    page.get_by_role("button", name="Save the rubric").click()


def review(page: Page, question: str, shoot: Shoot) -> None:
    """Decide by keys, about the doubtful answers first."""
    page.goto(f"{question}/review")
    for turn in range(10):
        text = page.locator(".review-grid .answer-text").first.evaluate(WITHOUT_SIGNS)
        said = page.locator(".accept").inner_text()
        label = label_of(text)
        if turn == 2:
            shoot("review")
        with page.expect_navigation():
            page.keyboard.press("Enter" if PLAIN_NAMES[label] in said else str(LABELS.index(label) + 1))
        if "/answers/" not in page.url:  # the list is at its end
            page.goto(f"{question}/review")


def label_of(text: str) -> str:
    """What the teacher says about an answer."""
    return ({row["answer"]: row["label"] for row in bundled()} | MORE)[text]


if __name__ == "__main__":
    main()
