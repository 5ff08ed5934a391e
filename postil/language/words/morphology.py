"""From a form to the base forms WordNet may list: irregular forms, endings, compounds part by part."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice, product

# Ending and what replaces it, by part of speech; adverbs have no regular inflection.
ENDINGS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "n": (
        ("s", ""),
        ("ses", "s"),
        ("ves", "f"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ),
    "v": (
        ("s", ""),
        ("ies", "y"),
        ("es", "e"),
        ("es", ""),
        ("ed", "e"),
        ("ed", ""),
        ("ing", "e"),
        ("ing", ""),
    ),
    "a": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "r": (),
}
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
    taken apart ("attorneys_general") or spelled otherwise ("time-table").
    """
    found = _known((form, *exceptions[pos].get(form, ())), known)
    if found and form in exceptions[pos]:
        return found
    found = found + _known(_detached(form, pos), known)
    if not found and pos == "n" and form.endswith("ful") and len(form) > 5:
        found = _known((f"{base}ful" for base in _simple(form[:-3], pos, exceptions)), known)
    if not found and "_" in form:
        found = _known(_compounds(form, pos, exceptions), known)
    if not found and ("-" in form or "_" in form or "." in form):
        found = _known(_respelled(form), known)
    return tuple(dict.fromkeys(found))


def _known(forms: Iterator[str] | tuple[str, ...], known: Callable[[str], bool]) -> tuple[str, ...]:
    return tuple(form for form in forms if form and known(form))


def _detached(form: str, pos: str) -> Iterator[str]:
    for ending, replacement in ENDINGS[pos]:
        if form.endswith(ending):
            yield form[: len(form) - len(ending)] + replacement


def _simple(form: str, pos: str, exceptions: Exceptions) -> tuple[str, ...]:
    """Every candidate for one part of a compound, itself included."""
    return (form, *exceptions[pos].get(form, ()), *_detached(form, pos))


def _compounds(form: str, pos: str, exceptions: Exceptions) -> Iterator[str]:
    parts = [_simple(part, pos, exceptions) for part in form.split("_")]
    combinations = islice(product(*parts), 1, _MOST_COMBINATIONS)
    return ("_".join(one) for one in combinations)


def _respelled(form: str) -> Iterator[str]:
    yield form.replace("_", "-")
    yield form.replace("-", "_")
    yield form.replace("-", "").replace("_", "")
    yield form.replace(".", "")
