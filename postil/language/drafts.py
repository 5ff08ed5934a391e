"""A statement in the making: some of a sentence's tokens with a tree of their own, and words for others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from postil.language.document import Token


def word_set(words: str) -> frozenset[str]:
    """Words as a set, however they are spaced."""
    return frozenset(words.split())


SUBJECTS = ("nsubj", "csubj", "expl")
FINITE = ("VBZ", "VBD", "VBP", "MD")
_CONDITIONS = word_set("if unless when whenever until till once before after while as provided whether where")


@dataclass(frozen=True)
class Draft:
    """Tokens of a sentence that make a statement: a head and a relation for each; some are said otherwise."""

    tokens: Sequence[Token]
    heads: Mapping[int, int]
    relations: Mapping[int, str]
    words: Mapping[int, str] = field(default_factory=dict)

    @cached_property
    def kids(self) -> dict[int, list[int]]:
        """The dependents of each token, in order."""
        kids: dict[int, list[int]] = {index: [] for index in self.heads}
        for index in sorted(self.heads):
            if self.heads[index] != index:
                kids[self.heads[index]].append(index)
        return kids

    @cached_property
    def root(self) -> int:
        """The token on which all others depend."""
        return next(index for index, head in self.heads.items() if head == index)

    @cached_property
    def order(self) -> list[int]:
        """Its tokens as they stand in the sentence."""
        return sorted(self.heads)

    def below(self, index: int, *relations: str) -> list[int]:
        """The dependents with one of these relations, whatever their subtype unless it is given."""
        return [
            kid
            for kid in self.kids[index]
            if self.relations[kid] in relations or self.relations[kid].split(":")[0] in relations
        ]

    def subtree(self, index: int) -> set[int]:
        """A token with everything that depends on it."""
        members, waiting = {index}, [index]
        while waiting:
            new = [kid for kid in self.kids[waiting.pop()] if kid not in members]
            members.update(new)
            waiting += new
        return members

    def low(self, index: int) -> str:
        """A token in small letters."""
        return self.tokens[index].text.lower()

    def without(self, left_out: Iterable[int]) -> Draft:
        """The draft without some tokens; what hung on them hangs where they did."""
        gone = set(left_out)
        heads = {}
        for index in self.heads:
            if index not in gone:
                head = self.heads[index]
                while head in gone and self.heads[head] != head:
                    head = self.heads[head]
                heads[index] = index if head in gone else head
        relations = {index: self.relations[index] for index in heads}
        return Draft(self.tokens, heads, relations, {i: w for i, w in self.words.items() if i in heads})

    def only(self, root: int, kept: Iterable[int]) -> Draft:
        """Some tokens of the draft as a draft of their own."""
        members = {*kept, root}
        heads = {index: self.heads[index] if self.heads[index] in members else root for index in members}
        return Draft(
            self.tokens,
            heads | {root: root},
            {index: self.relations[index] for index in members} | {root: "root"},
            {index: word for index, word in self.words.items() if index in members},
        )

    def said(self, words: Mapping[int, str]) -> Draft:
        """The draft with other words for some tokens."""
        return Draft(self.tokens, self.heads, self.relations, {**self.words, **words})

    def has_subject(self, index: int) -> bool:
        """Whether a predicate has a subject of its own."""
        return bool(self.below(index, *SUBJECTS))

    def is_finite(self, index: int) -> bool:
        """Whether a predicate has a finite verb: itself, or one that helps it."""
        verbs = [index, *self.below(index, "aux", "cop")]
        if any(self.tokens[verb].tag in FINITE or self.low(verb) == "'s" for verb in verbs):
            return True
        # "The particles settle" is often taken for an infinitive.
        bare = self.tokens[index].tag == "VB" and not any(self.low(kid) == "to" for kid in self.kids[index])
        return bare and self.has_subject(index)


def clause_at(draft: Draft, root: int) -> Draft:
    """A subordinate clause as a statement of its own, without its conjunction."""
    part = draft.only(root, draft.subtree(root))
    subject = min((min(part.subtree(kid)) for kid in part.below(root, *SUBJECTS)), default=root)
    marks = [mark for mark in part.below(root, "mark") if mark < subject and part.low(mark) != "to"]
    inside = {member for mark in marks for member in part.subtree(mark)}
    return part.without(inside - {root})


def is_denied(draft: Draft, index: int) -> bool:
    """Whether a predicate has a "not" or "never"."""
    return any(
        draft.low(kid) in ("not", "n't", "never", "cannot", "n’t")
        for kid in draft.below(index, "advmod", "aux", "cc")
    )


def follows_comma(draft: Draft, index: int) -> bool:
    """Whether a comma or semicolon stands before a token and what depends on it."""
    first = min(draft.subtree(index))
    return (first - 1 in draft.heads and draft.low(first - 1) in (",", ";")) or draft.low(first) in (",", ";")


def is_condition(draft: Draft, verb: int) -> bool:
    """Whether a clause says when or if something is so."""
    return any(draft.low(mark) in _CONDITIONS for mark in draft.below(verb, "mark"))


def name_of(draft: Draft, noun: int) -> set[int]:
    """The words that name a thing, without asides, clauses, others beside it and its preposition."""
    gone: set[int] = set()
    for kid in draft.below(
        noun, "appos", "conj", "cc", "acl", "case", "punct", "parataxis", "advcl", "cop", "nsubj", "mark"
    ):
        if draft.low(kid) not in ("'s", "-", "/"):
            gone |= draft.subtree(kid)
    if draft.relations[noun] == "root":
        for kid in draft.kids[noun]:
            if draft.relations[kid].split(":")[0] not in (
                "det",
                "amod",
                "compound",
                "nummod",
                "nmod",
                "flat",
            ):
                gone |= draft.subtree(kid)
    return draft.subtree(noun) - gone
