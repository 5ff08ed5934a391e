"""Drafts: uploads and pastes as they are read, to be checked by a person before anything is stored."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory

from postil.data.files import unify_line_ends
from postil.data.formats.detection import QUIZ_FORMATS, Format, detect, read_quiz
from postil.data.formats.moodle import find_slots, identity_column, last_attempts
from postil.data.formats.quizzes import Quiz
from postil.data.formats.rows import Row, Rows, candidates, find_columns, key_of, placeholder, read_rows
from postil.data.formats.spreadsheets import Limits
from postil.data.formats.wide import count_wide_answers, looks_wide, question_columns, wide_questions
from postil.data.questions import Question
from postil.errors import InputError, PostilError

MOST_ROWS = 20_000
_MOST_COLUMNS = 200
_MOST_CELLS = 500_000  # or so many columns for every row that may be read
_FILLED_COLUMNS = 25
_MOST_CHARACTERS = 50_000_000
_MOST_UNPACKED = 100 * 2**20
_MOST_TAGS = 500_000
_CHOICE = 2  # times as many answers of a wide table may be read as may be stored
_PASTED = "the pasted text"
_WITH_FIELDS = (".jsonl", ".ndjson", ".json")  # where every row names its fields, and none is a heading
_OF_QUIZZES = (".xml", ".gift", ".txt", "")  # the endings of files that may hold questions
# What a column can be, and for each of these roles the places of its columns in a table.
ROLES = ("answer", "id", "student", "label", "question", "reference")
ANSWERS = "answers"  # the columns of answers, where each column is a question
Columns = Mapping[str, tuple[int, ...]]
_NAMES = {"name", "fullname", "studentname", "pupilname", "yourname", "student", "pupil", "learner"}
# Also in German, Spanish and Basque, as Moodle heads them.
_FIRST_NAMES = {"firstname", "forename", "givenname", "vorname", "nombre", "izena"}
_LAST_NAMES = {
    *("lastname", "surname", "familyname", "nachname", "apellidos"),
    *("deitura", "deiturak", "abizena", "abizenak"),
}
_SAMPLE = 200  # rows that are enough to see which column holds sentences
_SPREADSHEETS = "Excel, LibreOffice, Google Sheets and Numbers can save a table as .xlsx or .csv."


@dataclass(frozen=True, slots=True)
class Opened:
    """A table, or a quiz, as it was read from a file or a paste.

    `wide` holds the questions of Moodle's report, which has several columns for each. `notes` say how it was
    read, where that was not plain. `headed` says that the table's first row was taken for the names of its
    columns. A `quiz` has questions and no answers, and so no rows.
    """

    name: str
    rows: Rows
    wide: tuple[Question, ...] = ()
    notes: tuple[str, ...] = ()
    headed: bool = False
    quiz: Quiz | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft(Opened):
    """What somebody uploaded or pasted, before anything of it is stored.

    `question_id` is the question whose answers it holds; None where it brings its own questions. `person` is
    the account of whoever uploaded it: nobody else sees it.
    """

    token: str
    course_id: int
    question_id: int | None
    person: int | None = None


def make_draft(
    token: str, opened: Opened, course_id: int, question_id: int | None, person: int | None = None
) -> Draft:
    """What was read, for the course or the question that it is meant for."""
    read = {field.name: getattr(opened, field.name) for field in fields(Opened)}
    if question_id is not None:
        read["wide"] = ()
    return Draft(**read, token=token, course_id=course_id, question_id=question_id, person=person)


def open_file(name: str, data: bytes, most: int = MOST_ROWS) -> Opened:
    """Read an uploaded table (CSV, TSV, XLSX, JSONL, JSON) or quiz (Moodle XML, GIFT).

    Only meanwhile does it lie in a temporary file.
    """
    last = re.split(r"[/\\]", name)[-1].strip()
    shown = (last if len(last) <= 80 else f"…{last[-79:]}") or "the file"
    ending = Path(shown).suffix.lower()
    if not re.fullmatch(r"\.[a-z0-9]{1,8}", ending):
        ending = ""
    with TemporaryDirectory(prefix="postil-") as folder:
        path = Path(folder) / f"upload{ending}"
        path.write_bytes(data)
        try:
            kind = detect(path) if path.suffix in _OF_QUIZZES else Format.UNKNOWN
            if kind in QUIZ_FORMATS:
                return Opened(shown, Rows(Path(shown), (), ()), quiz=read_quiz(path, kind, _MOST_TAGS))
            rows, notes = _read(path, _limits(most))
            rows.demand_rows()
            rows, dropped = last_attempts(rows)
            # Students are told apart by the person who looks at the draft, so here the rows are numbered.
            if looks_wide(rows.header):
                _refuse_many(rows, most)
            wide = wide_questions(rows, id_column="") if find_slots(rows.header) else []
        except InputError as error:
            raise _in_plain_words(error, shown) from error
    return Opened(shown, rows, tuple(wide), (*notes, *dropped), headed=rows.path.suffix not in _WITH_FIELDS)


def open_paste(text: str, most: int = MOST_ROWS) -> Opened:
    """Read pasted text: one answer a line, or cells copied from a spreadsheet, header or not."""
    text, limits = unify_line_ends(text).replace("\0", ""), _limits(most)
    limits.check_raw(_PASTED, text.count("\n"), 0, text.count("\t"))
    rows_of_cells = _cells(text) if "\t" in text else [[line] for line in text.split("\n")]
    table = [[cell.strip() for cell in row] for row in rows_of_cells]
    numbered = [(line, row) for line, row in enumerate(table, 1) if any(row)]
    if not numbered:
        raise PostilError("the text box is empty.", hint="Paste the answers, one per line.")
    width = max(len(row) for _, row in numbered)
    limits.check(_PASTED, 0, width)
    limits.check_raw(_PASTED, 0, width, width * len(numbered))
    filled = [(line, [*row, *[""] * (width - len(row))]) for line, row in numbered]
    header = _header(filled[0][1])
    body = filled[1:] if header else filled
    cells = tuple(Row(line, tuple(row)) for line, row in body)
    rows = Rows(Path(_PASTED), tuple(header or _made_header(width)), cells)
    if not rows.rows:
        raise PostilError("there is a header row but no answers below it.", hint="Paste the rows as well.")
    limits.check(_PASTED, len(rows.rows), width)
    return Opened(_PASTED, rows, headed=bool(header))


def without_heading(draft: Draft) -> Draft:
    """The same draft with its first row taken for an answer like the others."""
    names = draft.rows.header
    header = tuple(_made_header(len(names)))
    # A column without a name was called by its place when the table was read.
    unnamed = {placeholder(place) for place in range(_MOST_COLUMNS)}
    first = Row(1, tuple("" if name in unnamed else name for name in names))
    rows = Rows(draft.rows.path, header, (first, *draft.rows.rows))
    return replace(draft, rows=rows, wide=())


def _cells(text: str) -> list[list[str]]:
    """Split what a spreadsheet copies; cells with line breaks stand in quotation marks, others rarely do."""
    try:
        return list(csv.reader(io.StringIO(text, newline="\n"), delimiter="\t", strict=True))
    except csv.Error:
        return [line.split("\t") for line in text.split("\n")]


def _header(names: list[str]) -> list[str]:
    """The first row if it names its columns, one of them as the answers'; else nothing."""
    if len(names) > 1 and all(names) and len(set(names)) == len(names) and candidates(names, "answer"):
        return names
    return []


