"""What a full answer says, in the browser: proposed, changed, saved, ticked, and worth points."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from stub_machine import StubMachine
from test_jobs import do

from postil.data.judgements import Reason
from postil.data.labels import PARTLY
from postil.data.questions import Facet
from postil.workbench.store import courses, jobs
from postil.workbench.store.answers import get_view
from postil.workbench.store.courses import get_question


@pytest.fixture
def page(question_id):
    return f"/questions/{question_id}/facets"


@pytest.fixture
def looked(store, question_id):
    """The question with two parts, one of them heavier, and its answers judged by them."""
    courses.set_facets(store, question_id, [Facet("", "path"), Facet("", "closed", weight=3.0)])
    do(store, "grade", question_id)
    return question_id


def form(*rows, do="save"):
    columns = zip(*rows, strict=True)
    return {**dict(zip(("id", "name", "weight", "required"), map(list, columns), strict=True)), "do": do}


def inputs(text, name):
    return re.findall(rf'name="{name}" value="([^"]*)"', text)


def label_it(browser, answer_id, *ticks, label=PARTLY, page=None):
    """Send the form of an answer's page, as it is now or as it was left open, with these ticks."""
    (shown,) = inputs(page or browser.get(f"/answers/{answer_id}").text, "facets_shown")
    return browser.post(f"/answers/{answer_id}/decide", label=label, facets_shown=shown, tick=list(ticks))


def ids_of(store, question_id):
    return [one.id for one in get_question(store, question_id).facets]


def test_postils_own_proposal_comes_first(browser, store, question_id, page):
    waiting = browser.get(page).text
    assert "Suggesting items" in waiting
    assert browser.client.get(f"{page}/progress").status_code == 204
    assert '<input type="text"' in browser.get(f"{page}?own=true").text
    browser.get(page)  # asks for nothing a second time
    job = jobs.latest_job(store, question_id, "facets")
    assert do(store, "facets", question_id).id == job.id
    assert browser.client.get(f"{page}/progress").headers["HX-Refresh"] == "true"
    shown = browser.get(page).text
    assert jobs.latest_job(store, question_id, "facets").id == job.id  # nor a third time
    assert inputs(shown, "name") == ["The path", "closed"]
    assert "count only once you save them" in shown
    assert get_question(store, question_id).facets is None


def test_a_proposal_that_failed_can_be_asked_for_again(browser, store, question_id, page):
    class Broken(StubMachine):
        def facets(self, question):
            raise KeyError

    do(store, "facets", question_id, Broken())
    assert "could not suggest items" in browser.get(page).text
    assert "Suggesting items" in browser.post(f"{page}/find").text


def test_parts_are_saved_and_changed(browser, store, graded, page):
    saved = browser.post(
        page, **form(["", " the path ", "2,5", "yes"], ["", "<b>air", "1", "no"], ["", "", "", "yes"])
    )
    assert saved.url.path == f"/questions/{graded}"
    assert "has been saved" in saved.text
    assert "has not checked the answers against it yet" in saved.text
    assert f'action="/questions/{graded}/recheck"' in saved.text
    kept = get_question(store, graded).facets
    assert [(one.first, one.weight, one.required) for one in kept] == [
        ("the path", 2.5, True),
        ("<b>air", 1.0, False),
    ]
    shown = browser.get(page).text
    assert inputs(shown, "id") == [one.id for one in kept]
    assert inputs(shown, "name") == ["the path", "&lt;b&gt;air"]
    assert inputs(shown, "weight") == ["2.5", "1"]
    assert shown.count(" selected>optional") == 1
    assert "points for the rubric items" in browser.get(f"/questions/{graded}/edit").text
    again = browser.post(f"{page}/reset")
    assert "own items are used again" in again.text
    assert get_question(store, graded).facets is None


