"""The entailment benchmark: train on a folder of RTE files, test on others, two-way or three-way."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from postil.data.formats.rte import Pair, read_pairs
from postil.data.formats.rteruns import EntailmentRun, read_gold
from postil.data.labels import ENTAILMENT_SCHEMES, Scheme
from postil.errors import InputError, MissingDataError, PostilError
from postil.research.result import BenchResult, Cell
from postil.research.systems import EntailmentSystem, create
from postil.scoring.entailment import score_entailment, tally_entailment
from postil.scoring.score import make_signature


def run_entailment(
    train: Path | str, tests: Sequence[Path | str], system: str, *, scheme: str
) -> BenchResult:
    """Train a registered system on every labelled pair below `train` that no test file holds, and test it."""
    started = time.perf_counter()
    chosen = ENTAILMENT_SCHEMES[scheme]
    golds = {Path(path).stem: read_gold(path, with_texts=True) for path in tests}
    if len(golds) < len(tests):
        raise PostilError(
            "two test files have the same name.", hint="Results are filed under the name of the file."
        )
    for path, gold in zip(tests, golds.values(), strict=True):
        if scheme == "3way" and any(pair.label == "NO_ENTAILMENT" for pair in gold):
            raise InputError(
                path, "has two-way labels, and cannot be scored three-way.", hint="Use --scheme 2way."
            )
    held_out = {(pair.text, pair.hypothesis) for gold in golds.values() for pair in gold}
    training = [pair for pair in training_pairs(train) if (pair.text, pair.hypothesis) not in held_out]
    if not training:
        raise MissingDataError(
            f"{train}: no labelled pair is left to train on.", hint="Is it only the test file?"
        )
    model: EntailmentSystem = create("entailment", system)
    model.fit(training)
    cells = {name: _cell(model, gold, chosen) for name, gold in golds.items()}
    signature = make_signature("rte", system=system, scheme=scheme, train=len(training))
    return BenchResult("entailment", system, signature, {scheme: cells}, time.perf_counter() - started)


def training_pairs(folder: Path | str) -> list[Pair]:
    """All labelled pairs of the RTE files in a folder, each once, three-way labels before two-way ones."""
    folder = Path(folder)
    files = [folder] if folder.is_file() else sorted((*folder.glob("*.xml"), *folder.glob("*.tsv")))
    if not files:
        raise MissingDataError(f"{folder}: there are no RTE files (.xml or .tsv) here.")
    best: dict[tuple[str, str], Pair] = {}
    for file in files:
        for pair in read_pairs(file):
            known = best.get((pair.text, pair.hypothesis))
            if pair.label and (known is None or known.label == "NO_ENTAILMENT"):
                best[pair.text, pair.hypothesis] = pair
    return list(best.values())


def _cell(model: EntailmentSystem, gold: Sequence[Pair], scheme: Scheme) -> Cell:
    hidden = [replace(pair, label=None) for pair in gold]
    run = EntailmentRun(tuple(model.predict(hidden, scheme)))
    judged = {judgement.id: judgement for judgement in run.judgements}

    def part(pairs: Sequence[Pair]) -> dict[str, float]:
        sub_run = EntailmentRun(tuple(judged[pair.id] for pair in pairs))
        metrics = score_entailment(pairs, sub_run, scheme).metrics
        return dict(metrics) | {"count": len(pairs)}

    tasks = sorted({pair.task for pair in gold if pair.task})
    lengths = {
        name: [pair for pair in gold if pair.is_long == is_long]
        for name, is_long in (("long", True), ("short", False))
    }
    details = {
        "by_application": {task: part([pair for pair in gold if pair.task == task]) for task in tasks},
        "by_length": {name: part(pairs) for name, pairs in lengths.items() if pairs},
    }
    return Cell(score_entailment(gold, run, scheme), tally_entailment(gold, run, scheme), None, details)
