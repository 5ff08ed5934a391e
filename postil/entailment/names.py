"""Names that are not spelt alike and still support each other: misspelt ones, and places inside places."""

from __future__ import annotations

from functools import lru_cache

from postil.language.words.wordnet import wordnet

_LEAST_LETTERS = 5  # shorter names with one letter changed are other names
_STEPS = 4  # from a town to its continent


def supports_name(given: str, wanted: str) -> bool:
    """Whether a text's name will do for a hypothesis's: the same but for a letter, or a place in it."""
    given, wanted = given.lower(), wanted.lower()
    return is_near(given, wanted) or not _wholes(given).isdisjoint(_senses(wanted))


@lru_cache(maxsize=1 << 15)
def is_near(one: str, other: str) -> bool:
    """Whether one letter put in, left out or changed makes one long name of the other."""
    shorter, longer = sorted((one, other), key=len)
    if len(shorter) < _LEAST_LETTERS or len(longer) - len(shorter) > 1 or not (one + other).isalpha():
        return False
    same = next((at for at, letter in enumerate(shorter) if letter != longer[at]), len(shorter))
    step = len(longer) == len(shorter)
    return shorter[same + step :] == longer[same + 1 :]


@lru_cache(maxsize=1 << 13)
def _senses(name: str) -> frozenset[int]:
    return frozenset(wordnet().synsets(name, "n"))


@lru_cache(maxsize=1 << 13)
def _wholes(name: str) -> frozenset[int]:
    """What a place is in, and what that is in."""
    found: set[int] = set()
    edge = set(_senses(name))
    for _ in range(_STEPS):
        edge = {whole for sense in edge for whole in wordnet().related(sense, "part_holonym")} - found
        found |= edge
    return frozenset(found)
