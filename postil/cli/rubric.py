"""`postil rubric`, and `postil grade --rubric`: rubrics in files, and what their items earn an answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text
from typer import Argument, Option

from postil.cli.options import refuse_output
from postil.cli.show import console, print_text, table
from postil.data.judgements import CONTRADICTED, EXPRESSED, Judgement
from postil.data.questions import Facet, Question
from postil.errors import InputError, PostilError, number_of, some

if TYPE_CHECKING:
    from postil.explain.class_report import GradedQuestion

Rubrics = Mapping[str, tuple[Facet, ...]]  # by the question's id
_SIGNS = {EXPRESSED: "✓", CONTRADICTED: "✗"}


@dataclass(frozen=True, slots=True)
class Marks:
    """What an answer with a label earns by a rubric: points, of how many, and what each item does to them.

    `outcomes` has what became of each item, in their order; an empty text where Postil has not looked.
    """

    label: str
    facets: tuple[Facet, ...]
    points: float
    whole: float
    outcomes: tuple[str, ...]
    item_points: tuple[float, ...]

    @property
    def words(self) -> str:
        """The points and the items on one line: `2 of 5: ✓ heat 2 · – air 0`."""
        items = list(zip(self.facets, self.outcomes, self.item_points, strict=True))
        listed = [
            f"{_SIGNS.get(outcome, '–')} {facet.first} {points:g}"
            for facet, outcome, points in items
            if outcome
            and not (facet.wrong and outcome != EXPRESSED)
            and not self._is_credited(outcome, points)
        ]
        credited = [facet.first for facet, outcome, points in items if self._is_credited(outcome, points)]
        if credited:
            listed.append(f"correct, though not found: {'; '.join(credited)}")
        return ": ".join(filter(None, (f"{self.points:g} of {self.whole:g}", " · ".join(listed))))

    def _is_credited(self, outcome: str, points: float) -> bool:
        """Whether an item earns points because the answer is called correct, though it was not found."""
        return self.label == "correct" and bool(outcome) and outcome != EXPRESSED and points > 0


def rubric(
    file: Annotated[
        Path,
        Argument(
            metavar="FILE",
            help="A table (.csv, .tsv, .jsonl, .xlsx) with a column 'item', or a Moodle backup of one "
            "assignment (.mbz, or its grading.xml).",
        ),
    ],
    output: Annotated[
        Path | None,
        Option(
            "--output",
            "-o",
            metavar="OUT",
            help="Where to write it: a table by its ending, or .xml for the form of a Moodle backup.",
        ),
    ] = None,
) -> None:
    """Show a rubric, or convert it between a table and the forms in Moodle's backups."""
    from postil.data.formats.rubrics import read_rubric, read_rubrics, write_rubric
    from postil.grading.credit import worth

    if output is not None:
        refuse_output(output, (".csv", ".tsv", ".jsonl", ".xlsx", ".xml"))
        read = read_rubric(file)
        notes = (*read.notes, *write_rubric(output, read.facets, name=file.stem))
        typer.echo(f"Read {number_of(len(read.facets), 'item')} from {file}; wrote {output}.", err=True)
        _tell(notes)
        return
    for read in read_rubrics(file):
        if read.question:
            print_text(read.question)
        _show(read.facets)
        print_text(f"Full points: {worth(read.facets):g}.")
        _tell(read.notes)


def _tell(notes: Sequence[str]) -> None:
    for words in notes:
        typer.echo(f"note: {words}", err=True)


def _show(facets: Sequence[Facet]) -> None:
    rows = table("item", "points", "required", "of the group", "takes off", right=("points", "takes off"))
    for facet in facets:
        rows.add_row(
            Text(facet.first),
            f"{facet.weight:g}",
            "" if facet.wrong else "yes" if facet.required else "no",
            Text(f"any {facet.needed} of {facet.group}" if facet.group else ""),
            f"{facet.deduction:g}" if facet.deduction else "",
        )
    console().print(rows)


