"""Pairs to be aligned, read from every form of the task's files."""

from __future__ import annotations

from pathlib import Path

import pytest

from postil.data.formats.chunks import chunk_files, read_gold_chunks, read_pairs
from postil.data.formats.ists import write_alignments
from postil.data.judgements import AlignedPair, Alignment, ChunkedPair
from postil.errors import InputError, InputWarning, MismatchError


def put(path: Path, *lines: str) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_the_alignments_of_a_file_are_left_out(tmp_path):
    file = tmp_path / "a.wa"
    pair = AlignedPair("3", ("a", "b"), ("c",), (Alignment((1, 2), (1,), ("EQUI",), 5),), "a b", "c")
    write_alignments(file, [pair])
    assert read_pairs([file]) == [AlignedPair("3", ("a", "b"), ("c",), (), "a b", "c")]


def test_sentences_and_chunks_go_together(tmp_path):
    first = put(tmp_path / "one.txt", "a b", "c")
    second = put(tmp_path / "two.chunk.txt", "[ d e ] [ f ]", "[ g ]")
    assert read_pairs([first, second]) == [
        AlignedPair("1", ("a", "b"), ("d", "e", "f")),
        AlignedPair("2", ("c",), ("g",)),
    ]


def test_files_of_different_length(tmp_path):
    files = [put(tmp_path / "one.txt", "a", "b"), put(tmp_path / "two.txt", "a")]
    with pytest.raises(MismatchError, match=r"one\.txt has 2 sentences, and .*two\.txt has 1 sentence\."):
        read_pairs(files)


def test_an_empty_sentence(tmp_path):
    files = [put(tmp_path / "one.txt", "a", "", "b"), put(tmp_path / "two.txt", "a", "b", "c")]
    with pytest.raises(InputError, match=r"one\.txt, line 2: this sentence is empty"):
        read_pairs(files)
    write_alignments(tmp_path / "a.wa", [AlignedPair("3", (), ("a",))])
    with pytest.raises(InputError, match=r"sentence 3\): one of the two sentences has no tokens"):
        read_pairs([tmp_path / "a.wa"])


@pytest.mark.parametrize(
    ("files", "found"),
    [
        (["x/S.a-b.wa"], ["x/S.a-b.sent1.chunk.txt", "x/S.a-b.sent2.chunk.txt"]),
        (["x/S.sent1.txt", "S.sent2.txt"], ["x/S.sent1.chunk.txt", "S.sent2.chunk.txt"]),
        (["S.sent1.chunk.txt", "S.sent2.txt"], ["S.sent1.chunk.txt", "S.sent2.chunk.txt"]),
    ],
)
def test_where_the_chunks_are(files, found):
    assert chunk_files([Path(file) for file in files]) == tuple(Path(file) for file in found)


def test_gold_chunks(tmp_path):
    pairs = [AlignedPair("3", ("a", "b"), ("c",))]
    files = (put(tmp_path / "1", "[ a ] [ b ]"), put(tmp_path / "2", "[ c ]"))
    assert read_gold_chunks(pairs, files) == [ChunkedPair("3", ("a", "b"), ("c",), ((1,), (2,)), ((1,),))]
    with pytest.raises(MismatchError, match="have 1 and 1 lines for 2 pairs"):
        read_gold_chunks(pairs * 2, files)
    put(tmp_path / "2", "[ d ]")
    with pytest.raises(MismatchError, match=r"2, pair 3: the chunks do not make up"):
        read_gold_chunks(pairs, files)


def test_chunk_files_as_the_task_released_them(tmp_path):
    # Made up in the likeness of the test set of answers-students: tokens outside brackets, "[is not ]", and a
    # full stop that only the sentence has.
    pairs = [
        AlignedPair("1", ("bulb", "A", "is", "not", "in", "a", "path."), ("it", "is", "off")),
        AlignedPair("2", ("switch", "Z", "is", "open", "."), ("Z", "is", "open")),
    ]
    files = (
        put(tmp_path / "1", "[ bulb A ] [is not ] [ in a path ]", "[ switch Z ] [ is ] [ open ]"),
        put(tmp_path / "2", "[ it ] is [ off ]", "[ Z ] [ is ] [ open ]"),
    )
    with pytest.warns(InputWarning) as caught:
        first, second = read_gold_chunks(pairs, files)
    assert first.source_chunks == ((1, 2), (3, 4), (5, 6, 7))
    assert first.target_chunks == ((1,), (2,), (3,))
    assert second.source_chunks == ((1, 2), (3,), (4,), (5,))  # so every token is in a chunk
    warnings = [item.message for item in caught]
    assert [warning.path for warning in warnings] == [str(file) for file in files]
    assert [[problem.line for problem in warning.problems] for warning in warnings] == [[1, 1, 2], [1]]