def test_rows_are_added_and_removed_before_anything_is_saved(browser, store, question_id, page):
    rows = ["x", "the path", "2", "yes"], ["", "air", "much", "no"]
    more = browser.post(page, **form(*rows, do="add"))
    assert more.status_code == 200
    assert inputs(more.text, "name") == ["the path", "air", ""]
    assert "This is how Postil reads" not in more.text
    assert inputs(more.text, "weight") == ["2", "much", "1"]
    assert more.text.count("autofocus") == 1
    fewer = browser.post(page, **form(*rows, do="remove-0"))
    assert inputs(fewer.text, "name") == ["air"]
    assert "not saved yet" in fewer.text
    assert inputs(browser.post(page, **form(rows[0], do="remove-0")).text, "name") == [""]
    assert inputs(browser.post(page, **form(rows[0], do="remove-7")).text, "name") == []  # saved
    assert len(get_question(store, question_id).facets) == 1
    assert browser.post(page, **form(rows[0], do=f"remove-{'9' * 5000}")).status_code == 200


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([["", "", "1", "yes"]], "A rubric needs at least one item."),
        ([["", "air", "1", "no"]], "At least one item must be required."),
        ([["", "air", "much", "yes"]], "The points of item 1 must be a number."),
        ([["", "air", "-1", "yes"]], "The points of item 1 must be a number above 0"),
        ([["", "", "1", "yes"], ["", "air", "-1", "yes"]], "The points of item 1 must be a number above 0"),
        ([["", "<i>air", "1", "yes"], ["", "<I>AIR", "1", "yes"]], "Item 2 occurs twice."),
        ([["", f"part {n}", "1", "yes"] for n in range(30)], "at most 20 "),
    ],
)
def test_a_wrong_list_comes_back_as_it_was_written(browser, store, question_id, page, rows, told):
    again = browser.post(page, **form(*rows))
    assert again.status_code == 400
    assert told in again.text
    assert "<i>air" not in again.text
    written = [row for row in rows if row[1]]
    assert len(inputs(again.text, "name")) == min(max(len(written), 1), 21)
    assert get_question(store, question_id).facets is None


def test_no_more_rows_than_can_be_saved(browser, page):
    rows = [["", f"part {n}", "1", "yes"] for n in range(20)]
    refused = browser.post(page, **form(*rows, do="add"))
    assert refused.status_code == 400
    assert len(inputs(refused.text, "name")) == 20
    assert 'value="add"' not in refused.text


def test_looking_again_is_a_job_and_the_hint_goes(browser, store, graded, page):
    browser.post(page, **form(["", "path", "1", "yes"]))
    shown = browser.post(f"/questions/{graded}/recheck")
    assert "Checking the answers against the rubric: starting" in shown.text
    do(store, "recheck", graded)
    assert "/recheck" not in browser.get(f"/questions/{graded}").text


def test_review_ticks_what_was_found_and_keeps_what_is_ticked(browser, store, looked, ids):
    path, closed = ids_of(store, looked)
    shown = browser.get(f"/answers/{ids['a']}").text
    boxes = re.findall(r'name="tick" value="(\w+)" data-key="(\w)"[^>]*?( checked)?>', shown)
    assert boxes == [(path, "a", " checked"), (closed, "b", " checked")]
    assert "Postil: said, fairly sure: “path”" in shown
    label_it(browser, ids["a"], closed, "other")
    view = get_view(store, ids["a"])
    assert (view.decision.ticked, view.score) == ({path: False, closed: True}, 0.75)
    shown = browser.get(f"/answers/{ids['a']}").text
    assert len(re.findall(r'name="tick"[^>]* checked', shown)) == 1
    assert "1.50<span" in shown
    assert "1 of 2 items" in browser.get(f"/questions/{looked}").text
    label_it(browser, ids["a"])
    assert get_view(store, ids["a"]).score == 0
    browser.post(f"/questions/{looked}/undo")
    assert get_view(store, ids["a"]).score == 0.75


