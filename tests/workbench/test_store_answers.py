from __future__ import annotations

from dataclasses import replace

import pytest

from postil.errors import PostilError
from postil.workbench.records import NewAnswer
from postil.workbench.store import answers, decisions, jobs, judgements
from postil.workbench.store.answers import STATES, Filter


def keys(store, question_id, **chosen):
    views = answers.find_views(store, question_id, Filter(**chosen), 0, 100)
    assert answers.count_views(store, question_id, Filter(**chosen)) == len(views)
    return "".join(view.answer.key for view in views)


def test_answers_keep_their_order_and_text(store, question_id):
    found = answers.list_answers(store, question_id)
    assert [(one.key, one.place, one.group) for one in found] == [(key, n, 0) for n, key in enumerate("abcd")]
    assert found[3].text == "100% <b>sure</b>"
    assert found[0].student == "Pupil A"


@pytest.mark.parametrize("new", [["e", "f", "e"], ["e", "b"], ["e", " "]])
def test_all_answers_or_none(store, question_id, new):
    with pytest.raises(PostilError) as raised:
        answers.add_answers(store, question_id, [NewAnswer(key, "", "x") for key in new])
    assert len(answers.list_answers(store, question_id)) == 4
    assert raised.value.hint


def test_the_message_names_the_id(store, question_id):
    with pytest.raises(PostilError, match="'b'"):
        answers.add_answers(store, question_id, [NewAnswer("b", "", "x")])


def test_the_same_id_may_occur_under_another_question(store, question_id):
    from postil.workbench.store import courses

    course = courses.get_question(store, question_id).course_id
    other = courses.create_question(store, course, "And why not?", ["so"], 1)
    assert answers.add_answers(store, other, [NewAnswer("a", "", "x")]) == 1


def test_text_that_no_database_takes_is_made_storable(store, question_id):
    answers.add_answers(store, question_id, [NewAnswer("e", "", "a\0b\ud800c")])
    assert answers.list_answers(store, question_id)[-1].text == "a\ufffdb\ufffdc"


def test_the_doubtful_come_first_and_the_decided_last(store, graded, ids):
    assert keys(store, graded) == "dcab"
    decisions.decide(store, graded, [ids["d"]], "non_domain", "review")
    assert keys(store, graded) == "cabd"


def test_the_order_of_the_file(store, graded):
    assert keys(store, graded, order="place") == "abcd"


def test_by_score_is_the_order_of_the_points_shown(store, question_id, ids, judged):
    jobs.enqueue(store, "grade", question_id)
    held = jobs.lease_job(store, "w")
    partly = "partially_correct_incomplete"
    # The machine's own score of a partly right answer may be above that of a right one.
    made = [judged(ids["a"], "contradictory", score=0.3), judged(ids["b"], partly, score=0.6)]
    judgements.save_judgements(store, held, [*made, judged(ids["c"], score=0.5)])
    assert keys(store, question_id, order="score") == "cbad"
    decisions.decide(store, question_id, [ids["a"]], "correct", "review")
    assert keys(store, question_id, order="score") == "cabd"
    found = answers.find_views(store, question_id, Filter(order="score"), 0, 9)
    assert [view.score for view in found] == [1.0, 1.0, 0.5, None]


def test_states(store, graded, ids):
    decisions.decide(store, graded, [ids["b"]], "correct", "review")
    decisions.decide(store, graded, [ids["a"]], "correct", "accepted")
    found = {state: keys(store, graded, state=state, order="place") for state in STATES}
    expected = {"all": "abcd", "doubtful": "cd", "undecided": "cd", "decided": "ab", "differs": "b"}
    assert found == expected


def test_the_label_that_counts_is_filtered(store, graded, ids):
    decisions.decide(store, graded, [ids["b"]], "correct", "review")
    assert keys(store, graded, label="correct", order="place") == "ab"
    assert keys(store, graded, label="contradictory") == ""


@pytest.mark.parametrize(
    ("search", "found"),
    [("PATH", "a"), ("électri", "c"), ("%", "d"), ("_", ""), ("pupil b", "b"), ("  ", "abcd"), ("'; --", "")],
)
def test_search_is_in_answers_and_names(store, graded, search, found):
    assert keys(store, graded, search=search, order="place") == found


def test_groups(store, graded, ids):
    answers.set_groups(store, graded, {ids["a"]: 1, ids["b"]: 2, ids["c"]: 1, 999: 1})
    assert keys(store, graded, group=1, order="place") == "ac"
    assert keys(store, graded, group=0) == "d"


def test_pages(store, graded):
    found = answers.find_views(store, graded, Filter(order="place"), 1, 2)
    assert [view.answer.key for view in found] == ["b", "c"]


def test_neighbours(store, graded, ids):
    name = {None: None} | {id: key for key, id in ids.items()}
    ask = lambda key, chosen: [name[id] for id in answers.neighbours(store, ids[key], chosen)]  # noqa: E731
    assert ask("a", Filter()) == ["c", "b"]
    assert ask("d", Filter()) == [None, "c"]
    assert ask("b", Filter()) == ["a", None]
    assert ask("a", Filter(state="doubtful")) == [None, "d"]
    assert ask("a", Filter(state="decided")) == [None, None]


def test_unknown_filters_are_refused():
    for wrong in ({"state": "x"}, {"order": "x"}):
        with pytest.raises(PostilError):
            Filter(**wrong)


def test_what_a_page_shows_of_an_answer(store, graded, ids):
    right, doubtful, new = (answers.get_view(store, ids[key]) for key in "acd")
    assert (right.label, right.plain, right.score, right.doubtful) == ("correct", "correct", 1.0, False)
    assert right.reason() == "It says “open”. The reference says “closed”."
    assert (doubtful.plain, doubtful.doubtful) == ("off the point", True)
    assert (new.label, new.plain, new.score, new.reason(), new.doubtful) == (None, "", None, "", True)
    decisions.decide(store, graded, [ids["c"]], "partially_correct_incomplete", "review")
    decided = answers.get_view(store, ids["c"])
    assert (decided.plain, decided.score, decided.doubtful) == ("partly right", 0.5, False)
    assert decided.reason() == "You decided this."


def test_a_deleted_answer_is_gone(store, graded, ids):
    answers.delete_answer(store, ids["b"])
    assert keys(store, graded, order="place") == "acd"


def test_pages_of_a_list_follow_each_other_with_alignments_or_without(store, graded):
    whole = answers.find_views(store, graded, Filter(), 0, 100)
    pages = [answers.find_views(store, graded, Filter(), offset, 2, aligned=False) for offset in (0, 2, 4)]
    assert [[view.answer.key for view in page] for page in pages] == [["d", "c"], ["a", "b"], []]
    assert [view.judged.alignment for view in pages[1]] == [None, None]
    bare = [replace(view, judged=replace(view.judged, alignment=None)) for view in whole[2:]]
    assert pages[1] == bare
    assert all(view.judged.alignment for view in whole[2:])


@pytest.mark.parametrize("search", ["\0", "a\0", "\ud800", "%", "_", "\\"])
def test_anything_can_be_looked_for(store, question_id, search):
    found = answers.find_views(store, question_id, Filter(search=search), 0, 9)
    assert [view.answer.key for view in found] == (["d"] if search == "%" else [])
