"""The sentences of a text: what their pronouns and short names stand for, which bear on a hypothesis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from postil.language.document import Document, Span, Token

Floats = NDArray[np.float64]

_PERSON = frozenset(("he", "him", "his", "himself", "she", "her", "hers", "herself"))
_THING = frozenset(("it", "its", "itself"))
_SEVERAL = frozenset(("they", "them", "their", "theirs", "themselves"))
_PRONOUNS = _PERSON | _THING | _SEVERAL
_SUBJECTS = frozenset(("nsubj", "nsubj:pass"))

_BEARING = 0.3  # a sentence bears on a hypothesis that supports this share of what the best one does

Thing = tuple[int, ...]  # the tokens of a name, or a noun


def mentions(document: Document) -> dict[int, Thing]:
    """What pronouns and short names stand for: the token of each, and the tokens of what was named before.

    "Clinton" is the Bill Clinton of an earlier place; "he" is the last person who was a subject, or the last
    one named; "it" and "they" are so with things of their number.
    """
    tokens = document.tokens
    things = list(_things(tokens))
    found: dict[int, Thing] = {}
    for token in tokens:
        word = token.text.lower()
        if word in _PRONOUNS:
            fitting = [one for one in things if one[-1] < token.index and _fits(tokens[one[-1]], word)]
            subjects = [one for one in fitting if any(tokens[index].relation in _SUBJECTS for index in one)]
            chosen: Thing = (subjects or fitting or [()])[-1]
        elif token.pos == "PROPN":
            fuller = (one for one in things if len(one) > 1 and one[-1] < token.index)
            chosen = next((one for one in fuller if _has(tokens, one, word)), ())
        else:
            continue
        if chosen:
            found[token.index] = chosen
    return found


def _things(tokens: Sequence[Token]) -> Iterator[Thing]:
    """What a pronoun can stand for, in order: names, all their words; other nouns, the last of a compound."""
    name: list[int] = []
    for token in tokens:
        if token.pos == "PROPN" and token.text[:1].isalnum():
            name.append(token.index)
            continue
        if name:
            yield tuple(name)
            name = []
        if token.pos == "NOUN" and not token.relation.startswith("compound"):
            yield (token.index,)
    if name:
        yield tuple(name)


def _has(tokens: Sequence[Token], thing: Thing, word: str) -> bool:
    return any(tokens[index].text.lower() == word for index in thing)


def _fits(last: Token, pronoun: str) -> bool:
    """Whether a pronoun can stand for a name or a noun: one person, one thing, or several."""
    several = last.tag in ("NNS", "NNPS")
    if pronoun in _SEVERAL:
        return several
    return not several and (pronoun in _THING or last.pos == "PROPN")


def sentence_support(document: Document, table: Floats, weights: Floats) -> Floats:
    """How much of the hypothesis each sentence supports, as a weighted share of its words.

    `table` says how well each token of the text supports each word of the hypothesis.
    """
    if not weights.size:
        return np.zeros(len(document.sentences))
    shares = [table[:, one.start : one.end].max(axis=1, initial=0.0) @ weights for one in document.sentences]
    found: Floats = np.array(shares) / weights.sum()
    return found


def condensed(document: Document, shares: Floats, most: int) -> str:
    """A text too long to be read at once: the sentences that bear most on the hypothesis, in their order.

    A text of at most so many tokens stays whole.
    """
    if len(document.tokens) <= most:
        return document.text
    kept: list[Span] = []
    room = most
    for place in np.argsort(-shares, kind="stable").tolist():
        sentence = document.sentences[place]
        bears = shares[place] >= _BEARING * shares.max()
        if not kept or (bears and sentence.end - sentence.start <= room):
            kept.append(sentence)
            room -= sentence.end - sentence.start
    return " ".join(document.text_of(one) for one in sorted(kept, key=lambda one: one.start))
