"""Support-vector machines whose C, γ and class weights are searched for macro F1 in cross-validation."""

from __future__ import annotations

import time
from collections.abc import Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float64]
Numbers = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Parameters:
    """An RBF-SVM's settings; `balance` b weighs a class of n instances by n⁻ᵇ (0: all alike, 1: balanced)."""

    c: float
    gamma: float
    balance: float = 0.0


# Powers of two, as LIBSVM's guide has it; γ is for features of unit variance. The balance is searched with
# them because what is optimised is macro F1, which counts a rare class as much as a frequent one.
GRID: tuple[Parameters, ...] = tuple(
    Parameters(2.0**c, 2.0**gamma, balance)
    for c, gamma, balance in product((1, 3, 5, 7), (-9, -7, -5, -3), (0.0, 0.5, 1.0))
)


@dataclass(frozen=True, slots=True)
class Search:
    """How the settings are searched: in rounds, each on more instances and with fewer candidates left.

    A full search on 9,000 instances trains hundreds of machines of several seconds each. Here the whole grid
    is tried on the first number of `rows`, the best `keep` candidates of each round on the next, and the
    winner of the last is taken. Every round is a cross-validation of `folds` folds, scored by macro F1 over
    all of its instances.
    """

    grid: tuple[Parameters, ...] = GRID
    rows: tuple[int, ...] = (1000, 3000)
    keep: int = 6
    folds: int = 10
    jobs: int = 2
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Found:
    """What a search came to: the settings, their macro F1 in the last round, and what it cost."""

    parameters: Parameters
    macro_f1: float
    trained: int
    seconds: float


def fold_numbers(groups: Sequence[Hashable], folds: int, seed: int) -> Numbers:
    """Give each instance a fold, the instances of one group together, groups spread evenly at random."""
    units = {group: number for number, group in enumerate(dict.fromkeys(groups))}
    order = np.random.default_rng(seed).permutation(len(units))
    fold_of = np.empty(len(units), dtype=np.intp)
    fold_of[order] = np.arange(len(units)) % folds
    return fold_of[[units[group] for group in groups]]


def macro_f1(gold: Numbers, given: Numbers, classes: int) -> float:
    """The mean over the classes of 2·hits / (gold + given); a class that is in neither counts as 0."""
    hits = np.bincount(gold[gold == given], minlength=classes)
    total = np.bincount(gold, minlength=classes) + np.bincount(given, minlength=classes)
    return float(np.mean(2 * hits / np.maximum(total, 1)))


class Classifier:
    """A scaled RBF-SVM over named labels; with one label in training it always gives that one."""

    def __init__(self, search: Search | None = None, parameters: Parameters | None = None) -> None:
        self.search = search or Search()
        self.parameters = parameters

    def fit(self, features: Rows, labels: Sequence[str], groups: Sequence[Hashable]) -> Classifier:
        """Search the settings, unless given, with folds that keep groups together; then train on all."""
        self.labels_ = sorted(set(labels))
        numbers = np.array([self.labels_.index(label) for label in labels], dtype=np.intp)
        self.found_: Found | None = None
        self.machine_: Any = None
        if len(self.labels_) > 1:
            chosen = self.parameters
            if chosen is None:
                self.found_ = search_parameters(features, numbers, groups, self.search)
                chosen = self.found_.parameters
            self.machine_ = _train(features, numbers, chosen)
        return self

    def predict(self, features: Rows) -> list[str]:
        """One label a row."""
        if self.machine_ is None or not len(features):
            return [self.labels_[0]] * len(features)
        return [self.labels_[number] for number in self.machine_.predict(features)]


def search_parameters(features: Rows, numbers: Numbers, groups: Sequence[Hashable], search: Search) -> Found:
    """Find the settings with the best cross-validated macro F1, round by round."""
    started, trained = time.perf_counter(), 0
    order = np.random.default_rng(search.seed).permutation(len(numbers))
    candidates = list(search.grid)
    scores = [0.0]
    sizes = sorted({min(rows, len(numbers)) for rows in search.rows})
    for size in sizes:
        chosen = np.sort(order[:size])
        units: list[Hashable] = [groups[row] for row in chosen]
        if len(set(units)) < 2:  # nothing can be held out by group: hold out instances
            units = list(range(size))
        folds = fold_numbers(units, search.folds, search.seed)
        scores = _cross_validate(features[chosen], numbers[chosen], folds, candidates, search.jobs)
        trained += len(candidates) * len(set(folds.tolist()))
        # Equal scores go to the smoother machine, which the grid lists first.
        ranking = np.argsort(-np.array(scores), kind="stable")
        left = ranking[: search.keep if size < sizes[-1] else 1].tolist()
        candidates, scores = [candidates[number] for number in left], [scores[number] for number in left]
    return Found(candidates[0], scores[0], trained, time.perf_counter() - started)


def _cross_validate(
    features: Rows, numbers: Numbers, folds: Numbers, candidates: Sequence[Parameters], jobs: int
) -> list[float]:
    """Macro F1 of each candidate over the instances of all folds together."""
    classes = int(numbers.max()) + 1
    splits = [(folds != fold, folds == fold) for fold in sorted(set(folds.tolist()))]

    def score(candidate: Parameters) -> float:
        given = np.zeros_like(numbers)
        for inside, outside in splits:
            given[outside] = _train(features[inside], numbers[inside], candidate).predict(features[outside])
        return macro_f1(numbers, given, classes)

    # LIBSVM lets go of the interpreter while it trains, so threads can share the work.
    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(score, candidates))


def _train(features: Rows, numbers: Numbers, parameters: Parameters) -> Any:
    """Train one machine; where only one class is left, one that always gives it."""
    from sklearn.dummy import DummyClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    classes, counts = np.unique(numbers, return_counts=True)
    if len(classes) < 2:
        return DummyClassifier(strategy="most_frequent").fit(features, numbers)
    weights = counts.astype(np.float64) ** -parameters.balance
    weights *= counts.sum() / (weights * counts).sum()  # so that C means the same whatever the balance
    machine = SVC(
        C=parameters.c,
        gamma=parameters.gamma,
        class_weight=dict(zip(classes.tolist(), weights.tolist(), strict=True)),
        cache_size=200,
    )
    return make_pipeline(StandardScaler(), machine).fit(features, numbers)
