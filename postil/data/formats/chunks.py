"""Sentence and chunk files of interpretable similarity, the pairs they hold, and a checker for alignments."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, chain
from pathlib import Path

from postil.data.files import read_lines
from postil.data.formats.ists import ParsedFile, Problem, parse_alignments, read_alignments
from postil.data.judgements import AlignedPair, Alignment, ChunkedPair, Chunks
from postil.errors import InputError, MismatchError, PostilError, number_of

ChunkedSentence = tuple[tuple[str, ...], ...]


def read_sentences(path: Path | str) -> list[tuple[str, ...]]:
    """Read a sentence file: one sentence a line, tokens separated by blanks."""
    return [tuple(line.split()) for line in read_lines(path)]


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
            hint = "A line should be '[ tokens ] [ tokens ] …', with blanks around the brackets."
            raise InputError(path, f"{word!r} is outside any chunk.", line=number, hint=hint)
    if inside or not all(chunks):
        raise InputError(path, "a chunk is empty or not closed with ']'.", line=number)
    return tuple(map(tuple, chunks))


def project_chunks(tokens: Sequence[str], chunks: Sequence[Sequence[str]]) -> Chunks:
    """The token numbers, from 1, of each chunk, by their position in the text.

    The chunk files were corrected by hand and sometimes split tokens differently from the alignment files;
    only the letters must agree.
    """
    ends = list(accumulate(len("".join(chunk)) for chunk in chunks))
    if "".join(tokens) != "".join(token for chunk in chunks for token in chunk):
        what = "the chunks do not hold the text of the sentence."
        raise MismatchError(what, hint="Are these the chunk files of this dataset?")
    members: list[list[int]] = [[] for _ in chunks]
    start = 0
    for number, token in enumerate(tokens, start=1):
        members[bisect_right(ends, start)].append(number)
        start += len(token)
    return tuple(tuple(chunk) for chunk in members if chunk)


# Sentence pairs to align, from an alignment file or from two files of sentences or chunks.

_CHUNKS = ".chunk.txt"


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
        raise MismatchError(
            f"{files[0]} has {number_of(len(first), 'sentence')}, and {files[1]} has "
            f"{number_of(len(second), 'sentence')}.",
            hint="Line n of one file belongs to line n of the other.",
        )
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
            hint = "Both sentences of a pair need words; take the line out of both files."
            raise InputError(file, "this sentence is empty.", line=number, hint=hint)
    return sentences


# Checking `.wa` files: every problem, with its line, not only the first.


def check_alignments(path: Path | str) -> list[Problem]:
    """List all problems of a `.wa` file: errors of format, and warnings where it breaks the guidelines."""
    return _in_order(_problems(parse_alignments(path)))


def check_annotation(path: Path | str) -> list[Problem]:
    """List all problems of a `.wa` file that people wrote: those of `check_alignments`, and more.

    People give whole scores and align whole chunks, which are checked if the chunk files are beside it.
    """
    path = Path(path)
    parsed = parse_alignments(path)
    problems = _problems(parsed)
    chunked: list[ChunkedPair | None] = [None] * len(parsed.pairs)
    files = chunk_files([path])
    if all(file.exists() for file in files):
        try:
            chunked = [*read_gold_chunks(parsed.pairs, files)]
        except PostilError as error:
            problems.append(Problem(1, "", f"its chunks cannot be checked: {error.what}", "warning"))
    for pair, chunks, lines in zip(parsed.pairs, chunked, parsed.lines, strict=True):
        for alignment, line in zip(pair.alignments, lines, strict=True):
            warnings = _annotation_warnings(alignment, chunks)
            problems += [Problem(line, f"sentence {pair.id}", what, "warning") for what in warnings]
    return _in_order(problems)


def _in_order(problems: list[Problem]) -> list[Problem]:
    return sorted(problems, key=lambda problem: problem.line)


def _problems(parsed: ParsedFile) -> list[Problem]:
    problems = list(parsed.problems)
    for pair, lines, start in zip(parsed.pairs, parsed.lines, parsed.starts, strict=True):
        record = f"sentence {pair.id}"
        for side, tokens in (("first", pair.source), ("second", pair.target)):
            if not tokens:
                problems.append(Problem(start, record, f"the {side} sentence has no tokens."))
        problems += [Problem(start, record, what, "warning") for what in _sentence_warnings(pair)]
        for alignment, line in zip(pair.alignments, lines, strict=True):
            problems += [Problem(line, record, what, "warning") for what in _guideline_warnings(alignment)]
    return problems


def _guideline_warnings(alignment: Alignment) -> Iterator[str]:
    aligned = bool(alignment.source and alignment.target)
    score = alignment.score
    if alignment.labels[0] != alignment.type:
        yield f"the type should come first: {alignment.type}_{alignment.labels[0]}."
    yield from (f"{label} occurs twice." for label, count in Counter(alignment.labels).items() if count > 1)
    if alignment.type == "NOALI":
        if aligned:
            yield "NOALI links two chunks; one side should be 0."
        if score not in (None, 0):
            yield f"NOALI has the score {score:g}; it should be NIL."
        return
    if not aligned:
        yield f"{alignment.type} with nothing on one side; it should be NOALI."
    if alignment.type == "EQUI" and score != 5:
        yield "EQUI should have the score 5."
    if alignment.type != "EQUI" and (score is None or not 0 < score < 5):
        yield f"{alignment.type} should have a score above 0 and below 5."
    if any(list(side) != sorted(side) for side in (alignment.source, alignment.target)):
        yield "token numbers are not in order."


def _annotation_warnings(alignment: Alignment, pair: ChunkedPair | None) -> Iterator[str]:
    if alignment.score is not None and not alignment.score.is_integer():
        yield f"the score {alignment.score:g} is not a whole number."
    if pair is None:
        return
    for side, numbers, chunks in (
        ("first", alignment.source, pair.source_chunks),
        ("second", alignment.target, pair.target_chunks),
    ):
        taken = [chunk for chunk in chunks if set(chunk) & set(numbers)]
        for chunk in taken:
            if not set(chunk) <= set(numbers):
                tokens = " ".join(map(str, chunk))
                yield f"only part of the chunk of tokens {tokens} of the {side} sentence is aligned."
        if alignment.type == "NOALI" and len(taken) > 1:
            yield f"NOALI takes {len(taken)} chunks of the {side} sentence; each needs its own line."


def _sentence_warnings(pair: AlignedPair) -> Iterator[str]:
    sides = (
        ("first", pair.source_text, pair.source, [item.source for item in pair.alignments]),
        ("second", pair.target_text, pair.target, [item.target for item in pair.alignments]),
    )
    for side, text, tokens, _ in sides:
        if text and text.split() != list(tokens):
            yield f"the tokens are not those of the {side} sentence."
    for side, _, tokens, aligned in sides:
        used = Counter(chain.from_iterable(aligned))
        missing = [str(number) for number in range(1, len(tokens) + 1) if number not in used]
        if missing:
            yield f"tokens {' '.join(missing)} of the {side} sentence are in no alignment, not even NOALI."
        repeated = [str(number) for number, count in sorted(used.items()) if count > 1]
        if repeated:
            yield f"tokens {' '.join(repeated)} of the {side} sentence are in more than one alignment."
