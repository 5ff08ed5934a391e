"""The engine of a Ray cluster gives the same results as the others, and reports what goes wrong."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from engine_data import json_lines, table
from ray_processes import results, run_script
from ray_stub import CARRIES, NOTES, PAUSE, RAISES

from postil.batch.dataset import grade_dataset
from postil.batch.engines import Equipment, RayEngine, compare_node
from postil.batch.work import Work
from postil.errors import MissingDataError, PostilError

pytestmark = pytest.mark.slow

GOOD = ("class1.csv", "class2.jsonl", "class3.csv", "long.csv")
ROWS = 12


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dataset")
    (folder / "class1.csv").write_text(table(ROWS))
    (folder / "class2.jsonl").write_text(json_lines(ROWS))
    (folder / "class3.csv").write_text(table(ROWS, question="Why does wood float?"))
    # Some megabytes, so that it is cut into several partitions.
    lines = [f"{row},Why?,So.,{'y' * row},{'a note ' * 40_000}" for row in range(ROWS)]
    (folder / "long.csv").write_text("\n".join(["id,question,reference,answer,note", *lines]) + "\n")
    (folder / "damaged.parquet").write_bytes(b"PAR1 and then nothing")
    (folder / "raises.csv").write_text(f"question,reference,answer\nWhy?,So.,{RAISES}\n")
    (folder / "ends.csv").write_text("question,reference,answer\nWhy?,So.,poison\n")
    return folder


@pytest.fixture(scope="module")
def told(dataset, tmp_path_factory):
    folder = tmp_path_factory.mktemp("ray")
    settings = {NOTES: str(folder / "notes"), PAUSE: "0.05"}
    found, _ = run_script("ray_scenario.py", dataset, folder / "out", **settings)
    return found | {"output": folder / "out"}


def test_results_are_those_of_any_other_engine(dataset, told, tmp_path, here):
    for name in GOOD:
        grade_dataset(str(dataset / name), Work(str(tmp_path / "out")), here)
    assert told["graded"] == list(GOOD)
    assert told["rows"] == len(GOOD) * ROWS
    assert results(told["output"]) == results(tmp_path / "out")


def test_what_goes_wrong_is_told_of_its_file_alone(told):
    failed = told["failed"]
    assert failed.keys() == {"damaged.parquet", "ends.csv", "raises.csv"}
    assert "crashed 3 workers" in failed["ends.csv"]
    assert "(RuntimeError)" in failed["raises.csv"]


def test_pupils_words_are_in_no_message_and_no_log(told):
    assert not any(RAISES in message for message in told["failed"].values())
    assert told["logs"]["of"]
    assert told["logs"]["with"] == []


def test_results_come_as_they_are_judged(told):
    assert told["judged"][0] < told["judged"][-1]


def test_connection_of_the_calling_program_stays(told):
    assert told["still_connected"]


def test_cluster_of_our_own_is_quiet_and_ends(tmp_path):
    (tmp_path / "class.csv").write_text(table(2))
    told, said = run_script("ray_own.py", tmp_path / "class.csv", tmp_path / "out")
    assert "no Ray cluster at '127.0.0.1:9'" in told["refused"]
    assert (told["graded"], told["failed"]) == (["class.csv"], {})
    assert not told["still_connected"]
    assert said == ""


@pytest.mark.parametrize(
    ("there", "what"),
    [
        (Equipment(), "no Postil"),
        (Equipment("0.1", "model"), "has Postil 0.1, but this computer has 9.9"),
        (Equipment("9.9", "another"), "different model"),
        (Equipment("9.9"), "no model at that path"),
        (
            Equipment("9.9", "model", "the expert reader needs a file"),
            "cannot judge: the expert reader needs",
        ),
    ],
)
def test_node_that_judges_otherwise_is_refused(there, what):
    here = Equipment("9.9", "model")
    compare_node("10.0.0.1", here, here)
    with pytest.raises(PostilError, match=f"10.0.0.2 .*{what}"):
        compare_node("10.0.0.2", there, here)


def test_only_nodes_that_carry_the_reader_judge(tmp_path):
    """The first of two nodes has neither the resource nor the reader."""
    dataset = tmp_path / "dataset"
    dataset.mkdir()
    (dataset / "class.csv").write_text(table(4))
    (dataset / "more.csv").write_text(table(4, first=4))
    settings = {NOTES: str(tmp_path / "notes"), CARRIES: str(tmp_path / "carries")}
    told, _ = run_script("ray_placed.py", dataset, tmp_path / "out", **settings)
    assert "no node of the cluster has the resource 'gone'" in told["gone"]
    assert "--resources='{\"gone\": 4}'" in told["gone"]
    assert "cannot judge: the expert reader's model is another file" in told["anywhere"]
    assert (told["graded"], told["failed"]) == (["class.csv", "more.csv"], {})
    assert told["nodes"] == [Path(settings[CARRIES]).read_text()]
    manifest = json.loads((tmp_path / "out/_postil/manifests/class.csv.json").read_text())
    assert manifest["options"]["reader"] == "expert"


def test_ray_that_is_not_installed_is_told(tmp_path, monkeypatch):
    (tmp_path / "class.csv").write_text(table(2))
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingDataError, match=r"postil\[cluster\]"):
        grade_dataset(str(tmp_path / "class.csv"), Work(str(tmp_path / "out")), RayEngine(1))
