"""The programs in the API's guide run as they are printed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

GUIDE = Path(__file__).parents[2] / "docs" / "developers" / "api.md"
CLASS = 'id,answer\nu1,"it is less dense, of course"\nu2,it is cold\nu3,\n'


def program(section):
    """The first Python program of a section, exactly as it is printed."""
    text = GUIDE.read_text("utf-8").partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    return re.search(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)[1]


@pytest.fixture
def run(server, tmp_path):
    """A function that runs a program of the guide in a folder with a class in it."""

    def run(section):
        (tmp_path / "class.csv").write_text(CLASS, "utf-8")
        (tmp_path / "program.py").write_text(program(section), "utf-8")
        environment = {**os.environ, "POSTIL_ADDRESS": server.address, "POSTIL_TOKEN": server.token}
        environment["PYTHONPATH"] = os.pathsep.join(sys.path)
        command = [sys.executable, "-W", "error", "-X", "utf8", "program.py"]
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    return run


def test_the_class_takes_ten_lines():
    assert sum(bool(line.strip()) for line in program("A class in ten lines").splitlines()) <= 10


def test_the_class_is_graded(run, postil):
    lines = run("A class in ten lines")
    assert lines[-4] == "3 of 3"
    assert [line.split()[0] for line in lines[-3:]] == ["u1", "u2", "u3"]
    (course,) = (one for one in postil.list_courses() if one.name == "Physics 7b")
    (question,) = postil.list_questions(course.id)
    shown = [(one.key, one.label) for one in postil.list_answers(question.id)]
    assert shown == [tuple(line.split()[:2]) for line in lines[-3:]]
    postil.delete_course(course.id)


def test_an_answer_is_judged_at_once(run):
    assert [line.split()[-2:] for line in run("At once, storing nothing")] == [["Look", "again."]]
