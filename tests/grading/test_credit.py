"""What an answer earns by what it says."""

from __future__ import annotations

import pytest

from postil.data.labels import PARTLY
from postil.data.questions import Facet
from postil.grading.credit import earned, share_of

FACETS = (Facet("a", "heat"), Facet("b", "vapour", weight=3.0), Facet("c", "air", weight=2.0, required=False))


@pytest.mark.parametrize(
    ("ticked", "share"),
    [
        ((), 0.0),
        ("a", 0.25),
        ("b", 0.75),
        ("ab", 1.0),
        ("c", 0.5),  # what is optional makes up for others
        ("ac", 0.75),
        ("bc", 1.0),  # but is never worth more than the whole
        ("abc", 1.0),
        (("gone",), 0.0),
    ],
)
def test_required_facets_make_the_whole_and_optional_ones_add(ticked, share):
    assert share_of(FACETS, ticked) == pytest.approx(share)


@pytest.mark.parametrize("label", ["contradictory", "irrelevant", "non_domain"])
def test_ticks_count_for_partly_right_alone(label):
    assert earned(label, FACETS, {"a", "b"}) == 0
    assert earned("correct", FACETS, set()) == 1
    assert earned(PARTLY, FACETS, {"a"}) == 0.25


def test_without_facets_or_a_look_for_them_partly_right_is_half():
    assert earned(PARTLY, None, {"a"}) == 0.5
    assert earned(PARTLY, FACETS, None) == 0.5
