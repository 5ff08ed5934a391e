"""Key files: a small table that says for each question its text and its references."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from postil.data.formats.columns import find_columns, key_of
from postil.data.formats.gather import make_references
from postil.data.formats.rows import read_rows
from postil.data.questions import Question
from postil.errors import InputError, some

_COLUMN_NAMES = {key_of(name) for name in ("column", "column name", "header", "heading", "field")}


@dataclass(frozen=True, slots=True)
class KeyEntry:
    """What a key file says of one question; blank is what it does not say."""

    line: int
    column: str
    question_id: str
    question: str
    references: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """By what this question can be found in the table of answers, surest first."""
        return tuple(name for name in (self.column, self.question_id, self.question) if name)


def read_key(path: Path | str, *, encoding: str | None = None) -> list[KeyEntry]:
    """Read a key file; a question that stands on several rows gets the references of all of them."""
    rows = read_rows(path, encoding=encoding)
    rows.demand_rows()
    column = next((name for name in rows.header if key_of(name) in _COLUMN_NAMES), None)
    found = find_columns(rows, {"answer": "", "id": "", "label": "", "module": ""})
    if column is None and found.question_id is None and found.question is None:
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
            question_id=cells[found.question_id].strip() if found.question_id else "",
            question=cells[found.question].strip() if found.question else "",
            references=tuple(cells[name] for name in found.references if cells[name].strip()),
        )
        if not entry.names:
            raise InputError(
                rows.path, "this row of the key does not say which question it is for.", line=row.line
            )
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
        told = entries.get(plain(question.id)) or entries.get(plain(question.text))
        if told is None:
            raise InputError(
                key,
                f"the key says nothing of the question {question.id!r} ({question.text[:60]!r}).",
                hint=f"It has {some(dict.fromkeys(entry.names[0] for entry in entries.values()), 10)}.",
            )
        text = question.text if question.text.strip() else told.question
        references = make_references(told.references) or question.references
        filled.append(replace(question, text=text, references=references))
    return filled


def plain(text: str) -> str:
    """Fold case and white space; unlike the names of columns, texts of questions may differ in signs only."""
    return " ".join(text.casefold().split())
