"""What would be stored of an upload: questions and answers of a table, or the questions of a quiz."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from pathlib import Path
from typing import Any

from postil.data.formats.markup import plain_cell
from postil.data.formats.moodle import slot_of
from postil.data.formats.quizzes import Quiz, QuizQuestion
from postil.data.formats.rows import Rows, key_of
from postil.data.formats.tables import parse_label
from postil.data.formats.wide import is_numbered, split_heading
from postil.data.labels import PLAIN_NAMES
from postil.errors import InputError, number_of, some
from postil.workbench.drafts import ANSWERS, Columns, Draft, Shape, guess_shape
from postil.workbench.records import LABELS, NewAnswer, Question

MOST_QUESTIONS = 200
_LONGEST_TEXT = 5_000
_UNSAID = (
    "The file does not include the text of question “{}”. Choose the question it belongs to, or download the "
    "report again with “question text” ticked."
)
_ONLY_NUMBERED = (
    "The file calls a question only “{}”. Write below what was asked: Postil reads it beside the answers."
)


@dataclass(frozen=True, slots=True)
class Planned:
    """A question as a draft would store it; if the course has it already, only its answers count.

    `labels` are by the answer's key. `question_id` is the question that the course has. `number` tells it
    from the others of its draft.
    """

    text: str
    references: tuple[str, ...]
    answers: tuple[NewAnswer, ...]
    labels: Mapping[str, str] = field(default_factory=dict)
    question_id: int | None = None
    number: int = 0
    points: float = 1.0


@dataclass(frozen=True, slots=True)
class Target:
    """A question of the course to which answers of a draft belong, with the ids of those it has."""

    question_id: int
    references: tuple[str, ...]
    keys: frozenset[str]


@dataclass(frozen=True, slots=True)
class Plan:
    """What a draft would store; with `problems` it cannot be, `warnings` are worth a look."""

    questions: tuple[Planned, ...]
    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def answers(self) -> int:
        """How many answers would be stored."""
        return sum(len(question.answers) for question in self.questions)

    @property
    def unanswered(self) -> int:
        """How many questions have no reference yet."""
        return sum(not question.references for question in self.questions)

    @property
    def untold(self) -> int:
        """How many questions have no text yet."""
        return sum(not question.text and question.question_id is None for question in self.questions)


@dataclass(frozen=True, slots=True)
class _Line:
    """One answer of a draft with what its row says of it."""

    line: int
    number: int | None  # what to call it by without an id, where its row has answers to other questions too
    key: str
    student: str
    text: str
    label: str


@dataclass(frozen=True, slots=True)
class _Part:
    """A question of a draft as its table has it."""

    number: int
    text: str
    references: tuple[str, ...]
    lines: list[_Line]
    points: float = 0.0  # 0: the table does not say


@dataclass(frozen=True, slots=True)
class Wording:
    """What a person wrote about a question of a draft; what is blank or 0 stays as in the table."""

    text: str = ""
    references: tuple[str, ...] = ()
    points: str = ""


def make_plan(
    draft: Draft,
    columns: Columns,
    *,
    shape: Shape | None = None,
    taken: Collection[str] = (),
    left_out: Collection[int] = (),
    wordings: Mapping[int, Wording] | None = None,
    targets: Mapping[int, Target] | None = None,
    most: int = 20_000,
) -> Plan:
    """What a draft would store with these roles of its columns.

    `taken` are the ids that the question's answers have already. Of a draft that brings its questions,
    by their numbers, `left_out` says which not to store, `wordings` what a person wrote of them, and
    `targets` which are questions that the course has.
    """
    problems: list[str] = []
    warnings = list(draft.notes)
    shape = shape or guess_shape(draft)
    parts = _parts(draft, columns, shape, problems)
    if len(parts) > MOST_QUESTIONS:
        problems.append(
            f"There are {len(parts):,} questions; at most {MOST_QUESTIONS} can be imported at once. Have you "
            "chosen the right column for the questions? If so, split the file."
        )
        parts = []
    questions = []
    there = 0  # answers that questions of the course have: they stay as they are
    for part in parts:
        if part.number in left_out:
            continue
        target = (targets or {}).get(part.number)
        if target is not None:
            new = [line for line in part.lines if line.key not in target.keys]
            there += len(part.lines) - len(new)
            planned = _planned(part.text, target.references, new, target.keys, problems, warnings)
            questions.append(replace(planned, question_id=target.question_id, number=part.number))
            continue
        wording = (wordings or {}).get(part.number, Wording())
        text = wording.text or part.text
        if slot_of(text):
            warnings.append(_UNSAID.format(text))
        elif is_numbered(text):
            warnings.append(_ONLY_NUMBERED.format(text))
        points = _points(wording.points) if wording.points.strip() else part.points or 1.0
        if points is None:
            problems.append("The points of a question must be a number above 0.")
        planned = _planned(text, wording.references or part.references, part.lines, taken, problems, warnings)
        questions.append(replace(planned, number=part.number, points=points or 1.0))
    if there:
        are = "is" if there == 1 else "are"
        warnings.append(f"{number_of(there, 'answer')} {are} already in the course and will stay as before.")
    plan = Plan(tuple(questions))
    _look_over(draft, plan, most, problems, warnings)
    if plan.untold and shape is Shape.ROWS:
        problems.append("Some rows do not say which question they answer.")
    elif plan.untold and draft.question_id is None:
        warnings.append("The file does not say what was asked. Write the question below.")
    return Plan(plan.questions, tuple(dict.fromkeys(problems)), tuple(dict.fromkeys(warnings)))


def _parts(draft: Draft, columns: Columns, shape: Shape, problems: list[str]) -> list[_Part]:
    """The questions of a draft with their lines, before anything is checked."""
    rows = draft.rows
    if draft.wide:
        parts = []
        for number, question in enumerate(draft.wide):
            answers = [(answer.row, answer.text) for answer in question.answers]
            lines = [_line(rows, row - 1, text, columns, row) for row, text in answers]
            references = tuple(reference.text for reference in question.references)
            parts.append(_Part(number, question.text, references, lines))
        return parts
    if columns.get(ANSWERS):
        # Numbered by its column, a question stays the same when another column is ticked.
        return [_column(rows, place, columns) for place in columns[ANSWERS]]
    if shape is Shape.COLUMNS:
        problems.append("Tick the columns with the answers to each question.")
        return []
    if not columns["answer"]:
        problems.append("Choose the column with the answers.")
        return []
    indices = range(len(rows.rows))
    lines = [_line(rows, index, _cell(rows, index, columns["answer"]), columns) for index in indices]
    if shape is Shape.ONE:
        return [_Part(0, "", (), lines)]
    if not columns["question"]:
        problems.append("Choose the column with the questions, or say that all answers are to one question.")
        return []
    groups: dict[Hashable, _Part] = {}
    for index, line in enumerate(lines):
        text = plain_cell(_cell(rows, index, columns["question"])).strip()
        key = " ".join(text.split()).casefold()
        part = groups.setdefault(key, _Part(len(groups), text, (), []))
        part.lines.append(line)
        if not part.references:
            cells = (plain_cell(rows.rows[index].cells[column]).strip() for column in columns["reference"])
            groups[key] = replace(part, references=tuple(dict.fromkeys(cell for cell in cells if cell)))
    return list(groups.values())


def _column(rows: Rows, place: int, columns: Columns) -> _Part:
    """The question of a column of answers."""
    text, points = split_heading(rows.header[place])
    lines = [_line(rows, index, row.cells[place], columns, index + 1) for index, row in enumerate(rows.rows)]
    return _Part(place, text, (), lines, points)


def _line(rows: Rows, index: int, text: str, columns: Columns, number: int | None = None) -> _Line:
    return _Line(
        rows.rows[index].line,
        number,
        _cell(rows, index, columns["id"]),
        _cell(rows, index, columns["student"]),
        plain_cell(text).strip(),
        _cell(rows, index, columns["label"]),
    )


def _cell(rows: Rows, index: int, columns: Iterable[int]) -> str:
    cells = rows.rows[index].cells
    return " ".join(cells[column].strip() for column in columns if cells[column].strip())


def _planned(
    text: str,
    references: tuple[str, ...],
    lines: Sequence[_Line],
    taken: Collection[str],
    problems: list[str],
    warnings: list[str],
) -> Planned:
    filled = [line for line in lines if line.text or line.key or line.student]
    keys = _keys(filled, taken)
    _refuse_repeated(filled, keys, taken, problems)
    labels = _labels(filled, keys, problems, warnings)
    answers = tuple(NewAnswer(key, line.student, line.text) for key, line in zip(keys, filled, strict=True))
    return Planned(text, references, answers, labels)


def _keys(lines: Sequence[_Line], taken: Collection[str]) -> list[str]:
    """Each line's own id; those without one are numbered like their rows, or after the existing ones."""
    used = {*taken, *(line.key for line in lines)}
    number = len(taken)
    keys = []
    for line in lines:
        key = line.key
        if not key and line.number and f"a{line.number}" not in used:
            key = f"a{line.number}"
        while not key:
            number += 1
            key = f"a{number}" if f"a{number}" not in used else ""
        keys.append(key)
        used.add(key)
    return keys


