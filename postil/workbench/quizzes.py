"""A learning platform's quiz on its way to becoming questions: which are imported, and what is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from postil.data.formats.columns import key_of
from postil.data.formats.quizzes import Quiz, QuizQuestion
from postil.workbench.records import Question

MOST_QUESTIONS = 200
_LONGEST_TEXT = 5_000


@dataclass(frozen=True, slots=True)
class Choice:
    """A question of a quiz as a person sees it: whether it is taken, and how.

    `references` and `points` are as written in the form. `there` says that the course has this question.
    `problem` says why it cannot be made so; empty where it can, or is not wanted.
    """

    number: int
    question: QuizQuestion
    taken: bool
    references: str
    points: str
    there: bool
    problem: str

    @property
    def wanted(self) -> tuple[str, list[str], float]:
        """Text, references and points, as they are stored."""
        return self.question.text, _lines(self.references), _points(self.points) or 0.0

    @property
    def partly(self) -> int:
        """How many answers of the quiz earn a part of the points."""
        return sum(example.share > 0 for example in self.question.examples)

    @property
    def wrong(self) -> int:
        """How many answers of the quiz earn nothing."""
        return len(self.question.examples) - self.partly


def make_choices(quiz: Quiz, known: Iterable[Question], fields: Mapping[str, Any] | None) -> list[Choice]:
    """All questions of a quiz as a form has them; with no form yet, as the quiz has them.

    A question that the course has already is not taken, unless somebody wants it twice.
    """
    there = match_questions([question.text for question in quiz.questions], list(known))
    return [
        _choice(number, question, number in there, fields) for number, question in enumerate(quiz.questions)
    ]


def _choice(number: int, question: QuizQuestion, there: bool, fields: Mapping[str, Any] | None) -> Choice:
    if fields is None:
        taken = not there
        points = f"{question.points:g}" if question.points > 0 else "1"
        references = "\n".join(" ".join(reference.split()) for reference in question.references)
    else:
        taken = f"take-{number}" in fields
        points = str(fields.get(f"points-{number}", "1"))
        references = "\n".join(_lines(str(fields.get(f"right-{number}", ""))))
    problem = _problem(question, references, points) if taken else ""
    return Choice(number, question, taken, references, points, there, problem)


def _problem(question: QuizQuestion, references: str, points: str) -> str:
    lines = _lines(references)
    if not lines:
        return "There is no right answer to compare with yet. Write one, or leave the question out."
    if max(map(len, (question.text, *lines))) > _LONGEST_TEXT:
        return f"This is longer than {_LONGEST_TEXT:,} characters. Leave it out, or shorten it in the quiz."
    if _points(points) is None:
        return "The points must be a number above 0."
    return ""


def _points(text: str) -> float | None:
    try:
        value = float(text.strip().replace(",", "."))
    except ValueError:
        return None
    return value if isfinite(value) and 0 < value <= 1_000_000 else None


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def match_questions(texts: Sequence[str], known: Sequence[Question]) -> dict[int, int]:
    """Which text is which question of a course: by places in `texts`, the question's number.

    Platforms write one text in several ways: bold words in capitals, lists with other signs, no pictures. So
    letters and digits decide, and where several questions have the same, the whole text. No question is
    found twice.
    """
    folded: dict[str, list[Question]] = {}
    for question in known:
        folded.setdefault(_folded(question.text), []).append(question)
    matches: dict[int, int] = {}
    for place, text in enumerate(texts):
        alike = folded.get(_folded(text), [])
        if len(alike) > 1:
            alike = [question for question in alike if question.text.split() == text.split()]
        if len(alike) == 1 and alike[0].id not in matches.values():
            matches[place] = alike[0].id
    return matches


def _folded(text: str) -> str:
    bare = key_of(re.sub(r"\[[^\[\]]*\]", " ", text))
    return bare if any(map(str.isalnum, bare)) else text
