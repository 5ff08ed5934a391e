"""Rubrics as files: a table with a row for each item; and what Moodle's backups hold of them, to be read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from postil.data.formats.moodle_grading import is_grading, read_grading, write_grading
from postil.data.formats.rows import SUFFIXES, Row, Rows, key_of, read_rows, write_rows
from postil.data.questions import Facet
from postil.data.rubrics import ItemError, usable
from postil.errors import InputError, PostilError, some

COLUMNS = ("item", "points", "required", "group", "needed", "deduction")
QUESTION = "question"
_NUMBERS = ("points", "needed", "deduction")
_NAMES = {
    "item": ("item", "claim", "facet", "criterion", "statement"),
    "points": ("points", "weight", "marks"),
    "required": ("required", "must"),
    "group": ("group", "any of"),
    "needed": ("needed", "how many"),
    "deduction": ("deduction", "takes off", "penalty"),
    QUESTION: ("question", "question_id", "question id"),
}
_YES, _NO = ("yes", "y", "true", "1", "x", "required"), ("no", "n", "false", "0", "optional")


@dataclass(frozen=True, slots=True)
class Rubric:
    """The items for one question; `question` is its id or its text, empty where the file does not say.

    `notes` say what of a Moodle form is read differently from what it says there.
    """

    facets: tuple[Facet, ...]
    question: str = ""
    notes: tuple[str, ...] = ()


def read_rubrics(path: Path | str, *, encoding: str | None = None) -> list[Rubric]:
    """Read the rubrics of a file: a table, with a column `question` if it has several, or Moodle's."""
    path = Path(path)
    if is_grading(path):
        facets, notes = read_grading(path)
        return [Rubric(_checked(path, facets, [0] * len(facets)), notes=notes)]
    rows = read_rows(path, encoding=encoding)
    columns = _columns(rows)
    rows.demand_rows()
    items: dict[str, list[tuple[int, Facet]]] = {}
    for row in rows.rows:
        cells = dict(zip(rows.header, row.cells, strict=True))
        texts = {role: cells[name].strip() for role, name in columns.items()}
        facet = _facet(rows.path, row, texts)
        items.setdefault(" ".join(texts.get(QUESTION, "").split()), []).append((row.line, facet))
    if "" in items and len(items) > 1:
        line = items[""][0][0]
        what = "this row does not say which question its item is for."
        raise InputError(path, what, line=line, hint="Repeat the question, or its id, in each row.")
    return [
        Rubric(_checked(path, [facet for _, facet in own], [line for line, _ in own]), question)
        for question, own in items.items()
    ]


def read_rubric(path: Path | str, *, encoding: str | None = None) -> Rubric:
    """Read a file that holds the rubric of one question."""
    rubrics = read_rubrics(path, encoding=encoding)
    if len(rubrics) > 1:
        what = f"holds rubrics for {len(rubrics)} questions, but one is needed here."
        raise InputError(path, what, hint="Keep the rows of one question, without the column 'question'.")
    return rubrics[0]


def write_rubric(path: Path | str, facets: Sequence[Facet], *, name: str = "Rubric") -> tuple[str, ...]:
    """Write a rubric as a table, or for a name that ends in `.xml` as a form in Moodle's `grading.xml`.

    Returns what Moodle's form cannot say; a table says everything.
    """
    path = Path(path)
    if path.suffix.lower() == ".xml":
        return write_grading(path, facets, name)
    if path.suffix.lower() not in SUFFIXES:
        known = ", ".join((*SUFFIXES, ".xml"))
        raise InputError(path, "is not a kind of file that rubrics are written to.", hint=f"Known: {known}.")
    write_rows(path, COLUMNS, rubric_rows(facets), defuse_formulas=True, numbers=_NUMBERS)
    return ()


def rubric_rows(facets: Sequence[Facet]) -> list[list[str]]:
    """A row for every item, under the names of `COLUMNS`."""
    return [
        [
            facet.first,
            f"{facet.weight:g}",
            "yes" if facet.required else "no",
            facet.group,
            f"{facet.needed}" if facet.group else "",
            f"{facet.deduction:g}" if facet.deduction else "",
        ]
        for facet in facets
    ]


def is_rubric(header: Sequence[str]) -> bool:
    """Whether a table is a rubric, by its columns: it has items, what they earn or cost, and no answers."""
    names = {key_of(name) for name in header}
    return "item" in names and bool(names & set(COLUMNS[1:])) and "answer" not in names


def _columns(rows: Rows) -> dict[str, str]:
    """The table's column for each role that it has one for."""
    columns: dict[str, str] = {}
    for name in rows.header:
        for role, names in _NAMES.items():
            if key_of(name) in map(key_of, names):
                if role in columns:
                    what = f"the columns {some([columns[role], name])} mean the same."
                    raise InputError(rows.path, what, line=1, hint="Leave one of them out.")
                columns[role] = name
    if "item" not in columns:
        what = f"no column for the items was found; the columns are {some(rows.header, 20)}."
        hint = f"The first row must hold the names of the columns: {', '.join(COLUMNS)}."
        raise InputError(rows.path, what, line=1, hint=hint)
    return columns


def _facet(path: Path, row: Row, texts: dict[str, str]) -> Facet:
    def number(role: str, usual: str) -> float:
        text = texts.get(role, usual) or ("" if role == "points" else "0")
        try:
            return float(text.replace(",", "."))
        except ValueError:
            what = (
                f"the {role} of this item must be a number."
                if text
                else f"the {role} of this item are missing."
            )
            hint = "Write a number such as 2 or 0.5. Only a wrong statement has 0 points, and a deduction."
            raise InputError(path, what, line=row.line, hint=hint) from None

    needed, required = number("needed", "0"), key_of(texts.get("required", "")) or "yes"
    if not needed.is_integer():
        what = "how many items of the group are needed must be a whole number."
        raise InputError(path, what, line=row.line, hint="Write 2 for “any two of”.")
    if required not in (*_YES, *_NO):
        what = "whether this item is required must be 'yes' or 'no'."
        raise InputError(path, what, line=row.line, hint="Leave the cell empty for 'yes'.")
    return Facet(
        "",
        texts["item"],
        weight=number("points", "1"),
        required=required in _YES,
        group=texts.get("group", ""),
        needed=int(needed),
        deduction=number("deduction", "0"),
    )


def _checked(path: Path, facets: Sequence[Facet], lines: Sequence[int]) -> tuple[Facet, ...]:
    """The items as they can be used, or an error that names the row."""
    try:
        items = usable(facets)
    except ItemError as error:
        raise InputError(path, error.what, line=lines[error.number - 1] or None, hint=error.hint) from None
    except PostilError as error:
        raise InputError(path, error.what, hint=error.hint) from None
    return tuple(replace(facet, id=f"f{number}") for number, facet in enumerate(items, 1))
