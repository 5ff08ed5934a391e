"""Two people at one answer or one question: a colleague's work is never overwritten unseen."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from classroom import Browser
from sqlalchemy import update
from webclient import make_account

from postil.data.questions import Facet
from postil.workbench.pages.trust import measure
from postil.workbench.records import Level, Version
from postil.workbench.store import access, answers, courses, decisions, jobs, judgements
from postil.workbench.store.answers import get_view
from postil.workbench.store.rows import ChangedError
from postil.workbench.store.tables import CourseRow, now


@pytest.fixture
def two(store, tmp_path, graded):
    """Ada and Bob in one course, each with a browser."""
    ada, bob = make_account(store, "ada", password=None), make_account(store, "bob", password=None)
    with store.writing() as session:
        session.execute(update(CourseRow).values(owner_id=ada.id))
    access.share_course(store, courses.get_question(store, graded).course_id, bob.id, Level.TEACH)
    return Browser(store, tmp_path, "ada"), Browser(store, tmp_path, "bob")


def hidden(page, name="seen"):
    """The hidden fields of a page with this name, in their order."""
    return re.findall(rf'name="{name}" value="([^"]*)"', page.text)


def test_a_version_is_read_as_it_was_written():
    assert Version.read(str(Version(31, 1772443800000000))) == Version(31, 1772443800000000)
    for wrong in ("", "31", "a-b", "1-2-3", "-1-2", "٣-١", "1- 2"):
        assert Version.read(wrong) is None


def test_a_decision_in_between_is_not_overwritten(store, graded, ids):
    seen = {ids["a"]: get_view(store, ids["a"]).version}
    decisions.decide(store, graded, [ids["a"]], "irrelevant", "review")
    ada = make_account(store, "ada", password=None).id
    with pytest.raises(ChangedError) as refused:
        decisions.decide(store, graded, [ids["a"]], "correct", "review", by=ada, seen=seen)
    assert [decision.label for decision in refused.value.decisions] == ["irrelevant"]
    assert len(decisions.history(store, ids["a"])) == 1
    seen = {ids["a"]: get_view(store, ids["a"]).version}
    decisions.decide(store, graded, [ids["a"]], "correct", "review", by=ada, seen=seen)
    # Who decides again on an old page corrects themselves; a program that wants to know is told.
    decisions.decide(store, graded, [ids["a"]], "non_domain", "review", by=ada, seen=seen)
    with pytest.raises(ChangedError):
        decisions.decide(store, graded, [ids["a"]], "correct", "review", by=ada, seen=seen, exact=True)


def test_of_many_who_decide_at_once_one_does_it(store, graded, ids):
    people = [make_account(store, f"p{number}", password=None).id for number in range(4)]
    seen = {ids["a"]: get_view(store, ids["a"]).version}
    met = Barrier(len(people))

    def attempt(person):
        met.wait(30)
        try:
            decisions.decide(store, graded, [ids["a"]], "correct", "review", by=person, seen=seen)
        except ChangedError as error:
            return error.decisions[0].by
        return None

    with ThreadPoolExecutor(len(people)) as pool:
        told = list(pool.map(attempt, people))
    (made,) = decisions.history(store, ids["a"])
    assert told.count(None) == 1
    assert told.index(None) == people.index(made.by)
    assert {who for who in told if who} == {made.by}


def test_the_page_shows_the_colleagues_decision_beside_ones_own(two, store, graded, ids):
    ada, bob = two
    where = f"/answers/{ids['b']}"
    seen = hidden(ada.get(where))[-1]
    bob.post(f"{where}/decide", label="irrelevant", seen=hidden(bob.get(where))[-1])
    asked = ada.post(f"{where}/decide?state=decided", label="correct", seen=seen)
    assert asked.status_code == 409
    assert "Bob decided this answer in the meantime" in asked.text
    assert "off the point" in asked.text
    assert "Keep theirs" in asked.text
    assert get_view(store, ids["b"]).decision.label == "irrelevant"
    # The form on this page is sent as it is: no script is needed.
    (form,) = re.findall(r'action="(/answers/\d+/decide[^"]*)"', asked.text)
    assert f'data-key="k" href="/questions/{graded}"' in asked.text  # nothing else is decided
    kept = ada.post(form, label="correct", seen=hidden(asked)[0])
    assert kept.status_code == 200
    assert get_view(store, ids["b"]).decision.label == "correct"
    assert [decision.label for decision in decisions.history(store, ids["b"])] == ["correct", "irrelevant"]


def test_using_mine_is_asked_again_if_they_decide_again(two, store, graded, ids):
    ada, bob = two
    where = f"/answers/{ids['b']}"
    seen = hidden(ada.get(where))[-1]
    bob.post(f"{where}/decide", label="irrelevant")
    asked = ada.post(f"{where}/decide", label="correct", seen=seen)
    bob.post(f"{where}/decide", label="non_domain")
    assert f'data-key="k" href="/answers/{ids["d"]}"' in asked.text  # goes on with the undecided
    again = ada.post(f"{where}/decide", label="correct", seen=hidden(asked)[0])
    assert again.status_code == 409
    assert "not an answer" in again.text
    assert get_view(store, ids["b"]).decision.label == "non_domain"


def test_ticks_are_shown_and_sent_again(two, store, graded, ids):
    courses.set_facets(store, graded, [Facet("", "the path"), Facet("", "closed")])
    first, second = (facet.id for facet in courses.get_question(store, graded).facets)
    ada, bob = two
    where = f"/answers/{ids['a']}"
    page = ada.get(where)
    seen, shown = hidden(page)[-1], hidden(page, "facets_shown")[0]
    ticked = {"label": "partially_correct_incomplete", "facets_shown": shown}
    bob.post(f"{where}/decide", tick=[first], **ticked)
    asked = ada.post(f"{where}/decide", tick=[second], seen=seen, **ticked)
    assert asked.status_code == 409
    assert "☑</span>" in asked.text
    assert hidden(asked, "tick") == [second]
    ticked["facets_shown"] = hidden(asked, "facets_shown")[0]
    ada.post(f"{where}/decide", tick=hidden(asked, "tick"), seen=hidden(asked)[0], **ticked)
    assert get_view(store, ids["a"]).decision.ticked == {first: False, second: True}


def test_a_group_leaves_what_was_decided_in_between(two, store, graded, ids):
    answers.set_groups(store, graded, dict.fromkeys(ids.values(), 1))
    ada, bob = two
    page = ada.get(f"/questions/{graded}/groups")
    (first, size, seen) = (hidden(page, name)[-1] for name in ("first", "size", "seen"))
    bob.post(f"/answers/{ids['c']}/decide", label="correct")
    told = ada.post(
        f"/questions/{graded}/groups/1/decide", label="irrelevant", first=first, size=size, seen=seen
    )
    assert "3 answers decided together" in told.text
    assert "1 answer was decided in the meantime and stays as it is" in told.text
    assert "Pupil C is “correct”, says Bob" in told.text
    labels = {decision.answer_id: decision.label for decision in decisions.current(store, graded)}
    assert labels == dict.fromkeys(ids.values(), "irrelevant") | {ids["c"]: "correct"}


def test_what_was_undone_in_between_is_not_decided_by_the_way(two, store, graded, ids):
    answers.set_groups(store, graded, dict.fromkeys(ids.values(), 1))
    ada, bob = two
    bob.post(f"/answers/{ids['c']}/decide", label="correct")
    page = ada.get(f"/questions/{graded}/groups")
    (first, size, seen) = (hidden(page, name)[-1] for name in ("first", "size", "seen"))
    bob.post(f"/questions/{graded}/undo")
    ada.post(f"/questions/{graded}/groups/1/decide", label="irrelevant", first=first, size=size, seen=seen)
    assert get_view(store, ids["c"]).decision is None


def test_the_list_of_a_group_says_what_it_showed(two, store, graded, ids):
    answers.set_groups(store, graded, dict.fromkeys(ids.values(), 1))
    ada, bob = two
    bob.post(f"/answers/{ids['c']}/decide", label="correct")
    members = ada.get(f"/questions/{graded}/groups/1")
    (decision,) = decisions.current(store, graded)
    assert hidden(members) == [f"{ids['c']}.{decision.id}"]


def test_first_labels_leave_what_was_decided_in_between(two, store, graded, ids):
    ada, bob = two
    seen = {f"seen-{ids[key]}": str(get_view(store, ids[key]).version) for key in "ab"}
    bob.post(f"/answers/{ids['a']}/decide", label="irrelevant")
    labels = {f"label-{ids[key]}": "correct" for key in "ab"}
    told = ada.post(f"/questions/{graded}/start", **labels, **seen)
    assert "1 label saved" in told.text
    assert "Pupil A is “off the point”, says Bob" in told.text
    assert get_view(store, ids["a"]).decision.label == "irrelevant"
    assert get_view(store, ids["b"]).decision.label == "correct"


def test_a_colleagues_decision_is_undone_only_if_one_means_it(two, store, graded, ids):
    ada, bob = two
    where = f"/questions/{graded}/undo"
    ada.post(f"/answers/{ids['a']}/decide", label="irrelevant")
    seen = hidden(ada.get(f"/answers/{ids['b']}"))[0]
    bob.post(f"/answers/{ids['b']}/decide", label="correct")
    asked = ada.post(where, seen=seen)
    assert asked.status_code == 409
    assert "made by Bob" in asked.text
    assert len(decisions.current(store, graded)) == 2
    done = ada.post(where, seen=hidden(asked)[0], sure="true")
    assert done.status_code == 200
    assert [decision.answer_id for decision in decisions.current(store, graded)] == [ids["a"]]
    assert ada.post(where, seen=hidden(asked)[0]).status_code == 409  # no longer the last: shown first
    last, count = decisions.last_step(store, graded)
    assert (last.answer_id, count) == (ids["a"], 1)


def test_accepting_many_needs_the_same_answers_and_judgements(two, store, graded, ids, judged, monkeypatch):
    monkeypatch.setattr(
        "postil.workbench.pages.trust._measured",
        lambda store, question_id, accuracy, seen: measured(seen, accuracy),
    )
    ada, _ = two
    where = f"/questions/{graded}/trust?accuracy=80"
    page = ada.get(where)
    (seen, count) = hidden(page)[-1], hidden(page, "count")[0]
    regrade(store, graded, ids, judged)
    told = ada.post(f"/questions/{graded}/accept", accuracy=80, count=count, seen=seen)
    assert "nothing was accepted" in told.text
    assert decisions.current(store, graded) == []
    page = ada.get(where)
    ada.post(f"/questions/{graded}/accept", accuracy=80, count=count, seen=hidden(page)[-1])
    assert {decision.source for decision in decisions.current(store, graded)} == {"passed"}


def measured(seen, accuracy):
    return measure(seen, lambda target: 0.5, accuracy / 100)


def regrade(store, question_id, ids, judged):
    """Judge two answers anew: the same number of answers passes, with other labels."""
    jobs.enqueue(store, "regrade", question_id)
    job = jobs.lease_job(store, "w")
    made = [judged(ids[key], "non_domain", made=now()) for key in "ab"]
    judgements.save_judgements(store, job, made)
    jobs.finish(store, job, {})
    judgements.apply_changes(store, job.id)


def test_a_question_edited_by_two_is_shown_to_the_second(two, store, graded):
    ada, bob = two
    where = f"/questions/{graded}/edit"
    seen = hidden(ada.get(where))[-1]
    form = {"text": "Why is it lit?", "references": "The path is closed."}
    bob.post(where, points="5", seen=hidden(bob.get(where))[-1], **form)
    asked = ada.post(where, points="3", seen=seen, **form)
    assert asked.status_code == 400
    assert "has been changed since you opened it" in asked.text
    assert "5 points" in asked.text
    assert 'value="3"' in asked.text
    assert courses.get_question(store, graded).points == 5
    ada.post(where, points="3", seen=hidden(asked)[-1], **form)
    assert courses.get_question(store, graded).points == 3


def test_of_many_who_edit_at_once_one_does_it(store, question_id):
    seen = courses.get_question(store, question_id)
    met = Barrier(4)

    def attempt(points):
        met.wait(30)
        try:
            if points % 2:
                courses.edit_question(store, question_id, None, None, points, seen=seen.version)
            else:
                facets = [Facet("", f"item {points}")]
                courses.set_facets(store, question_id, facets, seen=seen.facets_version)
        except ChangedError:
            return None
        return points

    with ThreadPoolExecutor(4) as pool:
        done = [points for points in pool.map(attempt, (3, 4, 5, 6)) if points]
    now_stored = courses.get_question(store, question_id)
    assert len(done) == 2  # one of those who edit the question, and one of those who edit the rubric
    assert now_stored.points in done
    assert [facet.first for facet in now_stored.facets] == [
        f"item {points}" for points in done if not points % 2
    ]


def test_a_rubric_edited_by_two_is_shown_to_the_second(two, store, graded):
    ada, bob = two
    where = f"/questions/{graded}/facets"
    courses.set_facets(store, graded, [Facet("", "the path")])
    rows = {"id": "", "weight": "1", "required": "yes", "do": "save"}
    seen = hidden(ada.get(where))[0]
    bob.post(where, name="it is closed", seen=seen, **rows)
    asked = ada.post(where, name="no gap", seen=seen, **rows)
    assert "has been changed since you opened it" in asked.text
    assert "As it is stored now" in asked.text
    assert [facet.first for facet in courses.get_question(store, graded).facets] == ["it is closed"]
    kept = ada.post(f"{where}/reset", seen=seen)
    assert "has been changed" in kept.text
    ada.post(where, name="no gap", seen=hidden(asked)[0], **rows)
    assert [facet.first for facet in courses.get_question(store, graded).facets] == ["no gap"]
    assert ada.post(f"{where}/reset", seen=hidden(ada.get(where))[-1]).status_code == 200
    assert courses.get_question(store, graded).facets is None


def test_every_form_that_decides_carries_what_was_seen(two, store, graded, ids):
    answers.set_groups(store, graded, dict.fromkeys(ids.values(), 1))
    courses.set_facets(store, graded, [Facet("", "the path")])
    ada, _ = two
    ada.post(f"/answers/{ids['a']}/decide", label="correct")
    pages = (f"/answers/{ids['b']}", f"/questions/{graded}/groups", f"/questions/{graded}/edit")
    decides = re.compile(r"/(decide|undo|accept|start|edit|facets|reset)(\?[^\"]*)?$")
    for page in (*pages, f"/questions/{graded}/facets", f"/questions/{graded}/trust"):
        text = ada.get(page).text
        forms = re.findall(r'<form[^>]*action="([^"]+)"[^>]*>(.*?)</form>', text, re.DOTALL)
        deciding = [(action, body) for action, body in forms if decides.search(action)]
        assert deciding, page
        assert [action for action, body in deciding if 'name="seen' not in body] == []
