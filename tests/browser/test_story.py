"""One teacher, one class, one evening: from the empty first page to the exported files, in a real browser."""

from __future__ import annotations

import csv
import io
import re
import sqlite3
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from openpyxl import load_workbook
from playwright.sync_api import Page, Route, expect
from walking import (
    ANSWERS,
    FORMULA,
    PATIENCE,
    QUESTION,
    REFERENCES,
    class_file,
    make_course,
    make_question,
    path_of,
    press,
    told,
)


@pytest.mark.slow
def test_a_teacher_grades_a_class(page, workbench):
    page.goto("/")
    expect(page.locator("h1")).to_have_text("Grade a class’s short answers")
    course = make_course(page, "Earth science 7b")
    question = make_question(page, course, QUESTION, "\n".join(REFERENCES), "2")
    bring(page)
    label_first(page)
    filters(page)
    decided = review(page, question)
    grouped = group(page, question)
    learn(page, question, decided)
    trust(page, question)
    export(page, question, decided, grouped)
    report(page, question)
    delete(page, course, workbench.database)


def bring(page: Page) -> None:
    """Upload the class, say which column holds the answers, and see it before it is stored."""
    page.locator("#answers-file").set_input_files(class_file())
    page.get_by_role("button", name="Preview the file").click()
    expect(page.locator("h1")).to_have_text("Does this look right?")
    # The longest column is taken for the answers; somebody knows better, and the preview follows.
    expect(page.get_by_label("Answer", exact=True)).to_have_value("3")
    page.get_by_label("Answer", exact=True).select_option(label="what they wrote")
    expect(page.locator("th.taken", has_text="what they wrote")).to_contain_text("Answer")
    page.get_by_label("Id").select_option(label="ref")
    expect(page.locator("th.taken", has_text="ref")).to_contain_text("Id")
    expect(page.locator("td.as-answer").first).to_have_text(ANSWERS[0])
    page.get_by_role("button", name="Add 40 answers").click()
    told(page, "40 answers added.")


def upload(page: Page, course: str) -> None:
    """A class's file in a new course, and its preview."""
    page.goto("/")
    make_question(page, make_course(page, course), QUESTION, "\n".join(REFERENCES), "2")
    page.locator("#answers-file").set_input_files(class_file())
    page.get_by_role("button", name="Preview the file").click(no_wait_after=True)
    expect(page.locator("h1")).to_have_text("Does this look right?")


def test_a_column_chosen_before_the_scripts_are_there_is_kept(page):
    held: list[Route] = []
    page.route(
        "**/htmx.min.js*",
        lambda route: held.append(route) if "/drafts/" in page.url else route.continue_(),
    )
    upload(page, "Quicker than the line")
    page.get_by_label("Answer", exact=True).select_option(label="what they wrote")
    expect(page.locator("th.taken", has_text="what they wrote")).to_have_count(0)
    for route in held:
        route.continue_()
    assert held
    expect(page.locator("th.taken", has_text="what they wrote")).to_contain_text("Answer")


def test_two_columns_chosen_in_one_breath_are_both_kept(page, watch):
    upload(page, "Quick hands")
    # The second choice is made while the first is on its way, before anything was drawn anew.
    page.evaluate("""() => {
      for (const [role, place] of [["answer", "2"], ["id", "0"]]) {
        const select = document.getElementById(`role-${role}`);
        select.value = place;
        select.dispatchEvent(new Event("change", {bubbles: true}));
      }
    }""")
    expect(page.locator("th.taken", has_text="ref")).to_contain_text("Id")
    expect(page.locator("th.taken", has_text="what they wrote")).to_contain_text("Answer")
    # And a third in the moment in which they are.
    page.evaluate("""() => {
      const preview = document.getElementById("preview");
      const drawn = new MutationObserver(() => {
        drawn.disconnect();
        const select = document.getElementById("role-student");
        select.value = "";
        select.dispatchEvent(new Event("change", {bubbles: true}));
      });
      drawn.observe(preview, {childList: true});
      const select = document.getElementById("role-id");
      select.value = "";
      select.dispatchEvent(new Event("change", {bubbles: true}));
    }""")
    expect(page.locator("th.taken")).to_have_count(1)
    # htmx tells the console of the request that it took back, and that is all.
    assert {complaint.split(",")[0] for complaint in watch.complaints} <= {
        "error: htmx:afterRequest",
        "error: htmx:sendAbort",
    }
    watch.complaints.clear()


