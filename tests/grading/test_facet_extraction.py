"""Facets read off the tree: terms, relations, topics, and clauses as a person would count points."""

import pytest

from postil.data.questions import Facet
from postil.grading.claims import locate
from postil.grading.facets import TOPIC, clauses, extract_facets
from postil.language.pipeline import analyse


def pairs(reference: str, question: str | None = None) -> list[tuple[str, str]]:
    asked = None if question is None else analyse(question)
    found = extract_facets(analyse(reference), asked)
    return [(one.facet.first, one.facet.second) for one in found]


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("The part contains seeds.", [("contains", "part"), ("contains", "seeds")]),
        ("The part of the plant grows.", [("grows", "part"), ("part", "plant")]),
        ("There is a closed path.", [("closed", "path")]),
        ("There is a gap.", [("is", "gap")]),
        ("The terminals are not connected.", [("not connected", "terminals")]),
        (
            "The path contains a switch and a bulb.",
            [("contains", "path"), ("contains", "switch"), ("contains", "bulb")],
        ),
        ("One has to connect the wires.", [("connect", "wires")]),
    ],
)
def test_terms_and_what_they_hang_on(reference, expected):
    assert pairs(reference) == expected


def test_ids_count_from_one_and_relations_name_the_preposition():
    found = extract_facets(analyse("The part of the plant grows."))
    assert [one.facet.id for one in found] == ["f1", "f2"]
    assert found[1].facet.relation == "nmod:of"


def test_words_point_into_the_reference():
    reference = analyse("If the string is shorter, the pitch will be higher.")
    for one in extract_facets(reference):
        words = " ".join(reference.tokens[index].text for index in one.tokens)
        assert set(words.split()) == set(f"{one.facet.first} {one.facet.second}".split())
        assert set(one.tokens) <= set(one.clause)


def test_each_clause_is_a_point():
    found = clauses(analyse("The solid dissolves slowly and the liquid remains clear."))
    assert [one.statement for one in found] == ["The solid dissolves slowly", "the liquid remains clear"]
    assert [one.main for one in found] == [True, False]


def test_a_clause_that_says_nothing_by_itself_joins_what_it_introduces():
    found = clauses(analyse("A person can see which mineral scratches the other mineral."))
    assert len(found) == 1 or all(len(one.statement.split()) > 2 for one in found)


def test_what_the_question_names_is_the_topic():
    reference = "Voltage is the difference in states."
    assert pairs(reference, "What is voltage?")[0] == ("Voltage", "")
    found = extract_facets(analyse(reference), analyse("What is voltage?"))
    assert [one.facet.relation == TOPIC for one in found].count(True) == 1
    assert ("Voltage", "") not in pairs(reference, "What do you see?")
    assert ("Voltage", "") not in pairs(reference)


@pytest.mark.parametrize("reference", ["", "...", "!?", "a"])
def test_a_reference_without_claims_has_no_facets(reference):
    assert len(pairs(reference)) <= 1


def test_given_facets_are_found_in_the_clause_that_says_them():
    reference = analyse("The solid dissolves slowly and the liquid remains clear.")
    clear, tied, foreign = locate(
        [Facet("a", "remains", "clear"), Facet("b", "dissolves", "clear"), Facet("c", "zebra", "stripes")],
        reference,
    )
    assert clear.statement == "the liquid remains clear"
    assert [reference.tokens[index].text for index in clear.tokens] == ["remains", "clear"]
    assert tied.statement == reference.text
    assert (foreign.tokens, foreign.statement) == ((), "zebra stripes")