def find_rubrics(path: Path, source: Path, questions: Sequence[Question], encoding: str | None) -> Rubrics:
    """The rubric of each question of a class, from a file; one that fits no question is refused."""
    from postil.data.formats.rubrics import read_rubrics
    from postil.data.formats.tables import plain

    found: dict[str, tuple[Facet, ...]] = {}
    for read in read_rubrics(path, encoding=encoding):
        _tell(read.notes)
        if not read.question and len(questions) > 1:
            what = f"holds one rubric, but {source} has {len(questions)} questions."
            raise InputError(path, what, hint="Give it a column 'question' with their ids or their texts.")
        names = (read.question, plain(read.question))
        own = [
            question.id
            for question in questions
            if not read.question or question.id == names[0] or plain(question.text) == names[1]
        ]
        if not own:
            what = f"holds a rubric for {some([read.question])}, which is no question of {source}."
            raise InputError(path, what, hint="Use the question's id, or its text as it is there.")
        if own[0] in found:
            what = f"holds two rubrics for the question {some(own[:1])}."
            raise InputError(path, what, hint="Name the question in the same way in all its rows.")
        found[own[0]] = read.facets
    without = [question.id for question in questions if question.id not in found]
    if without:
        missing = number_of(len(without), "question")
        typer.echo(f"{path}: no rubric for {missing} ({some(without)}): their labels decide.", err=True)
    return found


def marked(graded: Sequence[GradedQuestion], rubrics: Rubrics) -> list[list[Marks | None]]:
    """What the answers earn by the rubrics of their questions, in their order; None without a rubric."""
    return [
        [_marks(judgement, rubrics.get(result.question.id)) for judgement in result.judgements]
        for result in graded
    ]


def _marks(judgement: Judgement, facets: tuple[Facet, ...] | None) -> Marks | None:
    from postil.grading.credit import earned, item_shares, worth

    if not facets:
        return None
    found = judgement.explanation.facets if judgement.explanation else ()
    labels = {outcome.facet.id: outcome.label for outcome in found}
    outcomes = labels if len(labels) == len(facets) else None
    whole = worth(facets)
    # Where nobody has looked, the items tell nothing: a partly right answer earns half.
    shares = item_shares(judgement.label, facets, labels) if outcomes or judgement.label == "correct" else ()
    return Marks(
        judgement.label,
        facets,
        round(earned(judgement.label, facets, outcomes) * whole, 2),
        round(whole, 2),
        tuple(labels.get(facet.id, "") for facet in facets),
        tuple(round(share * whole, 2) for share in shares) or (0.0,) * len(facets),
    )


def scored(
    graded: Sequence[GradedQuestion], marks: Sequence[Sequence[Marks | None]], *, explained: bool
) -> list[GradedQuestion]:
    """The judgements with the share of the points as their score; without explanations nobody asked for."""
    return [
        replace(
            result,
            judgements=[_scored(*pair, explained) for pair in zip(result.judgements, own, strict=True)],
        )
        for result, own in zip(graded, marks, strict=True)
    ]


def _scored(judgement: Judgement, marks: Marks | None, explained: bool) -> Judgement:
    if marks is not None:
        judgement = replace(judgement, score=marks.points / marks.whole)
    return judgement if explained else replace(judgement, explanation=None)


def columns(rubrics: Rubrics) -> tuple[str, ...]:
    """The columns that rubrics add to a result: the points, of how many, and three for each item."""
    most = max(map(len, rubrics.values()), default=0)
    items = [
        (f"item_{number}", f"item_{number}_outcome", f"item_{number}_points") for number in range(1, most + 1)
    ]
    return ("points", "of", *(name for names in items for name in names)) if rubrics else ()


def cells(marks: Marks | None, width: int) -> list[str]:
    """What stands in these columns for one answer; items that its question does not have are empty."""
    if marks is None:
        return [""] * width
    row = [f"{marks.points:g}", f"{marks.whole:g}", *_items(marks)]
    return [*row, *[""] * (width - len(row))]


def _items(marks: Marks) -> Iterator[str]:
    for facet, outcome, points in zip(marks.facets, marks.outcomes, marks.item_points, strict=True):
        yield from (facet.first, outcome, f"{points:g}")


def refuse_beside_credit(path: Path | None, credit: Mapping[str, float]) -> None:
    """Refuse two answers to the question what an answer earns."""
    if path is not None and credit:
        what = "--rubric and --credit both say what answers earn."
        raise PostilError(what, hint="Leave one of them out.")
