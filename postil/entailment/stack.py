"""The stack: weighs the evidence about a pair, first whether it is entailed, then, if not, whether denied."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np

from postil.data.files import write_text
from postil.entailment.evidence import EVIDENCE, Floats
from postil.errors import InputError

FORMAT = 1
_DIGITS = 9
STACK_FILE = "stack.json"
_FARTHEST = 6.0  # spreads from the mean
# Where one of these is seen, entailment is rare, however sure the encoder is: in RTE-1 to RTE-3 it was right
# in nine of 28 such pairs.
PLAIN = ("numbers_clash", "denied", "left_open")


@dataclass(frozen=True, slots=True)
class Curve:
    """Logistic regression over some standardised features."""

    features: tuple[str, ...]
    means: tuple[float, ...]
    scales: tuple[float, ...]
    weights: tuple[float, ...]
    intercept: float

    def chances(self, table: Floats) -> Floats:
        """The chance for each row of a table that has a column for each of `EVIDENCE`."""
        inside = standard(self.columns(table), np.array(self.means), np.array(self.scales))
        found: Floats = 1 / (1 + np.exp(-(inside @ np.array(self.weights) + self.intercept)))
        return found

    def columns(self, table: Floats) -> Floats:
        """The columns of the features that this curve weighs."""
        return table[:, [EVIDENCE.index(name) for name in self.features]]


def standard(columns: Floats, means: Floats, scales: Floats) -> Floats:
    """Evidence in spreads from its mean; what is farther out than most is cut off."""
    found: Floats = np.clip((columns - means) / scales, -_FARTHEST, _FARTHEST)
    return found


@dataclass(frozen=True, slots=True)
class Stack:
    """Two curves: the chance of entailment, and that of contradiction where nothing is entailed.

    The chance of entailment is halved, and so below one half, where something plain speaks against it.
    """

    entailed: Curve
    denied: Curve

    def probabilities(self, table: Floats) -> Floats:
        """A row a pair; columns are entailment, contradiction, unknown."""
        entailed, denied = self.entailed.chances(table), self.denied.chances(table)
        plain = table[:, [EVIDENCE.index(name) for name in PLAIN]].any(axis=1)
        entailed = np.where(plain, entailed / 2, entailed)
        found = np.stack([entailed, (1 - entailed) * denied, (1 - entailed) * (1 - denied)], axis=1)
        # The last digits of a product depend on how many rows there are; no judgement should.
        return found.round(_DIGITS)


def save_stack(path: Path, stack: Stack) -> None:
    """Write a stack as JSON."""
    write_text(path, json.dumps({"format": FORMAT, **asdict(stack)}, indent=1) + "\n")


def load_stack(path: Path) -> Stack:
    """Read what `save_stack` wrote."""
    try:
        content = json.loads(path.read_text("utf-8"))
        if content["format"] != FORMAT:
            raise InputError(path, "was made by another version of Postil.")
        return Stack(_curve(content["entailed"]), _curve(content["denied"]))
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise InputError(
            path, "is not a trained model.", hint="Make one with training/entailment.py."
        ) from error


def _curve(values: Mapping[str, Any]) -> Curve:
    features = tuple(values["features"])
    if not set(features) <= set(EVIDENCE):
        raise ValueError("there are features that nobody measures")
    numbers = np.array([values[name] for name in ("means", "scales", "weights")], np.float64)
    intercept = float(values["intercept"])
    if numbers.shape != (3, len(features)) or not np.isfinite([*numbers.ravel(), intercept]).all():
        raise ValueError(f"{len(features)} numbers are expected")
    means, scales, weights = (tuple(row) for row in numbers.tolist())
    return Curve(features, means, scales, weights, intercept)


@cache
def shipped_stack() -> Stack:
    """The stack that ships."""
    with as_file(files("postil.resources").joinpath("entailment", STACK_FILE)) as path:
        return load_stack(path)