def test_what_nobody_has_looked_for_stays_open_until_a_tick_is_changed(browser, store, looked, ids):
    path, _ = get_question(store, looked).facets
    courses.set_facets(store, looked, [path, Facet("", "air")])
    air = ids_of(store, looked)[1]
    label_it(browser, ids["a"], path.id)
    assert get_view(store, ids["a"]).decision.ticked == {path.id: True}
    here = f"/answers/{ids['a']}/earns"
    assert ">1<span" in browser.get(f"{here}?tick={path.id}").text  # half of two points
    assert ">0<span" in browser.get(here).text
    label_it(browser, ids["a"])
    view = get_view(store, ids["a"])
    assert (view.decision.ticked, view.score) == ({path.id: False, air: False}, 0.0)


def test_ticks_on_a_page_that_shows_other_parts_are_refused(browser, store, looked, ids):
    page = browser.get(f"/answers/{ids['a']}").text
    old = ids_of(store, looked)
    known = get_question(store, looked).facets

    def refused():
        again = label_it(browser, ids["a"], *old, page=page)
        assert again.url.path == f"/answers/{ids['a']}"
        return "The rubric has changed" in again.text and get_view(store, ids["a"]).decision is None

    courses.forget_facets(store, looked)
    assert refused()
    courses.set_facets(store, looked, [replace(one, id="") for one in known])  # the same words, but others
    assert refused()
    do(store, "recheck", looked)
    page = browser.get(f"/answers/{ids['a']}").text
    old = ids_of(store, looked)
    label_it(browser, ids["a"], *old, page=page)
    assert get_view(store, ids["a"]).decision.ticked == dict.fromkeys(old, True)


def test_an_answer_judged_without_a_look_says_why_its_parts_were_not_looked_for(browser, store, looked, ids):
    class Plain(StubMachine):
        def explain(self, question, texts, judged):
            return [replace(one, reason=Reason.REFERENCE) for one in judged]

    do(store, "recheck", looked, Plain())
    shown = browser.get(f"/answers/{ids['a']}").text
    assert shown.count("Not checked: it says just what the reference says") == 2
    assert not courses.is_outdated(store, looked)
    courses.set_facets(store, looked, [Facet("", "air")])
    assert courses.is_outdated(store, looked)


def test_changed_ticks_show_what_the_answer_then_earns(browser, store, looked, ids):
    path, closed = ids_of(store, looked)
    here = f"/answers/{ids['a']}/earns"
    assert "0.50<span" in browser.get(f"{here}?tick={path}").text
    assert ">2<span" in browser.get(f"{here}?tick={path}&tick={closed}").text
    assert ">0<span" in browser.get(here).text
    browser.get("/answers/99/earns", status=404)


def test_before_anybody_has_looked_a_decision_ticks_nothing(browser, store, graded, ids, page):
    browser.post(page, **form(["", "path", "1", "yes"]))
    shown = browser.get(f"/answers/{ids['a']}").text
    assert "has not checked this yet" in shown
    assert ">1<span" in shown  # half of two points
    label_it(browser, ids["a"])
    view = get_view(store, ids["a"])
    assert (view.decision.ticked, view.score) == (None, 0.5)


def test_without_a_teachers_parts_several_of_postils_own_are_shown(browser, store, graded, ids, page):
    assert "<h3>Rubric</h3>" not in browser.get(f"/answers/{ids['a']}").text
    courses.set_facets(store, graded, [Facet("", "path"), Facet("", "open")])
    do(store, "recheck", graded)
    courses.forget_facets(store, graded)
    shown = browser.get(f"/answers/{ids['a']}").text
    assert "<h3>Rubric</h3>" in shown
    assert "Postil: left out, fairly sure" in shown
    assert 'name="tick"' not in shown
    browser.post(f"/answers/{ids['a']}/decide", label="correct")
    assert get_view(store, ids["a"]).decision.ticked is None


def test_a_question_that_is_not_there(browser):
    browser.get("/questions/99/facets", status=404)
    assert browser.post("/questions/99/facets", **form(["", "a", "1", "yes"])).status_code == 404
    for path in ("recheck", "facets/reset", "facets/find"):
        assert "does not exist" in browser.post(f"/questions/99/{path}").text
