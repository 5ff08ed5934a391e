"""What people label (a word in context, a pair of texts, a student's answer) and the tags they give it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from postil.data.formats.rte import Pair
from postil.data.formats.senseval import SenseInstance
from postil.data.questions import Question
from postil.errors import PostilError, some, unknown_label

NO_GROUP = "all"
UNASSIGNABLE = "U"
PROPER_NAME = "P"
REMOVED = "X"
_SEPARATOR = re.compile(r"[;,]")


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to label: its group is what it is judged under (a word, a question, a task).

    `shown` is what a person sees of it, as columns of a table: name and text.
    """

    id: str
    group: str
    shown: tuple[tuple[str, str], ...]


def instance_item(instance: SenseInstance) -> Item:
    """An occurrence of a word, with the text before and after it."""
    forms = [token.form for token in instance.tokens]
    first, last = instance.head[0], instance.head[-1]
    shown = (
        ("before", " ".join(forms[:first])),
        ("occurrence", " ".join(forms[first : last + 1])),
        ("after", " ".join(forms[last + 1 :])),
        ("source", instance.source),
    )
    return Item(instance.id, instance.lexelt, shown)


def pair_item(pair: Pair) -> Item:
    """A pair whose text may entail its hypothesis; pairs are grouped by task (IE, QA …)."""
    length = (("length", pair.length),) if pair.length else ()
    return Item(pair.id, pair.task or NO_GROUP, (("t", pair.text), ("h", pair.hypothesis), *length))


def labelled_pair(item: Item, label: str) -> Pair:
    """The pair that an item was made of, with its label."""
    shown = dict(item.shown)
    task = "" if item.group == NO_GROUP else item.group
    return Pair(item.id, shown["t"], shown["h"], label, task, shown.get("length", ""))


def answer_items(questions: Iterable[Question]) -> list[Item]:
    """The answers of questions, each beside its question and references."""
    items = []
    for question in questions:
        references = (
            ("reference" if number == 1 else f"reference_{number}", reference.text)
            for number, reference in enumerate(question.references, start=1)
        )
        shown = (("question", question.text), *references)
        items += [
            Item(answer.id, question.id, (*shown, ("answer", answer.text))) for answer in question.answers
        ]
    return items


def by_group(items: Iterable[Item]) -> Mapping[str, list[Item]]:
    """Items by their group, in the order in which they are met."""
    groups: dict[str, list[Item]] = {}
    for item in items:
        groups.setdefault(item.group, []).append(item)
    return groups


@dataclass(frozen=True, slots=True)
class Tagging:
    """What one person says about one item: the tags, and how many seconds it took if that was noted.

    `ungrouped` are the tags as the person wrote them; the editor may have grouped some of them since.
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

    `labels` are the ordinary ones, of which an item may have several if `several` is set; `special` ones
    stand alone. `folded` tells what a label has become part of, `deleted` which ones are gone. If `lemma` is
    set, a multiword term that contains it is also a tag: `herri_kirol` for `herri`.
    """

    labels: tuple[str, ...]
    special: tuple[str, ...] = (REMOVED,)
    several: bool = False
    lemma: str = ""
    folded: Mapping[str, str] = field(default_factory=dict)
    deleted: frozenset[str] = frozenset()

    def read(self, text: str) -> tuple[str, ...]:
        """Read a cell: tags with `;` or `,` between them, none if it is blank."""
        return self.grouped(self.as_written(text))

    def grouped(self, tags: Iterable[str]) -> tuple[str, ...]:
        """The tags that these have become part of."""
        return tuple(dict.fromkeys(map(self._now, tags)))

    def as_written(self, text: str) -> tuple[str, ...]:
        """Read a cell like `read`, but leave the tags as they were before the editor grouped any."""
        parts = [" ".join(part.split()) for part in _SEPARATOR.split(text)]
        tags = tuple(dict.fromkeys(self._tag(part) for part in parts if part))
        alone = [tag for tag in tags if self._now(tag) not in self.labels]
        if alone and len(tags) > 1:
            raise PostilError(f"{alone[0]!r} cannot be combined with other tags.", hint="Give it alone.")
        if len(tags) > 1 and not self.several:
            raise PostilError(f"{len(tags)} labels are given here.", hint="Choose one.")
        return tags

    def is_multiword(self, tag: str) -> bool:
        """Whether this is the lemma of a multiword term: words joined by `_`, this group's among them.

        The others have at least two letters and no digit, because `herri_l` and `herri_2b` are slips.
        """
        words, own = tag.casefold().split("_"), self.lemma.casefold()
        others = [word for word in words if word != own]
        plain = all(sum(map(str.isalpha, word)) > 1 and not any(map(str.isdigit, word)) for word in others)
        return bool(own) and own in words and bool(others) and plain and tag not in self.labels

    def _tag(self, text: str) -> str:
        tag = self._named(text)
        now = self._now(tag)
        if now in (*self.labels, *self.special):
            return tag
        hint = f"Choose from: {', '.join((*self.labels, *self.special))}"
        if now in self.deleted:
            raise PostilError(f"the editor has deleted {now!r}.", hint=f"{hint}.")
        joined = text.replace(" ", "_").lower()
        if self.is_multiword(joined):
            return joined
        if self.lemma:
            hint += f"; or the lemma of a multiword term, such as {self.lemma}_…"
        raise PostilError(unknown_label(text, "tag"), hint=f"{hint}.")

    def _named(self, text: str) -> str:
        """The tag that is meant, in upper or lower case."""
        known = (*self.labels, *self.special, *self.folded, *self.deleted)
        tag = text if text in known else text.replace(" ", "_")
        if tag not in known:
            alike = [name for name in known if name.casefold() == tag.casefold()]
            tag = alike[0] if len(alike) == 1 else text
        return tag

    def _now(self, tag: str) -> str:
        return self.folded.get(tag, tag)


def written(tags: Iterable[str]) -> str:
    """Write tags into a cell."""
    return "; ".join(tags)


def by_item(taggings: Iterable[Tagging]) -> dict[str, list[Tagging]]:
    """The taggings of each item, in the order in which the items are met."""
    items: dict[str, list[Tagging]] = {}
    for tagging in taggings:
        others = items.setdefault(tagging.item, [])
        if any(tagging.person == other.person for other in others):
            raise PostilError(f"{tagging.person} has tagged {some([tagging.item])} twice.", hint="Keep one.")
        others.append(tagging)
    return items
