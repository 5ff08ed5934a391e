"""Which column of a draft is which: its answers, ids, students, labels, questions, references."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from postil.data.formats.attempts import find_slots, identity_column
from postil.data.formats.columns import candidates, find_columns, key_of
from postil.data.formats.rows import Rows
from postil.errors import InputError
from postil.workbench.drafts import Draft

ROLES = ("answer", "id", "student", "label", "question", "reference")
Columns = Mapping[str, tuple[int, ...]]  # for each role the places of its columns; none: there is no such
_NAMES = {"name", "fullname", "studentname", "pupilname", "yourname", "student", "pupil", "learner"}
# Also in German, Spanish and Basque, as Moodle heads them.
_FIRST_NAMES = {"firstname", "forename", "givenname", "vorname", "nombre", "izena"}
_LAST_NAMES = {
    *("lastname", "surname", "familyname", "nachname", "apellidos"),
    *("deitura", "deiturak", "abizena", "abizenak"),
}
_SAMPLE = 200  # rows that are enough to see which column holds sentences


def roles_of(draft: Draft) -> tuple[str, ...]:
    """The roles that a draft's columns can have."""
    if draft.wide:
        return ("id", "student")
    return ROLES[:4] if draft.question_id is not None else ROLES


def guess_columns(draft: Draft) -> dict[str, tuple[int, ...]]:
    """Which column is probably which; a person can choose otherwise."""
    rows = draft.rows
    found: dict[str, tuple[int, ...]] = dict.fromkeys(ROLES, ())
    used: list[str] = []
    for role in ("answer", "label", "question", "reference", "id"):
        names = _guess(rows, role)
        names = [name for name in names if name not in used]
        found[role] = tuple(rows.header.index(name) for name in names)
        used += names
    if draft.wide and find_slots(rows.header):
        known = identity_column(rows)
        found["id"] = () if known is None else (rows.header.index(known),)
    found["student"] = _guess_student(rows.header)
    if found["id"] and found["id"][0] in found["student"]:
        found["id"] = ()  # two pupils may have one name; the rows' numbers tell them apart
    if not found["answer"] and not draft.wide:
        found["answer"] = _longest(rows, [place for places in found.values() for place in places])
    return {role: places if role in roles_of(draft) else () for role, places in found.items()}


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


def _guess_student(header: Sequence[str]) -> tuple[int, ...]:
    keys = [key_of(name) for name in header]
    whole = [place for place, key in enumerate(keys) if key in _NAMES]
    if whole:
        return (whole[0],)
    first = [place for place, key in enumerate(keys) if key in _FIRST_NAMES]
    last = [place for place, key in enumerate(keys) if key in _LAST_NAMES]
    return (*first[:1], *last[:1])


def _longest(rows: Rows, used: Collection[int]) -> tuple[int, ...]:
    """The column with most text of those that are nothing else yet."""
    free = [place for place in range(len(rows.header)) if place not in used]
    if not free:
        return ()
    sample = rows.rows[:_SAMPLE]
    return (max(free, key=lambda place: sum(len(row.cells[place]) for row in sample)),)
