"""Bonds: words of the hypothesis that depend on each other, and whether the text's words do so as well."""

from __future__ import annotations

from collections.abc import Sequence

from postil.entailment.reading import Reading
from postil.language.document import Token

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
