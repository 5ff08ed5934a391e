"""Users' own tables in the long form: one row an answer, with its question and references beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from postil.data.formats.columns import ColumnMap, find_columns, key_of, recognised_names
from postil.data.formats.gather import Record, build_questions, make_references
from postil.data.formats.rows import Row, Rows, read_rows, write_rows
from postil.data.labels import PLAIN_NAMES
from postil.data.questions import Answer, Question
from postil.errors import InputError, some, unknown_label

_LABELS = {key_of(name): label for label, plain in PLAIN_NAMES.items() for name in (label, plain)}


def read_table(
    path: Path | str,
    *,
    columns: Mapping[str, str] | None = None,
    question: str | None = None,
    references: Sequence[str] = (),
    encoding: str | None = None,
    sheet: str | None = None,
) -> list[Question]:
    """Read a table with one row an answer, and gather the rows into questions.

    Rows belong together when their question id is the same or, where a row has none, their question's text.
    `question` and `references` stand in for columns the table does not have. Ids that are missing are made
    up: `q1`, `q2`, … for questions and, for answers, `a` and the number of the row (`a1`, `a2`, …). Where
    one answer id occurs with several questions, as a student's does, every id gets its question's before it
    (`q1.student7`), so that ids are unique in the whole table.
    """
    rows = read_rows(path, encoding=encoding, sheet=sheet)
    rows.demand_rows()
    found = find_columns(rows, columns)
    _check_columns(rows, found, question, references)
    records = [_record(rows, row, found, number, question) for number, row in enumerate(rows.rows, start=1)]
    questions = build_questions(rows.path, records)
    if not references:
        return questions
    if len(questions) > 1:
        raise InputError(
            rows.path,
            f"holds {len(questions)} questions, and references given for all of them at once.",
            hint="Put the references into a column of the table or into a key file.",
        )
    return [replace(each, references=make_references(references)) for each in questions]


def _check_columns(rows: Rows, found: ColumnMap, question: str | None, references: Sequence[str]) -> None:
    def missing(role: str, advice: str) -> InputError:
        names = some(recognised_names(role), 4)
        return InputError(
            rows.path,
            f"no column for the {role} was found; the columns are {some(rows.header, 20)}.",
            line=1,
            hint="The first row must hold the names of the columns, with nothing above it. "
            f"Call this one {names}, or name it with --column '{role}=…'{advice}.",
        )

    if found.answer is None:
        raise missing("answer", "; a table with one column a question is read with --wide")
    if found.question is None and found.question_id is None and question is None:
        raise missing("question", ", or give the question with --question")
    for given, column, option in (
        (question is not None, found.question, "question"),
        (bool(references), found.references[0] if found.references else None, "reference"),
    ):
        if given and column is not None:
            raise InputError(
                rows.path,
                f"the {option} is given, and the column {column!r} holds it, too.",
                hint=f"Leave --{option} out, or set the column aside with --column {option}= (and nothing).",
            )


def _record(rows: Rows, row: Row, found: ColumnMap, number: int, question: str | None) -> Record:
    cells = dict(zip(rows.header, row.cells, strict=True))

    def cell(name: str | None) -> str:
        return cells[name] if name is not None else ""

    text = cell(found.question) if question is None else question
    question_id = cell(found.question_id).strip()
    if not question_id and not text.strip():
        raise InputError(
            rows.path,
            "this row does not say which question it answers.",
            line=row.line,
            hint="Repeat the question, or its id, in each row.",
        )
    answer_id, answer = cell(found.id).strip(), cell(found.answer)
    label = parse_label(rows.path, row.line, cell(found.label))
    nothing = found.id is not None and not answer_id and not answer.strip() and label is None
    return Record(
        line=row.line,
        group=("id", question_id) if question_id else ("text", " ".join(text.split())),
        id=answer_id,
        answer=None if nothing else answer,
        question=text,
        question_id=question_id,
        references=tuple(cells[name] for name in found.references if cells[name].strip()),
        label=label,
        module=cell(found.module).strip(),
        number=number,
    )


def parse_label(path: Path, line: int, text: str) -> str | None:
    """Read a label by its official or its plain name, in any case; blank is no label."""
    if not text.strip():
        return None
    label = _LABELS.get(key_of(text))
    if label is None:
        known = ", ".join(PLAIN_NAMES)
        plain = ", ".join(f"'{name}'" for name in PLAIN_NAMES.values())
        raise InputError(
            path,
            unknown_label(text.strip()),
            line=line,
            hint=f"Known labels: {known}; or in plain words {plain}. To read the table without labels: "
            "--column label= (and nothing).",
        )
    return label


def write_table(path: Path | str, questions: Iterable[Question]) -> None:
    """Write questions in the long form, one row an answer, so that `read_table` gives them back.

    A table carries ids, texts, references, labels and modules. What else a corpus may hold (facets,
    categories of references, matches, counts) is not written. A question without answers takes one row.
    """
    questions = list(questions)
    most = max([1, *(len(question.references) for question in questions)])
    numbered = ["reference", *(f"reference_{number}" for number in range(2, most + 1))]
    header = ["question_id", "question", *numbered, "id", "answer", "label", "module"]
    seen: set[str] = set()
    rows = []
    for question in questions:
        if question.id in seen:
            raise InputError(path, f"two questions have the id {question.id!r}.", hint="Rename one of them.")
        seen.add(question.id)
        texts = [reference.text for reference in question.references]
        start = [question.id, question.text, *texts, *[""] * (most - len(texts))]
        for answer in question.answers or (Answer("", ""),):
            rows.append([*start, answer.id, answer.text, answer.label or "", question.module])
    write_rows(path, header, rows)
