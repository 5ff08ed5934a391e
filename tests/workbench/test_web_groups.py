"""Groups of similar answers: one decision for all that are ticked."""

from __future__ import annotations

import re

import pytest
from classroom import run

from postil.workbench.records import NewAnswer
from postil.workbench.store import answers, decisions
from postil.workbench.store.answers import get_view


@pytest.fixture
def grouped(store, question_id, ids):
    """The question, judged, with a group of three (7) and one of a single answer (8)."""
    run(store, "grade", question_id, {ids["b"]: ("contradictory", 0.7)})
    answers.set_groups(store, question_id, {ids["a"]: 7, ids["b"]: 7, ids["c"]: 7, ids["d"]: 8})
    return question_id


def boxes(page):
    """The members' checkboxes: the number of the answer, and whether it is ticked."""
    found = re.findall(r'<input type="checkbox" name="answer" value="(\d+)"( checked)?', page)
    return {int(number): bool(ticked) for number, ticked in found}


def decide(browser, question_id, ids, **fields):
    """Press one of the buttons of the group of three, as the page shows it."""
    usual = {"label": "correct", "first": ids["a"], "size": 3}
    return browser.post(f"/questions/{question_id}/groups/7/decide", **{**usual, **fields})


def test_before_grading_there_are_no_groups(browser, question_id):
    assert "when the class is graded" in browser.get(f"/questions/{question_id}/groups").text


def test_answers_that_are_all_different_have_no_groups(browser, store, question_id):
    run(store, "grade", question_id, {})
    assert "No two answers" in browser.get(f"/questions/{question_id}/groups").text


def test_a_group_shows_its_members_and_the_single_answer_is_left_out(browser, grouped, ids):
    page = browser.get(f"/questions/{grouped}/groups").text
    assert "3 answers" in page
    assert "Postil’s" in page
    assert f'hx-get="/questions/{grouped}/groups/7"' in page
    assert "/groups/8" not in page
    assert boxes(page) == {}  # a group may be half of a class: its members come when asked for
    members = browser.get(f"/questions/{grouped}/groups/7").text
    assert boxes(members) == {ids["a"]: True, ids["b"]: True, ids["c"]: True}
    assert "<html" not in members
    assert "no longer exists" in browser.get(f"/questions/{grouped}/groups/99", status=404).text


def test_the_largest_group_comes_first(browser, store, grouped, ids):
    answers.add_answers(store, grouped, [NewAnswer("e", "", "yes")])
    (new,) = (answer.id for answer in answers.list_answers(store, grouped) if answer.key == "e")
    answers.set_groups(store, grouped, {new: 8})
    page = browser.get(f"/questions/{grouped}/groups").text
    assert re.findall(r'id="group-(\d)"', page) == ["7", "8"]
    answers.set_groups(store, grouped, {ids["a"]: 8})
    page = browser.get(f"/questions/{grouped}/groups").text
    assert re.findall(r'id="group-(\d)"', page) == ["8", "7"]


def test_one_decision_for_those_that_are_ticked(browser, store, grouped, ids):
    shown = decide(browser, grouped, ids, listed=True, answer=[ids["a"], ids["b"]])
    assert shown.url.path == f"/questions/{grouped}/groups"
    assert "2 answers decided together: correct." in shown.text
    decided = {one.answer_id: one for one in decisions.current(store, grouped)}
    assert set(decided) == {ids["a"], ids["b"]}
    assert {one.source for one in decided.values()} == {"group"}
    # What is decided is not decided again by the way.
    members = browser.get(f"/questions/{grouped}/groups/7").text
    assert boxes(members) == {ids["a"]: False, ids["b"]: False, ids["c"]: True}


def test_without_a_look_at_its_members_the_undecided_of_a_group_are_decided(browser, store, grouped, ids):
    decisions.decide(store, grouped, [ids["a"]], "irrelevant", "review")
    assert "2 answers decided together" in decide(browser, grouped, ids).text
    decided = {one.answer_id: one.label for one in decisions.current(store, grouped)}
    assert decided == {ids["a"]: "irrelevant", ids["b"]: "correct", ids["c"]: "correct"}
    # Where all are decided, another decision is about all of them.
    assert "3 answers decided together" in decide(browser, grouped, ids).text


def test_a_group_that_has_changed_since_it_was_seen_is_not_decided(browser, store, grouped, ids):
    answers.set_groups(store, grouped, {ids["d"]: 7})
    assert "The groups have changed" in decide(browser, grouped, ids).text
    answers.set_groups(store, grouped, {ids["a"]: 8})
    assert "The groups have changed" in decide(browser, grouped, ids).text
    assert decisions.current(store, grouped) == []


def test_a_groups_decision_is_undone_in_one_step(browser, store, grouped, ids):
    decide(browser, grouped, ids, listed=True, answer=[ids["a"], ids["b"]])
    shown = browser.post(f"/questions/{grouped}/undo?shown=groups")
    assert shown.url.path == f"/questions/{grouped}/groups"
    assert "for 2 answers" in shown.text
    assert decisions.current(store, grouped) == []


def test_answers_of_other_groups_are_not_touched(browser, store, grouped, ids):
    shown = decide(browser, grouped, ids, listed=True, answer=[ids["d"]])
    assert "nothing was decided" in shown.text
    assert get_view(store, ids["d"]).decision is None
    assert "nothing was decided" in decide(browser, grouped, ids, listed=True).text


def test_other_labels_are_refused(browser, store, grouped, ids):
    refused = decide(browser, grouped, ids, label="good")
    assert refused.status_code == 400
    assert decisions.current(store, grouped) == []
