"""The response benchmark: train on one folder and test on another, or cross-validate.

Cross-validation mimics the challenge: the answers, the questions or the domains of a fold are new.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path

from postil.data.formats.sra import CORPORA, read_collection
from postil.data.labels import RESPONSE_SCHEMES, Scheme, reachable_schemes
from postil.data.questions import Question, count_answers, labelled_only
from postil.errors import MissingDataError, PostilError
from postil.research.systems import ResponseSystem, create
from postil.research.tables import BenchResult, Cell, Cells
from postil.scoring.responses import left_out, score_labels, tally_classes
from postil.scoring.score import make_signature
from postil.scoring.significance import fold_numbers, group_numbers

SCENARIOS = ("unseen-answers", "unseen-questions", "unseen-domains")

Fold = tuple[list[Question], list[Question]]
Progress = Callable[[int, int, str], None]


def response_folds(
    questions: Sequence[Question], scenario: str, folds: int = 10, seed: int = 0
) -> Iterator[Fold]:
    """Split questions into (train, test) pairs; each corpus is split by itself, fold with fold."""
    if scenario not in SCENARIOS:
        raise PostilError(f"there is no scenario {scenario!r}.", hint=f"Choose from: {', '.join(SCENARIOS)}.")
    if folds < 2:
        raise PostilError(f"cross-validation needs at least 2 folds, not {folds}.")
    fold_of = _assign(questions, scenario, folds, seed)
    for fold in range(folds):
        train, test = (_part(questions, fold_of, fold, inside=inside) for inside in (False, True))
        if test:
            yield train, test


def _assign(
    questions: Sequence[Question], scenario: str, folds: int, seed: int
) -> dict[tuple[str, str], int]:
    """The fold of every answer, by (corpus, answer id)."""
    units: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for question in questions:
        unit = question.id if scenario == "unseen-questions" else question.module
        for answer in question.answers:
            units[question.corpus][answer.id if scenario == "unseen-answers" else unit].append(answer.id)
    fold_of = {}
    for corpus, members in units.items():
        if len(members) < 2:
            raise PostilError(f"{corpus or 'the corpus'} has only 1 unit for {scenario}; folds need 2.")
        numbers = fold_numbers(range(len(members)), min(folds, len(members)), seed)
        for number, ids in zip(numbers, members.values(), strict=True):
            fold_of.update({(corpus, id): int(number) for id in ids})
    return fold_of


def _part(
    questions: Sequence[Question], fold_of: dict[tuple[str, str], int], fold: int, *, inside: bool
) -> list[Question]:
    """The questions that have answers inside a fold, or outside it, with these answers alone."""
    parts = []
    for question in questions:
        answers = (a for a in question.answers if (fold_of[question.corpus, a.id] == fold) == inside)
        parts.append(replace(question, answers=tuple(answers)))
    return [question for question in parts if question.answers]


@dataclass(frozen=True, slots=True)
class _Outcome:
    """One answer's gold label, given label and question."""

    question: str
    gold: str
    given: str


_Outcomes = dict[tuple[str, str, str], list[_Outcome]]  # (scheme, corpus, set) → answers


def run_responses(
    train: Path | str,
    system: str,
    *,
    test: Path | str | None = None,
    scenario: str = "unseen-questions",
    folds: int = 10,
    seed: int = 0,
    make: Callable[[], ResponseSystem] | None = None,
    progress: Progress | None = None,
) -> BenchResult:
    """Run a system on a test folder or, without one, in a cross-validated scenario.

    `system` names a registered system, or with `make` merely the result.
    """
    started = time.perf_counter()
    training = _training_questions(train)
    outcomes: _Outcomes = defaultdict(list)
    note = progress or (lambda done, total, what: None)
    make = make or partial(create, "responses", system)
    if test is None:
        splits = list(response_folds(training, scenario, folds, seed))
        for number, (fold_train, fold_test) in enumerate(splits):
            note(number, len(splits), f"fold {number + 1} of {len(splits)}")
            model = make()
            model.fit(fold_train)
            schemes = _schemes([*fold_train, *fold_test])
            _predict(model, fold_test, f"cv-{scenario}", schemes, outcomes)
        how: dict[str, object] = {"cv": scenario, "folds": folds, "seed": seed}
    else:
        sets = _test_sets(test)
        model = make()
        note(0, len(sets) + 1, "training")
        model.fit(training)
        for number, ((_, name), questions) in enumerate(sets.items(), start=1):
            note(number, len(sets) + 1, name)
            _predict(model, questions, name, _schemes([*training, *questions]), outcomes)
        how = {"train": count_answers(training), "test": sum(map(count_answers, sets.values()))}
    signature = make_signature("sra", system=system, **how)
    return BenchResult("responses", system, signature, _cells(outcomes), time.perf_counter() - started)


