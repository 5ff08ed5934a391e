"""How well a system says whether texts make claims: AUC, average precision, and the labels that it gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from scipy.stats import rankdata

from postil.data.arrays import AnyFloats, Bools, Floats
from postil.data.judgements import CONTRADICTED, EXPRESSED
from postil.errors import MismatchError
from postil.scoring.significance import Metrics, Score, f1_of, make_signature, ratio


def area_under_curve(positive: Bools, chances: Floats) -> Floats:
    """How often a claim that is made has a higher chance than one that is not, along the last axis.

    Equal chances count half; .5 where all claims are made, or none is.
    """
    ranks = rankdata(chances, axis=-1)
    made = positive.sum(axis=-1)
    others = positive.shape[-1] - made
    pairs = (made * others).astype(float)
    won = (ranks * positive).sum(axis=-1) - made * (made + 1) / 2
    return np.where(pairs > 0, ratio(won, pairs), 0.5)


def average_precision(positive: Bools, chances: Floats) -> Floats:
    """The precision at each claim that is made, on average; claims with equal chances come at once."""
    order = np.argsort(-chances, axis=-1, kind="stable")
    made = np.take_along_axis(positive, order, axis=-1)
    ranked = np.take_along_axis(chances, order, axis=-1)
    places = np.arange(1, ranked.shape[-1] + 1)
    precision = made.cumsum(axis=-1) / places
    last = np.full(ranked.shape, places[-1] - 1)  # of those with the same chance
    ends = np.where(ranked[..., :-1] != ranked[..., 1:], places[:-1] - 1, places[-1])
    last[..., :-1] = np.minimum(np.minimum.accumulate(ends[..., ::-1], axis=-1)[..., ::-1], places[-1] - 1)
    at_end = np.take_along_axis(precision, last, axis=-1)
    return ratio((at_end * made).sum(axis=-1), made.sum(axis=-1).astype(float))


@dataclass(frozen=True)
class ClaimTally:
    """Claim by claim: whether people say that it is made or contradicted, what a system says, how sure."""

    made: Bools
    contradicted: Bools
    called_made: Bools
    called_contradicted: Bools
    chances: Floats

    @property
    def size(self) -> int:
        """How many claims were scored."""
        return len(self.made)

    def values(self) -> dict[str, float]:
        """The figures on the claims as they are."""
        return {name: float(value) for name, value in self._figures().items()}

    def resampled(self, weights: AnyFloats) -> Metrics:
        """The figures when claim i counts `weights[b, i]` times, for each row b."""
        parts = []
        for row in weights:  # one by one: groups are of unequal size, so rows cannot be stacked
            chosen = np.repeat(np.arange(self.size), row.astype(np.intp))[None]
            part = ClaimTally(
                self.made[chosen],
                self.contradicted[chosen],
                self.called_made[chosen],
                self.called_contradicted[chosen],
                self.chances[chosen],
            )
            parts.append(part._figures())
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    def swapped(self, other: Self, mask: Bools) -> tuple[Metrics, Metrics]:
        """The figures of both systems after exchanging, in row b, the claims where `mask[b]` is true."""
        return self._mixed(other, mask)._figures(), other._mixed(self, mask)._figures()

    def _mixed(self, other: Self, mask: Bools) -> Self:
        return replace(
            self,
            made=np.broadcast_to(self.made, mask.shape),
            contradicted=np.broadcast_to(self.contradicted, mask.shape),
            called_made=np.where(mask, other.called_made, self.called_made),
            called_contradicted=np.where(mask, other.called_contradicted, self.called_contradicted),
            chances=np.where(mask, other.chances, self.chances),
        )

    def _figures(self) -> Metrics:
        right = self.made == self.called_made
        both = (
            _f1(self.made, self.called_made),
            _f1(~self.made, ~self.called_made),
        )
        return {
            "auc": area_under_curve(self.made, self.chances),
            "average_precision": average_precision(self.made, self.chances),
            "macro_f1": np.mean(both, axis=0),
            "accuracy": right.mean(axis=-1),
            "contradicted_f1": _f1(self.contradicted, self.called_contradicted),
        }


def _f1(gold: Bools, called: Bools) -> Floats:
    """F1 of one outcome along the last axis; 0 where people never give it."""
    hits = (gold & called).sum(axis=-1).astype(float)
    return f1_of(ratio(hits, called.sum(axis=-1)), ratio(hits, gold.sum(axis=-1)))


def tally_claims(gold: Sequence[str], labels: Sequence[str], chances: Sequence[float]) -> ClaimTally:
    """Outcomes that people gave beside a system's, with its chances that each claim is made."""
    if not len(gold) == len(labels) == len(chances):
        raise MismatchError(f"there are {len(gold)} claims, and {len(labels)} were judged.")
    told, said = np.array(gold), np.array(labels)
    return ClaimTally(
        told == EXPRESSED,
        told == CONTRADICTED,
        said == EXPRESSED,
        said == CONTRADICTED,
        np.array(chances, dtype=float),
    )


def score_claims(tally: ClaimTally) -> Score:
    """The score of a tally."""
    return Score(tally.values(), "auc", make_signature("claims", n=tally.size), tally.size)
