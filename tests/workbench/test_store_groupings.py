"""How large the groups of a question are, and what they are called."""

from __future__ import annotations

import pytest

from postil.errors import PostilError
from postil.workbench.records import NewAnswer
from postil.workbench.store import jobs, judgements
from postil.workbench.store.answers import (
    Group,
    add_answers,
    get_groups,
    group_sizes,
    list_answers,
    set_groups,
)
from postil.workbench.store.decisions import current, decide


def test_only_groups_of_two_and_more_count_the_largest_first(store, question_id, ids):
    assert group_sizes(store, question_id) == {}
    set_groups(store, question_id, {ids["a"]: 9, ids["b"]: 9, ids["c"]: 4, ids["d"]: 4})
    assert list(group_sizes(store, question_id).items()) == [(4, 2), (9, 2)]
    set_groups(store, question_id, {ids["c"]: 9})
    assert group_sizes(store, question_id) == {9: 3}


def test_what_groups_are_called(store, graded, ids):
    set_groups(store, graded, {ids["a"]: 9, ids["b"]: 9, ids["c"]: 4, ids["d"]: 4})
    decide(store, graded, [ids["a"]], "contradictory", "review")
    (made,) = current(store, graded)
    decided = {ids["a"]: made.id}
    assert get_groups(store, graded, [9, 7, 4]) == [
        Group(9, ids["a"], 2, 1, "the path is closed", ("contradictory",), "correct", decided),
        Group(4, ids["c"], 2, 0, "Électricité", ("irrelevant",), "irrelevant"),
    ]


def test_a_group_is_shown_by_the_text_and_label_that_most_of_it_has(store, graded, judged):
    new = [NewAnswer(f"n{n}", "", "it is" if n else "It is") for n in range(3)]
    add_answers(store, graded, new)
    added = [answer.id for answer in list_answers(store, graded)][4:]
    set_groups(store, graded, dict.fromkeys(added, 5))
    job = jobs.enqueue(store, "regrade", graded)
    held = jobs.lease_job(store, "w")
    assert held.id == job
    labels = ("irrelevant", "correct", "correct")
    made = [judged(id, label) for id, label in zip(added, labels, strict=True)]
    judgements.save_judgements(store, held, made)
    jobs.finish(store, held, {})
    judgements.apply_changes(store, job)
    [group] = get_groups(store, graded, [5])
    assert (group.text, group.labels, group.likely) == ("it is", ("correct", "irrelevant"), "correct")


def test_a_question_that_is_not_there(store):
    with pytest.raises(PostilError):
        group_sizes(store, 77)
