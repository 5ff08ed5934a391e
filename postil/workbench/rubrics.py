"""A rubric while it is being changed: its form's rows, what a button does to them, whose points change."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from json import JSONDecodeError, dumps, loads
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

from postil.data.formats.rubrics import Rubric, read_rubric, write_rubric
from postil.data.judgements import Facets
from postil.data.questions import Facet
from postil.data.rubrics import MOST_FACETS, usable
from postil.errors import InputError, PostilError
from postil.grading.credit import by_items, worth
from postil.workbench.claims import Outcome, outcomes_told
from postil.workbench.records import Question, View

MOST_UNDONE = 10  # steps in a form
FILES = (".csv", ".tsv", ".xlsx", ".jsonl", ".xml", ".mbz")
_PARTS = re.compile(r"\s*;\s+|,?\s+and\s+|,\s+", re.IGNORECASE)  # where an item is split, the first first
_LONGEST_STATE = 20_000  # characters of an earlier state of a form


@dataclass(frozen=True, slots=True)
class Row:
    """A facet as it stands in the form, whatever was typed; a new one has no id."""

    id: str = ""
    name: str = ""
    weight: str = "1"
    required: bool = True
    group: str = ""
    needed: str = ""
    deduction: str = ""

    @classmethod
    def of(cls, facet: Facet) -> Row:
        """The row of a facet."""
        needed = str(facet.needed) if facet.group else ""
        deduction = f"{facet.deduction:g}" if facet.deduction else ""
        return cls(facet.id, facet.first, f"{facet.weight:g}", facet.required, facet.group, needed, deduction)


Rows = tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """What a button did to the rows of a form: which row has the focus, on which button, and what to say."""

    rows: Rows
    focus: int
    on: str = "name"
    told: str = ""


def facets_of_rows(rows: Sequence[Row]) -> list[Facet]:
    """The rubric that was written, or an error that says which item has no number where it needs one."""
    return [
        Facet(
            row.id,
            row.name,
            weight=_number(row.weight, f"the points of item {number}"),
            required=row.required,
            group=row.group.strip(),
            needed=int(_number(row.needed or "0", f"how many are needed of the group of item {number}", 0)),
            deduction=_number(row.deduction or "0", f"the deduction of item {number}"),
        )
        for number, row in enumerate(rows, 1)
    ]


def _number(text: str, what: str, places: int | None = None) -> float:
    try:
        value = float(text.strip().replace(",", "."))
        if places is None or value.is_integer():
            return value
    except ValueError:
        pass
    kind, example = (
        ("a number", "For example 2 or 1.5.") if places is None else ("a whole number", "For example 2.")
    )
    raise PostilError(f"{what} must be {kind}.", hint=example)


def pressed(rows: Rows, button: str) -> Step | None:
    """What a button of the form does to its rows; None if it is none of those that change rows."""
    if button == "add":
        if len(rows) >= MOST_FACETS:
            raise PostilError(f"a rubric can have at most {MOST_FACETS} items.")
        return Step((*rows, Row()), len(rows))
    verb, _, place = button.partition("-")
    number = int(place) if place.isascii() and place.isdecimal() and len(place) < 3 else len(rows)
    if number >= len(rows) or verb not in _VERBS:
        return None
    return _VERBS[verb](rows, number)


def fitted(rows: Rows, points: float) -> Step:
    """The same rubric with numbers that add up to a question's points; answers earn what they did."""
    facets = usable(facets_of_rows(rows))
    factor = points / worth(facets)
    scaled = (
        replace(facet, id=row.id, weight=facet.weight * factor, deduction=facet.deduction * factor)
        for row, facet in zip(rows, facets, strict=True)
    )
    told = f"The required items now add up to {points:g}. This is not saved yet."
    return Step(tuple(map(Row.of, scaled)), 0, "fit", told)


def _remove(rows: Rows, number: int) -> Step:
    left = (*rows[:number], *rows[number + 1 :]) or (Row(),)
    told = f"Item {number + 1} was removed. This is not saved yet."
    return Step(left, max(min(number, len(left) - 1), 0), told=told)


def _up(rows: Rows, number: int) -> Step:
    return _move(rows, number, max(number - 1, 0), "up")


def _down(rows: Rows, number: int) -> Step:
    return _move(rows, number, min(number + 1, len(rows) - 1), "down")


def _move(rows: Rows, number: int, to: int, on: str) -> Step:
    items = list(rows)
    items.insert(to, items.pop(number))
    # At the end of the list the button is no more, and the other one has the focus.
    on = "down" if to == 0 else "up" if to == len(rows) - 1 else on
    return Step(tuple(items), to, on, f"Item {number + 1} is now item {to + 1}. This is not saved yet.")


