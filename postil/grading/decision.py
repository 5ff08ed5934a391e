"""From probabilities to labels: one for each scheme, and none that contradicts another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from postil.data.labels import RESPONSE_SCHEMES, Scheme
from postil.errors import PostilError, unknown_label
from postil.grading.evidence import Floats

LABELS = RESPONSE_SCHEMES["5way"].labels
Labels = NDArray[np.intp]
Biases = Mapping[str, Sequence[float]]

_COARSE_TO_FINE = ("2way", "3way", "5way")


def members(scheme: Scheme, label: str) -> list[int]:
    """The places of the five labels that become this one."""
    return [place for place, one in enumerate(LABELS) if scheme.collapse(one) == label]


def demand_known(labels: Iterable[str]) -> None:
    """Refuse a label that no scheme has."""
    allowed = {label for scheme in RESPONSE_SCHEMES.values() for label in scheme.labels}
    wrong = next((label for label in labels if label not in allowed), None)
    if wrong is not None:
        raise PostilError(unknown_label(wrong), hint=f"Known labels: {', '.join(sorted(allowed))}.")


def collapse(probabilities: Floats, scheme: Scheme) -> Floats:
    """The probabilities of a coarser scheme's labels: sums of those of the five."""
    return np.stack([probabilities[:, members(scheme, label)].sum(axis=1) for label in scheme.labels], axis=1)


def collapse_labels(labels: Labels, scheme: Scheme) -> Labels:
    """Labels of the five, as numbers, in a coarser scheme."""
    table = [scheme.labels.index(scheme.collapse(label) or "") for label in LABELS]
    return np.array(table, np.intp)[labels]


def decide(probabilities: Floats, biases: Biases) -> dict[str, Labels]:
    """Labels as numbers by scheme, the coarse question first: is it correct? If not, does it contradict?

    Finer labels are chosen among those that the coarser one allows.
    """
    found: dict[str, Labels] = {}
    allowed = np.ones(probabilities.shape, bool)
    for name in _COARSE_TO_FINE:
        scheme = RESPONSE_SCHEMES[name]
        values = np.log(collapse(probabilities, scheme) + 1e-12) + np.array(biases.get(name, [0.0]))
        groups = [members(scheme, label) for label in scheme.labels]
        possible = np.stack([allowed[:, group].any(axis=1) for group in groups], axis=1)
        found[name] = np.where(possible, values, -np.inf).argmax(axis=1)
        for row, label in enumerate(found[name]):
            kept = np.zeros(len(LABELS), bool)
            kept[groups[label]] = True
            allowed[row] &= kept
    return found


def tune_bias(probabilities: Floats, quality: Callable[[Labels], float]) -> tuple[float, ...]:
    """What to add to each label's logarithm so that the labels chosen are best by some measure."""
    logs = np.log(probabilities + 1e-12)
    bias = np.zeros(logs.shape[1])
    for step in (0.4, 0.2, 0.1):
        for _ in range(3):
            for label in range(1, len(bias)):
                tries = bias[label] + step * np.array([0, -1, 1, -2, 2, -3, 3])
                scores = []
                for value in tries:
                    moved = bias.copy()
                    moved[label] = value
                    scores.append(quality((logs + moved).argmax(axis=1)))
                bias[label] = tries[int(np.argmax(scores))]
    return tuple(bias.round(3).tolist())
