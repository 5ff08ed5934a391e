"""Fit the stack to a user's own labelled answers, from the shipped one as far as they ask."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from postil.data.questions import Question, count_answers
from postil.errors import PostilError
from postil.grading.decision import decide, demand_known
from postil.grading.evidence import Floats
from postil.grading.memory import targets
from postil.grading.probabilities import Stack, fit_stack

LEAST_ANSWERS, LEAST_QUESTIONS = 20, 2
_FOLDS = 5
_PENALTIES = (3.0, 30.0, 300.0, 3000.0)  # from free to hardly moved


def demand_labels(questions: Sequence[Question]) -> list[str]:
    """The labels of all answers; refused are answers without, unknown ones, and too few to learn from."""
    labels = [answer.label for question in questions for answer in question.answers if answer.label]
    if len(labels) < count_answers(questions):
        raise PostilError(
            f"{count_answers(questions) - len(labels)} of {count_answers(questions)} answers have no label.",
            hint="Leave them out of the training.",
        )
    demand_known(labels)
    answered = sum(bool(question.answers) for question in questions)
    if len(labels) < LEAST_ANSWERS or answered < LEAST_QUESTIONS:
        raise PostilError(
            f"there are {len(labels)} labelled answers to {answered} questions; training needs at least "
            f"{LEAST_ANSWERS} to {LEAST_QUESTIONS}.",
            hint="With fewer, let the grader remember them instead: postil grade --remember.",
        )
    return labels


def fit_to(table: Floats, questions: Sequence[Question], prior: Stack) -> tuple[Stack, dict[str, float]]:
    """A stack for these questions' labels, and how it does on questions left out, beside the prior.

    The table holds the evidence about every answer, in order; every answer must be labelled.
    """
    labels = demand_labels(questions)
    answered = [question for question in questions if question.answers]
    owner = np.array([number for number, question in enumerate(answered) for _ in question.answers])
    before = prior.probabilities(table)
    wanted = targets(labels, before)
    folds = owner % min(_FOLDS, len(answered))
    crossed = {penalty: _crossed(table, wanted, folds, prior, penalty) for penalty in _PENALTIES}
    losses = {
        penalty: float(-np.log((found * wanted).sum(axis=1) + 1e-9).mean())
        for penalty, found in crossed.items()
    }
    best = min(_PENALTIES, key=losses.__getitem__)
    wrong = np.array([label != "correct" for label in labels])
    figures = {
        "answers": float(len(labels)),
        "accuracy as shipped": _accuracy(before, wrong, prior),
        "accuracy after training": _accuracy(crossed[best], wrong, prior),
    }
    return fit_stack(table, wanted, prior=prior, penalty=best), figures


def _crossed(table: Floats, wanted: Floats, folds: NDArray[np.intp], prior: Stack, penalty: float) -> Floats:
    found = np.zeros_like(wanted)
    for fold in np.unique(folds):
        inside = folds == fold
        stack = fit_stack(table[~inside], wanted[~inside], prior=prior, penalty=penalty)
        found[inside] = stack.probabilities(table[inside])
    return found


def _accuracy(probabilities: Floats, wrong: NDArray[np.bool_], stack: Stack) -> float:
    return float((decide(probabilities, stack.biases)["2way"] == wrong).mean())
