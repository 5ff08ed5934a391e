"""Entailment runs and keys: a table with confidences, or the challenges' own list in ranked order."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from postil.data.files import read_lines
from postil.data.formats.rte import Pair, canonical_label, read_pairs, settle_labels
from postil.data.tsv import Seen, read_tsv, write_tsv
from postil.errors import InputError


@dataclass(frozen=True, slots=True)
class PairJudgement:
    """What a system says of one pair; `confidence` is that of entailment, in [0, 1]."""

    id: str
    label: str
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class EntailmentRun:
    """A system's judgements; `ranked` tells that their order, not a number, is the confidence."""

    judgements: tuple[PairJudgement, ...]
    ranked: bool = False


def read_run(path: Path | str) -> EntailmentRun:
    """Read a run: a table `id label [confidence]`, or a line `ranked: yes|no` and then `id label` lines."""
    first = "".join(read_lines(path)[0].lower().split())
    if first.startswith("ranked:"):
        return _read_challenge_run(path, first)
    seen = Seen(path, "pair id")
    judgements = []
    for row in read_tsv(path, required=(("id",), ("label", "entailment", "judgement"))):
        fields = row.fields
        value = next(fields[name] for name in ("label", "entailment", "judgement") if name in fields)
        seen.add(fields["id"], row.line)
        judgements.append(
            PairJudgement(
                fields["id"],
                canonical_label(path, value, row.line, fields["id"]),
                _confidence(path, fields.get("confidence", ""), row.line),
            )
        )
    given = sum(judgement.confidence is not None for judgement in judgements)
    if given not in (0, len(judgements)):
        raise InputError(
            path, f"only {given} of {len(judgements)} lines have a confidence.", hint="Give all or none."
        )
    return EntailmentRun(_settled(path, judgements))


def _confidence(path: Path | str, value: str, line: int) -> float | None:
    if not value:
        return None
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not 0.0 <= number <= 1.0:
        raise InputError(path, f"the confidence {value!r} is not a number from 0 to 1.", line=line)
    return number


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
    return EntailmentRun(_settled(path, judgements), ranked=first == "ranked:yes")


def _settled(path: Path | str, judgements: list[PairJudgement]) -> tuple[PairJudgement, ...]:
    meaning = settle_labels(path, (judgement.label for judgement in judgements))
    return tuple(replace(judgement, label=meaning[judgement.label]) for judgement in judgements)


def write_run(path: Path | str, judgements: Iterable[PairJudgement]) -> None:
    """Write a run as a table with confidences."""
    listed = list(judgements)
    settle_labels(path, (judgement.label for judgement in listed))
    rows = (
        (judgement.id, judgement.label, "" if judgement.confidence is None else repr(judgement.confidence))
        for judgement in listed
    )
    write_tsv(path, ("id", "label", "confidence"), rows)


def read_gold(path: Path | str, *, with_texts: bool = False) -> list[Pair]:
    """Read a key: RTE XML, the tab-separated pairs, or, unless texts are needed, ids and labels."""
    if Path(path).suffix.lower() == ".xml":
        pairs = read_pairs(path)
    else:
        header = read_lines(path)[0].split("\t")
        if with_texts or {"t", "h"} <= set(header):
            pairs = read_pairs(path)
        else:
            pairs = [Pair(item.id, "", "", item.label) for item in read_run(path).judgements]
    unlabelled = [pair.id for pair in pairs if pair.label is None]
    if unlabelled:
        raise InputError(
            path, f"{len(unlabelled)} pairs have no label; a key needs them all.", record=unlabelled[0]
        )
    return pairs
