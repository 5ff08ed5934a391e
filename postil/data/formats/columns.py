"""Finds out which column of a table is which, from the names people give them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from postil.data.files import same_letters
from postil.data.formats.rows import Rows
from postil.errors import InputError, PostilError, some

ROLES = ("question", "reference", "answer", "id", "label", "question_id", "module")

# The names of each role, best first. Names on one line are equally good: if a table has two of them the user
# must choose, except that it may have any number of references.
_NAMES: Mapping[str, tuple[str, ...]] = {
    "question": (
        "question text|item text|prompt text|task text",
        "question|prompt|item|task|exercise|problem",
    ),
    "reference": (
        "reference|references|reference answer|reference answers|reference text|ref|model answer"
        "|model answers|model response|expected answer|expected answers|expected response|correct answer"
        "|correct answers|correct response|right answer|right answers|desired answer|target answer"
        "|ideal answer|rubric answer|sample solution|sample answer|solution|solutions|teacher answer"
        "|teachers answer|instructor answer|gold answer|standard answer|accepted answer|accepted answers",
        "key|answer key|rubric|marking scheme",
    ),
    "answer": (
        "student answer|student response|student reply|pupil answer|pupil response|learner answer"
        "|learner response|given answer|answer given|submitted answer|your answer",
        "answer|response|reply|answers|responses|answer text|response text|submission",
        "student text|text",
    ),
    "id": (
        "id",
        "answer id|response id|submission id",
        "student id|pupil id|learner id|user id|participant id|student number|pupil number",
        "student code|pupil code|code",
        "username|login|anmeldename|benutzername|nombre de usuario|erabiltzaile-izena",
        "student|pupil|learner|participant|user",
        "email|email address|student email|mail|e-mail-adresse|dirección de correo|correo electrónico"
        "|e-posta helbidea",
        "id number|sis id|id-nummer|número de id|id zenbakia",
        "name|student name|pupil name|full name|your name",
        "attempt id|attempt",
    ),
    "label": (
        "label|grade label|gold label|human label|true label",
        "accuracy|gold|judgement|judgment|verdict",
    ),
    "question_id": (
        "question id|qid|item id|prompt id|task id|exercise id|problem id",
        "question number|question no|question nr|question code|item number|task number",
    ),
    "module": ("module|unit|topic|chapter",),
}


@dataclass(frozen=True, slots=True)
class ColumnMap:
    """Which column of a table holds what; None for roles without a column."""

    question: str | None = None
    references: tuple[str, ...] = ()
    answer: str | None = None
    id: str | None = None
    label: str | None = None
    question_id: str | None = None
    module: str | None = None


def key_of(name: str) -> str:
    """Reduce a column's name to its letters and digits, so that `Student_Answer:` is `studentanswer`."""
    plain = same_letters(name).casefold()
    return "".join(character for character in plain if character.isalnum()) or plain.strip()


_TIERS: Mapping[str, tuple[frozenset[str], ...]] = {
    role: tuple(frozenset(map(key_of, tier.split("|"))) for tier in tiers) for role, tiers in _NAMES.items()
}


def recognised_names(role: str) -> list[str]:
    """All the names under which a column of this role is found, best first."""
    return [name for tier in _NAMES[role] for name in tier.split("|")]


def candidates(header: Iterable[str], role: str) -> list[list[str]]:
    """The columns that could play a role: groups of equally good ones, best group first."""
    keys = [(name, key_of(name)) for name in header]
    groups = ([name for name, key in keys if key in tier] for tier in _TIERS[role])
    return [group for group in groups if group]


def reference_columns(header: Sequence[str]) -> tuple[str, ...]:
    """The columns with references, also numbered ones, in the order of their numbers."""
    for tier in _TIERS["reference"]:
        matches: list[tuple[int, int, str]] = []
        bases: dict[str, int] = {}
        for name in header:
            base, number = _split_number(key_of(name))
            if base in tier:
                matches.append((bases.setdefault(base, len(bases)), number, name))
        if matches:
            return tuple(name for _, _, name in sorted(matches, key=lambda each: each[:2]))
    return ()


def _split_number(key: str) -> tuple[str, int]:
    match = re.fullmatch(r"(.*?)([0-9]{0,6})", key)
    return (match[1], int(match[2] or 0)) if match else (key, 0)


def resolve(rows: Rows, name: str, *, option: str = "") -> str:
    """Find the column a user named: exactly so, or else the only one that differs in case and punctuation."""
    if name in rows.header:
        return name
    alike = [column for column in rows.header if key_of(column) == key_of(name)]
    if len(alike) == 1:
        return alike[0]
    what = "several columns are called" if alike else "there is no column called"
    hint = f"The columns are {some(alike or rows.header, 20)}."
    raise InputError(rows.path, f"{what} {name!r}{f', which {option} names' if option else ''}.", hint=hint)


def find_columns(rows: Rows, mapping: Mapping[str, str] | None = None) -> ColumnMap:
    """Find out which column is which; `mapping` (role → column) wins over every guess.

    References are mapped as `reference`, `reference_2`, …; a role mapped to nothing (`""`) is not looked for.
    """
    mapped, references = _explicit(rows, mapping or {})
    taken = {*mapped.values(), *(references or ())}
    # Empty columns are ignored, except for answers: there it means that nobody wrote anything.
    filled = [name for name in rows.header if name not in taken and any(map(str.strip, rows.column(name)))]
    free = [name for name in rows.header if name not in taken]
    if references is None:
        references = reference_columns(filled)

    def choose(role: str, among: Sequence[str]) -> str | None:
        return mapped[role] if role in mapped else _guess(rows, role, among)

    return ColumnMap(
        question=choose("question", filled),
        references=references,
        answer=choose("answer", free),
        id=choose("id", filled) or choose("id", free),
        label=choose("label", filled),
        question_id=choose("question_id", filled),
        module=choose("module", filled),
    )


def _guess(rows: Rows, role: str, among: Sequence[str]) -> str | None:
    groups = candidates(among, role)
    if not groups:
        return None
    # Of two equally good ids the first will do: whether it serves shows when ids repeat.
    if len(groups[0]) > 1 and role != "id":
        what = f"more than one column could hold the {role.replace('_', ' ')}: {some(groups[0], 5)}."
        raise InputError(rows.path, what, line=1, hint=f"Say which, as in --column '{role}={groups[0][0]}'.")
    return groups[0][0]


def _explicit(rows: Rows, mapping: Mapping[str, str]) -> tuple[dict[str, str | None], tuple[str, ...] | None]:
    """Check a user's mapping against the table: the single columns, and the references if any are mapped."""
    roles = {key_of(role): role for role in ROLES} | {"references": "reference"}
    mapped: dict[str, str | None] = {}
    references: list[tuple[int, str]] = []
    named = False
    for option, name in mapping.items():
        base, number = _split_number(key_of(option))
        role = roles.get(base)
        if role is None or (number and role != "reference"):
            raise PostilError(
                f"There is no role {option!r} for a column.", hint=f"Roles: {', '.join(ROLES)}."
            )
        column = resolve(rows, name, option=f"--column {option}") if name.strip() else None
        if role != "reference":
            mapped[role] = column
            continue
        named = True
        if column is not None:
            references.append((number, column))
    ordered = tuple(name for _, name in sorted(references, key=lambda each: each[0]))
    return mapped, ordered if named else None
