"""The six benchmarks: responses, entailment, alignment, facets, claims and senses.

Systems are trained and tested, or cross-validated. Entailment trains on a folder of RTE files and tests on
others; senses do so with lexical-sample files. Alignment takes the datasets of interpretable similarity, on
gold chunks and on Postil's own. Facets are scored by the reference's words; claims are given with a text.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path

import numpy as np

from postil.data.arrays import Bools
from postil.data.formats.chunks import chunk_files, read_gold_chunks
from postil.data.formats.claim_sets import read_claims
from postil.data.formats.ists import read_alignments
from postil.data.formats.rte import EntailmentRun, Pair, read_gold, read_pairs
from postil.data.formats.sensekeys import SenseAnswer, read_sense_key, sense_key
from postil.data.formats.senseval import SenseInstance, read_senseval
from postil.data.formats.sra import CORPORA, GapRow, read_collection, read_gaps
from postil.data.judgements import AlignedPair, ChunkedPair
from postil.data.labels import ENTAILMENT_SCHEMES, RESPONSE_SCHEMES, Scheme, reachable_schemes
from postil.data.questions import Question, count_answers, labelled_only
from postil.errors import InputError, MissingDataError, PostilError
from postil.research.systems import (
    AlignmentSystem,
    ChoosesReader,
    ClaimSystem,
    EntailmentSystem,
    Experienced,
    FacetSystem,
    ResponseSystem,
    SenseSystem,
    create,
    refuse_known,
)
from postil.research.tables import METRICS, BenchResult, Cell, Cells
from postil.scoring.alignment import score_alignments, tally_alignments
from postil.scoring.claims import score_claims, tally_claims
from postil.scoring.entailment import score_entailment, tally_entailment
from postil.scoring.responses import class_scores, left_out, score_labels, tally_classes
from postil.scoring.senses import score_senses, tally_senses
from postil.scoring.significance import Score, fold_numbers, group_numbers, make_signature

Dataset = tuple[list[AlignedPair], list[ChunkedPair]]
Fold = tuple[list[Question], list[Question]]
Progress = Callable[[int, int, str], None]

SCENARIOS = ("unseen-answers", "unseen-questions", "unseen-domains")
CHUNKS = ("gold", "system")
_TOGETHER = 64  # claims judged before progress is shown
_OUTCOMES = Scheme("gaps", ("missing", "expressed"))
# An answer's question, gold label and predicted label, and whether it was learned from (None: who knows).
_Outcome = tuple[str, str, str, bool | None]
_Outcomes = dict[tuple[str, str, str], list[_Outcome]]  # (scheme, corpus, set) → answers


def _known(model: object, items: Sequence[object]) -> Bools | None:
    """Which items a system has learned from; None if it cannot tell."""
    return np.array(model.learned_from(items), bool) if isinstance(model, Experienced) else None


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
            what = "has two-way labels and cannot be scored three-way."
            raise InputError(path, what, hint="Use --scheme 2way.")
    held_out = {(pair.text, pair.hypothesis) for gold in golds.values() for pair in gold}
    training = [pair for pair in training_pairs(train) if (pair.text, pair.hypothesis) not in held_out]
    if not training:
        what = f"{train}: no labelled pair is left to train on."
        raise MissingDataError(what, hint="Is it only the test file?")
    model: EntailmentSystem = create("entailment", system)
    model.fit(training)
    cells = {name: _cell(model, gold, chosen) for name, gold in golds.items()}
    reader = getattr(model, "reader", None)
    how = {"train": len(training), **({"reader": reader} if reader else {})}
    signature = make_signature("rte", system=system, scheme=scheme, **how)
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
    run = EntailmentRun(tuple(model.predict([replace(pair, label=None) for pair in gold], scheme)))
    judged = {judgement.id: judgement for judgement in run.judgements}

    def parts(names: Sequence[str]) -> dict[str, dict[str, float]]:
        """The figures on the pairs of each name, without those that have none."""
        figures = {}
        for name in sorted(set(filter(None, names))):
            pairs = [pair for pair, own in zip(gold, names, strict=True) if own == name]
            part_run = EntailmentRun(tuple(judged[pair.id] for pair in pairs))
            figures[name] = {**score_entailment(pairs, part_run, scheme).metrics, "count": len(pairs)}
        return figures

    lengths = ["long" if pair.is_long else "short" for pair in gold]
    details = {"by_application": parts([pair.task for pair in gold]), "by_length": parts(lengths)}
    scores = score_entailment(gold, run, scheme), tally_entailment(gold, run, scheme)
    return Cell(*scores, None, details, _known(model, gold))


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
            scores = score_alignments(gold, aligned), tally_alignments(gold, aligned)
            cells[kind][name] = Cell(*scores, known=_known(model, chunked))
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
    predicted = [missing if is_missing else expressed for _, words in judged for is_missing in words]
    tally = tally_classes(gold, predicted, _OUTCOMES)
    values = tally.values()
    figures = {name: values[name] for name in METRICS["facets"]}
    signature = make_signature("gaps", system=system, rows=len(judged), n=tally.size)
    score = Score(figures, "macro_f1", signature, tally.size, class_scores(tally, _OUTCOMES))
    groups = group_numbers([str(number) for number, (row, _) in enumerate(judged) for _ in row.words])
    return Cell(score, tally, groups, {"rows": len(judged)})


def run_claims(
    data: Sequence[Path], system: str, *, reader: str | None = None, progress: Progress | None = None
) -> BenchResult:
    """Score a registered system on sets of judged claims; a `reader` is for those that have several."""
    started = time.perf_counter()
    sets = {claim_set_name(path): read_claims(path) for path in map(Path, data)}
    if len(sets) < len(data):
        raise PostilError("two sets of claims have the same name.", hint="Results are listed by file name.")
    model: ClaimSystem = create("claims", system)
    how: dict[str, object] = {}
    if isinstance(model, ChoosesReader):
        how["reader"] = model.choose(reader)
    cells: Cells = {"claims": {}}
    done, total = 0, sum(map(len, sets.values()))
    for name, rows in sets.items():
        judged: list[tuple[str, float]] = []
        model.fit(rows)
        for start in range(0, len(rows), _TOGETHER):
            hidden = [replace(row, label="") for row in rows[start : start + _TOGETHER]]
            judged += model.predict(hidden)
            done += len(hidden)
            if progress:
                progress(done, total, name)
        labels, chances = zip(*judged, strict=True)
        tally = tally_claims([row.label for row in rows], labels, chances)
        # Claims beside one text stand or fall together.
        groups = group_numbers([row.text for row in rows])
        cells["claims"][name] = Cell(score_claims(tally), tally, groups)
    signature = make_signature("claims", system=system, **how, rows=total)
    return BenchResult("claims", system, signature, cells, time.perf_counter() - started)


def claim_set_name(path: Path) -> str:
    """The name of a file without its endings: `physics` for physics.jsonl.xz."""
    return path.with_suffix("").stem if path.suffix.lower() == ".xz" else path.stem


def run_senses(
    train: Path | str,
    system: str,
    *,
    test: Path | str | None = None,
    keys: Sequence[Path | str] = (),
    folds: int = 10,
    seed: int = 0,
) -> BenchResult:
    """Run a registered system on a test file or in cross-validation.

    Keys may be separate files, of the test file, the training file or both.
    """
    started = time.perf_counter()
    key = [answer for path in keys for answer in read_sense_key(path)]
    training = [instance for instance in _labelled(read_senseval(train), key) if instance.senses]
    if not training:
        raise PostilError(f"{train}: no instance has a sense to learn from.", hint="Name its --key.")
    known = None
    if test is None:
        name, right = f"{Path(train).stem}/cv", sense_key(training)
        answers = _cross_validate(system, training, folds, seed)
        how: dict[str, object] = {"folds": folds, "seed": seed}
    else:
        instances = read_senseval(test)
        name, right = Path(test).stem, _test_key(instances, training, key)
        if not right:
            raise PostilError(f"{test}: no instance has a sense to score against.", hint="Name a --key.")
        known = _seen(instances, training)
        refuse_known(
            [(answer.lexelt, answer.instance) in known for answer in right],
            f"system {system}",
            "Give another file with --test, or none: then Postil cross-validates.",
        )
        model: SenseSystem = create("senses", system)
        model.fit(training)
        answers = model.predict(_hidden(instances))
        how = {"test": name}
    cells = {name: _sense_cell(right, answers, known)}
    words = sorted({answer.lexelt for answer in right})
    if len(words) > 1:
        for word in words:
            own_key, own = ([item for item in items if item.lexelt == word] for items in (right, answers))
            cells[word] = _sense_cell(own_key, own, known)
    signature = make_signature("senses", system=system, granularity="fine", **how)
    return BenchResult("senses", system, signature, {"fine": cells}, time.perf_counter() - started)


def _labelled(instances: Sequence[SenseInstance], key: Sequence[SenseAnswer]) -> list[SenseInstance]:
    """The instances, those without senses with the senses of a key."""
    senses = {(each.lexelt, each.instance): tuple(sense for sense, _ in each.senses) for each in key}
    named = ((instance, senses.get((instance.lexelt, instance.id), ())) for instance in instances)
    return [instance if instance.senses else replace(instance, senses=own) for instance, own in named]


def _test_key(
    instances: Sequence[SenseInstance], training: Sequence[SenseInstance], key: Sequence[SenseAnswer]
) -> list[SenseAnswer]:
    """The lines of a key that are not the training file's; if there are none, what the test file says."""
    tested, learned = ({(each.lexelt, each.id) for each in file} for file in (instances, training))
    own = ((answer, (answer.lexelt, answer.instance)) for answer in key)
    return [answer for answer, name in own if name in tested or name not in learned] or sense_key(instances)


