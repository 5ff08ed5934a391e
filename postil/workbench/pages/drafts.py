"""The page that shows a draft: its first rows, what each column is taken for, and its questions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse

from postil.data.formats.moodle import find_slots
from postil.data.formats.spreadsheets import unify_line_ends
from postil.workbench.drafts import ROLES, Columns, Draft, guess_columns, roles_of, without_heading
from postil.workbench.http.rendering import is_htmx, render
from postil.workbench.plans import Plan, Target, make_plan
from postil.workbench.quizzes import match_questions
from postil.workbench.store.answers import list_answers
from postil.workbench.store.courses import get_course
from postil.workbench.store.database import Store
from postil.workbench.store.questions import get_question, list_questions

HEADLESS = "headless"  # the box which says that a table has no heading
DRAWN = "drawn"  # the hidden field which says of what the questions on the page were made
_OF_QUESTIONS = ("right-", "take-", "to-")  # how fields begin that belong to single questions
_FIRST_ROWS = 10
_MOST_SHOWN = 8  # columns; a table from a learning platform has dozens
_LONGEST_CELL = 160
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
    fields: Mapping[str, Any]
    targets: Mapping[int, Target]
    plan: Plan


def read_draft(store: Store, draft: Draft, fields: Mapping[str, Any], most: int) -> Reading:
    """Read a draft as a form says, which has no fields before anybody has chosen anything."""
    if draft.headed and HEADLESS in fields:
        draft = without_heading(draft)
    columns = _chosen_columns(draft, fields)
    fields = _still_meant(columns, fields)
    targets = _find_targets(store, draft, columns, fields)
    there = [] if draft.question_id is None else list_answers(store, draft.question_id)
    taken = {answer.key for answer in there}
    right = {
        int(number): [line.strip() for line in str(text).splitlines() if line.strip()]
        for name, text in fields.items()
        if name.startswith("right-") and (number := name.removeprefix("right-")).isdecimal()
        if len(number) < _MOST_DIGITS
    }
    left_out = {number for number in right if f"take-{number}" not in fields}
    plan = make_plan(draft, columns, taken=taken, left_out=left_out, given=right, targets=targets, most=most)
    return Reading(draft, columns, fields, targets, plan)


def _chosen_columns(draft: Draft, fields: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    """The columns that a person chose; a role's value is the places of its columns, as in `2` or `0,1`.

    For a role that the form did not have, because the draft was read otherwise, they are guessed.
    """
    known = {str(place): place for place in range(len(draft.rows.header))}
    chosen = guess_columns(draft)
    for role in roles_of(draft):
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
    store: Store, draft: Draft, columns: Columns, fields: Mapping[str, Any]
) -> dict[int, Target]:
    """The questions of the course with the same text, or those that a form names in fields such as `to-0`.

    Nothing in such a field means a new question. No question of the course is taken for two of the draft.
    """
    if draft.question_id is not None:
        return {}
    known = {question.id: question for question in list_questions(store, draft.course_id)}
    if not known:
        return {}
    texts = [planned.text for planned in make_plan(draft, columns).questions]
    guessed = match_questions(texts, list(known.values()))
    targets: dict[int, Target] = {}
    for number in range(len(texts)):
        value = str(fields.get(f"to-{number}", guessed.get(number, "")))
        question = known.get(int(value)) if value.isdecimal() and len(value) < _MOST_DIGITS else None
        if question is None or any(target.question_id == question.id for target in targets.values()):
            continue
        keys = frozenset(answer.key for answer in list_answers(store, question.id))
        targets[number] = Target(question.id, question.references, keys)
    return targets


def _drawn(columns: Columns, fields: Mapping[str, Any]) -> str:
    """Of what the questions are made: their column, that of the right answers, and if there is a heading."""
    places = [",".join(map(str, columns[role])) for role in ("question", "reference")]
    return ";".join([*places, HEADLESS if HEADLESS in fields else ""])


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing that a role's columns can be."""

    value: str
    words: str
    chosen: bool


def _choices(draft: Draft, columns: Columns, role: str) -> list[Choice]:
    header = draft.rows.header
    values = {str(place): name for place, name in enumerate(header)}
    for places in (guess_columns(draft)[role], columns[role]):
        if len(places) > 1:
            values[",".join(map(str, places))] = " + ".join(header[place] for place in places)
    chosen = ",".join(map(str, columns[role]))
    return [Choice(value, words, value == chosen) for value, words in {"": _NONE[role], **values}.items()]


def draft_page(request: Request, store: Store, reading: Reading, status: int = 200) -> HTMLResponse:
    """Show a draft; for htmx only what changes with the columns that are chosen."""
    draft, columns = reading.draft, reading.columns
    question = get_question(store, draft.question_id) if draft.question_id is not None else None
    header = draft.rows.header
    taken = {place: role for role in reversed(ROLES) for place in columns[role]}
    asked = {question.text for question in draft.wide}
    slots = {slot["response"] for slot in find_slots(header).values()} if draft.wide else set()
    taken |= {place: "answer" for place, name in enumerate(header) if name in asked | slots}
    shown = [*sorted(taken), *(place for place in range(len(header)) if place not in taken)][:_MOST_SHOWN]
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
        choices={role: _choices(draft, columns, role) for role in roles_of(draft)},
        shown=[(place, header[place], taken.get(place, "")) for place in sorted(shown)],
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


def _parts(reading: Reading) -> list[Part]:
    """All questions of a draft, including those that were left out."""
    fields, targets = reading.fields, reading.targets
    return [
        Part(
            number,
            planned.text,
            len(planned.answers),
            unify_line_ends(str(fields.get(f"right-{number}") or "\n".join(planned.references))),
            f"right-{number}" not in fields or f"take-{number}" in fields,
            targets[number].question_id if number in targets else None,
        )
        for number, planned in enumerate(make_plan(reading.draft, reading.columns).questions)
    ]


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_CELL else f"{text[: _LONGEST_CELL - 1]}…"
