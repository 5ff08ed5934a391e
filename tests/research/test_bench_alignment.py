"""The alignment benchmark on made-up datasets."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from corpus_files import write_chunks

from postil.data.formats.ists import write_alignments
from postil.data.judgements import AlignedPair, Alignment
from postil.errors import MismatchError, MissingDataError, PostilError
from postil.research.benchmarks import read_datasets, run_alignment
from postil.research.shipped import ShippedAligner
from postil.research.tables import render
from postil.scoring.alignment import score_alignments

GOLD = (
    AlignedPair(
        "1",
        ("the", "bell", "rings"),
        ("a", "bell", "sounds"),
        (
            Alignment((1, 2), (1, 2), ("EQUI",), 5.0),
            Alignment((3,), (3,), ("SIMI",), 4.0),
        ),
    ),
    AlignedPair(
        "2",
        ("cats", "sleep", "."),
        ("cats", "do", "not", "sleep", "."),
        (
            Alignment((1,), (1,), ("EQUI",), 5.0),
            Alignment((2,), (2, 3, 4), ("OPPO",), 3.0),
            Alignment((3,), (5,), ("EQUI",), 5.0),
        ),
    ),
)
SOURCE_CHUNKS = [[["the", "bell"], ["rings"]], [["cats"], ["sleep"], ["."]]]
TARGET_CHUNKS = [[["a", "bell"], ["sounds"]], [["cats"], ["do", "not", "sleep"], ["."]]]


def write_dataset(folder: Path, stem: str, source=SOURCE_CHUNKS, target=TARGET_CHUNKS) -> None:
    write_alignments(folder / f"{stem}.wa", GOLD)
    write_chunks(folder / f"{stem}.sent1.chunk.txt", source)
    write_chunks(folder / f"{stem}.sent2.chunk.txt", target)


def test_the_contract_of_the_json(tmp_path):
    write_dataset(tmp_path / "train", "STSint.input.images")
    write_dataset(tmp_path / "test", "STSint.testinput.headlines")
    write_dataset(tmp_path / "test", "STSint.testinput.answers-students")
    result = run_alignment(tmp_path / "train", tmp_path / "test", "identical", chunks=("gold",))
    data = json.loads(json.dumps(result.as_json(20)))
    assert (data["task"], data["system"]) == ("alignment", "identical")
    assert data["signature"].startswith("task:ists|system:identical|chunks:gold|v:")
    assert set(data["scores"]["gold"]) == {"headlines", "answers-students"}
    cell = data["scores"]["gold"]["headlines"]
    assert cell["count"] == 2
    assert set(cell["intervals"]) == {"f_align", "f_type", "f_score", "f_type_score"}
    # The baseline misses `rings` with `sounds`, weight 1, and calls the opposite equal.
    # Gold mass: bell chunks 4 links of 1/2 = 2, rings 1, cats 1, sleep 3 · 1/3 = 1: 5 (the full stops count
    # nothing). System mass 4, all of it right.
    p, r = 1, 4 / 5
    assert cell["f_align"] == pytest.approx(2 * p * r / (p + r))
    p, r = 3 / 4, 3 / 5
    assert cell["f_type"] == pytest.approx(2 * p * r / (p + r))
    p, r = (3 + 0.6) / 4, (3 + 0.6) / 5
    assert cell["f_score"] == pytest.approx(2 * p * r / (p + r))


def test_datasets_carry_their_chunks(tmp_path):
    write_dataset(tmp_path, "STSint.input.headlines")
    gold, chunked = read_datasets(tmp_path)["headlines"]
    assert [pair.id for pair in gold] == [pair.id for pair in chunked] == ["1", "2"]
    assert chunked[1].target_chunks == ((1,), (2, 3, 4), (5,))


def test_chunk_files_must_fit(tmp_path):
    write_dataset(tmp_path, "STSint.input.headlines", source=SOURCE_CHUNKS[:1])
    with pytest.raises(MismatchError, match="1 and 2 lines for 2 pairs"):
        read_datasets(tmp_path)
    write_dataset(tmp_path, "STSint.input.headlines", source=[SOURCE_CHUNKS[0], [["dogs"], ["sleep", "."]]])
    with pytest.raises(
        MismatchError, match=r"headlines\.sent1\.chunk\.txt, pair 2: the chunks do not make up"
    ):
        read_datasets(tmp_path)


def test_own_chunks(tmp_path):
    write_dataset(tmp_path, "STSint.input.headlines")
    cells = run_alignment(tmp_path, tmp_path, "identical", chunks=("system",)).cells
    assert set(cells) == {"system"}
    assert 0 < cells["system"]["headlines"].score.metrics["f_align"] <= 1


def test_both_kinds_of_chunks_by_default(tmp_path):
    write_dataset(tmp_path, "STSint.input.headlines")
    result = run_alignment(tmp_path, tmp_path, "identical")
    assert {kind: set(cells) for kind, cells in result.cells.items()} == {
        "gold": {"headlines"},
        "system": {"headlines"},
    }
    assert "chunks:gold+system" in result.signature


def test_errors(tmp_path):
    with pytest.raises(MissingDataError, match="STSint"):
        run_alignment(tmp_path, tmp_path, "identical", chunks=("gold",))
    write_dataset(tmp_path, "STSint.input.headlines")
    with pytest.raises(PostilError, match="no system 'best'"):
        run_alignment(tmp_path, tmp_path, "best", chunks=("gold",))
    (tmp_path / "STSint.input.headlines.sent1.chunk.txt").unlink()
    with pytest.raises(PostilError, match=r"sent1\.chunk\.txt"):
        run_alignment(tmp_path, tmp_path, "identical", chunks=("gold",))


def test_known_pairs_are_scored_counted_and_left_out_beside(tmp_path):
    # As in the headlines of the task, pairs of the test set are in the training set as well.
    write_dataset(tmp_path / "train", "STSint.input.images")
    other = replace(GOLD[0], id="3", source=("the", "bells", "rings"))
    stem = tmp_path / "test" / "STSint.testinput.headlines"
    write_alignments(stem.with_name(f"{stem.name}.wa"), [*GOLD, other])
    sources, targets = [*SOURCE_CHUNKS, [["the", "bells"], ["rings"]]], [*TARGET_CHUNKS, TARGET_CHUNKS[0]]
    write_chunks(stem.with_name(f"{stem.name}.sent1.chunk.txt"), sources)
    write_chunks(stem.with_name(f"{stem.name}.sent2.chunk.txt"), targets)
    result = run_alignment(tmp_path / "train", tmp_path / "test", "postil", chunks=("gold",))
    cell = result.as_json()["scores"]["gold"]["headlines"]
    assert (cell["count"], cell["known"]) == (3, 2)
    alone = ShippedAligner().predict([read_datasets(tmp_path / "test")["headlines"][1][2]])
    assert cell["without_known"] == pytest.approx(dict(score_alignments([other], alone).metrics))
    text = render([result], iterations=0)
    assert "| *postil, without what it knew (Postil)* | " in text
    assert "postil had learned from 2 of the 3 items of gold headlines." in text


def test_the_training_set_itself_is_refused(tmp_path):
    write_dataset(tmp_path, "STSint.input.headlines")
    with pytest.raises(PostilError, match="learned from 2 of these 2 items"):
        run_alignment(tmp_path, tmp_path, "postil", chunks=("gold",))
