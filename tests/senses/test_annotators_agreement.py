"""How far annotators agree, against figures worked out by hand."""

from __future__ import annotations

import pytest

from postil.errors import MismatchError
from postil.senses.corpus.agreement import measure_agreement
from postil.senses.corpus.items import Tagging


def told(person, *tags, group="w", start=0, seconds=None):
    return [
        Tagging(f"{group}{start + number}", group, person, tuple(each.split()), seconds)
        for number, each in enumerate(tags)
    ]


def test_one_tag_in_common_is_enough():
    found = measure_agreement(
        told("Ane", "a", "a b", "b", "U") + told("Jon", "a", "b", "a", "U", "a"), shared=2
    )
    (group,) = found.groups
    assert (group.group, group.items) == ("w", 4)  # the item that Jon alone tagged is not counted
    assert group.agreement == pytest.approx(3 / 4)
    assert group.identical == pytest.approx(2 / 4)
    assert group.tags_per_item == pytest.approx(9 / 8)
    # Labels {a}, {a b}, {b}, {U} against {a}, {b}, {a}, {U}: chance is (1·2 + 1·1 + 1·1) / 16.
    assert group.kappa == pytest.approx((2 / 4 - 4 / 16) / (1 - 4 / 16))


def test_overall_agreement_is_over_items_and_kappa_over_groups():
    first = told("Ane", "a", "a", "b", "b") + told("Ane", "c", "d", group="v")
    second = told("Jon", "a", "a", "b", "b") + told("Miren", "d", "c", group="v")
    found = measure_agreement(first + second, shared=1)
    assert [group.agreement for group in found.groups] == [1, 0]
    assert found.overall.agreement == pytest.approx(4 / 6)
    assert found.overall.kappa == pytest.approx((1 + -1) / 2)
    assert [(pair.people, pair.items) for pair in found.pairs] == [(("Ane", "Jon"), 4), (("Ane", "Miren"), 2)]


def test_the_kappa_of_two_people_is_over_words_that_have_senses_of_their_own():
    first = told("Ane", "a", "a", "b", "b") + told("Ane", "c", "d", group="v")
    second = told("Jon", "a", "a", "b", "b") + told("Jon", "d", "c", group="v")
    (pair,) = measure_agreement(first + second, own_tags=True).pairs
    assert (pair.items, pair.agreement) == (6, pytest.approx(4 / 6))
    assert pair.kappa == pytest.approx((1 + -1) / 2)
    (pair,) = measure_agreement(first + second).pairs
    assert pair.kappa == pytest.approx((4 / 6 - 10 / 36) / (1 - 10 / 36))


def test_means_are_over_people_who_share_enough():
    labels = ["YES"] * 60 + ["NO"] * 60
    other = ["YES"] * 48 + ["NO"] * 72
    few = ["NO"] * 20
    found = measure_agreement(told("A", *labels) + told("B", *other) + told("C", *few))
    assert {pair.people: pair.items for pair in found.pairs} == {
        ("A", "B"): 120,
        ("A", "C"): 20,
        ("B", "C"): 20,
    }
    assert found.mean_agreement == pytest.approx(108 / 120)
    assert found.mean_kappa == pytest.approx((0.9 - 0.5) / (1 - 0.5))
    nobody = measure_agreement(told("A", *labels) + told("B", *other), shared=121)
    assert (nobody.mean_agreement, nobody.mean_kappa) == (None, None)


def test_three_annotators_of_one_group_are_compared_two_by_two():
    found = measure_agreement(told("A", "a", "b") + told("B", "a", "b") + told("C", "a", "a"))
    assert found.overall.items == 2
    assert found.overall.agreement == pytest.approx(4 / 6)


def test_time():
    timed = told("A", "a", seconds=40) + told("B", "a", seconds=60) + told("B", "a", start=5, seconds=999)
    assert measure_agreement(timed).seconds == 50
    assert measure_agreement(told("A", "a") + told("B", "a")).seconds is None


def test_nothing_to_compare():
    with pytest.raises(MismatchError, match="no item has been tagged by two people"):
        measure_agreement(told("A", "a", "b"))
