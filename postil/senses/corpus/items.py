"""What people label: items, the tags they may give, and the inventory of senses with its editor's changes.

The original inventory is never rewritten. The editor adds, deletes and groups senses in a list of changes,
and the inventory in force is what they make of it, one after the other: the list is its own log.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from postil.data.formats.rte import Pair
from postil.data.formats.senseval import SenseInstance
from postil.data.questions import Question
from postil.errors import PostilError, some, unknown_label

NO_GROUP = "all"
UNASSIGNABLE = "U"
PROPER_NAME = "P"
REMOVED = "X"
_SPECIAL = (UNASSIGNABLE, PROPER_NAME, REMOVED)
ACTIONS = ("add", "delete", "group")
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
    shown = (("t", pair.text), ("h", pair.hypothesis), ("length", pair.length))
    return Item(pair.id, pair.task or NO_GROUP, shown if pair.length else shown[:2])


def labelled_pair(item: Item, label: str) -> Pair:
    """The pair that an item was made of, with its label."""
    shown = dict(item.shown)
    task = "" if item.group == NO_GROUP else item.group
    return Pair(item.id, shown["t"], shown["h"], label, task, shown.get("length", ""))


def answer_items(questions: Iterable[Question]) -> list[Item]:
    """The answers of questions, each beside its question and references."""
    items = []
    for question in questions:
        shown = [("question", question.text)]
        for number, reference in enumerate(question.references, start=1):
            shown.append(("reference" if number == 1 else f"reference_{number}", reference.text))
        for answer in question.answers:
            items.append(Item(answer.id, question.id, (*shown, ("answer", answer.text))))
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
        """The tag that is meant, in upper or lower case."""
        options = (*self.labels, *self.special)
        known = (*options, *self.folded, *self.deleted)
        tag = text if text in known else text.replace(" ", "_")
        if tag not in known:
            alike = [name for name in known if name.casefold() == tag.casefold()]
            tag = alike[0] if len(alike) == 1 else text
        now = self._now(tag)
        if now in options:
            return tag
        hint = f"Choose from: {', '.join(options)}"
        if now in self.deleted:
            raise PostilError(f"the editor has deleted {now!r}.", hint=f"{hint}.")
        joined = text.replace(" ", "_").lower()
        if self.is_multiword(joined):
            return joined
        if self.lemma:
            hint += f"; or the lemma of a multiword term, such as {self.lemma}_…"
        raise PostilError(unknown_label(text, "tag"), hint=f"{hint}.")

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


@dataclass(frozen=True, slots=True)
class Sense:
    """One sense of a word: its gloss, and perhaps an example."""

    word: str
    id: str
    gloss: str
    example: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """What the editor did to one sense: add it, delete it, or group it with another (`into`)."""

    word: str
    action: str
    sense: str
    into: str = ""
    gloss: str = ""


@dataclass(frozen=True, slots=True)
class Inventory:
    """The senses in force, and what became of the others; senses are named by word and id."""

    senses: tuple[Sense, ...] = ()
    folded: Mapping[tuple[str, str], str] = field(default_factory=dict)
    deleted: frozenset[tuple[str, str]] = frozenset()

    @property
    def words(self) -> tuple[str, ...]:
        """The words, in the order of their first sense."""
        return tuple(dict.fromkeys(sense.word for sense in self.senses))

    def ids(self, word: str) -> tuple[str, ...]:
        """The senses of one word."""
        return tuple(sense.id for sense in self.senses if sense.word == word)

    def tag_set(self, word: str) -> TagSet:
        """The tags that occurrences of a word can have."""
        return TagSet(
            labels=self.ids(word),
            special=_SPECIAL,
            several=True,
            lemma=lemma_of(word)[0],
            folded={sense: into for (owner, sense), into in self.folded.items() if owner == word},
            deleted=frozenset(sense for owner, sense in self.deleted if owner == word),
        )


def lemma_of(word: str) -> tuple[str, str]:
    """Split a word's name into lemma and part of speech: `herri.IZE`; without a dot, any part of speech."""
    lemma, dot, pos = word.rpartition(".")
    return (lemma, pos) if dot and lemma else (word, "")


def added(inventory: Inventory, sense: Sense) -> Inventory:
    """Add a sense, which must be new to its word and must not look like another kind of tag."""
    name = (sense.word, sense.id)
    if sense.id in inventory.ids(sense.word) or name in inventory.folded or name in inventory.deleted:
        raise PostilError(f"{sense.word!r} already has, or had, a sense {sense.id!r}.", hint="Rename it.")
    if sense.id in _SPECIAL or sense.id.split() != [sense.id] or set(sense.id) & set(";,/"):
        raise PostilError(
            f"{sense.id!r} cannot name a sense.",
            hint=f"Use no space, semicolon, comma or slash, and none of {', '.join(_SPECIAL)}.",
        )
    return replace(inventory, senses=(*inventory.senses, sense))


def changed(inventory: Inventory, change: Change) -> Inventory:
    """The inventory after one change by the editor."""
    word, sense = change.word, change.sense
    words = f"Words: {some(inventory.words, 20)}."
    if change.action == "add":
        if word not in inventory.words:
            raise PostilError(f"the inventory does not have the word {word!r}.", hint=words)
        return added(inventory, Sense(word, sense, change.gloss))
    if change.action not in ACTIONS:
        raise PostilError(f"the change {change.action!r} is unknown.", hint=f"Write {', '.join(ACTIONS)}.")
    for id in (sense,) if change.action == "delete" else (sense, change.into):
        if id not in inventory.ids(word):
            hint = f"It has {some(inventory.ids(word), 20)}." if inventory.ids(word) else words
            raise PostilError(f"{word!r} has no sense {id!r}.", hint=hint)
    others = tuple(other for other in inventory.senses if (other.word, other.id) != (word, sense))
    if change.action == "delete":
        if word not in {other.word for other in others}:
            raise PostilError(f"{sense!r} is the only sense of {word!r}.", hint="Leave the word out instead.")
        return replace(inventory, senses=others, deleted=inventory.deleted | {(word, sense)})
    if change.into == sense:
        raise PostilError(f"{sense!r} cannot be grouped with itself.", hint="Name another sense in 'into'.")
    # What had been grouped with this sense before goes with it.
    earlier = {
        name: change.into for name, into in inventory.folded.items() if (name[0], into) == (word, sense)
    }
    folded = {**inventory.folded, **earlier, (word, sense): change.into}
    return replace(inventory, senses=others, folded=folded)
