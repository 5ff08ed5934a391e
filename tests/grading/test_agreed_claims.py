"""Label, claims and note are one judgement: no outcome beside a label that it cannot be beside."""

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
from postil.data.labels import PARTLY, RESPONSE_SCHEMES
from postil.data.questions import Facet
from postil.explain.notes import spoken_against
from postil.grader import explain_class, make_question
from postil.grading.credit import earns_nothing
from postil.grading.decision import agreed, disagreement, reconciled, unsaid
from postil.grading.facets import TOPIC
from postil.grading.verdicts import label_of

LABELS = RESPONSE_SCHEMES["5way"].labels
ANSWER = "the salt dissolves and the water stays clear"


def judged(label: str, *, deferred: bool = False, chance: float = 0.9) -> Judgement:
    five = dict.fromkeys(LABELS, (1 - chance) / 4) | {label: chance}
    labels = {scheme.name: scheme.collapse(label) for scheme in RESPONSE_SCHEMES.values()}
    return Judgement(labels, collapsed(five), score_of(five), chance, deferred, reference=ANSWER)


def read(expressed: float, contradicted: float = 0.0, **facet) -> FacetOutcome:
    """An outcome as it is read off an answer, before anything is known of the label."""
    label = label_of(expressed, contradicted)
    chance = {EXPRESSED: expressed, CONTRADICTED: contradicted}.get(label, 1 - max(expressed, contradicted))
    near = ((4, 8),)
    spans = () if label == UNADDRESSED else near
    words = tuple(ANSWER[start:end] for start, end in spans)
    name = Facet("p", "salt dissolves", **facet)
    return FacetOutcome(name, label, chance, words, spans, (), contradicted, expressed, near)


@st.composite
def outcome(draw) -> FacetOutcome:
    expressed = draw(st.floats(0, 1))
    group = draw(st.sampled_from(["", "", "", "any"]))
    kind = {
        "required": draw(st.sampled_from([True, True, True, False])),
        "relation": draw(st.sampled_from(["", "", "", TOPIC])),
        "group": group,
        "needed": 2 if group else 0,
    }
    return read(expressed, draw(st.floats(0, 1)) * (1 - expressed), **kind)


OUTCOMES = st.lists(outcome(), max_size=6)
CHANCES = st.floats(0.3, 1)


def counting(outcomes):
    return [each for each in outcomes if each.facet.required and each.facet.relation != TOPIC]


def complete(outcomes) -> bool:
    """Whether all that is required is said: of alternatives, two."""
    required = counting(outcomes)
    alone = [each.label == EXPRESSED for each in required if not each.facet.group]
    group = [each.label == EXPRESSED for each in required if each.facet.group]
    return all(alone) and sum(group) >= min(2, len(group))


@settings(max_examples=400, deadline=None, derandomize=True, database=None)
@given(st.sampled_from(LABELS), st.booleans(), CHANCES, OUTCOMES, st.booleans())
def test_no_outcome_is_beside_a_label_that_it_cannot_be_beside(
    label, deferred, chance, outcomes, set_by_person
):
    judgement = judged(label, deferred=deferred, chance=chance)
    if set_by_person:
        judgement = reconciled(judgement, outcomes)
    settled = agreed(judgement, outcomes, ANSWER)
    assert [replace(each.facet, required=True) for each in settled] == [
        replace(each.facet, required=True) for each in outcomes
    ]
    assert all(0 <= each.confidence <= 1 + 1e-9 for each in settled)
    assert all(list(each.words) == [ANSWER[a:b] for a, b in each.spans] for each in settled)
    if settled == tuple(outcomes) and judgement.deferred:
        return  # both sides are shown, and a person decides
    required = counting(settled)
    if label == "correct":
        assert not unsaid(settled)
        assert complete(settled)
        assert all(each.label != CONTRADICTED for each in settled)
    elif label == PARTLY:
        assert not required or not complete(settled)
    elif label == "contradictory":
        assert not required or any(each.label == CONTRADICTED for each in settled)
    else:
        assert all(each.label == UNADDRESSED for each in settled if each.facet.relation != TOPIC)
    assert not disagreement(label, settled)
    assert not spoken_against(label, settled)
    assert agreed(judgement, settled, ANSWER) == settled  # once is enough


@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(st.sampled_from(LABELS), CHANCES, OUTCOMES)
def test_both_sides_are_shown_only_where_a_person_looks(label, chance, outcomes):
    settled = agreed(judged(label, chance=chance), outcomes, ANSWER)
    assert not disagreement(label, settled)
    left = agreed(judged(label, chance=chance, deferred=True), outcomes, ANSWER)
    if disagreement(label, outcomes) or earns_nothing(label, outcomes):
        assert left == tuple(outcomes)


