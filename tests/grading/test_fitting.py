"""Fitting to a user's labels: what they must be like, and what follows from them."""

from __future__ import annotations

import numpy as np
import pytest

from postil.data.questions import Answer, Question
from postil.errors import PostilError
from postil.grading.decision import LABELS
from postil.grading.evidence import EVIDENCE
from postil.grading.probabilities import Stack, demand_labels, fit_to

FIGURES = {"answers", "accuracy as shipped", "accuracy after training"}


def prior() -> Stack:
    """A stack that holds every answer for wrong."""
    weights = np.zeros((len(LABELS), len(EVIDENCE) + 1))
    weights[1:, 0] = 1
    zeros, ones = (0.0,) * len(EVIDENCE), (1.0,) * len(EVIDENCE)
    return Stack(tuple(map(tuple, weights.tolist())), zeros, ones)


def asked(*classes: list[str | None]) -> list[Question]:
    def answers(labels: list[str | None]) -> tuple[Answer, ...]:
        return tuple(Answer(str(place), "so", label) for place, label in enumerate(labels))

    return [Question(f"q{number}", "Why?", (), answers(labels)) for number, labels in enumerate(classes)]


def table_of(questions: list[Question]) -> np.ndarray:
    """Evidence of which the first column says whether the answer is correct."""
    labels = [answer.label for question in questions for answer in question.answers]
    table = np.random.default_rng(0).normal(size=(len(labels), len(EVIDENCE))) / 10
    table[:, 0] += [2 if label == "correct" else -2 for label in labels]
    return table


MIXED: list[str | None] = [
    "correct",
    "contradictory",
    "correct",
    "irrelevant",
    "partially_correct_incomplete",
]


def test_training_learns_what_the_labels_say() -> None:
    questions = asked(*[MIXED] * 6)
    table = table_of(questions)
    stack, figures = fit_to(table, questions, prior())
    assert figures.keys() == FIGURES
    assert figures["answers"] == 30
    assert figures["accuracy as shipped"] == pytest.approx(0.6)
    assert figures["accuracy after training"] == 1
    correct = stack.probabilities(table)[:, 0] > 0.5
    assert correct.tolist() == [answer.label == "correct" for one in questions for answer in one.answers]


def test_coarse_labels_are_enough() -> None:
    questions = asked(*[["correct", "incorrect"] * 4] * 4)
    _, figures = fit_to(table_of(questions), questions, prior())
    assert figures["accuracy after training"] > figures["accuracy as shipped"] == 0.5


def test_labels_that_say_nothing_move_the_prior_less() -> None:
    questions = asked(*[MIXED] * 6)
    noise = np.random.default_rng(1).normal(size=(30, len(EVIDENCE)))
    moved = [
        np.abs(np.array(fit_to(table, questions, prior())[0].weights)[:, 1:]).max()
        for table in (noise, table_of(questions))
    ]
    assert moved[0] < moved[1] / 3


def test_questions_without_answers_do_not_upset_the_folds() -> None:
    questions = asked(MIXED * 2, [], [], [], MIXED * 2)
    _, figures = fit_to(table_of(questions), questions, prior())
    assert figures["accuracy after training"] == 1


def test_the_labels_come_in_order() -> None:
    assert demand_labels(asked(MIXED * 2, MIXED * 2)) == MIXED * 4


@pytest.mark.parametrize(
    ("questions", "says"),
    [
        ([], "0 labelled answers to 0 questions"),
        (asked(["correct"] * 19), "19 labelled answers to 1 questions"),
        (asked(["correct"] * 40), "40 labelled answers to 1 questions"),
        (asked(["correct"] * 40, []), "40 labelled answers to 1 questions"),
        (asked(MIXED, MIXED), "10 labelled answers to 2 questions"),
        (asked(MIXED * 3, [*MIXED * 3, None, ""]), "2 of 32 answers have no label"),
        (asked(MIXED * 3, [*MIXED * 3, "wrong"]), "the label 'wrong' is unknown"),
    ],
)
def test_labels_that_cannot_be_learned_from(questions: list[Question], says: str) -> None:
    with pytest.raises(PostilError, match=says) as caught:
        demand_labels(questions)
    assert caught.value.hint
    with pytest.raises(PostilError, match=says):
        fit_to(np.zeros((0, len(EVIDENCE))), questions, prior())
