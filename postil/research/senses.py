"""The sense benchmark: train on one lexical-sample file, test on another, or cross-validate on one."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from postil.data.formats.sensekeys import SenseAnswer, read_sense_key, sense_key
from postil.data.formats.senses import SenseInstance
from postil.data.formats.senseval import read_senseval
from postil.errors import PostilError
from postil.research.folds import split_evenly
from postil.research.result import BenchResult, Cell
from postil.research.systems import SenseSystem, create
from postil.scoring.score import make_signature
from postil.scoring.senses import score_senses, tally_of, tally_senses


def run_senses(
    train: Path | str,
    system: str,
    *,
    test: Path | str | None = None,
    key: Path | str | None = None,
    folds: int = 10,
    seed: int = 0,
) -> BenchResult:
    """Run a registered system: on a test file (whose key may be a file apart), or in cross-validation."""
    started = time.perf_counter()
    training = [instance for instance in read_senseval(train) if instance.senses]
    if not training:
        raise PostilError(f"{train}: no instance has a sense to learn from.")
    if test is None:
        name, right = f"{Path(train).stem}/cv", sense_key(training)
        answers = _cross_validate(system, training, folds, seed)
        how: dict[str, object] = {"folds": folds, "seed": seed}
    else:
        instances = read_senseval(test)
        name, right = Path(test).stem, sense_key(instances) if key is None else read_sense_key(key)
        if not right:
            raise PostilError(f"{test}: no instance has a sense to score against.", hint="Give its --key.")
        model: SenseSystem = create("senses", system)
        model.fit(training)
        answers = model.predict(_hidden(instances))
        how = {"test": name}
    cells = {name: _cell(right, answers)}
    words = sorted({answer.lexelt for answer in right})
    if len(words) > 1:
        for word in words:
            of_word = [[item for item in items if item.lexelt == word] for items in (right, answers)]
            cells[word] = _cell(*of_word)
    signature = make_signature("senses", system=system, granularity="fine", **how)
    return BenchResult("senses", system, signature, {"fine": cells}, time.perf_counter() - started)


def _hidden(instances: Sequence[SenseInstance]) -> list[SenseInstance]:
    return [replace(instance, senses=()) for instance in instances]


def _cross_validate(
    system: str, instances: Sequence[SenseInstance], folds: int, seed: int
) -> list[SenseAnswer]:
    if not 2 <= folds <= len(instances):
        raise PostilError(f"{folds} folds cannot be made of {len(instances)} instances.")
    numbers = split_evenly(len(instances), folds, seed)
    answers: list[SenseAnswer] = []
    for fold in range(folds):
        model: SenseSystem = create("senses", system)
        model.fit([item for item, number in zip(instances, numbers, strict=True) if number != fold])
        held_out = [item for item, number in zip(instances, numbers, strict=True) if number == fold]
        answers += model.predict(_hidden(held_out))
    return answers


def _cell(key: Sequence[SenseAnswer], answers: Sequence[SenseAnswer]) -> Cell:
    tally = tally_senses(key, answers)
    return Cell(score_senses(tally, granularity="fine"), tally_of(tally))
