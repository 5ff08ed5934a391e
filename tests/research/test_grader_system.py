"""The shipped grader as a system: it remembers, collapses its labels, and refuses what would flatter."""

from __future__ import annotations

from dataclasses import replace

import pytest

from postil.data.labels import RESPONSE_SCHEMES
from postil.data.questions import Answer, Question, Reference
from postil.errors import PostilError
from postil.grading.answers import fingerprint
from postil.research.shipped import ShippedGrader
from postil.research.systems import create

QUESTION = Question(
    "q",
    "Why do ships float?",
    (Reference("r", "A ship pushes away water that weighs as much as the ship."),),
    (
        Answer("a", "it pushes aside water as heavy as itself", "correct"),
        Answer("b", "ships are painted", "irrelevant"),
        Answer("c", "idk", "non_domain"),
    ),
    corpus="made-up",
)


def test_it_is_registered() -> None:
    assert isinstance(create("responses", "postil"), ShippedGrader)


def test_it_repeats_what_it_was_told_and_schemes_agree() -> None:
    told = replace(QUESTION, answers=tuple(replace(a, label="contradictory") for a in QUESTION.answers[:2]))
    system = ShippedGrader().fit([told])
    five, three, two = (system.predict([QUESTION], scheme) for scheme in RESPONSE_SCHEMES.values())
    assert five == ["contradictory", "contradictory", "non_domain"]
    assert three == ["contradictory", "contradictory", "incorrect"]
    assert two == ["incorrect"] * 3


def test_labels_of_the_answers_are_not_read() -> None:
    turned = replace(QUESTION, answers=tuple(replace(a, label="irrelevant") for a in QUESTION.answers))
    scheme = RESPONSE_SCHEMES["5way"]
    assert ShippedGrader().predict([QUESTION], scheme) == ShippedGrader().predict([turned], scheme)


def test_it_refuses_what_its_encoder_has_learned_from() -> None:
    system = ShippedGrader()
    name = fingerprint(QUESTION.text, [QUESTION.references[0].text])
    system.grader = replace(system.grader, known={name: 3})
    with pytest.raises(PostilError, match="would flatter"):
        system.predict([QUESTION], RESPONSE_SCHEMES["2way"])
    # All that the encoder has seen is given as training data, so that it is clear which answers are known.
    system.fit([QUESTION])
    with pytest.raises(PostilError, match="learned from 3 of these 3 items") as refused:
        system.predict([QUESTION], RESPONSE_SCHEMES["2way"])
    assert "not in --train" in refused.value.hint
    others = replace(QUESTION, answers=(*QUESTION.answers[:1], Answer("d", "it is hollow"), Answer("e", "")))
    assert system.learned_from([others]) == [True, False, False]
    assert len(system.predict([others], RESPONSE_SCHEMES["2way"])) == 3
