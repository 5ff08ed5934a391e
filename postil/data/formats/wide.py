"""Wide tables, as forms and learning platforms export them: one row a student, one column a question."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from postil.data.formats.markup import plain_cell
from postil.data.formats.moodle import find_slots, identity_column, last_attempts
from postil.data.formats.rows import Rows, candidates, key_of, read_rows, resolve
from postil.data.formats.tables import KeyEntry, Record, build_questions, fill_from_key, plain, read_key
from postil.data.questions import Question
from postil.errors import InputError, PostilError, some

_LONG_ENOUGH = 25
_METADATA_NAMES = (
    "timestamp|date|time|start|start time|started|started on|completed|completion time|finished|end time"
    "|submitted|submitted at|submission time|last modified time|time taken|duration|state|status|language"
    "|score|total score|total points|points|grade|mark|marks|result|feedback|quiz feedback|n correct"
    "|n incorrect|first name|last name|surname|forename|given name|family name|section|section id"
    "|section sis id|class|course|group|school|institution|department|age|gender|ip address|consent"
    "|network id|number of attempts|response time|preferred language"
)
_METADATA = frozenset(map(key_of, _METADATA_NAMES.split("|")))
# Marks and comments that platforms put beside each question, and Moodle's grade with its maximum.
_BESIDE = re.compile(
    r"^(points|feedback)\s*[-–—:]|\[(score|feedback)\]\s*$|^grade/[\d.,]+$"
    r"|:\s*(points?|scores?|marks?|max(imum)?|grade|out of|feedback|comments?)(\s*\(column \d+\))?$",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"(q|question|answer|response|item|task)[\s._-]*\d+\s*[a-z]?\)?[.:]?", re.IGNORECASE)
_WORTH = re.compile(
    r"\s*[(\[]\s*(\d{1,4}(?:[.,]\d{1,2})?)\s*(?:points?|pts?|marks?|p)\.?\s*[)\]]\s*$", re.IGNORECASE
)
_MOST_HEADING = 200  # characters of a heading in which its number or its points are looked for
_CANVAS = re.compile(r"(\d{3,}):\s*(.*)", re.DOTALL)
_SHORT_ID = re.compile(r"\w[\w.-]{0,15}")


@dataclass(frozen=True, slots=True)
class _Column:
    """One column of answers; Moodle's export also has columns for the question and the right answer."""

    name: str
    question: str = ""
    question_id: str = ""
    references: tuple[str, ...] = ()
    question_column: str | None = None
    reference_column: str | None = None


def parse_assignments(
    values: Iterable[str], *, option: str = "--question", header: Sequence[str] = ()
) -> dict[str, tuple[str, ...]]:
    """Read `COLUMN=text` options into the texts given for each column.

    The column ends at the first `=`, unless `header` has a longer name that fits (`Solve x=3?=…`).
    """
    texts: dict[str, tuple[str, ...]] = {}
    for value in values:
        whole = [name for name in header if value.startswith(f"{name}=")]
        column = max(whole, key=len) if whole else value.partition("=")[0]
        text = value[len(column) + 1 :].strip()
        if not column.strip() or not text:
            columns = f" The columns are {some(header, 20)}." if header else ""
            raise PostilError(
                f"{option} {value!r} does not say both the column and the text for it.",
                hint=f"In a wide table, write {option} 'COLUMN=text', as in {option} 'Q1=…'.{columns}",
            )
        texts[column.strip()] = (*texts.get(column.strip(), ()), text)
    return texts


def looks_wide(header: Sequence[str]) -> bool:
    """Whether a table with these columns has one column a question rather than one row an answer."""
    if find_slots(header):
        return True
    if candidates(header, "answer") or candidates(header, "question"):
        return False
    return any(_reads_like_question(name) or is_numbered(name) for name in header)


