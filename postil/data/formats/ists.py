"""Interpretable similarity: files of alignments (`.wa`).

The task's own files are not clean. What leaves no doubt of what is meant is read, with one warning for the
file; only what would change token numbers, links, types or scores is an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from postil.data.files import read_lines, write_text
from postil.data.judgements import ADDITIONS, TYPES, AlignedPair, Alignment
from postil.errors import InputError, Problem, warn_of

_SENTENCE = re.compile(r'<sentence\s+id="([^"]*)"(?:\s+status="([^"]*)")?\s*>')
_TAG = re.compile(r"<(/?)\s*(source|translation|alignment)\s*>", re.IGNORECASE)
_COMMENTS = ("//", "#", "<!--", "<?xml")
# Nine digits are more than any sentence needs, and fewer than `int` refuses.
_TOKEN = re.compile(r"(\d{1,9})\s+(\S.*?)\s*:\s*$")
_BARE_TOKEN = re.compile(r"(\d{1,9})\s+([^\s:]|\S*[^\s:]\S*)")  # without the colon at its end
_NUMBERS = re.compile(r"\d{1,9}(?:\s+\d{1,9})*")
_UNALIGNED = "-not aligned-"


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

    def problem(self, what: str, severity: str = "error") -> None:
        record = f"sentence {self.id}" if self.id is not None else ""
        self.problems.append(Problem(self.line, record, what, severity))

    def warning(self, what: str) -> None:
        """Note something that is read all the same."""
        self.problem(what, "warning")

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
                state.warning("a new sentence begins before </sentence>.")
                finish()
            state = _State(parsed.problems, number, opening[1], opening[2] or "", number)
            first = ids.setdefault(opening[1], number)
            if first != number:
                state.problem(f"this id is also on line {first}.")
        elif line.strip() == "</sentence>":
            if state.id is None:
                state.problem("</sentence> without <sentence>.")
            elif state.section:
                state.warning(f"</sentence> comes before </{state.section}>.")
            finish()
            state = _State(parsed.problems, number)
        elif line.strip():
            _inside(state, line.strip())
    if state.id is not None:
        # After </alignment> nothing of the pair can be missing; before it, the file may be cut short.
        whole = not state.section and state.alignments
        state.problem("the file ends before </sentence>.", "warning" if whole else "error")
        finish()
    if not parsed.pairs and not any(problem.severity == "error" for problem in parsed.problems):
        state.problem("there is no <sentence> in this file.")
    _note_unaligned(parsed)
    return parsed


def _note_unaligned(parsed: ParsedFile) -> None:
    """Note pairs without any alignment, unless all are: then the file is a system's input."""
    if any(pair.alignments for pair in parsed.pairs):
        for pair, start in zip(parsed.pairs, parsed.starts, strict=True):
            if not pair.alignments:
                what = "the pair has no alignment, and counts as one without links."
                parsed.problems.append(Problem(start, f"sentence {pair.id}", what, "warning"))


def _inside(state: _State, stripped: str) -> None:
    """Take one line between <sentence> and </sentence>."""
    tag = _TAG.fullmatch(stripped)
    if state.id is None:
        if stripped.startswith(_COMMENTS):
            state.warning("this line is outside <sentence>, and left out.")
        else:
            state.problem("text outside <sentence>.")
    elif tag:
        _section(state, tag[2].lower(), closing=bool(tag[1]))
    elif state.section in ("source", "translation"):
        tokens, token = state.tokens[state.section], _TOKEN.match(stripped + " ")
        if token is None and (token := _BARE_TOKEN.fullmatch(stripped)):
            state.warning("the colon is missing at the end of this token's line.")
        if token is None:
            state.problem("a token line should be 'number token : '.")
            return
        if int(token[1]) != len(tokens) + 1:
            state.problem(f"token number {token[1]} where {len(tokens) + 1} was expected.")
        tokens.append(token[2])
    elif state.section == "alignment":
        alignment = _alignment(state, stripped)
        if alignment is not None:
            state.alignments.append(alignment)
            state.alignment_lines.append(state.line)
    elif stripped.startswith("//") and len(state.texts) < 2:
        state.texts.append(stripped[2:].strip())
    elif stripped.startswith(_COMMENTS):
        state.warning("this line is neither a sentence nor in a section, and left out.")
    else:
        state.problem("this line is neither a sentence (// …) nor a section (<source>, <alignment>).")


