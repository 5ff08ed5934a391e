"""What the sentences of a subject leave unsaid, as data, so that the aligner itself knows no subject.

In circuit classes X, Y and Z are switches, A, B and C are bulbs, and a path is a closed path: the guideline
of the answers-students set tells annotators to read them so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_PUNCTUATION = ".,;:"
_AFTER_NAMES = frozenset(("and", "is", "will", "or", "are"))  # "A is lit": here "A" is a name


@dataclass(frozen=True, slots=True)
class Convention:
    """How sentences that use a word of `vocabulary` are read.

    `names` tells which thing a name stands for; `unsaid` lists words that add nothing before certain others.
    """

    vocabulary: frozenset[str]
    names: Mapping[str, str]
    unsaid: Mapping[str, frozenset[str]]

    def named_things(self, words: Sequence[str]) -> list[str]:
        """For each word the thing that it names, "" for none; "A" before a noun is an article, not a name."""
        things = []
        for word, following in zip(words, [*words[1:], ""], strict=True):
            name = word.strip(_PUNCTUATION)
            is_article = name == "A" and following[:1].islower() and following not in _AFTER_NAMES
            things.append("" if is_article else self.names.get(name, ""))
        return things

    def goes_without_saying(self, words: Sequence[str]) -> list[bool]:
        """For each word whether it adds nothing to the word after it: "closed" before "path"."""
        bare = [word.lower().strip(_PUNCTUATION) for word in words]
        pairs = zip(bare, [*bare[1:], ""], strict=True)
        return [following in self.unsaid.get(word, ()) for word, following in pairs]


CONVENTIONS: Mapping[str, Convention] = {
    "circuits": Convention(
        vocabulary=frozenset(
            ("bulb", "bulbs", "switch", "switches", "battery", "batteries", "circuit", "path", "paths")
        ),
        names={**dict.fromkeys("XYZ", "switch"), **dict.fromkeys("ABC", "bulb")},
        unsaid={"closed": frozenset(("path", "paths"))},
    ),
}


def find_convention(words: Sequence[str]) -> Convention | None:
    """The convention that a sentence follows, by its words."""
    bare = {word.lower().strip(_PUNCTUATION) for word in words}
    return next((rule for rule in CONVENTIONS.values() if not bare.isdisjoint(rule.vocabulary)), None)
