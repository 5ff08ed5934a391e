"""Judged answers as a table: in a file for spreadsheets, and on the terminal with the doubtful ones first."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from postil.cli.options import TableOptions, read_source
from postil.cli.rubric import Marks, cells
from postil.cli.show import console, table
from postil.data.formats.rows import read_rows, write_rows
from postil.data.formats.tables import plain
from postil.data.judgements import Judgement
from postil.data.labels import PLAIN_NAMES, RESPONSE_SCHEMES
from postil.data.questions import Answer, Question, count_answers, labelled_only
from postil.errors import InputError, number_of
from postil.explain.class_report import GradedQuestion, shortened, teachers_scheme
from postil.explain.notes import short_list
from postil.explain.page import printable

TEACHER = "teacher"
COLUMNS = (
    "question_id",
    "question",
    "id",
    "answer",
    "label",
    "says",
    "score",
    "confidence",
    "deferred",
    "because",
    "reader",
    "read_by",
    TEACHER,
)
# With --explain, after those: for the teacher, point by point, and for the pupil.
EXPLAINED = ("explanation", "facets", "feedback")
PROPOSED = ("question_id", "question", "id", "answer", TEACHER)
_NUMBERS = ("score", "confidence")
_SHORT_ANSWER = 100


def write_private(
    path: Path,
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    raw: bool,
    numbers: Collection[str] = (),
) -> None:
    """Write a class's results so that only their owner can read them, and no answer in them is a formula."""
    own = {*_NUMBERS, *numbers}
    write_rows(path, header, rows, defuse_formulas=not raw, numbers=own, private=True)


def pairs(graded: Sequence[GradedQuestion]) -> Iterator[tuple[Question, Answer, Judgement]]:
    """Every answer with its question and its judgement, in their order."""
    for result in graded:
        for answer, judgement in zip(result.question.answers, result.judgements, strict=True):
            yield result.question, answer, judgement


def columns(added: Sequence[str] = (), *, explained: bool) -> tuple[str, ...]:
    """The names of a result's columns; the teacher's own stays the last, where corrections are written."""
    return (*COLUMNS[:-1], *added, *(EXPLAINED if explained else ()), TEACHER)


def result_rows(
    graded: Sequence[GradedQuestion],
    scheme: str,
    marks: Sequence[Sequence[Marks | None]] = (),
    width: int = 0,
    *,
    explained: bool = False,
) -> list[list[str]]:
    """A row for every answer in the table's order, under the names of `columns`, labels in the scheme.

    `marks` are what the answers earn by rubrics, which have so many columns.
    """
    own = list(chain.from_iterable(marks)) or [None] * len(list(pairs(graded)))
    listed = zip(pairs(graded), own, strict=True)
    return [
        [
            question.id,
            question.text,
            answer.id,
            answer.text,
            judgement.labels[scheme],
            PLAIN_NAMES[judgement.labels[scheme]],
            f"{judgement.score:.3f}",
            f"{judgement.confidence:.3f}",
            "yes" if judgement.deferred else "",
            judgement.because,
            judgement.reader,
            judgement.read_by,
            *(cells(mark, width) if width else ()),
            *(_explanation(judgement) if explained else ()),
            answer.label or "",
        ]
        for (question, answer, judgement), mark in sorted(listed, key=lambda pair: pair[0][1].row)
    ]


def _explanation(judgement: Judgement) -> tuple[str, str, str]:
    words = judgement.explanation
    return (words.teacher, short_list(words.facets), words.student) if words else ("", "", "")


def show_graded(
    graded: Sequence[GradedQuestion], scheme: str, marks: Sequence[Sequence[Marks | None]] = ()
) -> None:
    """Print each question with its answers, those that a person should look at first."""
    out = console()
    own = marks or [[None] * len(result.judgements) for result in graded]
    for result, earned in zip(graded, own, strict=True):
        _show_question(out, result.question)
        out.print(_answers(result, scheme, earned))
        out.print()


def _show_question(out: Console, question: Question) -> None:
    out.print(Text(" ".join(question.text.split()) or question.id, style="bold"))
    for reference in question.references:
        out.print(Text(f"  reference: {' '.join(reference.text.split())}", style="dim"))
    out.print()


def _answers(result: GradedQuestion, scheme: str, marks: Sequence[Marks | None]) -> Table:
    labelled = any(answer.label for answer in result.question.answers)
    names = ("id", "answer", "says", *[TEACHER] * labelled, "score", "sure", "")
    answers = table(*names, right=("score", "sure"), whole={*names} - {"answer"})
    listed = zip(pairs([result]), marks, strict=True)
    doubtful_first = sorted(listed, key=lambda pair: (not pair[0][2].deferred, pair[0][2].confidence))
    for (_, answer, judgement), mark in doubtful_first:
        text = Text(shortened(answer.text, _SHORT_ANSWER) or "(empty)")
        if judgement.because:
            text.append(f"\nbecause {judgement.because}", style="dim")
        if mark is not None:
            text.append(f"\n{printable(mark.words)}", style="dim")
        if judgement.explanation:
            if judgement.explanation.teacher:
                text.append(f"\n{printable(judgement.explanation.teacher)}", style="dim")
            if len(judgement.explanation.facets) > 1:
                text.append(f"\n{printable(short_list(judgement.explanation.facets))}", style="dim")
        answers.add_row(
            Text(answer.id),
            text,
            PLAIN_NAMES[judgement.labels[scheme]],
            *[PLAIN_NAMES.get(answer.label or "", "")] * labelled,
            f"{judgement.score:.2f}",
            f"{judgement.confidence:.0%}",
            Text("look" if judgement.deferred else "", "bold"),
        )
    return answers


