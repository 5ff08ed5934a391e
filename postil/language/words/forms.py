"""Forms of words: lemmas from forms and tags, forms of verbs, and the base forms that WordNet may list."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, product
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


_IRREGULAR = """
be was, become became, begin began, bend bent, bind bound, bite bit, bleed bled, blow blew,
break broke, bring brought, build built, burst burst, buy bought, catch caught, choose chose,
come came, cost cost, cut cut, deal dealt, dig dug, do did, draw drew, drink drank, drive drove,
eat ate, fall fell, feed fed, feel felt, fight fought, find found, flee fled, fly flew, forget
forgot, freeze froze, get got, give gave, go went, grow grew, hang hung, have had, hear heard,
hide hid, hit hit, hold held, hurt hurt, keep kept, know knew, lay laid, lead led, leave left,
lend lent, let let, lie lay, light lit, lose lost, make made, mean meant, meet met, pay paid,
put put, read read, ride rode, ring rang, rise rose, run ran, say said, see saw, seek sought,
sell sold, send sent, set set, shake shook, shine shone, shoot shot, show showed, shrink shrank,
shut shut, sing sang, sink sank, sit sat, sleep slept, slide slid, speak spoke, spend spent,
spin spun, split split, spread spread, stand stood, steal stole, stick stuck, sting stung,
strike struck, swear swore, sweep swept, swim swam, swing swung, take took, teach taught, tear
tore, tell told, think thought, throw threw, understand understood, wake woke, wear wore, win
won, wind wound, write wrote
"""
_PAST = dict(pair.split() for pair in _IRREGULAR.split(","))
_VOWELS = "aeiou"
_HISSING = ("s", "x", "z", "ch", "sh", "o")
_NEVER_DOUBLED = "wxy"


def past_tense(verb: str) -> str:
    """The past of a verb: "wrote", "stopped", "carried"."""
    if verb in _PAST:
        return _PAST[verb]
    if verb.endswith("e"):
        return f"{verb}d"
    if _ends_in_y(verb):
        return f"{verb[:-1]}ied"
    return f"{verb}{verb[-1:]}ed" if _doubles(verb) else f"{verb}ed"


def third_person(verb: str) -> str:
    """What he, she or it does: "goes", "carries"."""
    if verb in ("be", "have"):
        return "is" if verb == "be" else "has"
    if _ends_in_y(verb):
        return f"{verb[:-1]}ies"
    return f"{verb}es" if verb.endswith(_HISSING) else f"{verb}s"


def _ends_in_y(verb: str) -> bool:
    return verb.endswith("y") and len(verb) > 1 and verb[-2] not in _VOWELS


def _doubles(verb: str) -> bool:
    """Whether a verb of one syllable ends in a single consonant after a single vowel: stop, plan."""
    vowels = [letter in _VOWELS for letter in verb]
    return vowels[-2:] == [True, False] and sum(vowels) == 1 and verb[-1] not in _NEVER_DOUBLED


# Ending and what replaces it, by part of speech; adverbs have no regular inflection.
ENDINGS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "n": (
        ("s", ""), ("ses", "s"), ("ves", "f"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"),
        ("men", "man"), ("ies", "y"),
    ),
    "v": (
        ("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", ""),
    ),
    "a": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "r": (),
}  # fmt: skip
# A compound of many parts has many combinations of base forms; beyond these none is a word.
_MOST_COMBINATIONS = 64

Exceptions = Mapping[str, Mapping[str, tuple[str, ...]]]


def normal(word: str) -> str:
    """A word as WordNet's index spells it: lower case, parts joined by underscores, no possessive ending."""
    spelled = "_".join(word.lower().replace("’", "'").replace("_", " ").split())
    if spelled.endswith("'s") and len(spelled) > 2:
        return spelled[:-2]
    return spelled.rstrip("'") if spelled.endswith("s'") else spelled


def base_forms(form: str, pos: str, known: Callable[[str], bool], exceptions: Exceptions) -> tuple[str, ...]:
    """The known words that `form`, already normal, can be a form of; the form itself first where it is one.

    An irregular form has only the bases its list gives it; only where nothing else is known is a compound
    taken apart ("attorneys_general") or spelled differently ("time-table").
    """

    def listed(forms: Iterable[str]) -> list[str]:
        return [form for form in forms if form and known(form)]

    bases = listed((form, *exceptions[pos].get(form, ())))
    if not bases or form not in exceptions[pos]:
        bases += listed(_detached(form, pos))
    if not bases and pos == "n" and form.endswith("ful") and len(form) > 5:
        bases = listed(f"{base}ful" for base in _simple(form[:-3], pos, exceptions))
    if not bases and "_" in form:
        parts = [_simple(part, pos, exceptions) for part in form.split("_")]
        bases = listed(map("_".join, islice(product(*parts), 1, _MOST_COMBINATIONS)))
    if not bases and ("-" in form or "_" in form or "." in form):
        together = form.replace("-", "").replace("_", "")
        bases = listed((form.replace("_", "-"), form.replace("-", "_"), together, form.replace(".", "")))
    return tuple(dict.fromkeys(bases))


def _detached(form: str, pos: str) -> Iterator[str]:
    for ending, replacement in ENDINGS[pos]:
        if form.endswith(ending):
            yield form[: len(form) - len(ending)] + replacement


def _simple(form: str, pos: str, exceptions: Exceptions) -> tuple[str, ...]:
    """Every candidate for one part of a compound, itself included."""
    return (form, *exceptions[pos].get(form, ()), *_detached(form, pos))
