"""Changing a rubric in the browser: its rows, whose points would change, earlier ones, and files."""

from __future__ import annotations

import re
from html import unescape

import pytest
from test_jobs import do
from test_web_facets import form, ids_of, inputs, label_it

from postil.data.labels import PARTLY
from postil.data.questions import Facet
from postil.workbench.store import courses, decisions, jobs
from postil.workbench.store.answers import Filter, find_views, get_view
from postil.workbench.store.rubrics import earlier_rubrics

ROWS = (["", "the path, and the gap", "2", "yes"], ["", "air", "1,5", "no"], ["", "heat", "much", "yes"])


@pytest.fixture
def page(question_id):
    return f"/questions/{question_id}/facets"


@pytest.fixture
def looked(store, question_id):
    """A rubric of two items, and all four answers partly right, each with what the machine has found."""
    courses.set_facets(store, question_id, [Facet("", "path"), Facet("", "open", weight=3.0)])
    do(store, "grade", question_id)
    views = find_views(store, question_id, Filter(order="place"), 0, 9)
    decisions.decide(store, question_id, [view.answer.id for view in views], PARTLY, "group")
    return question_id


def again(text, **more):
    """The form on a page as a browser would send it."""
    fields = {
        name: [unescape(value) for value in inputs(text, name)] for name in ("id", "name", "weight", "before")
    }
    fields |= {name: inputs(text, name) for name in ("group", "needed", "deduction")}
    selects = re.findall(r'<select name="required".*?</select>', text)
    fields["required"] = ["no" if "selected" in select else "yes" for select in selects] or inputs(
        text, "required"
    )
    return {**fields, "seen": inputs(text, "seen")[0], **more}


def scores(store, question_id):
    return [view.score for view in find_views(store, question_id, Filter(order="place"), 0, 9)]


def test_rows_are_moved_split_and_merged(browser, page):
    shown = browser.post(page, **form(*ROWS, do="down-0")).text
    assert inputs(shown, "name") == ["air", "the path, and the gap", "heat"]
    assert "Item 1 is now item 2" in shown
    assert re.search(r'value="down-1"[^>]* autofocus', shown)
    shown = browser.post(page, **again(shown, do="up-1")).text
    assert inputs(shown, "name")[0] == "the path, and the gap"
    assert re.search(r'value="down-0"[^>]* autofocus', shown)  # there is no way further up
    shown = browser.post(page, **again(shown, do="split-0")).text
    assert inputs(shown, "name") == ["the path", "the gap", "air", "heat"]
    assert inputs(shown, "weight") == ["1", "1", "1,5", "much"]
    shown = browser.post(page, **again(shown, do="merge-0")).text
    assert inputs(shown, "name") == ["the path and the gap", "air", "heat"]
    assert inputs(shown, "weight") == ["2", "1,5", "much"]
    shown = browser.post(page, **again(shown, do="merge-1")).text
    assert inputs(shown, "weight") == ["2", "1,5"]  # what is no number comes back when it is saved
    assert inputs(browser.post(page, **form(["", "word", "x", "yes"], do="split-0")).text, "name") == [
        "word",
        "",
    ]


def test_points_are_made_to_add_up(browser, page):
    rows = form(["", "iron", "1", "yes"], ["", "air", "3", "yes"], ["", "ice", "0", "no"], do="fit")
    shown = browser.post(page, **rows, deduction=["", "2", "2"], group=[""] * 3, needed=[""] * 3).text
    assert inputs(shown, "weight") == ["0.5", "1.5", "0"]
    assert inputs(shown, "deduction") == ["", "1", "1"]
    assert "now add up to 2" in shown
    assert browser.post(page, **form(["", "iron", "x", "yes"], do="fit")).status_code == 400


def test_steps_are_undone_one_by_one(browser, page):
    first = browser.post(page, **form(*ROWS, do="remove-2")).text
    second = browser.post(page, **again(first, do="split-0")).text
    assert len(inputs(second, "before")) == 2
    undone = browser.post(page, **again(second, do="undo")).text
    assert inputs(undone, "name") == inputs(first, "name")
    assert "The last step was undone" in undone
    undone = browser.post(page, **again(undone, do="undo")).text
    assert inputs(undone, "name") == [row[1] for row in ROWS]
    assert 'value="undo"' not in undone
    for broken in ("", "[", "[[1]]", "null", '[["","","","","","",""]]', "[" * 9000):
        shown = browser.post(page, **form(*ROWS, do="undo"), before=broken).text
        assert inputs(shown, "name") == [row[1] for row in ROWS]


