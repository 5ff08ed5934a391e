"""A whole course's grades for Moodle's grade import: a row for each student, two columns for each question.

What the importer does with a file decides its form. A blank grade in a column that becomes a new grade item
counts as 0, a hyphen as no grade; so a hyphen stands where a student has none. Numbers have a dot: with it
they are read in every language. A student whom Moodle does not know makes it refuse the whole file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from postil.errors import PostilError, number_of
from postil.workbench.exports import MOODLE_NAMES, Identity, clean, delimited, feedback, is_made, points_of
from postil.workbench.records import Question, View

NO_GRADE = "-"
_LONGEST_NAME = 60

Graded = Sequence[tuple[Question, Sequence[View]]]


def course_moodle(graded: Graded, identity: Identity) -> bytes:
    """Grades and feedback of all questions, and their sum; only of those whom the identity tells apart."""
    header = [MOODLE_NAMES[identity.name]]
    for number, (question, _) in enumerate(graded, 1):
        header += [_heading(number, question), f"Q{number} feedback"]
    header.append(f"Sum (out of {_number(sum(question.points for question, _ in graded))})")
    found = [_of_students(views, identity) for _, views in graded]
    students = dict.fromkeys(who for own in found for who in own)
    rows = []
    for who in students:
        cells, points = [who], []
        for (question, _), own in zip(graded, found, strict=True):
            view = own.get(who)
            earned = points_of(question, view) if view else None
            cells += [NO_GRADE if earned is None else _number(earned), clean(feedback(view)) if view else ""]
            points += [] if earned is None else [earned]
        rows.append([*cells, _number(sum(points)) if points else NO_GRADE])
    rows = [row for row in rows if row[-1] != NO_GRADE]
    if not rows:
        _refuse(graded)
    return delimited(header, rows)


def _refuse(graded: Graded) -> None:
    """Say why nobody is in the file: Moodle takes a file without rows, and nothing happens."""
    answers = sum(view.label is not None for _, views in graded for view in views)
    if not answers:
        raise PostilError("nothing is graded yet.", hint="Grade the class first.")
    raise PostilError(
        f"{number_of(answers, 'graded answer')} would be left out, and nobody would be in the file.",
        hint="Moodle finds students by an id or a name of theirs. Ids such as a1 were made up by Postil, and "
        "one that stands twice in a question tells nobody whose it is. Choose the other column, or bring "
        "the answers with the students’ ids.",
    )


def _of_students(views: Iterable[View], identity: Identity) -> dict[str, View]:
    """The views of one question by student; two answers under one name tell nobody whose they are."""
    named = [(clean(identity.of(view.answer)), view) for view in views]
    count = Counter(who for who, _ in named)
    made = is_made if identity.column == "key" else (lambda who: False)
    return {who: view for who, view in named if count[who] == 1 and who and not made(who)}


def _heading(number: int, question: Question) -> str:
    """What a question is called, also as a new grade item: number, the beginning of its text, its points."""
    text = " ".join(clean(question.text).split())
    short = text if len(text) <= _LONGEST_NAME else f"{text[: _LONGEST_NAME - 1]}…"
    return f"Q{number} {short} (out of {_number(question.points)})"


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
