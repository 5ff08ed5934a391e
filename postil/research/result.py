"""What a benchmark run gives: scores by scheme and test set, and the tallies behind them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from postil.scoring.score import Score
from postil.scoring.significance import Groups, Interval, bootstrap
from postil.scoring.tally import Tally


@dataclass(frozen=True)
class Cell:
    """One test set under one scheme: its score, its tally, and which items belong together."""

    score: Score
    tally: Tally
    groups: Groups = None
    details: Mapping[str, Any] = field(default_factory=dict)

    def intervals(self, iterations: int, seed: int = 0) -> dict[str, Interval]:
        """95 % bootstrap intervals of the figures, by group where items belong together."""
        return bootstrap(self.tally, iterations=iterations, seed=seed, groups=self.groups)


Cells = dict[str, dict[str, Cell]]


@dataclass(frozen=True)
class BenchResult:
    """A system's figures on a benchmark: cells[scheme][test set]."""

    task: str
    system: str
    signature: str
    cells: Cells
    seconds: float

    def as_json(self, iterations: int = 0) -> dict[str, Any]:
        """The result as plain data; with `iterations`, every figure gets its bootstrap interval."""
        scores: dict[str, Any] = {}
        for scheme, tests in self.cells.items():
            scores[scheme] = {}
            for test, cell in tests.items():
                data = cell.score.as_json() | dict(cell.details)
                if iterations:
                    data["intervals"] = {
                        name: [interval.low, interval.high]
                        for name, interval in cell.intervals(iterations).items()
                    }
                scores[scheme][test] = data
        return {
            "task": self.task,
            "system": self.system,
            "signature": self.signature,
            "scores": scores,
            "seconds": round(self.seconds, 3),
        }
