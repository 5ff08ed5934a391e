"""What speaks for and against entailment: a row of features for each pair of text and hypothesis."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from postil.data.arrays import Floats
from postil.entailment.reading import FOUND, Outcome, Reading
from postil.language.document import Token
from postil.language.measures.matching import negated_heads

# Bonds: words of the hypothesis that depend on each other, and whether the text's words do so as well.

_ROLES = frozenset(("nsubj", "obj"))


def bonds(reading: Reading) -> tuple[float, int]:
    """The share of the hypothesis's bonds that the text has, and how many subjects are objects there.

    A bond joins two content words of which one depends on the other. The text has it when words that support
    them are at most two steps apart in its tree; 1 where the hypothesis has no bond.
    """
    rows = {token.index: row for row, token in enumerate(reading.wanted)}
    tokens = reading.text.tokens
    kept = total = swapped = 0
    for token in reading.wanted:
        if token.head == token.index or token.head not in rows:
            continue
        total += 1
        below, above = reading.places(rows[token.index]), reading.places(rows[token.head])
        near = any(_are_near(tokens, one, other) for one in below for other in above)
        kept += near
        if near and token.relation in _ROLES:
            roles = {_kind(tokens[one]) for one in below if tokens[one].head in above}
            swapped += token.relation not in roles and bool(roles & _ROLES)
    return (kept / total if total else 1.0), swapped


def _kind(token: Token) -> str:
    return token.relation.split(":")[0]


def _are_near(tokens: Sequence[Token], one: int, other: int) -> bool:
    """Whether two words are at most two steps apart: one above the other, or under the same word."""
    if one == other:
        return False
    first, second = tokens[one].head, tokens[other].head
    return first == second or other in (first, tokens[first].head) or one in (second, tokens[second].head)


# Polarity: what the text negates and the hypothesis states ("cannot fly", "can fly").

_SAME = 1.0


def denied(reading: Reading) -> tuple[int, int] | None:
    """The hypothesis's main word, and the same word in the text, negated there wherever it stands.

    None where the hypothesis negates anything itself: then it may well agree. Words that only mean alike do
    not count, since what is negated there is often something else.
    """
    if reading.hypothesis.negations or not reading.text.negations:
        return None
    heads = negated_heads(reading.text)
    for row, token in enumerate(reading.wanted):
        if token.relation == "root":
            places = [place for place in reading.places(row) if reading.table[row, place] >= _SAME]
            return (token.index, places[0]) if places and heads.issuperset(places) else None
    return None


# Certainty: what a text thinks possible, plans or supposes is not yet so ("may approve", "hopes to win").

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


ENCODER = ("encoder_entailment", "encoder_contradiction", "encoder_unknown")
WORDS = (
    "covered",  # weighted share of the hypothesis's words that the text supports
    "covered_by_one",  # … that one sentence supports
    "heaviest_missing",  # weight of the rarest word that it does not
    "names_missing",
    "nouns_missing",
    "numbers_missing",
    "numbers_clash",
    "opposites",
    "polarity_clashes",
    "net_oppositions",
    "denied",
    "left_open",
    "bonds",
    "swapped",
    "hypothesis_length",
)
EVIDENCE = (*ENCODER, *WORDS)


def word_evidence(reading: Reading) -> list[float]:
    """What words, numbers, negation and certainty tell; in the order of `WORDS`."""
    best, weights = reading.best, reading.weights
    missing = [token.pos for token, value in zip(reading.wanted, best, strict=True) if value < FOUND]
    outcomes = [one.outcome for one in reading.numbers]
    kept, swapped = bonds(reading)
    return [
        float(weights @ best / weights.sum()) if weights.size else 1.0,
        float(reading.shares.max(initial=0.0)),
        float((weights * (1 - best)).max(initial=0.0)),
        missing.count("PROPN"),
        missing.count("NOUN"),
        outcomes.count(Outcome.MISSING),
        outcomes.count(Outcome.CONTRADICTED),
        reading.opposed.opposites,
        reading.opposed.polarity_clashes,
        reading.opposed.net_oppositions,
        float(denied(reading) is not None),
        float(left_open(reading) is not None),
        kept,
        swapped,
        float(np.log1p(len(reading.hypothesis.tokens))),
    ]


def encoder_evidence(logits: NDArray[np.floating]) -> Floats:
    """The encoder's logits (entailment, neutral, contradiction) as chances, in the order of `ENCODER`.

    Chances and not their logarithms: how sure the encoder is beyond "very" tells nothing more.
    """
    found: Floats = softmax(logits.astype(np.float64), axis=-1)[:, [0, 2, 1]]
    return found
