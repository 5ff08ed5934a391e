"""How far annotators agree: in each group, between each two people, and over everything.

Two people agree on an item when they share at least one tag. Kappa takes the whole set of tags as one label.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import Literal

from postil.errors import MismatchError, PostilError, number_of, some
from postil.scoring.agreement import cohen_kappa, observed_agreement, overlap_agreement
from postil.senses.corpus.items import REMOVED, Tagging, by_item, written
from postil.senses.corpus.plan import SHARED_ITEMS, Assignment

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


# Where annotators differ: disagreements in groups, the referee's decisions, and the tags at the end.

How = Literal["agreed", "decided", "discarded"]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An item whose annotators have no tag in common; `choice` is what they said, in the alphabet's order."""

    item: str
    group: str
    choice: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The tags an item has in the end (none: it was discarded), and how that came about."""

    item: str
    group: str
    tags: tuple[str, ...]
    how: How

    @property
    def kept(self) -> bool:
        """Whether the item belongs into the release: it has tags, and X is not what they say."""
        return bool(self.tags) and self.tags != (REMOVED,)


def assigned(taggings: Iterable[Tagging], assignments: Mapping[str, Assignment]) -> list[Tagging]:
    """The taggings of those who tag the group now, without those of people who have been replaced."""
    return [one for one in taggings if one.person in assignments[one.group].annotators]


def complete(taggings: Iterable[Tagging], assignments: Mapping[str, Assignment]) -> list[Tagging]:
    """The taggings of those items that all of their annotators have tagged, and no one else's."""
    told = by_item(assigned(taggings, assignments)).values()
    return [one for each in told if len(each) == len(assignments[each[0].group].annotators) for one in each]


def common(taggings: Sequence[Tagging]) -> tuple[str, ...]:
    """The tags that all of an item's annotators gave, in the order of the first of them."""
    return tuple(tag for tag in taggings[0].tags if all(tag in one.tags for one in taggings))


def disagreements(taggings: Iterable[Tagging]) -> list[Disagreement]:
    """List the items without a common tag: by group, then by what was said, the most frequent first."""
    found = [
        Disagreement(item, told[0].group, tuple(sorted(written(one.tags) for one in told)))
        for item, told in by_item(taggings).items()
        if len(told) > 1 and not common(told)
    ]
    places = {group: place for place, group in enumerate(dict.fromkeys(one.group for one in found))}
    often = Counter((one.group, one.choice) for one in found)
    return sorted(
        found, key=lambda one: (places[one.group], -often[one.group, one.choice], one.choice)
    )  # `sorted` keeps the order of the items within a pair


def settle(
    taggings: Iterable[Tagging], decisions: Iterable[Tagging], assignments: Mapping[str, Assignment]
) -> list[Outcome]:
    """Give each item its tags: those its annotators share, else those its referee decided on.

    Where a group has no referee, items without a common tag are discarded; where it has one, an item that
    still waits for the decision is an error. Items that an annotator has not tagged yet are left out.
    """
    decided = {one.item: one.tags for one in decisions if one.person == assignments[one.group].referee}
    outcomes, waiting = [], []
    for item, told in by_item(complete(taggings, assignments)).items():
        group, tags = told[0].group, common(told)
        if tags:
            outcomes.append(Outcome(item, group, tags, "agreed"))
        elif not assignments[group].referee:
            outcomes.append(Outcome(item, group, (), "discarded"))
        elif item in decided:
            outcomes.append(Outcome(item, group, decided[item], "decided"))
        else:
            waiting.append(item)
    if waiting:
        raise PostilError(
            f"the referee has not decided on {number_of(len(waiting), 'item')} yet: {some(waiting)}.",
            hint="Run `postil annotate arbitrate` to see who has to fill in which sheet.",
        )
    if not outcomes:
        raise PostilError(
            "no item has been tagged by all of its annotators yet.",
            hint="Run `postil annotate merge` to see who has still to tag what.",
        )
    return outcomes
