"""Readers of the training data for the text pipeline: UD trees, CoNLL-2000 chunks, iSTS chunks."""

from __future__ import annotations

import io
import lzma
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

DATASETS = ("headlines", "images", "answers-students")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with whatever is known of its tokens; lists that are not known are empty.

    `heads` count from 0 and a root points at itself; `chunks` are CoNLL-2000's BIO tags, `ists` those of iSTS.
    """

    words: list[str]
    spaces: list[bool]
    tags: list[str]
    pos: list[str]
    morphs: list[str]
    lemmas: list[str]
    heads: list[int]
    deps: list[str]
    chunks: list[str]
    ists: list[str]


def read_conllu(path: Path) -> Iterator[Sentence]:
    """Read a (compressed) CoNLL-U file; multiword and empty tokens are passed over."""
    rows: list[list[str]] = []
    with lzma.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            line = line.rstrip("\n")
            if not line:
                if rows:
                    yield _sentence(rows)
                rows = []
            elif not line.startswith("#"):
                fields = line.split("\t")
                if fields[0].isdecimal():
                    rows.append(fields)
    if rows:
        yield _sentence(rows)


def _sentence(rows: list[list[str]]) -> Sentence:
    return Sentence(
        words=[row[1] for row in rows],
        spaces=["SpaceAfter=No" not in row[9] for row in rows],
        tags=[row[4] for row in rows],
        pos=[row[3] for row in rows],
        morphs=["" if row[5] == "_" else row[5] for row in rows],
        lemmas=[row[2] for row in rows],
        heads=[index if row[6] == "0" else int(row[6]) - 1 for index, row in enumerate(rows)],
        deps=[row[7] for row in rows],
        chunks=[],
        ists=[],
    )


def chunked(words: list[str], chunks: list[str] | None = None, ists: list[str] | None = None) -> Sentence:
    """A sentence of which only chunks are known."""
    return Sentence(words, [True] * len(words), [], [], [], [], [], [], chunks or [], ists or [])


def read_conll2000(archive: Path, part: str) -> Iterator[Sentence]:
    """Read `train` or `test` of CoNLL-2000 from its archive."""
    with tarfile.open(archive) as tar:
        member = tar.extractfile(f"conll2000/{part}.txt")
        if member is None:
            raise FileNotFoundError(f"{archive}: conll2000/{part}.txt")
        rows: list[list[str]] = []
        for line in io.TextIOWrapper(member, encoding="utf-8"):
            fields = line.split()
            if fields:
                rows.append(fields)
            elif rows:
                yield chunked([row[0] for row in rows], chunks=[row[2] for row in rows])
                rows = []
        if rows:
            yield chunked([row[0] for row in rows], chunks=[row[2] for row in rows])


def read_ists(folder: Path, dataset: str, *, held_out: bool) -> Iterator[Sentence]:
    """Read the gold chunks of a dataset: every fifth pair is held out, for figures that mean something."""
    from postil.data.formats.chunks import read_chunks

    for side in ("sent1", "sent2"):
        for number, chunks in enumerate(read_chunks(folder / f"STSint.input.{dataset}.{side}.chunk.txt")):
            if (number % 5 == 4) == held_out:
                words = [word for chunk in chunks for word in chunk]
                tags = [("I" if index else "B") for chunk in chunks for index in range(len(chunk))]
                yield chunked(words, ists=tags)
