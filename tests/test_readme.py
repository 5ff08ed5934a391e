"""What the front page shows is what Postil gives."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

README = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
TABLE = """id,question,reference,answer
a1,Why does ice float?,Ice is less dense than water.,ice floats on water because it has a lower density
a2,Why does ice float?,Ice is less dense than water.,ice is heavier than water
"""


def block(language: str, beginning: str) -> str:
    """The code block of a language that begins like this."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    return next(text for text in blocks if text.startswith(beginning))


def output_of(*arguments: str, folder: Path) -> str:
    command = [sys.executable, "-X", "utf8", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", check=True)
    return done.stdout


def test_the_graded_answers(tmp_path: Path) -> None:
    (tmp_path / "ice.csv").write_text(TABLE, "utf-8")
    command, shown = block("console", "$ postil grade").removeprefix("$ postil ").split("\n", 1)
    output = output_of("-m", "postil", *command.split(), folder=tmp_path)
    assert [line.rstrip() for line in output.splitlines()] == shown.splitlines()


def test_the_program(tmp_path: Path) -> None:
    program = block("python", "import postil")
    comment = re.search(r"# (.+)", program)
    assert comment
    assert output_of("-c", program, folder=tmp_path) == f"{comment[1]}\n"
