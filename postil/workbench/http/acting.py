"""What the pages about people share: they are there only with accounts, and name people by number."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, HTTPException, Path, Request

from postil.workbench.people import Person

_LARGEST = 2**31 - 1  # the largest number that any of the databases gives
# The number of an account or of a token in an address.
Number = Annotated[int, Path(gt=0, le=_LARGEST)]


def _demand_accounts(request: Request) -> None:
    if request.app.state.settings.local:
        raise HTTPException(404)


# What a route declares that makes no sense for the one person of `--local`.
with_accounts: Any = Depends(_demand_accounts)


def id_of(person: Person) -> int:
    """The number of a person's account; only the one person of `--local` has none."""
    if person.id is None:
        raise HTTPException(404)
    return person.id


def read_number(text: str) -> int | None:
    """A number by which a form or an address names something; None where it is none."""
    number = int(text) if text.isascii() and text.isdecimal() and len(text) <= len(str(_LARGEST)) else 0
    return number if 0 < number <= _LARGEST else None