def _refuse_repeated(
    lines: Sequence[_Line], keys: Sequence[str], taken: Collection[str], problems: list[str]
) -> None:
    twice = [key for key, count in Counter(keys).items() if count > 1]
    if twice:
        where = [str(line.line) for line, key in zip(lines, keys, strict=True) if key == twice[0]]
        rows = " and ".join(where[:2]) + (" and others" if len(where) > 2 else "")
        more = f" So do {number_of(len(twice) - 1, 'other id')}." if len(twice) > 1 else ""
        problems.append(
            f"The id {some(twice[:1])} occurs more than once (rows {rows}).{more} "
            "Choose another column for the id, or none to have the answers numbered."
        )
    known = [key for key in keys if key in taken]
    if known:
        which = f"The id {some(known)} is" if len(known) == 1 else f"{len(known):,} ids ({some(known)}) are"
        problems.append(
            f"{which} already used for this question. Leave these rows out, or choose no id column if these "
            "are new answers."
        )


def _labels(
    lines: Sequence[_Line], keys: Sequence[str], problems: list[str], warnings: list[str]
) -> dict[str, str]:
    """The labels that a person gave; one that does not tell why an answer is wrong is no decision."""
    labels: dict[str, str] = {}
    coarse = 0
    for line, key in zip(lines, keys, strict=True):
        try:
            label = parse_label(Path(), line.line, line.label)
        except InputError:
            known = ", ".join(f"“{PLAIN_NAMES[name]}”" for name in LABELS)
            problems.append(
                f"Row {line.line} has no valid label in the label column. The labels are {known}. "
                "Choose another column for the labels, or none."
            )
            return {}
        if label in LABELS:
            labels[key] = label
        elif label:
            coarse += 1
    if coarse:
        warnings.append(
            f"{number_of(coarse, 'label')} “not correct” will be ignored: a decision also says why."
        )
    return labels


