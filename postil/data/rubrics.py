"""Which rubrics can be used: the items that a teacher writes, each with what it earns or takes off."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from math import isfinite

from postil.data.questions import Facet
from postil.errors import PostilError

MOST_FACETS = 20
LONGEST_ITEM = 200  # characters, of an item and of a group's name
MOST_WEIGHT = 100


class ItemError(PostilError):
    """Something is wrong with one item of a rubric; `number` says which, counted from 1."""

    def __init__(self, number: int, what: str, hint: str) -> None:
        super().__init__(what, hint=hint)
        self.number = number


def usable(facets: Iterable[Facet]) -> tuple[Facet, ...]:
    """A rubric as it is kept, or an error that says which item cannot be used.

    Wrong statements are never required, and all items of a group say how many of them are needed.
    """
    items = [_tidy(facet) for facet in facets]
    if not any(facet.required for facet in items):
        what = "at least one item must be required." if items else "a rubric needs at least one item."
        raise PostilError(what, hint="The required items together earn full points; optional ones only add.")
    if len(items) > MOST_FACETS:
        what = f"a rubric can have at most {MOST_FACETS} items."
        raise PostilError(what, hint="Combine items that belong together.")
    names: set[str] = set()
    for number, facet in enumerate(items, 1):
        _demand_usable(number, facet, names)
        names.add(facet.first.casefold())
    needed: dict[str, int] = {}
    for number, facet in enumerate(items, 1):
        if facet.group and facet.group not in needed:
            needed[facet.group] = _needed(number, facet.group, items)
    return tuple(replace(facet, needed=needed.get(facet.group, 0)) for facet in items)


def _tidy(facet: Facet) -> Facet:
    words, group = (" ".join(text.split()) for text in (facet.first, facet.group))
    required = facet.required and not facet.wrong
    return replace(facet, first=words, group=group, required=required)


def _demand_usable(number: int, facet: Facet, names: Collection[str]) -> None:
    item = f"item {number}"
    if not facet.first:
        what, hint = f"{item} is empty.", "Write what the answer has to say, or remove it."
    elif max(len(facet.first), len(facet.group)) > LONGEST_ITEM:
        whose = item if len(facet.first) > LONGEST_ITEM else f"the group of {item}"
        what, hint = f"{whose} has more than {LONGEST_ITEM} characters.", "Shorten it, or split it in two."
    elif facet.first.casefold() in names:
        what, hint = f"{item} occurs twice.", "Remove one of them."
    elif not (isfinite(facet.deduction) and 0 <= facet.deduction <= MOST_WEIGHT):
        what = f"the deduction of {item} must be a number from 0 to {MOST_WEIGHT}."
        hint = "Write 1 to take off one point, and 0 to take off nothing."
    elif facet.wrong and facet.group:
        what, hint = f"{item} is a wrong statement, so it cannot be in a group.", "Take it out of the group."
    elif not facet.wrong and not (isfinite(facet.weight) and 0 < facet.weight <= MOST_WEIGHT):
        what = f"the points of {item} must be a number above 0 and at most {MOST_WEIGHT}."
        hint = "If all items count the same, give each 1. Only a wrong statement has 0, and a deduction."
    else:
        return
    raise ItemError(number, what, hint)


def _needed(number: int, group: str, items: Sequence[Facet]) -> int:
    """How many items of a group are needed, as one of them or several alike say."""
    members = [facet for facet in items if facet.group == group]
    told = {facet.needed for facet in members} - {0}
    if len(told) != 1:
        said = "is told in two ways" if told else "is missing"
        what = f"how many items of the group of item {number} are needed {said}."
        raise ItemError(number, what, "Write the same number for all its items, such as 2 for “any two of”.")
    needed = told.pop()
    if not 1 <= needed <= len(members):
        what = f"of the group of item {number}, {needed} items are needed, but it has {len(members)}."
        raise ItemError(number, what, "Write a smaller number, or put more items into the group.")
    if len({facet.required for facet in members}) > 1:
        what = f"in the group of item {number}, some items are required and some optional."
        raise ItemError(number, what, "Make all of them the one or the other.")
    return needed
