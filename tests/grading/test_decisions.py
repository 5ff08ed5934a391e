"""From probabilities to labels: schemes agree with each other, whatever the probabilities and biases."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from postil.data.judgements import CREDIT, collapsed, score_of
from postil.data.labels import RESPONSE_SCHEMES
from postil.errors import PostilError
from postil.grading.decision import (
    LABELS,
    collapse,
    collapse_labels,
    decide,
    demand_known,
    members,
    tune_bias,
)

chances = arrays(np.float64, (4, len(LABELS)), elements=st.floats(0, 1)).map(
    lambda values: (values + 1e-6) / (values + 1e-6).sum(axis=1, keepdims=True)
)


@st.composite
def biases(draw: st.DrawFn) -> dict[str, tuple[float, ...]]:
    numbers = st.floats(-20, 20)
    return {
        name: tuple(draw(st.lists(numbers, min_size=len(scheme.labels), max_size=len(scheme.labels))))
        for name, scheme in RESPONSE_SCHEMES.items()
        if draw(st.booleans())
    }


@settings(max_examples=200, deadline=None)
@given(chances, biases())
def test_no_label_contradicts_another(probabilities: np.ndarray, bias: dict[str, tuple[float, ...]]) -> None:
    found = decide(probabilities, bias)
    assert found.keys() == RESPONSE_SCHEMES.keys()
    for name, scheme in RESPONSE_SCHEMES.items():
        np.testing.assert_array_equal(collapse_labels(found["5way"], scheme), found[name])
    np.testing.assert_array_equal(found["3way"] == 0, found["2way"] == 0)


@settings(max_examples=100, deadline=None)
@given(chances)
def test_without_biases_the_likelier_side_wins(probabilities: np.ndarray) -> None:
    correct = probabilities[:, 0]
    found = decide(probabilities, {})["2way"]
    clear = np.abs(correct - 0.5) > 1e-6
    np.testing.assert_array_equal((found == 0)[clear], (correct > 0.5)[clear])


def test_the_coarse_question_comes_first() -> None:
    """Correct is the likeliest of five, and yet more likely wrong than right."""
    found = decide(np.array([[0.4, 0.2, 0.1, 0.2, 0.1]]), {})
    labels = {name: RESPONSE_SCHEMES[name].labels[row[0]] for name, row in found.items()}
    assert labels == {"2way": "incorrect", "3way": "incorrect", "5way": "partially_correct_incomplete"}


def test_a_bias_moves_its_own_scheme() -> None:
    probabilities = np.array([[0.45, 0.1, 0.25, 0.1, 0.1]])
    assert decide(probabilities, {})["2way"][0] == 1
    assert decide(probabilities, {"2way": (0.5, 0.0)})["2way"][0] == 0
    assert LABELS[decide(probabilities, {"3way": (0.0, 1.0, 0.0)})["5way"][0]] == "contradictory"
    assert LABELS[decide(probabilities, {"5way": (0.0, 0.0, 0.0, 0.0, 9.0)})["5way"][0]] == "non_domain"


def test_no_answers_no_labels() -> None:
    assert {name: len(found) for name, found in decide(np.zeros((0, 5)), {}).items()} == dict.fromkeys(
        RESPONSE_SCHEMES, 0
    )


@settings(deadline=None)
@given(chances)
def test_collapsed_probabilities_are_sums(probabilities: np.ndarray) -> None:
    for name, scheme in RESPONSE_SCHEMES.items():
        sums = collapse(probabilities, scheme)
        np.testing.assert_allclose(sums.sum(axis=1), 1)
        for row, one in enumerate(probabilities):
            five = dict(zip(LABELS, one.tolist(), strict=True))
            assert collapsed(five)[name] == pytest.approx(dict(zip(scheme.labels, sums[row], strict=True)))


def test_the_members_of_a_scheme_share_out_the_five() -> None:
    for scheme in RESPONSE_SCHEMES.values():
        assert sorted(place for label in scheme.labels for place in members(scheme, label)) == [0, 1, 2, 3, 4]


@settings(deadline=None)
@given(chances)
def test_scores_lie_between_none_and_full(probabilities: np.ndarray) -> None:
    for row in probabilities:
        five = dict(zip(LABELS, row.tolist(), strict=True))
        assert 0 <= score_of(five) <= 1 + 1e-9
        assert score_of(five) == pytest.approx(row[0] + row[1] / 2)
        assert score_of(five, dict.fromkeys(LABELS, 1.0)) == pytest.approx(1)
        assert score_of(five, {"contradictory": 0.5}) == pytest.approx(row[2] / 2)


def test_credit_is_for_all_labels() -> None:
    assert tuple(CREDIT) == LABELS


def test_tuning_makes_up_for_a_rare_label() -> None:
    """A label that is never the likeliest is chosen once its bias is raised."""
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 2, 200)
    correct = np.clip(0.75 - 0.2 * gold + rng.normal(0, 0.02, 200), 0.01, 0.99)
    probabilities = np.stack([correct, 1 - correct], axis=1)
    assert (probabilities.argmax(axis=1) == gold).mean() < 0.6
    bias = tune_bias(probabilities, lambda given_labels: float((given_labels == gold).mean()))
    assert bias[0] == 0
    assert bias[1] > 0
    assert ((np.log(probabilities) + bias).argmax(axis=1) == gold).mean() > 0.95


def test_tuning_leaves_alone_what_is_best() -> None:
    probabilities = np.array([[0.9, 0.1], [0.2, 0.8]])
    assert tune_bias(probabilities, lambda given_labels: float((given_labels == [0, 1]).mean())) == (0, 0)


def test_labels_of_every_scheme_are_known_and_no_others() -> None:
    demand_known(label for scheme in RESPONSE_SCHEMES.values() for label in scheme.labels)
    demand_known([])
    with pytest.raises(PostilError, match=r"'right' is unknown") as caught:
        demand_known(["correct", "right"])
    assert "non_domain" in caught.value.hint


def test_a_pupils_text_in_the_place_of_a_label_is_not_repeated() -> None:
    with pytest.raises(PostilError) as caught:
        demand_known(["it floats because it is so light"])
    assert "floats" not in str(caught.value)
