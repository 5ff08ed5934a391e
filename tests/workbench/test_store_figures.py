"""Figures about a class agree with what the views say one by one."""

from __future__ import annotations

from classroom import PARTLY, run

from postil.workbench.store import decisions
from postil.workbench.store.answers import Filter, find_views
from postil.workbench.store.judgements import Kind, kinds_of_change, see, some_changes


def test_what_statistics_see_is_what_the_views_show(store, question_id, ids):
    decisions.decide(store, question_id, [ids["c"]], PARTLY, "start")
    assert [one.judged for one in see(store, question_id)] == [None] * 4
    run(store, "grade", question_id, {ids["b"]: ("contradictory", 0.8)})
    decisions.decide(store, question_id, [ids["a"]], "irrelevant", "review")
    seen = see(store, question_id)
    views = find_views(store, question_id, Filter(order="place"), 0, 10)
    assert [one.label for one in seen] == [view.label for view in views]
    assert [one.decision for one in seen] == [view.decision for view in views]
    for one, view in zip(seen, views, strict=True):
        assert one.judged is not None
        assert view.judged is not None
        assert (one.judged.confidence, one.judged.made) == (view.judged.confidence, view.judged.made)


def test_changes_by_kind(store, question_id, ids):
    run(store, "grade", question_id, {ids["d"]: ("correct", 0.6)})
    decisions.decide(store, question_id, [ids["a"]], PARTLY, "review")
    moved = {ids[key]: (PARTLY, 0.7) for key in "abc"}
    job = run(store, "regrade", question_id, moved, score=0.4)
    assert kinds_of_change(store, job) == [Kind("correct", PARTLY, 2)]
    assert [one.answer.key for one in some_changes(store, job, None, 10)] == ["b", "c"]
    assert [one.answer.key for one in some_changes(store, job, Kind("correct", PARTLY, 2), 10)] == ["b", "c"]
    assert [one.answer.key for one in some_changes(store, job, None, 1)] == ["b"]