def _made_header(width: int) -> list[str]:
    if width == 1:
        return ["answer"]
    return ["name", "answer"] if width == 2 else [*map(placeholder, range(width))]


def _read(path: Path, limits: Limits) -> tuple[Rows, tuple[str, ...]]:
    """Read a table as UTF-8, or else as older Windows programs write: the preview shows if that was right."""
    try:
        return read_rows(path, limits=limits), ()
    except InputError as error:
        if not isinstance(error.__cause__, UnicodeDecodeError):
            raise
        first = error
    try:
        rows = read_rows(path, encoding="cp1252", limits=limits)
    except InputError as error:
        raise (first if isinstance(error.__cause__, UnicodeDecodeError) else error) from None
    note = (
        "This file is not saved as UTF-8, so it was read as a file from an older Windows program. Check "
        "accents and special characters below: if they are wrong, save the file as “CSV UTF-8” or as .xlsx."
    )
    return rows, (note,)


def _refuse_many(rows: Rows, most: int) -> None:
    """Of a wide table more is read than may be stored, so that a person can leave some questions out."""
    if count_wide_answers(rows) > _CHOICE * most:
        what = f"has more than {_CHOICE * most:,} answers, the most that can be read at once."
        raise InputError(rows.path, what, hint="Split it by questions or by students.")


