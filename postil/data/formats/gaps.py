"""Tables of gaps: for each answer the part of the reference that it leaves out, and the words to score."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from importlib.resources import files
from pathlib import Path

from postil.data.formats.rows import read_rows
from postil.errors import InputError, some

COLUMNS = ("student_answer_id", "question_text", "model_answer", "student_answer", "gap")
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a reference in lower case, and where it stands there."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class GapRow:
    """An answer, the reference, and what the answer leaves out of it: nothing, a part or all."""

    id: str
    question: str
    reference: str
    answer: str
    gap: str = ""

    @property
    def words(self) -> tuple[Word, ...]:
        """The reference's words that carry meaning, each time they occur."""
        return tuple(word for word in _words(self.reference) if word.text not in function_words())

    @property
    def missing(self) -> tuple[bool, ...]:
        """For each of these words whether it lies inside the gap.

        The gap repeats words of the reference in their order: where, is found by the longest runs of words
        that both have.
        """
        words = _words(self.reference)
        texts = [word.text for word in words], [word.text for word in _words(self.gap)]
        blocks = SequenceMatcher(None, *texts, autojunk=False).get_matching_blocks()
        inside = {words[place].start for block in blocks for place in range(block.a, block.a + block.size)}
        return tuple(word.start in inside for word in self.words)

    @property
    def is_partial(self) -> bool:
        """Whether the gap is neither empty nor the whole reference."""
        return len(set(self.missing)) == 2


def read_gaps(path: Path | str) -> list[GapRow]:
    """Read a table of gaps (CSV, TSV, JSON lines or XLSX)."""
    table = read_rows(path)
    table.demand_rows()
    lacking = [name for name in COLUMNS if name not in table.header]
    if lacking:
        raise InputError(
            path,
            f"there is no column {some(lacking)}; there are {some(table.header, 10)}.",
            hint=f"A table of gaps has the columns {', '.join(COLUMNS)}.",
        )
    places = [table.header.index(name) for name in COLUMNS]
    found = []
    for row in table.rows:
        values = [row.cells[place].strip() for place in places]
        if not values[2]:
            raise InputError(path, "there is no reference here.", line=row.line, record=values[0])
        found.append(GapRow(*values))
    return found


@cache
def function_words() -> frozenset[str]:
    """The words that hold sentences together, by a fixed list.

    Words that compare ("more", "same", "other") are not among them: in a reference they say much.
    """
    text = files("postil.resources").joinpath("words", "function_words.txt").read_text(encoding="utf-8")
    return frozenset(text.split())


def _words(text: str) -> list[Word]:
    return [Word(one.group().lower(), one.start(), one.end()) for one in _WORD.finditer(text)]
