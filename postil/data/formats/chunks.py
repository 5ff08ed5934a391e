"""Interpretable similarity: files of sentences and of chunks, and the pairs that they make.

The task's own chunk files are not clean: tokens outside brackets, missing blanks, a full stop left out. They
are read with one warning for the file, as long as the letters are those of the sentence.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path

from postil.data.files import read_lines
from postil.data.formats.ists import read_alignments
from postil.data.judgements import AlignedPair, ChunkedPair, Chunks
from postil.errors import InputError, MismatchError, Problem, number_of, warn_of

_CHUNKS = ".chunk.txt"
_PUNCTUATION = "the punctuation differs from the sentence's; letters and digits agree."

ChunkedSentence = tuple[tuple[str, ...], ...]


def read_sentences(path: Path | str) -> list[tuple[str, ...]]:
    """Read a sentence file: one sentence a line, tokens separated by blanks."""
    return [tuple(line.split()) for line in read_lines(path)]


def read_chunks(path: Path | str) -> list[ChunkedSentence]:
    """Read a chunk file, one sentence a line, each chunk as `[ its tokens ]`; warns of what is irregular."""
    sentences, problems = _parse_chunks(path)
    warn_of(path, problems)
    return sentences


def _parse_chunks(path: Path | str) -> tuple[list[ChunkedSentence], list[Problem]]:
    sentences, problems = [], []
    for number, line in enumerate(read_lines(path), start=1):
        chunks = _regular_chunks(line)
        if chunks is None:
            if "[" not in line and "]" not in line:
                hint = "A line should be '[ tokens ] [ tokens ] …', with blanks around the brackets."
                raise InputError(path, "this sentence is not divided into chunks.", line=number, hint=hint)
            chunks, irregular = _mended_chunks(line)
            problems += [Problem(number, "", what, "warning") for what in irregular]
        sentences.append(chunks)
    return sentences, problems


def _regular_chunks(line: str) -> ChunkedSentence | None:
    """The chunks of a line that is written as it should be; None for any other."""
    chunks: list[list[str]] = []
    inside = False
    for word in line.split():
        if word in ("[", "]"):
            if inside == (word == "[") or (inside and not chunks[-1]):
                return None
            inside = not inside
            if inside:
                chunks.append([])
        elif not inside or "][" in word:
            return None
        else:
            chunks[-1].append(word)
    return None if inside else tuple(map(tuple, chunks))


def _mended_chunks(line: str) -> tuple[ChunkedSentence, list[str]]:
    """The chunks of any other line with brackets, and what is irregular in it.

    Tokens outside brackets make a chunk with such neighbours. A chunk that opens inside another ends it.
    """
    chunks: list[list[str]] = [[]]
    irregular: dict[str, None] = {}
    inside, outside = False, 0
    for word in line.split():
        pieces = _pieces(word, inside)
        if len(pieces) > 1:
            irregular["a blank is missing beside a bracket."] = None
        for piece in pieces:
            if piece == "[" and inside:
                irregular["a chunk opens inside another, which ends there."] = None
            elif piece == "]" and not inside:
                irregular["a ']' closes a chunk that no '[' opened."] = None
            elif piece == "]" and not chunks[-1]:
                irregular["a chunk is empty."] = None
            elif piece not in ("[", "]"):
                chunks[-1].append(piece)
                outside += not inside
                continue
            inside = piece == "["
            chunks.append([])
    if inside:
        irregular["the last chunk is not closed."] = None
    if outside:
        those = "token is" if outside == 1 else "tokens are"
        irregular[f"{outside:,} {those} outside any chunk; neighbours make a chunk of their own."] = None
    return tuple(tuple(chunk) for chunk in chunks if chunk), list(irregular)


def _pieces(word: str, inside: bool) -> list[str]:
    """A word without the brackets that a missing blank has joined to it; "[1]" in a chunk is a token."""
    if word in ("[", "]"):
        return [word]
    pieces: list[str] = []
    for number, part in enumerate(word.split("][")):
        if number:
            pieces += ("]", "[")
            inside = True
        opens = part.startswith("[") and not inside
        part = part[1:] if opens else part
        closes = part.endswith("]") and "[" not in part
        pieces += [*(["["] if opens else []), part[:-1] if closes else part, *(["]"] if closes else [])]
    return [piece for piece in pieces if piece]


def project_chunks(tokens: Sequence[str], chunks: Sequence[Sequence[str]]) -> Chunks:
    """The token numbers, from 1, of each chunk, by their position in the text.

    The chunk files were corrected by hand and sometimes split tokens differently from the alignment files;
    only the letters and digits must agree.
    """
    if not _is_text_of(chunks, tokens):
        return _projected_letters(tokens, chunks)
    ends = list(accumulate(len("".join(chunk)) for chunk in chunks))
    members: list[list[int]] = [[] for _ in chunks]
    start = 0
    for number, token in enumerate(tokens, start=1):
        members[bisect_right(ends, start)].append(number)
        start += len(token)
    return tuple(tuple(chunk) for chunk in members if chunk)


def _is_text_of(chunks: Sequence[Sequence[str]], tokens: Sequence[str]) -> bool:
    return "".join(tokens) == "".join(token for chunk in chunks for token in chunk)


def _projected_letters(tokens: Sequence[str], chunks: Sequence[Sequence[str]]) -> Chunks:
    """The same by letters and digits alone; a token without any that no chunk has is a chunk of its own."""
    ours = [(letter, number) for number, token in enumerate(tokens, start=1) for letter in token]
    theirs = [(letter, number) for number, chunk in enumerate(chunks) for letter in "".join(chunk)]
    chunk_of: dict[int, int] = {}
    at, there = 0, 0
    while at < len(ours) or there < len(theirs):
        letter, token = ours[at] if at < len(ours) else ("", 0)
        other, chunk = theirs[there] if there < len(theirs) else ("", 0)
        if letter.casefold() == other.casefold():
            chunk_of.setdefault(token, chunk)
            at, there = at + 1, there + 1
        elif letter and not letter.isalnum():
            at += 1
        elif other and not other.isalnum():
            there += 1
        else:
            what = "the chunks do not make up the sentence."
            raise MismatchError(what, hint="Are these the chunk files of this dataset?")
    members: dict[object, list[int]] = {}
    for number in range(1, len(tokens) + 1):
        members.setdefault(chunk_of.get(number, f"token {number}"), []).append(number)
    return tuple(map(tuple, members.values()))


def read_pairs(files: Sequence[Path]) -> list[AlignedPair]:
    """Read the pairs of one `.wa` file, its alignments left out, or of two files with a sentence a line."""
    if len(files) == 1:
        pairs = [replace(pair, alignments=()) for pair in read_alignments(files[0])]
        empty = next((pair.id for pair in pairs if not pair.source or not pair.target), None)
        if empty is not None:
            what = "one of the two sentences has no tokens."
            raise InputError(files[0], what, record=f"sentence {empty}")
        return pairs
    first, second = map(_tokens, files)
    if len(first) != len(second):
        counts = [number_of(len(sentences), "sentence") for sentences in (first, second)]
        what = f"{files[0]} has {counts[0]}, and {files[1]} has {counts[1]}."
        raise MismatchError(what, hint="Line n of one file belongs to line n of the other.")
    numbered = enumerate(zip(first, second, strict=True), start=1)
    return [AlignedPair(str(number), *sentences) for number, sentences in numbered]


def chunk_files(files: Sequence[Path]) -> tuple[Path, Path]:
    """The gold chunk files of pairs: beside `NAME.wa` or `NAME.sent1.txt`, or these files themselves.

    They need not exist.
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
    """Cut pairs into the chunks of two chunk files, line n for the n-th pair; warns once for each file."""
    (sources, first), (targets, second) = map(_parse_chunks, files)
    if not len(pairs) == len(sources) == len(targets):
        raise MismatchError(
            f"the chunk files have {len(sources):,} and {len(targets):,} lines for "
            f"{number_of(len(pairs), 'pair')}.",
            hint=f"Line n of {files[0].name} and {files[1].name} belongs to the n-th pair.",
        )
    irregular = {files[0]: first, files[1]: second}
    chunked = []
    for line, (pair, *sides) in enumerate(zip(pairs, sources, targets, strict=True), start=1):
        cut = []
        for file, tokens, chunks in zip(files, (pair.source, pair.target), sides, strict=True):
            try:
                cut.append(project_chunks(tokens, chunks))
            except MismatchError as error:
                raise MismatchError(f"{file}, pair {pair.id}: {error.what}", hint=error.hint) from error
            if not _is_text_of(chunks, tokens):
                irregular[file].append(Problem(line, f"pair {pair.id}", _PUNCTUATION, "warning"))
        chunked.append(ChunkedPair(pair.id, pair.source, pair.target, *cut))
    for file, problems in irregular.items():
        warn_of(file, sorted(problems, key=lambda problem: problem.line))
    return chunked


