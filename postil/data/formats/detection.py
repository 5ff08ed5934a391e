"""Tells what kind of file a path is, and what it holds, in a line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path

from postil.data.files import MAX_TAGS, is_folder, read_lines, read_text
from postil.data.formats.chunks import read_chunks, read_sentences
from postil.data.formats.gift import looks_like_gift, read_gift
from postil.data.formats.ists import read_alignments
from postil.data.formats.moodle import read_moodle_xml
from postil.data.formats.quizzes import MOST_TEXT, Quiz, describe_quiz
from postil.data.formats.rows import candidates, find_columns, read_rows
from postil.data.formats.rte import Pair, PairJudgement, read_pairs, read_run
from postil.data.formats.rubrics import is_rubric, read_rubrics
from postil.data.formats.sensekeys import read_sense_key, read_sense_map
from postil.data.formats.senseval import read_senseval
from postil.data.formats.sra import read_corpus, read_labels
from postil.data.formats.tables import read_table
from postil.data.formats.wide import looks_wide, read_wide
from postil.data.labels import FACET_SCHEMES, RESPONSE_SCHEMES
from postil.data.questions import Question, count_answers
from postil.errors import InputError, number_of, some

_BINARY_OR_JSON_TABLES = (".xlsx", ".xlsm", ".xls", ".ods", ".jsonl", ".ndjson")
_TEXT_TABLES = (".csv", ".tsv", ".tab")
_RESPONSE_LABELS = {label for scheme in RESPONSE_SCHEMES.values() for label in scheme.labels}
_FACET_LABELS = set(FACET_SCHEMES["3way"].labels)
_RUN_COLUMNS = {"label", "entailment", "judgement"}


class Format(StrEnum):
    """What a file holds and how, by the name that people see."""

    TABLE = "table"
    MOODLE_XML = "Moodle XML"
    GIFT = "GIFT"
    RESPONSE_CORPUS = "response corpus"
    RESPONSE_LABELS = "response labels"
    FACET_LABELS = "facet labels"
    ENTAILMENT_PAIRS = "entailment pairs"
    ENTAILMENT_RUN = "entailment run"
    ALIGNMENTS = "alignments"
    CHUNKS = "chunks"
    SENTENCES = "sentences"
    SENSE_CORPUS = "sense corpus"
    SENSE_KEY = "sense key"
    SENSE_MAP = "sense map"
    RUBRIC = "rubric"
    UNKNOWN = ""


QUIZ_FORMATS = (Format.MOODLE_XML, Format.GIFT)


def describe(path: Path) -> str:
    """Read a file of any known format completely, and describe what it holds."""
    kind = detect(path)
    if kind is Format.TABLE and is_rubric(read_rows(path).header):
        kind = Format.RUBRIC
    reader = _READERS.get(kind)
    if reader is None:
        hint = "Answers can be .csv, .tsv, .jsonl, .xlsx or .ods; docs/reference/formats.md lists the rest."
        raise InputError(path, "is not in a format that Postil knows.", hint=hint)
    return f"{kind}: {reader(path)}"


def detect(path: Path) -> Format:
    """The format of a file, by its ending and its first lines."""
    suffix = path.suffix.lower()
    if is_folder(path):
        return Format.RESPONSE_CORPUS
    if suffix == ".wa":
        return Format.ALIGNMENTS
    if suffix == ".mbz":
        return Format.RUBRIC
    if suffix in _BINARY_OR_JSON_TABLES:
        return Format.TABLE
    head = read_text(path, encoding="latin-1")[:5000]
    first = head.split("\n", 1)[0]
    header = {name.strip() for name in first.split("\t")}
    if suffix == ".json" and head.lstrip("\ufeff \t\n").startswith("["):
        return Format.TABLE
    if "<lexelt" in head or "<instance" in head:
        return Format.SENSE_CORPUS
    if suffix in (".xml", ".gift", "") or (suffix == ".txt" and not candidates(_split(first), "answer")):
        quiz = quiz_format(read_text(path, encoding="latin-1"))
        if quiz:
            return quiz
    if suffix == ".xml" and "<areas" in head:
        return Format.RUBRIC
    if suffix == ".xml":
        return Format.RESPONSE_CORPUS if "<question" in head else Format.ENTAILMENT_PAIRS
    if path.name.endswith(".chunk.txt"):
        return Format.CHUNKS
    if path.name.endswith((".sent1.txt", ".sent2.txt")):
        return Format.SENTENCES
    if "id" in header and {"accuracy", "predicted"} & header:
        return Format.FACET_LABELS if _FACET_LABELS & set(head.split()) else Format.RESPONSE_LABELS
    if {"id", "t", "h"} <= header:
        return Format.ENTAILMENT_PAIRS
    if "".join(first.lower().split()).startswith("ranked:"):
        return Format.ENTAILMENT_RUN
    # A teacher's table may also have an id and a label beside its other columns.
    only = header <= {"id", "confidence", *_RUN_COLUMNS}
    if "id" in header and _RUN_COLUMNS & header and (only or suffix not in _TEXT_TABLES):
        words = set(head.split())
        if _FACET_LABELS & words:
            return Format.FACET_LABELS
        return Format.RESPONSE_LABELS if _RESPONSE_LABELS & words else Format.ENTAILMENT_RUN
    if suffix in _TEXT_TABLES or (suffix == ".txt" and candidates(_split(first), "answer")):
        return Format.TABLE
    if path.name.lower().endswith("map"):  # Senseval called it sensemap; its lines look much like a key's
        return Format.SENSE_MAP
    # Any sentence has three words, but the second word in a key's line is an instance name with a number.
    fields = first.split()
    return Format.SENSE_KEY if len(fields) >= 3 and re.search(r"\d", fields[1]) else Format.UNKNOWN


def quiz_format(text: str) -> Format:
    """Which of a learning platform's formats for questions a text is in, if any."""
    if text.lstrip("\ufeff \t\r\n").startswith("<"):
        return Format.MOODLE_XML if re.search(r"<quiz[\s>]", text[:5000]) else Format.UNKNOWN
    return Format.GIFT if looks_like_gift(text[:MOST_TEXT]) else Format.UNKNOWN


