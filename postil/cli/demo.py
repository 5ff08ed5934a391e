"""`postil demo`: the main job on a bundled, made-up class, and where to go from there."""

from __future__ import annotations

import shlex
import shutil
import sys
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from postil.explain.classreport import GradedQuestion


def demo(
    folder: Annotated[
        Path, typer.Option("--folder", "-o", help="Where to write the example files and the result.")
    ] = Path("postil-demo"),
) -> None:
    """Grade a bundled class, compare with its teacher's labels, and say where to look."""
    from postil.cli.grade import judge
    from postil.cli.gradetable import agreement, show_graded, summary
    from postil.corpora.tables import read_table, write_table
    from postil.grader import load

    with as_file(files("postil.resources").joinpath("demo", "class.csv")) as path:
        questions = read_table(path)
    # Written first: a folder that cannot be written to shows before the grading.
    write_table(folder / "class.csv", questions)
    graded = judge(load(), questions, explain=True)
    show_graded(graded[:1], "5way")
    typer.echo(f"… and {len(graded) - 1} more questions. In all: {summary(graded)}")
    typer.echo(f"{agreement(graded)}\n")
    _write_and_score(folder, graded)

    def inside(name: str) -> str:
        return shlex.quote(str(folder / name))

    postil = "postil" if shutil.which("postil") else sys.argv[0]
    typer.echo(
        f"""
Written to {folder}:
  report.html  the class as a page, the doubtful answers first, each explained: open it in a browser
  graded.csv   label, score, confidence and explanation for each answer, the teacher's label beside them
  class.csv    the class as a teacher has it: questions, references, answers (and labels, which were not used)
  gold.txt     the teacher's labels, three-way, in the format of the 2013 challenge
  run.txt      Postil's labels, likewise

Try next:
  {postil} grade {inside("class.csv")} -o {inside("again.xlsx")} --report {inside("again.html")} --explain
  {postil} grade {inside("class.csv")} --propose 2
  {postil} align "the puddle dries up" "the water evaporates"
  {postil} analyse "the puddle is gone b/c the sun made it evaporate"
  {postil} score responses {inside("run.txt")} {inside("gold.txt")}"""
    )


def _write_and_score(folder: Path, graded: Sequence[GradedQuestion]) -> None:
    """Write the result as a table, as a page and in the challenge's format, and print its score."""
    from postil.cli.gradetable import columns, pairs, result_rows
    from postil.cli.show import show_score
    from postil.corpora.files import write_text
    from postil.corpora.labelfiles import LabelledItem, write_gold, write_run
    from postil.corpora.labels import RESPONSE_SCHEMES
    from postil.corpora.rows import write_rows
    from postil.explain.classreport import class_report
    from postil.scoring.responses import score_labels, tally_labels

    scheme = RESPONSE_SCHEMES["3way"]
    gold = [
        LabelledItem(answer.id, scheme.collapse(answer.label or "") or "", question.id)
        for question, answer, _ in pairs(graded)
    ]
    run = {answer.id: judgement.labels[scheme.name] for _, answer, judgement in pairs(graded)}
    write_rows(folder / "graded.csv", columns(explained=True), result_rows(graded, "5way", explained=True))
    write_text(folder / "report.html", class_report(graded, "The bundled class"))
    write_gold(folder / "gold.txt", gold)
    write_run(folder / "run.txt", run)
    show_score(score_labels("sra", tally_labels(gold, run, scheme), scheme), {})
