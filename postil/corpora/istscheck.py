"""The well-formedness checker for `.wa` files: every problem, with its line, not only the first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from postil.corpora.alignments import AlignedPair, Alignment
from postil.corpora.ists import Problem, parse_alignments


def check_alignments(path: Path | str) -> list[Problem]:
    """List all that is wrong with a `.wa` file: errors of format, warnings where the guideline is broken."""
    parsed = parse_alignments(path)
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
