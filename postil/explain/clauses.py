"""Clauses cut out of a sentence's tree: what is said about what, as words that can follow "says that"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from postil.explain.phrases import (
    base,
    carries_meaning,
    heads_of,
    is_finite,
    is_punctuation,
    lemma,
    negation_cues,
    uncapitalised,
    wordset,
)
from postil.language.document import Document, Token

# Dependents that a predicate can do without.
_ADJUNCTS = wordset("advcl obl conj cc punct parataxis discourse mark advmod vocative dislocated")
# After these words a clause still says that something is so; after "if" it does not.
_FACTUAL_MARKS = wordset("because since that as so cause cuz becuase becouse")
# Adverbs that tie a sentence to the one before.
_TIES = wordset("then so also therefore thus however")
# Verbs that say nothing without the place or the thing that follows.
_NEEDY = wordset("contain put place locate situate consist depend belong lead refer base compose make go")
_LONGEST = 20
# Clauses that are part of the one above them.
_INNER = wordset("xcomp ccomp acl csubj nsubj obj obl nmod amod compound fixed")
# What a clause can be said without.
_OUTSIDE = frozenset(("advcl", "cc", "mark", "parataxis", "discourse", "vocative", "punct"))
_OPENERS = frozenset(("WDT", "WP", "DT", "TO", "CC"))
_CLAUSE_MARKS = wordset("because if when since unless until while although so as though whenever")


@dataclass(frozen=True, slots=True)
class Tree:
    """A document whose sentences begin with small letters, with the dependents of each of its tokens."""

    document: Document
    children: tuple[tuple[Token, ...], ...]

    @classmethod
    def of(cls, document: Document) -> Tree:
        """The tree of a document."""
        document = uncapitalised(document)
        children: list[list[Token]] = [[] for _ in document.tokens]
        for token in document.tokens:
            if token.head != token.index:
                children[token.head].append(token)
        return cls(document, tuple(map(tuple, children)))

    def head(self, token: Token) -> Token:
        """The token that another depends on."""
        return self.document.tokens[token.head]

    def dependents(self, token: Token, *relations: str) -> list[Token]:
        """The dependents of a token that stand in one of these relations."""
        return [child for child in self.children[token.index] if base(child) in relations]

    def below(self, token: Token, without: frozenset[str] = frozenset()) -> Iterator[Token]:
        """A token and all that depends on it, but for dependents in these relations."""
        waiting = [token]
        while waiting:  # not by recursion: a tree can be as deep as a text is long
            token = waiting.pop()
            yield token
            children = self.children[token.index]
            waiting.extend(child for child in reversed(children) if base(child) not in without)

    def marks(self, predicate: Token) -> set[str]:
        """The words such as "because" and "if" that make a predicate part of another clause."""
        words = self.dependents(predicate, "mark", "advmod")
        return {lemma(token) for token in words if base(token) == "mark" or token.tag == "WRB"}


def is_predicate(tree: Tree, token: Token) -> bool:
    """Whether a word says something of a subject."""
    return token.pos in ("VERB", "AUX") or bool(tree.dependents(token, "nsubj", "cop", "csubj"))


def predicate_over(tree: Tree, token: Token) -> Token | None:
    """The predicate that a word belongs to: itself, or the nearest above it."""
    for _ in tree.document.tokens:
        if is_predicate(tree, token) and base(token) not in ("amod", "compound"):
            return token
        if token.head == token.index:
            return None
        token = tree.head(token)
    return None


def subject_of(tree: Tree, predicate: Token) -> Token | None:
    """The head of a predicate's subject, which a second predicate may share with the first."""
    subjects = tree.dependents(predicate, "nsubj", "csubj")
    if subjects:
        return subjects[0]
    above = tree.head(predicate)
    if base(predicate) == "conj" and above is not predicate and is_predicate(tree, above):
        return subject_of(tree, above)
    return None


def is_needy(verb: Token) -> bool:
    """Whether a verb cannot do without its adjuncts: "is contained" where?"""
    return lemma(verb) in _NEEDY


def core_of(tree: Tree, predicate: Token) -> set[Token]:
    """A predicate with its subject, objects, helpers and negation, and nothing that it can do without."""
    members = {predicate}
    cues = negation_cues(tree.document)
    for child in tree.children[predicate.index]:
        needed = base(child) == "obl" and is_needy(predicate)
        if base(child) not in _ADJUNCTS or needed or child.index in cues:
            members.update(tree.below(child))
    subject = subject_of(tree, predicate)
    if subject is not None:
        members.update(
            tree.below(subject, frozenset(("acl",)) if subject.head != predicate.index else frozenset())
        )
    return members


def bracketed(document: Document) -> frozenset[int]:
    """The places of the words that stand in brackets, and of the brackets."""
    indices: set[int] = set()
    opened: list[int] = []
    for token in document.tokens:
        if token.text in ("(", "["):
            opened.append(token.index)
        elif token.text in (")", "]") and opened:
            indices.update(range(opened.pop(), token.index + 1))
    return frozenset(indices)


def clause_head(tree: Tree, token: Token) -> int:
    """Where the predicate stands that leads a word's clause; one that shares its subject leads none."""
    index = token.index
    for _ in tree.document.tokens:
        predicate = predicate_over(tree, token)
        if predicate is None:
            return index
        index = predicate.index
        above = tree.head(predicate)
        inner = base(predicate) in _INNER or (base(predicate) == "conj" and not _own_subject(tree, predicate))
        if above.index == predicate.index or not inner:
            return index
        token = above
    return index