def summary(graded: Sequence[GradedQuestion]) -> str:
    """Say in a line how many answers there are, what they score, and how many a person should look at."""
    judgements = [judgement for _, _, judgement in pairs(graded)]
    answers = number_of(count_answers(result.question for result in graded), "answer")
    mean = sum(judgement.score for judgement in judgements) / len(judgements)
    deferred = sum(judgement.deferred for judgement in judgements)
    look = f"a person should look at {deferred:,}" if deferred else "none needs a person"
    return f"{answers} to {number_of(len(graded), 'question')}, mean score {mean:.2f} out of 1; {look}."


def agreement(graded: Sequence[GradedQuestion], taught: Collection[str] = ()) -> str:
    """Say how many labels agree with the teacher's; an empty text if there are none to compare with.

    Answers whose ids are `taught` were remembered, so agreeing on them proves nothing.
    """
    compared = [
        (answer.label, judgement)
        for _, answer, judgement in pairs(graded)
        if answer.label is not None and answer.id not in taught
    ]
    finest = teachers_scheme(label for label, _ in compared)
    if finest is None:
        return ""
    shares = []
    for scheme in dict.fromkeys((RESPONSE_SCHEMES["2way"].name, finest.name)):
        collapse = RESPONSE_SCHEMES[scheme].collapse
        agreed = sum(collapse(label) == judgement.labels[scheme] for label, judgement in compared)
        names = "correct or not" if scheme == "2way" else f"{len(RESPONSE_SCHEMES[scheme].labels)} labels"
        shares.append(f"{agreed / len(compared):.1%} ({names}: {agreed:,} of {len(compared):,})")
    return f"Agreement with the labels in the table, which were not used: {', '.join(shares)}."


def show_proposed(questions: Sequence[Question]) -> None:
    """Print the answers that a person should label, the most telling first."""
    out = console()
    for question in questions:
        _show_question(out, question)
        answers = table("id", "answer", whole=("id",))
        for answer in question.answers:
            answers.add_row(Text(answer.id), Text(shortened(answer.text, _SHORT_ANSWER) or "(empty)"))
        out.print(answers if question.answers else Text("No answer needs a label."))
        out.print()


def find_lessons(
    source: Path,
    questions: Sequence[Question],
    remember: Path | None,
    remember_labelled: bool,
    options: TableOptions,
) -> list[Question]:
    """What a person has labelled already: the questions, each with its labelled answers."""
    lessons = labelled_only(questions) if remember_labelled else []
    if remember_labelled and not lessons:
        raise InputError(source, "has no labels to remember.", hint="Leave out --remember-labelled.")
    if remember is not None:
        corrections, others = _read_corrections(remember, questions, options)
        lessons += corrections
        if others:
            ignored = f"ignored {number_of(others, 'label')} for questions that are not in {source}"
            typer.echo(f"{remember}: {ignored}.", err=True)
    return lessons


def _read_corrections(
    path: Path, questions: Sequence[Question], options: TableOptions
) -> tuple[list[Question], int]:
    """The questions of the class with the answers that a person labelled, and how many labels are for others.

    The file is a result of `postil grade` whose last column was filled in, or a labelled table that can be
    read with the same options as the class.
    """
    if _is_result(path, options.encoding):
        options = TableOptions(encoding=options.encoding, column=[f"label={TEACHER}"], wide=False)
    labelled = labelled_only(read_source(path, options))
    if not labelled:
        what = "contains no labels to remember."
        hint = f"Write labels into its column 'label', or into '{TEACHER}' if Postil wrote the file."
        raise InputError(path, what, hint=hint)
    pairs = [(_same(question, questions), question) for question in labelled]
    matched = [replace(known, answers=question.answers) for known, question in pairs if known is not None]
    if not matched:
        raise InputError(path, "contains none of the questions of this class.", hint="Is it the right file?")
    return matched, count_answers(labelled) - count_answers(matched)


def _is_result(path: Path, encoding: str | None) -> bool:
    """Whether Postil wrote this table: then its own labels are in 'label', and a person's are not."""
    if path.is_dir() or path.suffix.lower() == ".xml":
        return False
    return {"question_id", "id", "answer", TEACHER} <= set(read_rows(path, encoding=encoding).header)


def _same(corrected: Question, questions: Sequence[Question]) -> Question | None:
    """The question of the class with the same text, or if it has no text, with the same id."""
    text = plain(corrected.text)
    alike = [question for question in questions if not text or plain(question.text) == text]
    same = next((question for question in alike if question.id == corrected.id), None)
    return same or (alike[0] if alike and text else None)


def with_corrections(
    questions: Sequence[Question], lessons: Sequence[Question]
) -> tuple[list[Question], set[str]]:
    """Apply remembered labels to answers with the same id and text; also return these answers' ids."""
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
