"""The stack: weighs the evidence about an answer and gives the probability of each of the five labels."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

from postil.data.arrays import Floats, Singles
from postil.data.files import atomic_writer, write_text
from postil.data.labels import RESPONSE_SCHEMES
from postil.data.questions import Question, count_answers
from postil.errors import InputError, PostilError
from postil.grading.decision import LABELS, decide, demand_known
from postil.grading.evidence import ENCODER, EVIDENCE
from postil.grading.memory import targets
from postil.language.network import CAREFUL, EXPERT, QUICK, SERVER, kind_of

FORMAT = 1
HOME_FILE = "home.npz"
_STEPS = 400  # a vector's numbers are kept in such parts of one
_FARTHEST = 3.0  # spreads from the mean
PASSED = 0.8  # share of all answers
# For questions that the encoder has learned from, and for all others.
NAMES = ("known", "new")


@dataclass(frozen=True, slots=True)
class Stack:
    """Softmax regression over standardised evidence.

    `biases` are added to the logarithms of a scheme's probabilities before the best is taken, since the field
    counts every label alike, however rare. `sureness` is how often the two-way label was right among answers
    at least as sure as each of some confidences, highest first: (confidence, share of all answers, accuracy).
    """

    weights: tuple[tuple[float, ...], ...]  # a row a label: its intercept, then a weight for each feature
    means: tuple[float, ...]
    scales: tuple[float, ...]
    biases: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    sureness: tuple[tuple[float, float, float], ...] = ()
    features: tuple[str, ...] = EVIDENCE
    passing: float = 0.0  # the confidence from which judgements pass; if 0, the surest four in five do
    # The same for answers that are called wrong beside a long reference, where nobody said how strict to be.
    passing_long: float = 0.0

    def probabilities(self, table: Floats) -> Floats:
        """A row an answer, a column a label; the table has a column for each of `EVIDENCE`."""
        inputs = _standard(self.chosen(table), np.array(self.means), np.array(self.scales))
        probabilities: Floats = softmax(inputs @ np.array(self.weights).T, axis=-1)
        return probabilities

    def chosen(self, table: Floats) -> Floats:
        """The columns that are weighed."""
        return table[:, [EVIDENCE.index(name) for name in self.features]]

    def threshold(self, target: float) -> float:
        """The least confidence at which answers are right as often as asked for; more than 1 if never."""
        good = [confidence for confidence, _, accuracy in self.sureness if accuracy >= target]
        return min(good, default=1.01)

    def threshold_for(self, share: float) -> float:
        """The confidence that so large a share of answers reaches."""
        return next((confidence for confidence, reached, _ in self.sureness if reached >= share), 0.0)

    @property
    def pass_level(self) -> float:
        """The confidence from which judgements pass unless an accuracy is asked for."""
        return self.passing or self.threshold_for(PASSED)


def fit_stack(
    table: Floats,
    goals: Floats,
    *,
    weights: Floats | None = None,
    prior: Stack | None = None,
    penalty: float = 10.0,
    features: Sequence[str] = EVIDENCE,
) -> Stack:
    """Fit to evidence (a column for each of `EVIDENCE`) and the probabilities that labels stand for.

    Weights are drawn to a prior's, or to zero: with few labelled answers the prior speaks, with many the
    data do.
    """
    counts = np.ones(len(table)) if weights is None else weights
    features = tuple(features) if prior is None else prior.features
    table = table[:, [EVIDENCE.index(name) for name in features]]
    if prior is None:
        means, scales = table.mean(axis=0), table.std(axis=0) + 1e-3
        start = np.zeros((len(LABELS), table.shape[1] + 1))
    else:
        means, scales, start = np.array(prior.means), np.array(prior.scales), np.array(prior.weights)
    inputs = _standard(table, means, scales)

    def cost(flat: Floats) -> tuple[float, Floats]:
        own = flat.reshape(start.shape)
        logs = log_softmax(inputs @ own.T, axis=-1)
        moved = own - start
        moved[:, 0] *= 0.1  # how frequent a label is may differ freely
        loss = -float(counts @ (goals * logs).sum(axis=1)) + penalty / 2 * float((moved**2).sum())
        slope = ((np.exp(logs) - goals) * counts[:, None]).T @ inputs
        moved[:, 0] *= 0.1
        return loss, (slope + penalty * moved).ravel()

    fitted = minimize(cost, start.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": 500})
    learned: Floats = np.reshape(fitted.x, start.shape)
    rows = tuple(tuple(row.tolist()) for row in learned)
    stack = Stack(rows, tuple(means.tolist()), tuple(scales.tolist()), features=features)
    if prior is None:
        return stack
    return replace(prior, weights=stack.weights, means=stack.means, scales=stack.scales)


def _standard(table: Floats, means: Floats, scales: Floats) -> Floats:
    """Evidence in spreads, a column of ones before it; what is farther out than most is cut off."""
    inside = np.clip((table - means) / scales, -_FARTHEST, _FARTHEST)
    return np.hstack([np.ones((len(table), 1)), inside])


@dataclass(frozen=True, slots=True)
class Model:
    """What weighs a reader's evidence: stacks, and how many answers to which questions it has seen."""

    stacks: Mapping[str, Stack]
    known: Mapping[str, int]  # by fingerprint
    reader: str = QUICK
    # Where the questions of the challenge are, near which the quick reader has a say (`evidence.landmarks`).
    home: Singles = field(default_factory=lambda: np.zeros((0, 0), np.float32), compare=False)


