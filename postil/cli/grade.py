"""`postil grade` judges a class's answers; `postil train` fits the grader to answers that are labelled."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from postil.cli.grade_folder import DatasetOptions, grade_folder, is_folder_name, refuse_as_table
from postil.cli.options import (
    ModelFolder,
    ReaderOption,
    TableOptions,
    choose,
    demand_references,
    expand,
    read_source,
    refuse_file,
    refuse_output,
)
from postil.cli.show import console, progress_bar, table
from postil.data.files import write_text
from postil.data.labels import PLAIN_NAMES, RESPONSE_SCHEMES
from postil.data.questions import Question, count_answers, labelled_only
from postil.errors import InputError, PostilError, number_of, some, unknown_label

if TYPE_CHECKING:
    from postil.cli.rubric import Marks, Rubrics
    from postil.explain.class_report import GradedQuestion
    from postil.grader import Grader


@dataclass(frozen=True, slots=True)
class GradeOptions:
    """How a class is judged, what is learned first, and whether there is a report."""

    report: Annotated[
        Path | None, Option(metavar="PAGE", help="Also write a report to open in the browser (.html).")
    ] = None
    explain: Annotated[
        bool,
        Option(
            "--explain", help="Explain for each answer what it shares with the reference and what differs."
        ),
    ] = False
    labels: Annotated[str, Option(help="How many labels to use: 5way, 3way or 2way.")] = "5way"
    remember: Annotated[
        Path | None,
        Option(
            metavar="FILE",
            help="Labels given by a person: an earlier result with its last column filled in, or a labelled "
            "table.",
        ),
    ] = None
    remember_labelled: Annotated[
        bool, Option("--remember-labelled", help="Learn from the labels in the table, and grade the rest.")
    ] = False
    propose: Annotated[
        int | None,
        Option(
            metavar="K",
            min=1,
            help="Do not grade; show the K answers to each question that are most worth labelling.",
        ),
    ] = None
    target: Annotated[
        float | None,
        Option(
            metavar="SHARE",
            help="Leave doubtful answers to a person so that this share of the rest is right, such as 0.9.",
        ),
    ] = None
    credit: Annotated[
        list[str] | None,
        Option(metavar="LABEL=NUMBER", help="What a label earns, from 0 to 1, as in 'partly right=0.6'."),
    ] = None
    rubric: Annotated[
        Path | None,
        Option(
            metavar="FILE",
            help="What a full answer says, item by item, with points: a table with columns item, points, "
            "required, group, needed, deduction; for several questions also question. Or a Moodle backup.",
        ),
    ] = None
    model: Annotated[Path | None, Option(metavar="FOLDER", help="A model written by `postil train`.")] = None
    reader: ReaderOption = None
    strictness: Annotated[
        str,
        Option(
            metavar="NAME",
            help="How readily answers are called correct: lenient, normal or strict. Labels of a few answers "
            "say it more exactly.",
        ),
    ] = "normal"
    pupils: Annotated[
        str,
        Option(metavar="NAME", help="Whom feedback is for, with --explain: younger or older pupils."),
    ] = "older"
    raw: Annotated[
        bool,
        Option(
            "--raw",
            help="Write texts to .csv and .tsv unchanged, even if a spreadsheet program takes them for "
            "formulas.",
        ),
    ] = False

    def grader(self, credit: Mapping[str, float]) -> Grader:
        """Load the grader that these options ask for; impossible ones are refused."""
        from postil.grader import load

        return load(
            self.model,
            credit=credit,
            target=self.target,
            reader=self.reader,
            strictness=self.strictness,
            pupils=self.pupils,
        )


@expand
def grade(
    source: Annotated[
        str,
        Argument(
            metavar="SOURCE",
            help="A table (.csv, .tsv, .jsonl, .xlsx), an SRA XML file, or a folder of them. If OUT is a "
            "folder, a dataset: a folder, pattern or URL of .parquet, .csv, .tsv or .jsonl files.",
        ),
    ],
    output: Annotated[
        str | None,
        Option(
            "--output",
            "-o",
            metavar="OUT",
            help="Where to write the result (.csv, .tsv, .jsonl or .xlsx); by default it is printed. The "
            "result of a dataset goes into a folder, or to a URL.",
        ),
    ] = None,
    *,
    options: GradeOptions,
    tables: TableOptions,
    dataset: DatasetOptions,
) -> None:
    """Judge every answer against the references: a label, a score from 0 to 1, and a confidence.

    Labels already in the table are shown beside the judgements and are not used for them, unless
    --remember-labelled is given. Nothing leaves this computer.

    To grade a dataset larger than memory, name a folder with -o. If this is interrupted, run the same command
    again to continue.
    """
    choose("--labels", options.labels, tuple(RESPONSE_SCHEMES))
    credit = parse_credit(options.credit or ())
    if output is not None and is_folder_name(output):
        grade_folder(source, output, options, credit, tables, dataset)
    else:
        refuse_as_table(source, output, dataset)
        _grade_table(Path(source), Path(output) if output is not None else None, options, credit, tables)


def _grade_table(
    source: Path, output: Path | None, options: GradeOptions, credit: dict[str, float], tables: TableOptions
) -> None:
    """Judge the answers of one table, or with --propose show those to label."""
    from postil.cli.grade_table import find_lessons, with_corrections
    from postil.cli.rubric import find_rubrics, marked, refuse_beside_credit, scored

    refuse_beside_credit(options.rubric, credit)
    if options.propose is not None and (options.report is not None or options.explain):
        nothing = "there is no report" if options.report is not None else "there is nothing to explain"
        raise PostilError(f"--propose does not grade, so {nothing}.", hint="Leave one of them out.")
    files = (source, options.remember, options.rubric, tables.key)
    inputs = [file for file in files if file is not None]
    _refuse_outputs(output, options.report, inputs)
    questions = [question for question in read_source(source, tables) if question.answers]
    if not questions:
        raise InputError(source, "contains no answers.", hint="Is it the right file?")
    demand_references(source, questions)
    rubrics = (
        {} if options.rubric is None else find_rubrics(options.rubric, source, questions, tables.encoding)
    )
    lessons = find_lessons(source, questions, options.remember, options.remember_labelled, tables)
    grader = options.grader(credit)
    for lesson in lessons:
        references = [reference.text for reference in lesson.references]
        labelled = [(answer.text, answer.label or "") for answer in lesson.answers]
        grader.remember(lesson.text, references, labelled)
    questions, taught = with_corrections(questions, lessons)
    if options.propose is not None:
        _propose(grader, questions, options.propose, output, raw=options.raw)
        return
    graded = judge(grader, questions, explain=options.explain or bool(rubrics), rubrics=rubrics)
    marks = marked(graded, rubrics)
    if rubrics:
        graded = scored(graded, marks, explained=options.explain)
    _write(graded, marks, rubrics, output, options, source.name)
    _summarise(graded, taught, output, options.report)


def parse_credit(values: Sequence[str]) -> dict[str, float]:
    """Read `LABEL=NUMBER` options; labels go by their official or their plain names."""
    from postil.data.formats.rows import key_of

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
            what = f"--credit {value!r}: the number must be from 0 to 1."
            raise PostilError(what, hint="For example: --credit 'partly right=0.6'.")
    return credit


def _refuse_outputs(output: Path | None, report: Path | None, inputs: Sequence[Path]) -> None:
    """Say before the grading, not after it, that something cannot be written or would be written over."""
    from postil.data.formats.rows import SUFFIXES

    for path, endings in ((output, SUFFIXES), (report, (".html", ".htm"))):
        refuse_output(path, endings)
        if path and path.exists() and any(file.exists() and path.samefile(file) for file in inputs):
            what = "is also one of the files to read."
            raise InputError(path, what, hint="Choose another name for the result.")


def judge(
    grader: Grader, questions: Sequence[Question], *, explain: bool, rubrics: Rubrics | None = None
) -> list[GradedQuestion]:
    """Judge a class, having warned of the questions that no grader can be fair to."""
    from postil.explain.class_report import GradedQuestion
    from postil.grading.screening import screen

    concerns = [[concern.sentence for concern in screen(question)] for question in questions]
    for question, sentences in zip(questions, concerns, strict=True):
        for sentence in sentences:
            typer.echo(f"warning: question {question.id}: {sentence}", err=True)
    with progress_bar("Grading", "answers", total=count_answers(questions)) as progress:
        judged = list(grader.grade_many(questions, progress=progress, explain=explain, claims=rubrics))
    return [
        GradedQuestion(question, judgements, warnings)
        for (question, judgements), warnings in zip(judged, concerns, strict=True)
    ]


def _write(
    graded: Sequence[GradedQuestion],
    marks: Sequence[Sequence[Marks | None]],
    rubrics: Rubrics,
    output: Path | None,
    options: GradeOptions,
    name: str,
) -> None:
    from postil.cli import rubric
    from postil.cli.grade_table import columns, result_rows, show_graded, write_private
    from postil.explain.class_report import class_report

    if output is None:
        show_graded(graded, options.labels, marks)
    else:
        added = rubric.columns(rubrics)
        rows = result_rows(graded, options.labels, marks, len(added), explained=options.explain)
        header = columns(added, explained=options.explain)
        numbers = [name for name in added if name in ("points", "of") or name.endswith("_points")]
        write_private(output, header, rows, raw=options.raw, numbers=numbers)
    if options.report is not None:
        write_text(options.report, class_report(graded, f"Class report: {name}"), private=True)


def _summarise(
    graded: Sequence[GradedQuestion], taught: Collection[str], output: Path | None, report: Path | None
) -> None:
    from postil.cli.grade_table import agreement, pairs, summary
    from postil.explain.class_report import who_read

    read = who_read(judgement for _, _, judgement in pairs(graded))
    lines = [summary(graded), read, agreement(graded, taught)]
    if taught:
        lines.append(f"Learned from {number_of(len(taught), 'label')} given by a person.")
    written = [str(path) for path in (output, report) if path is not None]
    if written:
        lines.append(f"Wrote {' and '.join(written)}.")
    for line in lines:
        if line:
            typer.echo(line, err=output is not None)


def _propose(
    grader: Grader, questions: Sequence[Question], most: int, output: Path | None, *, raw: bool
) -> None:
    """Show, or write as a table to fill in, the answers a person should label first."""
    from postil.cli.grade_table import PROPOSED, show_proposed, write_private

    proposed = []
    for question in questions:
        references = [reference.text for reference in question.references]
        texts = [answer.text for answer in question.answers]
        chosen = grader.propose(question.text, references, texts, most)
        proposed.append(replace(question, answers=tuple(question.answers[index] for index in chosen)))
    if output is None:
        show_proposed(proposed)
        return
    # The last cell is for the label.
    cells = (
        (question.id, question.text, answer.id, answer.text, "")
        for question in proposed
        for answer in question.answers
    )
    write_private(output, PROPOSED, cells, raw=raw)
    typer.echo(
        f"Wrote {number_of(count_answers(proposed), 'answer')} to {output}. "
        "Fill in the last column, and give the file to `postil grade` with --remember.",
        err=True,
    )


@expand
def train(
    source: Annotated[
        Path,
        Argument(
            metavar="FILE",
            help="Labelled answers: a table (.csv, .tsv, .jsonl, .xlsx), SRA XML, or a folder of it.",
        ),
    ],
    output: ModelFolder,
    reader: ReaderOption = None,
    *,
    tables: TableOptions,
) -> None:
    """Fit the grader to labelled answers, and report how well it does on questions it has not seen.

    Answers without a label are left out. The model is a folder, for `postil grade --model FOLDER`.
    """
    from postil.grader import train as fit

    refuse_file(output)
    questions = _read_labelled(source, tables)
    with progress_bar("Training", "steps") as progress:
        figures = fit(questions, output, progress=progress, reader=reader)
    shown = table("figure, cross-validated by question", "value", right=("value",))
    for name, value in figures.items():
        shown.add_row(name, f"{value:.4f}" if value <= 1 else f"{value:,.0f}")  # a share, or a count
    console().print(shown)
    answers = number_of(count_answers(questions), "labelled answer")
    typer.echo(
        f"""
Each question was judged by a model that had not seen it. The model in {output} has seen all:
{answers} to {number_of(len(questions), "question")}.

If it does better than the grader as shipped, grade with it:
  postil grade FILE --model {output}"""
    )


def _read_labelled(source: Path, options: TableOptions) -> list[Question]:
    """Read the questions that have labelled answers; one alone would say nothing of another."""
    questions = labelled_only(read_source(source, options))
    if not questions:
        what = "contains no labelled answers to learn from."
        hint = "Add a column 'label', or name another one with --column label=NAME."
        raise InputError(source, what, hint=hint)
    if len(questions) < 2:
        raise InputError(
            source,
            "has labelled answers to only one question, but at least two are needed to measure how well the "
            "model does on a new one.",
            hint="To use the labels of one question for that question: postil grade FILE --remember-labelled",
        )
    demand_references(source, questions)
    return questions
