"""Questions of a learning platform's quiz, whichever file they came in, before they become questions here."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from postil.data.formats.gather import make_references
from postil.data.questions import Question
from postil.errors import InputError, number_of

MOST_TEXT = 2_000_000  # characters of a quiz that are read, tags and all
SHORT_ANSWER, ESSAY = "shortanswer", "essay"
# What Moodle calls the types of questions that are not read here.
KINDS = {
    "calculated": "calculated",
    "calculatedmulti": "calculated, with choices",
    "calculatedsimple": "calculated",
    "cloze": "gaps in a text",
    "coderunner": "program to write",
    "ddimageortext": "drag and drop",
    "ddmarker": "drag and drop",
    "ddwtos": "drag and drop",
    "description": "text without a question",
    "gapselect": "gaps in a text",
    "match": "matching",
    "matching": "matching",
    "missingtype": "of a type that the platform did not know itself",
    "multianswer": "gaps in a text",
    "multichoice": "multiple choice",
    "multichoiceset": "multiple choice",
    "numerical": "numerical",
    "ordering": "ordering",
    "random": "drawn at random",
    "randomsamatch": "matching",
    "stack": "formula to write",
    "truefalse": "true or false",
}


@dataclass(frozen=True, slots=True)
class Example:
    """An answer that a quiz knows: the share of the points it earns, and what is said to it."""

    text: str
    share: float
    feedback: str = ""


@dataclass(frozen=True, slots=True)
class QuizQuestion:
    """A question of a quiz that is answered in words.

    `references` are the answers that earn all points; `feedback` is what they are told. `notes` say what
    could not be taken over as it stood.
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
    """A question that is not answered in words, and so is not taken."""

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


def refuse_long(path: Path | str, length: int) -> None:
    """Refuse a quiz with so much text that taking the tags out of it would hold up everybody."""
    if length > MOST_TEXT:
        raise InputError(
            path,
            f"has more than {MOST_TEXT:,} characters of text.",
            hint="Export one category after the other.",
        )


def sort_answers(given: Iterable[Example]) -> tuple[tuple[str, ...], tuple[Example, ...], tuple[str, ...]]:
    """Part a short-answer question's answers into references and others; also what there is to note."""
    references: dict[str, None] = {}
    examples: list[Example] = []
    notes: list[str] = []
    for answer in given:
        text, wild = without_wildcards(answer.text)
        if not text:
            continue  # a lone `*` stands for whatever else somebody writes
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
    """A category without where Moodle keeps it: `$course$/top/Physics/Water` is `Physics/Water`."""
    steps = (step.strip() for step in re.split(r"(?<!/)/(?!/)", path))  # a slash in a name is written twice
    own = [step.replace("//", "/") for step in steps if step and not re.fullmatch(r"\$.*\$|top", step)]
    return "/".join(own)


def as_questions(quiz: Quiz) -> list[Question]:
    """The questions of a quiz with their references, as tables hold them."""
    ids = _ids(quiz.questions)
    return [
        Question(id=id, text=one.text, references=make_references(one.references), module=one.category)
        for id, one in zip(ids, quiz.questions, strict=True)
    ]


def describe_quiz(quiz: Quiz) -> str:
    """Say in a line what a quiz holds, and what of it is not read."""
    references = sum(len(one.references) for one in quiz.questions)
    told = f"{number_of(len(quiz.questions), 'question')}, {number_of(references, 'reference')}"
    without = sum(not one.references for one in quiz.questions)
    if without:
        told += f" ({number_of(without, 'question')} without)"
    if quiz.skipped:
        told += f"; not read: {count_skipped(quiz.skipped)}"
    return told


def count_skipped(skipped: Sequence[Skipped]) -> str:
    """How many questions of which kind are not read."""
    counts = Counter(one.plain for one in skipped)
    return ", ".join(f"{count} {kind}" for kind, count in counts.most_common())


def _ids(questions: Sequence[QuizQuestion]) -> list[str]:
    """The platform's own id of each question where all have different ones, or else their places."""
    own = [one.idnumber for one in questions]
    if all(own) and len(set(own)) == len(own):
        return own
    return [f"q{place}" for place in range(1, len(questions) + 1)]


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 60 else f"{text[:59]}…"
