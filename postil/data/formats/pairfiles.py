"""Sentence pairs to align, from the task's own files: an alignment file, or two of sentences or chunks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from postil.data.alignments import AlignedPair, ChunkedPair
from postil.data.formats.chunks import ChunkedSentence, project_chunks, read_chunks, read_sentences
from postil.data.formats.ists import read_alignments
from postil.errors import InputError, MismatchError, number_of

_CHUNKS = ".chunk.txt"


def read_pairs(files: Sequence[Path]) -> list[AlignedPair]:
    """Read the pairs of one `.wa` file, its alignments left out, or of two files with a sentence a line."""
    if len(files) == 1:
        pairs = [replace(pair, alignments=()) for pair in read_alignments(files[0])]
        for pair in pairs:
            if not pair.source or not pair.target:
                raise InputError(
                    files[0], "one of the two sentences has no tokens.", record=f"sentence {pair.id}"
                )
        return pairs
    first, second = map(_tokens, files)
    if len(first) != len(second):
        raise MismatchError(
            f"{files[0]} has {number_of(len(first), 'sentence')}, and {files[1]} has "
            f"{number_of(len(second), 'sentence')}.",
            hint="Line n of one file belongs to line n of the other.",
        )
    return [
        AlignedPair(str(number), *two) for number, two in enumerate(zip(first, second, strict=True), start=1)
    ]


def chunk_files(files: Sequence[Path]) -> tuple[Path, Path]:
    """Where the gold chunks of pairs lie, beside `NAME.wa` or `NAME.sent1.txt`, or in these files themselves.

    The files need not be there.
    """
    if len(files) == 1:
        stem = files[0].name.removesuffix(".wa")
        first, second = (files[0].with_name(f"{stem}.sent{side}{_CHUNKS}") for side in (1, 2))
    else:
        first, second = (
            file if file.name.endswith(_CHUNKS) else file.with_name(f"{file.stem}{_CHUNKS}") for file in files
        )
    return first, second


def read_gold_chunks(pairs: Sequence[AlignedPair], files: tuple[Path, Path]) -> list[ChunkedPair]:
    """Cut pairs into the chunks of two chunk files, line n for the n-th pair."""
    sources, targets = map(read_chunks, files)
    if not len(pairs) == len(sources) == len(targets):
        raise MismatchError(
            f"the chunk files have {len(sources):,} and {len(targets):,} lines for "
            f"{number_of(len(pairs), 'pair')}.",
            hint=f"Line n of {files[0].name} and {files[1].name} belongs to the n-th pair.",
        )
    return [_chunked(files, *each) for each in zip(pairs, sources, targets, strict=True)]


def _chunked(
    files: tuple[Path, Path], pair: AlignedPair, source: ChunkedSentence, target: ChunkedSentence
) -> ChunkedPair:
    cut = []
    for file, tokens, chunks in zip(files, (pair.source, pair.target), (source, target), strict=True):
        try:
            cut.append(project_chunks(tokens, chunks))
        except MismatchError as error:
            raise MismatchError(f"{file}, pair {pair.id}: {error.what}", hint=error.hint) from error
    return ChunkedPair(pair.id, pair.source, pair.target, *cut)


def _tokens(file: Path) -> list[tuple[str, ...]]:
    if file.name.endswith(_CHUNKS):
        sentences = [tuple(token for chunk in chunks for token in chunk) for chunks in read_chunks(file)]
    else:
        sentences = read_sentences(file)
    for number, tokens in enumerate(sentences, start=1):
        if not tokens:
            raise InputError(
                file,
                "this sentence is empty.",
                line=number,
                hint="Both sentences of a pair need words; take the line out of both files.",
            )
    return sentences
