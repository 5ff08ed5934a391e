"""What is sent that has several fields: answers and facets."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NewAnswer:
    """An answer to store; `key` is its id in your own system, `label` what a person decided before."""

    key: str
    text: str
    student: str = ""
    label: str | None = None


@dataclass(frozen=True, slots=True)
class NewFacet:
    """One thing that a full answer says; with an `id`, one that is there already, maybe renamed."""

    name: str
    id: str | None = None
    weight: float = 1.0
    required: bool = True
