"""The page that shows an upload before it is stored: its first rows, its columns, and its questions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse

from postil.data.files import unify_line_ends
from postil.data.formats.moodle import find_slots, slot_of
from postil.workbench.drafts import (
    ANSWERS,
    ROLES,
    Columns,
    Draft,
    Shape,
    guess_columns,
    guess_shape,
    roles_of,
    without_heading,
)
from postil.workbench.http.rendering import is_htmx, render
from postil.workbench.plans import (
    Plan,
    Target,
    Wording,
    make_plan,
    match_questions,
)
from postil.workbench.store.answers import list_answers
from postil.workbench.store.courses import get_course, get_question, list_questions
from postil.workbench.store.database import Store

HEADLESS = "headless"  # the box which says that a table has no heading
DRAWN = "drawn"  # the hidden field which says of what the questions on the page were made
SHAPE = "shape"  # how the table is laid out
_TICKED = "column-"  # how the boxes of columns with answers begin
_OF_QUESTIONS = (
    "right-",
    "take-",
    "to-",
    "text-",
    "points-",
)  # how fields begin that belong to single questions
_FIRST_ROWS = 10
_MOST_SHOWN = 8  # columns; a table from a learning platform has dozens
_LONGEST_CELL = 160
_ALL_ANSWERS = "All answers are to one question"
_MOST_DIGITS = 12  # of the number of a question
_NONE = {
    "answer": "choose a column",
    "id": "none (number the answers)",
    "student": "none",
    "label": "none",
    "question": "choose a column",
    "reference": "none",
}


@dataclass(frozen=True, slots=True)
class Reading:
    """A draft as a form says it is to be read, and what would be stored of it.

    `targets` are the questions of the course to which answers go, by the number of the question in the draft.
    """

    draft: Draft
    columns: Columns
    shape: Shape
    fields: Mapping[str, Any]
    targets: Mapping[int, Target]
    plan: Plan


def read_draft(store: Store, draft: Draft, fields: Mapping[str, Any], most: int) -> Reading:
    """Read a draft as a form says, which has no fields before anybody has chosen anything."""
    if draft.headed and HEADLESS in fields:
        draft = without_heading(draft)
    shape = _chosen_shape(draft, fields)
    columns = _chosen_columns(draft, shape, fields)
    fields = _still_meant(columns, fields)
    targets = _find_targets(store, draft, columns, shape, fields)
    there = [] if draft.question_id is None else list_answers(store, draft.question_id)
    taken = {answer.key for answer in there}
    wordings = {
        int(number): _wording(number, fields)
        for name in fields
        if name.startswith("right-") and (number := name.removeprefix("right-")).isdecimal()
        if len(number) < _MOST_DIGITS
    }
    left_out = {number for number in wordings if f"take-{number}" not in fields}
    plan = make_plan(
        draft,
        columns,
        shape=shape,
        taken=taken,
        left_out=left_out,
        wordings=wordings,
        targets=targets,
        most=most,
    )
    return Reading(draft, columns, shape, fields, targets, plan)


def _wording(number: str, fields: Mapping[str, Any]) -> Wording:
    """What a form says of one question."""
    lines = (line.strip() for line in str(fields[f"right-{number}"]).splitlines())
    text = " ".join(str(fields.get(f"text-{number}", "")).split())
    return Wording(text, tuple(filter(None, lines)), str(fields.get(f"points-{number}", "")))


def _chosen_shape(draft: Draft, fields: Mapping[str, Any]) -> Shape:
    """How a person says that the table is laid out."""
    value = fields.get(SHAPE, "")
    own = draft.question_id is None and not draft.wide
    return Shape(value) if own and value in tuple(Shape) else guess_shape(draft)


def _chosen_columns(draft: Draft, shape: Shape, fields: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    """The columns that a person chose; a role's value is the places of its columns, as in `2` or `0,1`.

    For a role that the form did not have, because the draft was read otherwise, they are guessed.
    """
    known = {str(column): column for column in range(len(draft.rows.header))}
    chosen = guess_columns(draft, shape)
    if shape is Shape.COLUMNS and not draft.wide and any(name.startswith(_TICKED) for name in fields):
        chosen[ANSWERS] = tuple(column for text, column in known.items() if f"{_TICKED}{text}" in fields)
    for role in roles_of(draft, shape):
        if role in fields:
            chosen[role] = tuple(known[part] for part in str(fields[role]).split(",") if part in known)
    return chosen


def _still_meant(columns: Columns, fields: Mapping[str, Any]) -> dict[str, Any]:
    """A form without what it says of single questions, if their columns have been changed meanwhile.

    The questions are numbered as the page showed them; read from other columns, a number is another question,
    and a right answer that the page showed is not what the file says.
    """
    if fields.get(DRAWN, _drawn(columns, fields)) == _drawn(columns, fields):
        return dict(fields)
    return {name: value for name, value in fields.items() if not name.startswith(_OF_QUESTIONS)}


def _find_targets(
    store: Store, draft: Draft, columns: Columns, shape: Shape, fields: Mapping[str, Any]
) -> dict[int, Target]:
    """The questions of the course with the same text, or those that a form names in fields such as `to-0`.

    Nothing in such a field means a new question. No question of the course is taken for two of the draft.
    """
    if draft.question_id is not None:
        return {}
    known = {question.id: question for question in list_questions(store, draft.course_id)}
    if not known:
        return {}
    planned = make_plan(draft, columns, shape=shape).questions
    guessed = match_questions([question.text for question in planned], list(known.values()))
    targets: dict[int, Target] = {}
    for index, number in enumerate(question.number for question in planned):
        value = str(fields.get(f"to-{number}", guessed.get(index, "")))
        question = known.get(int(value)) if value.isdecimal() and len(value) < _MOST_DIGITS else None
        if question is None or any(target.question_id == question.id for target in targets.values()):
            continue
        keys = frozenset(answer.key for answer in list_answers(store, question.id))
        targets[number] = Target(question.id, question.references, keys)
    return targets


def _drawn(columns: Columns, fields: Mapping[str, Any]) -> str:
    """What the questions were made from: columns of questions and right answers, and any heading."""
    places = [",".join(map(str, columns[role])) for role in ("question", "reference")]
    if columns[ANSWERS]:  # whose questions are numbered by their columns
        return ANSWERS
    return ";".join([*places, HEADLESS if HEADLESS in fields else ""])


def _choices(draft: Draft, columns: Columns, shape: Shape, role: str) -> list[tuple[str, str, bool]]:
    """What a role's columns can be: the value that a form sends, its words, and whether it is chosen."""
    header = draft.rows.header
    values = {"": _NONE[role], **{str(column): name for column, name in enumerate(header)}}
    for group in (guess_columns(draft, shape)[role], columns[role]):
        if len(group) > 1:
            values[",".join(map(str, group))] = " + ".join(header[column] for column in group)
    chosen = ",".join(map(str, columns[role]))
    return [(value, words, value == chosen) for value, words in values.items()]


