"""Agreement against scikit-learn, the krippendorff package and worked examples."""

from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from postil.errors import MismatchError
from postil.scoring.agreement import (
    cohen_kappa,
    krippendorff_alpha,
    observed_agreement,
    overlap_agreement,
    quadratic_weighted_kappa,
)

LETTERS = st.sampled_from("abcd")
GRADES = st.integers(-1, 5)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(LETTERS, LETTERS), min_size=2, max_size=40))
def test_kappa_is_scikit_learns(rows):
    first, second = zip(*rows, strict=True)
    assume(len(set(first) | set(second)) > 1)  # sklearn has no answer there
    wanted = cohen_kappa_score(first, second)
    assert cohen_kappa(first, second) == pytest.approx(wanted, abs=1e-12)
    assert cohen_kappa(second, first) == pytest.approx(wanted, abs=1e-12)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(GRADES, GRADES), min_size=2, max_size=40))
def test_quadratic_kappa_is_scikit_learns(rows):
    first, second = zip(*rows, strict=True)
    assume(len(set(first) | set(second)) > 1)
    labels = list(range(-1, 6))  # every grade of the scale, used or not
    wanted = cohen_kappa_score(first, second, labels=labels, weights="quadratic")
    assert quadratic_weighted_kappa(first, second, low=-1, high=5) == pytest.approx(wanted, abs=1e-12)
    # The ends of the scale do not matter, only the distances.
    assert quadratic_weighted_kappa(first, second) == pytest.approx(wanted, abs=1e-12)


@st.composite
def ratings(draw):
    """Three people's grades of a few items, with gaps."""
    items = draw(st.integers(2, 12))
    cell = st.one_of(st.none(), st.integers(1, 5), st.integers(1, 5))
    return [draw(st.lists(cell, min_size=items, max_size=items)) for _ in range(3)]


@settings(deadline=None, max_examples=60)
@given(ratings(), st.sampled_from(["nominal", "ordinal", "interval"]))
def test_alpha_is_the_krippendorff_packages(table, level):
    pairable = [column for column in zip(*table, strict=True) if sum(x is not None for x in column) > 1]
    assume(len({x for column in pairable for x in column if x is not None}) > 1)
    data = np.array([[np.nan if x is None else float(x) for x in row] for row in table])
    # Values used in unpaired items only must not stretch the scale.
    data[:, [i for i, column in enumerate(data.T) if (~np.isnan(column)).sum() < 2]] = np.nan
    wanted = krippendorff.alpha(reliability_data=data, level_of_measurement=level)
    assert krippendorff_alpha(table, level=level) == pytest.approx(wanted, abs=1e-9)


def test_kappa_by_hand():
    # 50 proposals: both yes 20, both no 15, first yes alone 5, second alone 10: po = .7, pe = .5.
    first = ["y"] * 25 + ["n"] * 25
    second = ["y"] * 20 + ["n"] * 5 + ["y"] * 10 + ["n"] * 15
    assert observed_agreement(first, second) == pytest.approx(0.7)
    assert cohen_kappa(first, second) == pytest.approx(0.4)


def test_quadratic_kappa_by_hand():
    # Disagreement 1 + 4 over 4 items; by chance each of 0 2 1 1 against each of 1 2 1 3, over 4.
    first, second = [0, 2, 1, 1], [1, 2, 1, 3]
    by_chance = sum((a - b) ** 2 for a in first for b in second) / 4
    assert quadratic_weighted_kappa(first, second) == pytest.approx(1 - 5 / by_chance)


def test_alpha_of_krippendorffs_own_example():
    missing = None
    table = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, missing, missing, missing],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, missing, 3],
        [missing, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, missing],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, missing],
    ]
    assert krippendorff_alpha(table) == pytest.approx(0.743, abs=5e-4)
    assert krippendorff_alpha(table, level="ordinal") == pytest.approx(0.815, abs=5e-4)
    assert krippendorff_alpha(table, level="interval") == pytest.approx(0.849, abs=5e-4)


def test_ordinal_alpha_follows_the_order_given():
    first, second = ["low", "mid", "high", "mid"], ["low", "high", "high", "mid"]
    ranked = krippendorff_alpha([first, second], level="ordinal", order=("low", "mid", "high"))
    numbers = [[{"low": 1, "mid": 2, "high": 3}[x] for x in row] for row in (first, second)]
    assert ranked == pytest.approx(krippendorff_alpha(numbers, level="ordinal"))
    assert ranked != pytest.approx(krippendorff_alpha([first, second], level="ordinal"))  # high, low, mid


def test_overlap_agreement_by_hand():
    first = [{"a", "b"}, {"c"}, ["a"], set()]
    second = [{"b"}, {"d"}, ["a", "b"], set()]
    assert overlap_agreement(first, second) == 0.5


def test_one_label_throughout_is_full_agreement():
    assert cohen_kappa(["a", "a"], ["a", "a"]) == 1
    assert quadratic_weighted_kappa([3, 3], [3, 3]) == 1
    assert krippendorff_alpha([["a", "a"], ["a", "a"]]) == 1
    # One label each, but not the same: chance explains all of it.
    assert cohen_kappa(["a", "a"], ["b", "b"]) == 0


@settings(deadline=None, max_examples=30)
@given(st.lists(LETTERS, min_size=1, max_size=20))
def test_agreeing_with_oneself(labels):
    assert observed_agreement(labels, labels) == 1
    assert cohen_kappa(labels, labels) == pytest.approx(1)
    assert krippendorff_alpha([labels, labels]) == pytest.approx(1)


@pytest.mark.parametrize(
    "measure", [observed_agreement, overlap_agreement, cohen_kappa, quadratic_weighted_kappa]
)
def test_lengths_must_agree(measure):
    with pytest.raises(MismatchError, match="2 items and the other 1"):
        measure([1, 2], [1])
    with pytest.raises(MismatchError, match="no items"):
        measure([], [])


def test_other_errors():
    with pytest.raises(MismatchError, match="scale 1 to 5"):
        quadratic_weighted_kappa([0, 3], [1, 3], low=1, high=5)
    with pytest.raises(MismatchError, match="scale"):
        quadratic_weighted_kappa([6, 3], [1, 3], high=5)
    with pytest.raises(MismatchError, match="every person"):
        krippendorff_alpha([["a"], ["a", "b"]])
    with pytest.raises(MismatchError, match="every person"):
        krippendorff_alpha([])
    with pytest.raises(MismatchError, match="two people"):
        krippendorff_alpha([["a", None], [None, "b"]])
    with pytest.raises(MismatchError, match="'mid'"):
        krippendorff_alpha([["low", "mid"], ["low", "low"]], level="ordinal", order=("low", "high"))
    with pytest.raises(ValueError, match="ratio"):
        krippendorff_alpha([["a"], ["b"]], level="ratio")
