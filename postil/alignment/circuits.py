"""What circuit classes leave unsaid: X, Y, Z are switches, A, B, C bulbs, and a path is a closed one.

The guideline of the answers-students set tells annotators to read them so.
"""

from __future__ import annotations

from collections.abc import Sequence

_CIRCUIT = frozenset(
    ("bulb", "bulbs", "switch", "switches", "battery", "batteries", "circuit", "path", "paths")
)
_NAMED = {**dict.fromkeys(("X", "Y", "Z"), "switch"), **dict.fromkeys(("A", "B", "C"), "bulb")}


def is_about_circuits(words: Sequence[str]) -> bool:
    """Whether a sentence speaks of bulbs, switches and the like."""
    return any(word.lower().strip(".,;:") in _CIRCUIT for word in words)


def named_things(words: Sequence[str]) -> list[str]:
    """For each word the thing that it names, "" for none; "A" before a noun is an article, not a bulb."""
    found = []
    for place, word in enumerate(words):
        bare = word.strip(".,;:")
        following = words[place + 1] if place + 1 < len(words) else ""
        is_article = (
            bare == "A" and following[:1].islower() and following not in ("and", "is", "will", "or", "are")
        )
        found.append("" if is_article else _NAMED.get(bare, ""))
    return found


def unsaid(words: Sequence[str]) -> list[bool]:
    """For each word whether it only says what goes without saying: "closed" before "path"."""
    bare = [word.lower().strip(".,;:") for word in words]
    return [
        word == "closed" and following in ("path", "paths")
        for word, following in zip(bare, [*bare[1:], ""], strict=True)
    ]
