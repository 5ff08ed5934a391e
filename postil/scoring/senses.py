"""Scores word senses as the Senseval scorer does: fine, coarse and mixed grained.

An instance's answer is a spread of weight over senses. Its credit is the weight that lies on right senses;
its attempted mass is all the weight given, at most 1. Over N instances of the key:

    precision = Σ credit / Σ mass      recall = Σ credit / N      attempted = Σ mass / N
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from postil.data.arrays import Floats
from postil.data.formats.sensekeys import SenseAnswer, SenseMap
from postil.errors import MismatchError, PostilError, some
from postil.scoring.significance import Metrics, Score, SumTally, make_signature, ratio

Granularity = Literal["fine", "coarse", "mixed"]


@dataclass(frozen=True, eq=False)
class SenseTally(SumTally):
    """The credit and the mass of each scored instance of a key, and a 1 to count it.

    `unknown` names the answered instances that the key lacks.
    """

    ids: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def tally_senses(
    key: Sequence[SenseAnswer],
    answers: Iterable[SenseAnswer],
    *,
    granularity: Granularity = "fine",
    sense_map: SenseMap | None = None,
    single_key_only: bool = False,
) -> SenseTally:
    """Compare a system's answers with a key, instance by instance.

    Fine: a sense is right if the key has it. Coarse: both sides are first replaced by the topmost senses
    above them. Mixed: a sense under one of the key's is right too, and one above it earns the share that the
    key's sense has in it. `single_key_only` leaves out the instances for which the key allows several senses.
    Instances are joined by name and lexelt, in any order; weights in the key are ignored.
    """
    if granularity not in ("fine", "coarse", "mixed"):
        raise ValueError(f"granularity is fine, coarse or mixed, not {granularity!r}")
    if granularity != "fine" and sense_map is None:
        raise PostilError(f"{granularity.capitalize()}-grained scoring needs a sense map.", hint="Give one.")
    answered = _by_name(answers, "the answers")
    right = _by_name(key, "the key")
    unknown = tuple(name[1] for name in answered if name not in right)
    ids, counts = [], []
    for name, entry in right.items():
        senses = {sense for sense, _ in entry.senses}
        if granularity == "coarse" and sense_map is not None:
            senses = {sense_map.coarsest(sense) for sense in senses}
        if not senses or (single_key_only and len(senses) > 1):
            continue
        weights = _weights(answered[name]) if name in answered else {}
        total = min(1.0, sum(weights.values()))
        merits = (_merit(sense, senses, granularity, sense_map) for sense in weights)
        earned = sum(weight * merit for weight, merit in zip(weights.values(), merits, strict=True))
        ids.append(entry.instance)
        counts.append((min(earned, total), total, 1))
    return SenseTally(np.array(counts, float).reshape(-1, 3), _figures, tuple(ids), unknown)


def _by_name(entries: Iterable[SenseAnswer], where: str) -> dict[tuple[str, str], SenseAnswer]:
    listed = list(entries)
    counts = Counter((entry.lexelt, entry.instance) for entry in listed)
    repeated = [instance for (_, instance), count in counts.items() if count > 1]
    if repeated:
        what = f"instances occur more than once in {where}: {some(repeated)}."
        raise MismatchError(what, hint="Keep one line for each.")
    return {(entry.lexelt, entry.instance): entry for entry in listed}


def _weights(answer: SenseAnswer) -> dict[str, float]:
    """Spread an answer over its senses: as it says, or equally unless all of them have a weight."""
    senses = [sense for sense, _ in answer.senses]
    shares = [weight for _, weight in answer.senses if weight is not None]
    if len(shares) < len(senses):
        shares = [1.0] * len(senses)
    # Less than 1 in all means that the rest is not attempted; more is a scale of the system's own. The
    # largest is brought down to 1 first, because the sum of huge weights would overflow.
    most = max(shares, default=0.0)
    if most > 1:
        shares = [weight / most for weight in shares]
    total = sum(shares)
    if total > 1:
        shares = [weight / total for weight in shares]
    weights: defaultdict[str, float] = defaultdict(float)
    for sense, weight in zip(senses, shares, strict=True):
        weights[sense] += weight
    return weights


def _merit(sense: str, right: set[str], granularity: Granularity, sense_map: SenseMap | None) -> float:
    """How right one sense is, from 0 to 1."""
    if granularity == "coarse" and sense_map is not None:
        sense = sense_map.coarsest(sense)
    if sense in right:
        return 1.0
    if granularity != "mixed" or sense_map is None:
        return 0.0
    if any(sense_map.share(key_sense, sense) > 0 for key_sense in right):
        return 1.0
    # A general sense may cover several of the key's senses: their shares add up. (In a fixed order, because
    # sums of floats depend on it.)
    return min(1.0, sum(sense_map.share(sense, key_sense) for key_sense in sorted(right)))


def _figures(sums: Floats) -> Metrics:
    credit, mass, items = sums[..., 0], sums[..., 1], sums[..., 2]
    return {"precision": ratio(credit, mass), "recall": ratio(credit, items), "attempted": ratio(mass, items)}


def score_senses(tally: SenseTally, *, granularity: str) -> Score:
    """Make the score of a sense tally."""
    signature = make_signature("senses", granularity=granularity, n=tally.size)
    return Score(tally.values(), "recall", signature, tally.size)
