"""What verbs, event nouns and adjectives take: PropBank rolesets and VerbNet classes by lemma.

A *roleset* is one sense of a predicate with its numbered arguments ("evaporate.01": ARG0 the heat source,
ARG1 the liquid). Nouns and adjectives are listed as further names ("aliases") of the same roleset, which is
what makes "evaporation" and "evaporate" one predicate. A *VerbNet class* gathers verbs that behave and mean
alike.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

# What a part of speech asked for stands for in the frame files: light-verb phrases ("make_decision", l) and
# verbal idioms ("take_into_account", m) act as verbs, prepositional predicates ("on_fire", x) as adjectives.
_KINDS = {"v": "vlm", "n": "n", "j": "jx", "l": "l", "m": "m", "x": "x", "r": "r", "p": "p"}

_MAIN = re.compile(r"[a-z_]+-\d+(?:\.\d+)*")
_SEPARATORS = re.compile(r"[\s_\-\u2010\u2011]+")
# "dragon" is not "drag on": these short particles end or begin too many other words to be written together.
_SHORT = re.compile(r"(?:in|on|be)_|.*_(?:in|on)$")
# The frame files spell as Americans do. Words as short as "prise" and "four" mean something else then.
_BRITISH = re.compile(r"(?<=[a-z]{3})(?:(i|y)s(?=(?:e|ed|ing|ation)(?:_|$))|(o)u(?=r))")


@dataclass(frozen=True, slots=True)
class Role:
    """One numbered argument of a roleset."""

    number: str  # "ARG0", "ARG1", …
    function: str  # "pag" (doer), "ppt" (undergoer), "gol" (goal), "dir", …; may be ""
    description: str  # what the argument is for this very predicate: "liquid, now vapor"
    themes: tuple[str, ...]  # VerbNet's thematic roles that it is linked to: "Agent", "Patient", …


@dataclass(frozen=True, slots=True)
class Roleset:
    """One sense of a predicate with its arguments and VerbNet classes.

    `aliases` are the words and phrases that name it, with their part of speech: v(erb), n(oun),
    j (adjective), l(ight-verb phrase), m(ultiword idiom), r (adverb), p(reposition), x (prepositional).
    """

    id: str
    name: str
    lemma: str
    aliases: tuple[tuple[str, str], ...]
    classes: tuple[str, ...]
    roles: tuple[Role, ...]

    def role(self, number: str) -> Role | None:
        """Return the argument with that number ("ARG1"), if the roleset has it."""
        return next((role for role in self.roles if role.number == number), None)

    def words(self, pos: str) -> tuple[str, ...]:
        """Return the names of one part of speech."""
        return tuple(word for word, kind in self.aliases if kind == pos)


class Verbs:
    """The rolesets and the verb classes of English, looked up by lemma."""

    def __init__(self, data: dict[str, dict[str, str]]) -> None:
        # Rows stay as read and become Rolesets when asked for: few of the eleven thousand are ever needed.
        self._rows = data["rolesets"]
        self._built: dict[str, Roleset] = {}
        self._names: defaultdict[str, list[str]] = defaultdict(list)
        for id, row in self._rows.items():
            for alias in row.split("\t", 3)[2].split():
                self._names[_slot(_key(alias[2:]))].append(id)
        self._members = {cls: tuple(members.split()) for cls, members in data["classes"].items()}
        self._classes: defaultdict[str, list[str]] = defaultdict(list)
        for cls, members in self._members.items():
            for member in members:
                self._classes[_slot(_key(member))].append(cls)

    def ids(self) -> Iterator[str]:
        """Every roleset's id, in alphabetical order."""
        return iter(self._rows)

    def roleset(self, id: str) -> Roleset | None:
        """Return the roleset with that id ("evaporate.01"), if it exists."""
        if id not in self._built and id in self._rows:
            # A row: name, lemma, aliases ("v:melt n:melting"), classes, roles.
            name, lemma, aliases, classes, *roles = self._rows[id].split("\t")
            named = tuple((alias[2:], alias[0]) for alias in aliases.split())
            parts = named, tuple(classes.split()), tuple(map(_role, roles))
            self._built[id] = Roleset(id, name, lemma, *parts)
        return self._built.get(id)

    def rolesets(self, lemma: str, pos: str | None = None) -> tuple[Roleset, ...]:
        """Return the rolesets that a word or phrase can name, as a "v", "n", "j" or anything (None).

        They come in the order of their numbers; of equal numbers the word's own comes first. Blanks, hyphens
        and underscores are one ("heat up", "heat_up"); where nothing is spelt so, a word written together or
        apart is taken instead ("re-heat", "reheat"), or its American spelling ("ionise").
        """
        key = _key(lemma)
        rolesets = self._named(key, pos) or self._named(_american(key), pos)
        return tuple(sorted(rolesets, key=lambda r: (_number(r.id), _key(r.lemma) != key, r.id)))

    def verbs_of(self, word: str) -> tuple[str, ...]:
        """Return the verbs that say the same as a noun or an adjective: "evaporation" gives ("evaporate",).

        Only PropBank's aliases are used; a word that names no event or has no verb gives ().
        """
        rolesets = dict.fromkeys((*self.rolesets(word, "n"), *self.rolesets(word, "j")))
        by_slot: dict[str, str] = {}
        for roleset in rolesets:
            # The predicate's own spelling goes before variants of it ("coexist" before "co-exist").
            for verb in sorted(roleset.words("v"), key=lambda verb: verb != roleset.lemma):
                by_slot.setdefault(_slot(_key(verb)), verb)
        return tuple(by_slot.values())

    def classes(self, lemma: str) -> tuple[str, ...]:
        """Return the VerbNet classes that list a verb ("break-45.1"); unknown verbs have ().

        Classes linked to the verb's first rolesets come first, as those are its commoner senses.
        """
        listed = self._listed(lemma)
        if len(listed) < 2:
            return tuple(listed)
        linked = [self.main_class(cls) for roleset in self.rolesets(lemma, "v") for cls in roleset.classes]
        return tuple(sorted(listed, key=lambda cls: (*linked, main := self.main_class(cls)).index(main)))

    def main_class(self, id: str) -> str:
        """Return the class that a subclass is part of: "put-9.1-2" gives "put-9.1"; unknown ids give ""."""
        match = _MAIN.match(id)
        return match[0] if match and id in self._members else ""

    def members(self, cls: str) -> tuple[str, ...]:
        """Return the verbs of a class and of its subclasses in alphabetical order; unknown ones have ()."""
        if cls not in self._members:
            return ()
        below = (m for id, m in self._members.items() if id == cls or id.startswith(cls + "-"))
        return tuple(sorted({member for members in below for member in members}))

    def related(self, verb_a: str, verb_b: str) -> bool:
        """Whether two verbs share a VerbNet class; subclasses count as the class they are part of."""
        mains = {self.main_class(cls) for cls in self._listed(verb_a)}
        return any(self.main_class(cls) in mains for cls in self._listed(verb_b))

    def _listed(self, verb: str) -> list[str]:
        key = _key(verb)
        return self._classes.get(_slot(key)) or self._classes.get(_slot(_american(key))) or []

    def _named(self, key: str, pos: str | None) -> list[Roleset]:
        kinds = None if pos is None else _KINDS.get(pos, "")
        slot = _slot(key)
        named = [
            (name, roleset)
            for roleset in map(self.roleset, self._names.get(slot, ()))
            if roleset is not None
            for name, kind in ((_key(word), kind) for word, kind in roleset.aliases)
            if (kinds is None or kind in kinds) and _slot(name) == slot
        ]
        # By id, as hashing a whole roleset takes longer than finding it.
        exact = {roleset.id: roleset for name, roleset in named if name == key}
        return list((exact or {roleset.id: roleset for _, roleset in named}).values())


