"""Sentence and chunk files of interpretable similarity: one sentence a line, chunks in square brackets."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from pathlib import Path

from postil.data.alignments import Chunks
from postil.data.files import read_lines, write_text
from postil.errors import InputError, MismatchError

ChunkedSentence = tuple[tuple[str, ...], ...]


def read_sentences(path: Path | str) -> list[tuple[str, ...]]:
    """Read a sentence file: one sentence a line, tokens separated by blanks."""
    return [tuple(line.split()) for line in read_lines(path)]


def write_sentences(path: Path | str, sentences: Iterable[Sequence[str]]) -> None:
    """Write a sentence file."""
    listed = list(sentences)
    _refuse_unwritable(path, (token for tokens in listed for token in tokens))
    write_text(path, "".join(" ".join(tokens) + "\n" for tokens in listed))


def _refuse_unwritable(path: Path | str, tokens: Iterable[str], brackets: Sequence[str] = ()) -> None:
    """Refuse tokens that would come back otherwise than they were."""
    for token in tokens:
        if token.split() != [token] or token in brackets or "\0" in token:
            raise InputError(
                path, "cannot be written: a token is empty, a lone bracket, or has a blank or a NUL in it."
            )


def read_chunks(path: Path | str) -> list[ChunkedSentence]:
    """Read a chunk file: one sentence a line, each chunk as `[ its tokens ]`."""
    return [_chunks(path, number, line) for number, line in enumerate(read_lines(path), start=1)]


def _chunks(path: Path | str, number: int, line: str) -> ChunkedSentence:
    chunks: list[list[str]] = []
    inside = False
    for word in line.split():
        if word == "[":
            # The task's own files once open a chunk inside another: the first one ends there.
            if not inside or chunks[-1]:
                chunks.append([])
            inside = True
        elif word == "]":
            if not inside:
                raise InputError(path, "a ']' closes a chunk that no '[' opened.", line=number)
            inside = False
        elif inside:
            chunks[-1].append(word)
        else:
            raise InputError(
                path,
                f"{word!r} stands outside a chunk.",
                line=number,
                hint="A line should be '[ tokens ] [ tokens ] …', with blanks around the brackets.",
            )
    if inside or not all(chunks):
        raise InputError(path, "a chunk is empty or not closed with ']'.", line=number)
    return tuple(map(tuple, chunks))


def write_chunks(path: Path | str, sentences: Iterable[Sequence[Sequence[str]]]) -> None:
    """Write a chunk file."""
    listed = [list(chunks) for chunks in sentences]
    if not all(all(chunks) for chunks in listed):
        raise InputError(path, "cannot be written: a chunk is empty.")
    _refuse_unwritable(path, (token for chunks in listed for chunk in chunks for token in chunk), ("[", "]"))
    lines = (" ".join(f"[ {' '.join(chunk)} ]" for chunk in chunks) + " \n" for chunks in listed)
    write_text(path, "".join(lines))


def project_chunks(tokens: Sequence[str], chunks: Sequence[Sequence[str]]) -> Chunks:
    """Give each token the chunk it stands in, by its place in the text, as numbers from 1.

    The chunk files were corrected by hand and sometimes cut tokens otherwise than the alignment files;
    only their letters must agree.
    """
    ends = list(accumulate(len("".join(chunk)) for chunk in chunks))
    if "".join(tokens) != "".join(token for chunk in chunks for token in chunk):
        raise MismatchError(
            "the chunks do not hold the text of the sentence.",
            hint="Are these the chunk files of this dataset?",
        )
    members: list[list[int]] = [[] for _ in chunks]
    start = 0
    for number, token in enumerate(tokens, start=1):
        members[bisect_right(ends, start)].append(number)
        start += len(token)
    return tuple(tuple(chunk) for chunk in members if chunk)
