"""How far annotators agree: in each group, between each two people, and over everything.

Two people agree on an item when they share at least one tag. Kappa takes the whole set of tags as one label.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

from postil.errors import MismatchError
from postil.scoring.agreement import cohen_kappa, observed_agreement, overlap_agreement
from postil.senses.corpus.defaults import SHARED_ITEMS
from postil.senses.corpus.tags import Tagging, by_item

Both = tuple[Tagging, Tagging]


@dataclass(frozen=True, slots=True)
class GroupAgreement:
    """Agreement on the items of one group that at least two people tagged."""

    group: str
    items: int
    agreement: float
    identical: float
    kappa: float
    tags_per_item: float


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Agreement of two people on all items that both tagged; kappa is over these, or a mean over groups."""

    people: tuple[str, str]
    items: int
    agreement: float
    kappa: float


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement in groups, over everything and between people.

    `mean_agreement` and `mean_kappa` are over the pairs of people who share at least `shared` items; None
    where there are no such people. `seconds` is the mean time of a tagging, None where nobody noted it.
    """

    groups: tuple[GroupAgreement, ...]
    overall: GroupAgreement
    pairs: tuple[PairAgreement, ...]
    shared: int
    mean_agreement: float | None
    mean_kappa: float | None
    seconds: float | None


def measure_agreement(
    taggings: Iterable[Tagging], *, shared: int = SHARED_ITEMS, own_tags: bool = False
) -> Agreement:
    """Measure how far people agree on the items that at least two of them tagged.

    Where each group has tags of its own, as words have senses (`own_tags`), the kappa of two people is the
    mean over the groups, because pooling them would flatter it.
    """
    told = [each for each in by_item(taggings).values() if len(each) > 1]
    if not told:
        raise MismatchError("no item has been tagged by two people.", hint="Have the sheets been filled in?")
    names = dict.fromkeys(each[0].group for each in told)
    groups = tuple(_of_group(name, [each for each in told if each[0].group == name]) for name in names)
    pairs = tuple(_of_people(people, both, own_tags) for people, both in _between(told).items())
    often = [pair for pair in pairs if pair.items >= shared]
    return Agreement(
        groups=groups,
        overall=_of_group("overall", told, kappa=fmean(group.kappa for group in groups)),
        pairs=pairs,
        shared=shared,
        mean_agreement=fmean(pair.agreement for pair in often) if often else None,
        mean_kappa=fmean(pair.kappa for pair in often) if often else None,
        seconds=mean_seconds(one for each in told for one in each),
    )


def mean_seconds(taggings: Iterable[Tagging]) -> float | None:
    """The mean time of the taggings that have one."""
    times = [one.seconds for one in taggings if one.seconds is not None]
    return fmean(times) if times else None


def _between(told: Iterable[Sequence[Tagging]]) -> dict[tuple[str, str], list[Both]]:
    """For each two people, what they said about the items that both tagged."""
    found: dict[tuple[str, str], list[Both]] = {}
    for each in told:
        ordered = sorted(each, key=lambda one: one.person)
        for a, b in combinations(ordered, 2):
            found.setdefault((a.person, b.person), []).append((a, b))
    return found


def _of_group(name: str, told: Sequence[Sequence[Tagging]], kappa: float | None = None) -> GroupAgreement:
    between = _between(told)
    first, second = _sets(both for pairs in between.values() for both in pairs)
    if kappa is None:
        kappa = fmean(cohen_kappa(*_sets(both)) for both in between.values())
    return GroupAgreement(
        group=name,
        items=len(told),
        agreement=overlap_agreement(first, second),
        identical=observed_agreement(first, second),
        kappa=kappa,
        tags_per_item=fmean(len(one.tags) for each in told for one in each),
    )


def _of_people(people: tuple[str, str], both: Sequence[Both], own_tags: bool) -> PairAgreement:
    parts: dict[str, list[Both]] = {}
    for a, b in both:
        parts.setdefault(a.group if own_tags else "", []).append((a, b))
    kappa = fmean(cohen_kappa(*_sets(part)) for part in parts.values())
    return PairAgreement(people, len(both), overlap_agreement(*_sets(both)), kappa)


def _sets(both: Iterable[Both]) -> tuple[list[frozenset[str]], list[frozenset[str]]]:
    """The tags of the first and those of the second person."""
    sets = [(frozenset(a.tags), frozenset(b.tags)) for a, b in both]
    return [first for first, _ in sets], [second for _, second in sets]
