"""Where claims that a person set contradict a label, the judgement is less sure and is left to a person."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.data.judgements import (
    CONTRADICTED,
    EXPRESSED,
    UNADDRESSED,
    FacetOutcome,
    Judgement,
    collapsed,
    score_of,
)
from postil.data.labels import RESPONSE_SCHEMES
from postil.data.questions import Facet
from postil.explain.notes import spoken_against
from postil.grader import explain_class, grade_class, load, make_question
from postil.grading.credit import earns_nothing
from postil.grading.decision import SURE, disagreement, reconciled, unsaid

QUESTION = "What happens when salt is stirred into water?"
REFERENCE = "The salt dissolves and the water remains clear."
LABELS = RESPONSE_SCHEMES["5way"].labels


def judged(label: str) -> Judgement:
    five = dict.fromkeys(LABELS, 0.025) | {label: 0.9}
    labels = {scheme.name: scheme.collapse(label) for scheme in RESPONSE_SCHEMES.values()}
    return Judgement(labels, collapsed(five), score_of(five), 0.9, reference=REFERENCE)


def outcome(label: str, confidence: float, *, required: bool = True) -> FacetOutcome:
    return FacetOutcome(Facet("p", "salt dissolves", required=required), label, confidence)


@pytest.mark.parametrize("label", [UNADDRESSED, CONTRADICTED])
def test_a_correct_answer_without_a_required_facet_is_doubted(label):
    outcomes = [outcome(EXPRESSED, 0.9), outcome(label, 0.85)]
    found = reconciled(judged("correct"), outcomes)
    assert found.deferred
    assert found.confidence == pytest.approx((0.9 + 0.15) / 2)
    assert found.labels == judged("correct").labels
    (said,) = spoken_against("correct", outcomes)
    assert "salt dissolves" in [content.words for content in (*said.missing, *said.contents)]


@pytest.mark.parametrize(
    "outcomes",
    [
        [],
        [outcome(EXPRESSED, 0.99)],
        [outcome(EXPRESSED, 0.9), outcome(UNADDRESSED, SURE - 0.01)],
        [outcome(EXPRESSED, 0.9), outcome(UNADDRESSED, 0.99, required=False)],
    ],
)
def test_what_is_unsure_or_optional_does_not_speak_against_correct(outcomes):
    assert reconciled(judged("correct"), outcomes) == judged("correct")
    assert spoken_against("correct", outcomes) == []


@pytest.mark.parametrize("label", LABELS[1:])
def test_any_other_label_is_doubted_where_all_is_said(label):
    outcomes = [outcome(EXPRESSED, 0.95), outcome(EXPRESSED, 0.9), outcome(UNADDRESSED, 0.9, required=False)]
    found = reconciled(judged(label), outcomes)
    assert found.deferred
    assert found.confidence == pytest.approx((0.9 + 0.1) / 2)
    assert len(spoken_against(label, outcomes)) == 1
    assert not disagreement(label, [*outcomes, outcome(EXPRESSED, 0.6)])


def test_a_partly_right_answer_that_would_earn_nothing_is_left_to_a_person():
    partly = judged("partially_correct_incomplete")
    outcomes = [outcome(UNADDRESSED, 0.6), outcome(CONTRADICTED, 0.9, required=False)]
    assert reconciled(partly, outcomes) == replace(partly, deferred=True)
    assert reconciled(partly, [*outcomes, outcome(EXPRESSED, 0.6, required=False)]) == partly
    assert reconciled(partly, []) == partly
    assert reconciled(judged("irrelevant"), outcomes) == judged("irrelevant")


def test_optional_facets_alone_say_nothing():
    assert not disagreement("irrelevant", [outcome(EXPRESSED, 0.95, required=False)])


ANSWERS = (
    "the salt dissolves",
    "the water stays clear",
    "the salt dissolves and the water stays clear",
    "the salt does not dissolve",
    "the water turns cloudy",
    "i like salt",
    "it disappears in the clear water",
)


CLAIMS = (Facet("1", "salt dissolves"), Facet("2", "water remains clear"))
SALT = make_question(QUESTION, [REFERENCE])


@pytest.mark.parametrize("claims", [None, CLAIMS])
@pytest.mark.parametrize("label", LABELS)
def test_only_claims_that_a_person_set_move_a_judgement(label, claims):
    judgements = [judged(label)] * len(ANSWERS)
    for one in explain_class(SALT, ANSWERS, judgements, claims):
        outcomes = one.explanation.facets
        names = ["salt dissolves", "water remains clear"]
        own = names if claims else [f"the {name}" for name in names]
        assert [facet.facet.first for facet in outcomes] == own
        against = bool(disagreement(label, outcomes))
        assert (" was judged “" in one.explanation.doubt) == against
        less_sure = against and claims is not None
        left = less_sure or (claims is not None and earns_nothing(label, outcomes))
        assert (one.deferred, one.confidence < 0.9) == (left, less_sure)


@pytest.mark.parametrize("claims", [None, CLAIMS])
def test_an_explanation_changes_nothing_else(claims):
    """Label, probabilities, score, confidence, deferral and reason are decided without it."""
    answers = (*ANSWERS, "", "idk", REFERENCE, QUESTION, "it disolves", "salt " * 120)
    decided = [(ANSWERS[0], "partially_correct_incomplete")]
    plain = grade_class(SALT, answers, decided, claims)
    explained = grade_class(SALT, answers, decided, claims, explain=True)
    assert [replace(one, explanation=None) for one in explained] == plain
    assert any(one.explanation for one in explained)


REFERENCE_WORDS = tuple(REFERENCE.rstrip(".").lower().split())
QUESTION_WORDS = tuple(QUESTION.rstrip("?").lower().split())
NEGATIONS = ("not", "no", "never", "doesn't", "without", "nothing")
OTHER_WORDS = ("ice", "melts", "cloudy", "because", "sugar", "quickly", "7", "i", "dunno", "zxqv", "!")
WORDS = st.one_of(map(st.sampled_from, (REFERENCE_WORDS, QUESTION_WORDS, NEGATIONS, OTHER_WORDS)))
WRITTEN = st.one_of(
    st.lists(WORDS, max_size=12).map(" ".join),
    # The reference with some words changed: close to what is right, and to what contradicts it.
    st.dictionaries(st.integers(0, len(REFERENCE_WORDS) - 1), WORDS, max_size=3).map(
        lambda changes: " ".join(changes.get(place, word) for place, word in enumerate(REFERENCE_WORDS))
    ),
)
MARKED = st.tuples(WRITTEN, st.sampled_from(LABELS))


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(
    st.lists(WRITTEN, min_size=1, max_size=6), st.lists(MARKED, max_size=2), st.sampled_from([None, CLAIMS])
)
def test_no_explanation_changes_anything_else_whatever_is_written(answers, decided, claims):
    plain = grade_class(SALT, answers, decided, claims)
    explained = grade_class(SALT, answers, decided, claims, explain=True)
    for before, after in zip(plain, explained, strict=True):
        assert after.label == before.label
        assert after.score == before.score
        assert after.confidence == before.confidence
        assert after.deferred == before.deferred
        assert after.reason == before.reason
        assert replace(after, explanation=None) == before


def test_the_grader_says_of_a_correct_answer_what_was_not_found():
    for answer in ANSWERS:
        one = load().grade(QUESTION, [REFERENCE], answer, explain=True)
        if one.label == "correct" and unsaid(one.explanation.facets):
            assert "not found in it" in one.explanation.doubt


def test_a_contradiction_shows_what_contradicts():
    (one,) = explain_class(SALT, ["the salt does not dissolve"], [judged("contradictory")])
    assert "dissolve" in one.explanation.teacher
    assert one.explanation.teacher.count("contradict") or "not" in one.explanation.teacher
