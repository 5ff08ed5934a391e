"""Outcomes of facets: what is said, left out and contradicted, how sure, and in which words."""

import pytest

from postil.data.questions import Facet
from postil.grading import claims
from postil.grading.claims import find_points, judge_facets
from postil.language.pipeline import analyse

REFERENCE = "The solid dissolves and the liquid remains clear."


def labels(reference: str, answer: str, question: str = "") -> dict[tuple[str, str], str]:
    (found,) = judge_facets(question, reference, [answer])
    return {(one.facet.first, one.facet.second): one.label for one in found}


def test_one_clause_said_and_one_left_out():
    found = labels(REFERENCE, "the liquid stays clear")
    assert found["remains", "liquid"] == found["remains", "clear"] == "Expressed"
    assert found["dissolves", "solid"] == "Unaddressed"


def test_the_reference_itself_expresses_everything():
    assert set(labels(REFERENCE, REFERENCE).values()) == {"Expressed"}


def test_the_opposite_contradicts():
    assert labels("The terminals are not connected.", "The terminals are connected.") == {
        ("not connected", "terminals"): "Contradicted"
    }


def test_off_the_point_expresses_nothing():
    assert set(labels(REFERENCE, "I like my dog very much.").values()) == {"Unaddressed"}


def test_the_topic_is_expressed_when_the_answer_takes_it_up():
    question, reference = "What is voltage?", "Voltage is the difference in electrical states."
    assert labels(reference, "Voltage is a kind of lamp.", question)["Voltage", ""] == "Expressed"
    assert labels(reference, "A kind of lamp.", question)["Voltage", ""] == "Unaddressed"


def test_confidence_and_words():
    (found,) = judge_facets("", REFERENCE, ["the liquid  stays clear"])
    text = "the liquid stays clear"
    for one in found:
        assert 0 <= one.confidence <= 1
        assert [text[start:end] for start, end in one.spans] == list(one.words)
        assert [REFERENCE[start:end] for start, end in one.reference_spans]
        assert bool(one.words) == (one.label != "Unaddressed")


def test_each_answer_is_judged_as_if_it_were_alone():
    answers = ["the liquid stays clear", "", "it dissolves", "the liquid stays clear", "???"]
    together = judge_facets("", REFERENCE, answers)
    assert together == [judge_facets("", REFERENCE, [answer])[0] for answer in answers]
    assert {one.label for one in together[1]} == {one.label for one in together[4]} == {"Unaddressed"}
    assert judge_facets("", REFERENCE, []) == []


def test_given_facets_keep_their_ids_and_order():
    given = [Facet("z", "remains", "clear"), Facet("a", "dissolves", "solid")]
    (found,) = judge_facets("", REFERENCE, ["the liquid stays clear"], given)
    assert [one.facet for one in found] == given
    assert [one.label for one in found] == ["Expressed", "Unaddressed"]
    assert judge_facets("", REFERENCE, ["x"], []) == [()]


def test_what_is_skipped_for_speed_changes_no_label(monkeypatch):
    answers = ["the liquid stays clear", "the solid is gone and you can see through", REFERENCE, "a dog"]
    fast = judge_facets("", REFERENCE, answers)
    monkeypatch.setattr(claims, "_SURE", 1.1)
    slow = judge_facets("", REFERENCE, answers)
    assert [[one.label for one in its] for its in fast] == [[one.label for one in its] for its in slow]


@pytest.mark.parametrize("reference", ["", "…"])
def test_a_reference_without_words(reference):
    assert judge_facets("", reference, ["anything"]) == [()]


def test_the_opposite_in_the_place_of_a_word_contradicts():
    found = labels(REFERENCE, "the liquid turns cloudy")
    assert found["remains", "clear"] == "Contradicted"
    assert found["dissolves", "solid"] == "Unaddressed"
    assert labels("The pitch is not high.", "the pitch is low")["not high", "pitch"] != "Contradicted"


def test_what_an_answer_does_not_touch_upon_it_does_not_contradict():
    reference = "Ice is less dense than water, because water expands when it freezes."
    found = {one.facet.first: one.label for one in judged_points(reference, "ice is heavier than water")}
    assert found == {
        "ice is less dense than water": "Contradicted",
        "water expands when it freezes": "Unaddressed",
    }


def judged_points(reference, answer):
    given = [one.facet for one in find_points(analyse(reference))]
    (found,) = judge_facets("", reference, [answer], given)
    return found
