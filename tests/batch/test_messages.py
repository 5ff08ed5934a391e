"""What engines send to other computers comes back as it was."""

from __future__ import annotations

from dataclasses import replace

import pytest
from engine_data import table

from postil.batch.dataset import plan
from postil.batch.engines import read_done, read_source, read_task, to_json
from postil.batch.parts import part_path
from postil.batch.storage import find_sources
from postil.batch.work import Done, Tally


@pytest.fixture
def source(tmp_path):
    (tmp_path / "a.csv").write_text(table(5))
    return find_sources(str(tmp_path / "a.csv"))[0]


def test_sources_tasks_and_what_came_of_them(work, source):
    (task,) = plan(work, source)
    assert read_source(to_json(source)) == source
    again = read_task(to_json(task))
    assert again == task
    assert hash(again) == hash(task)
    for done in (
        Done(source, task, Tally(3, {"correct": 2}, 1, 1)),
        Done(source, before=True),
        Done(source, task, error="no room", stop=True),
    ):
        assert read_done(to_json(done)) == done


def test_parts_of_another_run_input_or_file_have_another_place(work, source):
    (task,) = plan(work, source)
    other = replace(task.partition, source=replace(source, name="b.csv"))
    places = {
        part_path(work, task),
        part_path(replace(work, run="{}"), task),
        part_path(work, replace(task, sha256="0")),
        part_path(work, replace(task, of=2)),
        part_path(work, task, 1),
        part_path(work, replace(task, partition=other)),
    }
    assert len(places) == 6
