"""Gathering the rows of a table, one answer each, into questions with ids that are unique."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from postil.data.labels import RESPONSE_SCHEMES, fitting_schemes
from postil.data.questions import Answer, Question, Reference
from postil.errors import InputError


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
    records = _with_ids(list(records))
    _refuse_mixed_schemes(path, records)
    groups: dict[Hashable, _Group] = {}
    for record in records:
        _add(path, groups.setdefault(record.group, _Group(record)), record)
    for group in groups.values():
        if [record.answer for record in group.records] == [None]:
            group.records.clear()
            group.lines.clear()
    ids = _question_ids(path, groups.values())
    owners: dict[str, set[str]] = {}
    for id, group in zip(ids, groups.values(), strict=True):
        for answer_id in group.lines:
            owners.setdefault(answer_id, set()).add(id)
    shared = any(len(each) > 1 for each in owners.values())
    questions = [
        Question(
            id=id,
            text=group.text,
            references=make_references(group.references),
            answers=tuple(
                Answer(
                    f"{id}.{answer_id}" if shared else answer_id,
                    record.answer or "",
                    record.label,
                    row=record.number,
                )
                for answer_id, record in zip(group.lines, group.records, strict=True)
            ),
            module=group.module,
        )
        for id, group in zip(ids, groups.values(), strict=True)
    ]
    _refuse_repeated_ids(path, questions)
    return questions


def _with_ids(records: list[Record]) -> list[Record]:
    """Call an answer without an id `a` and its row's number; with `_` after it where that one is taken."""
    taken = {record.id for record in records}
    return [
        record if record.id else replace(record, id=_fresh(f"a{record.number}", taken)) for record in records
    ]


def _fresh(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _add(path: Path, group: _Group, record: Record) -> None:
    first = group.first.line
    if record.question.strip():
        if group.text.strip() and group.text.split() != record.question.split():
            raise InputError(
                path,
                f"the question {record.question_id!r} has another text here than before (line {first}).",
                line=record.line,
                hint="Give each question its own id.",
            )
        group.text = group.text if group.text.strip() else record.question
    if record.references:
        if group.references and group.references != record.references:
            raise InputError(
                path,
                f"the same question has other references here than before (line {first}).",
                line=record.line,
                hint="If all of them are right, put them into columns reference, reference_2, … of each row.",
            )
        group.references = record.references
    group.module = group.module or record.module
    id = record.id
    if id in group.lines:
        raise InputError(
            path,
            f"the id {id!r} occurs twice for one question (first on line {group.lines[id]}).",
            line=record.line,
            hint="Delete one of the rows, name a better column with --column id=…, or have the rows numbered "
            "with --column id= (and nothing).",
        )
    group.lines[id] = record.line
    group.records.append(record)


def _question_ids(path: Path, groups: Iterable[_Group]) -> list[str]:
    """Each question's own id, or `q` and its place; with `_` after it where that one is taken."""
    groups = list(groups)
    taken = {group.first.question_id for group in groups}
    ids: list[str] = []
    for place, group in enumerate(groups, start=1):
        id = group.first.question_id or _fresh(f"q{place}", taken)
        if id in ids:
            raise InputError(path, f"two questions have the id {id!r}.", hint="Rename one of them.")
        taken.add(id)
        ids.append(id)
    return ids


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
            other = next(
                (one for one in seen if not fitting_schemes({one, record.label}, RESPONSE_SCHEMES)), ""
            )
            raise InputError(
                path,
                f"the label {record.label!r} is of another scheme than {other!r} on line {seen.get(other)}.",
                line=record.line,
                hint="Use the labels of one scheme: "
                + "; ".join(f"{each.name}: {', '.join(each.labels)}" for each in RESPONSE_SCHEMES.values())
                + ".",
            )


def _refuse_repeated_ids(path: Path, questions: Iterable[Question]) -> None:
    owner: dict[str, str] = {}
    for question in questions:
        for answer in question.answers:
            if answer.id in owner:
                raise InputError(
                    path,
                    f"the questions {owner[answer.id]!r} and {question.id!r} would both have an answer "
                    f"{answer.id!r}.",
                    hint="Rename one of the ids.",
                )
            owner[answer.id] = question.id
