"""Alignments in words, in the terminal and as plain values; and what every picture of one is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from postil.data.judgements import ADDITIONS, TYPES, AlignedPair, Alignment, FacetOutcome
from postil.explain.page import printable

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from postil.entailment.entailer import Entailment

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
    "SPE1": Look("#0072b2", "11 4", "bright_blue", ">", "{0} more specific", "{0} more precise"),
    "SPE2": Look("#56b4e9", "11 4 2 4", "cyan", "<", "{1} more specific", "{1} more precise"),
    "SIMI": Look("#e69f00", "5 4", "yellow", "~", "similar", "similar"),
    "REL": Look("#cc79a7", "1.5 4", "magenta", "-", "related", "related"),
    "NOALI": Look("#8c959f", "4 3", "dim", " ", "not aligned", "only here"),
}
_ADDED = {"FACT": "fact against possibility", "POL": "opinions differ"}
_ADDED_WORDS = {"FACT": "not equally certain", "POL": "opinions differ"}


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
    for index, side in enumerate(sides):
        for number in side:
            members[number - 1].append(index)
    cut: list[Stretch] = []
    taken: list[list[int]] = [[] for _ in sides]
    start = 0
    for end in range(1, len(tokens) + 1):
        if end < len(tokens) and members[end] == members[start]:
            continue
        for index in members[start]:
            taken[index].append(len(cut))
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
    """The label in plain words, as in `similar, not equally certain`; the score is left to the line."""
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


def alignment_table(pair: AlignedPair, names: Names = SENTENCES) -> Table:
    """A row for each link, `chunk  =EQUI 5=  chunk`, in the order of the first sentence where possible.

    The console that prints it knows how wide it is and whether it has colours.
    """
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 1))
    table.add_column(Text(names[0]), justify="right", overflow="fold")
    table.add_column("", justify="center", no_wrap=True)
    table.add_column(Text(names[1]), overflow="fold")
    for alignment in _in_order(pair):
        style = "" if is_link(alignment) else "dim"
        table.add_row(
            Text(printable(words(pair.source, alignment.source)), style),
            _sign(alignment),
            Text(printable(words(pair.target, alignment.target)), style),
        )
    return table


def legend_line(pair: AlignedPair, names: Names = SENTENCES) -> Text:
    """What the labels of a pair mean, in one line."""
    from rich.text import Text

    line = Text()
    for name, meaning in meanings(pair, names).items():
        style = LOOKS[name].plain_colour if name in LOOKS else ""
        line.append("   " if line else "").append(name, style).append(f" {meaning}", "dim")
    return line


def _in_order(pair: AlignedPair) -> Iterator[Alignment]:
    """Alignments by their first token; one with an empty first side follows what stands before it."""
    waiting = sorted((each for each in pair.alignments if not each.source), key=lambda each: each.target)
    for alignment in sorted((each for each in pair.alignments if each.source), key=lambda each: each.source):
        while waiting and alignment.target and waiting[0].target < alignment.target:
            yield waiting.pop(0)
        yield alignment
    yield from waiting


def _sign(alignment: Alignment) -> Text:
    from rich.text import Text

    style = look(alignment)
    if not is_link(alignment):
        return Text(label(alignment), "dim")
    return Text(f"{style.sign}{label(alignment)}{style.sign}", f"bold {style.plain_colour}")


def plain_alignment(pair: AlignedPair) -> dict[str, object]:
    """Two sentences as tokens, and what links their chunks; tokens are counted from 1."""
    return {
        "source": list(pair.source),
        "target": list(pair.target),
        "alignments": [
            {
                "source": list(each.source),
                "target": list(each.target),
                "source_text": words(pair.source, each.source),
                "target_text": words(pair.target, each.target),
                "type": each.type,
                "additions": [label for label in each.labels if label != each.type],
                "score": each.score,
            }
            for each in pair.alignments
        ],
    }


def plain_outcome(outcome: FacetOutcome) -> dict[str, object]:
    """A facet and what an answer does with it."""
    facet = outcome.facet
    return {
        "id": facet.id,
        "first": facet.first,
        "second": facet.second,
        "relation": facet.relation,
        "label": outcome.label,
        "confidence": round(outcome.confidence, 4),
        "words": list(outcome.words),
    }


def plain_entailment(judged: Entailment, scheme: str) -> dict[str, object]:
    """A judged pair: the label in a scheme, how sure, and which part of the text says so."""
    findings = judged.findings
    return {
        "label": judged.two_way if scheme == "2way" else judged.label,
        "confidence": judged.confidence,
        "probabilities": dict(judged.probabilities),
        "sentence": findings.sentence,
        "stands_for": dict(findings.stands_for),
        "supported": list(findings.supported),
        "unsupported": list(findings.unsupported),
        "differences": [
            {"kind": difference.kind, "hypothesis": difference.hypothesis, "text": difference.text}
            for difference in findings.differences
        ],
        "justification": judged.justification,
    }
