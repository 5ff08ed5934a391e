"""The first labels: the proposed answers are labelled, then the class is graded."""

from __future__ import annotations

import re

import pytest

from postil.workbench.records import NewAnswer
from postil.workbench.store import answers, courses, decisions, jobs


@pytest.fixture
def proposed(store, question_id, ids):
    """The question with a proposal: b and d."""
    jobs.enqueue(store, "propose", question_id)
    held = jobs.lease_job(store, "test")
    jobs.set_phase(store, held, "reading", len(ids))
    jobs.finish(store, held, {"answers": [ids["d"], ids["b"]]})
    return question_id


def asked(page):
    """The answers that a page asks to label, in its order."""
    return list(dict.fromkeys(map(int, re.findall(r'name="label-(\d+)"', page))))


def test_opening_the_page_asks_for_a_proposal_once(browser, store, question_id):
    page = browser.get(f"/questions/{question_id}/start").text
    assert "Choosing the answers to label first" in page
    assert f'hx-get="/questions/{question_id}/progress"' in page
    assert "Skip this and grade now" in page
    browser.get(f"/questions/{question_id}/start")
    assert jobs.latest_job(store, question_id).id == 1


def test_the_proposed_answers_are_shown_with_five_labels_each(browser, proposed, ids):
    page = browser.get(f"/questions/{proposed}/start").text
    assert asked(page) == [ids["d"], ids["b"]]
    assert page.count('type="radio"') == 10
    assert "The path is closed." in page
    assert "Label these two" in page


def test_labels_are_kept_and_the_class_is_graded(browser, store, proposed, ids):
    shown = browser.post(f"/questions/{proposed}/start", **{f"label-{ids['b']}": "contradictory"})
    assert shown.url.path == f"/questions/{proposed}"
    assert "1 label saved" in shown.text
    (decision,) = decisions.current(store, proposed)
    assert (decision.answer_id, decision.label, decision.source) == (ids["b"], "contradictory", "start")
    assert jobs.latest_job(store, proposed).kind == "grade"
    # While it is being graded, there is nothing to start.
    assert browser.get(f"/questions/{proposed}/start").url.path == f"/questions/{proposed}"


def test_labels_for_a_class_that_is_graded_show_first_what_they_would_change(browser, store, graded, ids):
    shown = browser.post(f"/questions/{graded}/start", **{f"label-{ids['b']}": "correct"})
    assert shown.url.path == f"/questions/{graded}/changes"
    assert "1 label saved" in shown.text
    assert jobs.latest_job(store, graded).kind == "regrade"


def test_what_was_labelled_before_is_ticked_and_not_kept_twice(browser, store, proposed, ids):
    decisions.decide(store, proposed, [ids["b"]], "correct", "start")
    assert browser.get(f"/questions/{proposed}/start").text.count(" checked") == 1
    browser.post(f"/questions/{proposed}/start", **{f"label-{ids['b']}": "correct"})
    assert len(decisions.history(store, ids["b"])) == 1


def test_without_any_label_the_page_asks_again(browser, store, proposed):
    shown = browser.post(f"/questions/{proposed}/start")
    assert shown.url.path == f"/questions/{proposed}/start"
    assert "at least one answer" in shown.text
    assert jobs.latest_job(store, proposed).kind == "propose"


def test_other_labels_are_refused_and_nothing_is_kept(browser, store, proposed, ids):
    fields = {f"label-{ids['b']}": "correct", f"label-{ids['d']}": "good"}
    assert browser.post(f"/questions/{proposed}/start", **fields).status_code == 400
    assert decisions.current(store, proposed) == []


def test_new_answers_make_a_new_proposal(browser, store, proposed):
    answers.add_answers(store, proposed, [NewAnswer("e", "", "yes")])
    assert asked(browser.get(f"/questions/{proposed}/start").text) == []
    assert jobs.latest_job(store, proposed).state == "waiting"


def test_once_all_are_labelled_others_are_proposed(browser, store, proposed, ids):
    decisions.decide(store, proposed, [ids["b"], ids["d"]], "correct", "start")
    browser.get(f"/questions/{proposed}/start")
    assert jobs.latest_job(store, proposed).state == "waiting"


