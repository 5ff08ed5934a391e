"""Certainty: what a text thinks possible, plans or supposes is not yet so ("may approve", "hopes to win")."""

from __future__ import annotations

from collections.abc import Sequence

from postil.entailment.reading import Reading
from postil.language.document import Token

_MODALS = frozenset(("may", "might", "could", "would", "should", "must", "can", "will"))
# What depends on one of these has not happened, or nobody knows.
_OPENING = frozenset((
    "plan", "want", "try", "attempt", "hope", "expect", "consider", "refuse", "threaten", "ask", "urge",
    "propose", "fail", "intend", "seek", "aim", "promise", "offer", "allege", "suspect", "believe", "suppose",
    "doubt", "fear", "wish", "wait", "vow", "agree", "demand", "call", "predict", "likely", "possible",
    "able", "unable", "ready", "willing", "unlikely", "decide", "request", "deny", "speculate", "think",
    "suggest", "proposal", "bid", "effort",
))  # fmt: skip
_ADVERBS = frozenset((
    "possibly", "perhaps", "maybe", "probably", "allegedly", "reportedly", "supposedly", "almost", "nearly",
))  # fmt: skip
_NOT = frozenset(("not", "never", "n't"))
_CLOSED_BY_NOT = frozenset(
    ("can", "could", "will", "would")
)  # what cannot be is not; what may not be, may be
_CONDITIONS = frozenset(("if", "whether", "unless"))
_COMPLEMENTS = frozenset(("xcomp", "ccomp", "acl", "advcl"))
_PREDICATES = frozenset(("VERB", "NOUN", "ADJ"))


def opening(tokens: Sequence[Token], index: int) -> int | None:
    """The token that leaves open whether a predicate holds: a modal, a condition, a plan; None if none."""
    for _ in tokens:
        token = tokens[index]
        below = (child for child in tokens if child.head == index and child.index != index)
        found = [child for child in below if _opens(child) or child.lemma.lower() in _NOT]
        opener = next((child for child in found if _opens(child)), None)
        if opener is not None and not (len(found) > 1 and opener.lemma.lower() in _CLOSED_BY_NOT):
            return opener.index
        kind = token.relation.split(":")[0]
        if token.head == index or kind not in _COMPLEMENTS | {"conj"}:
            return None
        index = token.head
        # "Tried to win and lost": what is joined to a word does not depend on it.
        if kind != "conj" and tokens[index].lemma.lower() in _OPENING:
            return index
    return None


def _opens(child: Token) -> bool:
    word, kind = child.lemma.lower(), child.relation.split(":")[0]
    if kind == "aux":
        return word in _MODALS
    if kind == "mark":
        return word in _CONDITIONS
    return kind == "advmod" and word in _ADVERBS


def left_open(reading: Reading) -> tuple[int, int] | None:
    """What the hypothesis states and the text leaves open: the former's token, the latter's opening one.

    None where the hypothesis leaves it open itself, or where one place of the text states it.
    """
    for row, token in enumerate(reading.wanted):
        if token.relation != "root" or token.pos not in _PREDICATES:
            continue
        if opening(reading.hypothesis.tokens, token.index) is not None:
            return None
        found = [opening(reading.text.tokens, place) for place in reading.places(row)]
        openers = [one for one in found if one is not None]
        return (token.index, openers[0]) if found and len(openers) == len(found) else None
    return None
