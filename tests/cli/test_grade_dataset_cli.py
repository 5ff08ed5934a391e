"""`postil grade DATASET -o FOLDER`: its messages, what it refuses, and its exit status."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pytest

from postil.batch import worker
from postil.batch.dataset import Report, plan
from postil.batch.work import Done
from postil.cli import grade_folder
from postil.cli.grade_folder import duration, words
from postil.data.formats.rows import read_rows
from postil.data.judgements import Judgement, collapsed

LABELS = ("correct", "partially_correct_incomplete", "contradictory", "irrelevant", "non_domain")
TABLE = "id,question,reference,answer\n1,Why?,So.,because\n2,Why?,So.,\n3,Why?,,so\n"


class Judge:
    """Nothing is not an answer; all else is correct, and half of it doubtful."""

    def grade_many(self, questions, *, explain=False):
        for question in questions:
            yield question, [self.judged(answer.text) for answer in question.answers]

    def judged(self, text):
        label = "correct" if text else "non_domain"
        five = dict.fromkeys(LABELS, 0.05) | {label: 0.8}
        coarse = "correct" if text else "incorrect"
        labels = {"5way": label, "3way": coarse, "2way": coarse}
        return Judgement(labels, collapsed(five), 0.5, 0.8, deferred=bool(text))


class Here:
    """An engine in this process."""

    def run(self, work, sources):
        for source in sources:
            planned = plan(work, source)
            if isinstance(planned, Done):
                yield planned
            else:
                yield from (worker.judge_partition(work, task) for task in planned)


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(worker, "load_judge", lambda *_: Judge().grade_many)
    monkeypatch.setattr(grade_folder, "_engine", lambda *_: Here())
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.csv").write_text(TABLE)
    (tmp_path / "data" / "b.jsonl").write_text('{"question": "Q", "reference": "r", "answer": "s"}\n')
    return tmp_path / "data"


def test_a_folder_is_graded_into_a_folder(postil, data, tmp_path):
    status, out, err = postil("grade", "data", "-o", "graded")
    assert (status, err) == (0, "")
    assert re.match(r"Graded 2 files of 2 in \d+ s \(4 rows judged, [\d,.]+ answers a second\)\.\n", out)
    assert re.search(r"^correct +correct +2 +50\.0%$", out, re.MULTILINE)
    assert re.search(r"^non_domain +not an answer +1 +25\.0%$", out, re.MULTILINE)
    assert re.search(r"of them left to a person +2 +50\.0%$", out, re.MULTILINE)
    assert "No reference to compare with: 1 row, left without a label." in out
    assert out.endswith("The results are in graded.\n")
    assert (
        (tmp_path / "graded" / "a.csv").read_text().startswith("id,question,reference,answer,postil_label,")
    )
    status, out, _ = postil("grade", "data", "-o", "graded")
    assert status == 0
    assert "(0 rows judged); 2 files from earlier runs." in out


@pytest.mark.parametrize("dataset", ["data/*.csv", "data/a.csv", "file://{}/a.csv"])
@pytest.mark.parametrize("folder", ["out", "out/", "out.2024"])
def test_patterns_files_and_urls(postil, data, tmp_path, dataset, folder):
    status, out, _ = postil("grade", dataset.format(data), "-o", folder)
    assert (status, "Graded 1 file of 1" in out) == (0, True)
    assert (tmp_path / folder / "a.csv").is_file()


def test_options_reach_the_judge(postil, data, tmp_path):
    (tmp_path / "key.csv").write_text("question,reference\nWhich?,this\n")
    (tmp_path / "x.csv").write_text("reply,task\nit,which?\nthat,who?\n")
    status, out, err = postil(
        *("grade", "x.csv", "-o", "out", "--key", "key.csv", "--column", "answer=reply"),
        *("--column", "question=task", "--labels", "3way", "--credit", "partly right=0.6", "--target", ".9"),
    )
    assert (status, err) == (0, "")
    assert re.search(r"^incorrect +not correct +0 +0\.0%$", out, re.MULTILINE)
    rows = (tmp_path / "out" / "x.csv").read_text().splitlines()
    assert rows[1].startswith("it,which?,correct,")
    assert rows[2] == "that,who?,,,,,there is no reference to compare with,,"
    told = json.loads((tmp_path / "out/_postil/manifests/x.csv.json").read_text())["options"]
    assert told["target"] == 0.9
    assert told["credit"] == [["partially_correct_incomplete", 0.6]]


@pytest.mark.parametrize(
    ("setting", "option", "reader"),
    [("careful", (), "cascade"), ("careful", ("--reader", "careful"), "careful"), ("quick", (), "quick")],
)
def test_a_dataset_is_read_by_the_cascade_unless_told_otherwise(
    postil, data, tmp_path, monkeypatch, setting, option, reader
):
    monkeypatch.setenv("POSTIL_READER", setting)
    assert postil("grade", "data/a.csv", "-o", "out", *option)[0] == 0
    told = json.loads((tmp_path / "out/_postil/manifests/a.csv.json").read_text())["options"]
    assert told["reader"] == reader


def test_one_question_for_all(postil, data, tmp_path):
    (tmp_path / "x.jsonl").write_text('{"answer": 5}\n')
    status, *_ = postil("grade", "x.jsonl", "-o", "out", "--question", "2 + 3?", "--reference", "5")
    assert status == 0
    assert json.loads((tmp_path / "out" / "x.jsonl").read_text())["postil_label"] == "correct"


def test_failed_files_are_told_and_the_status_is_1(postil, data):
    (data / "c.csv").write_text("id,answer\n1\n")
    status, out, err = postil("grade", "data", "-o", "graded")
    assert status == 1
    assert "Graded 2 files of 3" in out
    assert err.startswith("failed: c.csv, line 2: this row has 1 cells, but the header has 2.")


def test_many_failed_files_are_counted(postil, data):
    for number in range(25):
        (data / f"{number}.csv").write_text("")
    _, _, err = postil("grade", "data", "-o", "graded")
    assert err.count("the file is empty") == 20
    assert err.endswith("failed: 5 more.\n")


def test_ctrl_c_says_how_to_continue(postil, data, monkeypatch):
    monkeypatch.setattr(worker, "judge_partition", _interrupt)
    status, _, err = postil("grade", "data", "-o", "graded")
    assert (status, err) == (130, "Stopped. The results so far are kept: run the same command to continue.\n")


def _interrupt(*_):
    raise KeyboardInterrupt


def test_what_cannot_be_written_stops_the_run(postil, data, tmp_path):
    (tmp_path / "graded").write_text("a file")
    status, _, err = postil("grade", "data", "-o", "graded/deep")
    assert status == 1
    assert re.fullmatch(
        r"postil: \S+: cannot be written: .+\n +Once this is fixed, run the same command .+\n", err
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("data", "-o", "out", "--report", "r.html"), "--report works with a single table"),
        (("data", "-o", "out", "--remember", "r.csv"), "--remember works with a single table"),
        (("data", "-o", "out", "--remember-labelled"), "--remember-labelled works with a single table"),
        (("data", "-o", "out", "--propose", "3"), "--propose works with a single table"),
        (("data", "-o", "out", "--sheet", "x"), "--sheet works with a single table"),
        (("data", "-o", "out", "--encoding", "cp1252"), "--encoding works with a single table"),
        (("data", "-o", "out", "--wide"), "--wide works with a single table"),
        (("data", "-o", "out", "--question", "A", "--question", "B"), "only one --question"),
        (("data", "-o", "out", "--target", "7"), "the target must lie between 0 and 1"),
        (("data", "-o", "data"), "is the dataset itself"),
        (("data/a.csv", "-o", "data"), "is inside the output folder"),
        (("data/a.csv", "-o", "-"), "To see the result here, leave out -o"),
        (("data/a.csv", "-o", ""), "-o names no file"),
        (("data/a.csv", "-o", ".csv"), "its name needs an ending"),
        (("data [1].csv",), "data [1].csv: does not exist"),
        (("nowhere", "-o", "out"), "does not exist"),
        (("data/*.xlsx", "-o", "out"), "holds no file that can be graded"),
        (("x.parquet",), "Name a folder with -o, as in: postil grade 'x.parquet' -o graded"),
        (("data/*.csv",), "is a folder of files"),
        (("s3://bucket/x.csv",), "is a folder of files"),
        (("data/a.csv", "-o", "out.parquet"), "is a folder of files"),
        (("data/a.csv", "--workers", "2"), "--workers is for datasets"),
        (("data/a.csv", "-o", "x.csv", "--engine", "ray"), "--engine is for datasets"),
    ],
)
def test_what_is_refused(postil, data, arguments, said):
    status, out, err = postil("grade", *arguments)
    assert (status, out) == (2, "")
    assert said in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(("--engine", "spark"), "Choose from: local, ray"), (("--address", "auto"), "Add --engine ray")],
)
def test_engines_that_cannot_be(postil, tmp_path, monkeypatch, arguments, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text(TABLE)
    status, _, err = postil("grade", "a.csv", "-o", "out", *arguments)
    assert (status, said in err) == (2, True)


def test_packages_that_are_missing_are_named(data, tmp_path):
    program = "import sys; sys.modules['pyarrow'] = None; from postil.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program, "grade", "data", "-o", "out"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "not installed (pyarrow)" in done.stderr
    assert "pip install 'postil[tables]'" in done.stderr


def test_progress_in_a_log_is_a_line_now_and_then(postil, data, monkeypatch):
    monkeypatch.setattr(grade_folder, "_EVERY", 0.0)
    _, _, err = postil("grade", "data", "-o", "graded")
    first, last = err.splitlines()
    assert re.fullmatch(r"\d+\.\d% done: 3 rows, [\d,.]+ answers/s, \d+ s left", first)
    assert last.startswith("100.0% done: 4 rows, ")


def test_the_time_left_is_reckoned_from_bytes_judged_now():
    report = Report(bytes=1000, bytes_done=700, bytes_judged=100, rows_judged=50, rows=350)
    assert words(report, 10.0) == "350 rows, 5.0 answers/s, 30 s left"
    assert words(Report(bytes=10, bytes_done=10, rows=3), 1.0) == "3 rows"


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.4, "0 s"), (75, "1 min 15 s"), (3_600, "1 h 0 min"), (90_000, "1 day 1 h"), (180_000, "2 days 2 h")],
)
def test_durations(seconds, said):
    assert duration(seconds) == said


ODD = """id,question,reference,answer,change
1,Why?,So.,=1+1,-1
2,Why?,So.,"so, =1",+2.5
3,Why?,So.,"@a,
b",-1e3
4,Why?,So.,'=1,0
"""


def test_answers_of_a_dataset_are_no_formulas_either(postil, data, tmp_path):
    (data / "a.csv").write_text(ODD)
    assert postil("grade", "data", "-o", "graded")[0] == 0
    assert postil("grade", "data", "-o", "raw", "--raw")[0] == 0
    safe, raw = ((tmp_path / folder / "a.csv").read_text() for folder in ("graded", "raw"))
    for row in ("1,Why?,So.,=1+1,-1,", '3,Why?,So.,"@a,\nb",-1e3,', "4,Why?,So.,'=1,0,"):
        assert f"\n{row}correct" in raw
    assert "1,Why?,So.,'=1+1,-1,correct" in safe
    assert '2,Why?,So.,"so, =1",+2.5,correct' in safe
    assert '3,Why?,So.,"\'@a,\nb",-1e3,correct' in safe
    assert "4,Why?,So.,''=1,0,correct" in safe
    answers = [row.cells[3] for row in read_rows(tmp_path / "graded" / "a.csv").rows]
    assert answers == ["=1+1", "so, =1", "@a,\nb", "'=1"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
@pytest.mark.usefixtures("data")
def test_only_their_owner_can_read_the_results_of_a_dataset(postil, tmp_path):
    assert postil("grade", "data", "-o", "graded")[0] == 0
    written = [
        path for path in (tmp_path / "graded").rglob("*") if path.suffix in (".csv", ".jsonl", ".json")
    ]
    assert len(written) == 4
    assert {path.stat().st_mode & 0o777 for path in written} == {0o600}
