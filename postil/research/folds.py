"""Cross-validation that mimics the challenge: new answers, new questions, or new domains."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from postil.data.questions import Answer, Question
from postil.errors import PostilError

SCENARIOS = ("unseen-answers", "unseen-questions", "unseen-domains")

Fold = tuple[list[Question], list[Question]]


def split_evenly(count: int, folds: int, seed: int) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """Give each of `count` units a fold number at random, folds as even as can be."""
    order = np.random.default_rng(seed).permutation(count)
    numbers = np.empty(count, dtype=np.intp)
    numbers[order] = np.arange(count) % folds
    return numbers


def response_folds(
    questions: Sequence[Question], scenario: str, folds: int = 10, seed: int = 0
) -> Iterator[Fold]:
    """Split questions into (train, test) pairs; each corpus is split by itself, and folds go together."""
    if scenario not in SCENARIOS:
        raise PostilError(f"there is no scenario {scenario!r}.", hint=f"There are {', '.join(SCENARIOS)}.")
    if folds < 2:
        raise PostilError(f"cross-validation needs at least 2 folds, not {folds}.")
    fold_of = _assign(questions, scenario, folds, seed)
    for fold in range(folds):
        train = [_keep(question, fold_of, fold, inside=False) for question in questions]
        test = [_keep(question, fold_of, fold, inside=True) for question in questions]
        test = [question for question in test if question.answers]
        if test:
            yield [question for question in train if question.answers], test


def _unit(question: Question, answer: Answer, scenario: str) -> str:
    if scenario == "unseen-answers":
        return answer.id
    return question.id if scenario == "unseen-questions" else question.module


def _assign(
    questions: Sequence[Question], scenario: str, folds: int, seed: int
) -> dict[tuple[str, str], int]:
    """The fold of every answer, by (corpus, answer id)."""
    units: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for question in questions:
        for answer in question.answers:
            units[question.corpus][_unit(question, answer, scenario)].append(answer.id)
    fold_of = {}
    for corpus, members in units.items():
        if len(members) < 2:
            raise PostilError(
                f"{corpus or 'the corpus'} has only {len(members)} unit to split for {scenario}."
            )
        numbers = split_evenly(len(members), min(folds, len(members)), seed)
        for number, ids in zip(numbers, members.values(), strict=True):
            fold_of.update({(corpus, id): int(number) for id in ids})
    return fold_of


def _keep(question: Question, fold_of: dict[tuple[str, str], int], fold: int, *, inside: bool) -> Question:
    answers = (a for a in question.answers if (fold_of[question.corpus, a.id] == fold) == inside)
    return replace(question, answers=tuple(answers))
