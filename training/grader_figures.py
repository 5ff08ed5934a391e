"""What the grader is measured by: macro F1 with intervals, calibration, coverage, learning curves."""

from __future__ import annotations

import numpy as np

from postil.data.labels import RESPONSE_SCHEMES
from postil.grading.decision import collapse, collapse_labels, decide, tune_bias
from postil.grading.memory import adjust, propose

CORPORA = ("beetle", "sciEntsBank")
TARGETS = (3, 5, 10)


def macro(gold: np.ndarray, given: np.ndarray, classes) -> float:
    hits = [2 * ((gold == one) & (given == one)).sum() for one in classes]
    sums = [(gold == one).sum() + (given == one).sum() for one in classes]
    return float(np.mean([hit / max(total, 1) for hit, total in zip(hits, sums, strict=True)]))


def classes_of(scheme: str, corpus: str) -> range:
    """The challenge leaves non_domain out of SciEntsBank's average."""
    return (
        range(4)
        if scheme == "5way" and corpus == "sciEntsBank"
        else range(len(RESPONSE_SCHEMES[scheme].labels))
    )


def mean_macro(gold: np.ndarray, given: np.ndarray, corpora: np.ndarray, scheme: str) -> float:
    """The mean of the two corpora's macro F1."""
    return float(
        np.mean(
            [macro(gold[corpora == one], given[corpora == one], classes_of(scheme, one)) for one in CORPORA]
        )
    )


def tuned(probabilities: np.ndarray, gold: np.ndarray, corpora: np.ndarray) -> dict[str, tuple[float, ...]]:
    """Biases for every scheme, best for the macro F1."""
    found = {}
    for name, scheme in RESPONSE_SCHEMES.items():
        wanted = collapse_labels(gold, scheme)
        found[name] = tune_bias(
            collapse(probabilities, scheme), lambda given, w=wanted, n=name: mean_macro(w, given, corpora, n)
        )
    return found


def quality(probabilities, gold, corpora, scheme: str, biases) -> float:
    given = decide(probabilities, biases)[scheme]
    return mean_macro(collapse_labels(gold, RESPONSE_SCHEMES[scheme]), given, corpora, scheme)


def curve(probabilities: np.ndarray, gold: np.ndarray, biases) -> tuple[tuple[float, float, float], ...]:
    """Confidence, share of answers at least so sure, and how many of those are right, two-way."""
    two = decide(probabilities, biases)["2way"]
    sure = collapse(probabilities, RESPONSE_SCHEMES["2way"])[np.arange(len(two)), two]
    right = two == (gold > 0)
    found = []
    for share in np.arange(0.05, 1.0001, 0.05):
        level = float(np.quantile(sure, 1 - share))
        inside = sure >= level
        found.append((round(level, 4), round(float(inside.mean()), 4), round(float(right[inside].mean()), 4)))
    return tuple(found)


def decided(data, scenario: str, probabilities: np.ndarray) -> dict[str, np.ndarray]:
    """Labels of every answer, the biases tuned on the other folds."""
    found = {name: np.zeros(len(data.labels), int) for name in RESPONSE_SCHEMES}
    for fold in np.unique(data.fold[scenario]):
        inside = data.fold[scenario] == fold
        biases = tuned(probabilities[~inside], data.labels[~inside], data.corpus[~inside])
        for name, given in decide(probabilities[inside], biases).items():
            found[name][inside] = given
    return found


def figures(data, scenario: str, probabilities: np.ndarray) -> dict:
    """Everything about one scenario, by corpus."""
    labels = decided(data, scenario, probabilities)
    report: dict = {}
    for corpus in CORPORA:
        here = data.corpus == corpus
        report[corpus] = {}
        for name, scheme in RESPONSE_SCHEMES.items():
            gold, given = collapse_labels(data.labels[here], scheme), labels[name][here]
            low, high = interval(gold, given, data.question[here], classes_of(name, corpus))
            report[corpus][name] = [round(macro(gold, given, classes_of(name, corpus)), 4), low, high]
        gold3, given3 = collapse_labels(data.labels[here], RESPONSE_SCHEMES["3way"]), labels["3way"][here]
        report[corpus]["contradictory F1, 3way"] = round(macro(gold3, given3, [1]), 4)
        two = labels["2way"][here]
        sure = collapse(probabilities[here], RESPONSE_SCHEMES["2way"])[np.arange(here.sum()), two]
        right = two == (data.labels[here] > 0)
        report[corpus]["calibration error, 2way"] = round(calibration_error(sure, right), 4)
        top = probabilities[here]
        report[corpus]["calibration error, 5way"] = round(
            calibration_error(top.max(1), top.argmax(1) == data.labels[here]), 4
        )
        kept = sure >= np.quantile(sure, 0.2)
        report[corpus]["accuracy, 2way"] = round(float(right.mean()), 4)
        report[corpus]["accuracy, 2way, surest 80 %"] = round(float(right[kept].mean()), 4)
    return report


def interval(gold, given, groups, classes, draws: int = 400) -> tuple[float, float]:
    """Bootstrapped over questions, 95 %."""
    rng = np.random.default_rng(0)
    members = [np.where(groups == one)[0] for one in np.unique(groups)]
    found = []
    for _ in range(draws):
        rows = np.concatenate([members[number] for number in rng.integers(len(members), size=len(members))])
        found.append(macro(gold[rows], given[rows], classes))
    low, high = np.quantile(found, [0.025, 0.975])
    return round(float(low), 4), round(float(high), 4)


def calibration_error(sure: np.ndarray, right: np.ndarray, bins: int = 10) -> float:
    """The mean distance between confidence and accuracy, in equally filled bins."""
    order = np.argsort(sure)
    parts = np.array_split(order, bins)
    return float(sum(len(part) * abs(sure[part].mean() - right[part].mean()) for part in parts) / len(sure))


def learning_curve(data, probabilities: np.ndarray) -> dict:
    """What k labels on a new question add to the two-way macro F1 of its other answers."""
    report = {}
    biases = tuned(probabilities, data.labels, data.corpus)
    for count in TARGETS:
        moved, kept = probabilities.copy(), np.ones(len(data.labels), bool)
        for number, likeness in enumerate(data.likeness):
            here = np.where(data.question == number)[0]
            if len(here) < count + 5:
                kept[here] = False
                continue
            chosen = np.array(propose(probabilities[here], likeness, count))
            kept[here[chosen]] = False
            moved[here] = adjust(
                probabilities[here], likeness[:, chosen], probabilities[here[chosen]],
                likeness[np.ix_(chosen, chosen)], np.eye(probabilities.shape[1])[data.labels[here[chosen]]],
            )  # fmt: skip
        row = {}
        for corpus in CORPORA:
            rows = kept & (data.corpus == corpus)
            wanted = (data.labels[rows] > 0).astype(int)
            before, after = (
                macro(wanted, decide(one[rows], biases)["2way"], range(2)) for one in (probabilities, moved)
            )
            row[corpus] = [round(before, 4), round(after, 4)]
        row["gain"] = round(float(np.mean([after - before for before, after in row.values()])), 4)
        report[str(count)] = row
    return report
