"""Interpretable-similarity alignments: the `.wa` files of the task, read, written and parsed for checking."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from postil.data.files import read_lines, write_text
from postil.data.judgements import ADDITIONS, TYPES, AlignedPair, Alignment
from postil.errors import InputError

_SENTENCE = re.compile(r'<sentence\s+id="([^"]*)"(?:\s+status="([^"]*)")?\s*>')
# Nine digits are more than any sentence needs, and fewer than `int` refuses.
_TOKEN = re.compile(r"(\d{1,9})\s+(\S.*?)\s*:\s*$")
_NUMBERS = re.compile(r"\d{1,9}(?:\s+\d{1,9})*")
_UNALIGNED = "-not aligned-"


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong in a file: an `error` stops every reader, a `warning` breaks the guidelines."""

    line: int
    record: str
    what: str
    severity: str = "error"


@dataclass
class _State:
    """What the parser of `.wa` files knows so far about the current pair."""

    problems: list[Problem]
    line: int = 0
    id: str | None = None
    status: str = ""
    started: int = 0
    section: str = ""
    texts: list[str] = field(default_factory=list)
    tokens: dict[str, list[str]] = field(default_factory=lambda: {"source": [], "translation": []})
    alignments: list[Alignment] = field(default_factory=list)
    alignment_lines: list[int] = field(default_factory=list)

    def problem(self, what: str, line: int | None = None) -> None:
        record = f"sentence {self.id}" if self.id is not None else ""
        self.problems.append(Problem(line or self.line, record, what))

    def pair(self) -> AlignedPair:
        texts = [*self.texts, "", ""]
        return AlignedPair(
            id=self.id or "",
            source=tuple(self.tokens["source"]),
            target=tuple(self.tokens["translation"]),
            alignments=tuple(self.alignments),
            source_text=texts[0],
            target_text=texts[1],
            status=self.status,
        )


@dataclass(frozen=True)
class ParsedFile:
    """A parsed `.wa` file: its pairs, the line of each alignment, and everything wrong with the format."""

    pairs: list[AlignedPair]
    lines: list[list[int]]
    starts: list[int]
    problems: list[Problem]


def parse_alignments(path: Path | str) -> ParsedFile:
    """Parse a `.wa` file as far as it goes, collecting every problem of format instead of stopping."""
    parsed = ParsedFile([], [], [], [])
    state = _State(parsed.problems)
    ids: dict[str, int] = {}

    def finish() -> None:
        if state.id is not None:
            parsed.pairs.append(state.pair())
            parsed.lines.append(state.alignment_lines)
            parsed.starts.append(state.started)

    for number, line in enumerate(read_lines(path), start=1):
        state.line = number
        opening = _SENTENCE.fullmatch(line.strip())
        if opening:
            if state.id is not None:
                state.problem("a new sentence begins before </sentence>.")
                finish()
            state = _State(parsed.problems, number, opening[1], opening[2] or "", number)
            first = ids.setdefault(opening[1], number)
            if first != number:
                state.problem(f"this id is also on line {first}.")
        elif line.strip() == "</sentence>":
            if state.id is None:
                state.problem("</sentence> without <sentence>.")
            elif state.section:
                state.problem(f"</sentence> comes before </{state.section}>.")
            finish()
            state = _State(parsed.problems, number)
        elif line.strip():
            _inside(state, line)
    if state.id is not None:
        state.problem("the file ends before </sentence>.")
        finish()
    if not parsed.pairs and not parsed.problems:
        state.problem("there is no <sentence> in this file.")
    return parsed


def _inside(state: _State, line: str) -> None:
    """Take one line between <sentence> and </sentence>."""
    stripped = line.strip()
    tag = re.fullmatch(r"<(/?)(source|translation|alignment)>", stripped)
    if state.id is None:
        state.problem("text outside <sentence>.")
    elif tag and tag[1]:
        if state.section != tag[2]:
            state.problem(f"</{tag[2]}> without <{tag[2]}>.")
        state.section = ""
    elif tag:
        if state.section:
            state.problem(f"<{tag[2]}> comes before </{state.section}>.")
        state.section = tag[2]
    elif state.section in ("source", "translation"):
        _token(state, line)
    elif state.section == "alignment":
        alignment = _alignment(state, stripped)
        if alignment is not None:
            state.alignments.append(alignment)
            state.alignment_lines.append(state.line)
    elif stripped.startswith("//") and len(state.texts) < 2:
        state.texts.append(stripped[2:].strip())
    else:
        state.problem("this line is neither a sentence (// …) nor a section (<source>, <alignment>).")


def _token(state: _State, line: str) -> None:
    tokens = state.tokens[state.section]
    match = _TOKEN.match(line.strip() + " ")
    if match is None:
        state.problem("a token line should be 'number token : '.")
        return
    if int(match[1]) != len(tokens) + 1:
        state.problem(f"token number {match[1]} where {len(tokens) + 1} was expected.")
    tokens.append(match[2])


