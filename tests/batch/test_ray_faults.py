"""A node of a Ray cluster is killed while it judges, and nobody can tell from the result."""

from __future__ import annotations

import pytest
from engine_data import table
from ray_processes import results, run_script
from ray_stub import DOOMED, NOTES

from postil.batch.dataset import grade_dataset
from postil.batch.work import Work

pytestmark = pytest.mark.slow

FILES, ROWS = 6, 10


def test_killed_node_changes_nothing(tmp_path, here):
    dataset, notes = tmp_path / "dataset", tmp_path / "notes"
    dataset.mkdir()
    for number in range(FILES):
        (dataset / f"class{number}.csv").write_text(table(ROWS, first=number * ROWS))
    calm = grade_dataset(str(dataset), Work(str(tmp_path / "calm")), here)

    settings = {NOTES: str(notes), DOOMED: str(tmp_path / "doomed")}
    told, _ = run_script("ray_two_nodes.py", dataset, tmp_path / "disturbed", **settings)

    assert "is doomed" in notes.read_text()  # the node had something in hand
    assert told["nodes"] == 1
    assert told["rows_before"] < told["rows"] == FILES * ROWS
    assert told["failed"] == {}
    assert told["graded"] == sorted(calm.graded)
    assert results(tmp_path / "disturbed") == results(tmp_path / "calm")
