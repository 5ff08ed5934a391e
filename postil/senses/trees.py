"""Bagged decision trees: each tree learns from the examples drawn anew, and all of them are asked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from postil.senses.table import Floats, Rows

TREES = 10
_LEAF = 2  # examples that a leaf holds at least


@dataclass(frozen=True, slots=True, eq=False)
class Trees:
    """The nodes of all trees in one row: what each asks, where it goes on, and the senses of a leaf.

    `feature` is −1 at a leaf; `roots` says where each tree starts.
    """

    roots: NDArray[np.intp]
    feature: NDArray[np.intp]
    absent: NDArray[np.intp]
    there: NDArray[np.intp]
    senses: Floats

    def scores(self, rows: Rows) -> Floats:
        """The logarithm of the mean of what the trees say."""
        asked, place = np.unique(self.feature, return_inverse=True)
        # Only the columns that are asked for are laid out; a leaf's −1 asks for none.
        values = rows[:, np.maximum(asked, 0)].toarray() > 0
        said = np.zeros((rows.shape[0], self.senses.shape[1]))
        everyone = np.arange(rows.shape[0])
        for root in self.roots:
            nodes = np.full(rows.shape[0], root)
            while (self.feature[nodes] >= 0).any():
                onward = np.where(values[everyone, place[nodes]], self.there[nodes], self.absent[nodes])
                nodes = np.where(self.feature[nodes] >= 0, onward, nodes)
            said += self.senses[nodes]
        return np.log(said / len(self.roots) + 1e-6)


def bagged_trees(rows: Rows, shares: Floats, *, seed: int = 0) -> Trees:
    """Learn trees, each on as many examples as there are, drawn with replacement."""
    from sklearn.tree import DecisionTreeClassifier

    numbers, labels = np.nonzero(shares)
    examples = sparse.csc_matrix(rows[numbers])
    random = np.random.default_rng(seed)
    parts: list[tuple[NDArray[np.intp], ...]] = []
    leaves, roots, first = [], [], 0
    for _ in range(TREES):
        drawn = random.multinomial(len(numbers), np.full(len(numbers), 1 / len(numbers)))
        weights = drawn * shares[numbers, labels]
        model = DecisionTreeClassifier(
            criterion="entropy", min_samples_leaf=_LEAF, random_state=int(random.integers(2**31))
        )
        tree = model.fit(examples, labels, sample_weight=weights).tree_
        inner = tree.children_left >= 0
        parts.append(
            (
                np.where(inner, tree.feature, -1),
                np.where(inner, tree.children_left + first, -1),
                np.where(inner, tree.children_right + first, -1),
            )
        )
        said = np.zeros((tree.node_count, shares.shape[1]))
        said[:, model.classes_] = tree.value[:, 0, :]
        leaves.append(said / np.maximum(said.sum(axis=1, keepdims=True), 1e-12))
        roots.append(first)
        first += tree.node_count
    feature, absent, there = (np.concatenate(part).astype(np.intp) for part in zip(*parts, strict=True))
    return Trees(np.array(roots, dtype=np.intp), feature, absent, there, np.concatenate(leaves))
