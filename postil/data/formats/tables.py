"""Users' own tables in the long form: one row an answer, with its question and references; and key files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from postil.data.formats.markup import plain_cell
from postil.data.formats.rows import (
    ColumnMap,
    Row,
    Rows,
    find_columns,
    key_of,
    read_rows,
    recognised_names,
    write_rows,
)
from postil.data.labels import PLAIN_NAMES, RESPONSE_SCHEMES, fitting_schemes
from postil.data.questions import Answer, Question, Reference
from postil.errors import InputError, some, unknown_label

_LABELS = {key_of(name): label for label, plain in PLAIN_NAMES.items() for name in (label, plain)}

_OWN_COLUMNS = {  # of tables that `write_table` has written
    "question_id",
    "question",
    "reference",
    "id",
    "answer",
    "label",
    "module",
}


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

    Rows belong together if their question id is the same or, for a row without one, their question's text.
    `question` and `references` stand in for columns the table does not have. Ids that are missing are made
    up: `q1`, `q2`, … for questions and, for answers, `a` and the number of the row (`a1`, `a2`, …). Where
    one answer id occurs with several questions, as a student's does, every id gets its question's before it
    (`q1.student7`), so that ids are unique in the whole table.
    """
    rows = read_rows(path, encoding=encoding, sheet=sheet)
    rows.demand_rows()
    roles = find_columns(rows, columns)
    _check_columns(rows, roles, question, references)
    records = [_record(rows, row, roles, number, question) for number, row in enumerate(rows.rows, start=1)]
    questions = build_questions(rows.path, records)
    if not references:
        return questions
    if len(questions) > 1:
        what = f"holds {len(questions)} questions, but the references were given for all of them at once."
        hint = "Put the references into a column of the table or into a key file."
        raise InputError(rows.path, what, hint=hint)
    return [replace(item, references=make_references(references)) for item in questions]


def _check_columns(rows: Rows, roles: ColumnMap, question: str | None, references: Sequence[str]) -> None:
    def missing(role: str, advice: str) -> InputError:
        names = some(recognised_names(role), 4)
        return InputError(
            rows.path,
            f"no column for the {role} was found; the columns are {some(rows.header, 20)}.",
            line=1,
            hint=f"The first row must hold the names of the columns. Call this one {names}.",
            option=f"Or name it with --column '{role}=…'{advice}.",
        )

    if roles.answer is None:
        raise missing("answer", "; a table with one column a question is read with --wide")
    if roles.question is None and roles.question_id is None and question is None:
        raise missing("question", ", or give the question with --question")
    for is_given, column, option in (
        (question is not None, roles.question, "question"),
        (bool(references), roles.references[0] if roles.references else None, "reference"),
    ):
        if is_given and column is not None:
            what = f"the {option} is given twice: as an option and in the column {column!r}."
            advice = f"Leave --{option} out, or ignore the column with --column {option}= (nothing after it)."
            raise InputError(rows.path, what, option=advice)