def _alignment(state: _State, line: str) -> Alignment | None:
    fields = [part.strip() for part in line.split("//", 3)]
    sides = fields[0].split("<==>")
    if len(fields) < 3 or len(sides) != 2:
        state.problem("an alignment line should be 'numbers <==> numbers // TYPE // score // comment'.")
        return None
    numbers = [_side(side) for side in sides]
    if numbers[0] is None or numbers[1] is None:
        state.problem("token numbers should be whole numbers separated by blanks, or 0 for none.")
        return None
    for problem in _range_problems(state, numbers[0], numbers[1]):
        state.problem(problem)
        return None
    labels = tuple(label.strip() for label in fields[1].split("_"))
    types = [label for label in labels if label in TYPES]
    if len(types) != 1 or any(label not in TYPES and label not in ADDITIONS for label in labels):
        state.problem(f"{fields[1]!r} is not one of {', '.join(TYPES)}, with _FACT or _POL or neither.")
        return None
    score = _score(fields[2])
    if score is not None and not 0 <= score <= 5:
        state.problem(f"the score {fields[2]!r} is neither NIL nor a number from 0 to 5.")
        return None
    return Alignment(numbers[0], numbers[1], labels, score)


def _range_problems(state: _State, source: tuple[int, ...], target: tuple[int, ...]) -> Iterator[str]:
    if not source and not target:
        yield "both sides are 0: nothing is aligned with nothing."
    for name, numbers, tokens in (
        ("first", source, state.tokens["source"]),
        ("second", target, state.tokens["translation"]),
    ):
        if numbers and max(numbers) > len(tokens):
            yield f"token {max(numbers)} of the {name} sentence, which has {len(tokens)}."
        if len(set(numbers)) < len(numbers):
            yield f"a token of the {name} sentence is named twice."


def _side(text: str) -> tuple[int, ...] | None:
    text = text.strip()
    if not _NUMBERS.fullmatch(text):
        return None
    return tuple(number for number in map(int, text.split()) if number > 0)


def _score(text: str) -> float | None:
    if text.upper() == "NIL":
        return None
    try:
        return float(text)
    except ValueError:
        return -1.0


def read_alignments(path: Path | str) -> list[AlignedPair]:
    """Read a `.wa` file; the first problem of format is an error, and `postil check` lists them all."""
    parsed = parse_alignments(path)
    if parsed.problems:
        first = parsed.problems[0]
        more = len(parsed.problems) - 1
        hint = f"There are {more} more problems: `postil check` lists them." if more else ""
        raise InputError(path, first.what, line=first.line, record=first.record or None, hint=hint)
    return parsed.pairs


def write_alignments(path: Path | str, pairs: Iterable[AlignedPair]) -> None:
    """Write a `.wa` file, tokens and comments spelled out as the task's own files have them."""
    blocks = []
    for pair in pairs:
        _refuse_unwritable(path, pair)
        lines = [f'<sentence id="{pair.id}" status="{pair.status}">']
        lines += [
            f"// {pair.source_text or ' '.join(pair.source)}",
            f"// {pair.target_text or ' '.join(pair.target)}",
        ]
        for tag, tokens in (("source", pair.source), ("translation", pair.target)):
            numbered = [f"{number} {token} : " for number, token in enumerate(tokens, start=1)]
            lines += [f"<{tag}>", *numbered, f"</{tag}>"]
        lines += ["<alignment>", *(_alignment_line(pair, item) for item in pair.alignments), "</alignment>"]
        blocks.append("\n".join([*lines, "</sentence>"]))
    write_text(path, "\n\n\n".join(blocks) + "\n")


def _refuse_unwritable(path: Path | str, pair: AlignedPair) -> None:
    """Refuse what would break the lines of the format or would not be read back unchanged."""
    if any(token.split() != [token] for token in (*pair.source, *pair.target)):
        what = "a token is empty or has a blank in it."
    elif any(set(text) & set("\n\r\0") for text in (pair.source_text, pair.target_text)):
        what = "the sentence has a line break or a NUL in it."
    elif any(set(name) & set('"\n\r\0') for name in (pair.id, pair.status)):
        what = "the id or the status has a quote, a line break or a NUL in it."
    else:
        return
    raise InputError(path, f"cannot be written: {what}", record=f"sentence {pair.id!r}")


def _alignment_line(pair: AlignedPair, alignment: Alignment) -> str:
    def numbers(side: Sequence[int]) -> str:
        return " ".join(map(str, side)) or "0"

    def words(side: Sequence[int], tokens: Sequence[str]) -> str:
        return " ".join(tokens[number - 1] for number in side) or _UNALIGNED

    score = "NIL" if alignment.score is None else repr(float(alignment.score)).removesuffix(".0")
    comment = f"{words(alignment.source, pair.source)} <==> {words(alignment.target, pair.target)}"
    return (
        f"{numbers(alignment.source)} <==> {numbers(alignment.target)} // "
        f"{'_'.join(alignment.labels)} // {score} // {comment} "
    )