def test_no_more_steps_are_kept_than_can_be_undone(browser, page):
    shown = browser.post(page, **form(*ROWS, do="down-0")).text
    for number in range(12):
        shown = browser.post(page, **again(shown, do=f"down-{number % 2}")).text
    assert len(inputs(shown, "before")) == 10


def test_groups_and_deductions_are_saved(browser, store, question_id, page):
    rows = (
        ["", "copper", "1", "yes", "metals", "2", ""],
        ["", "iron", "1", "yes", "metals", "", ""],
        ["", "gold", "1", "yes", "metals", "2", "0,5"],
        ["", "wood", "0", "yes", "", "", "1"],
    )
    columns = ("id", "name", "weight", "required", "group", "needed", "deduction")
    browser.post(page, **dict(zip(columns, map(list, zip(*rows, strict=True)), strict=True)), do="save")
    kept = courses.get_question(store, question_id).facets
    assert [(one.group, one.needed, one.deduction, one.required) for one in kept] == [
        ("metals", 2, 0.0, True),
        ("metals", 2, 0.0, True),
        ("metals", 2, 0.5, True),
        ("", 0, 1.0, False),
    ]
    shown = browser.get(page).text
    assert inputs(shown, "needed") == ["2", "2", "2", ""]
    assert inputs(shown, "deduction") == ["", "", "0.5", "1"]
    assert "add up to 2 points, as many as the question is worth" in shown
    again_ = browser.post(page, **again(shown, do="save"))
    assert "has been saved" in again_.text
    assert len(earlier_rubrics(store, question_id)) == 1  # nothing was changed the second time


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        ({"needed": ["1.5", ""], "group": ["a", "a"]}, "must be a whole number"),
        ({"needed": ["3", ""], "group": ["a", "a"]}, "3 items are needed, but it has 2"),
        ({"deduction": ["-1", ""]}, "The deduction of item 1 must be a number from 0"),
        ({"deduction": ["x", ""]}, "The deduction of item 1 must be a number."),
    ],
)
def test_what_cannot_be_used_is_said(browser, store, question_id, page, columns, told):
    empty = {"group": ["", ""], "needed": ["", ""], "deduction": ["", ""]}
    rows = form(["", "copper", "1", "yes"], ["", "iron", "1", "yes"])
    shown = browser.post(page, **rows, **(empty | columns))
    assert shown.status_code == 400
    assert told in shown.text
    assert courses.get_question(store, question_id).facets is None


def test_whose_points_would_change_is_shown_before_anything_is_stored(browser, store, looked, page):
    before, version = scores(store, looked), courses.get_question(store, looked).facets_version
    shown = browser.get(page).text
    shown = browser.post(page, **again(shown, do="save") | {"weight": ["1", "1"]}).text
    moved = [score for score in before if score not in (0, 1)]
    assert f"{len(moved)} answer" in shown
    assert "Nothing is saved yet" in shown
    assert f"instead of {2 * sum(before) / len(before):.2f} of 2 points" in shown
    assert courses.get_question(store, looked).facets_version == version
    rows = re.findall(r'<td class="number moved".*?</td>', shown)
    assert len(rows) == len(moved)
    # Go on editing, and then keep it.
    edited = browser.post(page, **again(shown, do="edit")).text
    assert inputs(edited, "weight") == ["1", "1"]
    kept = browser.post(page, **again(shown, do="keep"))
    assert kept.url.path == f"/questions/{looked}"
    assert [one.weight for one in courses.get_question(store, looked).facets] == [1, 1]
    assert scores(store, looked) != before
    assert not courses.is_outdated(store, looked)


