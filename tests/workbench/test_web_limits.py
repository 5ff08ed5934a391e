"""What is large, late or sent twice: accepted up to the limits in the settings, else refused clearly."""

from __future__ import annotations

import pytest

from postil.errors import PostilError
from postil.workbench.pages import previews, uploads
from postil.workbench.records import NewAnswer
from postil.workbench.store import answers, courses, decisions

HUGE = 2**63


def draft_of(browser, question_id, text):
    """The address of a draft that was pasted."""
    page = browser.post(f"/questions/{question_id}/answers/draft", text=text)
    assert "/drafts/" in page.url.path, page.text
    return page.url.path


def test_a_paste_of_megabytes_is_read(browser, question_id):
    text = "\n".join(f"{number} it is closed {'and lit ' * 20}" for number in range(12_000))
    assert len(text) > 2 * 2**20
    assert "12,000" in browser.get(draft_of(browser, question_id, text)).text


def test_a_group_of_thousands_is_decided(browser, store, question_id):
    new = [NewAnswer(f"n{number}", "", "same") for number in range(1200)]
    answers.add_answers(store, question_id, new)
    ids = [one.id for one in answers.list_answers(store, question_id) if one.text == "same"]
    answers.set_groups(store, question_id, dict.fromkeys(ids, 7))
    sent = {"label": "correct", "listed": "true", "answer": ids, "first": ids[0], "size": len(ids)}
    page = browser.post(f"/questions/{question_id}/groups/7/decide", **sent)
    assert page.status_code == 200
    assert len(decisions.current(store, question_id)) == 1200


def test_a_form_that_is_too_much_gets_a_sentence(browser, question_id):
    page = browser.post(f"/questions/{question_id}/edit", text="x" * (2 * 2**20))
    assert page.status_code == 400
    assert "too large or arrived damaged" in page.text


@pytest.mark.parametrize("path", ["/questions/{}", "/courses/{}", "/answers/{}", "/questions/{}/report"])
def test_a_number_beyond_all_is_not_there(browser, path):
    assert "does not exist" in browser.get(path.format(HUGE), status=404).text
    assert browser.post(f"/questions/{HUGE}/delete").status_code in (400, 404)


def test_a_draft_is_stored_once_though_sent_twice(browser, store, question_id, monkeypatch):
    path = draft_of(browser, question_id, "it is lit")
    planned = previews.make_plan

    def overtaken(*given, **more):
        plan = planned(*given, **more)
        monkeypatch.setattr(previews, "make_plan", planned)
        assert browser.post(f"{path}/store", answer="0").status_code == 200
        return plan

    monkeypatch.setattr(previews, "make_plan", overtaken)
    page = browser.post(f"{path}/store", answer="0")
    assert page.status_code == 400
    assert "Check whether its answers are there" in page.text
    assert [one.text for one in answers.list_answers(store, question_id)].count("it is lit") == 1


def test_a_draft_that_could_not_be_stored_is_kept(browser, question_id, monkeypatch):
    path = draft_of(browser, question_id, "it is lit")

    def full(*_):
        raise PostilError("the disk is full.")

    with monkeypatch.context() as patched:
        patched.setattr(uploads, "store_plan", full)
        assert "disk is full" in browser.post(f"{path}/store", answer="0").text
    assert browser.post(f"{path}/store", answer="0").status_code == 200


def test_labels_of_a_file_are_told_as_such(browser, store, question_id):
    answers.add_answers(store, question_id, [NewAnswer("x", "", "closed")], {"x": "correct"})
    (made,) = decisions.current(store, question_id)
    assert "from the file" in browser.get(f"/answers/{made.answer_id}").text
    browser.post(f"/questions/{question_id}/undo")
    assert decisions.current(store, question_id) == [made]


def test_other_points_alone_keep_the_grades(browser, store, graded):
    courses.edit_question(store, graded, "Why is it lit?", ["The path is\nclosed."], 2)
    before = courses.get_question(store, graded)
    form = {"text": before.text, "references": "The path is closed.", "points": "3"}
    browser.post(f"/questions/{graded}/edit", **form)
    after = courses.get_question(store, graded)
    assert (after.points, after.judged, after.references) == (3, 3, before.references)
