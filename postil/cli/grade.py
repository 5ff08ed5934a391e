"""`postil grade`: judge a class's answers; a table for the spreadsheet, a page to read, or the terminal."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from postil.cli.grade_folder import (
    DatasetOptions,
    grade_folder,
    is_folder_name,
    refuse_as_table,
    refuse_for_dataset,
    work_from,
)
from postil.cli.options import TableOptions, choose, demand_references, expand, read_source, refuse_output
from postil.errors import InputError, PostilError, number_of, some, unknown_label

if TYPE_CHECKING:
    from postil.data.questions import Question
    from postil.explain.class_report import GradedQuestion
    from postil.grader import Grader


@expand
def grade(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="A table (.csv, .tsv, .jsonl, .xlsx), an SRA XML file, or a folder of them. If OUT is a "
            "folder, a dataset: a folder, pattern or URL of .parquet, .csv, .tsv or .jsonl files.",
        ),
    ],
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="OUT",
            help="Where to write the result (.csv, .tsv, .jsonl or .xlsx); by default it is printed. The "
            "result of a dataset goes into a folder, or to a URL.",
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option("--report", metavar="PAGE", help="Also write a report to open in the browser (.html)."),
    ] = None,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain", help="Explain for each answer what it shares with the reference and what differs."
        ),
    ] = False,
    labels: Annotated[
        str, typer.Option("--labels", help="How many labels to use: 5way, 3way or 2way.")
    ] = "5way",
    remember: Annotated[
        Path | None,
        typer.Option(
            "--remember",
            metavar="FILE",
            help="Labels given by a person: an earlier result with its last column filled in, or a labelled "
            "table.",
        ),
    ] = None,
    remember_labelled: Annotated[
        bool,
        typer.Option("--remember-labelled", help="Learn from the labels in the table, and grade the rest."),
    ] = False,
    propose: Annotated[
        int | None,
        typer.Option(
            "--propose",
            metavar="K",
            min=1,
            help="Do not grade; show the K answers to each question that are most worth labelling.",
        ),
    ] = None,
    target: Annotated[
        float | None,
        typer.Option(
            "--target",
            metavar="SHARE",
            help="Leave doubtful answers to a person so that this share of the rest is right, such as 0.9.",
        ),
    ] = None,
    credit: Annotated[
        list[str] | None,
        typer.Option(
            "--credit",
            metavar="LABEL=NUMBER",
            help="What a label earns, from 0 to 1, as in 'partly right=0.6'.",
        ),
    ] = None,
    model: Annotated[
        Path | None, typer.Option("--model", metavar="FOLDER", help="A model written by `postil train`.")
    ] = None,
    *,
    tables: TableOptions,
    dataset: DatasetOptions,
) -> None:
    """Judge every answer against the references: a label, a score from 0 to 1, and a confidence.

    Labels already in the table are shown beside the judgements and are not used for them, unless
    --remember-labelled is given. Nothing leaves this computer.

    To grade a dataset larger than memory, name a folder with -o. If this is interrupted, run the same command
    again to continue.
    """
    from postil.cli.grade_table import find_lessons, with_corrections
    from postil.data.labels import RESPONSE_SCHEMES
    from postil.grader import load

    choose("--labels", labels, tuple(RESPONSE_SCHEMES))
    earned = parse_credit(credit or ())
    if is_folder_name(output):
        refuse_for_dataset(
            {
                "--report": report,
                "--remember": remember,
                "--remember-labelled": remember_labelled or None,
                "--propose": propose,
                "--sheet": tables.sheet,
                "--encoding": tables.encoding,
                "--wide": tables.wide,
            }
        )
        work = work_from(output or "", labels, explain, earned, target, model, tables)
        grade_folder(source, work, dataset)
        return
    refuse_as_table(source, output, dataset)
    if propose is not None and (report is not None or explain):
        nothing = "there is no report" if report is not None else "there is nothing to explain"
        raise PostilError(f"--propose does not grade, so {nothing}.", hint="Leave one of them out.")
    path = Path(source)
    result = Path(output) if output is not None else None
    _refuse_outputs(result, report, [file for file in (path, remember, tables.key) if file is not None])
    questions = [question for question in read_source(path, tables) if question.answers]
    if not questions:
        raise InputError(path, "contains no answers.", hint="Is it the right file?")
    demand_references(path, questions)
    lessons = find_lessons(path, questions, remember, remember_labelled, tables)
    grader = load(model, credit=earned, target=target)
    for lesson in lessons:
        references = [reference.text for reference in lesson.references]
        grader.remember(
            lesson.text, references, [(answer.text, answer.label or "") for answer in lesson.answers]
        )
    questions, taught = with_corrections(questions, lessons)
    if propose is not None:
        _propose(grader, questions, propose, result)
        return
    graded = judge(grader, questions, explain=explain)
    _write(graded, labels, result, report, path.name, explained=explain)
    _summarise(graded, taught, result, report)


def parse_credit(values: Sequence[str]) -> dict[str, float]:
    """Read `LABEL=NUMBER` options; labels go by their official or their plain names."""
    from postil.data.formats.rows import key_of
    from postil.data.labels import PLAIN_NAMES, RESPONSE_SCHEMES

    labels = RESPONSE_SCHEMES["5way"].labels
    known = {key_of(name): label for label in labels for name in (label, PLAIN_NAMES[label])}
    credit: dict[str, float] = {}
    for value in values:
        name, _, number = value.rpartition("=")
        label = known.get(key_of(name))
        if label is None:
            raise PostilError(
                f"--credit {value!r}: {unknown_label(name.strip())}",
                hint=f"Write LABEL=NUMBER; the labels are {some((PLAIN_NAMES[each] for each in labels), 5)}.",
            )
        try:
            credit[label] = float(number)
        except ValueError:
            credit[label] = -1
        if not 0 <= credit[label] <= 1:
            raise PostilError(
                f"--credit {value!r}: the number must be from 0 to 1.",
                hint="For example: --credit 'partly right=0.6'.",
            )
    return credit


def _refuse_outputs(output: Path | None, report: Path | None, inputs: Sequence[Path]) -> None:
    """Say before the grading, not after it, that something cannot be written or would be written over."""
    from postil.data.formats.rows import SUFFIXES

    for path, endings in ((output, SUFFIXES), (report, (".html", ".htm"))):
        refuse_output(path, endings)
        if path and path.exists() and any(file.exists() and path.samefile(file) for file in inputs):
            raise InputError(
                path, "is also one of the files to read.", hint="Choose another name for the result."
            )


def judge(grader: Grader, questions: Sequence[Question], *, explain: bool) -> list[GradedQuestion]:
    """Judge a class, having warned of the questions that no grader can be fair to."""
    from postil.cli.show import progress_bar
    from postil.data.questions import count_answers
    from postil.explain.class_report import GradedQuestion
    from postil.grading.screening import screen

    concerns = [[concern.sentence for concern in screen(question)] for question in questions]
    for question, sentences in zip(questions, concerns, strict=True):
        for sentence in sentences:
            typer.echo(f"warning: question {question.id}: {sentence}", err=True)
    with progress_bar("Grading", "answers", total=count_answers(questions)) as progress:
        judged = list(grader.grade_many(questions, progress=progress, explain=explain))
    return [
        GradedQuestion(question, judgements, warnings)
        for (question, judgements), warnings in zip(judged, concerns, strict=True)
    ]


def _write(
    graded: Sequence[GradedQuestion],
    scheme: str,
    output: Path | None,
    report: Path | None,
    name: str,
    *,
    explained: bool,
) -> None:
    from postil.cli.grade_table import columns, result_rows, show_graded
    from postil.data.files import write_text
    from postil.data.formats.rows import write_rows
    from postil.explain.class_report import class_report

    if output is None:
        show_graded(graded, scheme)
    else:
        write_rows(output, columns(explained=explained), result_rows(graded, scheme, explained=explained))
    if report is not None:
        write_text(report, class_report(graded, f"Class report: {name}"))


def _summarise(
    graded: Sequence[GradedQuestion], taught: Collection[str], output: Path | None, report: Path | None
) -> None:
    from postil.cli.grade_table import agreement, summary

    lines = [summary(graded), agreement(graded, taught)]
    if taught:
        lines.append(f"Learned from {number_of(len(taught), 'label')} given by a person.")
    written = [str(path) for path in (output, report) if path is not None]
    if written:
        lines.append(f"Wrote {' and '.join(written)}.")
    for line in lines:
        if line:
            typer.echo(line, err=output is not None)


def _propose(grader: Grader, questions: Sequence[Question], most: int, output: Path | None) -> None:
    """Show, or write as a table to fill in, the answers a person should label first."""
    from postil.cli.grade_table import PROPOSED, proposed_rows, show_proposed
    from postil.data.formats.rows import write_rows
    from postil.data.questions import count_answers

    proposed = []
    for question in questions:
        references = [reference.text for reference in question.references]
        texts = [answer.text for answer in question.answers]
        chosen = grader.propose(question.text, references, texts, most)
        proposed.append(replace(question, answers=tuple(question.answers[index] for index in chosen)))
    if output is None:
        show_proposed(proposed)
        return
    write_rows(output, PROPOSED, proposed_rows(proposed))
    typer.echo(
        f"Wrote {number_of(count_answers(proposed), 'answer')} to {output}. "
        "Fill in the last column, and give the file to `postil grade` with --remember.",
        err=True,
    )
