"""The trust page: it shows its figures, and says where there are too few decisions."""

from __future__ import annotations

import re

import pytest
from classroom import PARTLY, run

from postil.workbench.records import NewAnswer
from postil.workbench.store import answers, decisions
from postil.workbench.store.answers import get_view, list_answers


@pytest.fixture
def page(question_id):
    return f"/questions/{question_id}/trust"


@pytest.fixture
def many(store, question_id):
    """Forty more answers, graded with rising confidence."""
    new = [NewAnswer(f"n{n}", "", f"answer {n}") for n in range(40)]
    answers.add_answers(store, question_id, new)
    ids = [answer.id for answer in list_answers(store, question_id)]
    run(store, "grade", question_id, {id: ("correct", 0.55 + n / 100) for n, id in enumerate(ids)})
    return ids


def test_before_anything_is_graded(browser, page):
    assert "Nothing to compare yet" in browser.get(page).text


def test_without_decisions_only_labels_and_what_could_pass(browser, store, question_id, page):
    run(store, "grade", question_id, {})
    text = browser.get(page).text
    assert "Nothing to compare yet" in text
    assert "Postil’s labels" in text
    assert "Kappa" not in text
    assert "on answers to other questions" in text


def test_few_decisions_are_called_few(browser, store, question_id, many, page):
    for id in many[:6]:
        decisions.decide(store, question_id, [id], "correct", "accepted")
    text = browser.get(page).text
    assert "not much to go on" in text
    assert "All were accepted" in text
    assert "reliability-title" not in text


def test_enough_decisions_give_kappa_diagram_and_an_own_threshold(browser, store, question_id, many, page):
    for place, id in enumerate(many[:24]):
        decisions.decide(store, question_id, [id], "correct" if place % 6 else PARTLY, "review")
    text = browser.get(f"{page}?accuracy=80").text
    assert "20 of 24" in text
    assert "reliability-title" in text
    assert "on your 24 decisions" in text
    assert '<option value="80" selected>' in text
    assert "can be skipped" in text


def test_an_accuracy_that_nothing_reaches_is_said_so(browser, store, question_id, many, page):
    for id in many[:24]:
        decisions.decide(store, question_id, [id], PARTLY, "review")
    assert "Choose a lower figure, or decide more answers." in browser.get(f"{page}?accuracy=99").text


def test_strange_accuracies_are_brought_into_range(browser, store, question_id, page):
    run(store, "grade", question_id, {})
    assert '<option value="99" selected>' in browser.get(f"{page}?accuracy=500").text
    assert '<option value="80" selected>' in browser.get(f"{page}?accuracy=-1").text


def test_pictures_keep_to_the_policy(browser, store, question_id, many, page):
    for id in many[:12]:
        decisions.decide(store, question_id, [id], "correct", "review")
    text = browser.get(page).text
    assert "<svg" in text
    assert "style=" not in text


def offered(text):
    """What the button that accepts would send."""
    return {
        name: int(re.search(rf'<input type="hidden" name="{name}" value="(\d+)"', text)[1])
        for name in ("accuracy", "count")
    }


def test_what_could_pass_is_accepted_and_taken_back_in_one_step(browser, store, question_id, many, page):
    sent = offered(browser.get(f"{page}?accuracy=85").text)
    assert sent["accuracy"] == 85
    assert 0 < sent["count"] < len(many)
    shown = browser.post(f"/questions/{question_id}/accept", **sent)
    assert shown.url.path == page
    assert f"Accepted {sent['count']} answers without reviewing each one." in shown.text
    made = decisions.current(store, question_id)
    assert len(made) == sent["count"]
    assert {(one.source, one.label) for one in made} == {("passed", "correct")}
    least = min(get_view(store, one.answer_id).judged.confidence for one in made)
    assert least > 0.6  # the surest
    # Nobody looked at them, so they say nothing about how good the machine is.
    assert "Nothing to compare yet" in shown.text
    assert "shown=trust" in shown.text
    shown = browser.post(f"/questions/{question_id}/undo?shown=trust")
    assert shown.url.path == page
    assert f"Undone: {sent['count']} answers accepted without a look." in shown.text
    assert decisions.current(store, question_id) == []


def test_nothing_else_is_accepted_than_the_page_said(browser, store, question_id, many, page):
    sent = offered(browser.get(page).text)
    decisions.decide(store, question_id, [many[-1]], "correct", "review")
    shown = browser.post(f"/questions/{question_id}/accept", **sent)
    assert "nothing was accepted" in shown.text
    assert len(decisions.current(store, question_id)) == 1
    assert browser.post(f"/questions/{question_id}/accept", accuracy=1, count=1).status_code == 422