def read_wide(
    path: Path | str,
    *,
    questions: Mapping[str, str] | None = None,
    references: Mapping[str, Sequence[str]] | None = None,
    key: Path | str | None = None,
    id_column: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
) -> list[Question]:
    """Read a table with one row a student and one column a question.

    The columns named by `questions`, `references` or the key file are the questions. Where none is named,
    they are found: Moodle's `Question 1`, `Response 1`, `Right answer 1`, else the headings that read like
    questions. Answer ids are made as in `read_table`: `q1.student7` where there is more than one question.
    An `id_column` of `""` means that the table has none. Of a student's attempts in Moodle's report, the last
    finished one counts.
    """
    rows = read_rows(path, encoding=encoding, sheet=sheet)
    rows.demand_rows()
    rows, _ = last_attempts(rows)
    return wide_questions(
        rows, questions=questions, references=references, key=key, id_column=id_column, encoding=encoding
    )


def wide_questions(
    rows: Rows,
    *,
    questions: Mapping[str, str] | None = None,
    references: Mapping[str, Sequence[str]] | None = None,
    key: Path | str | None = None,
    id_column: str | None = None,
    encoding: str | None = None,
) -> list[Question]:
    """The questions and answers of a wide table that is already read; see `read_wide`."""
    entries = [] if key is None else read_key(key, encoding=encoding)
    columns = _named(rows, questions or {}, references or {}, _by_column(rows, key, entries))
    by_text = key is not None and not columns and bool(find_slots(rows.header))
    if entries and not columns and not by_text:
        what = (
            f"the key names {some(entry.names[0] for entry in entries)}, but {rows.path} has other columns."
        )
        raise InputError(key or "", what, hint=f"Its columns are {some(rows.header, 20)}.")
    columns = columns or _found(rows)
    if not columns:
        what = f"no column looks like a question; the columns are {some(rows.header, 20)}."
        advice = "Name them with --question 'COLUMN=text' or in a key file (--key)."
        raise InputError(rows.path, what, line=1, option=advice)
    read = build_questions(rows.path, _records(rows, columns, _id_column(rows, columns, id_column)))
    return fill_from_key(read, key, encoding=encoding) if by_text and key is not None else read


def _by_column(rows: Rows, key: Path | str | None, entries: Iterable[KeyEntry]) -> dict[str, KeyEntry]:
    """The column of each entry of the key; a key may also hold questions of other tables."""
    places: dict[str, str] = {}
    for fold in (plain, key_of):  # two questions may differ only in punctuation
        for name in rows.header:
            for known in (name, *_heading(name)):
                places.setdefault(fold(known), name)
    matched: dict[str, KeyEntry] = {}
    for entry in entries:
        folded = (fold(name) for fold in (plain, key_of) for name in entry.names)
        column = next((places[name] for name in folded if name in places), None)
        if column is not None:
            matched.setdefault(column, entry)
        elif entry.column:
            what = f"{rows.path} has no column {entry.column!r}, which the key names."
            hint = f"Its columns are {some(rows.header, 20)}."
            raise InputError(key or "", what, line=entry.line, hint=hint)
    return matched


def _named(
    rows: Rows,
    questions: Mapping[str, str],
    references: Mapping[str, Sequence[str]],
    key: Mapping[str, KeyEntry],
) -> list[_Column]:
    """The columns a user named, in the order of the table; options win over the key file."""
    texts = {name: entry.question for name, entry in key.items()}
    keyed = {name: entry.references for name, entry in key.items()}
    texts |= {resolve(rows, name, option="--question"): text for name, text in questions.items()}
    keyed |= {resolve(rows, name, option="--reference"): tuple(right) for name, right in references.items()}
    slots = {slot["response"]: slot for slot in find_slots(rows.header).values()}
    named = []
    for name in rows.header:
        if name in texts or name in keyed:
            slot, text, right = slots.get(name, {}), texts.get(name, ""), keyed.get(name, ())
            id, heading = _heading(name)
            named.append(
                _Column(
                    name,
                    question=text or heading,
                    question_id=(key[name].question_id if name in key else "") or id,
                    references=right,
                    question_column=None if text else slot.get("question"),
                    reference_column=None if right else slot.get("right"),
                )
            )
    return named


