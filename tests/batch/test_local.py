"""The engine of one computer: real processes; nothing is lost when one dies, and each has one thread."""

from __future__ import annotations

import csv
import os
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import replace

import pytest
from engine_data import table

from postil.batch import engines
from postil.batch.dataset import grade_dataset, plan
from postil.batch.engines import LocalEngine
from postil.batch.processes import single_threaded
from postil.batch.storage import find_sources
from postil.batch.work import Done
from postil.data.formats.tables import read_table
from postil.grader import load


def test_results_are_those_of_the_library(tmp_path, work):
    """The one test with the real model."""
    data = tmp_path / "a.csv"
    data.write_text(table(7))
    report = grade_dataset(str(data), replace(work, explain=True), LocalEngine(1))
    assert (report.graded, report.tally.rows) == (["a.csv"], 7)
    ((_, wanted),) = load().grade_many(read_table(data), explain=True)
    found = read_rows_of(tmp_path / "out" / "a.csv")
    assert [row["postil_label"] for row in found] == [one.label for one in wanted]
    scores = [float(row["postil_score"]) for row in found]
    assert scores == pytest.approx([one.score for one in wanted], abs=1e-4)
    told = [one.explanation for one in wanted]
    assert [row["postil_explanation"] for row in found] == [one.teacher if one else "" for one in told]
    assert [row["postil_feedback"] for row in found] == [one.student if one else "" for one in told]
    assert any(told)


def read_rows_of(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_planning_waits_until_it_is_needed(tmp_path, work, monkeypatch):
    """A dataset of a thousand files is not read before the first answer is judged."""
    for number in range(50):
        (tmp_path / f"{number:02}.csv").write_text("broken")
    planned = []

    def plan(work, source):
        planned.append(source.name)
        return Done(source, error="broken")

    monkeypatch.setattr(engines, "plan", plan)
    found = LocalEngine(1).run(work, find_sources(str(tmp_path)))
    assert next(found).source.name == "00.csv"
    assert planned == ["00.csv"]
    assert len(list(found)) == 49


def test_workers_that_end_whatever_they_are_given_stop_the_run(tmp_path, work, monkeypatch):
    """Without enough memory for a model, say: trying every partition of a dataset would take for ever."""
    (tmp_path / "a.csv").write_text(table(40))
    monkeypatch.setattr(engines, "plan", lambda work, source: _tasks(work, source, 30))
    monkeypatch.setattr(engines, "LeashedPool", _dying_pool)
    report = grade_dataset(str(tmp_path / "a.csv"), work, LocalEngine(2))
    assert report.stopped.startswith("the workers crashed 8 times before anything was graded.")
    assert report.tally.rows == 0


def _tasks(work, source, count):
    (task,) = plan(work, source)
    return [
        replace(task, partition=replace(task.partition, number=number), of=count) for number in range(count)
    ]


@contextmanager
def _dying_pool(*_):
    class Pool:
        def submit(self, *_):
            dead = Future()
            dead.set_exception(BrokenProcessPool())
            return dead

    yield Pool()


def test_suspects_are_judged_one_after_the_other(tmp_path, work, monkeypatch):
    """Two workers were killed: the one at work is not blamed, and the model is loaded once."""
    (tmp_path / "a.csv").write_text(table(40))
    source = find_sources(str(tmp_path / "a.csv"))[0]
    monkeypatch.setattr(engines, "plan", lambda work, source: _tasks(work, source, 9))
    pools = []

    @contextmanager
    def pool(workers, *_):
        pools.append(workers)
        dies = len(pools) <= 2

        class Pool:
            def submit(self, _, task):
                found = Future()
                if dies:
                    found.set_exception(BrokenProcessPool())
                else:
                    found.set_result(Done(task.partition.source, task))
                return found

        yield Pool()

    monkeypatch.setattr(engines, "LeashedPool", pool)
    found = [done.task.partition.number for done in LocalEngine(2).run(work, [source])]
    assert sorted(found) == list(range(9))
    assert pools == [2, 2, 1, 2]


def test_the_environment_is_put_back(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    with single_threaded():
        assert (os.environ["OMP_NUM_THREADS"], os.environ["MKL_NUM_THREADS"]) == ("3", "1")
    assert "MKL_NUM_THREADS" not in os.environ
