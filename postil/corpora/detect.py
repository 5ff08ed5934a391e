"""Tells what kind of file a path is, and what it holds, in a line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from postil.corpora.files import is_folder, read_lines, read_text
from postil.corpora.labels import FACET_SCHEMES, RESPONSE_SCHEMES
from postil.corpora.responses import Question, count_answers
from postil.errors import InputError

_TABLES = (".csv", ".tsv", ".jsonl", ".xlsx")
_RESPONSE_LABELS = {label for scheme in RESPONSE_SCHEMES.values() for label in scheme.labels}
_FACET_LABELS = set(FACET_SCHEMES["3way"].labels)
_RUN_COLUMNS = {"label", "entailment", "judgement"}


def describe(path: Path) -> str:
    """Read a file of any known format completely, and say what it holds."""
    kind = detect(path)
    reader = _READERS.get(kind)
    if reader is None:
        raise InputError(path, "is of no format that Postil knows.", hint="docs/formats.md lists them.")
    return f"{kind}: {reader(path)}"


def detect(path: Path) -> str:
    """Name the format of a file, by its ending and its first lines; empty if it is unknown."""
    suffix = path.suffix.lower()
    if is_folder(path):
        return "response corpus"
    if suffix == ".wa":
        return "alignments"
    if suffix in (".xlsx", ".jsonl"):
        return "table"
    head = read_text(path, encoding="latin-1")[:5000]
    first = head.split("\n", 1)[0]
    header = {name.strip() for name in first.split("\t")}
    if "<lexelt" in head or "<instance" in head:
        return "sense corpus"
    if suffix == ".xml":
        return "response corpus" if "<question" in head else "entailment pairs"
    if path.name.endswith(".chunk.txt"):
        return "chunks"
    if "id" in header and {"accuracy", "predicted"} & header:
        return "facet labels" if _FACET_LABELS & set(head.split()) else "response labels"
    if {"id", "t", "h"} <= header:
        return "entailment pairs"
    if "".join(first.lower().split()).startswith("ranked:"):
        return "entailment run"
    # A teacher's table may have an id and a label, too, beside its other columns.
    only = header <= {"id", "confidence", *_RUN_COLUMNS}
    if "id" in header and _RUN_COLUMNS & header and (only or suffix not in _TABLES):
        words = set(head.split())
        if _FACET_LABELS & words:
            return "facet labels"
        return "response labels" if _RESPONSE_LABELS & words else "entailment run"
    if suffix in _TABLES:
        return "table"
    return "sense key" if len(first.split()) >= 3 else ""


def _counted(labels: Iterable[str | None]) -> str:
    counts = Counter(label or "unlabelled" for label in labels)
    return ", ".join(f"{count} {label}" for label, count in counts.most_common())


def _questions(questions: Sequence[Question]) -> str:
    labels = _counted(answer.label for question in questions for answer in question.answers)
    references = sum(len(question.references) for question in questions)
    return (
        f"{len(questions)} questions, {references} references, {count_answers(questions)} answers ({labels})"
    )


def _table(path: Path) -> str:
    from postil.corpora.columns import find_columns
    from postil.corpora.rows import read_rows
    from postil.corpora.tables import read_table
    from postil.corpora.wide import looks_wide, read_wide

    rows = read_rows(path)
    if looks_wide(rows.header):
        return _questions(read_wide(path)) + "; one column a question"
    columns = find_columns(rows)
    return f"{_questions(read_table(path))}; answers in column {columns.answer!r}"


def _corpus(path: Path) -> str:
    from postil.corpora.sra import read_corpus

    return _questions(read_corpus(path))


def _response_labels(path: Path) -> str:
    from postil.corpora.labelfiles import read_labels

    return _counted(item.label for item in read_labels(path, RESPONSE_SCHEMES))


def _facet_labels(path: Path) -> str:
    from postil.corpora.labelfiles import read_labels

    return _counted(item.label for item in read_labels(path, FACET_SCHEMES))


def _pairs(path: Path) -> str:
    from postil.corpora.rte import read_pairs

    pairs = read_pairs(path)
    return f"{len(pairs)} pairs ({_counted(pair.label for pair in pairs)})"


def _run(path: Path) -> str:
    from postil.corpora.rteruns import read_run

    run = read_run(path)
    return f"{len(run.judgements)} judgements ({_counted(item.label for item in run.judgements)})"


def _alignments(path: Path) -> str:
    from postil.corpora.ists import read_alignments

    pairs = read_alignments(path)
    return f"{len(pairs)} pairs ({_counted(item.type for pair in pairs for item in pair.alignments)})"


def _chunks(path: Path) -> str:
    from postil.corpora.chunkfiles import read_chunks

    sentences = read_chunks(path)
    return f"{len(sentences)} sentences, {sum(map(len, sentences))} chunks"


def _senses(path: Path) -> str:
    from postil.corpora.senseval import read_senseval

    instances = read_senseval(path)
    words = len({instance.lexelt for instance in instances})
    labelled = sum(bool(instance.senses) for instance in instances)
    return f"{len(instances)} instances of {words} words, {labelled} labelled"


def _key(path: Path) -> str:
    from postil.corpora.sensekeys import read_sense_key

    return f"{len(read_sense_key(path))} instances in {len(read_lines(path, encoding='latin-1'))} lines"


_READERS: Mapping[str, Callable[[Path], str]] = {
    "table": _table,
    "response corpus": _corpus,
    "response labels": _response_labels,
    "facet labels": _facet_labels,
    "entailment pairs": _pairs,
    "entailment run": _run,
    "alignments": _alignments,
    "chunks": _chunks,
    "sense corpus": _senses,
    "sense key": _key,
}