def _limits(most: int) -> Limits:
    """How large a table may be if so many rows of it may be read: each check takes well under a second."""
    cells = max(_MOST_CELLS, _FILLED_COLUMNS * most)
    return Limits(most, _MOST_COLUMNS, cells, _MOST_CHARACTERS, _MOST_UNPACKED)


def _in_plain_words(error: InputError, name: str) -> PostilError:
    """The same error for somebody who knows their file by its own name, and no command line."""
    return PostilError(error.called(f"“{name}”"), hint=error.hint or _SPREADSHEETS)


class Shape(StrEnum):
    """How a table is laid out that brings its own questions."""

    ROWS = "rows"  # a row for each answer, and a column that says to which question
    COLUMNS = "columns"  # a row for each student, and a column for each question
    ONE = "one"  # all answers are to one question, which the table does not name


def guess_shape(draft: Draft) -> Shape:
    """How a draft is probably laid out; a person can say otherwise."""
    header = draft.rows.header
    if draft.question_id is not None:
        return Shape.ONE
    if draft.wide or (looks_wide(header) and question_columns(header)):
        return Shape.COLUMNS
    return Shape.ROWS if candidates(header, "question") else Shape.ONE


def roles_of(draft: Draft, shape: Shape | None = None) -> tuple[str, ...]:
    """The roles that a draft's columns can have, besides those of answers where each column is a question."""
    shape = shape or guess_shape(draft)
    if shape is Shape.COLUMNS:
        return ("id", "student")
    return ROLES[:4] if shape is Shape.ONE else ROLES


def guess_columns(draft: Draft, shape: Shape | None = None) -> dict[str, tuple[int, ...]]:
    """Which column is probably which; a person can choose otherwise."""
    rows, shape = draft.rows, shape or guess_shape(draft)
    columns: dict[str, tuple[int, ...]] = dict.fromkeys((*ROLES, ANSWERS), ())
    if shape is Shape.COLUMNS and not draft.wide:
        columns[ANSWERS] = tuple(question_columns(rows.header))
    used = [rows.header[place] for place in columns[ANSWERS]]
    for role in ("answer", "label", "question", "reference", "id"):
        names = [name for name in _guess(rows, role) if name not in used]
        columns[role] = tuple(rows.header.index(name) for name in names)
        used += names
    if draft.wide and find_slots(rows.header):
        identity = identity_column(rows)
        columns["id"] = () if identity is None else (rows.header.index(identity),)
    whole, first, last = (
        [place for place, name in enumerate(rows.header) if key_of(name) in names][:1]
        for names in (_NAMES, _FIRST_NAMES, _LAST_NAMES)
    )
    columns["student"] = tuple(whole or first + last)
    if columns["id"] and columns["id"][0] in columns["student"]:
        columns["id"] = ()  # two pupils may have one name; the rows' numbers tell them apart
    if not columns["answer"] and shape is not Shape.COLUMNS:
        taken = {place for places in columns.values() for place in places}
        free = [place for place in range(len(rows.header)) if place not in taken]
        sample = rows.rows[:_SAMPLE]  # the answers are where most text is
        longest = sorted(free, key=lambda place: -sum(len(row.cells[place]) for row in sample))
        columns["answer"] = tuple(longest[:1])
    roles = (*roles_of(draft, shape), ANSWERS)
    return {role: places if role in roles else () for role, places in columns.items()}


def _guess(rows: Rows, role: str) -> list[str]:
    # Mapped to nothing, the other roles are not looked for, and cannot be in doubt.
    others = {other: "" for other in ("question", "reference", "answer", "id", "label") if other != role}
    try:
        columns = find_columns(rows, {**others, "question_id": "", "module": ""})
    except InputError:  # several would do: the first is as good a guess as any
        return candidates(rows.header, role)[0][:1]
    if role == "reference":
        return list(columns.references)
    name: str | None = getattr(columns, role)
    return [name] if name is not None else []