def _own_subject(tree: Tree, predicate: Token) -> bool:
    return bool(tree.dependents(predicate, "nsubj", "csubj", "expl"))


def clause_with(tree: Tree, tokens: Iterable[Token]) -> tuple[Token, ...]:
    """The clause that holds these words and can follow "says that"; empty where none does."""
    words = [token for token in tokens if not is_punctuation(token)]
    tops = [token for token in heads_of(words) if token.is_content or carries_meaning(token)]
    indices = {clause_head(tree, token) for token in tops}
    if len(indices) != 1:
        return ()
    predicate = tree.document.tokens[indices.pop()]
    predicate = _second(tree, predicate, words)
    subject = subject_of(tree, predicate)
    if subject is None or subject.tag in ("WDT", "WP") or not tree.marks(predicate) <= _FACTUAL_MARKS:
        return ()
    spare = bracketed(tree.document)
    for left_out in (_OUTSIDE, _OUTSIDE | {"conj"}):
        members = {
            token for token in _whole(tree, predicate, left_out, set(words)) if token.index not in spare
        }
        clause = _said(members, predicate)
        if clause and {token.index for token in words} - spare <= {token.index for token in members}:
            return clause
    members = {token for token in core_of(tree, predicate) | set(words) if token.index not in spare}
    return _said(members - set(tree.dependents(predicate, "mark", "cc")), predicate)


def _second(tree: Tree, predicate: Token, words: Sequence[Token]) -> Token:
    """The second predicate of a subject where the words are all there: "sinks" of "is big and sinks"."""
    places = {token.index for token in words if carries_meaning(token)}
    for child in tree.dependents(predicate, "conj"):
        if child.tag in ("VBZ", "VBP", "VBD") and places <= {token.index for token in tree.below(child)}:
            return child
    return predicate


def condition_with(tree: Tree, tokens: Iterable[Token]) -> tuple[Token, ...]:
    """The clause after "if" or "when" that these words form, from its first word; else nothing."""
    words = [token for token in tokens if carries_meaning(token)]
    indices = {clause_head(tree, token) for token in words}
    if len(indices) != 1:
        return ()
    predicate = tree.document.tokens[indices.pop()]
    if base(predicate) != "advcl" or not tree.marks(predicate) & {"if", "when"}:
        return ()
    spare = bracketed(tree.document)
    members = [
        token for token in tree.below(predicate, frozenset(("parataxis",))) if token.index not in spare
    ]
    start = min(token.index for token in members if lemma(token) in ("if", "when"))
    return tuple(sorted((token for token in members if token.index >= start), key=lambda token: token.index))


def imperative_with(tree: Tree, tokens: Sequence[Token]) -> tuple[Token, ...]:
    """The clause that tells somebody to do what these words say: "stir the mixture"; else nothing."""
    indices = {clause_head(tree, token) for token in tokens if carries_meaning(token)}
    predicate = tree.document.tokens[indices.pop()] if len(indices) == 1 else None
    if predicate is None or predicate.tag not in ("VB", "VBP") or subject_of(tree, predicate) is not None:
        return ()
    spare = bracketed(tree.document)
    members = _whole(tree, predicate, _OUTSIDE, set(tokens))
    ends = min(token.index for token in members), max(token.index for token in members)
    inside = (token for token in tree.document.tokens[ends[0] : ends[1] + 1] if token.index not in spare)
    return tuple(inside) if base(predicate) == "root" else ()


def _whole(tree: Tree, predicate: Token, left_out: frozenset[str], words: set[Token]) -> set[Token]:
    """A predicate with all that belongs to its clause; of its conjuncts, those with some of the words."""
    members = {predicate}
    for child in tree.children[predicate.index]:
        below = set(tree.below(child))
        if base(child) == "conj":
            if not (below & words) or _own_subject(tree, child):
                continue
            members |= below
        elif (
            base(child) == "advcl" and not tree.marks(child) & _CLAUSE_MARKS and not _own_subject(tree, child)
        ) or base(child) not in left_out:
            members |= below
    subject = subject_of(tree, predicate)
    if subject is not None:
        members.update(tree.below(subject))
    return members


def _said(members: set[Token], predicate: Token) -> tuple[Token, ...]:
    """Words in the order of the text, where they make a clause that is not too long."""
    tokens = sorted(members, key=lambda token: token.index)
    inner = [
        token for token in tokens if not is_punctuation(token) or token.text == "," or token.tag == "HYPH"
    ]
    helpers = [token for token in inner if token is predicate or token.head == predicate.index]
    while inner and (
        is_punctuation(first := inner[0])
        or first.pos in ("CCONJ", "SCONJ")
        or (lemma(first) in _TIES and base(first) == "advmod")
    ):
        del inner[0]
    if len(inner) > 2 and inner[-1].pos == "PRON" and inner[-2].pos in ("CCONJ", "SCONJ"):
        del inner[-2:]
    # The last word must not want another behind it; the A of "bulb A" is no article.
    while inner and (is_punctuation(inner[-1]) or (inner[-1].tag in _OPENERS and inner[-1].text != "A")):
        del inner[-1]
    if len(inner) > _LONGEST or not is_finite(helpers) or any(token.text == "?" for token in tokens):
        return ()
    return tuple(inner)
