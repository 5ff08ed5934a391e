"""The entailer's stack: two curves, what clearly rules out entailment, and its file."""

from __future__ import annotations

import json

import numpy as np
import pytest

from postil.entailment.entailer import PLAIN, Curve, Stack, load_entailer, load_stack, save_stack
from postil.entailment.findings import EVIDENCE, encoder_evidence
from postil.errors import InputError

STACK = Stack(
    Curve(("encoder_entailment",), (0.5,), (0.25,), (2.0,), 0.0),
    Curve(("encoder_contradiction",), (0.5,), (0.25,), (2.0,), 0.0),
)


def row(**values: float) -> np.ndarray:
    return np.array([[values.get(name, 0.0) for name in EVIDENCE]])


def test_probabilities_follow_the_evidence():
    entailed, denied, unknown = STACK.probabilities(row(encoder_entailment=0.9))[0]
    assert entailed > 0.9
    assert entailed + denied + unknown == pytest.approx(1)
    entailed, denied, unknown = STACK.probabilities(row(encoder_contradiction=0.9))[0]
    assert denied > max(entailed, unknown)


@pytest.mark.parametrize("name", PLAIN)
def test_plain_differences_rule_entailment_out(name):
    (chances,) = STACK.probabilities(row(encoder_entailment=1.0, **{name: 1.0}))
    assert chances[0] < 0.5
    assert chances.sum() == pytest.approx(1)


def test_far_evidence_is_cut_off():
    curve = Curve(("covered",), (0.0,), (0.01,), (1.0,), 0.0)
    assert curve.chances(row(covered=1.0)) == curve.chances(row(covered=0.5))


def test_the_encoder_speaks_in_chances():
    ((entailment, contradiction, unknown),) = encoder_evidence(np.array([[2.0, 0.0, 1.0]], np.float32))
    assert entailment > contradiction > unknown
    assert entailment + contradiction + unknown == pytest.approx(1)


def test_it_is_written_and_read(tmp_path):
    save_stack(tmp_path / "stack.json", STACK)
    assert load_stack(tmp_path / "stack.json") == STACK


@pytest.mark.parametrize(
    ("where", "value"),
    [("means", [1.0, 2.0]), ("weights", [float("nan")]), ("features", ["unheard_of"]), ("intercept", "x")],
)
def test_a_damaged_file_is_refused(tmp_path, where, value):
    save_stack(tmp_path / "stack.json", STACK)
    content = json.loads((tmp_path / "stack.json").read_text("utf-8"))
    content["entailed"][where] = value
    (tmp_path / "stack.json").write_text(json.dumps(content), "utf-8")
    with pytest.raises(InputError, match="not a trained model"):
        load_stack(tmp_path / "stack.json")


def test_another_version_is_refused(tmp_path):
    (tmp_path / "stack.json").write_text('{"format": 99}', "utf-8")
    with pytest.raises(InputError, match="another version"):
        load_stack(tmp_path / "stack.json")


def test_what_ships_counts_as_one_expects():
    weights = dict(
        zip(load_entailer().stack.entailed.features, load_entailer().stack.entailed.weights, strict=True)
    )
    assert weights["encoder_entailment"] > 0 > weights["encoder_contradiction"]
    assert weights["bonds"] > 0 > weights["names_missing"]
