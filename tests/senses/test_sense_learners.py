"""Each learner on rows whose answer is known, and the ways to combine them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.special import log_softmax, softmax
from sklearn.naive_bayes import ComplementNB, MultinomialNB

from postil.senses.learners import (
    adaboost,
    bagged_trees,
    complement_bayes,
    cosine,
    decision_list,
    kernel_machine,
    naive_bayes,
    support_vectors,
)
from postil.senses.systems import LEARNERS, learn_pool, pool, vote


def made_up(count: int = 90, senses: int = 3, *, seed: int = 0):
    """Rows whose first columns tell the sense, one each, and whose others are noise."""
    random = np.random.default_rng(seed)
    labels = np.arange(count) % senses
    rows = (random.random((count, 12)) < 0.3).astype(float)
    rows[:, :senses] = np.eye(senses)[labels]
    return sparse.csr_array(rows), np.eye(senses)[labels], labels


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("senses", [2, 3])
def test_every_learner_finds_the_columns_that_tell(name, senses):
    rows, shares, _ = made_up(senses=senses)
    new, _, labels = made_up(30, senses, seed=1)
    scores = LEARNERS[name].learn(rows, shares).scores(new)
    assert scores.shape == (30, senses)
    assert (scores.argmax(axis=1) == labels).all()


@pytest.mark.parametrize("name", LEARNERS)
def test_a_sense_without_examples_and_one_with_a_single_one(name):
    rows, shares, _ = made_up(31, 3)
    shares = np.hstack([shares, np.zeros((31, 2))])
    shares[0] = [0, 0, 0, 1, 0]  # the fourth sense has one example, the fifth none
    scores = LEARNERS[name].learn(rows, shares).scores(rows)
    assert np.isfinite(scores).all()
    assert (scores.argmax(axis=1) != 4).all()


@pytest.mark.parametrize("name", LEARNERS)
def test_the_same_rows_learn_the_same(name):
    rows, shares, _ = made_up()
    first, second = (LEARNERS[name].learn(rows, shares).scores(rows) for _ in range(2))
    assert (first == second).all()


def test_bayes_is_that_of_scikit_learn():
    rows, shares, labels = made_up()
    theirs = MultinomialNB(alpha=0.1).fit(rows, labels).predict_log_proba(rows)
    assert log_softmax(naive_bayes(rows, shares).scores(rows), axis=1) == pytest.approx(theirs, abs=1e-6)
    complement = ComplementNB(alpha=0.3).fit(rows, labels).predict_proba(rows)
    assert softmax(complement_bayes(rows, shares).scores(rows), axis=1) == pytest.approx(complement)


def test_examples_with_two_senses_count_half_for_each():
    rows = sparse.csr_array(np.array([[1.0, 0], [0, 1.0]]))
    halves = np.array([[0.5, 0.5], [0, 1]])
    assert cosine(rows, halves).weights[0].tolist() == pytest.approx([1, 0.5 / np.hypot(0.5, 1)])
    scores = support_vectors(rows, halves).scores(rows)
    assert scores[1, 1] > scores[1, 0]


def test_boosting_counts_shares():
    # Of the rows with the feature, two have the first sense alone, three both senses: 3.5 against 1.5.
    rows = sparse.csr_array(np.array([[1.0], [1], [1], [1], [1], [0], [0]]))
    halves = np.array([[1.0, 0], [1, 0], [0.5, 0.5], [0.5, 0.5], [0.5, 0.5], [0, 1], [0, 1]])
    scores = adaboost(rows, halves).scores(rows)
    assert scores[0, 1] < 0 < scores[0, 0]


def test_the_strongest_feature_decides_a_list():
    rows = sparse.csr_array(np.array([[1.0, 1], [1, 0], [1, 0], [0, 0]]))
    shares = np.array([[0.0, 1], [1, 0], [1, 0], [1, 0]])
    learned = decision_list(rows, shares)
    assert learned.scores(rows).argmax(axis=1).tolist() == [1, 0, 0, 0]
    nothing = learned.scores(sparse.csr_array((2, 2)))
    assert (nothing == learned.bias).all()


def test_boosting_weighs_what_was_wrong():
    # The first feature alone is wrong of the last row, which the second one puts right.
    rows = sparse.csr_array(np.array([[1.0, 0], [1, 0], [0, 0], [0, 0], [1, 1]]))
    shares = np.eye(2)[[0, 0, 1, 1, 1]]
    assert adaboost(rows, shares).scores(rows).argmax(axis=1).tolist() == [0, 0, 1, 1, 1]


def test_kernels_fold_back_into_weights():
    from sklearn.svm import SVC

    rows, shares, labels = made_up()
    machine = SVC(kernel="linear").fit(rows.toarray(), labels == 1)
    folded = kernel_machine(rows, shares).scores(rows)[:, 1]
    assert folded == pytest.approx(machine.decision_function(rows.toarray()), abs=1e-2)


def test_trees_walk_as_their_makers_do():
    rows, shares, _ = made_up(200)
    shares[:40] = shares[np.random.default_rng(1).permutation(40)]
    said = bagged_trees(rows, shares)
    probabilities = np.exp(said.scores(rows))
    assert probabilities.sum(axis=1) == pytest.approx(np.ones(200), abs=1e-4)
    assert (said.feature[said.roots] >= 0).all()


def test_votes_count_and_chances_break_ties():
    first = np.array([[2.0, 0, 0], [3.0, 0, 0]])
    second = np.array([[2.0, 0, 0], [0, 1.0, 0]])
    said = vote([first, second])
    assert said.argmax(axis=1).tolist() == [0, 0]
    assert said[0, 0] == pytest.approx(1, abs=1e-3)
    assert said[1] == pytest.approx([0.5, 0.5, 0], abs=1e-3)


def test_a_pool_trusts_the_member_that_is_right():
    random = np.random.default_rng(0)
    labels = random.integers(0, 3, 200)
    right = np.eye(3)[labels] + random.normal(0, 0.4, (200, 3))
    noise = random.normal(0, 1, (200, 3))
    weights = learn_pool([noise, right], np.eye(3)[labels])
    assert weights[1] > 10 * weights[0] >= 0
    assert (pool([noise, right], weights).argmax(axis=1) == labels).mean() > 0.8


def test_a_pool_of_nothing_useful_is_unsure_and_keeps_the_ranking():
    labels = np.arange(40) % 2
    wrong = 5 * np.eye(2)[1 - labels]  # always sure, always of the other sense
    weights = learn_pool([wrong, np.zeros((40, 2))], np.eye(2)[labels])
    said = pool([wrong, np.zeros((40, 2))], weights)
    assert said == pytest.approx(0.5, abs=0.01)
    assert (said.argmax(axis=1) == wrong.argmax(axis=1)).all()


def test_a_pool_of_members_that_say_the_same_of_everything():
    weights = learn_pool([np.zeros((4, 2))], np.eye(2)[[0, 1, 0, 1]])
    assert weights.max() <= 1
