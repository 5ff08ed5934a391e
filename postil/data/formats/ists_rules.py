"""The rules of interpretable similarity: every breach in files of alignments and chunks, with its line."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from postil.data.formats.chunks import chunk_files, chunk_problems, read_gold_chunks
from postil.data.formats.ists import ParsedFile, parse_alignments
from postil.data.judgements import AlignedPair, Alignment, ChunkedPair
from postil.errors import InputWarning, PostilError, Problem


def check_file(path: Path) -> list[Problem]:
    """List all problems of a `.wa` file or a chunk file; files of other formats have no list of their own."""
    if path.suffix.lower() == ".wa":
        return check_alignments(path)
    return chunk_problems(path) if path.name.endswith(".chunk.txt") else []


def check_alignments(path: Path | str) -> list[Problem]:
    """List all problems of a `.wa` file: errors of format, and warnings where it breaks the guidelines."""
    return _problems(parse_alignments(path))


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
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", InputWarning)  # `postil check` lists what is irregular there
                chunked = [*read_gold_chunks(parsed.pairs, files)]
        except PostilError as error:
            problems.append(Problem(1, "", f"its chunks cannot be checked: {error.what}", "warning"))
    for pair, chunks, lines in zip(parsed.pairs, chunked, parsed.lines, strict=True):
        for alignment, line in zip(pair.alignments, lines, strict=True):
            breaches = _annotation_warnings(alignment, chunks)
            problems += [Problem(line, f"sentence {pair.id}", what, "warning") for what in breaches]
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
    return sorted(problems, key=lambda problem: problem.line)


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
