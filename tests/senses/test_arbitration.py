"""Disagreements, in the order in which a referee wants them, and what becomes of items."""

from __future__ import annotations

import pytest

from postil.errors import PostilError
from postil.senses.corpus.agreement import Outcome, assigned, complete, disagreements, settle
from postil.senses.corpus.items import Tagging
from postil.senses.corpus.plan import Assignment

WITH_REFEREE = {"w": Assignment("w", ("Ane", "Jon"), "Miren")}
WITHOUT = {"w": Assignment("w", ("Ane", "Jon", "Miren"))}


def told(**items):
    """Taggings of items by Ane, Jon and Miren: `i1="a/a b"` is a by Ane, a and b by Jon."""
    return [
        Tagging(item, "w", person, tuple(tags.split()))
        for item, said in items.items()
        for person, tags in zip(("Ane", "Jon", "Miren"), said.split("/"), strict=False)
        if tags
    ]


def test_disagreements_are_grouped_by_pair_whoever_said_what():
    found = disagreements(told(i1="a/b", i2="c/a", i3="a/a b", i4="b/a", i5="a c/b", i6="b/a", i7="a/"))
    assert [(one.item, one.choice) for one in found] == [
        ("i1", ("a", "b")),
        ("i4", ("a", "b")),
        ("i6", ("a", "b")),
        ("i2", ("a", "c")),
        ("i5", ("a; c", "b")),
    ]


def test_agreed_decided_removed():
    decisions = [Tagging("i2", "w", "Miren", ("b", "c")), Tagging("i1", "w", "Miren", ("z",))]
    outcomes = settle(told(i1="a b/b a c", i2="a/b", i3="X/X", i4="a/"), decisions, WITH_REFEREE)
    assert outcomes == [
        Outcome("i1", "w", ("a", "b"), "agreed"),  # the referee has no say where people agree
        Outcome("i2", "w", ("b", "c"), "decided"),
        Outcome("i3", "w", ("X",), "agreed"),
    ]
    assert [outcome.kept for outcome in outcomes] == [True, True, False]


def test_an_x_of_one_person_is_a_disagreement():
    assert [disagreement.choice for disagreement in disagreements(told(i1="X/a"))] == [("X", "a")]
    (outcome,) = settle(told(i1="X/a"), [Tagging("i1", "w", "Miren", ("X",))], WITH_REFEREE)
    assert not outcome.kept


def test_only_the_referee_of_a_group_decides():
    decisions = [Tagging("i1", "w", "Miren", ("a",)), Tagging("i1", "w", "Nerea", ("b",))]
    assert settle(told(i1="a/b"), decisions, WITH_REFEREE)[0].tags == ("a",)


def test_without_referee_disagreements_are_discarded():
    outcomes = settle(told(i1="YES/YES/YES", i2="YES/NO/YES", i3="NO/NO"), [], WITHOUT)
    assert [(outcome.item, outcome.how, outcome.kept) for outcome in outcomes] == [
        ("i1", "agreed", True),
        ("i2", "discarded", False),
    ]


def test_an_open_disagreement_is_an_error():
    with pytest.raises(PostilError, match=r"not decided on 1 item yet: 'i2'.*arbitrate"):
        settle(told(i1="a/a", i2="a/b"), [], WITH_REFEREE)


def test_nothing_done_yet():
    with pytest.raises(PostilError, match="no item has been tagged by all"):
        settle(told(i1="a/"), [], WITH_REFEREE)


def test_only_the_assigned_count():
    taggings = told(i1="a/b/c", i2="a//c")
    assert {(one.item, one.person) for one in assigned(taggings, WITH_REFEREE)} == {
        ("i1", "Ane"),
        ("i1", "Jon"),
        ("i2", "Ane"),
    }
    assert {(one.item, one.person) for one in complete(taggings, WITH_REFEREE)} == {
        ("i1", "Ane"),
        ("i1", "Jon"),
    }
