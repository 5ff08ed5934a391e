"""Memory: what a person's labels of some answers to a question say about the others.

The stack's errors on the labelled answers are carried over to answers like them, by a Gaussian process: a
part for the whole question (how strict is this teacher?), a part for near repetitions, a part for answers of
one kind.
Without labels it changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_expit

from postil.data.arrays import Floats
from postil.grading.decision import LABELS

_LEAST = 0.002  # no label is ever ruled out


@dataclass(frozen=True, slots=True)
class Kernel:
    """How far errors carry: the variances of the parts, and of the noise in one label.

    `question` is for the question as a whole, `alike` for likeness (variance, and how fast it fades),
    `as_correct` for answers that the stack holds for equally correct.
    """

    question: float
    alike: tuple[tuple[float, float], ...]
    as_correct: float
    noise: float


# Chosen by cross-validation: on new questions with 3, 5 and 10 labels; on questions that the encoder has
# learned from, where it knows how strict to be and only near repetitions tell more.
NEW = Kernel(0.05, ((0.3, 0.2), (0.3, 0.4)), 1.0, 0.3)
KNOWN = Kernel(0.02, ((0.3, 0.1), (0.1, 0.3)), 0.1, 0.6)
# The same on new questions for the careful reader, whose errors are more alike within a question: chosen on
# five corpora, with 3, 5 and 10 labels, among eighteen kernels that differ little.
NEW_CAREFUL = Kernel(0.3, ((0.5, 0.2), (0.5, 0.4)), 1.0, 0.3)


def covariance(likeness: Floats, correct: Floats, others: Floats, kernel: Kernel) -> Floats:
    """How much the error on one answer tells about that on another.

    `likeness` is between the answers (rows) and others (columns); `correct` and `others` are their
    probabilities of being correct.
    """
    result = kernel.question + kernel.as_correct * np.outer(correct - 0.5, others - 0.5)
    for variance, scale in kernel.alike:
        result = result + variance * np.exp((likeness - 1) / scale)
    return np.asarray(result)


def adjust(
    probabilities: Floats,
    likeness: Floats,
    known: Floats,
    among: Floats,
    target: Floats,
    kernel: Kernel = NEW,
) -> Floats:
    """The probabilities after a look at labelled answers.

    `likeness` is of the answers (rows) with the labelled ones (columns), `among` of the labelled ones with
    each other, `known` their probabilities, `target` what these should have been (`targets`).
    """
    if not len(target):
        return probabilities
    errors = target - known
    own = covariance(among, known[:, 0], known[:, 0], kernel) + kernel.noise * np.eye(len(target))
    carried = covariance(likeness, probabilities[:, 0], known[:, 0], kernel) @ np.linalg.solve(own, errors)
    moved = np.clip(probabilities + carried, _LEAST, None)
    result: Floats = moved / moved.sum(axis=1, keepdims=True)
    return result


# How far teachers differ, in log odds (the spread of a normal distribution), how far one of them differs from
# question to question, and the farthest that labels of other questions can move the line.
_TEACHERS, _QUESTIONS, _FARTHEST = 1.0, 1.5, 2.0


def leniency(classes: Sequence[tuple[Floats, Sequence[str]]]) -> float:
    """How much more readily than the grader a person calls answers correct, by labels of several questions.

    A class is the grader's own probabilities of its labelled answers, and their labels. Answers to one
    question tell much the same, so each counts less where there are more of them.
    """
    odds, signs, weights = [], [], []
    for probabilities, labels in classes:
        correct = np.clip(probabilities[:, 0], _LEAST, 1 - _LEAST)
        odds += np.log(correct / (1 - correct)).tolist()
        signs += [1.0 if label == "correct" else -1.0 for label in labels]
        weights += [1 / (1 + (len(labels) - 1) * _QUESTIONS**2 / (_QUESTIONS**2 + 3))] * len(labels)
    if not odds:
        return 0.0
    sign, told, weight = np.array(signs), np.array(odds), np.array(weights)

    def cost(shift: float) -> float:
        return float(-(weight * log_expit(sign * (told + shift))).sum() + shift**2 / (2 * _TEACHERS**2))

    return float(minimize_scalar(cost, bounds=(-_FARTHEST, _FARTHEST), method="bounded").x)


def targets(labels: Sequence[str], known: Floats) -> Floats:
    """What the probabilities of labelled answers should have been.

    A label that says only "incorrect" leaves open which of the others it is: there the stack decides.
    """
    result = np.zeros_like(known)
    for row, label in enumerate(labels):
        if label in LABELS:
            result[row, LABELS.index(label)] = 1
        else:
            result[row, 1:] = known[row, 1:] / max(known[row, 1:].sum(), 1e-9)
    return result


# From this likeness on, two answers say the same in nearly the same words.
_REPEATED = 0.9


def propose(
    probabilities: Floats, likeness: Floats, count: int, seen: Sequence[int] = (), kernel: Kernel = NEW
) -> list[int]:
    """Which answers to label first: those that tell most about all that are in doubt, one after another.

    They are unlike each other: near repetitions come last.
    """
    correct = probabilities[:, 0]
    doubt = correct * (1 - correct) + 0.02
    left = covariance(likeness, correct, correct, kernel)
    chosen: list[int] = []
    for step in range(len(seen) + min(count, len(correct) - len(seen))):
        gain = (left**2 * doubt[:, None]).sum(axis=0) / (np.diag(left) + kernel.noise)
        known = [*seen, *chosen]
        gain[known] = -1
        repeated = (likeness[:, known] >= _REPEATED).any(axis=1)
        if (gain[~repeated] > 0).any():
            gain[repeated] = np.minimum(gain[repeated], 0)
        best = seen[step] if step < len(seen) else int(gain.argmax())
        if step >= len(seen):
            chosen.append(best)
        left = left - np.outer(left[:, best], left[best]) / (left[best, best] + kernel.noise)
    return chosen
