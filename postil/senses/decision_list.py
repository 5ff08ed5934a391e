"""Decision lists (Yarowsky 1994): the one strongest feature that an instance has decides."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from postil.senses.table import Floats, Rows

SMOOTHING = 0.1


@dataclass(frozen=True, slots=True, eq=False)
class DecisionList:
    """For each feature how strongly it speaks for each sense; `bias` is what holds where no feature does."""

    weights: Floats  # features × senses: the logarithm of the odds
    bias: Floats

    def scores(self, rows: Rows) -> Floats:
        """For each sense the strongest evidence that an instance has."""
        found = np.tile(self.bias, (rows.shape[0], 1))
        filled = np.flatnonzero(np.diff(rows.indptr))
        if len(filled):
            # One stretch of `indices` a row; rows without features keep the bias.
            strongest = np.maximum.reduceat(self.weights[rows.indices], rows.indptr[filled], axis=0)
            found[filled] = np.maximum(found[filled], strongest)
        return found


def decision_list(rows: Rows, shares: Floats) -> DecisionList:
    """Learn the log odds of each sense given each feature, smoothed."""
    return DecisionList(
        _log_odds(np.asarray(rows.T @ shares)), _log_odds(shares.sum(axis=0, keepdims=True))[0]
    )


def _log_odds(counts: Floats) -> Floats:
    others = counts.sum(axis=1, keepdims=True) - counts
    odds: Floats = np.log((counts + SMOOTHING) / (others + SMOOTHING))
    return odds
