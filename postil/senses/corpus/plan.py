"""How many examples a word needs, who tags them, and which they are: all by chance, all by seed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from postil.errors import PostilError, some
from postil.senses.corpus.chance import shuffled
from postil.senses.corpus.defaults import FIRST_BATCH
from postil.senses.corpus.tags import Tagging, TagSet, by_item

UNTAGGED_TIMES = 10


@dataclass(frozen=True, slots=True)
class Assignment:
    """Who tags the items of one group, and who decides where they differ (nobody: such items go)."""

    group: str
    annotators: tuple[str, ...]
    referee: str = ""


@dataclass(frozen=True, slots=True)
class Draw:
    """The items of one group that are to be tagged, `needed` of them or all there are, and untagged ones."""

    group: str
    needed: int
    tagged: tuple[str, ...]
    untagged: tuple[str, ...] = ()


def examples_needed(senses: int, multiwords: int) -> int:
    """How many examples a word needs by the rule of Senseval: 75 + 15 a sense + 7 a multiword term."""
    return 75 + 15 * senses + 7 * multiwords


def assign(
    groups: Iterable[str], people: Sequence[str], *, annotators: int = 2, referee: bool = True, seed: int = 0
) -> list[Assignment]:
    """Draw, for each group, who tags it and who is its referee."""
    wanted = annotators + referee
    if len(set(people)) < len(people):
        raise PostilError("a person is named twice.", hint="Name each once.")
    if annotators < 2 or len(people) < wanted:
        raise PostilError(
            f"{wanted} people are needed ({annotators} annotators"
            f"{' and a referee' if referee else ''}), and there are {len(people)}: {some(people, 10)}.",
            hint="At least two people tag every item.",
        )
    drawn = {group: shuffled(people, seed, "people", group) for group in groups}
    return [
        Assignment(group, tuple(order[:annotators]), order[annotators] if referee else "")
        for group, order in drawn.items()
    ]


def draw(
    items: Collection[str],
    taggings: Iterable[Tagging],
    tag_set: TagSet,
    assignment: Assignment,
    *,
    first: int = FIRST_BATCH,
    seed: int = 0,
) -> Draw:
    """Draw the items of a group that are to be tagged, and ten times as many that stay untagged.

    At first that is a batch. Once its annotators have tagged all of it, the senses and multiword terms that
    occur there say how many are needed. The order is fixed by the seed, and what somebody has tagged stays
    drawn.
    """
    group = assignment.group
    order = shuffled(items, seed, "items", group)
    batch = order[:first]
    told = by_item(one for one in taggings if one.group == group)
    needed = first
    counted = [one for item in batch for one in told.get(item, ()) if one.person in assignment.annotators]
    if len(counted) == len(batch) * len(assignment.annotators):
        senses, multiwords = occurring(counted, tag_set)
        needed = max(first, examples_needed(senses, multiwords))
    size = max([needed, *(place for place, item in enumerate(order, start=1) if item in told)])
    return Draw(group, needed, tuple(order[:size]), tuple(order[size : size + needed * UNTAGGED_TIMES]))


def occurring(taggings: Iterable[Tagging], tag_set: TagSet) -> tuple[int, int]:
    """Count the different senses and multiword terms that somebody saw."""
    tags = {tag for one in taggings for tag in one.tags}
    return sum(tag in tag_set.labels for tag in tags), sum(map(tag_set.is_multiword, tags))


def split(items: Sequence[str], *, test_share: float, seed: int, group: str) -> tuple[list[str], list[str]]:
    """Split a group's items by chance into training and test items, each in the order given."""
    if not 0 <= test_share < 1:
        raise PostilError(f"{test_share} is no share of test items.", hint="Give a number from 0 to below 1.")
    test = set(shuffled(items, seed, "split", group)[: round(len(items) * test_share)])
    return [item for item in items if item not in test], [item for item in items if item in test]
