"""Quizzes of learning platforms: their questions, whatever the format, and their markup as plain text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from postil.data.formats.tables import make_references
from postil.data.questions import Question
from postil.errors import InputError, number_of

MOST_TEXT = 2_000_000  # characters of a quiz that are read, tags and all
MOST_QUESTIONS = 20_000
SHORT_ANSWER, ESSAY = "shortanswer", "essay"
# What Moodle calls the types of questions that are not read here.
_KINDS_IN_WORDS = {
    "calculated": "calculated calculatedsimple",
    "calculated, with choices": "calculatedmulti",
    "gaps in a text": "cloze gapselect multianswer",
    "program to write": "coderunner",
    "drag and drop": "ddimageortext ddmarker ddwtos",
    "text without a question": "description",
    "matching": "match matching randomsamatch",
    "of a type that the platform did not know itself": "missingtype",
    "multiple choice": "multichoice multichoiceset",
    "numerical": "numerical",
    "ordering": "ordering",
    "drawn at random": "random",
    "formula to write": "stack",
    "true or false": "truefalse",
}
KINDS = {kind: words for words, kinds in _KINDS_IN_WORDS.items() for kind in kinds.split()}


@dataclass(frozen=True, slots=True)
class Example:
    """An answer that a quiz knows: the share of the points it earns, and the feedback to it."""

    text: str
    share: float
    feedback: str = ""


@dataclass(frozen=True, slots=True)
class QuizQuestion:
    """A question of a quiz that is answered in words.

    `references` are the answers that earn all points; `feedback` is shown to pupils who give one of them.
    `notes` say what could not be imported unchanged.
    """

    name: str
    text: str
    kind: str = SHORT_ANSWER
    references: tuple[str, ...] = ()
    examples: tuple[Example, ...] = ()
    points: float = 1.0
    category: str = ""
    feedback: str = ""
    idnumber: str = ""
    tags: tuple[str, ...] = ()
    case_matters: bool = False
    notes: tuple[str, ...] = ()
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Skipped:
    """A question that is not answered in words, and so is not imported."""

    name: str
    kind: str
    line: int | None = None

    @property
    def plain(self) -> str:
        """What people call its kind."""
        return KINDS.get(self.kind, self.kind)


@dataclass(frozen=True, slots=True)
class Quiz:
    """What a file with questions holds."""

    questions: tuple[QuizQuestion, ...]
    skipped: tuple[Skipped, ...] = ()


def refuse_long(path: Path | str, length: int, questions: int = 0) -> None:
    """Refuse a quiz with so much text, or so many questions, that reading it would hold everybody up."""
    hint = "Export one category after the other."
    if length > MOST_TEXT:
        raise InputError(path, f"has more than {MOST_TEXT:,} characters of text.", hint=hint)
    if questions > MOST_QUESTIONS:
        raise InputError(path, f"has more than {MOST_QUESTIONS:,} questions.", hint=hint)


def sort_answers(answers: Iterable[Example]) -> tuple[tuple[str, ...], tuple[Example, ...], tuple[str, ...]]:
    """Split the answers of a short-answer question into references and others, with notes for the teacher."""
    references: dict[str, None] = {}
    examples: list[Example] = []
    notes: list[str] = []
    for answer in answers:
        text, wild = without_wildcards(answer.text)
        if not text:
            continue  # a lone `*` means any other answer
        if answer.share < 1:
            examples.append(Example(text, max(0.0, answer.share), answer.feedback))
            continue
        references[text] = None
        if wild:
            notes.append(
                f"“{_short(answer.text)}” has the wildcard *, which stands for any words. It is taken as "
                f"“{_short(text)}”: write it as a good student would."
            )
    return tuple(references), tuple(examples), tuple(notes)


def without_wildcards(answer: str) -> tuple[str, bool]:
    """A short answer's pattern without its wildcards, and whether it had any; `\\*` is a plain asterisk."""
    parts = re.split(r"(?<!\\)\*", answer)
    words = " ".join(" ".join(part.replace("\\*", "*").split()) for part in parts)
    return " ".join(words.split()), len(parts) > 1


def plain_category(path: str) -> str:
    """A category without Moodle's own prefix: `$course$/top/Physics/Water` is `Physics/Water`."""
    steps = (step.strip() for step in re.split(r"(?<!/)/(?!/)", path))  # a slash in a name is written twice
    own = [step.replace("//", "/") for step in steps if step and not re.fullmatch(r"\$.*\$|top", step)]
    return "/".join(own)


def as_questions(quiz: Quiz) -> list[Question]:
    """The questions of a quiz with their references, as tables hold them.

    They have the platform's own ids if all questions have different ones, or else numbers.
    """
    ids = [question.idnumber for question in quiz.questions]
    if not all(ids) or len(set(ids)) < len(ids):
        ids = [f"q{number}" for number in range(1, len(ids) + 1)]
    return [
        Question(id, question.text, make_references(question.references), module=question.category)
        for id, question in zip(ids, quiz.questions, strict=True)
    ]


def describe_quiz(quiz: Quiz) -> str:
    """Describe in a line what a quiz holds, and what is skipped."""
    references = sum(len(question.references) for question in quiz.questions)
    text = f"{number_of(len(quiz.questions), 'question')}, {number_of(references, 'reference')}"
    without = sum(not question.references for question in quiz.questions)
    if without:
        text += f" ({number_of(without, 'question')} without)"
    if quiz.skipped:
        counts = Counter(question.plain for question in quiz.skipped)
        text += f"; not read: {', '.join(f'{count} {kind}' for kind, count in counts.most_common())}"
    return text


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 60 else f"{text[:59]}…"
