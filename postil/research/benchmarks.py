"""The benchmarks of entailment, alignment, facets and senses: train a registered system, test it, score it.

Entailment trains on a folder of RTE files and tests on others. Alignment takes the datasets of interpretable
similarity, on gold chunks and on Postil's own. Facets are scored by the reference's words, so that systems
with different facets can be compared. Senses train on one lexical-sample file and test on another, or are
cross-validated.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from postil.data.formats.chunks import chunk_files, read_gold_chunks
from postil.data.formats.ists import read_alignments
from postil.data.formats.rte import EntailmentRun, Pair, read_gold, read_pairs
from postil.data.formats.sensekeys import SenseAnswer, read_sense_key, sense_key
from postil.data.formats.senseval import SenseInstance, read_senseval
from postil.data.formats.sra import GapRow, read_gaps
from postil.data.judgements import AlignedPair, ChunkedPair
from postil.data.labels import ENTAILMENT_SCHEMES, Scheme
from postil.errors import InputError, MissingDataError, PostilError
from postil.research.systems import AlignmentSystem, EntailmentSystem, FacetSystem, SenseSystem, create
from postil.research.tables import BenchResult, Cell, Cells
from postil.scoring.alignment import score_alignments, tally_alignments
from postil.scoring.entailment import score_entailment, tally_entailment
from postil.scoring.responses import class_scores, tally_classes
from postil.scoring.score import Score, make_signature
from postil.scoring.senses import score_senses, tally_of, tally_senses
from postil.scoring.significance import fold_numbers, group_numbers

Dataset = tuple[list[AlignedPair], list[ChunkedPair]]
Progress = Callable[[int, int, str], None]

CHUNKS = ("gold", "system")
METRICS = ("accuracy", "macro_f1", "weighted_f1")
_OUTCOMES = Scheme("gaps", ("missing", "expressed"))


def run_entailment(
    train: Path | str, tests: Sequence[Path | str], system: str, *, scheme: str
) -> BenchResult:
    """Train a registered system on every labelled pair below `train` that no test file holds, and test it."""
    started = time.perf_counter()
    chosen = ENTAILMENT_SCHEMES[scheme]
    golds = {Path(path).stem: read_gold(path, with_texts=True) for path in tests}
    if len(golds) < len(tests):
        raise PostilError("two test files have the same name.", hint="Results are listed by file name.")
    for path, gold in zip(tests, golds.values(), strict=True):
        if scheme == "3way" and any(pair.label == "NO_ENTAILMENT" for pair in gold):
            raise InputError(
                path, "has two-way labels and cannot be scored three-way.", hint="Use --scheme 2way."
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
    """All labelled pairs of the RTE files in a folder, each once, preferably with its three-way label."""
    folder = Path(folder)
    files = [folder] if folder.is_file() else sorted((*folder.glob("*.xml"), *folder.glob("*.tsv")))
    if not files:
        raise MissingDataError(f"{folder}: no RTE files (.xml or .tsv) were found here.")
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


def run_alignment(
    train: Path | str, test: Path | str, system: str, *, chunks: Sequence[str] = CHUNKS
) -> BenchResult:
    """Train a registered system on the gold chunks of one folder; test it on another's, gold or our own."""
    from postil.alignment.aligner import own_chunks

    started = time.perf_counter()
    training = read_datasets(train)
    model: AlignmentSystem = create("alignment", system)
    model.fit(
        [pair for pairs, _ in training.values() for pair in pairs],
        [pair for _, chunked in training.values() for pair in chunked],
    )
    cells: Cells = {kind: {} for kind in chunks}
    for name, (gold, chunked) in read_datasets(test).items():
        for kind in chunks:
            aligned = model.predict(chunked if kind == "gold" else own_chunks(gold))
            cells[kind][name] = Cell(score_alignments(gold, aligned), tally_alignments(gold, aligned))
    signature = make_signature("ists", system=system, chunks="+".join(chunks))
    return BenchResult("alignment", system, signature, cells, time.perf_counter() - started)


def read_datasets(folder: Path | str) -> dict[str, Dataset]:
    """Read `STSint.input.NAME.wa` (or `.testinput.`) and its gold chunks, by dataset name."""
    folder = Path(folder)
    datasets: dict[str, Dataset] = {}
    for file in sorted((*folder.glob("STSint.input.*.wa"), *folder.glob("STSint.testinput.*.wa"))):
        name = file.name.removesuffix(".wa").split("input.", 1)[1]
        gold = read_alignments(file)
        datasets[name] = (gold, read_gold_chunks(gold, chunk_files([file])))
    if not datasets:
        raise MissingDataError(
            f"{folder}: no files STSint.input.*.wa or STSint.testinput.*.wa were found here.",
            hint="docs/researchers/data.md shows the layout.",
        )
    return datasets


