"""The entailment benchmark on made-up RTE files."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from corpus_files import write_pairs_xml

from postil.data.formats.rte import Pair, write_pairs_tsv
from postil.errors import InputError, MissingDataError, PostilError
from postil.research import benchmarks as bench
from postil.research.benchmarks import run_entailment, training_pairs


def some_pairs(prefix: str, negative: str = "NO_ENTAILMENT") -> list[Pair]:
    pairs = []
    for number in range(6):
        task, length = ("QA", "IE")[number % 2], ("short", "long")[number // 3]
        name = f"{prefix}{number}"
        pairs.append(
            Pair(f"{name}y", f"the bell {name} rings", f"bell {name} rings", "ENTAILMENT", task, length)
        )
        pairs.append(Pair(f"{name}n", f"the bell {name} rings", f"cats {name} sleep", negative, task, length))
    return pairs


@pytest.fixture
def folder(tmp_path) -> Path:
    write_pairs_xml(tmp_path / "train" / "RTE3_dev.xml", some_pairs("d"))
    write_pairs_xml(tmp_path / "RTE3_test.xml", some_pairs("t"))
    return tmp_path


def test_the_contract_of_the_json(folder):
    result = run_entailment(folder / "train", [folder / "RTE3_test.xml"], "overlap", scheme="2way")
    data = json.loads(json.dumps(result.as_json()))
    assert set(data) == {"task", "system", "signature", "scores", "seconds"}
    assert (data["task"], data["system"]) == ("entailment", "overlap")
    assert "system:overlap|scheme:2way|train:12" in data["signature"]
    cell = data["scores"]["2way"]["RTE3_test"]
    assert cell["count"] == 12
    assert cell["accuracy"] == cell["average_precision"] == 1
    assert set(cell["by_application"]) == {"IE", "QA"}
    assert set(cell["by_length"]) == {"long", "short"}
    for part in (*cell["by_application"].values(), *cell["by_length"].values()):
        assert part["count"] == 6
        assert part["accuracy"] == 1
        assert "average_precision" in part


def test_parts_are_scored_by_themselves(folder):
    # Turn the labels of all QA pairs round: everything there is wrong, and the rest is untouched.
    other = {"ENTAILMENT": "NO_ENTAILMENT", "NO_ENTAILMENT": "ENTAILMENT"}
    turned = [replace(p, label=other[p.label]) if p.task == "QA" else p for p in some_pairs("t")]
    write_pairs_xml(folder / "RTE3_test.xml", turned)
    result = run_entailment(folder / "train", [folder / "RTE3_test.xml"], "overlap", scheme="2way")
    cell = result.cells["2way"]["RTE3_test"]
    by_application = cell.details["by_application"]
    assert (by_application["QA"]["accuracy"], by_application["IE"]["accuracy"]) == (0, 1)
    assert cell.score.metrics["accuracy"] == 0.5
    assert cell.details["by_length"]["short"]["accuracy"] == pytest.approx(1 / 3)


def test_pairs_of_the_test_files_are_not_trained_on(folder, monkeypatch):
    shared = [replace(pair, id=f"again{pair.id}") for pair in some_pairs("t")]
    write_pairs_xml(folder / "train" / "more.xml", shared)
    seen = []
    create = bench.create

    def spying(task, name):
        model = create(task, name)
        fit = model.fit
        model.fit = lambda pairs: (seen.extend(pairs), fit(pairs))
        return model

    monkeypatch.setattr(bench, "create", spying)
    result = run_entailment(folder / "train", [folder / "RTE3_test.xml"], "overlap", scheme="2way")
    assert sorted(pair.id for pair in seen) == sorted(pair.id for pair in some_pairs("d"))
    assert "train:12" in result.signature
    with pytest.raises(MissingDataError, match="left to train on"):
        run_entailment(folder / "RTE3_test.xml", [folder / "RTE3_test.xml"], "overlap", scheme="2way")


def test_labels_are_hidden_from_the_system(folder, monkeypatch):
    shown = []
    create = bench.create

    def spying(task, name):
        model = create(task, name)
        predict = model.predict
        model.predict = lambda pairs, scheme: (shown.extend(pairs), predict(pairs, scheme))[1]
        return model

    monkeypatch.setattr(bench, "create", spying)
    run_entailment(folder / "train", [folder / "RTE3_test.xml"], "overlap", scheme="2way")
    assert {pair.label for pair in shown} == {None}
    assert [pair.id for pair in shown] == [pair.id for pair in some_pairs("t")]


def test_three_way(folder):
    write_pairs_tsv(folder / "train" / "three.tsv", some_pairs("e", "UNKNOWN"))
    write_pairs_tsv(folder / "three_test.tsv", some_pairs("t", "UNKNOWN"))
    result = run_entailment(folder / "train", [folder / "three_test.tsv"], "overlap", scheme="3way")
    score = result.cells["3way"]["three_test"].score
    assert score.metrics["accuracy"] == 1
    assert score.per_class["UNKNOWN"].support == 6
    with pytest.raises(InputError, match=r"RTE3_test\.xml: has two-way labels"):
        run_entailment(folder / "train", [folder / "RTE3_test.xml"], "overlap", scheme="3way")


def test_several_test_files(folder):
    write_pairs_xml(folder / "RTE2_test.xml", some_pairs("u"))
    tests = [folder / "RTE3_test.xml", folder / "RTE2_test.xml"]
    result = run_entailment(folder / "train", tests, "overlap", scheme="2way")
    assert list(result.cells["2way"]) == ["RTE3_test", "RTE2_test"]
    write_pairs_xml(folder / "else" / "RTE3_test.xml", some_pairs("v"))
    with pytest.raises(PostilError, match="same name"):
        run_entailment(
            folder / "train", [tests[0], folder / "else" / "RTE3_test.xml"], "overlap", scheme="2way"
        )


def test_training_pairs_come_once_with_their_finest_label(tmp_path):
    two_way, three_way = some_pairs("d"), some_pairs("d", "CONTRADICTION")
    for first, second in (("a", "b"), ("b", "a")):
        folder = tmp_path / first
        write_pairs_xml(folder / f"{first}.xml", two_way)
        write_pairs_tsv(folder / f"{second}.tsv", three_way)
        pairs = training_pairs(folder)
        assert len(pairs) == 12
        assert {pair.label for pair in pairs} == {"ENTAILMENT", "CONTRADICTION"}


def test_errors(folder, tmp_path):
    with pytest.raises(PostilError, match="no system 'best'"):
        run_entailment(folder / "train", [folder / "RTE3_test.xml"], "best", scheme="2way")
    (tmp_path / "empty").mkdir()
    with pytest.raises(MissingDataError, match="no RTE files"):
        run_entailment(tmp_path / "empty", [folder / "RTE3_test.xml"], "overlap", scheme="2way")
    one_sided = [replace(pair, label="ENTAILMENT") for pair in some_pairs("z")]
    write_pairs_xml(tmp_path / "one" / "side.xml", one_sided)
    with pytest.raises(PostilError, match="pairs without"):
        run_entailment(tmp_path / "one", [folder / "RTE3_test.xml"], "overlap", scheme="2way")
