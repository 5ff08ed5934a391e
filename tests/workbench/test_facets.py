"""Facets as they are shown and ticked: a person's ticks come before what the machine found."""

from __future__ import annotations

from postil.data.judgements import CONTRADICTED, EXPRESSED, UNADDRESSED
from postil.data.questions import Facet
from postil.workbench.claims import Outcome, denial, facet_views, in_words, outcomes_told, told_by

FACETS = (Facet("1", "heat"), Facet("2", "vapour", weight=2.0))
FOUND = (Outcome("x", "heat", EXPRESSED, 0.9, ("warm",)), Outcome("y", "vapour", CONTRADICTED, 0.7))


def test_what_the_machine_found_is_ticked_by_its_name():
    views = facet_views(FACETS, FOUND, None)
    assert [(one.facet.id, one.ticked, one.told, one.label) for one in views] == [
        ("1", True, False, EXPRESSED),
        ("2", False, False, CONTRADICTED),
    ]
    assert outcomes_told(views) == {"1": EXPRESSED, "2": CONTRADICTED}
    assert in_words(views) == "said: heat · contradicted: vapour"


def test_a_persons_ticks_come_first():
    views = facet_views(FACETS, FOUND, {"1": False, "2": True})
    assert [one.label for one in views] == [UNADDRESSED, EXPRESSED]
    assert [(one.outcome.label, one.outcome.confidence) for one in views] == [
        (UNADDRESSED, 1.0),
        (EXPRESSED, 1.0),
    ]
    assert outcomes_told(facet_views(FACETS, FOUND, {"1": False, "2": False})) == {
        "1": UNADDRESSED,
        "2": CONTRADICTED,
    }


def test_of_what_a_person_was_not_asked_the_machine_tells():
    views = facet_views(FACETS, FOUND, {"2": True, "old": True})
    assert [(one.ticked, one.told) for one in views] == [(True, False), (True, True)]
    assert outcomes_told(facet_views(FACETS, (), {"1": False})) is None


def test_who_changes_a_tick_has_told_of_all():
    views = facet_views(FACETS, FOUND[:1], None)
    assert told_by(views, ["1"]) == {"1": True}  # as it was shown: nobody has looked for the other
    assert told_by(views, []) == {"1": False, "2": False}
    assert told_by(views, ["2", "other"]) == {"1": False, "2": True}
    assert told_by(facet_views(FACETS, (), None), []) is None


def test_nothing_is_known_before_all_are_looked_for():
    views = facet_views(FACETS, FOUND[:1], None)
    assert [one.label for one in views] == [EXPRESSED, None]
    assert outcomes_told(views) is None
    assert in_words(views) == "said: heat"
    assert outcomes_told(facet_views(FACETS, (), None)) is None
    assert outcomes_told(facet_views(FACETS, (), {"1": True, "2": False})) == {
        "1": EXPRESSED,
        "2": UNADDRESSED,
    }


def test_ticks_at_facets_that_are_gone_say_nothing():
    assert outcomes_told(facet_views(FACETS, FOUND, {"old": True})) == {
        "1": EXPRESSED,
        "2": CONTRADICTED,
    }
    assert outcomes_told(facet_views(FACETS, (), {"old": True})) is None


def test_without_a_teachers_facets_the_machines_own_are_shown():
    views = facet_views(None, FOUND, {"2": True})
    assert [(one.facet.first, one.ticked) for one in views] == [("heat", True), ("vapour", False)]
    assert facet_views(None, (), None) == ()


# A facet that costs a point to contradict, and a wrong statement.
COSTLY = (Facet("1", "heat", deduction=1.0), Facet("2", "ice", weight=0.0, required=False, deduction=1.0))


def test_a_person_says_that_a_facet_is_contradicted():
    views = facet_views(COSTLY, (*FOUND[:1], Outcome("y", "ice", UNADDRESSED, 0.7)), None)
    assert [(one.ticked, one.denied, one.can_lose) for one in views] == [
        (True, False, True),
        (False, False, False),
    ]
    told = told_by(views, [denial("1")])
    assert told == {"1": False, denial("1"): True, "2": False}
    assert outcomes_told(facet_views(COSTLY, FOUND, told)) == {"1": CONTRADICTED, "2": UNADDRESSED}
    # As it is shown: nobody has changed anything, but all have been looked for.
    assert told_by(views, ["1"]) == {"1": True, denial("1"): False, "2": False}


def test_of_two_ticks_on_one_facet_the_new_one_counts():
    found = (Outcome("x", "heat", CONTRADICTED, 0.9), Outcome("y", "ice", UNADDRESSED, 0.7))
    assert told_by(facet_views(COSTLY, FOUND, {"1": True}), ["1", denial("1")])[denial("1")]
    assert not told_by(facet_views(COSTLY, found, None), ["1", denial("1")])[denial("1")]


def test_a_wrong_statement_is_in_words_only_where_it_is_made():
    found = (FOUND[0], Outcome("y", "ice", EXPRESSED, 0.7))
    assert in_words(facet_views(COSTLY, found, None)) == "said: heat · wrong: ice"
    assert in_words(facet_views(COSTLY, found, {"2": False})) == "said: heat"