def chunk_problems(path: Path) -> list[Problem]:
    """Everything irregular in a chunk file, compared with its sentences if `NAME.sent1.txt` exists."""
    sentences, problems = _parse_chunks(path)
    file = path.with_name(f"{path.name.removesuffix(_CHUNKS)}.txt")
    if not file.is_file():
        return problems
    texts = read_sentences(file)
    if len(texts) != len(sentences):
        what = f"there are {number_of(len(sentences), 'line')} for the {len(texts):,} of {file.name}."
        return [*problems, Problem(1, "", what)]
    for line, (tokens, chunks) in enumerate(zip(texts, sentences, strict=True), start=1):
        if not _is_text_of(chunks, tokens):
            try:
                project_chunks(tokens, chunks)
                problems.append(Problem(line, "", _PUNCTUATION, "warning"))
            except MismatchError as error:
                problems.append(Problem(line, "", error.what))
    return sorted(problems, key=lambda problem: problem.line)


def _tokens(file: Path) -> list[tuple[str, ...]]:
    if file.name.endswith(_CHUNKS):
        sentences = [tuple(token for chunk in chunks for token in chunk) for chunks in read_chunks(file)]
    else:
        sentences = read_sentences(file)
    for number, tokens in enumerate(sentences, start=1):
        if not tokens:
            hint = "Both sentences of a pair need words; take the line out of both files."
            raise InputError(file, "this sentence is empty.", line=number, hint=hint)
    return sentences