def run_facets(gaps: Sequence[Path], system: str, *, progress: Progress | None = None) -> BenchResult:
    """Score a registered system on tables of gaps: over all rows, and over those with a part missing."""
    started = time.perf_counter()
    tables = {path.stem: read_gaps(path) for path in map(Path, gaps)}
    if len(tables) < len(gaps):
        raise PostilError("two tables have the same name.", hint="Results are listed by file name.")
    cells: Cells = {"words": {}, "partial": {}}
    for number, (stem, rows) in enumerate(tables.items(), start=1):
        model: FacetSystem = create("facets", system)
        model.fit(rows)
        missing = model.predict([replace(row, gap="") for row in rows])
        judged = list(zip(rows, missing, strict=True))
        cells["words"][stem] = _gap_cell(judged, system)
        partial = [(row, words) for row, words in judged if row.is_partial]
        if partial:
            cells["partial"][stem] = _gap_cell(partial, system)
        if progress:
            progress(number, len(tables), "tables")
    signature = make_signature("gaps", system=system, rows=sum(map(len, tables.values())))
    return BenchResult("facets", system, signature, cells, time.perf_counter() - started)


def _gap_cell(judged: Sequence[tuple[GapRow, tuple[bool, ...]]], system: str) -> Cell:
    """Score rows beside which of their words a system calls missing; the words of one row belong together."""
    missing, expressed = _OUTCOMES.labels
    gold = [missing if is_missing else expressed for row, _ in judged for is_missing in row.missing]
    given = [missing if is_missing else expressed for _, words in judged for is_missing in words]
    tally = tally_classes(gold, given, _OUTCOMES)
    values = tally.values()
    score = Score(
        {name: values[name] for name in METRICS},
        "macro_f1",
        make_signature("gaps", system=system, rows=len(judged), n=tally.size),
        tally.size,
        class_scores(tally, _OUTCOMES),
    )
    groups = group_numbers([str(number) for number, (row, _) in enumerate(judged) for _ in row.words])
    return Cell(score, tally, groups, {"rows": len(judged)})


def run_senses(
    train: Path | str,
    system: str,
    *,
    test: Path | str | None = None,
    key: Path | str | None = None,
    folds: int = 10,
    seed: int = 0,
) -> BenchResult:
    """Run a registered system on a test file (whose key may be a separate file) or in cross-validation."""
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
            raise PostilError(f"{test}: no instance has a sense to score against.", hint="Name a --key.")
        model: SenseSystem = create("senses", system)
        model.fit(training)
        answers = model.predict(_hidden(instances))
        how = {"test": name}
    cells = {name: _sense_cell(right, answers)}
    words = sorted({answer.lexelt for answer in right})
    if len(words) > 1:
        for word in words:
            both = ([item for item in items if item.lexelt == word] for items in (right, answers))
            cells[word] = _sense_cell(*both)
    signature = make_signature("senses", system=system, granularity="fine", **how)
    return BenchResult("senses", system, signature, {"fine": cells}, time.perf_counter() - started)


def _hidden(instances: Sequence[SenseInstance]) -> list[SenseInstance]:
    return [replace(instance, senses=()) for instance in instances]


def _cross_validate(
    system: str, instances: Sequence[SenseInstance], folds: int, seed: int
) -> list[SenseAnswer]:
    if not 2 <= folds <= len(instances):
        raise PostilError(f"{folds} folds cannot be made of {len(instances)} instances.")
    numbers = fold_numbers(range(len(instances)), folds, seed).tolist()
    answers: list[SenseAnswer] = []
    for fold in range(folds):
        model: SenseSystem = create("senses", system)
        model.fit([item for item, number in zip(instances, numbers, strict=True) if number != fold])
        held_out = [item for item, number in zip(instances, numbers, strict=True) if number == fold]
        answers += model.predict(_hidden(held_out))
    return answers


def _sense_cell(key: Sequence[SenseAnswer], answers: Sequence[SenseAnswer]) -> Cell:
    tally = tally_senses(key, answers)
    return Cell(score_senses(tally, granularity="fine"), tally_of(tally))