def label_first(page: Page) -> None:
    """Label the proposed answers by keys; the class is graded meanwhile, and the page shows how far it is."""
    page.get_by_role("link", name="Label four answers first").click()
    expect(page.locator("#job")).to_contain_text("Choosing the answers")
    page.locator("#start").wait_for(timeout=PATIENCE)
    asked = page.locator(".start-answer")
    expect(asked).to_have_count(4)
    expect(asked.first).to_be_focused()
    for key in ("1", "2", "2", "2"):
        page.keyboard.press(key)
    expect(page.locator("#start input:checked")).to_have_count(4)
    button = page.get_by_role("button", name="Save and grade the class")
    expect(button).to_be_focused()
    page.keyboard.press("Enter")
    told(page, "4 labels saved.")
    expect(page.locator("#job progress")).to_be_visible()
    expect(page.locator(".progress-words")).to_contain_text("Grading the class")
    page.locator("table.answers .meter").first.wait_for(timeout=PATIENCE)


def filters(page: Page) -> None:
    """The table shows everybody, the doubtful first; chips, label and search narrow it without a reload."""
    rows = page.locator("table.answers tbody tr")
    expect(rows).to_have_count(len(ANSWERS))
    expect(page.locator(".chips label", has_text="All")).to_contain_text("40")
    doubtful = page.locator("table.answers tbody tr.doubtful").count()
    marked = [one.get_attribute("class") == "doubtful" for one in rows.all()]
    assert doubtful
    assert marked == sorted(marked, reverse=True)
    page.evaluate("window.here = true")
    page.get_by_role("radio", name="Needs your look").check()
    expect(rows).to_have_count(doubtful)
    page.get_by_role("radio", name="Decided 4").check()
    expect(rows).to_have_count(4)
    page.get_by_role("radio", name="All").check()
    page.get_by_role("searchbox", name="Search").press_sequentially("turns to ice")
    expect(rows).to_have_count(1)
    assert "search=turns" in page.url
    page.get_by_role("searchbox", name="Search").fill("")
    page.locator("select[name=label]").select_option(label="not an answer")
    expect(rows.first.locator(".badge")).to_have_text(re.compile("not an answer"))
    for row in rows.all():
        expect(row.locator(".badge")).to_contain_text("not an answer")
    page.locator("select[name=label]").select_option(label="any")
    page.get_by_role("radio", name="Undecided").check()
    expect(rows).to_have_count(len(ANSWERS) - 4)
    assert page.evaluate("window.here")


def review(page: Page, question: str) -> str:
    """Decide by keys, move, take back; returns the name of a pupil whose label is the teacher's own."""
    page.get_by_role("link", name="Review these one at a time").click()
    page.get_by_text("How the phrases match").click()  # one click away
    expect(page.get_by_role("region", name="Matching phrases of the answer")).to_be_visible()
    page.wait_for_load_state()
    first = path_of(page)
    pupil = page.locator(".review-grid h2").first.inner_text().split("\n")[-1]
    said = page.locator(".verdict .badge").inner_text()
    key, label = ("3", "contradicts") if "contradicts" not in said else ("1", "correct")
    press(page, key)
    told(page, f"{pupil}: {label}.")
    second = path_of(page)
    press(page, "Enter")  # agreed
    third = path_of(page)
    assert len({first, second, third}) == 3
    press(page, "ArrowLeft")
    assert path_of(page) == second
    expect(page.locator(".history")).to_contain_text("accepted by you")
    press(page, "u")
    told(page, "Undone")
    expect(page.locator(".history .undone")).to_have_count(1)
    for _ in range(2):
        press(page, "ArrowRight")
    for key in ("2", "4", "5"):
        press(page, key)
    page.goto(f"{first}")
    expect(page.locator(".deciding h2").first).to_have_text("Your label")
    expect(page.locator(".deciding [aria-pressed]")).to_contain_text(label)
    page.goto(f"{question}?state=differs")
    expect(page.locator("tr", has=page.get_by_role("link", name=pupil, exact=True))).to_contain_text(label)
    return pupil


def group(page: Page, question: str) -> list[str]:
    """Give one label to a group, after a look at who is in it; returns their names."""
    page.goto(question)
    page.get_by_role("link", name="Groups").click()
    one = page.locator(".group", has=page.get_by_text("dries up")).first
    one.get_by_text("leave some out").click()
    members = one.locator(".members li")
    expect(members.last).to_be_visible()
    for member in members.all():
        member.get_by_role("checkbox").check()
    names = [member.locator(".who").inner_text() for member in members.all()]
    assert len(names) >= 3
    # Not what the grader says of them: so there is something to learn about what is nearly the same.
    one.get_by_role("button", name="off the point").click()
    told(page, f"{len(names)} answers decided together: off the point.")
    expect(one).to_contain_text("all decided by you")
    return names


