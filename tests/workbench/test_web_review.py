"""Review: one answer at a time, a label with one key, and back again."""

from __future__ import annotations

import re

import pytest

from postil.data.judgements import AlignedPair, Alignment
from postil.workbench.pages.review import picture_of
from postil.workbench.store import decisions
from postil.workbench.store.answers import get_view


def test_an_answer_is_shown_with_everything_that_is_known_about_it(browser, graded, ids):
    page = browser.get(f"/answers/{ids['b']}").text
    assert "it is open" in page
    assert "it is closed" in page
    assert "It says “open”. The reference says “closed”." in page
    assert "Look again." in page
    assert "<svg role=" in page
    assert re.findall(r'name="label" value="(\w+)" data-key="(\d)"', page)[1] == (
        "partially_correct_incomplete",
        "2",
    )
    assert 'data-key="Enter"' in page
    assert "6 May 2024" in page


def test_pages_have_no_styles_or_scripts_of_their_own(browser, graded, ids):
    for path in (f"/answers/{ids['b']}", f"/questions/{graded}", f"/questions/{graded}/groups"):
        page = browser.get(path).text
        assert " style=" not in page
        assert "<style" not in page
        assert not re.search(r"<script(?! src=)| on\w+=", page)


def test_the_picture_escapes_words_and_brings_no_style():
    pair = AlignedPair("1", ('<b style="x">',), ("y",), (Alignment((1,), (1,), ("EQUI",), 5.0),))
    drawn = picture_of(pair)
    assert "<b" not in drawn
    assert not re.search(r"<[^>]* style=", drawn)
    assert ">same<" in drawn
    assert picture_of(None) == ""


def test_review_opens_with_the_first_doubtful_answer(browser, graded, ids):
    opened = browser.get(f"/questions/{graded}/review")
    assert opened.url.path == f"/answers/{ids['d']}"
    assert opened.url.query == b"state=doubtful"
    opened = browser.get(f"/questions/{graded}/review?label=contradictory")
    assert opened.url.path == f"/answers/{ids['b']}"
    empty = browser.get(f"/questions/{graded}/review?search=zebra")
    assert empty.url.path == f"/questions/{graded}"
    assert "no answers to review" in empty.text


def test_a_decision_is_kept_and_the_next_answer_of_the_list_follows(browser, store, graded, ids):
    shown = browser.post(f"/answers/{ids['d']}/decide?state=doubtful", label="non_domain")
    assert shown.url.path == f"/answers/{ids['c']}"
    assert "Pupil D: not an answer." in shown.text
    view = get_view(store, ids["d"])
    assert view.decision.label == "non_domain"
    assert view.decision.source == "review"
    # The way back leads to the answer just decided, although it is not in the list any more.
    assert f'data-key="ArrowLeft" href="/answers/{ids["d"]}?state=doubtful"' in shown.text


def test_the_last_of_a_list_leads_to_those_left_over_and_then_to_the_table(browser, graded, ids):
    shown = browser.post(f"/answers/{ids['c']}/decide?state=doubtful", label="correct")
    assert shown.url.path == f"/answers/{ids['d']}"
    shown = browser.post(f"/answers/{ids['d']}/decide?state=doubtful", label="correct")
    assert shown.url.path == f"/questions/{graded}"
    assert "last answer in this list" in shown.text


def test_accepting_keeps_the_machines_label(browser, store, graded, ids):
    assert 'name="accept" value="contradictory"' in browser.get(f"/answers/{ids['b']}").text
    browser.post(f"/answers/{ids['b']}/decide", accept="contradictory")
    decision = get_view(store, ids["b"]).decision
    assert (decision.label, decision.source) == ("contradictory", "accepted")


def test_a_label_that_was_not_shown_is_not_accepted(browser, store, graded, ids):
    shown = browser.post(f"/answers/{ids['b']}/decide?state=undecided", accept="correct")
    assert shown.url.path == f"/answers/{ids['b']}"
    assert shown.url.query == b"state=undecided"
    assert "changed in the meantime" in shown.text
    assert get_view(store, ids["b"]).decision is None


