"""What an answer earns by what it says."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postil.data.judgements import CONTRADICTED, EXPRESSED, UNADDRESSED, FacetOutcome
from postil.data.labels import PARTLY, RESPONSE_SCHEMES
from postil.data.questions import Facet
from postil.grading.credit import as_read, by_items, earned, earns_nothing, item_shares, worth
from postil.grading.decision import disagreement, unsaid

LABELS = RESPONSE_SCHEMES["5way"].labels
FACETS = (Facet("a", "heat"), Facet("b", "vapour", weight=3.0), Facet("c", "air", weight=2.0, required=False))
# Two of three examples, a claim that costs a point to contradict, and a wrong statement.
EXAMPLES = tuple(Facet(id, id, group="examples", needed=2) for id in "xyz")
COSTLY = (
    *EXAMPLES,
    Facet("p", "it rises", weight=2.0, deduction=1.0),
    Facet("w", "it boils", weight=0.0, required=False, deduction=2.0),
)


def said(*ids, against=(), facets=FACETS):
    outcomes = dict.fromkeys((facet.id for facet in facets), UNADDRESSED)
    return outcomes | dict.fromkeys(ids, EXPRESSED) | dict.fromkeys(against, CONTRADICTED)


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
    assert earned(PARTLY, FACETS, said(*ticked)) == pytest.approx(share)


@pytest.mark.parametrize("label", ["contradictory", "irrelevant", "non_domain"])
def test_ticks_count_for_partly_right_alone_where_nothing_is_taken_off(label):
    assert earned(label, FACETS, said("a", "b")) == 0
    assert earned("correct", FACETS, said()) == 1
    assert earned(PARTLY, FACETS, said("a")) == 0.25


def test_without_facets_or_a_look_for_them_partly_right_is_half():
    assert earned(PARTLY, None, {"a": EXPRESSED}) == 0.5
    assert earned(PARTLY, FACETS, None) == 0.5
    assert earned("correct", COSTLY, None) == 1
    assert earned("contradictory", COSTLY, None) == 0


@pytest.mark.parametrize(
    ("ticked", "share"),
    [("x", 0.25), ("xy", 0.5), ("xyz", 0.5), ("xp", 0.75), ("xyp", 1.0), ("xyzp", 1.0), ("p", 0.5)],
)
def test_of_a_group_as_many_count_as_are_needed(ticked, share):
    assert worth(COSTLY) == 4
    assert earned(PARTLY, COSTLY, said(*ticked, facets=COSTLY)) == pytest.approx(share)


def test_of_a_group_the_weightiest_count():
    heavy = (*EXAMPLES[:2], replace(EXAMPLES[2], weight=3.0))
    assert worth(heavy) == 4
    assert earned(PARTLY, heavy, said("x", "y", facets=heavy)) == 0.5
    assert earned(PARTLY, heavy, said("x", "z", facets=heavy)) == 1
    assert sum(item_shares("correct", heavy, said("x", "y", facets=heavy))) == 0.5  # what it says is shown


@pytest.mark.parametrize(
    ("label", "ticked", "against", "share"),
    [
        (PARTLY, "xy", "p", 0.25),  # two of four points, less one
        (PARTLY, "xyw", "", 0.0),  # less two for what is wrong
        (PARTLY, "xw", "p", 0.0),  # never below zero
        ("correct", "xyp", "", 1.0),
        ("correct", "xypw", "", 0.5),
        ("correct", "w", "", 0.5),  # what is required is said, whatever was found
        ("correct", "xy", "p", 0.75),
        ("contradictory", "xy", "p", 0.25),  # it says what being wrong costs, so the rest counts
        ("irrelevant", "xyp", "", 0.0),
        ("non_domain", "xyp", "", 0.0),
    ],
)
def test_wrong_statements_take_points_off(label, ticked, against, share):
    outcomes = said(*ticked, against=against, facets=COSTLY)
    assert earned(label, COSTLY, outcomes) == pytest.approx(share)


def test_what_is_optional_does_not_make_up_for_a_wrong_statement():
    facets = (*COSTLY, Facet("o", "steam", required=False))
    assert earned(PARTLY, facets, said(*"xypow", facets=facets)) == 0.5


def test_saying_a_wrong_statement_earns_nothing_and_contradicting_it_costs_nothing():
    assert earned(PARTLY, COSTLY, said("x", against="w", facets=COSTLY)) == 0.25
    assert [facet.wrong for facet in COSTLY] == [False, False, False, False, True]


outcome = st.sampled_from((EXPRESSED, UNADDRESSED, CONTRADICTED))
facet = st.builds(
    Facet,
    st.uuids().map(str),
    st.just("claim"),
    weight=st.floats(0.1, 100),
    required=st.booleans(),
    group=st.sampled_from(("", "", "g", "h")),
    needed=st.just(2),
    deduction=st.floats(0, 100),
)


@given(st.lists(st.tuples(facet, outcome), min_size=1, max_size=8), st.sampled_from(LABELS))
def test_an_answer_never_earns_less_than_nothing_or_more_than_the_whole(pairs, label):
    facets = (Facet("first", "claim"), *(facet for facet, _ in pairs))
    outcomes = {"first": EXPRESSED, **{facet.id: outcome for facet, outcome in pairs}}
    shares = item_shares(label, facets, outcomes)
    assert 0 <= earned(label, facets, outcomes) <= 1
    assert len(shares) == len(facets)
    if by_items(label, facets):
        gained = min(1.0, sum(share for share in shares if share > 0)) + sum(s for s in shares if s < 0)
        # A facet that is said and takes nothing off, or contradicted, shows all that it does.
        assert earned(label, facets, outcomes) == pytest.approx(max(0.0, gained))


@given(st.lists(facet, min_size=1, max_size=8), st.data())
def test_saying_more_never_earns_less(facets, data):
    facets = [Facet("first", "claim"), *facets]
    ids = [facet.id for facet in facets]
    some = data.draw(st.sets(st.sampled_from(ids)))
    more = some | {data.draw(st.sampled_from(ids))}
    less, all_ = (earned(PARTLY, facets, said(*ticked, facets=facets)) for ticked in (some, more))
    assert less <= all_ + 1e-9


def outcomes(facets, **labels):
    """Outcomes that the machine is sure of."""
    return [FacetOutcome(facet, labels.get(facet.id, UNADDRESSED), 0.9) for facet in facets]


def test_of_a_group_nothing_is_missing_while_enough_is_said():
    assert unsaid(outcomes(EXAMPLES, x=EXPRESSED, y=EXPRESSED)) == []
    assert [one.facet.id for one in unsaid(outcomes(EXAMPLES, x=EXPRESSED))] == ["y"]  # one more is enough
    assert disagreement("correct", outcomes(EXAMPLES, x=EXPRESSED, z=EXPRESSED)) == 0
    assert disagreement("correct", outcomes(EXAMPLES, x=EXPRESSED)) == 0.9
    assert disagreement(PARTLY, outcomes(EXAMPLES, x=EXPRESSED, z=EXPRESSED)) == 0.9
    assert disagreement(PARTLY, outcomes(EXAMPLES, x=EXPRESSED)) == 0


def test_a_wrong_statement_is_never_missing():
    found = outcomes(COSTLY, x=EXPRESSED, y=EXPRESSED, p=EXPRESSED)
    assert unsaid(found) == []
    assert disagreement(PARTLY, found) == 0.9
    assert [one.facet.id for one in as_read(found)] == ["x", "y", "z", "p"]
    assert [one.facet.id for one in as_read(outcomes(COSTLY, w=EXPRESSED))] == ["x", "y", "z", "p", "w"]
    assert earns_nothing(PARTLY, outcomes(COSTLY, w=EXPRESSED))
    assert not earns_nothing(PARTLY, found)
