"""What the page about rubrics shows is what Postil gives: from the files on it to the points on it."""

from __future__ import annotations

import csv
import re
import shlex
import subprocess
import sys
from pathlib import Path

PAGE = (Path(__file__).parents[1] / "docs" / "rubrics.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def table(beginning: str) -> list[list[str]]:
    """The rows of the table whose first column is so called, with its heading."""
    lines = PAGE[PAGE.index(f"| {beginning} |") :].split("\n\n", 1)[0].splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [cells[0], *cells[2:]]


def run(*arguments: str, folder: Path) -> str:
    command = [sys.executable, "-X", "utf8", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", check=True).stdout


def files(folder: Path) -> None:
    for name, text in zip(("class.csv", "rubric.csv"), blocks("csv"), strict=True):
        (folder / name).write_text(text, "utf-8")


def test_the_files_give_the_points(tmp_path: Path) -> None:
    files(tmp_path)
    (command,) = blocks("console")
    run("-m", "postil", *shlex.split(command.removeprefix("$ postil ")), folder=tmp_path)
    with (tmp_path / "graded.csv").open(encoding="utf-8-sig", newline="") as file:
        graded = list(csv.DictReader(file))
    items = range(1, 5)
    shown = [
        [row["id"], row["says"], row["points"], row["of"]]
        + [f"{row[f'item_{n}_outcome']} {row[f'item_{n}_points']}".strip() for n in items]
        for row in graded
    ]
    heading, *rows = table("id")
    assert heading == ["id", "says", "points", "of", *(f"item {n}" for n in items)]
    assert shown == rows


def test_the_program(tmp_path: Path) -> None:
    files(tmp_path)
    (program,) = blocks("python")
    comment = re.search(r"# (.+)", program)
    assert comment
    assert run("-c", program, folder=tmp_path) == f"{comment[1]}\n"
