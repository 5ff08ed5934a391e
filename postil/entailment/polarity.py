"""Polarity: what the text negates and the hypothesis states ("cannot fly", "can fly")."""

from __future__ import annotations

from postil.entailment.reading import Reading
from postil.language.measures.matching import negated_heads

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
