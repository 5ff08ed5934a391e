"""A whole dataset: results match the input, finished parts stay, and obstacles are reported."""

from __future__ import annotations

import csv
import errno
import gzip
import json
import os
from dataclasses import replace
from pathlib import Path

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from engine_data import json_lines, table
from stub_judge_engine import judged

from postil.batch import dataset as onequestion
from postil.batch import dataset as planning
from postil.batch import partitions, worker
from postil.batch.dataset import grade_dataset, only_run
from postil.batch.partitions import cut, read_batches
from postil.batch.parts import part_path, read_tally
from postil.batch.work import Tally
from postil.batch.worker import COLUMNS
from postil.errors import PostilError


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "data"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.csv").write_text(table(23))
    (folder / "deep" / "b.csv.gz").write_bytes(gzip.compress(table(9, 100).encode()))
    (folder / "c.jsonl").write_text(json_lines(17))
    stored = pa.table(
        {
            "id": pa.array(range(12), pa.int16()),
            "question": pa.array(["Why?"] * 12).dictionary_encode(),
            "reference": ["So."] * 12,
            "answer": [None if n % 4 == 0 else "z" * n for n in range(12)],
            "nested": [{"a": [n, None]} for n in range(12)],
        }
    ).replace_schema_metadata({"by": "the board"})
    pq.write_table(stored, folder / "d.parquet", row_group_size=5)
    return folder


@pytest.fixture
def small(monkeypatch):
    """Partitions of some rows only."""
    monkeypatch.setattr(planning, "cut", lambda source: cut(source, 200))
    monkeypatch.setattr(partitions, "_MOST_ROWS", 5)


def read(path):
    with path.open(newline="") as file:
        return list(csv.reader(file))


@pytest.mark.usefixtures("small")
def test_every_row_comes_out_as_it_went_in(data, work, here, tmp_path):
    report = grade_dataset(str(data), work, here)
    out = tmp_path / "out"
    assert (report.graded, report.failed) == (["a.csv", "c.jsonl", "d.parquet", "deep/b.csv.gz"], {})
    assert report.tally.rows == report.rows_judged == 23 + 9 + 17 + 12
    for before, after in ((table(23), out / "a.csv"), (table(9, 100), out / "deep" / "b.csv")):
        wanted = list(csv.reader(before.splitlines(keepends=True)))
        assert [row[:4] for row in read(after)] == wanted
        assert read(after)[0][4:] == list(COLUMNS)
        assert [row[4] for row in read(after)[1:]] == [judged(row[3]).labels["5way"] for row in wanted[1:]]
    lines = (out / "c.jsonl").read_text().splitlines()
    for before, after in zip(json_lines(17).splitlines(), lines, strict=True):
        assert after.startswith(before.removesuffix("}") + ', "postil_label"')
        assert list(json.loads(after))[-len(COLUMNS) :] == list(COLUMNS)
    stored, found = pq.read_table(data / "d.parquet"), pq.read_table(out / "d.parquet")
    assert found.select(stored.column_names).equals(stored)
    assert found.schema.metadata[b"by"] == b"the board"
    assert found.schema.field("question").type == stored.schema.field("question").type


@pytest.mark.usefixtures("small")
def test_a_manifest_says_what_a_result_is(data, work, here, tmp_path):
    report = grade_dataset(str(data), work, here)
    told = json.loads((tmp_path / "out/_postil/manifests/deep/b.csv.json").read_text())
    assert told["input"]["name"] == "deep/b.csv.gz"
    assert told["input"]["bytes"] == (data / "deep" / "b.csv.gz").stat().st_size
    assert len(told["input"]["sha256"]) == len(told["model"]) == 64
    assert (told["rows"], told["tally"]["rows"]) == (9, 9)
    assert told["options"]["scheme"] == "5way"
    assert {"postil", "result"} < set(told)
    tallies = [
        Tally(**json.loads(path.read_text())["tally"])
        for path in (tmp_path / "out/_postil/manifests").rglob("*.json")
    ]
    assert sum(tallies, Tally()) == report.tally


def test_nothing_but_results_manifests_and_the_lock_stay(data, work, here, tmp_path):
    grade_dataset(str(data), work, here)
    own = tmp_path / "out" / "_postil"
    assert sorted(path.name for path in own.iterdir()) == ["lock", "manifests"]


def test_line_ends_marks_and_delimiters_stay(tmp_path, work, here):
    head = b"\xef\xbb\xbfid;question;reference;answer\r\n"
    (tmp_path / "a.csv").write_bytes(head + b'1;Q;r;"a;b"\r\n"2";Q;r;1,5')
    grade_dataset(str(tmp_path / "a.csv"), work, here)
    written = (tmp_path / "out" / "a.csv").read_bytes()
    first, second, third = written.split(b"\r\n")[:3]
    assert first == head.strip() + b";" + ";".join(COLUMNS).encode()
    assert second.startswith(b'1;Q;r;"a;b";irrelevant;0.0002;0.6;false;')
    assert third.startswith(b'"2";Q;r;1,5;')
    assert written.endswith(b"\r\n")