def read_quiz(path: Path, kind: Format, most_tags: int = MAX_TAGS) -> Quiz:
    """Read questions in the format that `quiz_format` has named."""
    return read_moodle_xml(path, most_tags) if kind is Format.MOODLE_XML else read_gift(path)


def _split(line: str) -> list[str]:
    return re.split(r"[\t;,|]", line)


def _counted(labels: Iterable[str | None]) -> str:
    counts = Counter(label or "unlabelled" for label in labels)
    return ", ".join(f"{count} {label}" for label, count in counts.most_common())


def describe_questions(questions: Sequence[Question]) -> str:
    """Say in a line what questions hold: references, answers and labels."""
    labels = _counted(answer.label for question in questions for answer in question.answers)
    references = sum(len(question.references) for question in questions)
    return (
        f"{number_of(len(questions), 'question')}, {number_of(references, 'reference')}, "
        f"{number_of(count_answers(questions), 'answer')}{f' ({labels})' if labels else ''}"
    )


def _describe_table(path: Path) -> str:
    rows = read_rows(path)
    if looks_wide(rows.header):
        questions = read_wide(path)
        asked = some((question.text for question in questions), 5)
        return f"{describe_questions(questions)}; one column a question: {asked}"
    columns = find_columns(rows)
    return f"{describe_questions(read_table(path))}; answers in column {columns.answer!r}"


def _describe_rubrics(path: Path) -> str:
    rubrics = read_rubrics(path)
    items = number_of(sum(len(rubric.facets) for rubric in rubrics), "item")
    return f"{items} for {number_of(len(rubrics), 'question')}"


def _describe_labels(items: Sequence[Pair | PairJudgement], unit: str) -> str:
    return f"{number_of(len(items), unit)} ({_counted(item.label for item in items)})"


def _describe_alignments(path: Path) -> str:
    pairs = read_alignments(path)
    types = _counted(item.type for pair in pairs for item in pair.alignments)
    return f"{number_of(len(pairs), 'pair')} ({types})"


def _describe_sentences(sentences: Sequence[Sequence[object]], unit: str) -> str:
    return f"{number_of(len(sentences), 'sentence')}, {number_of(sum(map(len, sentences)), unit)}"


def _describe_senses(path: Path) -> str:
    instances = read_senseval(path)
    words = len({instance.lexelt for instance in instances})
    labelled = sum(bool(instance.senses) for instance in instances)
    return f"{number_of(len(instances), 'instance')} of {number_of(words, 'word')}, {labelled:,} labelled"


def _describe_key(path: Path) -> str:
    lines = len(read_lines(path, encoding="latin-1"))
    return f"{number_of(len(read_sense_key(path)), 'instance')} in {number_of(lines, 'line')}"


_READERS: Mapping[Format, Callable[[Path], str]] = {
    Format.TABLE: _describe_table,
    Format.RUBRIC: _describe_rubrics,
    Format.MOODLE_XML: lambda path: describe_quiz(read_moodle_xml(path)),
    Format.GIFT: lambda path: describe_quiz(read_gift(path)),
    Format.RESPONSE_CORPUS: lambda path: describe_questions(read_corpus(path)),
    Format.RESPONSE_LABELS: lambda path: _counted(item.label for item in read_labels(path, RESPONSE_SCHEMES)),
    Format.FACET_LABELS: lambda path: _counted(item.label for item in read_labels(path, FACET_SCHEMES)),
    Format.ENTAILMENT_PAIRS: lambda path: _describe_labels(read_pairs(path), "pair"),
    Format.ENTAILMENT_RUN: lambda path: _describe_labels(read_run(path).judgements, "judgement"),
    Format.ALIGNMENTS: _describe_alignments,
    Format.CHUNKS: lambda path: _describe_sentences(read_chunks(path), "chunk"),
    Format.SENTENCES: lambda path: _describe_sentences(read_sentences(path), "token"),
    Format.SENSE_CORPUS: _describe_senses,
    Format.SENSE_KEY: _describe_key,
    Format.SENSE_MAP: lambda path: number_of(len(read_sense_map(path).ancestors), "sense"),
}