def _role(text: str) -> Role:
    """An argument from its text: "1:ppt:Patient+Theme:liquid, now vapor"."""
    number, function, themes, description = text.split(":", 3)
    return Role(f"ARG{number}", function, description, tuple(themes.split("+")) if themes else ())


@cache
def verbs() -> Verbs:
    """Load the rolesets and classes that ship, once."""
    text = files("postil.resources").joinpath("verbs", "verbs.json").read_text(encoding="utf-8")
    return Verbs(json.loads(text))


def describe(roleset: Roleset) -> str:
    """Say in one line what a roleset means and takes: "bend.01 (…): ARG0 bender; ARG1 thing …"."""
    roles = "; ".join(f"{role.number} {role.description}".rstrip() for role in roleset.roles)
    return f"{roleset.id} ({roleset.name})" + (f": {roles}" if roles else "")


def _key(word: str) -> str:
    """A word or phrase as it is looked up: lower-cased, its parts joined with underscores."""
    # Nearly all words are plain letters, and going through the pattern for each would slow the loading.
    return word.lower() if word.isalpha() else _SEPARATORS.sub("_", word.lower()).strip("_")


def _slot(key: str) -> str:
    """Where the index keeps a key: parts written together, unless that could make another word."""
    return key if "_" not in key or _SHORT.match(key) else key.replace("_", "")


def _american(key: str) -> str:
    return _BRITISH.sub(lambda match: match[1] + "z" if match[1] else match[2], key)


def _number(id: str) -> int:
    """A roleset's number; the few ids that end otherwise ("make.LV") come last."""
    digits = re.search(r"\d+$", id)
    return int(digits[0]) if digits else 1_000_000