def test_what_is_finished_stays(data, work, here, tmp_path, monkeypatch):
    first = grade_dataset(str(data), work, here)
    times = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").glob("*.*")}
    monkeypatch.setattr(worker, "judge_partition", None)
    again = grade_dataset(str(data), work, here)
    assert (again.graded, again.rows_judged, again.tally) == ([], 0, first.tally)
    assert sorted(again.before) == sorted(first.graded)
    assert times == {path: path.stat().st_mtime_ns for path in times}


@pytest.mark.usefixtures("small")
def test_an_interrupted_run_is_continued(data, work, here, tmp_path, monkeypatch):
    judge = worker.judge_partition
    seen = []

    def dying(work, task):
        if len(seen) == 4:
            raise KeyboardInterrupt
        seen.append(task)
        return judge(work, task)

    monkeypatch.setattr(worker, "judge_partition", dying)
    with pytest.raises(KeyboardInterrupt):
        grade_dataset(str(data), work, here)
    monkeypatch.setattr(worker, "judge_partition", judge)
    report = grade_dataset(str(data), work, here)
    assert report.tally.rows == 61
    assert report.rows_judged < 61
    undisturbed = replace(work, output=f"file://{tmp_path}/other")
    grade_dataset(str(data), undisturbed, here)
    for name in ("a.csv", "c.jsonl", "d.parquet", "deep/b.csv"):
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "other" / name).read_bytes()


def test_a_result_without_its_name_is_made_from_the_parts(data, work, here, tmp_path, monkeypatch):
    """Killed after the manifest was written and before the result got its name."""
    grade_dataset(str(data / "a.csv"), work, here)
    whole = (tmp_path / "out" / "a.csv").read_bytes()
    (tmp_path / "out" / "a.csv").unlink()
    assert grade_dataset(str(data / "a.csv"), work, here).graded == ["a.csv"]
    assert (tmp_path / "out" / "a.csv").read_bytes() == whole


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"scheme": "3way"}, "with other options"),
        ({"references": ("r",), "columns": {"reference": ""}}, "with other options"),
    ],
)
def test_other_options_do_not_overwrite(data, work, here, tmp_path, change, said):
    grade_dataset(str(data / "a.csv"), work, here)
    whole = (tmp_path / "out" / "a.csv").read_bytes()
    report = grade_dataset(str(data / "a.csv"), replace(work, **change), here)
    assert said in report.failed["a.csv"]
    assert (tmp_path / "out" / "a.csv").read_bytes() == whole


def test_a_changed_input_does_not_overwrite(data, work, here, tmp_path):
    grade_dataset(str(data / "a.csv"), work, here)
    (data / "a.csv").write_text(table(24))
    (why,) = grade_dataset(str(data / "a.csv"), work, here).failed.values()
    assert "a.csv: its result already exists, made from another file of this name" in why
    assert "Choose another folder" in why
    (tmp_path / "out" / "a.csv").unlink()
    assert grade_dataset(str(data / "a.csv"), work, here).tally.rows == 24


