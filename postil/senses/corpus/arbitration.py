"""Where annotators differ: disagreements in groups, the referee's decisions, and the tags at the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from postil.errors import PostilError, number_of, some
from postil.senses.corpus.plan import Assignment
from postil.senses.corpus.tags import REMOVED, Tagging, by_item, written

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
