"""The figures of judged claims: by hand, against scikit-learn, and under resampling."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, f1_score, roc_auc_score

from postil.data.judgements import CONTRADICTED, EXPRESSED, UNADDRESSED
from postil.errors import MismatchError
from postil.scoring.claims import score_claims, tally_claims

LABELS = st.sampled_from((EXPRESSED, CONTRADICTED, UNADDRESSED))
CHANCES = st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0])  # few values, so that ties are common
ROWS = st.lists(st.tuples(LABELS, LABELS, CHANCES), min_size=2, max_size=25)


@settings(max_examples=100, deadline=None)
@given(ROWS)
def test_the_figures_are_scikit_learn_s(rows):
    gold, labels, chances = zip(*rows, strict=True)
    made = np.array([label == EXPRESSED for label in gold])
    called = np.array([label == EXPRESSED for label in labels])
    figures = tally_claims(gold, labels, chances).values()
    if 0 < made.sum() < len(made):
        assert figures["auc"] == pytest.approx(roc_auc_score(made, chances))
        assert figures["average_precision"] == pytest.approx(average_precision_score(made, chances))
    else:
        assert figures["auc"] == 0.5
    expected = np.mean([f1_score(made == side, called == side, zero_division=0) for side in (True, False)])
    assert figures["macro_f1"] == pytest.approx(expected)
    assert figures["accuracy"] == pytest.approx((made == called).mean())
    denied = [label == CONTRADICTED for label in gold], [label == CONTRADICTED for label in labels]
    assert figures["contradicted_f1"] == pytest.approx(f1_score(*denied, zero_division=0))


@settings(max_examples=50, deadline=None)
@given(ROWS)
def test_a_claim_that_counts_twice_is_a_claim_that_is_there_twice(rows):
    weights = np.array([1 + number % 2 for number in range(len(rows))])
    repeated = [row for row, times in zip(rows, weights, strict=True) for _ in range(times)]
    weighted = tally_claims(*zip(*rows, strict=True)).resampled(weights[None])
    for name, value in tally_claims(*zip(*repeated, strict=True)).values().items():
        assert weighted[name][0] == pytest.approx(value)


def test_systems_can_be_swapped():
    gold = [EXPRESSED, UNADDRESSED, EXPRESSED]
    good = tally_claims(gold, gold, [0.9, 0.1, 0.8])
    bad = tally_claims(gold, [UNADDRESSED] * 3, [0.1, 0.9, 0.2])
    first, second = good.swapped(bad, np.array([[False] * 3, [True] * 3]))
    assert first["auc"].tolist() == [1, 0]
    assert second["auc"].tolist() == [0, 1]
    assert second["macro_f1"][1] == 1


def test_the_score_knows_how_it_was_made():
    score = score_claims(tally_claims([EXPRESSED, UNADDRESSED], [EXPRESSED] * 2, [0.9, 0.6]))
    assert score.primary == "auc"
    assert score.signature.startswith("task:claims|n:2|")


def test_every_claim_must_be_judged():
    with pytest.raises(MismatchError, match="2 claims, and 1"):
        tally_claims([EXPRESSED] * 2, [EXPRESSED], [1.0])