def _split(rows: Rows, number: int) -> Step:
    """Two items with half the points each; the words are cut where a list or a clause goes on."""
    if len(rows) >= MOST_FACETS:
        raise PostilError(f"a rubric can have at most {MOST_FACETS} items.")
    row = rows[number]
    first, second = [*_PARTS.split(row.name.strip(), maxsplit=1), ""][:2]
    try:
        half = f"{float(row.weight.replace(',', '.')) / 2:g}"
    except ValueError:
        half = row.weight
    parts = replace(row, name=first, weight=half), replace(row, id="", name=second, weight=half)
    told = f"Item {number + 1} was split in two. Check the words of both; this is not saved yet."
    return Step((*rows[:number], *parts, *rows[number + 1 :]), number + 1, told=told)


def _merge(rows: Rows, number: int) -> Step | None:
    """An item and the next as one, which earns what both did."""
    if number + 1 >= len(rows):
        return None
    first, second = rows[number], rows[number + 1]
    words = " and ".join(filter(None, (first.name.strip().rstrip("."), second.name.strip())))
    merged = replace(first, name=words)
    try:
        numbers = [float(row.weight.replace(",", ".")) for row in (first, second)]
        merged = replace(merged, weight=f"{sum(numbers):g}")
    except ValueError:
        pass  # whatever was typed comes back when it is saved
    told = f"Items {number + 1} and {number + 2} were merged. Check the words; this is not saved yet."
    return Step((*rows[:number], merged, *rows[number + 2 :]), number, told=told)


_VERBS = {"remove": _remove, "up": _up, "down": _down, "split": _split, "merge": _merge}


def written(rows: Rows) -> str:
    """The rows of a form as a hidden field keeps them, so that a step can be undone."""
    return dumps([astuple(row) for row in rows])


def read_rows_again(text: str) -> Rows | None:
    """The rows that a hidden field kept; None if it is not what `written` wrote."""
    try:
        rows = tuple(Row(*value) for value in loads(text if len(text) <= _LONGEST_STATE else "null"))
    except (JSONDecodeError, TypeError, RecursionError):
        return None
    kinds = {(*map(type, astuple(row)),) for row in rows}
    return rows[: MOST_FACETS + 1] if kinds <= {(str, str, str, bool, str, str, str)} else None


def read_file(name: str, data: bytes) -> Rubric:
    """The rubric in an uploaded file, which is on the disk only meanwhile."""
    last = re.split(r"[/\\]", name)[-1].strip()
    ending = Path(last).suffix.lower()
    if ending not in FILES:
        raise PostilError(
            "this is not a file that rubrics are read from.", hint=f"Known: {', '.join(FILES)}."
        )
    with TemporaryDirectory(prefix="postil-") as folder:
        path = Path(folder) / f"upload{ending}"
        path.write_bytes(data)
        try:
            return read_rubric(path)
        except InputError as error:
            raise PostilError(f"in {error.called(last[-80:])}", hint=error.hint) from error


def as_file(facets: Sequence[Facet], ending: str, name: str) -> bytes:
    """A rubric as the bytes of a file, by its ending."""
    with TemporaryDirectory(prefix="postil-") as folder:
        path = Path(folder) / f"rubric{ending}"
        write_rubric(path, facets, name=name)
        return path.read_bytes()


@dataclass(frozen=True, slots=True)
class Moved:
    """An answer whose points another rubric would change."""

    view: View
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class Preview:
    """What another rubric would change: whose points, and the mean of all that are graded.

    `unknown` counts the answers whose items nobody has looked for: the rubric can change their points later.
    """

    changes: tuple[Moved, ...]
    graded: int
    before: float
    after: float
    unknown: int

    @property
    def anything(self) -> bool:
        """Whether anybody's points change, now or later."""
        return bool(self.changes or self.unknown)


def preview(
    question: Question, views: Sequence[View], facets: Facets, found: Mapping[int, Sequence[Outcome]]
) -> Preview:
    """What a rubric would change about the points of answers; `found` has what was looked for beforehand."""
    changes: list[Moved] = []
    scores: list[tuple[float, float]] = []
    unknown = 0
    for view in views:
        judged = view.judged
        if judged is not None and view.answer.id in found:
            judged = replace(judged, facets=tuple(found[view.answer.id]))
        new = replace(view, judged=judged, set_facets=facets)
        if view.score is None or new.score is None:
            continue
        unknown += by_items(view.label, facets) and outcomes_told(new.facets) is None
        before, after = (round(score * question.points, 2) for score in (view.score, new.score))
        scores.append((before, after))
        if before != after:
            changes.append(Moved(view, before, after))
    means = [fmean(points) for points in zip(*scores, strict=True)] or [0.0, 0.0]
    return Preview(tuple(changes), len(scores), means[0], means[1], unknown)
