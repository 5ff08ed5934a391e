"""`postil demo`: it runs anywhere, and what it writes can be read and scored again."""

from __future__ import annotations

import json
import re
import shlex
import sys
import webbrowser

import pytest
from typer.testing import CliRunner

from postil.cli import demo as command
from postil.cli.grade_table import columns
from postil.cli.main import app
from postil.cli.serve import ServeOptions
from postil.data.formats.rows import read_rows
from postil.data.formats.sra import read_labels
from postil.data.formats.tables import read_table
from postil.data.labels import RESPONSE_SCHEMES

FILES = {"class.csv", "graded.csv", "report.html", "gold.txt", "run.txt"}


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """The demo's folder and what it printed: grading the class takes a while, so it is done once."""
    folder = tmp_path_factory.mktemp("somewhere") / "class"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["postil"])
        result = CliRunner().invoke(app, ["demo", "--folder", str(folder)])
    assert (result.exit_code, result.stderr) == (0, "")
    return folder, result.stdout


def test_the_demo_writes_files_that_score_as_it_says(postil, shown):
    folder, out = shown
    assert {path.name for path in folder.iterdir()} == FILES
    printed = float(re.search(r"^macro_f1 +([0-9.]+)", out, re.MULTILINE)[1])
    status, scored, err = postil("score", "responses", folder / "run.txt", folder / "gold.txt", "--json")
    assert (status, err) == (0, "")
    data = json.loads(scored)
    assert data["macro_f1"] == pytest.approx(printed, abs=5e-5)
    assert data["scheme"] == "3way"
    # One label for all would be right for half of them.
    assert 0.6 < data["accuracy"] < 1


def test_the_class_is_written_as_it_was_graded(shown):
    folder, out = shown
    questions = read_table(folder / "class.csv")
    answers = {answer.id: answer for question in questions for answer in question.answers}
    gold = {item.id: item.label for item in read_labels(folder / "gold.txt", RESPONSE_SCHEMES)}
    run = {item.id: item.label for item in read_labels(folder / "run.txt", RESPONSE_SCHEMES)}
    three = RESPONSE_SCHEMES["3way"]
    assert {id: three.collapse(answer.label) for id, answer in answers.items()} == gold
    rows = read_rows(folder / "graded.csv")
    assert rows.header == columns(explained=True)
    assert rows.column("id") == list(answers)
    assert rows.column("teacher") == [answer.label for answer in answers.values()]
    graded = dict(zip(rows.column("id"), rows.column("label"), strict=True))
    assert {id: three.collapse(label) for id, label in graded.items()} == run
    deferred = rows.column("deferred").count("yes")
    assert (f"look at {deferred}." if deferred else "none is left") in out


def test_the_first_question_and_the_agreement_are_shown(shown):
    folder, out = shown
    question, *others = read_table(folder / "class.csv")
    assert question.text in out
    assert all(answer.id in out for answer in question.answers)
    assert not any(other.text in out for other in others)
    assert "teacher" in out
    assert re.search(
        r"not used: \d+\.\d% \(correct or not: \d+ of 126\), \d+\.\d% \(5 labels: \d+ of 126\)", out
    )


def test_the_page_stands_alone(shown):
    folder, _ = shown
    page = (folder / "report.html").read_text("utf-8")
    assert not re.search(r"<script|<link|<img|src=|https?://", page)
    assert all(f'id="q{number}"' in page for number in range(1, 11))


def test_every_answer_that_a_model_judged_is_explained(shown):
    folder, _ = shown
    rows = read_rows(folder / "graded.csv")
    told = rows.column("feedback")
    assert [bool(text) for text in told] == [not because for because in rows.column("because")]
    # A correct answer may have nothing to explain; what is not correct always has a note, if it is an answer.
    notes = dict.fromkeys(rows.column("label"), 0)
    for label, note in zip(rows.column("label"), rows.column("explanation"), strict=True):
        notes[label] += bool(note)
    assert notes["contradictory"] == rows.column("label").count("contradictory")
    page = (folder / "report.html").read_text("utf-8")
    assert page.count("Alignment of answer and reference") == len([text for text in told if text])
    assert len(page) < 10_000 * len(told)