def labels_of(outcomes):
    return [each.label for each in outcomes]


def test_a_correct_answer_says_what_may_be_said_and_does_not_need_what_surely_is_not():
    first, second, third = agreed(judged("correct"), [read(0.9), read(0.4, 0.1), read(0.05)], ANSWER)
    assert (first, second.label) == (read(0.9), EXPRESSED)
    assert second.confidence == pytest.approx(0.9 + 0.1 * 0.4)
    assert second.words == ("salt",)
    assert (third.label, third.facet.required) == (UNADDRESSED, False)
    kept = agreed(judged("correct", deferred=True), [read(0.9), read(0.05)], ANSWER)
    assert kept == (read(0.9), read(0.05))


def test_a_partly_right_answer_has_a_part_and_lacks_one():
    assert labels_of(agreed(judged(PARTLY), [read(0.9), read(0.6)], ANSWER)) == [EXPRESSED, UNADDRESSED]
    assert labels_of(agreed(judged(PARTLY), [read(0.1), read(0.4)], ANSWER)) == [UNADDRESSED, EXPRESSED]
    assert labels_of(agreed(judged(PARTLY), [read(0.9)], ANSWER)) == [UNADDRESSED]
    (lacking,) = agreed(judged(PARTLY), [read(0.9)], ANSWER)
    assert (lacking.spans, lacking.near) == ((), ((4, 8),))
    assert lacking.confidence == pytest.approx(0.9 + 0.1 * 0.1)


def test_how_sure_an_outcome_is_follows_from_what_was_read():
    _, lacking = agreed(judged(PARTLY, chance=1.0), [read(0.9), read(0.6)], ANSWER)
    # One of the two is lacking, and surely not both of .9 and .6 are said: .4 of what is not .54.
    assert lacking.confidence == pytest.approx(0.4 / (1 - 0.54))


def test_of_alternatives_two_are_enough():
    outcomes = [read(chance, group="any", needed=2) for chance in (0.9, 0.8, 0.1)]
    assert agreed(judged("correct"), outcomes, ANSWER) == tuple(outcomes)
    assert labels_of(agreed(judged(PARTLY), outcomes, ANSWER)) == [EXPRESSED, UNADDRESSED, UNADDRESSED]
    fewer = [read(chance, group="any", needed=2) for chance in (0.9, 0.4, 0.3)]
    assert labels_of(agreed(judged("correct"), fewer, ANSWER)) == [EXPRESSED, EXPRESSED, UNADDRESSED]


def test_a_contradiction_has_something_that_it_contradicts():
    outcomes = [read(0.2, 0.1), read(0.2, 0.4)]
    assert labels_of(agreed(judged("contradictory"), outcomes, ANSWER)) == [UNADDRESSED, CONTRADICTED]
    assert agreed(judged("contradictory"), [], ANSWER) == ()


def test_what_is_off_the_point_says_nothing_but_its_topic():
    outcomes = [read(0.9, relation=TOPIC), read(0.8), read(0.1, 0.8)]
    assert labels_of(agreed(judged("irrelevant"), outcomes, ANSWER)) == [EXPRESSED, UNADDRESSED, UNADDRESSED]


@pytest.mark.parametrize("claims", [None, (Facet("1", "salt dissolves"), Facet("2", "water remains clear"))])
@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("deferred", [False, True])
def test_explanations_have_the_outcomes_that_their_label_allows(label, claims, deferred):
    question = make_question("What happens to the salt?", ["The salt dissolves and the water remains clear."])
    answers = [
        "it dissolves",
        "the salt dissolves and the water stays clear",
        "the salt does not dissolve",
        "i like salt",
    ]
    judgements = [judged(label, deferred=deferred)] * len(answers)
    for each in explain_class(question, answers, judgements, claims):
        outcomes = each.explanation.facets
        against = disagreement(label, outcomes)
        assert (" was judged “" in each.explanation.doubt) == bool(against)
        if not each.deferred:
            assert not against
            assert (label == "correct") <= (not unsaid(outcomes))
            assert (label == PARTLY) <= any(outcome.label != EXPRESSED for outcome in outcomes)
            assert (label == "contradictory") <= any(outcome.label == CONTRADICTED for outcome in outcomes)
            assert (label == "irrelevant") <= all(outcome.label == UNADDRESSED for outcome in outcomes)
