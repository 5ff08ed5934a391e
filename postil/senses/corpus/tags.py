"""What a person may say about an item, and what was said."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from postil.errors import PostilError, some, unknown_label

UNASSIGNABLE = "U"
PROPER_NAME = "P"
REMOVED = "X"

_SEPARATOR = re.compile(r"[;,]")


@dataclass(frozen=True, slots=True)
class Tagging:
    """What one person says about one item: the tags, and how many seconds it took where that was noted.

    `ungrouped` are the tags as the person wrote them, where the editor may have grouped some of them since.
    """

    item: str
    group: str
    person: str
    tags: tuple[str, ...]
    seconds: float | None = None
    note: str = ""
    ungrouped: tuple[str, ...] = field(default=(), compare=False)

    @property
    def as_written(self) -> tuple[str, ...]:
        """The tags before the editor grouped any."""
        return self.ungrouped or self.tags


@dataclass(frozen=True, slots=True)
class TagSet:
    """The tags that the items of one group can have.

    `labels` are the ordinary ones, of which an item has several where `several` says so; `special` ones stand
    alone. `folded` tells what a label has become part of, `deleted` which ones there are no more. Where
    `lemma` is set, a multiword term with this lemma in it is a tag, too: `herri_kirol` for `herri`.
    """

    labels: tuple[str, ...]
    special: tuple[str, ...] = (REMOVED,)
    several: bool = False
    lemma: str = ""
    folded: Mapping[str, str] = field(default_factory=dict)
    deleted: frozenset[str] = frozenset()

    def read(self, text: str) -> tuple[str, ...]:
        """Read what somebody wrote into a cell: tags with `;` or `,` between them; none if it is blank."""
        return self.grouped(self.as_written(text))

    def grouped(self, tags: Iterable[str]) -> tuple[str, ...]:
        """What tags are part of now."""
        return tuple(dict.fromkeys(map(self._now, tags)))

    def as_written(self, text: str) -> tuple[str, ...]:
        """Read a cell like `read`, and leave the tags as they were before the editor grouped any."""
        written = [" ".join(part.split()) for part in _SEPARATOR.split(text)]
        tags = tuple(dict.fromkeys(self._one(part) for part in written if part))
        alone = [tag for tag in tags if self._now(tag) not in self.labels]
        if alone and len(tags) > 1:
            raise PostilError(f"{alone[0]!r} stands beside other tags.", hint="It must stand alone.")
        if len(tags) > 1 and not self.several:
            raise PostilError(f"there are {len(tags)} labels here.", hint="Choose one.")
        return tags

    def is_multiword(self, tag: str) -> bool:
        """Whether this is the lemma of a multiword term: words joined by `_`, this group's among them.

        The others have two letters at least and no digit, because `herri_l` and `herri_2b` are slips.
        """
        words, own = tag.casefold().split("_"), self.lemma.casefold()
        others = [word for word in words if word != own]
        plain = all(sum(map(str.isalpha, word)) > 1 and not any(map(str.isdigit, word)) for word in others)
        return bool(own) and own in words and bool(others) and plain and tag not in self.labels

    def _one(self, text: str) -> str:
        tag = self._named(text)
        now = self._now(tag)
        if now in self.labels or now in self.special:
            return tag
        if now in self.deleted:
            raise PostilError(f"the editor has deleted {now!r}.", hint=f"Choose from: {self._choice()}.")
        joined = text.replace(" ", "_").lower()
        if self.is_multiword(joined):
            return joined
        hint = f"Choose from: {self._choice()}"
        if self.lemma:
            hint += f"; or the lemma of a multiword term, such as {self.lemma}_…"
        raise PostilError(unknown_label(text, "tag"), hint=f"{hint}.")

    def _named(self, text: str) -> str:
        """The tag that is meant, in whichever case it is written."""
        known = (*self.labels, *self.special, *self.folded, *self.deleted)
        tag = text if text in known else text.replace(" ", "_")
        if tag not in known:
            alike = [one for one in known if one.casefold() == tag.casefold()]
            tag = alike[0] if len(alike) == 1 else text
        return tag

    def _now(self, tag: str) -> str:
        return self.folded.get(tag, tag)

    def _choice(self) -> str:
        return ", ".join((*self.labels, *self.special))


def written(tags: Iterable[str]) -> str:
    """Write tags as they stand in a cell."""
    return "; ".join(tags)


def by_item(taggings: Iterable[Tagging]) -> dict[str, list[Tagging]]:
    """Gather the taggings of each item, in the order in which the items are met."""
    gathered: dict[str, list[Tagging]] = {}
    for one in taggings:
        others = gathered.setdefault(one.item, [])
        if any(one.person == other.person for other in others):
            raise PostilError(f"{one.person} has tagged {some([one.item])} twice.", hint="Keep one.")
        others.append(one)
    return gathered
