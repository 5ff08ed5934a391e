"""The well-formedness checker for `.wa` files: every problem, with its line, not only the first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from postil.data.alignments import AlignedPair, Alignment, ChunkedPair, Chunks
from postil.data.formats.ists import ParsedFile, Problem, parse_alignments
from postil.data.formats.pairfiles import chunk_files, read_gold_chunks
from postil.errors import PostilError


def check_alignments(path: Path | str) -> list[Problem]:
    """List all that is wrong with a `.wa` file: errors of format, warnings where the guideline is broken."""
    return _in_order(_problems(parse_alignments(path)))


def check_annotation(path: Path | str) -> list[Problem]:
    """List all that is wrong with a `.wa` file that people wrote: what `check_alignments` finds, and more.

    A person gives whole scores, and aligns whole chunks: those of the chunk files, where they lie beside.
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
            found = [*_score_warnings(alignment), *(_chunk_warnings(alignment, chunks) if chunks else ())]
            problems += [Problem(line, f"sentence {pair.id}", what, "warning") for what in found]
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
    yield from (f"{label} stands twice." for label, count in Counter(alignment.labels).items() if count > 1)
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
    if list(alignment.source) != sorted(alignment.source) or list(alignment.target) != sorted(
        alignment.target
    ):
        yield "token numbers are not in order."


def _score_warnings(alignment: Alignment) -> Iterator[str]:
    if alignment.score is not None and not alignment.score.is_integer():
        yield f"the score {alignment.score:g} is not a whole number."


def _chunk_warnings(alignment: Alignment, pair: ChunkedPair) -> Iterator[str]:
    for side, numbers, chunks in (
        ("first", alignment.source, pair.source_chunks),
        ("second", alignment.target, pair.target_chunks),
    ):
        taken = _taken(numbers, chunks)
        for chunk in taken:
            if not set(chunk) <= set(numbers):
                said = " ".join(map(str, chunk))
                yield f"only a part of the chunk of tokens {said} of the {side} sentence is taken."
        if alignment.type == "NOALI" and len(taken) > 1:
            yield f"NOALI takes {len(taken)} chunks of the {side} sentence; each needs its own line."


def _taken(numbers: tuple[int, ...], chunks: Chunks) -> list[tuple[int, ...]]:
    return [chunk for chunk in chunks if set(chunk) & set(numbers)]


def _sentence_warnings(pair: AlignedPair) -> Iterator[str]:
    for side, text, tokens in (
        ("first", pair.source_text, pair.source),
        ("second", pair.target_text, pair.target),
    ):
        if text and text.split() != list(tokens):
            yield f"the tokens are not those of the {side} sentence."
    for side, used, tokens in (
        ("first", Counter(number for item in pair.alignments for number in item.source), pair.source),
        ("second", Counter(number for item in pair.alignments for number in item.target), pair.target),
    ):
        missing = [str(number) for number in range(1, len(tokens) + 1) if number not in used]
        if missing:
            yield f"tokens {' '.join(missing)} of the {side} sentence stand in no alignment, not even NOALI."
        repeated = [str(number) for number, count in sorted(used.items()) if count > 1]
        if repeated:
            yield f"tokens {' '.join(repeated)} of the {side} sentence stand in more than one alignment."
