"""What every scorer returns: named figures, and the signature that says how they were made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from postil import __version__


@dataclass(frozen=True, slots=True)
class ClassScore:
    """Precision, recall and F1 of one class, and how many gold items it has."""

    precision: float
    recall: float
    f1: float
    support: int


@dataclass(frozen=True)
class Score:
    """A system's figures on one test set."""

    metrics: Mapping[str, float]
    primary: str
    signature: str
    count: int
    per_class: Mapping[str, ClassScore] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.primary} = {self.metrics[self.primary]:.4f} ({self.signature})"

    def as_json(self) -> dict[str, Any]:
        """The score as plain data, under the metric names used everywhere."""
        data: dict[str, Any] = dict(self.metrics)
        if self.per_class:
            data["per_class"] = {label: asdict(scores) for label, scores in self.per_class.items()}
        return data | {"count": self.count, "signature": self.signature}


def make_signature(task: str, **choices: object) -> str:
    """Spell out how a score was made: `task:sra|scheme:5way|classes:4|v:0.1.0`."""
    parts = {"task": task, **choices, "v": __version__}
    return "|".join(f"{name}:{value}" for name, value in parts.items())
