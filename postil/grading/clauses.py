"""The clauses of a text: what can be true or false by itself, and so what a person would call a point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from postil.language.document import Document, Token
from postil.language.measures.opposition import clause_of

# A clause with fewer words that carry meaning says nothing by itself: "and see" in "and see which is harder".
_LEAST_WORDS = 2
# What only ties a clause to its neighbours, at its beginning or end.
_TIES = frozenset(("CCONJ", "PUNCT"))
_BRACKETS = frozenset("()[]{}")
# Adverbs that lead from one clause to the next and say nothing themselves.
_LINKING = frozenset(("so", "also", "then", "thus", "therefore", "hence", "too", "however", "because"))
# Words that stand for a thing although they are pronouns: "someone", "everything".
_INDEFINITE = ("one", "body", "thing")


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause: its head, its words in order, whether it is a sentence's main one, and its text."""

    head: int
    tokens: tuple[int, ...]
    main: bool
    statement: str


def is_key(token: Token) -> bool:
    """Whether a word can be one of a facet's terms."""
    lemma = token.lemma.lower()
    if token.pos == "PRON":
        return lemma != "one" and lemma.endswith(_INDEFINITE)
    if token.tag == "WRB" or token.relation in ("mark", "case", "cc") or lemma in _LINKING:
        return False
    return token.is_content and lemma != "be"


def clauses(document: Document) -> list[Clause]:
    """The clauses of a text in order; those that say too little are joined to the one they belong to."""
    tokens = document.tokens
    groups: dict[int, list[int]] = {}
    for token in tokens:
        groups.setdefault(clause_of(tokens, token.index), []).append(token.index)
    for head in list(groups):
        other = _partner(tokens, head, groups)
        if other is not None:
            groups[other] = sorted(groups[other] + groups.pop(head))
    ordered = sorted(groups.items(), key=lambda group: group[1][0])
    return [
        Clause(head, tuple(its), any(tokens[i].head == i for i in its), _statement(tokens, its))
        for head, its in ordered
        if any(map(str.isalnum, _statement(tokens, its)))
    ]


def _partner(tokens: Sequence[Token], head: int, groups: Mapping[int, Sequence[int]]) -> int | None:
    """The clause that one is joined to, as it is a subject or says too little: if any."""
    above = next((other for other, its in groups.items() if other != head and tokens[head].head in its), None)
    if tokens[head].relation.startswith("csubj"):
        return above
    if sum(is_key(tokens[index]) for index in groups[head]) >= _LEAST_WORDS:
        return None
    introduced = (
        other
        for other in groups
        if other != head and tokens[other].relation == "ccomp" and tokens[other].head in groups[head]
    )
    return next(introduced, above)


def _statement(tokens: Sequence[Token], indices: Sequence[int]) -> str:
    """A clause as a text of its own, without what ties it to others."""
    kept = [index for index in indices if tokens[index].text not in _BRACKETS]
    while kept and tokens[kept[0]].pos in _TIES:
        kept.pop(0)
    while kept and tokens[kept[-1]].pos in _TIES:
        kept.pop()
    return " ".join(tokens[index].text for index in kept)