def _section(state: _State, name: str, *, closing: bool) -> None:
    if closing and state.section != name:
        state.problem(f"</{name}> without <{name}>.")
    elif not closing and state.section:
        state.warning(f"<{name}> comes before </{state.section}>.")
    state.section = "" if closing else name


def _alignment(state: _State, line: str) -> Alignment | None:
    fields = [part.strip() for part in line.split("//", 3)]
    sides = fields[0].split("<==>")
    if len(fields) < 3 or len(sides) != 2:
        state.problem("an alignment line should be 'numbers <==> numbers // TYPE // score // comment'.")
        return None
    if not all(_NUMBERS.fullmatch(side.strip()) for side in sides):
        state.problem("token numbers should be whole numbers separated by blanks, or 0 for none.")
        return None
    source, target = (
        _numbers(state, side, name) for side, name in zip(sides, ("source", "translation"), strict=True)
    )
    if source is None or target is None:
        return None
    if not source and not target:
        state.warning("both sides are 0, which links nothing; the line is left out.")
        return None
    labels = _labels(state, fields[1])
    if labels is None:
        return None
    score: float | None = None
    if not fields[2]:
        state.warning("the score is missing, and read as NIL.")
    elif fields[2].upper() != "NIL":
        try:
            score = float(fields[2])
        except ValueError:
            score = -1.0
    if score is not None and not 0 <= score <= 5:
        state.problem(f"the score {fields[2]!r} is neither NIL nor a number from 0 to 5.")
        return None
    return Alignment(source, target, labels, score)


def _numbers(state: _State, side: str, section: str) -> tuple[int, ...] | None:
    """The token numbers of one side of an alignment, each once; None if there is no such token."""
    numbers = [number for number in map(int, side.split()) if number > 0]
    name, size = "first" if section == "source" else "second", len(state.tokens[section])
    if numbers and max(numbers) > size:
        state.problem(f"there is no token {max(numbers)} in the {name} sentence, which has {size}.")
        return None
    if len(set(numbers)) < len(numbers):
        state.warning(f"a token of the {name} sentence is named twice.")
    return tuple(dict.fromkeys(numbers))


def _labels(state: _State, written: str) -> tuple[str, ...] | None:
    """The type of a link and its additions, even if they are in lower case."""
    labels = tuple(label.strip() for label in written.upper().split("_") if label.strip())
    types = [label for label in labels if label in TYPES]
    if len(types) != 1 or any(label not in TYPES and label not in ADDITIONS for label in labels):
        state.problem(f"{written!r} is not one of {', '.join(TYPES)}, with _FACT or _POL or neither.")
        return None
    if "_".join(labels) != "".join(written.split()):
        state.warning(f"the type is written {written!r}, and read as {'_'.join(labels)}.")
    return labels


def read_alignments(path: Path | str) -> list[AlignedPair]:
    """Read a `.wa` file; warns of what is irregular, and `postil check` lists all that is wrong.

    What no reader could use is an error.
    """
    parsed = parse_alignments(path)
    errors = [problem for problem in parsed.problems if problem.severity == "error"]
    if errors:
        first, more = errors[0], len(errors) - 1
        hint = f"There are {more} more problems: `postil check` lists them." if more else ""
        raise InputError(path, first.what, line=first.line, record=first.record or None, hint=hint)
    warn_of(path, sorted(parsed.problems, key=lambda problem: problem.line))
    return parsed.pairs


def write_alignments(path: Path | str, pairs: Iterable[AlignedPair]) -> None:
    """Write a `.wa` file, tokens and comments spelled out as the task's own files have them."""
    blocks = []
    for pair in pairs:
        _refuse_unwritable(path, pair)
        texts = pair.source_text or " ".join(pair.source), pair.target_text or " ".join(pair.target)
        lines = [f'<sentence id="{pair.id}" status="{pair.status}">', *(f"// {text}" for text in texts)]
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
    def words(side: Sequence[int], tokens: Sequence[str]) -> str:
        return " ".join(tokens[number - 1] for number in side) or _UNALIGNED

    score = "NIL" if alignment.score is None else repr(float(alignment.score)).removesuffix(".0")
    comment = f"{words(alignment.source, pair.source)} <==> {words(alignment.target, pair.target)}"
    numbers = " <==> ".join(" ".join(map(str, side)) or "0" for side in (alignment.source, alignment.target))
    return f"{numbers} // {'_'.join(alignment.labels)} // {score} // {comment} "
