"""The stack: probabilities, fitting, thresholds, and files that come back as they were or are refused."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from postil.errors import InputError
from postil.grading.decision import LABELS
from postil.grading.evidence import EVIDENCE
from postil.grading.probabilities import Model, Stack, fit_stack, load_model, save_model

WIDTH = len(EVIDENCE)
SURENESS = ((0.95, 0.2, 0.99), (0.8, 0.5, 0.9), (0.6, 0.8, 0.92), (0.4, 1.0, 0.75))


def made(seed: int = 0) -> Stack:
    rng = np.random.default_rng(seed)
    return Stack(
        weights=tuple(map(tuple, rng.normal(size=(len(LABELS), WIDTH + 1)).tolist())),
        means=tuple(rng.normal(size=WIDTH).tolist()),
        scales=tuple(rng.uniform(0.5, 2, size=WIDTH).tolist()),
        biases={"5way": (0.0, 0.3, 0.1, -0.2, 0.0), "2way": (0.0, -0.1)},
        sureness=SURENESS,
    )


def labelled(count: int = 60, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Evidence of which the first columns tell the label."""
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(count, WIDTH))
    return table, np.eye(len(LABELS))[table[:, : len(LABELS)].argmax(axis=1)]


@settings(max_examples=50, deadline=None)
@given(arrays(np.float64, (3, WIDTH), elements=st.floats(-1e3, 1e3)))
def test_probabilities_are_some(table: np.ndarray) -> None:
    found = made().probabilities(table)
    assert found.shape == (3, len(LABELS))
    assert (found >= 0).all()
    np.testing.assert_allclose(found.sum(axis=1), 1)


def test_no_answers_no_probabilities() -> None:
    assert made().probabilities(np.zeros((0, WIDTH))).shape == (0, len(LABELS))


def test_it_learns_what_can_be_learned() -> None:
    table, wanted = labelled(400)
    stack = fit_stack(table[:300], wanted[:300], penalty=1.0)
    given_labels = stack.probabilities(table[300:]).argmax(axis=1)
    assert (given_labels == wanted[300:].argmax(axis=1)).mean() > 0.75


def test_a_high_penalty_leaves_the_prior_and_a_low_one_does_not() -> None:
    table, wanted = labelled()
    prior = made()
    before, near, far = (
        stack.probabilities(table)
        for stack in (
            prior,
            fit_stack(table, wanted, prior=prior, penalty=1e8),
            fit_stack(table, wanted, prior=prior, penalty=0.1),
        )
    )
    np.testing.assert_allclose(near, before, atol=1e-2)
    assert np.abs(far - wanted).mean() < np.abs(before - wanted).mean() / 3


def test_nothing_to_learn_from_leaves_the_prior() -> None:
    prior = made()
    found = fit_stack(np.zeros((0, WIDTH)), np.zeros((0, len(LABELS))), prior=prior)
    np.testing.assert_allclose(found.weights, prior.weights)


def test_what_is_not_fitted_comes_from_the_prior() -> None:
    prior = made()
    found = fit_stack(*labelled(), prior=prior)
    assert (found.means, found.scales, found.biases, found.sureness) == (
        prior.means,
        prior.scales,
        prior.biases,
        prior.sureness,
    )


def test_weight_two_is_as_good_as_twice() -> None:
    table, wanted = labelled(30)
    twice = fit_stack(np.tile(table, (2, 1)), np.tile(wanted, (2, 1)), penalty=5.0)
    heavy = fit_stack(table, wanted, weights=np.full(30, 2.0), penalty=5.0)
    np.testing.assert_allclose(heavy.probabilities(table), twice.probabilities(table), atol=1e-3)


def test_intercepts_may_move_more_freely() -> None:
    """All labels alike: with a strong penalty only the frequency is learned."""
    table, _ = labelled()
    wanted = np.tile(np.eye(len(LABELS))[0], (len(table), 1))
    found = np.array(fit_stack(table, wanted, penalty=50.0).weights)
    assert found[0, 0] > 5 * np.abs(found[:, 1:]).max()


def test_the_fit_is_where_data_and_penalty_balance() -> None:
    """Evidence that is always the same leaves the intercepts, of which a tenth is penalised."""
    wanted = np.eye(len(LABELS))[[0] * 12 + [1] * 5 + [3] * 3]
    stack = fit_stack(np.ones((20, WIDTH)), wanted, penalty=50.0)
    found = stack.probabilities(np.ones((1, WIDTH)))[0]
    intercepts = np.array(stack.weights)[:, 0]
    np.testing.assert_allclose(20 * found - wanted.sum(axis=0) + 50 * 0.01 * intercepts, 0, atol=1e-2)


@pytest.mark.parametrize(("target", "level"), [(0.99, 0.95), (0.9, 0.6), (0.7, 0.4), (0.999, 1.01)])
def test_the_threshold_for_an_accuracy(target: float, level: float) -> None:
    assert made().threshold(target) == level


@pytest.mark.parametrize(("share", "level"), [(0.1, 0.95), (0.5, 0.8), (0.8, 0.6), (1.0, 0.4)])
def test_the_threshold_for_a_share(share: float, level: float) -> None:
    assert made().threshold_for(share) == level


def test_without_a_curve_all_or_none_is_sure() -> None:
    bare = replace(made(), sureness=())
    assert bare.threshold(0.5) > 1
    assert bare.threshold_for(0.8) == 0


