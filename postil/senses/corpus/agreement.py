"""How far annotators agree, and where they differ: disagreements, the referee's decisions, final tags.

Two people agree on an item when they share at least one tag. Kappa takes the whole set of tags as one label.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from statistics import fmean
from typing import Literal

from postil.errors import MismatchError, PostilError, number_of, some
from postil.scoring.agreement import cohen_kappa, observed_agreement, overlap_agreement
from postil.senses.corpus.items import REMOVED, Tagging, by_item, written
from postil.senses.corpus.plan import SHARED_ITEMS, Assignment

Both = tuple[Tagging, Tagging]  # of one item, by two people


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

    `mean_agreement` and `mean_kappa` are over the pairs of people who share at least `shared` items, None if
    there are none. `seconds` is the mean time of a tagging, None if no time was noted.
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
    items = [each for each in by_item(taggings).values() if len(each) > 1]
    if not items:
        raise MismatchError("no item has been tagged by two people.", hint="Have the sheets been filled in?")
    names = dict.fromkeys(item[0].group for item in items)
    groups = tuple(_of_group(name, [item for item in items if item[0].group == name]) for name in names)
    pairs = []
    for people, both in _by_people(items).items():
        parts: defaultdict[str, list[Both]] = defaultdict(list)
        for a, b in both:
            parts[a.group if own_tags else ""].append((a, b))
        kappa = fmean(cohen_kappa(*_tags(part)) for part in parts.values())
        pairs.append(PairAgreement(people, len(both), overlap_agreement(*_tags(both)), kappa))
    frequent = [pair for pair in pairs if pair.items >= shared]
    return Agreement(
        groups=groups,
        overall=_of_group("overall", items, kappa=fmean(group.kappa for group in groups)),
        pairs=tuple(pairs),
        shared=shared,
        mean_agreement=fmean(pair.agreement for pair in frequent) if frequent else None,
        mean_kappa=fmean(pair.kappa for pair in frequent) if frequent else None,
        seconds=mean_seconds(tagging for item in items for tagging in item),
    )


def mean_seconds(taggings: Iterable[Tagging]) -> float | None:
    """The mean time of the taggings that have one."""
    times = [tagging.seconds for tagging in taggings if tagging.seconds is not None]
    return fmean(times) if times else None


def _by_people(items: Iterable[Sequence[Tagging]]) -> dict[tuple[str, str], list[Both]]:
    """For each two people, their taggings of the items that both tagged."""
    pairs: defaultdict[tuple[str, str], list[Both]] = defaultdict(list)
    for taggings in items:
        for a, b in combinations(sorted(taggings, key=lambda tagging: tagging.person), 2):
            pairs[a.person, b.person].append((a, b))
    return pairs


def _of_group(name: str, items: Sequence[Sequence[Tagging]], kappa: float | None = None) -> GroupAgreement:
    pairs = _by_people(items).values()
    first, second = _tags(chain.from_iterable(pairs))
    if kappa is None:
        kappa = fmean(cohen_kappa(*_tags(pair)) for pair in pairs)
    return GroupAgreement(
        group=name,
        items=len(items),
        agreement=overlap_agreement(first, second),
        identical=observed_agreement(first, second),
        kappa=kappa,
        tags_per_item=fmean(len(tagging.tags) for item in items for tagging in item),
    )


def _tags(both: Iterable[Both]) -> tuple[list[frozenset[str]], list[frozenset[str]]]:
    """The sets of tags of the first and those of the second person."""
    sets = [(frozenset(a.tags), frozenset(b.tags)) for a, b in both]
    return [first for first, _ in sets], [second for _, second in sets]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An item whose annotators have no tag in common; `choice` is what they said, in alphabetical order."""

    item: str
    group: str
    choice: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The tags an item has in the end (none if it was discarded), and how that came about."""

    item: str
    group: str
    tags: tuple[str, ...]
    how: Literal["agreed", "decided", "discarded"]

    @property
    def kept(self) -> bool:
        """Whether the item belongs in the release: it has tags other than X alone."""
        return bool(self.tags) and self.tags != (REMOVED,)


def assigned(taggings: Iterable[Tagging], assignments: Mapping[str, Assignment]) -> list[Tagging]:
    """The taggings of the people who tag the group now, without those of people who have been replaced."""
    return [tagging for tagging in taggings if tagging.person in assignments[tagging.group].annotators]


def complete(taggings: Iterable[Tagging], assignments: Mapping[str, Assignment]) -> list[Tagging]:
    """The annotators' taggings of the items that all of them have tagged."""
    items = by_item(assigned(taggings, assignments)).values()
    finished = (item for item in items if len(item) == len(assignments[item[0].group].annotators))
    return list(chain.from_iterable(finished))


def common(taggings: Sequence[Tagging]) -> tuple[str, ...]:
    """The tags that all of an item's annotators gave, in the order of the first of them."""
    return tuple(tag for tag in taggings[0].tags if all(tag in tagging.tags for tagging in taggings))


def disagreements(taggings: Iterable[Tagging]) -> list[Disagreement]:
    """List the items without a common tag: by group, then by what was said, the most frequent first."""
    disputes = [
        Disagreement(item, each[0].group, tuple(sorted(written(tagging.tags) for tagging in each)))
        for item, each in by_item(taggings).items()
        if len(each) > 1 and not common(each)
    ]
    groups = list(dict.fromkeys(dispute.group for dispute in disputes))
    counts = Counter((dispute.group, dispute.choice) for dispute in disputes)

    def rank(dispute: Disagreement) -> tuple[int, int, tuple[str, ...]]:
        return groups.index(dispute.group), -counts[dispute.group, dispute.choice], dispute.choice

    return sorted(disputes, key=rank)  # equals stay in the order of the items


def settle(
    taggings: Iterable[Tagging], decisions: Iterable[Tagging], assignments: Mapping[str, Assignment]
) -> list[Outcome]:
    """Give each item its tags: those its annotators share, otherwise those its referee decided on.

    If a group has no referee, items without a common tag are discarded; if it has one, an item that still
    awaits the decision is an error. Items that an annotator has not tagged yet are left out.
    """
    decided = {each.item: each.tags for each in decisions if each.person == assignments[each.group].referee}
    outcomes, waiting = [], []
    for item, each in by_item(complete(taggings, assignments)).items():
        group, tags = each[0].group, common(each)
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
            hint="Run `postil annotate merge` to see who still has to tag what.",
        )
    return outcomes
