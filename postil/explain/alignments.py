"""What every picture of an alignment is made of: stretches of words, labels, and the look of each type."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from postil.data.alignments import ADDITIONS, TYPES, AlignedPair, Alignment

Names = tuple[str, str]
Labelling = Callable[[Alignment], str]
SENTENCES: Names = ("sentence 1", "sentence 2")


@dataclass(frozen=True, slots=True)
class Look:
    """How a type is shown: colour and dashes in SVG, colour and sign in the terminal; and what it means.

    `words` are for those who do not know the types' names.
    """

    colour: str
    dashes: str
    plain_colour: str
    sign: str
    meaning: str
    words: str


# The palette of Okabe and Ito, which the colour-blind can tell apart; lines and signs differ as well.
LOOKS = {
    "EQUI": Look("#009e73", "", "green", "=", "same meaning", "same"),
    "OPPO": Look("#d55e00", "double", "red", "!", "opposite", "opposite"),
    "SPE1": Look("#0072b2", "11 4", "bright_blue", ">", "{0} more specific", "{0} more exact"),
    "SPE2": Look("#56b4e9", "11 4 2 4", "cyan", "<", "{1} more specific", "{1} more exact"),
    "SIMI": Look("#e69f00", "5 4", "yellow", "~", "similar", "alike"),
    "REL": Look("#cc79a7", "1.5 4", "magenta", "-", "related", "related"),
    "NOALI": Look("#8c959f", "4 3", "dim", " ", "not aligned", "only here"),
}
_ADDED = {
    "FACT": "fact against possibility",
    "POL": "opinions differ",
}
_ADDED_WORDS = {
    "FACT": "not equally certain",
    "POL": "opinions differ",
}


@dataclass(frozen=True, slots=True)
class Stretch:
    """Neighbouring tokens that stand in the same alignments: their text, and the places of those."""

    text: str
    alignments: tuple[int, ...]


def stretches(
    tokens: Sequence[str], sides: Sequence[tuple[int, ...]]
) -> tuple[list[Stretch], list[list[int]]]:
    """Cut a sentence where its alignments change; with it, which stretches each alignment takes.

    `sides` has the token numbers of every alignment on this side. An alignment that jumps over words takes
    several stretches; words that no alignment names are a stretch of their own.
    """
    members: list[list[int]] = [[] for _ in tokens]
    for place, side in enumerate(sides):
        for number in side:
            members[number - 1].append(place)
    cut: list[Stretch] = []
    taken: list[list[int]] = [[] for _ in sides]
    start = 0
    for end in range(1, len(tokens) + 1):
        if end < len(tokens) and members[end] == members[start]:
            continue
        for place in members[start]:
            taken[place].append(len(cut))
        cut.append(Stretch(" ".join(tokens[start:end]), tuple(members[start])))
        start = end
    return cut, taken


def is_link(alignment: Alignment) -> bool:
    """Whether an alignment has something on both sides to draw a line between."""
    return bool(alignment.source and alignment.target)


def look(alignment: Alignment) -> Look:
    """The look of an alignment; without a known type, that of what is not aligned."""
    return LOOKS.get(alignment.type, LOOKS["NOALI"])


def label(alignment: Alignment) -> str:
    """The label on a link: type, additions and score, as in `SIMI FACT 4`."""
    score = "" if alignment.score is None else f"{alignment.score:g}"
    return " ".join((*alignment.labels, score)).rstrip()


def plain_label(alignment: Alignment, names: Names) -> str:
    """The label in plain words, as in `alike, not equally certain`; the score is left to the line."""
    said = {name: style.words.format(*names) for name, style in LOOKS.items()} | _ADDED_WORDS
    return ", ".join(said.get(name, name) for name in alignment.labels)


def words(tokens: Sequence[str], numbers: Sequence[int]) -> str:
    """The tokens with these numbers, with dots where some between them are left out."""
    parts: list[str] = []
    for before, number in zip((None, *numbers), numbers, strict=False):
        parts += ["…"] if before is not None and number != before + 1 else []
        parts.append(tokens[number - 1])
    return " ".join(parts)


def meanings(pair: AlignedPair, names: Names) -> dict[str, str]:
    """What the labels in a pair mean, in the order of the guideline, for a legend."""
    used = {name for alignment in pair.alignments for name in alignment.labels}
    types = {name: LOOKS[name].meaning.format(*names) for name in TYPES if name in used}
    return types | {name: _ADDED[name] for name in ADDITIONS if name in used}


def in_words(pair: AlignedPair, names: Names, labelling: Labelling = label) -> str:
    """An alignment told in words, for those who do not see the picture."""
    said = []
    for alignment in pair.alignments:
        source, target = words(pair.source, alignment.source), words(pair.target, alignment.target)
        if is_link(alignment):
            said.append(f"“{source}” – “{target}”: {labelling(alignment)}")
        else:
            where = names[0] if alignment.source else names[1]
            said.append(f"only in {where}: “{source or target}”")
    return "; ".join(said) or "nothing is aligned"
