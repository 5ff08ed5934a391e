"""Rounds in the store: who may label when, two people at once, and labels that become decisions."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from labellers import PARTLY, add_people, add_person, make, play, say

from postil.errors import PostilError
from postil.workbench.records import LOCAL
from postil.workbench.rounds import disagreements, order, progress, waits_for
from postil.workbench.store import rounds
from postil.workbench.store.answers import delete_answer, get_view
from postil.workbench.store.courses import edit_question
from postil.workbench.store.decisions import current, decide, history, teaching, undo_last


@pytest.fixture
def people(store):
    return add_people(store)


@pytest.fixture
def told(ids):
    """What Ann and Ben say of the four answers: they differ about b and d."""
    return [
        (ids["a"], "correct", "correct"),
        (ids["b"], "contradictory", "irrelevant"),
        (ids["c"], "X", "X"),
        (ids["d"], PARTLY, "correct"),
    ]


def test_a_round_has_all_answers_or_so_many_by_chance(store, question_id, ids, people):
    everything = rounds.get_work(store, make(store, question_id, people))
    assert everything.round.answers == tuple(ids.values())
    assert everything.round.labellers == (people.ann, people.ben)
    some = [rounds.get_work(store, make(store, question_id, people, size=2, seed=n)).round for n in range(9)]
    assert {len(one.answers) for one in some} == {2}
    assert len({one.answers for one in some}) > 1
    again = rounds.get_work(store, make(store, question_id, people, size=2, seed=4)).round
    assert again.answers == some[4].answers
    assert rounds.get_work(store, make(store, question_id, people, size=99)).round.answers == (*ids.values(),)


def test_each_labeller_has_an_order_of_their_own(store, question_id, people):
    orders = [rounds.get_work(store, make(store, question_id, people, seed=n)).round for n in range(5)]
    assert any(order(one, people.ann) != order(one, people.ben) for one in orders)
    assert all(sorted(order(one, people.ann)) == list(one.answers) for one in orders)


def test_three_different_people_who_can_log_in_are_needed(store, question_id, people):
    away = add_person(store, "old", closed=True)
    ann, ben = people.ann.id, people.ben.id
    for three in ((ann, ann, ben), (ann, ben, ann), (ann, ben, away.id), (ann, ben, 999)):
        with pytest.raises(PostilError):
            rounds.make_round(store, question_id, *three)
    with pytest.raises(PostilError, match="at least one"):
        make(store, question_id, people, size=0)
    assert rounds.list_work(store, question_id) == []


def test_a_round_needs_answers(store, question_id, ids, people):
    for answer_id in ids.values():
        delete_answer(store, answer_id)
    with pytest.raises(PostilError, match="no answers"):
        make(store, question_id, people)


def test_labels_can_be_changed_and_taken_back_until_both_have_finished(store, question_id, ids, people, told):
    number = make(store, question_id, people)
    say(store, number, people.ann, {ids["a"]: "correct"}, seconds=4, note=" hm \0")
    say(store, number, people.ann, {ids["a"]: "irrelevant"}, seconds=3)
    (one,) = rounds.get_work(store, number).taggings
    assert (one.tags, one.seconds, one.note) == (("irrelevant",), 7, "")
    say(store, number, people.ann, {ids["b"]: "correct"}, seconds=5000)
    assert rounds.get_work(store, number).of(people.ann)[ids["b"]].seconds is None
    assert rounds.untag_last(store, number, people.ann) == ids["b"]
    assert rounds.untag_last(store, number, people.ann) == ids["a"]
    assert rounds.untag_last(store, number, people.ann) is None
    play(store, number, people, told)
    with pytest.raises(PostilError, match="both people have finished"):
        say(store, number, people.ann, {ids["a"]: "correct"})
    with pytest.raises(PostilError, match="both people have finished"):
        rounds.untag_last(store, number, people.ben)


def test_only_the_rounds_people_say_something_and_each_in_turn(store, question_id, ids, people, told):
    number = make(store, question_id, people)
    for somebody in (people.zoe, LOCAL):
        with pytest.raises(PostilError, match="not part"):
            say(store, number, somebody, {ids["a"]: "correct"})
    with pytest.raises(PostilError, match="nothing to settle"):
        say(store, number, people.eva, {ids["b"]: "correct"})
    for label in ("", "wonderful", "incorrect"):
        with pytest.raises(PostilError):
            say(store, number, people.ann, {ids["a"]: label})
    with pytest.raises(PostilError, match="not in the round"):
        say(store, number, people.ann, {10**6: "correct"})
    play(store, number, people, told)
    with pytest.raises(PostilError, match="same label"):
        say(store, number, people.eva, {ids["a"]: "correct"})
    say(store, number, people.eva, {ids["b"]: "correct"})
    say(store, number, people.eva, {ids["b"]: "irrelevant"})
    assert rounds.get_work(store, number).decisions[0].tags == ("irrelevant",)


def test_progress_tells_who_is_waited_for(store, question_id, ids, people, told):
    number = make(store, question_id, people)
    waited = {name: lambda who=who: rounds.count_waiting(store, who) for name, who in vars(people).items()}
    assert {name: count() for name, count in waited.items()} == {"ann": 1, "ben": 1, "eva": 0, "zoe": 0}
    assert rounds.blind_round(store, people.ann, question_id) == number
    assert rounds.blind_round(store, people.eva, question_id) is None
    play(store, number, people, told)
    far = progress(rounds.get_work(store, number))
    assert (far.total, far.first, far.second, far.disputed, far.undecided) == (4, 4, 4, 2, 2)
    assert far.finished
    assert not far.settled
    assert {name: count() for name, count in waited.items()} == {"ann": 0, "ben": 0, "eva": 1, "zoe": 0}
    assert rounds.blind_round(store, people.ann, question_id) is None
    say(store, number, people.eva, {ids["b"]: "irrelevant"})
    assert rounds.count_waiting(store, people.eva) == 1
    assert waits_for(rounds.get_work(store, number), people.eva)
    say(store, number, people.eva, {ids["d"]: "X"})
    assert not waits_for(rounds.get_work(store, number), people.eva)
    assert progress(rounds.get_work(store, number)).settled
    assert rounds.count_waiting(store, people.eva) == 0
    assert [work.round.id for work in rounds.work_of(store, people.eva)] == [number]
    assert rounds.part_in(store, people.ben, number) == question_id
    assert rounds.part_in(store, people.zoe, number) is None
    assert rounds.part_in(store, LOCAL, number) is None


def test_both_are_blind_until_both_have_finished(store, question_id, ids, people, told):
    first, second = make(store, question_id, people), make(store, question_id, people)
    say(store, first, people.ann, {id: label for id, label, _ in told})
    assert rounds.count_waiting(store, people.ann) == 1
    rounds.drop_round(store, second)
    assert rounds.count_waiting(store, people.ann) == 0
    # Ann can still change her labels.
    assert rounds.blind_round(store, people.ann, question_id) == first
    say(store, first, people.ben, {id: label for id, _, label in told})
    assert rounds.blind_round(store, people.ann, question_id) is None
    assert rounds.blind_round(store, people.ben, question_id) is None


def test_of_several_blind_rounds_the_one_where_somebody_is(store, question_id, people):
    first, second = make(store, question_id, people), make(store, question_id, people)
    assert rounds.blind_round(store, people.ann, question_id) == first
    assert rounds.blind_round(store, people.ann, question_id, second) == second
    assert rounds.blind_round(store, people.ann, question_id, second + 1) == first


def test_what_comes_out_becomes_decisions_that_teach_and_one_step_to_undo(store, graded, ids, people, told):
    decide(store, graded, [ids["a"]], "irrelevant", "review")
    number = make(store, graded, people)
    play(store, number, people, told)
    with pytest.raises(PostilError, match="2 disagreements wait"):
        rounds.close_round(store, number)
    say(store, number, people.eva, {ids["b"]: "irrelevant", ids["d"]: PARTLY})
    assert rounds.close_round(store, number) == (3, 0)
    found = {one.answer_id: (one.label, one.source) for one in teaching(store, graded)}
    assert found == {
        ids["a"]: ("correct", "labelled"),
        ids["b"]: ("irrelevant", "settled"),
        ids["d"]: (PARTLY, "settled"),
    }
    assert history(store, ids["b"])[0].machine_label == "contradictory"
    assert get_view(store, ids["a"]).reason() == "Two people gave this label."
    assert "referee settled" in get_view(store, ids["b"]).reason()
    with pytest.raises(PostilError, match="already closed"):
        rounds.close_round(store, number)
    with pytest.raises(PostilError, match="is closed"):
        say(store, number, people.eva, {ids["b"]: "correct"})
    assert len(undo_last(store, graded)) == 3
    assert [(one.answer_id, one.label) for one in current(store, graded)] == [(ids["a"], "irrelevant")]


def test_what_a_colleague_decides_while_a_round_goes_on_stays(store, graded, ids, people, told):
    number = make(store, graded, people)
    decide(store, graded, [ids["a"]], "irrelevant", "review")
    play(store, number, people, told)
    say(store, number, people.eva, {ids["b"]: "irrelevant", ids["d"]: PARTLY})
    assert rounds.close_round(store, number) == (2, 1)
    labels = {decision.answer_id: decision.label for decision in current(store, graded)}
    assert labels == {ids["a"]: "irrelevant", ids["b"]: "irrelevant", ids["d"]: PARTLY}


def test_an_unfinished_round_is_not_closed_and_a_deleted_answer_is_not_waited_for(
    store, question_id, ids, people
):
    number = make(store, question_id, people)
    labels = dict.fromkeys(list(ids.values())[:3], "correct")
    say(store, number, people.ann, labels)
    say(store, number, people.ben, labels)
    with pytest.raises(PostilError, match="not everything"):
        rounds.close_round(store, number)
    delete_answer(store, ids["d"])
    assert progress(rounds.get_work(store, number)).settled
    assert rounds.close_round(store, number) == (3, 0)


def test_a_dropped_round_is_gone_and_its_decisions_stay(store, question_id, ids, people):
    number = make(store, question_id, people)
    labels = dict.fromkeys(ids.values(), "correct")
    say(store, number, people.ann, labels)
    say(store, number, people.ben, labels)
    rounds.close_round(store, number)
    rounds.drop_round(store, number)
    assert len(current(store, question_id)) == 4
    for call in (rounds.get_work, rounds.close_round, rounds.drop_round):
        with pytest.raises(PostilError, match="does not exist"):
            call(store, number)


def test_two_people_label_at_once_and_nothing_is_lost(store, question_id, ids, people):
    number = make(store, question_id, people)
    labels = dict.fromkeys(list(ids.values())[:3], "correct")
    windows = [people.ann, people.ben, people.ann, people.ben]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda who: say(store, number, who, labels, seconds=1), windows))
    taggings = rounds.get_work(store, number).taggings
    assert [(one.item, one.seconds) for one in taggings] == [
        (str(id), 2.0) for id in labels for _ in range(2)
    ]


def test_nobody_settles_while_a_round_is_being_closed(store, question_id, ids, people, told):
    for _ in range(4):
        number = make(store, question_id, people)
        play(store, number, people, told)
        say(store, number, people.eva, {ids["b"]: "irrelevant", ids["d"]: PARTLY})

        def change(number=number):
            try:
                say(store, number, people.eva, {ids["b"]: "correct"})
            except PostilError as error:
                return "is closed" not in error.what
            return True

        with ThreadPoolExecutor(2) as pool:
            changed = pool.submit(change)
            pool.submit(rounds.close_round, store, number).result()
        label = {one.answer_id: one.label for one in current(store, question_id)}[ids["b"]]
        kept = rounds.get_work(store, number).of(people.eva)[ids["b"]].tags[0]
        assert label == kept == ("correct" if changed.result() else "irrelevant")


def test_disagreements_come_by_pair_of_labels_the_most_frequent_first(store, question_id, ids, people):
    number = make(store, question_id, people)
    pairs = [("irrelevant", "correct"), ("X", "correct"), ("correct", "irrelevant"), ("correct", "correct")]
    told = [(id, *pair) for id, pair in zip(ids.values(), pairs, strict=True)]
    play(store, number, people, told)
    found = [(int(one.item), one.choice) for one in disagreements(rounds.get_work(store, number))]
    often = ("correct", "irrelevant")
    assert found == [(ids["a"], often), (ids["c"], often), (ids["b"], ("X", "correct"))]


def test_what_is_being_labelled_stays_as_it_is(store, question_id, people):
    round_id = make(store, question_id, people)
    edit_question(store, question_id, None, None, 5)
    for text, references in (("Another question?", None), (None, ["Another reference."])):
        with pytest.raises(PostilError, match=f"round {round_id} "):
            edit_question(store, question_id, text, references, None)
    rounds.drop_round(store, round_id)
    edit_question(store, question_id, "Another question?", None, None)
