"""How several learners come to one answer: by votes, or by a pool whose weights were learned."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from postil.senses.table import Floats

_PENALTY = 0.01  # keeps a weight finite where the held-out examples are told apart without a fault
_LITTLE = 1e-3  # weight of members that tell nothing, on the scale on which their scores vary by 1


def chances(scores: Floats) -> Floats:
    """Scores as chances that sum to 1 in each row."""
    shifted = np.exp(scores - scores.max(axis=1, keepdims=True))
    found: Floats = shifted / shifted.sum(axis=1, keepdims=True)
    return found


def vote(members: Sequence[Floats]) -> Floats:
    """The share of the members whose best sense it is; members' chances decide only between equals."""
    votes = np.zeros_like(members[0])
    everyone = np.arange(len(votes))
    for scores in members:
        votes[everyone, scores.argmax(axis=1)] += 1
    split = np.mean([chances(scores) for scores in members], axis=0)
    found: Floats = (votes + 1e-3 * split) / (len(members) + 1e-3)
    return found


def pool(members: Sequence[Floats], weights: Floats) -> Floats:
    """A log-linear pool: the chances of the weighted sum of scores."""
    return chances(np.einsum("mis,m->is", np.stack(members), weights))


def learn_pool(members: Sequence[Floats], shares: Floats) -> Floats:
    """The weights, none below 0, under which scores of held-out examples give their labels the best chance.

    One weight a member is all that is learned: a few dozen examples suffice, and one member's scores are at
    least brought to the scale on which they are chances.
    """
    from scipy.optimize import minimize

    stacked = np.stack(members)

    def loss(weights: Floats) -> tuple[float, Floats]:
        given = pool(members, weights)
        lost = -float((shares * np.log(given + 1e-12)).sum()) + _PENALTY * float(weights @ weights)
        slope = np.einsum("is,mis->m", given - shares, stacked) + 2 * _PENALTY * weights
        return lost / len(shares), slope / len(shares)

    spread = stacked.std(axis=(1, 2))
    start = 1 / np.where(spread > 1e-6, spread, 1.0) / len(members)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[(0, None)] * len(start))
    learned: Floats = found.x
    # Members that tell nothing still rank the senses, but with nearly the same chance for each.
    return learned if learned.any() else _LITTLE * start