def _seen(instances: Sequence[SenseInstance], training: Sequence[SenseInstance]) -> set[tuple[str, str]]:
    """The instances that are also in the training data, word for word."""
    learned = {(each.lexelt, each.id, each.tokens) for each in training}
    return {(each.lexelt, each.id) for each in instances if (each.lexelt, each.id, each.tokens) in learned}


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


def _sense_cell(
    key: Sequence[SenseAnswer], answers: Sequence[SenseAnswer], known: set[tuple[str, str]] | None
) -> Cell:
    tally = tally_senses(key, answers)
    names = ((answer.lexelt, answer.instance) for answer in key)
    mask = None if known is None else np.array([name in known for name in names], bool)
    return Cell(score_senses(tally, granularity="fine"), tally, known=mask)


def response_folds(
    questions: Sequence[Question], scenario: str, folds: int = 10, seed: int = 0
) -> Iterator[Fold]:
    """Split questions into (train, test) pairs; each corpus is split by itself, fold with fold.

    This mimics the challenge: the answers, the questions or the domains of a fold are new.
    """
    if scenario not in SCENARIOS:
        raise PostilError(f"there is no scenario {scenario!r}.", hint=f"Choose from: {', '.join(SCENARIOS)}.")
    if folds < 2:
        raise PostilError(f"cross-validation needs at least 2 folds, not {folds}.")
    fold_of = _assign(questions, scenario, folds, seed)
    for fold in range(folds):
        parts: Fold = ([], [])
        for question in questions:
            for inside, part in enumerate(parts):
                answers = (a for a in question.answers if (fold_of[question.corpus, a.id] == fold) == inside)
                part.append(replace(question, answers=tuple(answers)))
        train, test = ([question for question in part if question.answers] for part in parts)
        if test:
            yield train, test


