"""Points: the facets of a reference as a person would list them."""

from __future__ import annotations

import pytest

from postil.data.questions import Facet
from postil.grading.claims import find_points, judge_facets
from postil.language.pipeline import analyse


def points(reference: str, question: str = "") -> list[str]:
    return [one.facet.first for one in find_points(analyse(reference), analyse(question))]


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("The bulb will light.", ["the bulb will light"]),
        (
            "The seed coat protects the seed until the plant begins to grow.",
            ["the seed coat protects the seed until the plant begins to grow"],
        ),
        (
            "The circuit is not complete. The pathway is broken.",
            ["the circuit is not complete", "the pathway is broken"],
        ),
        ("The D-cell battery is empty.", ["the D-cell battery is empty"]),
        ("", []),
        ("...", []),
    ],
)
def test_a_point_is_a_statement_that_the_reference_makes(reference, expected):
    assert points(reference) == expected


def test_a_point_s_words_are_those_of_the_reference_it_comes_from():
    reference = analyse("The salt dissolves. It melts.")
    dissolves, melts = find_points(reference)
    assert [reference.tokens[index].text for index in melts.clause] == ["It", "melts"]
    assert [reference.tokens[index].text for index in melts.tokens] == ["melts"]
    assert (dissolves.statement, melts.statement) == ("the salt dissolves", "the salt melts")


def test_a_point_said_twice_is_listed_once_and_ids_count():
    found = find_points(analyse("The bulb is lit. The bulb is lit. The wire is hot."))
    assert [(one.facet.id, one.facet.first) for one in found] == [
        ("p1", "the bulb is lit"),
        ("p2", "the wire is hot"),
    ]


def test_a_point_in_other_words_than_the_reference_s_is_judged_by_itself():
    given = [Facet("a", "the salt dissolves"), Facet("b", "zebras have stripes")]
    reference = "The salt dissolves."
    (found,) = judge_facets("", reference, ["the salt dissolves"], given)
    assert [one.label for one in found] == ["Expressed", "Unaddressed"]
    (found,) = judge_facets("", reference, ["zebras have stripes"], given)
    assert [one.label for one in found] == ["Unaddressed", "Expressed"]


@pytest.mark.parametrize(
    ("part", "answer", "label"),
    [
        ("the sun heats the water", "the sun makes the water hot", "Expressed"),
        ("the wind blows over the water", "the sun makes the water hot", "Unaddressed"),
        ("the", "bananas are yellow", "Unaddressed"),
        ("the water does not evaporate", "The sun heats the water, so it evaporates.", "Contradicted"),
    ],
)
def test_a_part_in_a_teacher_s_words_is_not_taken_for_the_clause_it_shares_a_word_with(part, answer, label):
    reference = "The sun heats the water, so the water evaporates."
    ((found,),) = judge_facets("", reference, [answer], [Facet("a", part)])
    assert found.label == label
