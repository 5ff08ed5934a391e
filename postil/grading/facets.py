"""The facets of a reference: pairs of key terms in a relation, read off the dependency tree.

>>> from postil.grading.facets import extract_facets
>>> from postil.language.pipeline import analyse
>>> for facet in extract_facets(analyse("If a part of the plant contains seeds, it is a fruit.")):
...     print(facet.facet.first, "–", facet.facet.second)
contains – part
part – plant
contains – seeds
is – fruit
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass

from postil.data.questions import Facet
from postil.language.document import Document, Token
from postil.language.measures.matching import clause_of

# The clauses of a text: what can be true or false by itself, and so what a person would call a point.

# A clause with fewer words that carry meaning says nothing by itself: "and see" in "and see which is harder".
_LEAST_WORDS = 2
_MOST_FACETS = 40  # each is looked for in every answer; a reference that says more is no short answer
# Clauses of a reference that the careful or the expert reader reads beside an answer, where many are judged.
MOST_CLAUSES = 2
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


Terms = dict[int, tuple[int, ...]]  # for the head of each term its words

TOPIC = "topic"
# Dependents that belong to the term above them: "closed path", "two terminals", "take up".
_INSIDE = frozenset(("amod", "compound", "nummod", "flat", "fixed", "goeswith"))
_SUBJECTS = frozenset(("nsubj", "csubj"))


@dataclass(frozen=True, slots=True)
class FoundFacet:
    """A facet, the words of the reference that it is made of, and the clause that says it, as text."""

    facet: Facet
    tokens: tuple[int, ...]
    clause: tuple[int, ...]
    statement: str


def extract_facets(reference: Document, question: Document | None = None) -> tuple[FoundFacet, ...]:
    """The facets of a reference, in order.

    With the question, what a sentence is about and the question has named already is a facet of its own, the
    *topic*, which has one term: an answer that takes it up has said that much, whatever it says of it.
    """
    asked = frozenset(token.lemma.lower() for token in question.tokens) if question else frozenset()
    facets: list[FoundFacet] = []
    for clause in clauses(reference):
        for first, second, relation in _pairs(reference, clause, asked):
            facet = Facet(f"f{len(facets) + 1}", _text(reference, first), _text(reference, second), relation)
            tokens = tuple(sorted((*first, *second)))
            facets.append(FoundFacet(facet, tokens, clause.tokens, clause.statement))
    return tuple(facets[:_MOST_FACETS])


def _pairs(
    reference: Document, clause: Clause, asked: frozenset[str]
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...], str]]:
    """The terms of each facet of a clause, and their relation."""
    tokens = reference.tokens
    terms = _terms(reference, clause)
    if clause.main:
        yield from ((term, (), TOPIC) for term in _topics(tokens, terms, asked))
    heads = list(terms)
    if len(heads) < 2:
        yield from _alone(tokens, clause, terms)
        return
    top = clause.head if clause.head in terms else _highest(tokens, heads)
    for head in heads:
        if head != top:
            above = _above(tokens, head, terms)
            yield terms[top if above is None else above], terms[head], _relation(tokens, head)


def _terms(reference: Document, clause: Clause) -> Terms:
    """The terms of a clause: for the head of each, its words, with what negates it ("not connected")."""
    tokens = reference.tokens
    keys = {index for index in clause.tokens if is_key(tokens[index])}
    # "Has to connect" says the second verb; the first only helps.
    keys -= {tokens[i].head for i in keys if tokens[i].relation == "xcomp" and _helps(tokens[tokens[i].head])}
    cues = {index for negation in reference.negations for index in negation.cue}
    terms: dict[int, list[int]] = {}
    for index in clause.tokens:
        head = index
        while tokens[head].head in keys and (head in cues or _is_inside(tokens, head)):
            cues.discard(head)
            head = tokens[head].head
        if head in keys:
            terms.setdefault(head, []).append(index)
    return {head: tuple(words) for head, words in sorted(terms.items())}


def _helps(token: Token) -> bool:
    return token.lemma.lower() == "have"


def _is_inside(tokens: Sequence[Token], index: int) -> bool:
    """Whether a word belongs to the term of the one above it."""
    above = tokens[tokens[index].head]
    kind = _kind(tokens[index])
    return kind in _INSIDE or (kind == "advmod" and above.pos in ("ADJ", "ADV"))


def _topics(tokens: Sequence[Token], terms: Terms, asked: frozenset[str]) -> Iterator[tuple[int, ...]]:
    """Subjects, each with what hangs on it, if the question has all of their words."""
    for subject in (head for head in terms if _kind(tokens[head]) in _SUBJECTS):
        its = (words for head, words in terms.items() if head == subject or tokens[head].head == subject)
        words = tuple(sorted(word for term in its for word in term))
        if all(tokens[word].lemma.lower() in asked for word in words):
            yield words


def _alone(
    tokens: Sequence[Token], clause: Clause, terms: Terms
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...], str]]:
    """The one facet of a clause with one term: "closed – path" in "there is a closed path", "is – gap"."""
    for head, words in terms.items():
        if len(words) > 1:
            yield tuple(word for word in words if word != head), (head,), _kind(tokens[head])
            continue
        verb = next((i for i in clause.tokens if i != head and tokens[i].pos in ("AUX", "VERB")), None)
        yield (words if verb is None else (verb,)), (() if verb is None else words), _kind(tokens[head])


def _highest(tokens: Sequence[Token], heads: Sequence[int]) -> int:
    """The term that no other is above; of several, what a helping verb introduces, or else the first."""
    tops = [head for head in heads if _above(tokens, head, heads) is None]
    return next((head for head in tops if tokens[head].relation == "xcomp"), tops[0])


def _above(tokens: Sequence[Token], index: int, heads: Container[int]) -> int | None:
    """The nearest term on the way up from a word; one of several in a row hangs where the first does."""
    for _ in tokens:
        joined, index = _kind(tokens[index]) == "conj", tokens[index].head
        if tokens[index].head == index:
            return index if index in heads else None
        if index in heads and not joined:
            return index
    return None


def _relation(tokens: Sequence[Token], head: int) -> str:
    """The relation of a term to the one above, with its preposition: "nmod:of"."""
    marker = next(
        (token.text.lower() for token in tokens if token.head == head and token.relation == "case"), ""
    )
    return f"{_kind(tokens[head])}:{marker}" if marker else _kind(tokens[head])


def _kind(token: Token) -> str:
    return token.relation.split(":")[0]


def _text(reference: Document, words: Sequence[int]) -> str:
    return " ".join(reference.tokens[word].text for word in words)
