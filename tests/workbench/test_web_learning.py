"""Grading again: nothing changes before the teacher says so, and what was decided never does."""

from __future__ import annotations

import pytest
from classroom import PARTLY, run

from postil.data.judgements import EXPRESSED, UNADDRESSED
from postil.data.questions import Facet
from postil.workbench.claims import Outcome
from postil.workbench.store import courses, decisions, jobs
from postil.workbench.store.answers import get_view


@pytest.fixture
def page(question_id):
    return f"/questions/{question_id}/changes"


def test_without_decisions_there_is_nothing_to_learn_from(browser, store, question_id, page):
    run(store, "grade", question_id, {})
    assert "Nothing to learn from yet" in browser.get(page).text
    answer = browser.post(f"/questions/{question_id}/regrade")
    assert "nothing to learn from yet" in answer.text
    assert jobs.latest_job(store, question_id, "regrade") is None


def test_grading_again_starts_a_job_and_shows_its_progress(browser, store, question_id, ids, page):
    run(store, "grade", question_id, {})
    decisions.decide(store, question_id, [ids["a"]], PARTLY, "review")
    assert "Grade the others again" in browser.get(page).text
    answer = browser.post(f"/questions/{question_id}/regrade")
    assert answer.url.path == page
    assert "<progress" in answer.text
    job = jobs.latest_job(store, question_id, "regrade")
    assert job is not None
    assert job.state == "waiting"


def test_changes_are_shown_and_nothing_has_changed(browser, store, question_id, ids, page):
    run(store, "grade", question_id, {})
    decisions.decide(store, question_id, [ids["a"]], PARTLY, "review")
    run(store, "regrade", question_id, {ids["b"]: ("contradictory", 0.8), ids["d"]: (PARTLY, 0.7)})
    text = browser.get(page).text
    assert "2 answers would change" in text
    assert "it is open" in text
    assert "100% &lt;b&gt;sure&lt;/b&gt;" in text
    assert "the path is closed</td>" not in text
    assert text.count("The answer says the same.") == 2
    assert get_view(store, ids["b"]).label == "correct"


def test_changes_can_be_looked_at_by_kind(browser, store, question_id, ids, page):
    run(store, "grade", question_id, {})
    decisions.decide(store, question_id, [ids["a"]], PARTLY, "review")
    run(store, "regrade", question_id, {ids["b"]: ("contradictory", 0.8), ids["d"]: (PARTLY, 0.7)})
    text = browser.get(f"{page}?kind=correct-contradictory").text
    assert "it is open" in text
    assert "sure&lt;/b&gt;" not in text
    assert "Apply all 2 changes" in text
    assert "sure&lt;/b&gt;" in browser.get(f"{page}?kind=nonsense").text


def test_applying_takes_over_what_is_undecided(browser, store, question_id, ids, page):
    run(store, "grade", question_id, {})
    decisions.decide(store, question_id, [ids["a"]], PARTLY, "review")
    job = run(store, "regrade", question_id, {ids["b"]: ("contradictory", 0.8), ids["d"]: (PARTLY, 0.7)})
    decisions.decide(store, question_id, [ids["d"]], "irrelevant", "review")  # while the page was open
    answer = browser.post(f"{page}/apply", job=job)
    assert answer.url.path == f"/questions/{question_id}"
    assert get_view(store, ids["b"]).label == "contradictory"
    assert get_view(store, ids["a"]).label == PARTLY
    assert get_view(store, ids["d"]).label == "irrelevant"
    assert "Applied 1 change." in answer.text
    assert "The changes have been applied" in browser.get(page).text


def test_keeping_everything_changes_nothing(browser, store, question_id, ids, page):
    run(store, "grade", question_id, {})
    decisions.decide(store, question_id, [ids["a"]], PARTLY, "review")
    job = run(store, "regrade", question_id, {ids["b"]: ("contradictory", 0.8)})
    assert "Everything was left as it was." in browser.post(f"{page}/drop", job=job).text
    assert get_view(store, ids["b"]).label == "correct"
    assert "Everything was left as it was" in browser.get(page).text


def test_changes_of_an_older_page_are_not_applied(browser, store, question_id, ids, page):
    run(store, "grade", question_id, {})
    decisions.decide(store, question_id, [ids["a"]], PARTLY, "review")
    old = run(store, "regrade", question_id, {ids["b"]: ("contradictory", 0.8)})
    run(store, "regrade", question_id, {ids["b"]: ("irrelevant", 0.8)})
    assert "out of date" in browser.post(f"{page}/apply", job=old).text
    assert get_view(store, ids["b"]).label == "correct"


def test_where_nothing_would_change_this_is_said(browser, store, question_id, ids, page):
    run(store, "grade", question_id, {})
    decisions.decide(store, question_id, [ids["a"]], "correct", "accepted")
    run(store, "regrade", question_id, {})
    text = browser.get(page).text
    assert "Nothing would change" in text
    assert "Even with your decision" in text
    assert f'action="/questions/{question_id}/regrade"' in text
    decisions.decide(store, question_id, [ids["b"]], "correct", "accepted")
    text = browser.get(page).text
    assert "Even with your decision" in text
    assert "decided 1 more answer" in text


def test_what_passed_without_a_look_is_nothing_to_learn_from(browser, store, question_id, ids, page):
    run(store, "grade", question_id, {})
    decisions.pass_all(store, question_id, list(ids.values()))
    assert "can teach" not in browser.get(f"/questions/{question_id}").text
    assert "Nothing to learn from yet" in browser.get(page).text
    browser.post(f"/questions/{question_id}/regrade")
    assert jobs.latest_job(store, question_id, "regrade") is None


def test_a_job_that_failed_says_why(browser, store, question_id, ids, page):
    run(store, "grade", question_id, {})
    decisions.decide(store, question_id, [ids["a"]], "correct", "review")
    jobs.enqueue(store, "regrade", question_id)
    held = jobs.lease_job(store, "test")
    jobs.fail(store, held, "the grader is gone.")
    assert "the grader is gone." in browser.get(page).text


def test_points_that_would_change_follow_what_the_answers_say(browser, store, question_id, ids, page):
    courses.set_facets(store, question_id, [Facet("", "path"), Facet("", "closed", weight=3.0)])
    found = (Outcome("1", "path", EXPRESSED, 0.9), Outcome("2", "closed", UNADDRESSED, 0.9))
    run(store, "grade", question_id, {ids["b"]: ("contradictory", 0.8)})
    decisions.decide(store, question_id, [ids["a"]], PARTLY, "review")
    run(store, "regrade", question_id, {ids["b"]: (PARTLY, 0.8)}, facets=found)
    text = browser.get(page).text
    assert '<span class="was">0</span>' in text
    assert "0.50<span" in text
