"""Learners of senses: linear ones, decision lists, bagged trees, and the most frequent sense as a baseline.

Rows are instances; a label is a row of shares over the senses that sum to 1, so that an example with two
senses counts one half for each. Support vectors, maximum entropy, kernels and trees are scikit-learn's.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from postil.data.arrays import Floats, Numbers
from postil.data.formats.sensekeys import SenseAnswer
from postil.data.formats.senseval import SenseInstance
from postil.senses.features import Rows

SMOOTHING = 0.3  # added to every count of complement Bayes
LIST_SMOOTHING = 0.1  # … of decision lists
_BAYES_SMOOTHING = 0.1  # … of naive Bayes
_COST = 0.3  # of an error, for support vectors
ROUNDS = 1000  # of boosting
TREES = 10
_LEAF = 2  # the least number of examples in a leaf


@dataclass(frozen=True, slots=True, eq=False)
class Linear:
    """A score for each sense: its bias and the weights of the features that an instance has."""

    weights: Floats  # features × senses
    bias: Floats

    def scores(self, rows: Rows) -> Floats:
        """One row an instance, one column a sense."""
        return np.asarray(rows @ self.weights) + self.bias


def naive_bayes(rows: Rows, shares: Floats) -> Linear:
    """Multinomial naive Bayes: the logarithm of each sense's chance, and of each feature's with it."""
    counts = np.asarray(rows.T @ shares) + _BAYES_SMOOTHING
    return Linear(np.log(counts / counts.sum(axis=0)), prior(shares, rows.shape[1]).bias)


def complement_bayes(rows: Rows, shares: Floats) -> Linear:
    """Naive Bayes from what the *other* senses have (Rennie et al. 2003): rare senses have more of that."""
    counts = np.asarray(rows.T @ shares)
    others = counts.sum(axis=1, keepdims=True) - counts + SMOOTHING
    weights = -np.log(others / others.sum(axis=0))
    # What all senses have in common decides nothing, and would make scores depend on a context's length.
    return Linear(weights - weights.mean(axis=1, keepdims=True), np.zeros(shares.shape[1]))


def prior(shares: Floats, width: int) -> Linear:
    """What is known without any feature: the frequency of each sense."""
    counts = shares.sum(axis=0) + _BAYES_SMOOTHING
    return Linear(np.zeros((width, len(counts))), np.log(counts / counts.sum()))


def cosine(rows: Rows, shares: Floats) -> Linear:
    """The cosine between an instance and the mean of each sense's examples."""
    sums = np.asarray(rows.T @ shares)
    lengths = np.linalg.norm(sums, axis=0)
    return Linear(sums / np.where(lengths > 0, lengths, 1), np.zeros(shares.shape[1]))


def support_vectors(rows: Rows, shares: Floats, *, seed: int = 0) -> Linear:
    """One support-vector machine for each sense, which claims the instances that it scores above 0."""
    from sklearn.svm import LinearSVC

    machine = LinearSVC(C=_COST, max_iter=10_000, random_state=seed)
    return _fitted(machine, rows, shares, both=True)


def maximum_entropy(rows: Rows, shares: Floats) -> Linear:
    """Multinomial logistic regression."""
    from sklearn.linear_model import LogisticRegression

    return _fitted(LogisticRegression(C=20, tol=1e-3, max_iter=2000), rows, shares, both=False)


def kernel_machine(rows: Rows, shares: Floats) -> Linear:
    """Support vectors on a sum of kernels, one for each group of features, each a cosine.

    As every group of a row has length 1, the sum of the groups' cosines is the product of whole rows. It is
    learned from products alone, and folds back into weights, as these kernels have finite maps.
    """
    from sklearn.svm import SVC

    kernel = (rows @ rows.T).toarray()
    weights = np.zeros((rows.shape[1], shares.shape[1]))
    bias = np.where((shares > 0).all(axis=0), 1.0, -1.0)  # stays for a sense that all have, or none
    for sense in range(shares.shape[1]):
        claimed = shares[:, sense] > 0
        if claimed.all() or not claimed.any():
            continue
        importance = np.where(claimed, shares[:, sense], 1.0)
        machine = SVC(kernel="precomputed").fit(kernel, claimed, sample_weight=importance)
        weights[:, sense] = (machine.dual_coef_ @ rows[machine.support_].toarray()).ravel()
        bias[sense] = machine.intercept_[0]
    return Linear(weights, bias)


def _fitted(model: Any, rows: Rows, shares: Floats, *, both: bool) -> Linear:
    """Train a linear model on an example for each sense of each row, weighted by its share.

    For two senses scikit-learn has one column, for the second. With a machine for each (`both`), the other
    is its opposite.
    """
    numbers, labels = np.nonzero(shares)
    model.fit(sparse.csr_matrix(rows[numbers]), labels, sample_weight=shares[numbers, labels])
    coef, bias, known = model.coef_, model.intercept_, model.classes_
    if len(known) == 2:
        coef = np.vstack([-coef if both else np.zeros_like(coef), coef])
        bias = np.concatenate([-bias if both else np.zeros_like(bias), bias])
    weights = np.zeros((rows.shape[1], shares.shape[1]))
    weights[:, known] = coef.T
    biases = np.full(shares.shape[1], bias.min() - 1.0)  # a sense that was not met claims nothing
    biases[known] = bias
    return Linear(weights, biases)