def _record(rows: Rows, row: Row, roles: ColumnMap, number: int, question: str | None) -> Record:
    cells = dict(zip(rows.header, row.cells, strict=True))

    clean = str if set(rows.header) >= _OWN_COLUMNS else plain_cell  # what we wrote comes back as it was

    def cell(name: str | None) -> str:
        return cells[name] if name is not None else ""

    text = clean(cell(roles.question)) if question is None else question
    question_id = cell(roles.question_id).strip()
    if not question_id and not text.strip():
        what = "this row does not say which question it answers."
        raise InputError(rows.path, what, line=row.line, hint="Repeat the question, or its id, in each row.")
    answer_id, answer = cell(roles.id).strip(), clean(cell(roles.answer))
    label = parse_label(rows.path, row.line, cell(roles.label))
    is_empty = roles.id is not None and not answer_id and not answer.strip() and label is None
    return Record(
        line=row.line,
        group=("id", question_id) if question_id else ("text", " ".join(text.split())),
        id=answer_id,
        answer=None if is_empty else answer,
        question=text,
        question_id=question_id,
        references=tuple(clean(cells[name]) for name in roles.references if cells[name].strip()),
        label=label,
        module=cell(roles.module).strip(),
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
            hint=f"Known labels: {known}; or in plain words {plain}.",
            option="To read the table without labels: --column label= (with nothing after it).",
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
    _refuse_equal_ids(path, [question.id for question in questions])
    rows = []
    for question in questions:
        texts = [reference.text for reference in question.references]
        start = [question.id, question.text, *texts, *[""] * (most - len(texts))]
        for answer in question.answers or (Answer("", ""),):
            rows.append([*start, answer.id, answer.text, answer.label or "", question.module])
    write_rows(path, header, rows)


# Gathering rows into questions with unique ids.


@dataclass(frozen=True, slots=True)
class Record:
    """One answer as a row of a table gives it.

    `group` tells questions apart; a blank `question_id` or `id` is made up later. `answer` is None where
    neither an id nor an answer is given: then a question's only row states that it has no answers yet.
    """

    line: int
    group: Hashable
    id: str
    answer: str | None
    question: str = ""
    question_id: str = ""
    references: tuple[str, ...] = ()
    label: str | None = None
    module: str = ""
    number: int = 0


@dataclass(slots=True)
class _Group:
    """A question while its rows are being gathered."""

    first: Record
    text: str = ""
    references: tuple[str, ...] = ()
    module: str = ""
    records: list[Record] = field(default_factory=list)
    lines: dict[str, int] = field(default_factory=dict)


def build_questions(path: Path, records: Iterable[Record]) -> list[Question]:
    """Gather records into questions, in order of first appearance, with ids that are unique throughout."""
    records = list(records)
    _refuse_mixed_schemes(path, records)
    taken = {record.id for record in records}
    groups: dict[Hashable, _Group] = {}
    for record in records:
        # Answers without an id become `a` and the row's number, followed by `_` if that id is taken.
        if not record.id:
            record = replace(record, id=_fresh(f"a{record.number}", taken))
        _add(path, groups.setdefault(record.group, _Group(record)), record)
    for group in groups.values():
        if [record.answer for record in group.records] == [None]:
            group.records.clear()
            group.lines.clear()
    # Each question's own id, or `q` and its number, followed by `_` if that id is taken.
    named = {group.first.question_id for group in groups.values()}
    numbered = enumerate(groups.values(), start=1)
    ids = [group.first.question_id or _fresh(f"q{number}", named) for number, group in numbered]
    _refuse_equal_ids(path, ids)
    answer_ids = [id for group in groups.values() for id in group.lines]
    shared = len(set(answer_ids)) < len(answer_ids)
    questions = []
    owner: dict[str, str] = {}
    for id, group in zip(ids, groups.values(), strict=True):
        answers = []
        for record in group.records:
            answer_id = f"{id}.{record.id}" if shared else record.id
            if answer_id in owner:
                what = (
                    f"the questions {owner[answer_id]!r} and {id!r} would both have an answer {answer_id!r}."
                )
                raise InputError(path, what, hint="Rename one of the ids.")
            owner[answer_id] = id
            answers.append(Answer(answer_id, record.answer or "", record.label, row=record.number))
        references = make_references(group.references)
        questions.append(Question(id, group.text, references, tuple(answers), group.module))
    return questions


def _refuse_equal_ids(path: Path | str, ids: Sequence[str]) -> None:
    repeated = next((id for id, count in Counter(ids).items() if count > 1), None)
    if repeated is not None:
        raise InputError(path, f"two questions have the id {repeated!r}.", hint="Rename one of them.")


def _fresh(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _add(path: Path, group: _Group, record: Record) -> None:
    first = group.first.line
    if record.question.strip():
        if group.text.strip() and group.text.split() != record.question.split():
            what = f"the question {record.question_id!r} has a different text here from line {first}."
            raise InputError(path, what, line=record.line, hint="Give each question its own id.")
        group.text = group.text if group.text.strip() else record.question
    if record.references:
        if group.references and group.references != record.references:
            what = f"the same question has different references here from those on line {first}."
            hint = "If all of them are right, put them into columns reference, reference_2, … of each row."
            raise InputError(path, what, line=record.line, hint=hint)
        group.references = record.references
    group.module = group.module or record.module
    id = record.id
    if id in group.lines:
        raise InputError(
            path,
            f"the id {id!r} occurs twice for one question (first on line {group.lines[id]}).",
            line=record.line,
            hint="Delete one of the rows.",
            option="Or name a better column with --column id=…, or have the rows numbered with --column id= "
            "(with nothing after it).",
        )
    group.lines[id] = record.line
    group.records.append(record)


def make_references(texts: Iterable[str]) -> tuple[Reference, ...]:
    """Number a question's references `r1`, `r2`, …"""
    return tuple(Reference(f"r{number}", text) for number, text in enumerate(texts, start=1))


def _refuse_mixed_schemes(path: Path, records: Iterable[Record]) -> None:
    seen: dict[str, int] = {}
    for record in records:
        if record.label is None or record.label in seen:
            continue
        seen[record.label] = record.line
        if not fitting_schemes(seen, RESPONSE_SCHEMES):
            other, first = next(
                (label, line)
                for label, line in seen.items()
                if not fitting_schemes({label, record.label}, RESPONSE_SCHEMES)
            )
            what = f"the label {record.label!r} belongs to a different scheme from {other!r} on line {first}."
            names = (f"{scheme.name}: {', '.join(scheme.labels)}" for scheme in RESPONSE_SCHEMES.values())
            hint = f"Use the labels of one scheme: {'; '.join(names)}."
            raise InputError(path, what, line=record.line, hint=hint)


# Key files: small tables with the text and references of each question.

_COLUMN_NAMES = {key_of(name) for name in ("column", "column name", "header", "heading", "field")}


@dataclass(frozen=True, slots=True)
class KeyEntry:
    """What a key file says about one question; what it does not say is blank."""

    line: int
    column: str
    question_id: str
    question: str
    references: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names by which this question can be found in the table of answers, surest first."""
        return tuple(name for name in (self.column, self.question_id, self.question) if name)


def read_key(path: Path | str, *, encoding: str | None = None) -> list[KeyEntry]:
    """Read a key file; a question on several rows gets the references of all of them."""
    rows = read_rows(path, encoding=encoding)
    rows.demand_rows()
    column = next((name for name in rows.header if key_of(name) in _COLUMN_NAMES), None)
    roles = find_columns(rows, {"answer": "", "id": "", "label": "", "module": ""})
    if column is None and roles.question_id is None and roles.question is None:
        raise InputError(
            rows.path,
            "the key names no questions: it needs a column 'column', 'question id' or 'question'; "
            f"it has {some(rows.header, 10)}.",
            line=1,
        )
    entries: dict[str, KeyEntry] = {}
    for row in rows.rows:
        cells = dict(zip(rows.header, row.cells, strict=True))
        entry = KeyEntry(
            line=row.line,
            column=cells[column].strip() if column else "",
            question_id=cells[roles.question_id].strip() if roles.question_id else "",
            question=plain_cell(cells[roles.question]).strip() if roles.question else "",
            references=tuple(plain_cell(cells[name]) for name in roles.references if cells[name].strip()),
        )
        if not entry.names:
            what = "this row of the key does not say which question it is for."
            raise InputError(rows.path, what, line=row.line)
        before = entries.setdefault(entry.names[0], entry)
        if before is not entry:
            question = before.question or entry.question
            references = before.references + entry.references
            entries[entry.names[0]] = replace(before, question=question, references=references)
    return list(entries.values())


def fill_from_key(
    questions: Sequence[Question], key: Path | str, *, encoding: str | None = None
) -> list[Question]:
    """Give questions the texts and references a key file has for them, found by question id or by text.

    References of the key file take the place of those the questions have.
    """
    entries: dict[str, KeyEntry] = {}
    for entry in read_key(key, encoding=encoding):
        for name in entry.names:
            entries.setdefault(plain(name), entry)
    filled = []
    for question in questions:
        known = entries.get(plain(question.id)) or entries.get(plain(question.text))
        if known is None:
            what = f"the key has no entry for the question {question.id!r} ({question.text[:60]!r})."
            hint = f"It has {some(dict.fromkeys(entry.names[0] for entry in entries.values()), 10)}."
            raise InputError(key, what, hint=hint)
        text = question.text if question.text.strip() else known.question
        references = make_references(known.references) or question.references
        filled.append(replace(question, text=text, references=references))
    return filled


def plain(text: str) -> str:
    """Fold case and white space, but not punctuation, in which the texts of two questions may differ."""
    return " ".join(text.casefold().split())