def test_a_file_of_somebody_else_is_not_overwritten(data, work, here, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a.csv").write_text("mine")
    report = grade_dataset(str(data), work, here)
    assert "already exists, but it is not a result of Postil" in report.failed["a.csv"]
    assert (tmp_path / "out" / "a.csv").read_text() == "mine"
    assert len(report.graded) == 3


@pytest.mark.parametrize(
    ("dataset", "said"),
    [
        ("", "is the dataset itself"),
        ("/../data", "itself"),
        ("/*.csv", "is inside the output folder"),
        ("/a.csv", "is inside"),
    ],
)
def test_a_folder_cannot_be_its_own_result(data, work, here, dataset, said):
    report_on = replace(work, output=str(data))
    with pytest.raises(PostilError, match=said):
        grade_dataset(f"{data}{dataset}", report_on, here)


def test_a_result_below_the_dataset_is_no_input(data, work, here):
    inside = replace(work, output=f"{data}/../data/graded")
    assert len(grade_dataset(str(data), inside, here).graded) == 4
    again = grade_dataset(str(data), inside, here)
    assert (len(again.before), again.failed) == (4, {})


def test_corrupt_files_are_reported_and_the_others_graded(data, work, here):
    (data / "bad.parquet").write_bytes(b"PAR1")
    (data / "worse.csv").write_text("id,question,reference,answer\n1,Q,r\n")
    (data / "nothing.csv").write_text("")
    report = grade_dataset(str(data), work, here)
    assert len(report.graded) == 4
    assert sorted(report.failed) == ["bad.parquet", "nothing.csv", "worse.csv"]
    assert "line 2: this row has 3 cells" in report.failed["worse.csv"]


def test_a_mistake_of_our_own_fails_one_file_and_repeats_nothing(data, work, here, monkeypatch):
    def failing(batch, *_):
        raise RuntimeError("zzzz, said the pupil")

    monkeypatch.setattr(worker, "judge_batch", failing)
    report = grade_dataset(str(data), work, here)
    assert len(report.failed) == 4
    assert "pupil" not in str(report.failed)
    assert "RuntimeError" in report.failed["a.csv"]


@pytest.mark.usefixtures("small")
def test_rows_of_a_file_that_fails_are_not_counted_among_the_results(data, work, here, monkeypatch):
    judge = worker.judge_partition

    def failing(work, task):
        done = judge(work, task)
        is_last = task.partition.source.name == "a.csv" and task.partition.number == task.of - 1
        return replace(done, error="a.csv: too bad") if is_last else done

    monkeypatch.setattr(worker, "judge_partition", failing)
    report = grade_dataset(str(data), work, here)
    assert report.failed == {"a.csv": "a.csv: too bad"}
    assert report.tally.rows == sum(report.tally.labels.values()) == 9 + 17 + 12
    assert report.rows_judged > report.tally.rows
    assert report.bytes_done == pytest.approx(report.bytes)  # nothing more will come


def test_an_engine_that_loses_something_is_found_out(data, work, here):
    class Forgetful:
        def run(self, work, sources):
            yield from list(here.run(work, sources))[1:]

    report = grade_dataset(str(data), work, Forgetful())
    assert "a.csv: was not finished" in report.failed["a.csv"]


def test_a_second_run_is_refused_while_the_first_one_writes(data, work, here, tmp_path):
    with only_run(work.output) as is_alone:
        assert is_alone
        with pytest.raises(PostilError, match="another `postil grade` is writing into this folder"):
            grade_dataset(str(data), work, here)
    assert grade_dataset(str(data), work, here).failed == {}


def test_parts_of_a_run_with_other_options_are_not_used(data, work, here, tmp_path, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr("postil.batch.dataset.assemble", _interrupt)
        with pytest.raises(KeyboardInterrupt):
            grade_dataset(str(data / "a.csv"), work, here)
    assert list(tmp_path.glob("out/_postil/parts/*/*.arrow"))
    report = grade_dataset(str(data / "a.csv"), replace(work, scheme="2way"), here)
    assert (report.rows_judged, report.tally.labels) == (23, {"correct": 23})
    assert not (tmp_path / "out/_postil/parts").exists()


def _interrupt(*_):
    raise KeyboardInterrupt


def test_a_part_without_its_end_is_judged_again(data, work, here, tmp_path, monkeypatch):
    """Arrow would take a stream that ends between two batches for a complete one."""
    monkeypatch.setattr("postil.batch.worker.read_batches", lambda *found: read_batches(*found, rows=10))
    with monkeypatch.context() as patched:
        patched.setattr("postil.batch.dataset.assemble", _interrupt)
        with pytest.raises(KeyboardInterrupt):
            grade_dataset(str(data / "a.csv"), work, here)
    (part,) = tmp_path.glob("out/_postil/parts/*/*.arrow")
    whole = part.read_bytes()
    for torn in (whole[:-8], whole[: len(whole) // 2], b""):
        part.write_bytes(torn)
        assert read_tally(str(part)) is None
    part.write_bytes(whole[:-8])
    assert sum(map(len, pa.ipc.open_stream(part))) == 23
    report = grade_dataset(str(data / "a.csv"), work, here)
    assert (report.rows_judged, report.tally.rows) == (23, 23)


def test_a_part_that_is_gone_fails_its_file_alone(data, work, here, monkeypatch):
    """As on a cluster whose nodes do not share the folder."""
    judge = worker.judge_partition

    def elsewhere(work, task):
        done = judge(work, task)
        if task.partition.source.name == "a.csv":
            Path(part_path(work, task).removeprefix("file://")).unlink()
        return done

    monkeypatch.setattr(worker, "judge_partition", elsewhere)
    report = grade_dataset(str(data), work, here)
    assert (len(report.graded), report.stopped) == (3, "")
    assert "do all nodes share this folder?" in report.failed["a.csv"]


def test_a_result_is_on_the_disk_before_it_has_its_name(data, work, here, monkeypatch):
    synced = []
    monkeypatch.setattr("postil.batch.storage.os.fsync", lambda file: synced.append(os.fstat(file).st_size))
    grade_dataset(str(data / "a.csv"), work, here)
    assert len(synced) == 3  # a part, the manifest, the result
    assert all(synced)


def test_finished_files_are_compared_and_not_read_through(data, work, here, monkeypatch):
    grade_dataset(str(data), work, here)
    monkeypatch.setattr(planning, "cut", None)
    assert len(grade_dataset(str(data), work, here).before) == 4


def test_a_damaged_manifest(data, work, here, tmp_path):
    grade_dataset(str(data / "a.csv"), work, here)
    for damaged in ("{", "{}", '{"input": 1}'):
        (tmp_path / "out/_postil/manifests/a.csv.json").write_text(damaged)
        (why,) = grade_dataset(str(data / "a.csv"), work, here).failed.values()
        assert "manifest" in why
        assert "delete that file" in why


def test_whether_a_result_is_there_must_be_known(data, work, here, monkeypatch):
    """A storage that does not answer is not taken for one without the result."""

    def unsure(url):
        raise OSError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT))

    monkeypatch.setattr("postil.batch.storage.exists", unsure)
    (why,) = grade_dataset(str(data / "a.csv"), work, here).failed.values()
    assert why == "a.csv: cannot be read: Connection timed out."


def test_a_store_reads_patterns_where_names_are_meant(data, work, here):
    with pytest.raises(PostilError, match="is a pattern"):
        grade_dataset(str(data), replace(work, output="memory://graded[1]"), here)


def test_parts_of_another_dataset_stay(data, work, here, tmp_path, monkeypatch):
    """A night's work on one file is not lost when another one is graded into the same folder."""
    with monkeypatch.context() as patched:
        patched.setattr("postil.batch.dataset.assemble", _interrupt)
        with pytest.raises(KeyboardInterrupt):
            grade_dataset(str(data / "a.csv"), work, here)
    assert grade_dataset(str(data / "c.jsonl"), work, here).graded == ["c.jsonl"]
    report = grade_dataset(str(data / "a.csv"), work, here)
    assert (report.graded, report.rows_judged, report.tally.rows) == (["a.csv"], 0, 23)
    assert not (tmp_path / "out/_postil/parts").exists()


def test_another_file_system(data, work, here):
    files = fsspec.filesystem("memory")
    for name in ("a.csv", "d.parquet"):
        files.pipe(f"/board/{name}", (data / name).read_bytes())
    report = grade_dataset("memory://board", replace(work, output="memory://graded"), here)
    assert report.graded == ["a.csv", "d.parquet"]
    assert grade_dataset("memory://board", replace(work, output="memory://graded"), here).before
    local = grade_dataset(str(data / "a.csv"), work, here)
    assert local.tally.rows == 23
    found = files.cat_file("/graded/a.csv")
    assert found == (data.parent / "out" / "a.csv").read_bytes()
    files.rm("/board", recursive=True)
    files.rm("/graded", recursive=True)


def test_progress_is_told_in_rows_and_bytes(data, work, here):
    seen = []
    grade_dataset(str(data), work, here, lambda report: seen.append((report.bytes_done, report.rows)))
    assert [rows for _, rows in seen] == [23, 40, 52, 61]
    assert seen[-1][0] == sum(path.stat().st_size for path in data.rglob("*.*"))


def one_reference(folder, *questions):
    """A dataset without references: a file for each question, and a damaged one."""
    folder.mkdir()
    for number, question in enumerate(questions):
        (folder / f"{number}.csv").write_text(f"question_id,question,answer\n{number},{question},a\n,,b\n")
    (folder / "z.parquet").write_bytes(b"no Parquet")
    return str(folder)


def test_references_for_all_are_for_one_question(here, work, tmp_path):
    given = replace(work, references=("It is less dense.",))
    report = grade_dataset(one_reference(tmp_path / "one", "Why?", " Why?"), given, here)
    assert (report.graded, list(report.failed)) == (["0.csv", "1.csv"], ["z.parquet"])


@pytest.mark.parametrize("questions", [("Why?", "Why not?"), ("", "")], ids=["by text", "by id"])
def test_references_for_all_and_several_questions_are_refused(here, work, tmp_path, questions):
    given = replace(work, references=("It is less dense.",))
    with pytest.raises(PostilError, match=r"1\.csv: the rows answer several questions"):
        grade_dataset(one_reference(tmp_path / "two", *questions), given, here)
    assert not (tmp_path / "out").exists()


def test_references_for_all_and_a_store_with_errors_of_its_own(here, work, tmp_path, monkeypatch):
    def refused(source):
        if source.name == "0.csv":
            raise RuntimeError("who are you?")
        return cut(source)

    for module in (onequestion, planning):
        monkeypatch.setattr(module, "cut", refused)
    given = replace(work, references=("It is less dense.",))
    report = grade_dataset(one_reference(tmp_path / "store", "Why?", "Why?"), given, here)
    assert (report.graded, sorted(report.failed)) == (["1.csv"], ["0.csv", "z.parquet"])