def test_where_a_model_is_at_home_comes_back_nearly(tmp_path) -> None:
    home = np.random.default_rng(0).normal(0, 0.04, (9, 768)).astype(np.float32)
    home /= np.linalg.norm(home, axis=1, keepdims=True)
    save_model(tmp_path / "stack.json", Model({"new": made(1), "known": made(2)}, {}, "careful", home))
    read = load_model(tmp_path / "stack.json").home
    np.testing.assert_allclose(read @ home.T, home @ home.T, atol=0.01)
    (tmp_path / "home.npz").write_bytes(b"PK and so on")
    with pytest.raises(InputError, match="not a trained model"):
        load_model(tmp_path / "stack.json")


def test_files_come_back_as_they_were(tmp_path) -> None:
    path = tmp_path / "models" / "stack.json"
    stacks = {"new": made(1), "known": replace(made(2), **few())}
    model = Model(stacks, {"b": 3, "a": 1}, "careful")
    save_model(path, model)
    assert load_model(path) == model
    assert [one.name for one in path.parent.iterdir()] == ["stack.json"]
    first = path.read_bytes()
    again = Model(dict(reversed(stacks.items())), {"a": 1, "b": 3}, "careful")
    save_model(path, again)
    assert load_model(path) == model
    assert json.loads(first)["known"] == {"a": 1, "b": 3}


def few() -> dict[str, tuple]:
    """A stack's fields where it weighs three features only."""
    return {
        "features": (EVIDENCE[4], EVIDENCE[0], EVIDENCE[-1]),
        "weights": tuple((0.1, 0.2, 0.3, float(row)) for row in range(len(LABELS))),
        "means": (0.0, 0.5, 1.0),
        "scales": (1.0, 2.0, 0.5),
    }


def test_a_stack_weighs_its_own_features_only() -> None:
    stack = replace(made(), **few())
    table = np.random.default_rng(2).normal(size=(4, WIDTH))
    moved = table.copy()
    moved[:, 1] += 5  # not one of them
    assert (stack.probabilities(table) == stack.probabilities(moved)).all()
    moved[:, 4] += 5
    assert (stack.probabilities(table) != stack.probabilities(moved)).any()


def test_a_fitted_stack_keeps_the_features_of_its_prior() -> None:
    table, wanted = labelled(60)
    prior = replace(made(), **few())
    assert fit_stack(table, wanted, prior=prior).features == prior.features
    assert fit_stack(table, wanted, features=EVIDENCE[:3]).features == EVIDENCE[:3]


def written(tmp_path, change) -> object:
    """A model file whose contents somebody has changed."""
    path = tmp_path / "stack.json"
    save_model(path, Model({"new": made(1), "known": made(2)}, {"a": 1}))
    content = json.loads(path.read_text("utf-8"))
    change(content)
    path.write_text(json.dumps(content), "utf-8")
    return path


DAMAGES = {
    "no stacks": lambda content: content.pop("stacks"),
    "one stack is gone": lambda content: content["stacks"].pop("new"),
    "stacks in a list": lambda content: content.update(stacks=[1, 2]),
    "no weights": lambda content: content["stacks"]["new"].pop("weights"),
    "too few rows": lambda content: content["stacks"]["new"]["weights"].pop(),
    "a short row": lambda content: content["stacks"]["new"]["weights"][0].pop(),
    "a word among the weights": lambda content: content["stacks"]["new"]["weights"][0].__setitem__(3, "x"),
    "no number": lambda content: content["stacks"]["new"]["means"].__setitem__(0, float("nan")),
    "a short mean": lambda content: content["stacks"]["known"]["means"].pop(),
    "biases in a list": lambda content: content["stacks"]["new"].update(biases=[0, 1]),
    "biases of no scheme": lambda content: content["stacks"]["new"].update(biases={"4way": [0, 0, 0, 0]}),
    "too many biases": lambda content: content["stacks"]["new"].update(biases={"2way": [0, 0, 0]}),
    "a short curve": lambda content: content["stacks"]["new"].update(sureness=[[0.1, 0.2]]),
    "known in a list": lambda content: content.update(known=["a"]),
    "a reader that does not exist": lambda content: content.update(reader="careless"),
    "no format": lambda content: content.pop("format"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_refused(tmp_path, damage: str) -> None:
    path = written(tmp_path, DAMAGES[damage])
    with pytest.raises(InputError, match=r"is not a trained model") as caught:
        load_model(path)
    assert "postil train" in caught.value.hint
    assert caught.value.path == str(path)


@pytest.mark.parametrize("text", ["", "{", "[]", "3", "null", '"stack"', "\xff\xfe\x00"])
def test_what_is_no_model_is_refused(tmp_path, text: str) -> None:
    path = tmp_path / "stack.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match=r"is not a trained model") as caught:
        load_model(path)
    assert caught.value.hint


def test_a_file_that_is_not_there(tmp_path) -> None:
    for path in (tmp_path / "nowhere" / "stack.json", tmp_path):
        with pytest.raises(InputError, match=r"is not a trained model"):
            load_model(path)


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content.update(format=99),
        lambda content: (content.clear(), content.update(format=2, other="layout")),
        lambda content: content["stacks"]["new"]["features"].append("of a later version"),
    ],
)
def test_another_version_is_told_apart_from_damage(tmp_path, change) -> None:
    with pytest.raises(InputError, match=r"another version") as caught:
        load_model(written(tmp_path, change))
    assert "Train it again" in caught.value.hint
