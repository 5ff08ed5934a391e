"""The support-vector machines of EHU-ALM: folds, macro F1, the search for settings."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from postil.research.ehu_alm import Classifier, Parameters, Search, search_parameters
from postil.scoring.significance import fold_numbers

GOOD, TOO_WIDE = Parameters(8.0, 1.0), Parameters(0.001, 1e-6)


def rings(count: int = 60) -> tuple[np.ndarray, list[str]]:
    """Two classes that no straight line parts: one around the other."""
    rng = np.random.default_rng(1)
    angles = rng.uniform(0, 2 * np.pi, count)
    radius = np.where(np.arange(count) % 2, 3.0, 1.0) + rng.normal(0, 0.1, count)
    labels = ["outer" if number % 2 else "inner" for number in range(count)]
    return np.column_stack((radius * np.cos(angles), radius * np.sin(angles))), labels


@given(st.lists(st.integers(0, 12), min_size=1, max_size=60), st.integers(2, 10), st.integers(0, 5))
def test_folds_keep_groups_together_and_are_even(groups, folds, seed):
    numbers = fold_numbers(groups, folds, seed)
    assert len(numbers) == len(groups)
    fold_of = dict(zip(groups, numbers.tolist(), strict=True))
    assert numbers.tolist() == [fold_of[group] for group in groups]
    sizes = np.bincount(list(fold_of.values()), minlength=folds)
    assert sizes.max() - sizes.min() <= 1


def test_the_search_finds_the_settings_that_part_the_classes():
    features, labels = rings()
    numbers = np.array([labels.index(label) for label in labels])
    search = Search(grid=(TOO_WIDE, GOOD), rows=(30, 60), keep=2, folds=5)
    found = search_parameters(features, numbers, range(60), search)
    assert found.parameters == GOOD
    assert found.macro_f1 > 0.95
    assert found.trained == 2 * 5 + 2 * 5


def test_only_the_best_candidates_reach_the_next_round():
    features, labels = rings()
    numbers = np.array([labels.index(label) for label in labels])
    grid = (TOO_WIDE, GOOD, Parameters(4.0, 1.0))
    found = search_parameters(features, numbers, range(60), Search(grid, rows=(30, 60), keep=1, folds=5))
    assert found.trained == 3 * 5 + 1 * 5


def test_settings_that_are_given_are_not_searched():
    features, labels = rings()
    classifier = Classifier(parameters=GOOD).fit(features, labels, range(60))
    assert classifier.search_result_ is None
    assert classifier.predict(features) == labels


def test_one_group_alone_is_split_by_instance():
    features, labels = rings()
    search = Search(grid=(TOO_WIDE, GOOD), rows=(60,), folds=5)
    classifier = Classifier(search).fit(features, labels, ["the only question"] * 60)
    assert classifier.search_result_ is not None
    assert classifier.search_result_.parameters == GOOD


def test_a_single_label_is_all_it_can_give():
    classifier = Classifier().fit(np.zeros((3, 2)), ["correct"] * 3, range(3))
    assert classifier.predict(np.ones((2, 2))) == ["correct", "correct"]
    assert classifier.predict(np.ones((0, 2))) == []


def test_balance_brings_out_the_rare_class():
    rng = np.random.default_rng(0)
    features = np.concatenate((rng.normal(0, 1, (200, 1)), rng.normal(1, 1, (10, 1))))
    labels = ["often"] * 200 + ["rarely"] * 10
    counts = [
        Classifier(parameters=Parameters(1.0, 0.5, balance))
        .fit(features, labels, range(210))
        .predict(features)
        .count("rarely")
        for balance in (0.0, 1.0)
    ]
    assert counts[0] < 10 < counts[1]
