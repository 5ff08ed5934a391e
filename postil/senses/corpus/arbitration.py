"""Where annotators differ: their disagreements, the referee's decisions, and the final tags of items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from postil.errors import PostilError, number_of, some
from postil.senses.corpus.items import REMOVED, Tagging, by_item, written
from postil.senses.corpus.plan import Assignment


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
    return [
        tagging
        for item in items
        if len(item) == len(assignments[item[0].group].annotators)
        for tagging in item
    ]


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
