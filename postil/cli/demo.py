"""`postil demo`: the main job on a bundled, made-up class, and where to go from there."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from importlib.resources import as_file, files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Option

from postil.cli.show import show_score
from postil.data.files import write_text
from postil.data.labels import RESPONSE_SCHEMES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from postil.explain.class_report import GradedQuestion


def demo(
    folder: Annotated[
        Path, Option("--folder", "-o", help="Where to write the example files and the result.")
    ] = Path("postil-demo"),
    report_only: Annotated[
        bool, Option("--report-only", help="Write the files and stop; do not open the workbench.")
    ] = False,
) -> None:
    """Grade a bundled class, compare with its teacher's labels, and open it in the workbench.

    The workbench opens if you are at a terminal with a screen. In a pipe, in CI and over ssh, only the files
    are written.
    """
    postil = "postil" if shutil.which("postil") else sys.argv[0]
    _grade_and_write(folder, postil)
    if find_spec("uvicorn") is None:  # the packages of the extra `serve` come together
        typer.echo(
            "\nTo grade in the browser, install the workbench: pip install 'postil[serve]'"
            f"\nThen: {postil} serve --local --example"
        )
    elif report_only or not (_has_person(os.environ) and _has_browser(os.environ, sys.platform)):
        typer.echo(f"\nTo grade the same class yourself, in the browser: {postil} serve --local --example")
    else:
        from postil.cli.serve import ServeOptions, run

        typer.echo("\nNow it is your turn: the same class opens in the workbench. Ctrl-C here closes it.")
        # Any free port, and no session ends: a workbench that is already open neither stops a demonstration
        # nor is stopped by it.
        run(ServeOptions(local=True, port=0, example=True), alone=False)


def _has_person(environment: Mapping[str, str]) -> bool:
    """Whether a person is at the terminal, who can also close what the demonstration opens."""
    terminals = [stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout)]
    return all(terminals) and not environment.get("CI")


def _has_browser(environment: Mapping[str, str], platform: str) -> bool:
    """Whether a browser would open on the user's own screen, not in the terminal or on a remote computer."""
    import webbrowser

    here = platform in ("win32", "darwin") and not environment.get("SSH_CONNECTION")
    if not (here or environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")):
        return False
    try:
        webbrowser.get()
    except webbrowser.Error:
        return False
    return True


def _grade_and_write(folder: Path, postil: str) -> None:
    """Grade the class, show one question, write the files, and say what is in them."""
    from postil.cli.grade import judge
    from postil.cli.grade_table import agreement, show_graded, summary
    from postil.data.formats.tables import read_table, write_table
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

    typer.echo(
        f"""
Written to {folder}:
  report.html  the class as a page, the doubtful answers first, each explained: open it in a browser
  graded.csv   label, score, confidence and explanation for each answer, the teacher's label beside them
  class.csv    the class as a teacher has it: questions, references, answers (and labels, which were not used)
  gold.txt     the teacher's labels, three-way, in the format of the 2013 challenge
  run.txt      Postil's labels, in the same format

Try next:
  {postil} grade {inside("class.csv")} -o {inside("again.xlsx")} --report {inside("again.html")} --explain
  {postil} grade {inside("class.csv")} --propose 2
  {postil} align "the puddle dries up" "the water evaporates"
  {postil} analyse "the puddle is gone b/c the sun made it evaporate"
  {postil} score responses {inside("run.txt")} {inside("gold.txt")}"""
    )


def _write_and_score(folder: Path, graded: Sequence[GradedQuestion]) -> None:
    """Write the result as a table, as a page and in the challenge's format, and print its score."""
    from postil.cli.grade_table import columns, pairs, result_rows
    from postil.data.formats.rows import write_rows
    from postil.data.formats.sra import LabelledItem, write_gold, write_run
    from postil.explain.class_report import class_report
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
