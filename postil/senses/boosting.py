"""AdaBoost.MH (Schapire and Singer 1999) on features that are there or not.

Each round finds the one feature whose presence tells the senses apart best, as the examples are weighted
now, and gives every sense a vote for its presence and one for its absence; then the examples that are still
wrong weigh more. As a sum of such votes is a weight for each feature, the outcome is linear.
"""

from __future__ import annotations

import numpy as np

from postil.senses.learners import Linear
from postil.senses.table import Floats, Rows

ROUNDS = 1000


def adaboost(rows: Rows, shares: Floats) -> Linear:
    """Boost for a fixed number of rounds, or until a round gains nothing."""
    count, senses = shares.shape
    signs = np.where(shares > 0, 1.0, -1.0)
    spread = np.where(shares > 0, shares, 1.0)
    spread /= spread.sum()
    smooth = 1.0 / (count * senses)
    weights, bias = np.zeros((rows.shape[1], senses)), np.zeros(senses)
    turned, by_feature = rows.T.tocsr(), rows.tocsc()
    for _ in range(ROUNDS):
        right, wrong = spread * (signs > 0), spread * (signs < 0)
        with_right, with_wrong = turned @ right, turned @ wrong
        without_right, without_wrong = right.sum(axis=0) - with_right, wrong.sum(axis=0) - with_wrong
        # What is left of the examples' weight after the round; differences may fall below 0 by rounding.
        without_right, without_wrong = np.maximum(without_right, 0), np.maximum(without_wrong, 0)
        left = 2 * (np.sqrt(with_right * with_wrong) + np.sqrt(without_right * without_wrong)).sum(axis=1)
        best = int(left.argmin())
        there = 0.5 * np.log((with_right[best] + smooth) / (with_wrong[best] + smooth))
        absent = 0.5 * np.log((without_right[best] + smooth) / (without_wrong[best] + smooth))
        bias += absent
        weights[best] += there - absent
        votes = np.tile(absent, (count, 1))
        votes[by_feature.indices[by_feature.indptr[best] : by_feature.indptr[best + 1]]] = there
        spread *= np.exp(-signs * votes)
        spread /= spread.sum()
        if left[best] > 1 - 1e-9:
            break
    return Linear(weights, bias)
