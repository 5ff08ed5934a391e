"""Judging a class: when a long reference keeps an answer from being called wrong without a look."""

from __future__ import annotations

import numpy as np
import pytest

from postil.data.judgements import Judgement, Reason
from postil.grading.comparison import Class, compare
from postil.grading.evidence import ENCODER
from postil.grading.judging import LONG_REFERENCE, Opinion, judge_class
from postil.grading.memory import NEW
from postil.grading.probabilities import Stack

QUESTION = "What does the protocol do when a packet is lost?"
SHORT = "It sends the packet again."
LONG = (
    "The sender waits for an acknowledgement, and if none comes before its timer runs out it sends "
    "the packet again and halves the window."
)
BIASES = {"5way": (0.0,) * 5, "3way": (0.0,) * 3, "2way": (0.0,) * 2}
STACK = Stack(
    weights=tuple(tuple(row) for row in np.hstack([np.zeros((5, 1)), np.eye(5)]).tolist()),
    means=(0.0,) * 5,
    scales=(1.0,) * 5,
    features=ENCODER,
    biases=BIASES,
    passing=0.8,
    passing_long=0.95,
)


class Doubting:
    """A reader for whom every answer is wrong, with the same certainty."""

    name, most_words, longest, gullible = "careful", 100, 256, False

    def __init__(self, wrong: float) -> None:
        self.wrong = wrong

    def pairs(self, pairs, heads=("response",), question=""):
        chances = [1 - self.wrong, self.wrong - 0.03, 0.01, 0.01, 0.01]
        return {head: np.log(np.array([chances] * len(pairs))) for head in heads}

    def forget(self) -> None:
        """Nothing is remembered."""


def judged(wrong: float, reference: str, **options) -> Judgement:
    opinions = [Opinion(STACK, Doubting(wrong))]
    answers = ["the window gets smaller", "it is encrypted"]
    return judge_class(QUESTION, [reference], answers, opinions, NEW, **options)[0]


def test_the_references_are_as_long_as_they_should_be() -> None:
    assert len(SHORT.split()) <= LONG_REFERENCE < len(LONG.split())


@pytest.mark.parametrize(
    ("wrong", "reference", "deferred", "reason"),
    [
        (0.90, SHORT, False, None),
        (0.90, LONG, True, Reason.LONG_REFERENCE),
        (0.97, LONG, False, None),
        (0.70, LONG, True, None),  # left to a person anyway
    ],
)
def test_beside_a_long_reference_only_what_is_surely_wrong_passes(wrong, reference, deferred, reason) -> None:
    judgement = judged(wrong, reference)
    assert judgement.labels["2way"] == "incorrect"
    assert (judgement.deferred, judgement.reason) == (deferred, reason)


def test_whoever_said_how_strict_to_be_is_not_asked() -> None:
    assert judged(0.90, LONG, leniency=-0.2).reason is None
    assert judged(0.90, LONG, decided={"it is encrypted": "incorrect"}).reason is None


@pytest.mark.parametrize(
    ("reason", "compared"),
    [(None, True), (Reason.LONG_REFERENCE, True), (Reason.LONG, False), (Reason.ORDER, False)],
)
def test_an_answer_left_to_a_person_beside_a_long_reference_is_compared_with_it(reason, compared) -> None:
    judgement = Judgement({"5way": "irrelevant"}, {}, 0.0, 0.9, True, LONG, reason=reason)
    ((comparison,),) = compare([Class(QUESTION, ["the window gets smaller"], [judgement])])
    assert (comparison is not None) == compared


@pytest.mark.parametrize("gullible", [True, False])
@pytest.mark.parametrize(
    ("answer", "always"),
    [
        ("Some people say " + SHORT.lower()[:-1] + ", but that is wrong.", None),
        ("Does it send the packet again?", Reason.ASKED),
        (SHORT + "???", Reason.ASKED),  # the reference, so no reader sees it
        ("The packet sends it again.", Reason.ORDER),
        (" ".join([SHORT] * 5), Reason.WORDY),
    ],
)
def test_some_tricks_are_looked_for_only_where_the_reader_would_fall_for_them(
    gullible: bool, answer: str, always: Reason | None
) -> None:
    trusting = Doubting(0.05)
    trusting.gullible = gullible
    (judgement,) = judge_class(QUESTION, [SHORT], [answer], [Opinion(STACK, trusting)], NEW)
    assert judgement.label == "correct"
    assert judgement.reason is (always or (Reason.TAKEN_BACK if gullible else None))
    assert judgement.deferred == (judgement.reason is not None)