def _training_questions(folder: Path | str) -> list[Question]:
    collection = read_collection(folder)
    questions = [q for (_, name), group in collection.items() if name == "train" for q in group]
    if not questions:
        raise MissingDataError(
            f"{folder}: no corpus has a folder 'train'.", hint="docs/researchers/data.md shows the layout."
        )
    labelled = labelled_only(questions)
    if not labelled:
        raise MissingDataError(f"{folder}: no answer in the folders 'train' has a label.")
    return labelled


def _test_sets(folder: Path | str) -> dict[tuple[str, str], list[Question]]:
    sets = {key: labelled_only(group) for key, group in read_collection(folder).items() if key[1] != "train"}
    if not any(sets.values()):
        raise MissingDataError(
            f"{folder}: no test set with labels was found below this folder.",
            hint="Sets are folders like beetle/test-unseen-answers; without --test, Postil cross-validates.",
        )
    return sets


def _schemes(questions: Sequence[Question]) -> list[Scheme]:
    """The schemes that the labels to learn from and those to score against both allow."""
    labels = (answer.label for question in questions for answer in question.answers if answer.label)
    return reachable_schemes(labels, RESPONSE_SCHEMES)


def _predict(
    model: ResponseSystem,
    questions: Sequence[Question],
    name: str,
    schemes: Sequence[Scheme],
    outcomes: _Outcomes,
) -> None:
    """Label the questions, their own labels hidden, in every scheme asked for."""
    hidden = [
        replace(q, answers=tuple(replace(a, label=None, match="", facets=()) for a in q.answers))
        for q in questions
    ]
    answers = [(question, answer) for question in questions for answer in question.answers]
    for scheme in schemes:
        for (question, answer), given in zip(answers, model.predict(hidden, scheme), strict=True):
            gold = scheme.collapse(answer.label or "") or ""
            outcome = _Outcome(f"{question.corpus}/{question.id}", gold, given)
            outcomes[scheme.name, question.corpus, name].append(outcome)


def _cells(outcomes: _Outcomes) -> Cells:
    """Score each set, each corpus as a whole, and everything together."""
    cells: Cells = {}
    for scheme in RESPONSE_SCHEMES.values():
        sets = {key[1:]: answers for key, answers in outcomes.items() if key[0] == scheme.name}
        if not sets:
            continue
        tests = {"/".join(key): _cell(answers, scheme, key[0]) for key, answers in sets.items()}
        for corpus in CORPORA:
            own = list(chain.from_iterable(answers for key, answers in sets.items() if key[0] == corpus))
            if own:
                tests[f"{corpus}/all"] = _cell(own, scheme, corpus)
        tests["all"] = _cell(list(chain.from_iterable(sets.values())), scheme, "")
        cells[scheme.name] = tests
    return cells


def _cell(outcomes: Sequence[_Outcome], scheme: Scheme, corpus: str) -> Cell:
    gold, given = [outcome.gold for outcome in outcomes], [outcome.given for outcome in outcomes]
    tally = tally_classes(gold, given, scheme, left_out(corpus, scheme))
    groups = group_numbers([outcome.question for outcome in outcomes])
    return Cell(score_labels("sra", tally, scheme, corpus), tally, groups)