def learn(page: Page, question: str, decided: str) -> None:
    """Have the rest graded again: what would change is shown first, and the teacher's own labels stay."""
    page.goto(f"{question}?state=decided")
    labels = page.locator("table.answers tbody tr").all_inner_texts()
    page.get_by_role("button", name="Grade the others again").click()
    expect(page.locator("#job progress")).to_be_visible()
    page.locator(".changes-head").wait_for(timeout=PATIENCE)
    changed = page.locator("table.changes tbody tr")
    assert changed.count()
    expect(changed.filter(has=page.get_by_role("link", name=decided, exact=True))).to_have_count(0)
    relabelled = changed.filter(has=page.locator(".arrow + .visually-hidden + .badge")).first
    expect(relabelled).to_be_visible()
    name = relabelled.locator(".who").inner_text()
    before, after = relabelled.locator(".badge .sign").all_inner_texts()
    assert before != after
    page.goto(question)
    row = page.locator("table.answers tr", has=page.get_by_role("link", name=name, exact=True))
    expect(row.locator(".badge .sign")).to_have_text(before)
    page.get_by_role("link", name="see what would change").click()
    page.get_by_role("button", name=re.compile("^Apply")).click()
    told(page, "Your own decisions stayed as they were.")
    expect(row.locator(".badge .sign")).to_have_text(after)
    page.goto(f"{question}?state=decided")
    assert [text.split("\n")[:3] for text in page.locator("table.answers tbody tr").all_inner_texts()] == [
        text.split("\n")[:3] for text in labels
    ]


def trust(page: Page, question: str) -> None:
    """The page that says how far to trust: agreement in numbers, labels as bars, and what could pass."""
    page.goto(question)
    page.get_by_role("link", name="Trust").click()
    expect(page.locator(".figures")).to_contain_text("Same label")
    expect(page.locator(".figures")).to_contain_text(re.compile(r"\d+ of \d+; the true figure"))
    expect(page.get_by_text("Postil’s labels")).to_be_visible()
    strict = int(page.locator(".big").inner_text())
    page.get_by_label("Skip if Postil is right at least").select_option(index=0)
    page.get_by_role("button", name="Show").click()
    assert int(page.locator(".big").inner_text()) >= strict


def export(page: Page, question: str, decided: str, grouped: list[str]) -> None:
    """Take the grades away; formulas in answers are harmless, and the teacher's labels count."""
    page.goto(question)
    page.get_by_role("link", name="Export").click()
    table = list(csv.DictReader(io.StringIO(download(page, "CSV").decode("utf-8-sig"))))
    assert [row["key"] for row in table] == [f"p{n:02}" for n in range(1, len(ANSWERS) + 1)]
    assert table[ANSWERS.index(FORMULA)]["answer"] == f"'{FORMULA}"
    assert table[-1]["answer"] == f"'{ANSWERS[-1]}"
    by_name = {row["student"]: row for row in table}
    assert by_name[decided]["decided by"] == "teacher"
    assert by_name[decided]["label"] in ("contradicts", "correct")
    assert {by_name[name]["label"] for name in grouped} == {"off the point"}

    sheet = load_workbook(io.BytesIO(download(page, "Workbook (XLSX)"))).active
    cells = {row[1].value: row for row in sheet.iter_rows(min_row=2)}
    assert cells[decided][3].value == by_name[decided]["label"]
    assert all(cell.data_type != "f" for row in cells.values() for cell in row)

    grades = list(csv.DictReader(io.StringIO(download(page, "Grade file (CSV)").decode())))
    assert list(grades[0]) == ["Username", "Grade", "Feedback"]
    assert [row["Username"] for row in grades] == [row["key"] for row in table]
    assert [row["Grade"] for row in grades] == [row["points"] for row in table]
    assert all(row["Feedback"] and row["Feedback"][0] not in "=+-@" for row in grades)


def download(page: Page, button: str) -> bytes:
    """What the browser gets when a button of the export page is pressed."""
    with page.expect_download() as started:
        page.locator("#main").get_by_role("button", name=button, exact=True).click()
    return Path(started.value.path()).read_bytes()


def report(page: Page, question: str) -> None:
    """The report opens beside the workbench, ready to print."""
    page.goto(f"{question}/export")
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Open report").click()
    paper = opened.value
    expect(paper.locator("body")).to_contain_text(QUESTION)
    expect(paper.locator("body")).to_contain_text("the teacher decided")
    expect(paper.locator("body")).to_contain_text(FORMULA)
    assert urlsplit(paper.url).path == f"{question}/report"
    paper.close()


def delete(page: Page, course: str, database: Path) -> None:
    """A course goes with everything in it."""
    page.goto(course)
    page.get_by_text("Rename or delete this course").click()
    page.get_by_text("Delete this course…").click()
    page.get_by_role("button", name="Delete permanently").click()
    expect(page.locator("h1")).to_have_text("Grade a class’s short answers")
    connection = sqlite3.connect(database)
    tables = ("course", "question", "answer", "job", "judgement", "proposal", "decision")
    left = {table: connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables}  # noqa: S608
    connection.close()
    assert left == dict.fromkeys(tables, 0)