_MOST_UNSURE = -16.0  # the least logarithm of a probability that is told from others
_TRUSTED = 0.97


def trusting(reader: str) -> Model:
    """A model that takes a reader at its word, for one of which nothing is known.

    Its judgements pass only where it is very sure, and none does where an accuracy is asked for, which nobody
    can promise; labels of a person help as with any reader.
    """
    middle = -_MOST_UNSURE / (2 * _FARTHEST) * _FARTHEST
    rows = middle * np.hstack([np.full((len(LABELS), 1), -1.0), np.eye(len(LABELS))])
    stack = Stack(
        weights=tuple(tuple(row) for row in rows.tolist()),
        means=(-middle,) * len(ENCODER),
        scales=(middle,) * len(ENCODER),
        features=ENCODER,
        biases={name: (0.0,) * len(scheme.labels) for name, scheme in RESPONSE_SCHEMES.items()},
        passing=_TRUSTED,
        passing_long=_TRUSTED,
    )
    return Model(dict.fromkeys(NAMES, stack), {}, reader)


def save_model(path: Path, model: Model) -> None:
    """Write a model as JSON, and beside it where the questions are that it is at home with."""
    content = {
        "format": FORMAT,
        "reader": model.reader,
        "stacks": {name: asdict(stack) for name, stack in model.stacks.items()},
        "known": dict(sorted(model.known.items())),
    }
    write_text(path, json.dumps(content, indent=1) + "\n")
    if len(model.home):
        with atomic_writer(path.with_name(HOME_FILE)) as file:
            steps = np.clip(np.rint(model.home * _STEPS), -127, 127)
            np.savez_compressed(file, home=steps.astype(np.int8))


def load_model(path: Path) -> Model:
    """Read what `save_model` wrote."""
    try:
        content = json.loads(path.read_text("utf-8"))
        if content["format"] != FORMAT or any(
            not set(stack["features"]) <= set(EVIDENCE) for stack in content["stacks"].values()
        ):
            raise InputError(
                path, "was made by another version of Postil.", hint="Train it again with: postil train"
            )
        stacks = {name: _stack(content["stacks"][name]) for name in NAMES}
        known = {name: int(count) for name, count in content["known"].items()}
        reader = content.get("reader", QUICK)  # before 0.2 there was no other
        if kind_of(reader) not in (QUICK, CAREFUL, EXPERT, SERVER):
            raise ValueError(f"no reader {reader!r}")
        home = _home(path.with_name(HOME_FILE))
    except (OSError, ValueError, LookupError, TypeError, AttributeError, BadZipFile) as error:
        raise InputError(path, "is not a trained model.", hint="Make one with: postil train") from error
    return Model(stacks, known, reader, home)


def _home(path: Path) -> Singles:
    if not path.exists():
        return np.zeros((0, 0), np.float32)
    with np.load(path, allow_pickle=False) as file:
        home: Singles = file["home"].astype(np.float32) / _STEPS
    if home.ndim != 2:
        raise ValueError("a table of vectors is expected")
    return home


def _stack(values: Mapping[str, Any]) -> Stack:
    sureness = (_numbers(row, 3) for row in values["sureness"])
    features = tuple(map(str, values["features"]))
    return Stack(
        weights=tuple(_numbers(values["weights"][row], len(features) + 1) for row in range(len(LABELS))),
        means=_numbers(values["means"], len(features)),
        scales=_numbers(values["scales"], len(features)),
        features=features,
        biases={
            name: _numbers(one, len(RESPONSE_SCHEMES[name].labels)) for name, one in values["biases"].items()
        },
        sureness=tuple((confidence, share, accuracy) for confidence, share, accuracy in sureness),
        passing=float(values.get("passing", 0.0)),
        passing_long=float(values.get("passing_long", 0.0)),
    )


def _numbers(values: object, count: int) -> tuple[float, ...]:
    """So many numbers; a damaged file is refused here and not when an answer is judged."""
    numbers = np.array(values, np.float64)
    if numbers.shape != (count,) or not np.isfinite(numbers).all():
        raise ValueError(f"{count} numbers are expected")
    return tuple(numbers.tolist())


# Fit the stack to a user's own labelled answers, from the shipped one as far as they ask.

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
    goals = targets(labels, before)
    folds = owner % min(_FOLDS, len(answered))
    crossed = {penalty: _crossed(table, goals, folds, prior, penalty) for penalty in _PENALTIES}
    losses = {
        penalty: float(-np.log((probabilities * goals).sum(axis=1) + 1e-9).mean())
        for penalty, probabilities in crossed.items()
    }
    best = min(_PENALTIES, key=losses.__getitem__)
    wrong = np.array([label != "correct" for label in labels])
    figures = {
        "answers": float(len(labels)),
        "accuracy as shipped": _accuracy(before, wrong, prior),
        "accuracy after training": _accuracy(crossed[best], wrong, prior),
    }
    return fit_stack(table, goals, prior=prior, penalty=best), figures


def _crossed(table: Floats, goals: Floats, folds: NDArray[np.intp], prior: Stack, penalty: float) -> Floats:
    crossed = np.zeros_like(goals)
    for fold in np.unique(folds):
        inside = folds == fold
        stack = fit_stack(table[~inside], goals[~inside], prior=prior, penalty=penalty)
        crossed[inside] = stack.probabilities(table[inside])
    return crossed


def _accuracy(probabilities: Floats, wrong: NDArray[np.bool_], stack: Stack) -> float:
    return float((decide(probabilities, stack.biases)["2way"] == wrong).mean())
