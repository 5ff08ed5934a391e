"""Facets in words."""

from postil.data.judgements import FacetOutcome
from postil.data.questions import Facet
from postil.explain.notes import facet_text, facets_in_words


def outcome(first: str, second: str, label: str) -> FacetOutcome:
    return FacetOutcome(Facet("f", first, second), label, 0.9)


def test_a_facet_has_one_term_or_two():
    assert facet_text(Facet("f", "contains", "seeds")) == "contains – seeds"
    assert facet_text(Facet("f", "voltage", "")) == "voltage"


def test_each_kind_of_outcome_gets_a_sentence():
    outcomes = [
        outcome("remains", "clear", "Expressed"),
        outcome("dissolves", "solid", "Unaddressed"),
        outcome("path", "closed", "Contradicted"),
        outcome("dissolves", "solid", "Unaddressed"),
    ]
    assert facets_in_words(outcomes) == (
        "The answer says: remains – clear. It leaves out: dissolves – solid. It contradicts: path – closed."
    )


def test_nothing_said_is_told():
    said = facets_in_words([outcome("a", "b", "Unaddressed")])
    assert said == "The answer makes none of the reference's points. It leaves out: a – b."
    assert facets_in_words([]) == "The reference has no points to check."