def _found(rows: Rows) -> list[_Column]:
    if slots := find_slots(rows.header).values():
        columns_of = ((slot["response"], slot.get("question"), slot.get("right")) for slot in slots)
        return [_Column(name, name, "", (), question, right) for name, question, right in columns_of]
    columns = []
    for name in filter(_reads_like_question, rows.header):
        id, text = _heading(name)
        columns.append(_Column(name, text, id))
    return columns


def question_columns(header: Sequence[str]) -> list[int]:
    """The places of the columns that are probably questions: by their text, or only by their number."""
    asked = [place for place, name in enumerate(header) if _reads_like_question(name)]
    numbered = [place for place, name in enumerate(header) if is_numbered(name)]
    return sorted({*asked, *numbered})


def is_numbered(name: str) -> bool:
    """Whether a heading is only the number of a question, as in `Q1`."""
    return _NUMBERED.fullmatch(_WORTH.sub("", name[:_MOST_HEADING]).strip()) is not None


def split_heading(name: str) -> tuple[str, float]:
    """The text of a question in a heading, and the points it is worth if the heading says so, else 0."""
    _, text = _heading(name)
    worth = _WORTH.search(text[-_MOST_HEADING:])
    if worth is None:
        return text, 0.0
    return text[: -len(worth[0])].strip() or text, float(worth[1].replace(",", "."))


def count_wide_answers(rows: Rows) -> int:
    """How many answers a wide table has, blank ones included, before any of them is looked at."""
    slots = find_slots(rows.header)
    return (len(slots) or len(question_columns(rows.header))) * len(rows.rows)


def _reads_like_question(name: str) -> bool:
    if _BESIDE.search(name.strip()) or key_of(name) in _METADATA or candidates([name], "id"):
        return False
    return name.strip().endswith(("?", "？", "؟")) or len(name.strip()) > _LONG_ENOUGH


def _heading(name: str) -> tuple[str, str]:
    """Split a heading into an id, if it has or is one, and the text of the question."""
    canvas = _CANVAS.fullmatch(name)
    if canvas:
        return canvas[1], canvas[2]
    return (name if _SHORT_ID.fullmatch(name) else ""), plain_cell(name)


def _id_column(rows: Rows, columns: Sequence[_Column], named: str | None) -> str | None:
    if named is not None:
        return resolve(rows, named, option="the id column") if named.strip() else None
    known = identity_column(rows) if find_slots(rows.header) else None
    if known is not None:
        return known
    used = {column.name for column in columns}
    groups = candidates((name for name in rows.header if name not in used), "id")
    ordered = [name for group in groups for name in group]
    return next((name for name in ordered if any(map(str.strip, rows.column(name)))), None)


def _records(rows: Rows, columns: Sequence[_Column], id_column: str | None) -> Iterator[Record]:
    table = [dict(zip(rows.header, row.cells, strict=True)) for row in rows.rows]
    times: dict[tuple[int, str], int] = {}
    for column in columns:
        for number, (row, cells) in enumerate(zip(rows.rows, table, strict=True), start=1):
            answer = plain_cell(cells[column.name])
            question, group = column.question, ("column", column.name, 0)
            if column.question_column is not None:
                question = plain_cell(cells[column.question_column])
                if not question.strip() and not answer.strip():
                    continue  # this student was not asked the question
                # Random questions are in different columns for different students, so the text decides.
                text = " ".join(question.split())
                times[number, text] = times.get((number, text), 0) + 1
                group = ("text", text, times[number, text])
            right = plain_cell(cells[column.reference_column]) if column.reference_column is not None else ""
            yield Record(
                line=row.line,
                group=group,
                id=cells[id_column].strip() if id_column is not None else "",
                answer=answer,
                question=question,
                question_id=column.question_id,
                references=column.references or ((right,) if right.strip() else ()),
                number=number,
            )