def test_new_items_are_looked_for_before_they_count(browser, store, looked, page, ids):
    before = scores(store, looked)
    old = ids_of(store, looked)
    shown = browser.get(page).text
    first = again(shown)
    draft = first | {"name": ["path", "battery"], "do": "save"}
    told = browser.post(page, **draft).text
    assert "items that nobody has looked for yet in 4 answers" in told
    waiting = browser.post(page, **again(told, do="check"))
    assert waiting.url.path == f"{page}/preview"
    assert "looking for the new items" in waiting.text
    assert browser.client.get(f"{page}/progress?kind=preview").status_code == 204
    job = jobs.latest_job(store, looked, "preview")
    assert jobs.latest_job(store, looked).kind == "grade"  # the question's own page does not wait for it
    assert do_draft(store).id == job.id
    assert browser.client.get(f"{page}/progress?kind=preview").headers["HX-Refresh"] == "true"
    assert scores(store, looked) == before
    assert ids_of(store, looked) == old
    found = browser.get(f"{page}/preview").text
    assert "Check the answers first" not in found
    # Another weight needs no second look.
    edited = browser.post(page, **again(found, do="edit")).text
    found = browser.post(page, **again(edited, do="save") | {"weight": ["1", "2"]}).text
    assert "Check the answers first" not in found
    told = [float(number) for number in re.findall(r"becomes </span> ([\d.]+)", found)]
    browser.post(page, **again(found, do="keep"))
    after = scores(store, looked)
    assert [
        round(2 * score, 2)
        for old, score in zip(before, after, strict=True)
        if round(2 * old, 2) != round(2 * score, 2)
    ] == told
    assert not courses.is_outdated(store, looked)
    assert jobs.latest_job(store, looked, "preview").state == "applied"
    assert {view.label for view in find_views(store, looked, Filter(), 0, 9)} == {PARTLY}
    assert browser.get(f"{page}/preview").url.path == page


def do_draft(store):
    """Do the job that looks for the items of a draft."""
    from stub_machine import StubMachine

    from postil.workbench.jobs import grading

    job = jobs.lease_job(store, "w")
    grading.run(store, job, StubMachine())
    return job


def test_a_draft_is_forgotten_when_the_class_is_graded_again(browser, store, looked, page):
    shown = browser.get(page).text
    browser.post(page, **again(shown, do="check") | {"name": ["path", "battery"]})
    do_draft(store)
    do(store, "regrade", looked)
    assert browser.get(f"{page}/preview").url.path == page
    assert jobs.latest_job(store, looked, "preview").state == "dropped"


def test_a_draft_of_a_rubric_that_somebody_else_changed_is_not_kept(browser, store, looked, page):
    shown = browser.get(page).text
    told = browser.post(page, **again(shown, do="save") | {"name": ["path", "battery"]}).text
    courses.set_facets(store, looked, [Facet("", "light")])
    refused = browser.post(page, **again(told, do="keep"))
    assert refused.status_code == 400
    assert "As it is stored now" in refused.text
    assert inputs(refused.text, "name") == ["path", "battery"]
    refused = browser.post(page, **again(told, do="check"))
    assert "As it is stored now" in refused.text
    assert [one.first for one in courses.get_question(store, looked).facets] == ["light"]


def test_earlier_rubrics_come_back_with_their_ticks(browser, store, looked, page, ids):
    path, closed = ids_of(store, looked)
    label_it(browser, ids["a"], closed)
    score = get_view(store, ids["a"]).score
    courses.set_facets(store, looked, [Facet("", "light")])
    courses.forget_facets(store, looked)
    listed = browser.get(f"{page}?own=true").text
    assert "3 earlier rubrics" in listed
    assert "No rubric: Postil’s own items" in listed
    light, old, none = earlier_rubrics(store, looked)
    assert (none.facets, [one.first for one in light.facets]) == (None, ["light"])
    shown = browser.post(f"{page}/earlier", rubric=old.id).text
    assert "Nothing is saved yet" in shown
    browser.post(page, **again(shown, do="keep"))
    assert ids_of(store, looked) == [path, closed]
    assert get_view(store, ids["a"]).score == score
    shown = browser.post(f"{page}/earlier", rubric=none.id).text
    assert "Use Postil’s items" in shown
    browser.post(f"{page}/reset", seen=inputs(shown, "seen")[0], do="keep")
    assert courses.get_question(store, looked).facets is None
    assert "does not exist" in browser.post(f"{page}/earlier", rubric=999).text


