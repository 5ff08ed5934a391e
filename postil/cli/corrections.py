"""Labels that a person gave to answers of a class: read from a file, matched, and shown beside ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer

from postil.cli.grade_table import TEACHER
from postil.cli.table_options import read_source
from postil.data.formats.keys import plain
from postil.data.formats.rows import read_rows
from postil.data.questions import Answer, Question, count_answers, labelled_only
from postil.errors import InputError, number_of


def find_lessons(
    source: Path,
    questions: Sequence[Question],
    remember: Path | None,
    remember_labelled: bool,
    options: Mapping[str, Any],
) -> list[Question]:
    """What a person has labelled already: the questions, each with its labelled answers."""
    lessons = labelled_only(questions) if remember_labelled else []
    if remember_labelled and not lessons:
        raise InputError(source, "has no labels to remember.", hint="Leave --remember-labelled out.")
    if remember is not None:
        told, others = _read_corrections(remember, questions, options)
        lessons += told
        if others:
            left = f"{number_of(others, 'label')} of other questions than those of {source} left aside"
            typer.echo(f"{remember}: {left}.", err=True)
    return lessons


def _read_corrections(
    path: Path, questions: Sequence[Question], options: Mapping[str, Any]
) -> tuple[list[Question], int]:
    """Read what a person labelled, as questions of the class with labelled answers; and how many others.

    The file is a result of `postil grade` whose last column was filled in, or a labelled table that the
    options for reading the class fit, too.
    """
    if _is_result(path, options.get("encoding")):
        options = {"encoding": options.get("encoding"), "column": [f"label={TEACHER}"], "wide": False}
    told = labelled_only(read_source(path, **options))
    if not told:
        raise InputError(
            path,
            "holds no label to remember.",
            hint=f"Write labels into its column 'label', or '{TEACHER}' if Postil wrote the file.",
        )
    found = [(_same(question, questions), question) for question in told]
    matched = [replace(known, answers=question.answers) for known, question in found if known is not None]
    if not matched:
        raise InputError(path, "has no question of this class.", hint="Is it the right file?")
    return matched, count_answers(told) - count_answers(matched)


def _is_result(path: Path, encoding: str | None) -> bool:
    """Whether Postil wrote this table: then its own labels are in 'label', and a person's are not."""
    if path.is_dir() or path.suffix.lower() == ".xml":
        return False
    return {"question_id", "id", "answer", TEACHER} <= set(read_rows(path, encoding=encoding).header)


def _same(told: Question, questions: Sequence[Question]) -> Question | None:
    """The question of the class that is meant: by its text, or by its id where it has no text."""
    if not told.text.strip():
        return next((one for one in questions if one.id == told.id), None)
    alike = [one for one in questions if plain(one.text) == plain(told.text)]
    return next((one for one in alike if one.id == told.id), alike[0] if alike else None)


def with_corrections(
    questions: Sequence[Question], lessons: Sequence[Question]
) -> tuple[list[Question], set[str]]:
    """Put remembered labels into the class, where an answer's id and text are the same; and name them."""
    labels = {
        (lesson.id, answer.id, answer.text): answer.label for lesson in lessons for answer in lesson.answers
    }
    taught: set[str] = set()

    def corrected(question: Question, answer: Answer) -> Answer:
        label = labels.get((question.id, answer.id, answer.text))
        if label is None:
            return answer
        taught.add(answer.id)
        return replace(answer, label=label)

    corrected_class = [
        replace(question, answers=tuple(corrected(question, answer) for answer in question.answers))
        for question in questions
    ]
    return corrected_class, taught
