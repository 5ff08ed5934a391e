"""Entailment pairs (the XML of RTE-1 to RTE-5, and tables) and systems' runs on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from postil.data.files import Seen, read_lines, read_tsv, read_xml, text_of, write_tsv
from postil.data.labels import ENTAILMENT_SCHEMES
from postil.errors import InputError, unknown_label, warn_of

# RTE-3 called a text "long" when it exceeded this many bytes.
LONG_TEXT_BYTES = 270

_SPELLINGS = {
    **dict.fromkeys(("TRUE", "YES", "ENTAILMENT"), "ENTAILMENT"),
    **dict.fromkeys(("FALSE", "NO"), "NO"),
    **dict.fromkeys(("NO ENTAILMENT", "NO_ENTAILMENT"), "NO_ENTAILMENT"),
    "CONTRADICTION": "CONTRADICTION",
    "UNKNOWN": "UNKNOWN",
}


@dataclass(frozen=True, slots=True)
class Pair:
    """A text, a hypothesis, and whether the first entails the second."""

    id: str
    text: str
    hypothesis: str
    label: str | None = None
    task: str = ""
    length: str = ""

    @property
    def is_long(self) -> bool:
        """Whether the text is long: as the file says, or else by RTE-3's rule."""
        if self.length:
            return self.length.lower().startswith("l")
        return len(self.text.encode()) > LONG_TEXT_BYTES


@dataclass(frozen=True, slots=True)
class PairJudgement:
    """A system's judgement of one pair; `confidence` is that of entailment, in [0, 1]."""

    id: str
    label: str
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class EntailmentRun:
    """A system's judgements; `ranked` means that their order, not a number, is the confidence."""

    judgements: tuple[PairJudgement, ...]
    ranked: bool = False


_Labelled = TypeVar("_Labelled", Pair, PairJudgement)


def read_pairs(path: Path | str) -> list[Pair]:
    """Read entailment pairs from an RTE XML file or a tab-separated one, by the ending of the name.

    With another ending it is read as a table if its first line has tabs.
    """
    suffix = Path(path).suffix.lower()
    table = suffix == ".tsv" or (suffix != ".xml" and "\t" in read_lines(path)[0])
    return read_pairs_tsv(path) if table else read_pairs_xml(path)


def canonical_label(path: Path | str, value: str, line: int | None, record: str) -> str:
    """Return the official name for any spelling of an entailment label; a bare NO stays open."""
    label = _SPELLINGS.get(" ".join(value.upper().split()))
    if label is None:
        hint = "Known: YES, NO, TRUE, FALSE, ENTAILMENT, CONTRADICTION, UNKNOWN, NO ENTAILMENT."
        raise InputError(path, unknown_label(value), line=line, record=record, hint=hint)
    return label


def settle_labels(path: Path | str, labels: Iterable[str | None]) -> dict[str, str]:
    """What each label of a file means, and an error where it mixes the two schemes.

    Only NO depends on its company: beside CONTRADICTION or UNKNOWN it is the contradiction of three labels,
    else the not-entailed of two.
    """
    known = {label for label in labels if label}
    three_way = bool(known & {"CONTRADICTION", "UNKNOWN"})
    if three_way and "NO_ENTAILMENT" in known:
        what = "mixes two-way (NO ENTAILMENT) and three-way (CONTRADICTION, UNKNOWN) labels."
        raise InputError(path, what, hint="Use the labels of one scheme throughout.")
    return {label: label for label in known} | {"NO": "CONTRADICTION" if three_way else "NO_ENTAILMENT"}


def _settled(path: Path | str, items: list[_Labelled]) -> list[_Labelled]:
    meaning = settle_labels(path, (item.label for item in items))
    return [replace(item, label=meaning[item.label]) if item.label else item for item in items]


def read_pairs_xml(path: Path | str) -> list[Pair]:
    """Read an RTE XML file of any year: `value` or `entailment`, any spelling of the labels, any root."""
    xml = read_xml(path, lenient=True)
    seen = Seen(xml.path, "pair id")
    pairs = []
    for element in xml.root.iter("pair"):
        id = xml.required(element, "id")
        line = xml.lines[element]
        seen.add(id, line)
        text, hypothesis = element.find("t"), element.find("h")
        if text is None or hypothesis is None:
            raise xml.error(element, "the pair has no <t> or no <h>.")
        value = element.get("entailment", element.get("value", ""))
        fields = {**element.attrib, "id": id}
        pairs.append(_pair(path, line, fields, text_of(text), text_of(hypothesis), value))
    if not pairs:
        raise InputError(path, "there is no <pair> in this file.", hint="Is this an RTE file?")
    warn_of(path, xml.problems)
    return _settled(path, pairs)


