"""The senses of words, and the editor's changes to them: senses added, deleted and grouped.

The original inventory is never rewritten. The editor's changes are a list, and the inventory in force is what
they make of it, one after the other: the list is its own log.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from postil.errors import PostilError, some
from postil.senses.corpus.items import PROPER_NAME, REMOVED, UNASSIGNABLE, TagSet

ACTIONS = ("add", "delete", "group")
_SPECIAL = (UNASSIGNABLE, PROPER_NAME, REMOVED)


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
    if change.action == "add":
        if word not in inventory.words:
            raise PostilError(
                f"the inventory does not have the word {word!r}.", hint=f"Words: {some(inventory.words, 20)}."
            )
        return added(inventory, Sense(word, sense, change.gloss))
    if change.action not in ACTIONS:
        raise PostilError(f"the change {change.action!r} is unknown.", hint=f"Write {', '.join(ACTIONS)}.")
    _demand(inventory, word, sense)
    others = tuple(other for other in inventory.senses if (other.word, other.id) != (word, sense))
    if change.action == "delete":
        if word not in {other.word for other in others}:
            raise PostilError(f"{sense!r} is the only sense of {word!r}.", hint="Leave the word out instead.")
        return replace(inventory, senses=others, deleted=inventory.deleted | {(word, sense)})
    _demand(inventory, word, change.into)
    if change.into == sense:
        raise PostilError(f"{sense!r} cannot be grouped with itself.", hint="Name another sense in 'into'.")
    # What had been grouped with this sense before goes with it.
    folded = {
        name: change.into if name[0] == word and into == sense else into
        for name, into in inventory.folded.items()
    }
    return replace(inventory, senses=others, folded={**folded, (word, sense): change.into})


def _demand(inventory: Inventory, word: str, sense: str) -> None:
    if sense not in inventory.ids(word):
        known = inventory.ids(word)
        hint = f"It has {some(known, 20)}." if known else f"Words: {some(inventory.words, 20)}."
        raise PostilError(f"{word!r} has no sense {sense!r}.", hint=hint)
