"""The response challenge's scorer: 5-, 3- and 2-way labels, and the facets of the pilot."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from postil.data.formats.labelfiles import LabelledItem
from postil.data.labels import Scheme
from postil.errors import MismatchError, some
from postil.scoring.classes import class_scores, tally_classes
from postil.scoring.score import Score, make_signature
from postil.scoring.tally import SumTally

# SciEntsBank's answer ids look like EM.45b.110.1: module, question, student, attempt.
_SCIENTSBANK_ID = re.compile(r"[A-Z]{2}\.\w+\.\d+\.\d+")


def guess_corpus(ids: Iterable[str]) -> str:
    """Tell SciEntsBank by the shape of its answer ids; anything else has no name here."""
    return "sciEntsBank" if all(_SCIENTSBANK_ID.fullmatch(id) for id in ids) else ""


def left_out(corpus: str, scheme: Scheme) -> tuple[str, ...]:
    """The classes that the challenge's macro average passes over."""
    return ("non_domain",) if corpus == "sciEntsBank" and scheme.name == "5way" else ()


def check_ids(gold: Sequence[str], system: Sequence[str]) -> None:
    """Refuse two files that do not speak of the same items (the original only compared their length)."""
    for ids, where in ((gold, "gold"), (system, "system's file")):
        twice = [id for id, times in Counter(ids).items() if times > 1]
        if twice:
            raise MismatchError(f"items stand twice in the {where}: {some(twice)}.", hint="Keep one of each.")
    missing = sorted(set(gold) - set(system))
    unknown = sorted(set(system) - set(gold))
    if not missing and not unknown:
        return
    parts = []
    if missing:
        parts.append(f"{len(missing)} items of the gold are not in the system's file ({some(missing)})")
    if unknown:
        parts.append(f"{len(unknown)} items of the system's file are not in the gold ({some(unknown)})")
    raise MismatchError(f"{'; '.join(parts)}.", hint="Every item must be answered exactly once.")


def tally_labels(
    gold: Sequence[LabelledItem], system: Mapping[str, str], scheme: Scheme, corpus: str = ""
) -> SumTally:
    """Join a run to its gold by id, collapse both to the scheme, and count."""
    check_ids([item.id for item in gold], list(system))
    return tally_classes(
        [_collapsed(item.label, scheme, "gold") for item in gold],
        [_collapsed(system[item.id], scheme, "system's file") for item in gold],
        scheme,
        left_out(corpus, scheme),
    )


def _collapsed(label: str, scheme: Scheme, where: str) -> str:
    collapsed = scheme.collapse(label)
    if collapsed is None:
        raise MismatchError(
            f"the {where} has the label {label!r}, which is not one of the {scheme.name} scheme.",
            hint=f"The scheme's labels are {', '.join(scheme.labels)}.",
        )
    return collapsed


def score_labels(task: str, tally: SumTally, scheme: Scheme, corpus: str = "") -> Score:
    """Make the score of a tally, with the signature of the task it belongs to."""
    skipped = left_out(corpus, scheme)
    return Score(
        metrics=tally.values(),
        primary="macro_f1",
        signature=make_signature(
            task, scheme=scheme.name, classes=len(scheme.labels) - len(skipped), n=tally.size
        ),
        count=tally.size,
        per_class=class_scores(tally, scheme),
    )