def adaboost(rows: Rows, shares: Floats) -> Linear:
    """AdaBoost.MH (Schapire and Singer 1999) on features that are present or absent.

    Each round finds the feature whose presence best tells the senses apart, as the examples are weighted now,
    and gives every sense a vote for its presence and one for its absence; then the examples that are still
    wrong weigh more. A sum of such votes is a weight for each feature, so the outcome is linear.
    """
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


@dataclass(frozen=True, slots=True, eq=False)
class DecisionList:
    """For each feature how strongly it speaks for each sense; `bias` is for instances without any."""

    weights: Floats  # features × senses: the logarithm of the odds
    bias: Floats

    def scores(self, rows: Rows) -> Floats:
        """For each sense the strongest evidence that an instance has."""
        scores = np.tile(self.bias, (rows.shape[0], 1))
        filled = np.flatnonzero(np.diff(rows.indptr))
        if len(filled):
            # One stretch of `indices` a row; rows without features keep the bias.
            strongest = np.maximum.reduceat(self.weights[rows.indices], rows.indptr[filled], axis=0)
            scores[filled] = np.maximum(scores[filled], strongest)
        return scores


def decision_list(rows: Rows, shares: Floats) -> DecisionList:
    """Learn the smoothed log odds of each sense given each feature (Yarowsky 1994); the strongest decides."""
    counts = np.vstack([np.asarray(rows.T @ shares), shares.sum(axis=0)])
    others = counts.sum(axis=1, keepdims=True) - counts
    odds = np.log((counts + LIST_SMOOTHING) / (others + LIST_SMOOTHING))
    return DecisionList(odds[:-1], odds[-1])


@dataclass(frozen=True, slots=True, eq=False)
class Trees:
    """The nodes of all trees in one row: the feature each asks for, the next nodes, and the senses of a leaf.

    `feature` is −1 at a leaf; `roots` are the first nodes of the trees.
    """

    roots: Numbers
    feature: Numbers
    absent: Numbers
    there: Numbers
    senses: Floats

    def scores(self, rows: Rows) -> Floats:
        """The logarithm of the mean of the trees' chances."""
        asked, column = np.unique(self.feature, return_inverse=True)
        # Only the columns that are asked for are laid out; a leaf's −1 asks for none.
        values = rows[:, np.maximum(asked, 0)].toarray() > 0
        chances = np.zeros((rows.shape[0], self.senses.shape[1]))
        every = np.arange(rows.shape[0])
        for root in self.roots:
            nodes = np.full(rows.shape[0], root)
            while (self.feature[nodes] >= 0).any():
                onward = np.where(values[every, column[nodes]], self.there[nodes], self.absent[nodes])
                nodes = np.where(self.feature[nodes] >= 0, onward, nodes)
            chances += self.senses[nodes]
        return np.log(chances / len(self.roots) + 1e-6)


def bagged_trees(rows: Rows, shares: Floats, *, seed: int = 0) -> Trees:
    """Learn trees, each on as many examples as there are, drawn with replacement."""
    from sklearn.tree import DecisionTreeClassifier

    numbers, labels = np.nonzero(shares)
    examples = sparse.csc_matrix(rows[numbers])
    random = np.random.default_rng(seed)
    parts: list[tuple[Numbers, ...]] = []
    leaves, roots, first = [], [], 0
    for _ in range(TREES):
        drawn = random.multinomial(len(numbers), np.full(len(numbers), 1 / len(numbers)))
        weights = drawn * shares[numbers, labels]
        model = DecisionTreeClassifier(
            criterion="entropy", min_samples_leaf=_LEAF, random_state=int(random.integers(2**31))
        )
        tree = model.fit(examples, labels, sample_weight=weights).tree_
        inner = tree.children_left >= 0
        nodes = (tree.feature, tree.children_left + first, tree.children_right + first)
        parts.append(tuple(np.where(inner, values, -1) for values in nodes))
        chances = np.zeros((tree.node_count, shares.shape[1]))
        chances[:, model.classes_] = tree.value[:, 0, :]
        leaves.append(chances / np.maximum(chances.sum(axis=1, keepdims=True), 1e-12))
        roots.append(first)
        first += tree.node_count
    feature, absent, there = (np.concatenate(part).astype(np.intp) for part in zip(*parts, strict=True))
    return Trees(np.array(roots, dtype=np.intp), feature, absent, there, np.concatenate(leaves))


class MostFrequentSense:
    """Answers every instance of a word with the word's most frequent sense in training.

    An instance with several senses counts for each of them; of equally frequent senses the one met
    first wins. A word that was not in training is not answered. `senses_` holds what was learned.
    """

    def __init__(self) -> None:
        self.senses_: dict[str, str] = {}

    def fit(self, instances: Iterable[SenseInstance]) -> MostFrequentSense:
        """Count the senses of each word; unlabelled instances are ignored."""
        counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for instance in instances:
            if instance.senses:
                counts[instance.lexelt].update(instance.senses)
        # `max` takes the first of equals, and a Counter keeps the order in which senses were met.
        self.senses_ = {lexelt: max(count, key=count.__getitem__) for lexelt, count in counts.items()}
        return self

    def predict(self, instances: Iterable[SenseInstance]) -> list[SenseAnswer]:
        """Answer the instances of the words known from training, in the order given."""
        return [
            SenseAnswer(instance.id, instance.lexelt, ((self.senses_[instance.lexelt], None),))
            for instance in instances
            if instance.lexelt in self.senses_
        ]