def draft_page(request: Request, store: Store, reading: Reading, status: int = 200) -> HTMLResponse:
    """Show a draft; for htmx only what changes with the columns that are chosen."""
    draft, columns = reading.draft, reading.columns
    question = get_question(store, draft.question_id) if draft.question_id is not None else None
    header = draft.rows.header
    taken = {column: role for role in reversed(ROLES) for column in columns[role]}
    slots = {slot["response"] for slot in find_slots(header).values()} if draft.wide else set()
    taken |= {column: "answer" for column, name in enumerate(header) if name in slots}
    taken |= dict.fromkeys(columns[ANSWERS], "answer")
    shown = [*sorted(taken), *(column for column in range(len(header)) if column not in taken)][:_MOST_SHOWN]
    return render(
        request,
        "_preview.html" if is_htmx(request) else "draft.html",
        status=status,
        draft=draft,
        course=get_course(store, draft.course_id),
        question=question,
        plan=reading.plan,
        headless=HEADLESS in reading.fields,
        drawn=_drawn(columns, reading.fields),
        parts=[] if question else _parts(reading),
        known=[] if question else list_questions(store, draft.course_id),
        shape=None if question or draft.wide else reading.shape,
        ticks=_ticks(reading),
        choices={
            role: _choices(draft, columns, reading.shape, role) for role in roles_of(draft, reading.shape)
        },
        shown=[(column, header[column], taken.get(column, "")) for column in sorted(shown)],
        more_columns=len(header) - len(shown),
        first=[(row.line, [_short(cell) for cell in row.cells]) for row in draft.rows.rows[:_FIRST_ROWS]],
    )


@dataclass(frozen=True, slots=True)
class Part:
    """A question of a draft as a person sees it: whether it is taken, and with which references.

    `target` is the question of the course to which its answers belong.
    """

    number: int
    text: str
    answers: int
    references: str
    taken: bool
    target: int | None = None
    points: str = "1"
    asked: str | None = None  # the text in the form; None where the table has it, row by row


def _parts(reading: Reading) -> list[Part]:
    """All questions of a draft, including those that were left out."""
    fields, targets = reading.fields, reading.targets
    said = reading.draft.wide or reading.shape is Shape.ROWS
    parts = []
    for planned in make_plan(reading.draft, reading.columns, shape=reading.shape).questions:
        number = planned.number
        right = fields.get(f"right-{number}") or "\n".join(planned.references)
        text = fields.get(f"text-{number}") or planned.text
        taken = f"right-{number}" not in fields or f"take-{number}" in fields
        points = fields.get(f"points-{number}") or f"{planned.points:g}"
        parts.append(
            Part(
                number,
                planned.text or _ALL_ANSWERS,
                len(planned.answers),
                unify_line_ends(str(right)),
                taken,
                targets[number].question_id if number in targets else None,
                str(points),
                None if said and not slot_of(planned.text) else unify_line_ends(str(text)),
            )
        )
    return parts


def _ticks(reading: Reading) -> list[tuple[int, str, bool]]:
    """The columns that can hold the answers to a question: place, name, and whether it is ticked."""
    if reading.shape is not Shape.COLUMNS or reading.draft.wide:
        return []
    ticked = set(reading.columns[ANSWERS])
    return [(place, name, place in ticked) for place, name in enumerate(reading.draft.rows.header)]


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_CELL else f"{text[: _LONGEST_CELL - 1]}…"
