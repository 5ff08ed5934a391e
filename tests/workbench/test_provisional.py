"""Grades given before anybody labelled an answer are provisional, and every page says so."""

from __future__ import annotations

import pytest
from classroom import run

from postil.workbench.store import decisions, jobs, judgements
from postil.workbench.store.courses import get_question
from postil.workbench.store.judgements import apply_changes, drop_changes

PAGES = ("", "/review", "/groups", "/trust", "/export", "/facets", "/changes")


@pytest.fixture
def judged_all(store, question_id, ids):
    """The question, graded without a label."""
    run(store, "grade", question_id, {})
    return question_id


def provisional(store, question_id):
    return get_question(store, question_id).provisional


def regrade(store, question_id, judged, label):
    """Grade again with the labels there are: all open answers get this label."""
    job = jobs.enqueue(store, "regrade", question_id)
    held = jobs.lease_job(store, "w")
    assert held.id == job
    missing = judgements.missing(store, held)
    judgements.save_judgements(store, held, [judged(id, label) for id in missing])
    jobs.finish(store, held, {"decided": len(decisions.teaching(store, question_id))})
    return job


def test_before_anything_is_graded_nothing_is_provisional(store, question_id):
    assert provisional(store, question_id) == 0
    assert get_question(store, question_id).unlabelled


def test_grades_without_a_label_are_provisional(store, judged_all):
    assert provisional(store, judged_all) == 4
    assert get_question(store, judged_all).unlabelled


def test_grades_that_heard_a_label_are_not(store, question_id, ids):
    decisions.decide(store, question_id, [ids["a"]], "correct", "start")
    assert not get_question(store, question_id).unlabelled
    run(store, "grade", question_id, {})
    assert provisional(store, question_id) == 0


def test_what_a_person_decides_is_not_provisional_but_the_others_stay_so(store, judged_all, ids):
    decisions.decide(store, judged_all, [ids["a"]], "correct", "review")
    assert provisional(store, judged_all) == 3
    decisions.pass_all(store, judged_all, [ids["b"], ids["c"], ids["d"]])
    assert provisional(store, judged_all) == 0


@pytest.mark.parametrize("end", [apply_changes, drop_changes])
def test_grading_again_with_labels_ends_it_once_a_person_has_seen_the_changes(
    store, judged_all, ids, judged, end
):
    decisions.decide(store, judged_all, [ids["a"]], "contradictory", "start")
    job = regrade(store, judged_all, judged, "contradictory")
    assert provisional(store, judged_all) == 3
    end(store, job)
    assert provisional(store, judged_all) == 0


def test_grading_again_ends_it_at_once_where_nothing_would_change(store, judged_all, ids, judged):
    decisions.decide(store, judged_all, [ids["a"]], "correct", "start")
    regrade(store, judged_all, judged, "correct")
    assert provisional(store, judged_all) == 0


@pytest.mark.parametrize("page", PAGES)
def test_every_page_says_so_and_leads_back_to_labelling(browser, judged_all, page):
    text = browser.get(f"/questions/{judged_all}{page}").text
    assert "4 grades are provisional" in text
    assert f'href="/questions/{judged_all}/start"' in text


def test_the_course_says_so_and_leads_back_to_labelling(browser, store, judged_all):
    text = browser.get("/courses/1").text
    assert "4 provisional" in text
    assert f'href="/questions/{judged_all}/start"' in text


@pytest.mark.parametrize("page", PAGES)
def test_no_page_says_so_where_labels_were_heard(browser, store, question_id, ids, page):
    decisions.decide(store, question_id, [ids["a"]], "correct", "start")
    run(store, "grade", question_id, {})
    assert "provisional" not in browser.get(f"/questions/{question_id}{page}").text
