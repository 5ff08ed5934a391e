from __future__ import annotations

import pytest

from postil.errors import PostilError
from postil.workbench.records import NewAnswer
from postil.workbench.store import answers, decisions, rows


def label(store, id):
    return answers.get_view(store, id).label


def test_a_decision_wins_and_keeps_what_the_machine_said(store, graded, ids):
    decisions.decide(store, graded, [ids["b"]], "correct", "review")
    view = answers.get_view(store, ids["b"])
    assert (view.label, view.decision.machine_label) == ("correct", "contradictory")
    assert view.decision.machine_probabilities == view.judged.probabilities
    decisions.decide(store, graded, [ids["d"]], "correct", "start")
    assert answers.get_view(store, ids["d"]).decision.machine_label is None


def test_every_override_is_kept(store, graded, ids):
    for given in ("correct", "irrelevant", "correct"):
        decisions.decide(store, graded, [ids["b"]], given, "review")
    kept = decisions.history(store, ids["b"])
    assert [one.label for one in kept] == ["correct", "irrelevant", "correct"]
    assert [one.batch for one in kept] == [3, 2, 1]
    assert [one.id for one in decisions.current(store, graded)] == [kept[0].id]
    assert kept[0].made >= kept[1].made


def test_steps_are_undone_one_after_the_other(store, graded, ids):
    decisions.decide(store, graded, [ids["a"]], "irrelevant", "review")
    decisions.decide(store, graded, [ids["b"], ids["a"], ids["a"]], "non_domain", "group")
    undone = decisions.undo_last(store, graded)
    assert {one.answer_id for one in undone} == {ids["a"], ids["b"]}
    assert all(one.undone for one in undone)
    assert (label(store, ids["a"]), label(store, ids["b"])) == ("irrelevant", "contradictory")
    assert [one.answer_id for one in decisions.undo_last(store, graded)] == [ids["a"]]
    assert decisions.undo_last(store, graded) == []
    assert label(store, ids["a"]) == "correct"
    assert len(decisions.history(store, ids["a"])) == 2


def test_after_undoing_one_goes_on(store, graded, ids):
    decisions.decide(store, graded, [ids["a"]], "irrelevant", "review")
    decisions.undo_last(store, graded)
    decisions.decide(store, graded, [ids["a"]], "non_domain", "review")
    assert [one.label for one in decisions.current(store, graded)] == ["non_domain"]
    decisions.undo_last(store, graded)
    assert decisions.current(store, graded) == []


def test_all_or_none(store, graded, ids):
    with pytest.raises(PostilError, match="no longer exists"):
        decisions.decide(store, graded, [ids["a"], 999], "correct", "review")
    assert decisions.current(store, graded) == []


@pytest.mark.parametrize("wrong", ["incorrect", "", "partly right"])
def test_only_the_five_labels(store, graded, ids, wrong):
    with pytest.raises(PostilError):
        decisions.decide(store, graded, [ids["a"]], wrong, "review")


def test_nothing_chosen(store, graded):
    with pytest.raises(PostilError, match="no answer"):
        decisions.decide(store, graded, [], "correct", "review")


def test_many_pass_as_one_step_each_with_the_machines_label(store, graded, ids):
    decisions.decide(store, graded, [ids["a"]], "irrelevant", "review")
    # Decided (a) or not judged (d): neither is touched.
    assert decisions.pass_all(store, graded, [ids[key] for key in "abcd"]) == 2
    found = {one.answer_id: (one.label, one.source) for one in decisions.current(store, graded)}
    assert found == {
        ids["a"]: ("irrelevant", "review"),
        ids["b"]: ("contradictory", "passed"),
        ids["c"]: ("irrelevant", "passed"),
    }
    with pytest.raises(PostilError, match="nothing to accept"):
        decisions.pass_all(store, graded, [ids["b"]])
    assert len(decisions.undo_last(store, graded)) == 2
    assert [one.answer_id for one in decisions.current(store, graded)] == [ids["a"]]


def test_more_answers_than_one_query_names(store, graded, ids, monkeypatch):
    monkeypatch.setattr(rows, "_TOGETHER", 2)
    decisions.decide(store, graded, list(ids.values()), "correct", "group")
    decisions.decide(store, graded, list(ids.values()), "non_domain", "group")
    assert {one.label for one in decisions.current(store, graded)} == {"non_domain"}
    assert len(decisions.undo_last(store, graded)) == 4
    assert [one.label for one in decisions.current(store, graded)] == ["correct"] * 4


def test_labels_from_a_file_are_not_undone(store, graded):
    new = [NewAnswer(" x ", "", "closed"), NewAnswer("y", "", "open"), NewAnswer("z", "", "?")]
    answers.add_answers(store, graded, new, {" x ": "correct", "y": "contradictory"})
    ids = {one.key: one.id for one in answers.list_answers(store, graded)}
    made = decisions.current(store, graded)
    assert [(one.answer_id, one.label) for one in made] == [
        (ids["x"], "correct"),
        (ids["y"], "contradictory"),
    ]
    assert {(one.source, one.machine_label) for one in made} == {("uploaded", None)}
    decisions.decide(store, graded, [ids["x"]], "irrelevant", "review")
    assert [one.label for one in decisions.undo_last(store, graded)] == ["irrelevant"]
    assert decisions.undo_last(store, graded) == []
    assert decisions.current(store, graded) == made
