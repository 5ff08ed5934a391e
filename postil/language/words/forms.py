"""Lemmas from forms and tags: a table of words, suffix rules, and known base forms to check them by."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

# Names keep the case they are written in; everything else has a lower-case lemma.
NAME_TAGS = frozenset(("NNP", "NNPS"))
LONGEST_SUFFIX = 6

# For the tags of inflected words: which base forms they can have, and the endings that inflection adds.
_KINDS = {
    "NNS": ("N", ("s", "es", "ies")),
    "VBZ": ("V", ("s", "es", "ies")),
    "VBD": ("V", ("ed", "d", "ied")),
    "VBN": ("V", ("ed", "d", "ied")),
    "VBG": ("V", ("ing",)),
    "JJR": ("A", ("er", "r", "ier")),
    "JJS": ("A", ("est", "st", "iest")),
}


@dataclass(frozen=True, slots=True)
class Lemmatiser:
    """`words` maps "TAG form" to a lemma, `rules` "TAG suffix" to (letters to cut, letters to add).

    `bases` are the base forms met in training, by kind (N, V, A): a rule whose result is not among them gives
    way to another way of undoing the inflection whose result is.
    """

    words: Mapping[str, str]
    rules: Mapping[str, tuple[int, str]]
    bases: Mapping[str, frozenset[str]]

    def __call__(self, form: str, tag: str) -> str:
        """The lemma of a form with a Penn tag."""
        word = form if tag in NAME_TAGS else form.lower()
        known = self.words.get(f"{tag} {word}")
        if known is not None:
            return known
        guess = self._by_rule(word, tag)
        kind, endings = _KINDS.get(tag, ("", ()))
        bases = self.bases.get(kind, frozenset())
        if not kind or guess in bases:
            return guess
        return next((base for base in _undone(word, endings) if base in bases), guess)

    def _by_rule(self, word: str, tag: str) -> str:
        for length in range(min(LONGEST_SUFFIX, len(word)), -1, -1):
            rule = self.rules.get(f"{tag} {word[len(word) - length :].lower()}")
            if rule is not None and rule[0] < len(word):
                cut, add = rule
                return word[: len(word) - cut] + add
        return word

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a table written by `save`."""
        data = json.loads(path.read_text(encoding="utf-8"))
        return cls(
            words=data["words"],
            rules={key: (cut, add) for key, (cut, add) in data["rules"].items()},
            bases={kind: frozenset(words.split()) for kind, words in data["bases"].items()},
        )

    def save(self, path: Path) -> None:
        """Write the table as JSON."""
        data = {
            "words": dict(sorted(self.words.items())),
            "rules": dict(sorted(self.rules.items())),
            "bases": {kind: " ".join(sorted(words)) for kind, words in sorted(self.bases.items())},
        }
        path.write_text(json.dumps(data, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")


def _undone(word: str, endings: tuple[str, ...]) -> Iterator[str]:
    """All base forms an inflected word could have: making, maker, makes → mak, make; stopped → stop."""
    for ending in endings:
        if word.endswith(ending):
            stem = word[: len(word) - len(ending)]
            yield stem + "e"
            yield stem
            if ending.startswith("i"):
                yield stem + "y"
            if len(stem) > 2 and stem[-1] == stem[-2]:
                yield stem[:-1]
