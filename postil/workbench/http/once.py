"""Something secret that is shown one time: a link to pass on, a program's token."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Once:
    """A secret, what it is, and what a person has to know about it."""

    title: str
    text: str
    hint: str
