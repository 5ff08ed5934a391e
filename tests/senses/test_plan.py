"""Draws and splits: by chance, by seed, and never taking back what was drawn."""

from __future__ import annotations

from collections import Counter

import pytest

from postil.errors import PostilError
from postil.senses.corpus.items import Tagging, TagSet
from postil.senses.corpus.plan import Assignment, assign, draw, examples_needed, occurring, shuffled, split

TAGS = TagSet(("a_1", "a_2", "a_3"), special=("U", "P", "X"), several=True, lemma="a")
ITEMS = [f"a.{number:04d}" for number in range(400)]
WHO = Assignment("a", ("Ane", "Jon"), "Miren")


def tagged(items, tags, people=("Ane", "Jon")):
    return [Tagging(item, "a", person, TAGS.read(tags)) for item in items for person in people]


def test_the_papers_rule():
    assert examples_needed(0, 0) == 75
    assert examples_needed(5, 2) == 75 + 75 + 14


def test_an_order_of_chance():
    order = shuffled(ITEMS, 1)
    assert order == shuffled(reversed(ITEMS), 1)
    assert order != shuffled(ITEMS, 2)
    assert sorted(order) == ITEMS
    # Items that come later do not disturb the order of the others.
    assert [item for item in shuffled([*ITEMS, "b", "c"], 1) if item in ITEMS] == order


def test_every_place_is_as_likely():
    firsts = Counter(shuffled("abc", seed)[0] for seed in range(3000))
    assert all(900 < count < 1100 for count in firsts.values())


def test_at_first_a_batch():
    one = draw(ITEMS, [], TAGS, WHO, first=20, seed=5)
    assert (one.needed, len(one.tagged), len(one.untagged)) == (20, 20, 200)
    assert not set(one.tagged) & set(one.untagged)


def test_then_as_many_as_the_senses_of_the_batch_ask_for():
    first = draw(ITEMS, [], TAGS, WHO, first=20, seed=5).tagged
    told = [*tagged(first[:9], "a_1"), *tagged(first[9:18], "a_2; a_1"), *tagged(first[18:], "a_bat")]
    one = draw(ITEMS, told, TAGS, WHO, first=20, seed=5)
    assert one.needed == examples_needed(2, 1) == 112
    assert one.tagged[:20] == first
    assert len(one.untagged) == 400 - 112  # fewer than ten times as many are there
    # Tags given after the batch do not change the number again.
    later = [*told, *tagged(one.tagged[20:30], "a_3")]
    assert draw(ITEMS, later, TAGS, WHO, first=20, seed=5).needed == 112


def test_not_before_both_have_tagged_all_of_the_batch():
    first = draw(ITEMS, [], TAGS, WHO, first=20, seed=5).tagged
    told = [*tagged(first, "a_1", ["Ane"]), *tagged(first[1:], "a_1", ["Jon"])]
    assert draw(ITEMS, told, TAGS, WHO, first=20, seed=5).needed == 20


def test_the_senses_of_somebody_who_was_replaced_do_not_count():
    first = draw(ITEMS, [], TAGS, WHO, first=20, seed=5).tagged
    told = [*tagged(first, "a_1"), *tagged(first, "a_2", ["Nerea"])]
    assert draw(ITEMS, told, TAGS, WHO, first=20, seed=5).needed == examples_needed(1, 0)


def test_what_somebody_has_tagged_stays_drawn():
    order = shuffled(ITEMS, 5, "items", "a")
    one = draw(ITEMS, tagged(order[29:30], "a_1", ["Ane"]), TAGS, WHO, first=20, seed=5)
    assert (one.needed, one.tagged) == (20, tuple(order[:30]))


def test_too_few_occurrences():
    one = draw(ITEMS[:30], [], TAGS, WHO, first=100, seed=5)
    assert (one.needed, len(one.tagged), one.untagged) == (100, 30, ())


def test_special_tags_are_no_senses():
    told = tagged(["x"], "U") + tagged(["y"], "P") + tagged(["z"], "a_2") + tagged(["w"], "a_bat")
    assert occurring(told, TAGS) == (1, 1)


def test_people_are_drawn():
    groups = [f"w{number}" for number in range(300)]
    drawn = assign(groups, ["Ane", "Jon", "Miren"], seed=1)
    assert drawn == assign(groups, ["Miren", "Jon", "Ane"], seed=1)
    assert drawn != assign(groups, ["Ane", "Jon", "Miren"], seed=2)
    assert all(len({*one.annotators, one.referee}) == 3 for one in drawn)
    assert all(70 < count < 130 for count in Counter(one.referee for one in drawn).values())
    # A further word leaves the others as they were drawn.
    assert assign([*groups, "new"], ["Ane", "Jon", "Miren"], seed=1)[:-1] == drawn


def test_three_annotators_and_no_referee():
    (one,) = assign(["QA"], ["Ane", "Jon", "Miren", "Nerea"], annotators=3, referee=False)
    assert (len(one.annotators), one.referee) == (3, "")


@pytest.mark.parametrize(
    ("people", "annotators", "what"),
    [
        (["Ane", "Jon"], 2, "3 people are needed"),
        (["Ane", "Ane", "Jon"], 2, "twice"),
        (["A", "B"], 1, "2 peo"),
    ],
)
def test_too_few_people(people, annotators, what):
    with pytest.raises(PostilError, match=what):
        assign(["w"], people, annotators=annotators)


def test_two_thirds_and_one_third():
    train, test = split(ITEMS, test_share=1 / 3, seed=3, group="a")
    assert (len(train), len(test)) == (267, 133)
    assert sorted(train + test) == ITEMS
    assert (train, test) == split(ITEMS, test_share=1 / 3, seed=3, group="a")
    assert test != split(ITEMS, test_share=1 / 3, seed=4, group="a")[1]
    assert split(ITEMS, test_share=0, seed=3, group="a") == (ITEMS, [])
    with pytest.raises(PostilError, match="not a share"):
        split(ITEMS, test_share=1, seed=3, group="a")
