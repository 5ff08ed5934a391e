"""Learners whose outcome is one weight for each feature and sense, however they come to it.

Rows are instances; a label is a row of shares over the senses, 1 in all, so that an example with two senses
counts one half for each. Support vectors, maximum entropy and the kernel machine are scikit-learn's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from postil.senses.table import Floats, Rows

SMOOTHING = 0.3  # added to every count of complement Bayes
_LITTLE = 0.1  # added to every count of naive Bayes
_COST = 0.3  # of an error, for support vectors


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
    counts = np.asarray(rows.T @ shares) + _LITTLE
    return Linear(np.log(counts / counts.sum(axis=0)), prior(shares, rows.shape[1]).bias)


def complement_bayes(rows: Rows, shares: Floats) -> Linear:
    """Naive Bayes from what the *other* senses have (Rennie et al. 2003): rare senses have more of that."""
    counts = np.asarray(rows.T @ shares)
    others = counts.sum(axis=1, keepdims=True) - counts + SMOOTHING
    weights = -np.log(others / others.sum(axis=0))
    # What all senses have in common decides nothing, and would make scores depend on a context's length.
    return Linear(weights - weights.mean(axis=1, keepdims=True), np.zeros(shares.shape[1]))


def prior(shares: Floats, width: int) -> Linear:
    """What is known without any feature: how frequent each sense is."""
    counts = shares.sum(axis=0) + _LITTLE
    return Linear(np.zeros((width, len(counts))), np.log(counts / counts.sum()))


def cosine(rows: Rows, shares: Floats) -> Linear:
    """The cosine between an instance and the mean of each sense's examples."""
    sums = np.asarray(rows.T @ shares)
    lengths = np.linalg.norm(sums, axis=0)
    return Linear(sums / np.where(lengths > 0, lengths, 1), np.zeros(shares.shape[1]))


def support_vectors(rows: Rows, shares: Floats, *, seed: int = 0) -> Linear:
    """One support-vector machine a sense: above 0 it claims the instance, below it does not."""
    from sklearn.svm import LinearSVC

    examples, labels, weights = _examples(rows, shares)
    machine = LinearSVC(C=_COST, max_iter=10_000, random_state=seed)
    machine.fit(examples, labels, sample_weight=weights)
    return _spread(machine.coef_, machine.intercept_, machine.classes_, shares.shape[1], both=True)


def maximum_entropy(rows: Rows, shares: Floats) -> Linear:
    """Multinomial logistic regression."""
    from sklearn.linear_model import LogisticRegression

    examples, labels, weights = _examples(rows, shares)
    model = LogisticRegression(C=20, tol=1e-3, max_iter=2000)
    model.fit(examples, labels, sample_weight=weights)
    return _spread(model.coef_, model.intercept_, model.classes_, shares.shape[1], both=False)


def kernel_machine(rows: Rows, shares: Floats) -> Linear:
    """Support vectors on a sum of kernels, one for each group of features, each a cosine.

    As every group of a row has length 1, the sum of the groups' cosines is the product of whole rows. It is
    learned from products alone; what is learned folds back into weights, as these kernels have finite maps.
    """
    from sklearn.svm import SVC

    kernel = (rows @ rows.T).toarray()
    weights = np.zeros((rows.shape[1], shares.shape[1]))
    bias = np.full(shares.shape[1], -1.0)
    for sense in range(shares.shape[1]):
        claimed = shares[:, sense] > 0
        if claimed.all() or not claimed.any():
            bias[sense] = 1.0 if claimed.all() else -1.0
            continue
        importance = np.where(claimed, shares[:, sense], 1.0)
        machine = SVC(kernel="precomputed").fit(kernel, claimed, sample_weight=importance)
        weights[:, sense] = (machine.dual_coef_ @ rows[machine.support_].toarray()).ravel()
        bias[sense] = machine.intercept_[0]
    return Linear(weights, bias)


def _examples(rows: Rows, shares: Floats) -> tuple[sparse.csr_matrix, NDArray[np.intp], Floats]:
    """An example for each sense of each row, weighted by its share."""
    numbers, labels = np.nonzero(shares)
    return sparse.csr_matrix(rows[numbers]), labels, shares[numbers, labels]


def _spread(coef: Floats, bias: Floats, known: NDArray[np.intp], senses: int, *, both: bool) -> Linear:
    """Put the weights of the senses met in training into the columns of all senses.

    For two senses scikit-learn gives one column, of the second. A machine for each of them (`both`) is
    the same and its opposite.
    """
    if len(known) == 2:
        coef = np.vstack([-coef if both else np.zeros_like(coef), coef])
        bias = np.concatenate([-bias if both else np.zeros_like(bias), bias])
    weights = np.zeros((coef.shape[1], senses))
    weights[:, known] = coef.T
    biases = np.full(senses, bias.min() - 1.0)  # a sense that was not met claims nothing
    biases[known] = bias
    return Linear(weights, biases)