def _assign(
    questions: Sequence[Question], scenario: str, folds: int, seed: int
) -> dict[tuple[str, str], int]:
    """The fold of every answer, by (corpus, answer id)."""
    units: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for question in questions:
        unit = question.id if scenario == "unseen-questions" else question.module
        for answer in question.answers:
            units[question.corpus][answer.id if scenario == "unseen-answers" else unit].append(answer.id)
    fold_of = {}
    for corpus, members in units.items():
        if len(members) < 2:
            raise PostilError(f"{corpus or 'the corpus'} has only 1 unit for {scenario}; folds need 2.")
        numbers = fold_numbers(range(len(members)), min(folds, len(members)), seed)
        for number, ids in zip(numbers, members.values(), strict=True):
            fold_of.update({(corpus, id): int(number) for id in ids})
    return fold_of


def run_responses(
    train: Path | str,
    system: str,
    *,
    test: Path | str | None = None,
    scenario: str = "unseen-questions",
    folds: int = 10,
    seed: int = 0,
    make: Callable[[], ResponseSystem] | None = None,
    progress: Progress | None = None,
) -> BenchResult:
    """Run a system on a test folder or, without one, in a cross-validated scenario.

    `system` names a registered system, or with `make` merely the result.
    """
    started = time.perf_counter()
    training = _training_questions(train)
    outcomes: _Outcomes = defaultdict(list)
    note = progress or (lambda done, total, what: None)
    make = make or partial(create, "responses", system)
    if test is None:
        splits = list(response_folds(training, scenario, folds, seed))
        for number, (fold_train, fold_test) in enumerate(splits):
            note(number, len(splits), f"fold {number + 1} of {len(splits)}")
            model = make()
            model.fit(fold_train)
            schemes = _schemes([*fold_train, *fold_test])
            _predict(model, fold_test, f"cv-{scenario}", schemes, outcomes)
        how: dict[str, object] = {"cv": scenario, "folds": folds, "seed": seed}
    else:
        sets = _test_sets(test)
        model = make()
        note(0, len(sets) + 1, "training")
        model.fit(training)
        for number, ((_, name), questions) in enumerate(sets.items(), start=1):
            note(number, len(sets) + 1, name)
            _predict(model, questions, name, _schemes([*training, *questions]), outcomes)
        how = {"train": count_answers(training), "test": sum(map(count_answers, sets.values()))}
    if reader := getattr(getattr(model, "grader", None), "reader", None):
        how["reader"] = reader
    signature = make_signature("sra", system=system, **how)
    return BenchResult("responses", system, signature, _cells(outcomes), time.perf_counter() - started)


