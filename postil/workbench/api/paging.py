"""Long lists a page at a time: each page says where the next begins, whatever is added in between."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, TypeVar

from fastapi import Depends, Query

USUAL, MOST = 50, 200
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Place:
    """How many things are wanted, and behind which one."""

    limit: int
    after: int | None

    @property
    def one_more(self) -> int:
        """How many to look for: the one too many tells that there is a next page."""
        return self.limit + 1


def read_place(
    limit: Annotated[int, Query(ge=1, le=MOST, description="How many at most.")] = USUAL,
    after: Annotated[
        str | None,
        Query(pattern="^[0-9]{1,10}$", description="Where to go on: `next` of the page before."),
    ] = None,
) -> Place:
    """What an address asks for."""
    return Place(limit, None if after is None else int(after))


OfPlace = Annotated[Place, Depends(read_place)]


def cut(found: Sequence[T], place: Place, number: Callable[[T], int]) -> tuple[Sequence[T], str | None]:
    """The things that a page shows, and where the next one begins; `number` is what they are ordered by."""
    shown = found[: place.limit]
    return shown, str(number(shown[-1])) if len(found) > place.limit else None