def read_pairs_tsv(path: Path | str) -> list[Pair]:
    """Read the tab-separated form: id, t, h, and entailment_3way or entailment_2way, task, length."""
    seen = Seen(path, "pair id")
    pairs = []
    for line, fields in read_tsv(path, required=(("id",), ("t",), ("h",))):
        seen.add(fields["id"], line)
        value = fields.get("entailment_3way") or fields.get("entailment_2way") or ""
        pairs.append(_pair(path, line, fields, fields["t"], fields["h"], value))
    return _settled(path, pairs)


def _pair(path: Path | str, line: int, fields: Mapping[str, str], text: str, other: str, value: str) -> Pair:
    label = canonical_label(path, value, line, fields["id"]) if value else None
    return Pair(fields["id"], text, other, label, fields.get("task", ""), fields.get("length", ""))


def write_pairs_tsv(path: Path | str, pairs: Iterable[Pair]) -> None:
    """Write pairs in the tab-separated form, with both schemes' columns."""
    two_way = ENTAILMENT_SCHEMES["2way"]
    listed = list(pairs)
    settle_labels(path, (pair.label for pair in listed))
    rows = []
    for pair in listed:
        collapsed = two_way.collapse(pair.label or "") or ""
        finest = "" if pair.label == "NO_ENTAILMENT" else pair.label or ""
        rows.append((pair.id, pair.task, pair.length, collapsed, finest, pair.text, pair.hypothesis))
    write_tsv(path, ("id", "task", "length", "entailment_2way", "entailment_3way", "t", "h"), rows)


def read_run(path: Path | str) -> EntailmentRun:
    """Read a run: a table `id label [confidence]`, or a line `ranked: yes|no` and then `id label` lines."""
    first = "".join(read_lines(path)[0].lower().split())
    if first.startswith("ranked:"):
        return _read_challenge_run(path, first)
    seen = Seen(path, "pair id")
    judgements = []
    columns = ("label", "entailment", "judgement")
    for line, fields in read_tsv(path, required=(("id",), columns)):
        id, confidence = fields["id"], fields.get("confidence", "")
        value = next(fields[name] for name in columns if name in fields)
        seen.add(id, line)
        label = canonical_label(path, value, line, id)
        judgements.append(PairJudgement(id, label, _confidence(path, confidence, line)))
    with_confidence = sum(judgement.confidence is not None for judgement in judgements)
    if with_confidence not in (0, len(judgements)):
        what = f"only {with_confidence} of {len(judgements)} lines have a confidence."
        raise InputError(path, what, hint="Give a confidence on every line or on none.")
    return EntailmentRun(tuple(_settled(path, judgements)))


def _confidence(path: Path | str, value: str, line: int) -> float | None:
    if not value:
        return None
    with suppress(ValueError):
        if 0.0 <= (number := float(value)) <= 1.0:
            return number
    raise InputError(path, f"the confidence {value!r} is not a number from 0 to 1.", line=line)


def _read_challenge_run(path: Path | str, first: str) -> EntailmentRun:
    if first not in ("ranked:yes", "ranked:no"):
        raise InputError(path, "the first line should say 'ranked: yes' or 'ranked: no'.", line=1)
    seen = Seen(path, "pair id")
    judgements = []
    for number, line in enumerate(read_lines(path)[1:], start=2):
        if not line.strip():
            continue
        id, _, value = line.strip().partition(" ") if "\t" not in line else line.strip().partition("\t")
        seen.add(id, number)
        judgements.append(PairJudgement(id, canonical_label(path, value, number, id)))
    if not judgements:
        raise InputError(path, "there is no judgement below the first line.")
    return EntailmentRun(tuple(_settled(path, judgements)), ranked=first == "ranked:yes")


def write_run(path: Path | str, judgements: Iterable[PairJudgement]) -> None:
    """Write a run as a table with confidences."""
    listed = list(judgements)
    settle_labels(path, (judgement.label for judgement in listed))
    rows = ((j.id, j.label, "" if j.confidence is None else repr(j.confidence)) for j in listed)
    write_tsv(path, ("id", "label", "confidence"), rows)


def read_gold(path: Path | str, *, with_texts: bool = False) -> list[Pair]:
    """Read a key: RTE XML, the tab-separated pairs, or, unless texts are needed, ids and labels."""
    xml = Path(path).suffix.lower() == ".xml"
    if xml or with_texts or {"t", "h"} <= set(read_lines(path)[0].split("\t")):
        pairs = read_pairs(path)
    else:
        pairs = [Pair(item.id, "", "", item.label) for item in read_run(path).judgements]
    unlabelled = [pair.id for pair in pairs if pair.label is None]
    if unlabelled:
        what = f"{len(unlabelled)} pairs have no label; a key needs them all."
        raise InputError(path, what, record=unlabelled[0])
    return pairs