def _look_over(draft: Draft, plan: Plan, most: int, problems: list[str], warnings: list[str]) -> None:
    """Problems and warnings about the draft as a whole."""
    texts = [answer.text for question in plan.questions for answer in question.answers]
    empty = sum(not text for text in texts)
    decided = sum(len(question.labels) for question in plan.questions)
    if not texts and not problems:
        problems.append("There are no answers to add.")
    elif texts and empty == len(texts):
        problems.append("The column chosen for the answers is empty.")
    elif empty:
        are = "is" if empty == 1 else "are"
        warnings.append(f"{number_of(empty, 'answer')} {are} empty and will be graded as “not an answer”.")
    if len(texts) > most:
        problems.append(
            f"There are {len(texts):,} answers; at most {most:,} can be imported at once. Split the file."
        )
    if decided:
        warnings.append(f"{_have(decided)} a label already, which will count as your decision.")
    if draft.question_id is None and plan.unanswered:
        warnings.append(
            f"{_have(plan.unanswered, 'question')} no right answer to compare with. "
            "Write one below, or leave the question out."
        )


def _have(count: int, noun: str = "answer") -> str:
    return f"{number_of(count, noun)} {'has' if count == 1 else 'have'}"


@dataclass(frozen=True, slots=True)
class Choice:
    """A question of a quiz as a person sees it: whether it is taken, and how.

    `references` and `points` are as written in the form. `there` says that the course has this question.
    `problem` says why it cannot be created like this; empty if it can, or is not taken.
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
    numbered = enumerate(quiz.questions)
    return [_choice(number, question, number in there, fields) for number, question in numbered]


def _choice(number: int, question: QuizQuestion, there: bool, fields: Mapping[str, Any] | None) -> Choice:
    if fields is None:
        taken = not there
        points = f"{question.points:g}" if question.points > 0 else "1"
        references = "\n".join(" ".join(reference.split()) for reference in question.references)
    else:
        taken = f"take-{number}" in fields
        points = str(fields.get(f"points-{number}", "1"))
        references = "\n".join(_lines(str(fields.get(f"right-{number}", ""))))
    lines, problem = _lines(references), ""
    if taken and not lines:
        problem = "There is no right answer to compare with yet. Write one, or leave the question out."
    elif taken and max(map(len, (question.text, *lines))) > _LONGEST_TEXT:
        problem = f"This is longer than {_LONGEST_TEXT:,} characters. Leave it out or shorten it."
    elif taken and _points(points) is None:
        problem = "The points must be a number above 0."
    return Choice(number, question, taken, references, points, there, problem)


def _points(text: str) -> float | None:
    try:
        value = float(text.strip().replace(",", "."))
    except ValueError:
        return None
    return value if isfinite(value) and 0 < value <= 1_000_000 else None


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def match_questions(texts: Sequence[str], known: Sequence[Question]) -> dict[int, int]:
    """Match texts to the questions of a course: for each index in `texts`, the question's number.

    Platforms write one text in several ways: bold words in capitals, lists with other signs, no pictures. So
    letters and digits decide, and where several questions have the same, the whole text. No question is
    found twice.
    """
    folded: dict[str, list[Question]] = {}
    for question in known:
        folded.setdefault(_folded(question.text), []).append(question)
    matches: dict[int, int] = {}
    for index, text in enumerate(texts):
        alike = folded.get(_folded(text), [])
        if len(alike) > 1:
            alike = [question for question in alike if question.text.split() == text.split()]
        if len(alike) == 1 and alike[0].id not in matches.values():
            matches[index] = alike[0].id
    return matches


def _folded(text: str) -> str:
    bare = key_of(re.sub(r"\[[^\[\]]*\]", " ", text))
    return bare if any(map(str.isalnum, bare)) else text
