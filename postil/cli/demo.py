"""`postil demo`: the main job on a bundled, made-up class, and where to go from there."""

from __future__ import annotations

import shutil
import sys
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from postil.corpora.responses import Question


def demo(
    folder: Annotated[
        Path, typer.Option("--folder", "-o", help="Where to write the example files and the result.")
    ] = Path("postil-demo"),
) -> None:
    """Judge a bundled class with the word-overlap baseline, score it, and say where to look."""
    from postil.cli.show import show_score
    from postil.corpora.labelfiles import LabelledItem, write_gold, write_run
    from postil.corpora.labels import RESPONSE_SCHEMES
    from postil.corpora.tables import read_table, write_table
    from postil.scoring.responses import score_labels, tally_labels

    with as_file(files("postil.resources").joinpath("demo", "class.csv")) as path:
        questions = read_table(path)
    scheme = RESPONSE_SCHEMES["3way"]
    labels = _judge_class(questions)
    gold = [
        LabelledItem(answer.id, scheme.collapse(answer.label or "") or "", question.id)
        for question in questions
        for answer in question.answers
    ]
    write_table(folder / "class.csv", questions)
    write_gold(folder / "gold.txt", gold)
    write_run(folder / "run.txt", labels)
    _show_class(questions, labels)
    show_score(score_labels("sra", tally_labels(gold, labels, scheme), scheme), {})
    postil = "postil" if shutil.which("postil") else sys.argv[0]
    typer.echo(
        f"""
Those labels come from the word-overlap baseline of the 2013 challenge: each question was judged by a decision
tree that saw only the other questions. Postil's own grader will take its place here.

Written to {folder}:
  class.csv   the class: questions, references, answers and a teacher's labels (open it in a spreadsheet)
  gold.txt    the teacher's labels, three-way, in the challenge's format
  run.txt     the baseline's labels

Try next:
  {postil} analyse "the puddle is gone b/c the sun made it evaporate"
  {postil} check {folder / "class.csv"}
  {postil} score responses {folder / "run.txt"} {folder / "gold.txt"}
  {postil} bench systems"""
    )


def _judge_class(questions: list[Question]) -> dict[str, str]:
    """Label each question's answers with a tree grown on the other questions."""
    from postil.bench.folds import response_folds
    from postil.corpora.labels import RESPONSE_SCHEMES
    from postil.models.baselines.responses import LexicalOverlap

    labels: dict[str, str] = {}
    for train, test in response_folds(questions, "unseen-questions", folds=len(questions)):
        # Sixty answers are few: smaller leaves than on the challenge's thousands.
        model = LexicalOverlap(leaf=5).fit(train)
        ids = [answer.id for question in test for answer in question.answers]
        labels |= zip(ids, model.predict(test, RESPONSE_SCHEMES["3way"]), strict=True)
    return {answer.id: labels[answer.id] for question in questions for answer in question.answers}


def _show_class(questions: list[Question], labels: dict[str, str]) -> None:
    """Print the first question with its answers, the teacher's labels and the baseline's."""
    from rich.table import Table
    from rich.text import Text

    from postil.cli.show import console
    from postil.corpora.labels import PLAIN_NAMES

    out = console()
    question = questions[0]
    out.print(Text(question.text, style="bold"))
    for reference in question.references:
        out.print(Text(f"  reference: {reference.text}"))
    out.print()
    table = Table(box=None, pad_edge=False)
    for name in ("answer", "teacher", "baseline"):
        table.add_column(name)
    for answer in question.answers:
        table.add_row(Text(answer.text), PLAIN_NAMES[answer.label or ""], PLAIN_NAMES[labels[answer.id]])
    out.print(table)
    answers = sum(len(question.answers) for question in questions)
    out.print(f"\n… and {len(questions) - 1} more questions. Over all {answers} answers:\n")
