"""The question's page: the answers in a table, filters, pages, and the progress of grading."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from classroom import run
from sqlalchemy import update

from postil.workbench.records import NewAnswer
from postil.workbench.store import answers, courses, decisions, jobs
from postil.workbench.store.jobs import leave, show_life
from postil.workbench.store.tables import JobRow, now


def names(text):
    """Whose answers a table shows, in its order."""
    return re.findall(r'class="who"><a href="/answers/\d+[^"]*">([^<]*)<', text)


def test_a_question_without_answers_shows_how_to_add_some(browser, store):
    course = courses.create_course(store, "Physics")
    question = courses.create_question(store, course, "Why?", ["Because."], 1)
    page = browser.get(f"/questions/{question}").text
    assert "Upload a file" in page
    assert 'class="tabs"' not in page


def test_before_grading_the_next_step_is_to_label_some(browser, question_id):
    page = browser.get(f"/questions/{question_id}").text
    assert f'href="/questions/{question_id}/start"' in page
    assert f'action="/questions/{question_id}/grade"' in page
    assert page.count("not graded") == 4
    assert 'role="search"' not in page


def test_grading_starts_a_job_whose_progress_survives_a_reload(browser, store, question_id):
    page = browser.post(f"/questions/{question_id}/grade")
    assert page.url.path == f"/questions/{question_id}"
    assert f'hx-get="/questions/{question_id}/progress"' in page.text
    assert "<progress" in browser.get(f"/questions/{question_id}").text
    assert "Label four answers first" not in page.text
    browser.post(f"/questions/{question_id}/grade")
    assert jobs.latest_job(store, question_id).id == 1


def test_progress_tells_how_far_it_is_and_reloads_the_page_at_the_end(browser, store, question_id):
    jobs.enqueue(store, "grade", question_id)
    held = jobs.lease_job(store, "test")
    jobs.set_phase(store, held, "explaining", 4)
    told = browser.get(f"/questions/{question_id}/progress")
    assert "writing the notes" in told.text
    assert "HX-Refresh" not in told.headers
    jobs.finish(store, held, {})
    assert browser.get(f"/questions/{question_id}/progress").headers["HX-Refresh"] == "true"


def test_where_no_worker_is_the_page_says_so(browser, store, question_id):
    """A page does not wait for ever without a message; but not at once, as a worker may just be starting."""
    words = "no worker is running"
    path = f"/questions/{question_id}"
    jobs.enqueue(store, "grade", question_id)
    jobs.enqueue(store, "facets", question_id)
    assert words not in browser.get(path).text
    assert 'hx-get="' + path + '/facets/progress"' in browser.get(f"{path}/facets").text
    with store.writing() as session:
        session.execute(update(JobRow).values(created=now() - timedelta(seconds=30)))
    for page in (browser.get(path), browser.get(f"{path}/progress")):
        assert words in page.text
        assert "postil worker" in page.text
        assert "HX-Refresh" not in page.headers
    assert browser.get(f"{path}/facets/progress").headers["HX-Refresh"] == "true"
    assert "/facets/progress" not in browser.get(f"{path}/facets").text
    show_life(store, "w")
    assert words not in browser.get(path).text
    leave(store, "w")
    assert words in browser.get(path).text
    while (held := jobs.lease_job(store, "w")) is not None:  # it gives a sign of life now, but not for long
        assert held.kind in ("facets", "grade")
    assert words not in browser.get(path).text
    with store.writing() as session:
        session.execute(update(JobRow).values(heartbeat=now() - timedelta(seconds=30)))
    assert words in browser.get(path).text


def test_a_failed_job_says_why_and_can_be_tried_again(browser, store, question_id):
    jobs.enqueue(store, "grade", question_id)
    held = jobs.lease_job(store, "test")
    jobs.fail(store, held, "the disk is <full>.")
    page = browser.get(f"/questions/{question_id}").text
    assert "the disk is &lt;full&gt;." in page
    assert "Try again" in page


def test_the_table_shows_label_confidence_points_and_reason(browser, graded):
    page = browser.get(f"/questions/{graded}").text
    assert names(page) == ["Pupil D", "Pupil C", "Pupil A", "Pupil B"]  # the doubtful first
    assert "It says “open”." in page
    assert "needs your look" in page
    assert '>2<span class="of"> / 2</span>' in page
    assert "80%" in page
    assert "100% &lt;b&gt;sure&lt;/b&gt;" in page
    assert "1 answer not graded yet" in page


def test_a_decision_wins_over_the_machine_in_the_table(browser, store, graded, ids):
    decisions.decide(store, graded, [ids["a"]], "contradictory", "review")
    page = browser.get(f"/questions/{graded}?state=decided").text
    assert names(page) == ["Pupil A"]
    assert "Postil: correct" in page
    assert "You decided this." in page


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("state=doubtful", ["Pupil D", "Pupil C"]),
        ("label=contradictory", ["Pupil B"]),
        ("search=CLOSED", ["Pupil A"]),
        ("search=pupil+b", ["Pupil B"]),
        ("search=%25", ["Pupil D"]),
        ("order=place", ["Pupil A", "Pupil B", "Pupil C", "Pupil D"]),
        ("state=unheard&label=of&order=this", ["Pupil D", "Pupil C", "Pupil A", "Pupil B"]),
    ],
)
def test_filters(browser, graded, query, found):
    page = browser.get(f"/questions/{graded}/rows?{query}")
    assert names(page.text) == found
    assert "<html" not in page.text


def test_a_filter_is_kept_in_the_address_and_in_the_links_to_answers(browser, graded):
    page = browser.get(f"/questions/{graded}/rows?state=doubtful&order=doubtful&label=&search=")
    assert page.headers["HX-Replace-Url"] == f"/questions/{graded}?state=doubtful"
    assert f'href="/questions/{graded}/review?state=doubtful"' in page.text
    assert re.search(r'href="/answers/\d+\?state=doubtful"', page.text)


def test_a_filter_that_nothing_fits_says_so(browser, graded):
    assert "No answers match this filter" in browser.get(f"/questions/{graded}?search=zebra").text


def test_a_large_class_is_shown_by_fifties(browser, store, question_id):
    more = [NewAnswer(f"n{number}", "", "yes") for number in range(98)]
    answers.add_answers(store, question_id, more)
    run(store, "grade", question_id, {})
    first = browser.get(f"/questions/{question_id}?order=place").text
    assert len(names(first)) == 50
    assert "1–50 of 102 answers" in first
    assert f"/questions/{question_id}/rows?order=place&amp;page=2" in first
    last = browser.get(f"/questions/{question_id}?order=place&page=3").text
    assert names(last) == ["n96", "n97"]
    assert names(browser.get(f"/questions/{question_id}?order=place&page=99").text) == ["n96", "n97"]


def test_decisions_can_be_learned_from_and_what_would_change_is_announced(browser, store, graded, ids):
    assert "Grade the others again" not in browser.get(f"/questions/{graded}").text
    decisions.decide(store, graded, [ids["a"]], "contradictory", "review")
    assert "Grade the others again" in browser.get(f"/questions/{graded}").text
    run(store, "regrade", graded, {})
    page = browser.get(f"/questions/{graded}").text
    assert f'href="/questions/{graded}/changes"' in page
    assert "Grade the others again" not in page


def test_after_a_regrade_that_changed_nothing_new_decisions_can_teach_again(browser, store, graded, ids):
    page = f"/questions/{graded}"
    decisions.decide(store, graded, [ids["a"]], "correct", "review")
    run(store, "regrade", graded, {ids["b"]: ("contradictory", 0.9), ids["c"]: ("correct", 0.9)})
    assert ">see what would change</a>" in browser.get(page).text
    decisions.decide(store, graded, [ids["c"]], "irrelevant", "review")  # the only one that would change
    text = browser.get(page).text
    assert ">see what would change</a>" not in text
    assert "1 new decision of yours" in text
    run(store, "regrade", graded, {ids["b"]: ("contradictory", 0.9)})
    text = browser.get(page).text
    assert "nothing would change" in text
    assert "Grade the others again" not in text


def test_a_question_that_is_not_there(browser):
    assert "does not exist" in browser.get("/questions/77", status=404).text
