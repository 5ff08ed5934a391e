"""Every page, light and wide, dark and narrow: axe finds nothing serious, and no page scrolls sideways."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page
from walking import ANSWERS, NARROW, PATIENCE, QUESTION, REFERENCES, WIDE, class_file, overflow

from postil.data.labels import PARTLY, RESPONSE_SCHEMES
from postil.data.questions import Facet
from postil.workbench.records import NewAnswer
from postil.workbench.store import answers, courses, decisions, jobs, rubrics
from postil.workbench.store.database import Store, open_store

pytestmark = pytest.mark.slow

AXE = Axe()
SERIOUS = ("serious", "critical")
# What has to be on a page so that it is the one to look over, and not the one shown before anything is there.
SHOWN = {
    "start": "#start",
    "table": "table.answers .meter",
    "review": ".picture > summary",
    "review of a decided answer": ".history .badge",
    "review with ticks": "#earns",
    "parts": ".danger-zone",
    "parts proposed": ".facet-rows",
    "what other parts would change": ".changes-head",
    "groups": ".group",
    "changes": "table.changes .badge",
    "trust": ".plot",
    "export": ".takeaways",
    "report": "svg",
}


@pytest.fixture(scope="module")
def addresses(workbench):
    """The path of every page, of a class that is graded, partly decided, and graded again."""
    store = open_store(workbench.database)
    course = courses.create_course(store, "A course with a long name, so that there is something to cut off")
    empty = courses.create_course(store, "Nothing yet")
    blank = courses.create_question(store, course, "Why is it dark?", ["The path is open."], 1)
    question = courses.create_question(store, course, QUESTION, REFERENCES, 2)
    new = [NewAnswer(str(n), f"pupil.number.{n}@example.org", text) for n, text in enumerate(ANSWERS[:20])]
    answers.add_answers(store, question, new)
    ids = [answer.id for answer in answers.list_answers(store, question)]
    labels = RESPONSE_SCHEMES["5way"].labels
    done(store, jobs.enqueue(store, "propose", question))
    done(store, jobs.enqueue(store, "grade", question))
    # As nobody would label: so there are disagreements to show, and changes to learn.
    for place, one in enumerate(ids[:16]):
        decisions.decide(store, question, [one], labels[place % 5], "review")
    done(store, jobs.enqueue(store, "regrade", question))
    parts, ticked = with_parts(store, course)
    done(store, jobs.enqueue(store, "facets", blank))
    store.close()
    here = f"/questions/{question}"
    return {
        "courses": "/",
        "course": f"/courses/{course}",
        "course without questions": f"/courses/{empty}",
        "new question": f"/courses/{course}/questions/new",
        "edit question": f"{here}/edit",
        "question without answers": f"/questions/{blank}",
        "start": f"{here}/start",
        "table": here,
        "table without rows": f"{here}?search=nobody+wrote+this",
        "review": f"/answers/{ids[18]}",
        "review of a decided answer": f"/answers/{ids[3]}",
        "review with ticks": f"/answers/{ticked}",
        "parts": f"/questions/{parts}/facets",
        "parts proposed": f"/questions/{blank}/facets",
        "what other parts would change": f"/questions/{parts}/facets/preview",
        "table with parts": f"/questions/{parts}",
        "report with parts": f"/questions/{parts}/report",
        "groups": f"{here}/groups",
        "changes": f"{here}/changes",
        "trust": f"{here}/trust",
        "export": f"{here}/export",
        "report": f"{here}/report",
        "used link": "/open",
    }


def with_parts(store: Store, course: int) -> tuple[int, int]:
    """A question whose teacher has said what a full answer says, and one of its answers."""
    question = courses.create_question(store, course, QUESTION, ["It is warm, and the water evaporates."], 2)
    answers.add_answers(store, question, [NewAnswer("a", "Ada", "it evaporates"), NewAnswer("b", "", "warm")])
    own = [Facet("", "it is warm"), Facet("", "the water evaporates", weight=2.0, required=False)]
    courses.set_facets(store, question, own)
    done(store, jobs.enqueue(store, "grade", question))
    ids = [answer.id for answer in answers.list_answers(store, question)]
    decisions.decide(store, question, ids, PARTLY, "group")
    draft = [
        *(replace(facet, group="either", needed=1, required=True) for facet in get_own(store, question)),
        Facet("", "it vanishes", weight=0.0, deduction=1.0),
    ]
    seen = courses.get_question(store, question).facets_version
    done(store, rubrics.draft_rubric(store, question, draft, seen))
    return question, ids[0]


def get_own(store: Store, question: int) -> Sequence[Facet]:
    return courses.get_question(store, question).facets or ()


def done(store: Store, job: int) -> None:
    """Wait until the worker has done a job."""
    end = time.monotonic() + PATIENCE / 1000
    while (state := jobs.get_job(store, job).state) in ("waiting", "running") and time.monotonic() < end:
        time.sleep(0.1)
    assert state == "done"


def look_over(page: Page) -> list[str]:
    """Show a page in both ways, and say what is wrong with it."""
    page.wait_for_load_state()
    wrong: list[str] = []
    for scheme, size in (("light", WIDE), ("dark", NARROW)):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.set_viewport_size(size)
        if too_wide := overflow(page):
            wrong.append(f"{scheme}: {too_wide} pixels wider than the window")
        for one in AXE.run(page, options={"resultTypes": ["violations"]}).response["violations"]:
            if one["impact"] in SERIOUS:
                where = ", ".join(node["target"][0] for node in one["nodes"][:3])
                wrong.append(f"{scheme}: {one['help']} ({one['id']}: {where})")
    return wrong


def test_the_empty_first_page(page):
    page.goto("/")
    assert "Grade a class" in page.locator("h1").inner_text()
    assert look_over(page) == []


def test_the_pages(page, addresses):
    wrong = []
    for name, path in addresses.items():
        page.goto(path)
        page.locator(SHOWN.get(name, "h1")).first.wait_for()
        wrong += [f"{name}, {one}" for one in look_over(page)]
    assert wrong == []


def test_a_draft_and_what_goes_wrong_in_it(page, addresses):
    page.goto(addresses["question without answers"])
    page.locator("#answers-file").set_input_files(class_file())
    page.get_by_role("button", name="Preview the file").click()
    page.locator("#preview").wait_for()
    assert look_over(page) == []
    page.get_by_label("Id").select_option(label="remark")  # the same in every row
    page.locator(".message.error").wait_for()
    assert look_over(page) == []


def test_pages_that_are_not_there(page, watch):
    page.goto("/questions/4711")
    assert look_over(page) == []
    assert [one for one in watch.complaints if "404" not in one] == []
    watch.complaints.clear()
