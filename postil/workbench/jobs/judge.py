"""What a request can ask for, and who answers it: the library, or something simple in a test."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

Plain = Mapping[str, object]  # what goes into JSON as it is
TextPair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ClassTask:
    """Answers to a question, to be judged; `decided` has answers that a person has labelled already.

    With `explain` each answer is put beside the reference, in words. Facets are told where `with_facets` is
    set: those named in `facets`, or else the points of the reference.
    """

    question: str
    references: tuple[str, ...]
    answers: tuple[str, ...]
    decided: tuple[tuple[str, str], ...] = ()
    scheme: str = "5way"
    explain: bool = False
    with_facets: bool = False
    facets: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class AlignTask:
    """Pairs of sentences whose chunks are to be aligned."""

    pairs: tuple[TextPair, ...]


@dataclass(frozen=True, slots=True)
class EntailTask:
    """Pairs of a text and a hypothesis."""

    pairs: tuple[TextPair, ...]
    scheme: str = "3way"


@dataclass(frozen=True, slots=True)
class FacetsTask:
    """Answers in which to look for the facets of a reference, or for those named."""

    question: str
    reference: str
    answers: tuple[str, ...]
    facets: tuple[str, ...] | None = None


Task = ClassTask | AlignTask | EntailTask | FacetsTask


@dataclass(frozen=True, slots=True)
class Findings:
    """What the response says of each answer or pair of a task, in order.

    `warnings` tell of a class what is wrong with its question or references, so that nobody could judge well.
    """

    items: list[Plain]
    warnings: tuple[str, ...] = ()


class Judge(Protocol):
    """Does what a request asks for."""

    def __call__(self, task: Task) -> Findings:
        """Do a task."""
        ...


LoadJudge = Callable[[], Judge]


def load_judge() -> Judge:
    """The library; only this imports what is slow to import."""
    from postil.workbench.jobs.library import judge

    return judge