def test_a_deleted_answer_makes_a_new_proposal(browser, store, proposed, ids):
    answers.delete_answer(store, ids["b"])
    answers.add_answers(store, proposed, [NewAnswer("e", "", "yes")])
    browser.get(f"/questions/{proposed}/start")
    assert jobs.latest_job(store, proposed).state == "waiting"


def test_where_nothing_needs_a_label_the_class_can_be_graded_at_once(browser, store, question_id, ids):
    job = jobs.enqueue(store, "propose", question_id)
    held = jobs.lease_job(store, "test")
    jobs.set_phase(store, held, "reading", len(ids))
    jobs.finish(store, held, {"answers": []})
    assert "Nothing to label first" in browser.get(f"/questions/{question_id}/start").text
    assert jobs.latest_job(store, question_id).id == job


def test_a_failed_proposal_can_be_tried_again_or_skipped(browser, store, question_id):
    jobs.enqueue(store, "propose", question_id)
    held = jobs.lease_job(store, "test")
    jobs.fail(store, held, "no memory.")
    page = browser.get(f"/questions/{question_id}/start").text
    assert "no memory." in page
    assert "Skip this and grade now" in page
    browser.post(f"/questions/{question_id}/propose")
    assert jobs.latest_job(store, question_id).state == "waiting"


def test_without_answers_the_page_leads_to_where_some_are_added(browser, store, question_id, ids):
    for answer_id in ids.values():
        answers.delete_answer(store, answer_id)
    assert browser.get(f"/questions/{question_id}/start").url.path == f"/questions/{question_id}"


def test_a_number_without_end_is_no_answer(browser, proposed):
    page = browser.post(f"/questions/{proposed}/start", data={f"label-{'7' * 5000}": "correct"})
    assert page.status_code == 200
    assert "Label at least one answer" in page.text


@pytest.fixture
def second(store, question_id):
    """Another question of the course, with answers."""
    number = courses.create_question(store, 1, "Why is it dark?", ["The path is open."], 1)
    answers.add_answers(store, number, [NewAnswer(key, "", f"so {key}") for key in "abc"])
    return number


def do_proposal(store, question_id):
    """Do the waiting proposal of a question: its first two answers."""
    held = jobs.lease_job(store, "test")
    assert (held.kind, held.question_id) == ("propose", question_id)
    first = answers.list_answers(store, question_id)
    jobs.set_phase(store, held, "reading", len(first))
    jobs.finish(store, held, {"answers": [answer.id for answer in first[:2]]})
    return first[0].id


def test_the_course_leads_from_question_to_question(browser, store, question_id, second):
    assert 'href="/courses/1/label">Label the first answers' in browser.get("/courses/1").text
    shown = browser.get("/courses/1/label")
    assert shown.url.path == f"/questions/{question_id}/start"
    first = do_proposal(store, second)  # which was asked for before, so that nobody has to wait
    label = do_proposal(store, question_id)
    page = browser.get(f"/questions/{question_id}/start?walk=1").text
    assert "Save and go to the next question" in page
    assert "They also teach Postil" in page
    shown = browser.post(f"/questions/{question_id}/start", walk="1", **{f"label-{label}": "correct"})
    assert shown.url.path == f"/questions/{second}/start"
    assert "1 label on 1 other question of this course already shows Postil" in shown.text
    shown = browser.post(f"/questions/{second}/start", walk="1", **{f"label-{first}": "correct"})
    assert shown.url.path == "/courses/1"
    assert "That was the last question" in shown.text
    assert "Label the first answers" not in shown.text
    assert jobs.latest_job(store, second).kind == jobs.latest_job(store, question_id).kind == "grade"


def test_a_question_can_be_passed_over(browser, question_id, second):
    assert browser.get(f"/courses/1/label?after={question_id}").url.path == f"/questions/{second}/start"
    assert browser.get(f"/courses/1/label?after={second}").url.path == "/courses/1"


def test_where_all_have_labels_the_course_says_so(browser, store, question_id, ids):
    decisions.decide(store, question_id, [ids["a"]], "correct", "review")
    assert "Every question with answers has labels already" in browser.get("/courses/1/label").text