def test_going_back_to_postils_items_is_shown_before(browser, store, looked, page):
    shown = browser.post(
        f"{page}/reset", seen=courses.get_question(store, looked).facets_version, do="preview"
    )
    assert "Nothing is saved yet" in shown.text
    assert courses.get_question(store, looked).facets is not None


def test_a_rubric_is_read_from_a_file_and_downloaded(browser, store, looked, page):
    path, _ = ids_of(store, looked)
    table = b"item,points,required,group,needed,deduction\npath,2,yes,,,\nwood,0,no,,,1\n"
    shown = upload(browser, page, "rubric.csv", table).text
    assert "2 items read from the file. Nothing is saved yet." in shown
    assert inputs(shown, "id") == [path, ""]  # what is worded as before keeps its ticks
    assert inputs(shown, "deduction") == ["", "1"]
    assert len(courses.get_question(store, looked).facets) == 2
    csv = browser.client.get(f"{page}.csv")
    assert csv.headers["content-type"].startswith("text/csv")
    assert csv.text.splitlines()[1:] == ["path,1,yes,,,", "open,3,yes,,,"]
    xml = browser.client.get(f"{page}.xml")
    assert "plugin_gradingform_guide_definition" in xml.text
    shown = upload(browser, page, "grading.xml", xml.content).text
    assert inputs(shown, "name") == ["path", "open"]
    courses.forget_facets(store, looked)
    assert "There is no rubric to download" in browser.get(f"{page}.csv").text


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        (
            "rubric.csv",
            b"item,points\npath,2\n<b>air,x\n",
            "In rubric.csv, line 3: the points of this item must be",
        ),
        ("rubric.doc", b"x", "not a file that rubrics are read from"),
        ("grading.xml", b"<areas/>", "holds no marking guide and no rubric"),
        ("backup.mbz", b"PK\3\4 broken", "is damaged"),
        ("", b"", "No file was chosen"),
    ],
)
def test_a_file_that_is_wrong_is_refused_with_its_row(browser, store, looked, page, name, data, told):
    shown = upload(browser, page, name, data)
    assert shown.status_code == 400
    assert told in unescape(shown.text)
    assert "<b>air" not in shown.text
    assert inputs(shown.text, "name") == ["path", "open"]


def upload(browser, page, name, data):
    files = {"file": (name, data)} if name else None
    return browser.client.post(f"{page}/import", data={"csrf": browser.token}, files=files)


def test_in_the_review_items_have_points_and_can_be_contradicted(browser, store, question_id, ids):
    items = [
        Facet("", "path", deduction=1.0),
        Facet("", "air", group="g", needed=1),
        Facet("", "gas", group="g"),
    ]
    courses.set_facets(store, question_id, [*items, Facet("", "closed", weight=0.0, deduction=0.5)])
    do(store, "grade", question_id)
    shown = browser.get(f"/answers/{ids['a']}").text
    path, air, _, closed = ids_of(store, question_id)
    assert '1<span class="of"> of 2 points</span>' in shown
    assert "any 1 of “g” count" in shown
    assert f'value="!{path}" data-key="A"' in shown
    assert f"!{closed}" not in shown
    here = f"/answers/{ids['a']}/earns"
    told = browser.get(f"{here}?tick={path}&tick={closed}").text
    assert re.findall(r"“([^”]+)” earns <strong[^>]*>([\d.]+)<", told) == [
        ("correct", "1.50"),
        ("partly right", "0.50"),
        ("contradicts", "0.50"),
    ]
    label_it(browser, ids["a"], air, f"!{path}", label="contradictory")
    view = get_view(store, ids["a"])
    assert view.decision.ticked == {
        path: False,
        f"!{path}": True,
        air: True,
        ids_of(store, question_id)[2]: False,
        closed: False,
    }
    assert view.score == 0  # one of two, less one
    label_it(browser, ids["a"], air, path, f"!{path}")
    assert get_view(store, ids["a"]).score == 1  # it was contradicted, and now is said