def test_an_answer_that_is_not_graded_has_nothing_to_accept(browser, store, graded, ids):
    assert 'data-key="Enter"' not in browser.get(f"/answers/{ids['d']}").text
    refused = browser.post(f"/answers/{ids['d']}/decide", accept="1")
    assert refused.status_code == 400
    assert get_view(store, ids["d"]).decision is None


@pytest.mark.parametrize("label", ["", "incorrect", "<b>"])
def test_other_labels_are_refused(browser, store, graded, ids, label):
    refused = browser.post(f"/answers/{ids['a']}/decide", label=label)
    assert refused.status_code == 400
    assert "Labels: correct" in refused.text
    assert get_view(store, ids["a"]).decision is None


def test_undo_restores_what_was_before_and_shows_the_answer(browser, store, graded, ids):
    decisions.decide(store, graded, [ids["a"]], "correct", "start")
    browser.post(f"/answers/{ids['a']}/decide", label="irrelevant")
    shown = browser.post(f"/questions/{graded}/undo?state=decided")
    assert shown.url.path == f"/answers/{ids['a']}"
    assert shown.url.query == b"state=decided"
    assert "Undone: “off the point”." in shown.text
    assert get_view(store, ids["a"]).decision.label == "correct"
    assert 'class="undone"' in shown.text
    browser.post(f"/questions/{graded}/undo")
    assert get_view(store, ids["a"]).decision is None
    assert "nothing to undo" in browser.post(f"/questions/{graded}/undo").text


def test_the_history_tells_every_decision_and_what_the_machine_had_said(browser, store, graded, ids):
    decisions.decide(store, graded, [ids["a"]], "irrelevant", "group")
    page = browser.get(f"/answers/{ids['a']}").text
    assert "you, for the whole group" in page
    assert "Postil had said “correct”" in page
    assert 'aria-pressed="true"' in page


def test_the_note_to_the_student_follows_the_decision(browser, store, graded, ids):
    decisions.decide(store, graded, [ids["a"]], "irrelevant", "review")
    page = browser.get(f"/answers/{ids['a']}").text
    assert "Look again." not in page
    assert "Feedback for the student" in page


def test_without_the_token_nothing_is_decided(browser, store, graded, ids):
    refused = browser.client.post(f"/answers/{ids['a']}/decide", data={"label": "correct"})
    assert refused.status_code == 403
    assert get_view(store, ids["a"]).decision is None


def test_an_answer_that_is_not_there(browser):
    assert "does not exist" in browser.get("/answers/99", status=404).text


def test_an_answer_is_deleted_after_a_question_and_the_next_one_follows(browser, store, graded, ids):
    decisions.decide(store, graded, [ids["d"]], "correct", "review")
    decisions.undo_last(store, graded)
    page = browser.get(f"/answers/{ids['d']}?state=doubtful").text
    asked = re.search(r'<details class="confirm">.*?</details>', page, re.DOTALL)[0]
    assert f'action="/answers/{ids["d"]}/delete?state=doubtful"' in asked
    assert "cannot be undone" in asked
    shown = browser.post(f"/answers/{ids['d']}/delete?state=doubtful")
    assert (shown.url.path, shown.url.query) == (f"/answers/{ids['c']}", b"state=doubtful")
    assert "Pupil D’s answer has been deleted." in shown.text
    browser.get(f"/answers/{ids['d']}", status=404)


def test_after_the_last_answer_of_a_list_is_deleted_the_table_follows(browser, graded, ids):
    shown = browser.post(f"/answers/{ids['b']}/delete?label=contradictory")
    assert shown.url.path == f"/questions/{graded}"
    assert "Pupil B’s answer has been deleted." in shown.text
    assert "does not exist" in browser.post(f"/answers/{ids['b']}/delete").text