@pytest.mark.slow
def test_what_it_proposes_works(postil, shown):
    _, out = shown
    proposed = [shlex.split(line)[1:] for line in out.splitlines() if line.startswith("  postil ")]
    assert len(proposed) >= 4
    for arguments in proposed:
        status, said, err = postil(*arguments)
        assert status == 0, arguments
        assert said or err


def test_the_same_every_time(postil, monkeypatch, tmp_path, shown):
    monkeypatch.chdir(tmp_path)
    assert postil("demo")[0] == 0
    folder, _ = shown
    for name in FILES:
        assert (tmp_path / "postil-demo" / name).read_bytes() == (folder / name).read_bytes()


def test_a_place_that_cannot_be_written(postil, tmp_path, monkeypatch):
    monkeypatch.setattr("postil.grader.load", None)  # it shows before the grading
    (tmp_path / "file").write_text("here", encoding="utf-8")
    status, _, err = postil("demo", "--folder", tmp_path / "file")
    assert status == 2
    assert err.startswith("postil: ")


class Terminal:
    """A stream that a person sits at."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def at_a_desk(monkeypatch):
    """A terminal, a screen and a browser, without the grading; gives what the workbench was opened with."""
    opened: list[tuple[ServeOptions, bool]] = []
    monkeypatch.setattr(command, "_grade_and_write", lambda folder, postil: None)
    monkeypatch.setattr("postil.cli.serve.run", lambda options, alone: opened.append((options, alone)))
    monkeypatch.setattr(command, "_has_person", lambda environment: not environment.get("CI"))
    monkeypatch.setattr(webbrowser, "get", lambda using=None: webbrowser.GenericBrowser("true"))
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.delenv("CI", raising=False)
    return opened


def test_without_a_terminal_it_says_how_to_open_the_workbench(shown):
    _, out = shown
    assert out.rstrip().endswith("postil serve --local --example")


def test_at_a_desk_the_workbench_opens_on_the_class(postil, at_a_desk):
    status, out, err = postil("demo")
    assert (status, err) == (0, "")
    # Not alone: who has a workbench open over the same file stays in.
    assert at_a_desk == [(ServeOptions(local=True, port=0, example=True), False)]
    assert "Ctrl-C here closes it" in out


@pytest.mark.parametrize("missing", ["person", "screen", "browser", "packages", "will"])
def test_nothing_opens_where_something_is_missing(postil, at_a_desk, monkeypatch, missing):
    options = []
    if missing == "person":
        monkeypatch.setenv("CI", "true")
    elif missing == "screen":
        monkeypatch.delenv("DISPLAY")
        monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    elif missing == "browser":
        monkeypatch.setattr(webbrowser, "get", _no_browser)
    elif missing == "packages":
        monkeypatch.setitem(sys.modules, "uvicorn", None)
    else:
        options = ["--report-only"]
    status, out, err = postil("demo", *options)
    assert (status, err) == (0, "")
    assert at_a_desk == []
    assert "serve --local --example" in out
    assert ("pip install 'postil[serve]'" in out) == (missing == "packages")


def _no_browser(using=None):
    raise webbrowser.Error("could not locate runnable browser")


def test_who_is_at_the_terminal(monkeypatch):
    monkeypatch.setattr(sys, "stdin", Terminal())
    monkeypatch.setattr(sys, "stdout", Terminal())
    assert command._has_person({})
    assert not command._has_person({"CI": "true"})
    monkeypatch.setattr(sys, "stdin", None)
    assert not command._has_person({})


@pytest.mark.parametrize(
    ("platform", "environment", "seen"),
    [
        ("linux", {"DISPLAY": ":0"}, True),
        ("linux", {"WAYLAND_DISPLAY": "wayland-0"}, True),
        ("linux", {}, False),
        ("darwin", {}, True),
        ("win32", {}, True),
        ("darwin", {"SSH_CONNECTION": "192.0.2.1 50000 192.0.2.2 22"}, False),
        ("linux", {"SSH_CONNECTION": "192.0.2.1 50000 192.0.2.2 22", "DISPLAY": "localhost:10.0"}, True),
    ],
)
def test_where_a_browser_would_be_seen(monkeypatch, platform, environment, seen):
    monkeypatch.setattr(webbrowser, "get", lambda using=None: webbrowser.GenericBrowser("true"))
    assert command._has_browser(environment, platform) is seen
