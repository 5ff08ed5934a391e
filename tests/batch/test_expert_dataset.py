"""A dataset read by the expert reader: in local workers, with a stand-in for its language model."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from engine_data import table

from postil.batch import parts
from postil.batch.dataset import grade_dataset
from postil.batch.parts import missing_of
from postil.batch.work import Work
from postil.cli.grade import GradeOptions
from postil.cli.grade_folder import DatasetOptions, _engine, _work
from postil.cli.options import TableOptions
from postil.errors import PostilError
from postil.language import readers
from postil.language.model_files import ModelFile, Needed
from postil.language.network import CAREFUL, CASCADE, EXPERT, QUICK, READER_SETTING, THOROUGH

SCRIPT = Path(__file__).with_name("grade_with_expert.py")


@pytest.mark.slow
@pytest.mark.parametrize(("option", "setting"), [(("--reader", THOROUGH), QUICK), ((), EXPERT)])
def test_local_workers_read_with_the_expert(tmp_path, option, setting):
    """Named on the command line or by POSTIL_READER, which workers heed as well."""
    (tmp_path / "class.csv").write_text(table(5))
    command = [sys.executable, SCRIPT, "grade", "class.csv", "-o", "out", "--workers", "1", *option]
    environment = os.environ | {READER_SETTING: setting}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    name = option[1] if option else setting
    manifest = json.loads((tmp_path / "out/_postil/manifests/class.csv.json").read_text())
    assert manifest["options"]["reader"] == name
    with (tmp_path / "out" / "class.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["postil_reader"] for row in rows} == {name, ""}
    read_by = {row["postil_read_by"] for row in rows}
    assert read_by <= ({EXPERT, ""} if name == EXPERT else {QUICK, CAREFUL, EXPERT, ""})


def test_the_reader_is_named_even_where_nobody_named_one(tmp_path, here, monkeypatch):
    (tmp_path / "class.csv").write_text(table(2))
    monkeypatch.setenv(READER_SETTING, CASCADE)
    grade_dataset(str(tmp_path / "class.csv"), Work(str(tmp_path / "out")), here)
    manifest = json.loads((tmp_path / "out/_postil/manifests/class.csv.json").read_text())
    assert manifest["options"]["reader"] == CASCADE


def test_a_node_says_what_its_reader_lacks(tmp_path, monkeypatch):
    content = b"weights"
    needed = Needed("a model", "m.gguf", len(content), hashlib.sha256(content).hexdigest(), "", "https://x")
    model = ModelFile(EXPERT, needed)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setattr(readers, "expert_model", lambda: model)
    monkeypatch.setattr(readers, "missing_of_expert", lambda: ["a file"])
    assert missing_of(EXPERT) == "the expert reader needs a file"
    monkeypatch.setattr(readers, "missing_of_expert", list)
    file = tmp_path / "m.gguf"
    file.write_bytes(content)
    model.add(file)
    assert missing_of(EXPERT) == missing_of(THOROUGH) == missing_of(QUICK) == missing_of("") == ""
    file.write_bytes(content[::-1])  # of the same size
    assert "SHA-256 differs" in missing_of(EXPERT)
    assert missing_of(CAREFUL) == ""
    assert "is not a reader" in missing_of("another")


def test_a_reader_of_the_clusters_nodes_need_not_be_here(monkeypatch):
    monkeypatch.setattr(readers, "missing_of_expert", lambda: ["a file"])
    options = GradeOptions(reader=EXPERT)
    with pytest.raises(PostilError, match="the expert reader needs a file"):
        _work("out", options, {}, TableOptions(), elsewhere=False)
    assert _work("out", options, {}, TableOptions(), elsewhere=True).reader == EXPERT
    with pytest.raises(PostilError, match="is not a reader"):
        _work("out", replace(options, reader="me"), {}, TableOptions(), elsewhere=True)


def test_a_resource_belongs_to_a_cluster():
    engine = _engine(DatasetOptions(engine="ray", cluster_resource="expert"))
    assert engine.resource == "expert"
    with pytest.raises(PostilError, match="--cluster-resource is of a Ray cluster"):
        _engine(DatasetOptions(cluster_resource="expert"))


def test_results_by_another_reader_are_another_run():
    runs = {parts.run_of(Work("out", reader=name)) for name in (QUICK, CAREFUL, EXPERT)}
    assert len(runs) == 3
