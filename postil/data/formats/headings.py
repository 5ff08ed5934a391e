"""Which row of a sheet names its columns: titles may stand above it, and merged cells above that."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from postil.data.formats.rows import candidates, key_of
from postil.data.formats.spreadsheets import Grid

_MOST_TITLES = 10
_LONGEST_NAME = 40  # of a column, where a row has to be told from titles
_MOST_ROLES = 4  # of so many filled cells, one that reads like a column's name is enough
_PERSONAL = (
    "name|first name|last name|surname|forename|given name|family name|class|form|group|section|date"
    "|timestamp|start time|completion time|last modified time"
)
_BESIDE = "points|point|score|mark|marks|max|maximum|grade|out of|feedback|comment|comments"
_PERSONAL_KEYS = frozenset(map(key_of, _PERSONAL.split("|")))
_BESIDE_KEYS = frozenset(map(key_of, _BESIDE.split("|")))
_ROLES = ("answer", "question", "reference", "id", "label", "question_id")
_NUMBERED = re.compile(r"(q|question|answer|response|item|task)[\s._-]*\d+\s*[a-z]?\)?[.:]?", re.IGNORECASE)


def find_heading(grid: Grid) -> tuple[int, list[str], Grid]:
    """The line and names of the heading, and the rows below it; a grid has at least one row."""
    start = _count_titles([cells for _, cells in grid[: _MOST_TITLES + 1]])
    (line, names), body = grid[start], grid[start + 1 :]
    if body and (joined := _join(names, body[0][1])):
        names, body = joined, body[1:]
    return line, names, body


def _count_titles(top: Sequence[Sequence[str]]) -> int:
    """How many rows stand above the heading; none unless a row below looks more like it than the first."""
    filled = [[cell for cell in cells if cell.strip()] for cells in top]
    for place, cells in enumerate(filled):
        if not place:
            if len(cells) > 2 or any(map(is_role, cells)):
                return 0
            continue
        widest, roles = max(map(len, filled[:place])), sum(map(is_role, cells))
        wide = len(cells) >= 2 * widest or len(cells) >= _MOST_ROLES or roles > 1
        if len(cells) > widest and wide and roles:
            return place
        if len(cells) > 2 or any(map(is_role, cells)):
            return 0
    return 0


def is_role(name: str) -> bool:
    """Whether a cell reads like the name of a column."""
    if len(name) > _LONGEST_NAME:
        return False
    if _NUMBERED.fullmatch(name.strip()) or key_of(name) in _PERSONAL_KEYS:
        return True
    return any(candidates([name], role) for role in _ROLES)


def _join(upper: Sequence[str], lower: Sequence[str]) -> list[str]:
    """One name for each column of two rows of headings, or nothing if the second row is no heading.

    A merged cell leaves those to its right blank: below `Question 1` stand `Answer` and `Points`.
    """
    named = [cell.strip() for cell in lower if cell.strip()]
    over = [cell.strip() for cell in upper if cell.strip()]
    merged = [not above.strip() and below.strip() for above, below in zip(upper, lower, strict=True)]
    if len(named) < 2 or not over or not any(merged) or upper[0].strip() == over[-1]:
        return []
    if not all(map(_is_heading, named)):
        return []
    names, group = [], ""
    for above, below in zip(upper, lower, strict=True):
        group = above.strip() or (group if below.strip() else "")
        names.append(_name(group, below.strip()))
    repeated = {name for name, count in Counter(names).items() if name and count > 1}
    return [
        f"{name} (column {place + 1})" if name in repeated and name in names[:place] else name
        for place, name in enumerate(names)
    ]


def _is_heading(name: str) -> bool:
    return is_role(name) or (len(name) <= _LONGEST_NAME and key_of(name) in _BESIDE_KEYS)


def _name(group: str, below: str) -> str:
    if not group or not below:
        return group or below
    if candidates([below], "answer"):
        return group
    if key_of(below) in _BESIDE_KEYS or candidates([below], "reference"):
        return f"{group}: {below}"
    return below
