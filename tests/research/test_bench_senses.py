"""The sense benchmark on made-up lexical samples."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from postil.data.formats.sensekeys import sense_key, write_sense_answers
from postil.data.formats.senseval import SenseInstance, Token, read_senseval, write_senseval
from postil.errors import PostilError
from postil.research import benchmarks as bench
from postil.research.benchmarks import run_senses


def instances(lexelt: str, senses: list[str], prefix: str) -> list[SenseInstance]:
    return [
        SenseInstance(
            f"{prefix}.{n}", lexelt, (Token("an"), Token("arm")), (1,), (0,), (sense,) if sense else ()
        )
        for n, sense in enumerate(senses)
    ]


@pytest.fixture
def folder(tmp_path) -> Path:
    train = [
        *instances("arm.n", ["limb"] * 9 + ["gun"], "tr.arm"),
        *instances("bar.n", ["law"] + ["pub"] * 9, "tr.bar"),
    ]
    test = [
        *instances("arm.n", ["limb", "limb", "limb", "gun"], "te.arm"),
        *instances("bar.n", ["law", "law", "pub", "law"], "te.bar"),
        *instances("cup.n", ["mug", "mug"], "te.cup"),  # never seen in training
    ]
    write_senseval(tmp_path / "train.xml", train)
    write_senseval(tmp_path / "test.xml", test)
    return tmp_path


def test_with_a_test_file(folder):
    result = run_senses(folder / "train.xml", "mfs", test=folder / "test.xml")
    data = json.loads(json.dumps(result.as_json(20)))
    assert (data["task"], data["system"]) == ("senses", "mfs")
    assert "system:mfs|granularity:fine|test:test" in data["signature"]
    cells = data["scores"]["fine"]
    assert list(cells) == ["test", "arm.n", "bar.n", "cup.n"]
    # Of ten instances eight are answered and four right.
    assert cells["test"]["precision"] == pytest.approx(4 / 8)
    assert cells["test"]["recall"] == pytest.approx(4 / 10)
    assert cells["test"]["attempted"] == pytest.approx(8 / 10)
    assert cells["arm.n"]["recall"] == pytest.approx(3 / 4)
    assert cells["bar.n"]["precision"] == pytest.approx(1 / 4)
    assert (cells["cup.n"]["precision"], cells["cup.n"]["attempted"]) == (0, 0)
    assert set(cells["test"]["intervals"]) == {"precision", "recall", "attempted"}


def test_in_folds(folder):
    result = run_senses(folder / "train.xml", "mfs", folds=4, seed=1)
    cell = result.cells["fine"]["train/cv"].score
    assert cell.count == 20
    # Whatever the folds of five, at least four of a word's nine remain, against one of the other sense.
    assert cell.metrics["recall"] == pytest.approx(18 / 20)
    assert cell.metrics["attempted"] == 1
    assert "folds:4|seed:1" in result.signature
    again = run_senses(folder / "train.xml", "mfs", folds=4, seed=1)
    assert again.as_json()["scores"] == result.as_json()["scores"]


def test_every_instance_is_tested_once_and_never_seen_in_training(folder, monkeypatch):
    tested = []

    class Spy:
        def fit(self, given):
            self.trained = {item.id for item in given}
            assert all(item.senses for item in given)

        def predict(self, given):
            assert not self.trained & {item.id for item in given}
            assert not any(item.senses for item in given)
            tested.extend(item.id for item in given)
            return []

    monkeypatch.setattr(bench, "create", lambda task, name: Spy())
    result = run_senses(folder / "train.xml", "spy", folds=4)
    assert len(tested) == len(set(tested)) == 20
    assert dict(result.cells["fine"]["train/cv"].score.metrics) == {
        "precision": 0,
        "recall": 0,
        "attempted": 0,
    }


def test_one_word_has_no_table_of_words(tmp_path):
    write_senseval(tmp_path / "arm.xml", instances("arm.n", ["limb", "gun", "limb", ""], "arm"))
    cells = run_senses(tmp_path / "arm.xml", "mfs", folds=3).cells["fine"]
    assert list(cells) == ["arm/cv"]
    assert cells["arm/cv"].score.count == 3  # the unlabelled one is passed over


def test_errors(folder, tmp_path):
    with pytest.raises(PostilError, match="21 folds cannot be made of 20"):
        run_senses(folder / "train.xml", "mfs", folds=21)
    with pytest.raises(PostilError, match="no system 'best'"):
        run_senses(folder / "train.xml", "best")
    write_senseval(tmp_path / "bare.xml", instances("arm.n", ["", ""], "arm"))
    with pytest.raises(PostilError, match="to learn from"):
        run_senses(tmp_path / "bare.xml", "mfs")
    with pytest.raises(PostilError, match="to score against"):
        run_senses(folder / "train.xml", "mfs", test=tmp_path / "bare.xml")


def test_the_training_file_itself_is_refused(folder):
    with pytest.raises(PostilError, match="system mfs has learned from 20 of these 20 items"):
        run_senses(folder / "train.xml", "mfs", test=folder / "train.xml")


def key_of(path: Path, *files: list[SenseInstance]) -> Path:
    write_sense_answers(path, sense_key([item for file in files for item in file]))
    return path


def test_a_training_file_whose_key_stands_apart(folder, tmp_path):
    train = read_senseval(folder / "train.xml")
    write_senseval(tmp_path / "bare.xml", [replace(item, senses=()) for item in train])
    key = key_of(tmp_path / "train.key", train)
    expected = run_senses(folder / "train.xml", "mfs", folds=4).cells["fine"]["train/cv"].score.metrics
    cells = run_senses(tmp_path / "bare.xml", "mfs", keys=[key], folds=4).cells["fine"]
    assert cells["bare/cv"].score.metrics == expected
    result = run_senses(tmp_path / "bare.xml", "mfs", test=folder / "test.xml", keys=[key])
    assert result.cells["fine"]["test"].score.metrics["recall"] == pytest.approx(4 / 10)


def test_keys_of_both_files(folder, tmp_path):
    train, test = (read_senseval(folder / f"{name}.xml") for name in ("train", "test"))
    for name, instances_of in (("train", train), ("test", test)):
        write_senseval(tmp_path / f"{name}-bare.xml", [replace(item, senses=()) for item in instances_of])
    separate = [key_of(tmp_path / "train.key", train), key_of(tmp_path / "test.key", test)]
    for keys in (separate, [key_of(tmp_path / "all.key", train, test)]):
        result = run_senses(tmp_path / "train-bare.xml", "mfs", test=tmp_path / "test-bare.xml", keys=keys)
        score = result.cells["fine"]["test-bare"].score
        assert score.count == 10
        assert score.metrics["recall"] == pytest.approx(4 / 10)


def test_instances_that_are_also_in_the_training_file(folder, tmp_path):
    train, test = (read_senseval(folder / f"{name}.xml") for name in ("train", "test"))
    by_word = sorted([*train[:1], *test], key=lambda item: item.lexelt)
    write_senseval(tmp_path / "mixed.xml", by_word)
    cell = run_senses(folder / "train.xml", "mfs", test=tmp_path / "mixed.xml").as_json()["scores"]["fine"]
    assert (cell["mixed"]["known"], cell["mixed"]["recall"]) == (1, pytest.approx(5 / 11))
    assert cell["mixed"]["without_known"]["recall"] == pytest.approx(4 / 10)
    assert cell["bar.n"]["known"] == 0
    assert "without_known" not in cell["bar.n"]
