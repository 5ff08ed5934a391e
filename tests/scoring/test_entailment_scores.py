"""The RTE scorer by hand, by its laws, and against the papers' formulas written out."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.data.formats.rte import EntailmentRun, Pair, PairJudgement
from postil.data.labels import ENTAILMENT_SCHEMES
from postil.errors import MismatchError
from postil.scoring.entailment import (
    average_precision,
    confidence_weighted_score,
    score_entailment,
    tally_entailment,
)

TWO, THREE = ENTAILMENT_SCHEMES["2way"], ENTAILMENT_SCHEMES["3way"]
LABELS = st.sampled_from(THREE.labels)
CONFIDENCES = st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0])  # few values, so that ties are common
ROWS = st.lists(st.tuples(LABELS, LABELS, CONFIDENCES), min_size=1, max_size=25)


def files(rows, ranked=False):
    gold = [Pair(str(number), "", "", label) for number, (label, _, _) in enumerate(rows)]
    judged = [
        PairJudgement(str(number), label, None if ranked else confidence)
        for number, (_, label, confidence) in enumerate(rows)
    ]
    return gold, judged


def plain_average_precision(positive, confidence):
    """1/R · Σ E(i) · (positives among the first i) / i, ranked by confidence, ties in the order given."""
    ranking = sorted(range(len(positive)), key=lambda index: -confidence[index])
    total, found = 0.0, 0
    for rank, index in enumerate(ranking, start=1):
        if positive[index]:
            found += 1
            total += found / rank
    return total / found if found else 0.0


def plain_confidence_weighted_score(correct, confidence):
    ranking = sorted(range(len(correct)), key=lambda i: -max(confidence[i], 1 - confidence[i]))
    return sum(
        sum(correct[index] for index in ranking[:rank]) / rank for rank in range(1, len(ranking) + 1)
    ) / len(ranking)


@settings(deadline=None, max_examples=100)
@given(st.lists(st.tuples(st.booleans(), CONFIDENCES), min_size=1, max_size=25))
def test_rankings_agree_with_the_formulas(rows):
    flags, confidence = (list(column) for column in zip(*rows, strict=True))
    ours = average_precision(np.array(flags), np.array(confidence))
    assert ours == pytest.approx(plain_average_precision(flags, confidence), abs=1e-12)
    ours = confidence_weighted_score(np.array(flags), np.array(confidence))
    assert ours == pytest.approx(plain_confidence_weighted_score(flags, confidence), abs=1e-12)


@settings(deadline=None, max_examples=60)
@given(ROWS, st.randoms())
def test_the_whole_score_agrees_with_the_formulas(rows, shuffler: random.Random):
    gold, judged = files(rows)
    order = list(range(len(rows)))
    shuffler.shuffle(order)  # ties are settled by the order of the run, not of the gold
    run = EntailmentRun(tuple(judged[index] for index in order))
    score = score_entailment(gold, run, THREE)
    in_run_order = [rows[index] for index in order]
    confidence = [row[2] for row in in_run_order]
    entailed = [row[0] == "ENTAILMENT" for row in in_run_order]
    two_way = [(row[0] == "ENTAILMENT") == (row[1] == "ENTAILMENT") for row in in_run_order]
    assert dict(score.metrics) == pytest.approx(
        {
            "accuracy": sum(a == b for a, b, _ in rows) / len(rows),
            "accuracy_2way": sum(two_way) / len(rows),
            "average_precision": plain_average_precision(entailed, confidence),
            "confidence_weighted_score": plain_confidence_weighted_score(two_way, confidence),
        },
        abs=1e-12,
    )
    assert all(0 <= value <= 1 for value in score.metrics.values())
    assert score.per_class["UNKNOWN"].support == sum(row[0] == "UNKNOWN" for row in rows)


@settings(deadline=None, max_examples=60)
@given(ROWS, st.randoms())
def test_the_order_of_the_gold_does_not_matter(rows, shuffler: random.Random):
    gold, judged = files(rows)
    before = score_entailment(gold, EntailmentRun(tuple(judged)), THREE).metrics
    shuffler.shuffle(gold)
    after = score_entailment(gold, EntailmentRun(tuple(judged)), THREE).metrics
    assert dict(after) == pytest.approx(dict(before), abs=1e-12)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.sampled_from(["ENTAILMENT", "UNKNOWN"]), min_size=1, max_size=20))
def test_a_perfect_run_scores_one(labels):
    labels = [*labels, "ENTAILMENT"]
    rows = [(label, label, 0.9 if label == "ENTAILMENT" else 0.2) for label in labels]
    gold, judged = files(rows)
    score = score_entailment(gold, EntailmentRun(tuple(judged)), THREE)
    assert dict(score.metrics) == pytest.approx(dict.fromkeys(score.metrics, 1.0))
    assert all(figures.f1 == 1 for figures in score.per_class.values())


def test_average_precision_by_hand():
    # Ranked: + − + −: (1/1 + 2/3) / 2.
    positive = np.array([True, False, False, True])
    assert average_precision(positive, np.array([0.9, 0.8, 0.1, 0.3])) == pytest.approx((1 + 2 / 3) / 2)
    # All equal: the order given decides. + − − +: (1 + 2/4) / 2.
    assert average_precision(positive, np.full(4, 0.5)) == pytest.approx((1 + 1 / 2) / 2)
    assert average_precision(np.array([False, False]), np.array([0.2, 0.1])) == 0


def test_confidence_weighted_score_by_hand():
    # How sure: 0.9, 0.8, 0.6; right, wrong, right: (1 + 1/2 + 2/3) / 3.
    correct = np.array([True, False, True])
    score = confidence_weighted_score(correct, np.array([0.1, 0.8, 0.6]))
    assert score == pytest.approx((1 + 1 / 2 + 2 / 3) / 3)


def test_a_ranked_run_has_average_precision_and_no_confidence_weighted_score():
    rows = [("ENTAILMENT", "ENTAILMENT", None), ("UNKNOWN", "UNKNOWN", None), ("ENTAILMENT", "UNKNOWN", None)]
    gold, judged = files(rows, ranked=True)
    ranked = EntailmentRun((judged[0], judged[1], judged[2]), ranked=True)
    metrics = score_entailment(gold, ranked, THREE).metrics
    assert metrics["average_precision"] == pytest.approx((1 + 2 / 3) / 2)
    assert "confidence_weighted_score" not in metrics
    reordered = EntailmentRun((judged[0], judged[2], judged[1]), ranked=True)
    assert score_entailment(gold, reordered, THREE).metrics["average_precision"] == 1


def test_a_run_without_confidence_has_accuracies_only():
    gold, judged = files([("ENTAILMENT", "ENTAILMENT", None), ("UNKNOWN", "CONTRADICTION", None)])
    metrics = score_entailment(gold, EntailmentRun(tuple(judged)), THREE).metrics
    assert dict(metrics) == {"accuracy": 0.5, "accuracy_2way": 1.0}


def test_two_way_no_matches_both_of_the_others():
    gold = [Pair("1", "", "", "CONTRADICTION"), Pair("2", "", "", "UNKNOWN"), Pair("3", "", "", "ENTAILMENT")]
    run = EntailmentRun(
        (
            PairJudgement("3", "ENTAILMENT"),
            PairJudgement("2", "NO_ENTAILMENT"),
            PairJudgement("1", "NO_ENTAILMENT"),
        )
    )
    score = score_entailment(gold, run, TWO)
    assert score.metrics["accuracy"] == 1
    assert score.per_class["NO_ENTAILMENT"].support == 2
    with pytest.raises(MismatchError, match="two-way"):
        score_entailment(gold, run, THREE)


def test_other_pairs_are_refused():
    gold, judged = files([("ENTAILMENT", "ENTAILMENT", 0.5), ("UNKNOWN", "UNKNOWN", 0.5)])
    with pytest.raises(MismatchError, match="'1'"):
        tally_entailment(gold, EntailmentRun((judged[0],)), TWO)
    with pytest.raises(MismatchError, match="'9'"):
        tally_entailment(gold, EntailmentRun((*judged, PairJudgement("9", "UNKNOWN"))), TWO)
    with pytest.raises(MismatchError, match="more than once"):
        tally_entailment(gold, EntailmentRun((*judged, judged[0])), TWO)
