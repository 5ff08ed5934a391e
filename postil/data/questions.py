"""Questions with their references and answers: what a response corpus and a teacher's table both become."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Facet:
    """One small claim of a reference: two key terms in a relation (which the challenge removed).

    A claim that a person has put into words of their own has them all in `first`. `weight` is its share of
    the credit; one that is not `required` only makes up for others. Claims of one `group` are alternatives:
    `needed` of them are enough (0: all of them).
    """

    id: str
    first: str
    second: str = ""
    relation: str = ""
    weight: float = 1.0
    required: bool = True
    group: str = ""
    needed: int = 0


@dataclass(frozen=True, slots=True)
class Reference:
    """An answer that is known to be right."""

    id: str
    text: str
    category: str = ""
    file_id: str = ""
    facets: tuple[Facet, ...] = ()


@dataclass(frozen=True, slots=True)
class FacetLabel:
    """Whether an answer expresses one facet of the reference."""

    facet_id: str
    label: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What a student wrote, with its label if one is known.

    `match` is Beetle's `answerMatch`: the reference an annotator matched. It gives the label away, so it may
    choose a training reference and must never be read when judging.
    """

    id: str
    text: str
    label: str | None = None
    match: str = ""
    count: int | None = None
    facets: tuple[FacetLabel, ...] = ()
    row: int = field(default=0, compare=False)  # in the table it came from, if any


@dataclass(frozen=True, slots=True)
class Question:
    """A question, its references, and the answers given to it."""

    id: str
    text: str
    references: tuple[Reference, ...] = ()
    answers: tuple[Answer, ...] = ()
    module: str = ""
    corpus: str = ""
    test_set: str = ""
    qtype: str = ""
    stype: str = ""


def count_answers(questions: Iterable[Question]) -> int:
    """How many answers these questions hold."""
    return sum(len(question.answers) for question in questions)


def labelled_only(questions: Iterable[Question]) -> list[Question]:
    """The questions that have labelled answers, with those alone."""
    labelled = (
        replace(question, answers=tuple(answer for answer in question.answers if answer.label))
        for question in questions
    )
    return [question for question in labelled if question.answers]