def _training_questions(folder: Path | str) -> list[Question]:
    collection = read_collection(folder)
    questions = [q for (_, name), group in collection.items() if name == "train" for q in group]
    if not questions:
        hint = "docs/researchers/data.md shows the layout."
        raise MissingDataError(f"{folder}: no corpus has a folder 'train'.", hint=hint)
    labelled = labelled_only(questions)
    if not labelled:
        raise MissingDataError(f"{folder}: no answer in the folders 'train' has a label.")
    return labelled


def _test_sets(folder: Path | str) -> dict[tuple[str, str], list[Question]]:
    sets = {key: labelled_only(group) for key, group in read_collection(folder).items() if key[1] != "train"}
    if not any(sets.values()):
        raise MissingDataError(
            f"{folder}: no test set with labels was found below this folder.",
            hint="Sets are folders like beetle/test-unseen-answers; without --test, Postil cross-validates.",
        )
    return sets


def _schemes(questions: Sequence[Question]) -> list[Scheme]:
    """The schemes that the labels to learn from and those to score against both allow."""
    labels = (answer.label for question in questions for answer in question.answers if answer.label)
    return reachable_schemes(labels, RESPONSE_SCHEMES)


def _predict(
    model: ResponseSystem,
    questions: Sequence[Question],
    name: str,
    schemes: Sequence[Scheme],
    outcomes: _Outcomes,
) -> None:
    """Label the questions, their own labels hidden, in every scheme asked for."""
    hidden = [
        replace(q, answers=tuple(replace(a, label=None, match="", facets=()) for a in q.answers))
        for q in questions
    ]
    answers = [(question, answer) for question in questions for answer in question.answers]
    known: Sequence[bool | None] = [None] * len(answers)
    if isinstance(model, Experienced):
        known = model.learned_from(hidden)
    for scheme in schemes:
        labels = model.predict(hidden, scheme)
        for (question, answer), label, is_known in zip(answers, labels, known, strict=True):
            gold = scheme.collapse(answer.label or "") or ""
            outcome = (f"{question.corpus}/{question.id}", gold, label, is_known)
            outcomes[scheme.name, question.corpus, name].append(outcome)


def _cells(outcomes: _Outcomes) -> Cells:
    """Score each set, each corpus as a whole, and everything together."""
    cells: Cells = {}
    for scheme in RESPONSE_SCHEMES.values():
        sets = {key[1:]: answers for key, answers in outcomes.items() if key[0] == scheme.name}
        if not sets:
            continue
        tests = {"/".join(key): _response_cell(answers, scheme, key[0]) for key, answers in sets.items()}
        for corpus in CORPORA:
            own = list(chain.from_iterable(answers for key, answers in sets.items() if key[0] == corpus))
            if own:
                tests[f"{corpus}/all"] = _response_cell(own, scheme, corpus)
        tests["all"] = _response_cell(list(chain.from_iterable(sets.values())), scheme, "")
        cells[scheme.name] = tests
    return cells


def _response_cell(outcomes: Sequence[_Outcome], scheme: Scheme, corpus: str) -> Cell:
    questions, gold, predicted, known = zip(*outcomes, strict=True)
    tally = tally_classes(gold, predicted, scheme, left_out(corpus, scheme))
    mask = None if None in known else np.array(known, bool)
    return Cell(score_labels("sra", tally, scheme, corpus), tally, group_numbers(questions), known=mask)
