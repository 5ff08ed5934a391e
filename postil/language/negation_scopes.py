"""What a cue negates.

The tree decides where it can be trusted; where it cannot, the words up to the end of the clause are taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from postil.language.document import Token
from postil.language.negation_cues import (
    ACTING_VERBS,
    ARTICLES,
    BECAUSE,
    BOUNDARIES,
    CLAUSE_VERBS,
    NEW_SUBJECTS,
    PRONOUNS,
    QUANTIFIERS,
    Reach,
    normal_form,
)

# How many tokens after its cue a head can be, a scope can end, and a scope can end where there is no tree.
FURTHEST = 10
_LONGEST = 60
_WINDOW = 6
_SUBJECTS = ("nsubj", "csubj")
_OUTSIDE = frozenset(
    ("punct", "cc", "aux", "cop", "expl", "discourse", "vocative", "parataxis", "mark", "reparandum")
)
_FINITE = frozenset(("VBZ", "VBD"))
_PREDICATES = frozenset(("VERB", "AUX", "ADJ"))


@dataclass(frozen=True, slots=True)
class Words:
    """Tokens with their words in lower case and the tree turned downwards."""

    tokens: tuple[Token, ...]
    words: tuple[str, ...]
    children: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, tokens: tuple[Token, ...]) -> Words:
        """Prepare tokens; heads outside the text are left out."""
        children: list[list[int]] = [[] for _ in tokens]
        for place, token in enumerate(tokens):
            if token.head != place and 0 <= token.head < len(tokens):
                children[token.head].append(place)
        words = tuple(normal_form(token.text) for token in tokens)
        return cls(tokens, words, tuple(map(tuple, children)))

    def __len__(self) -> int:
        return len(self.tokens)

    def word(self, place: int) -> str:
        """The word at a place, empty outside the text."""
        return self.words[place] if 0 <= place < len(self.words) else ""

    def forms(self, place: int) -> tuple[str, str]:
        """A word as it is written and its lemma."""
        return self.words[place], self.tokens[place].lemma.lower()

    def head(self, place: int) -> int:
        """The place of the head of a token; its own for a root."""
        head = self.tokens[place].head
        return head if 0 <= head < len(self.tokens) else place

    def ends(self, place: int) -> bool:
        """Whether a clause has ended before a place: by punctuation, a boundary word or with the text."""
        return place >= len(self) or self.tokens[place].pos == "PUNCT" or self.is_boundary(place)

    def is_boundary(self, place: int) -> bool:
        """Whether a word ends what is negated before it; a so does, but for "so bright"."""
        if self.words[place] == "so" and place + 1 < len(self):
            return self.tokens[place + 1].pos not in ("ADJ", "ADV")
        return self.words[place] in BOUNDARIES

    def has_child(self, place: int, *relations: str) -> bool:
        """Whether a token has a dependent with one of these relations, subtypes included."""
        return any(self.tokens[child].relation.startswith(relations) for child in self.children[place])


def scope_of(text: Words, reach: Reach, first: int, last: int) -> set[int]:
    """The tokens that the cue from `first` to `last` negates."""
    if text.word(last + 1) == "," and (first == 0 or text.ends(first - 1)):
        return set()
    rules = {
        Reach.PREDICATE: _predicate_scope,
        Reach.NOUN: _noun_scope,
        Reach.PRONOUN: _pronoun_scope,
        Reach.PHRASE: phrase_scope,
    }
    return rules[reach](text, first, last)


def _predicate_scope(text: Words, first: int, last: int) -> set[int]:
    """What a not negates: its predicate and what follows that, without the subject."""
    if text.words[last] == "not" and text.word(last + 1) in PRONOUNS:
        return set()  # "If you do not it breaks": the verb is left out
    if text.word(last + 1) in QUANTIFIERS:
        return _noun_scope(text, last + 1, last + 1) | {last + 1}
    top = text.head(first)
    while _is_inner(text, top) and text.head(top) > last:
        top = text.head(top)
    if not _is_trusted(text, top, last):
        return _window(text, last + 1)
    return _below(text, top, last + 1) or _window(text, last + 1) or {top}


def _noun_scope(text: Words, first: int, last: int) -> set[int]:
    """What a no negates: its noun phrase and, where that is the subject, the predicate."""
    top = text.head(first)
    if not (top > last and _is_trusted(text, top, last)):
        clause = range(last + 1, _clause_end(text, last + 1))
        top = next((place for place in clause if text.tokens[place].pos in ("NOUN", "PROPN")), -1)
    if top < 0:
        return _pronoun_scope(text, first, last)
    return _with_predicate(text, top, last)


def _pronoun_scope(text: Words, first: int, last: int) -> set[int]:
    """What a nothing negates: the verb it belongs to, and what describes it."""
    place = first if text.head(first) != last else last
    scope = _below(text, place, last + 1)
    verb = text.head(place)
    argument = text.tokens[place].relation.startswith(("nsubj", "obj", "advmod"))
    is_near = abs(verb - place) <= FURTHEST and not _parted(text, min(verb, last), max(verb, last))
    if argument and verb != place and is_near and not _is_existential(text, place):
        scope |= _below(text, verb, last + 1) | {verb}
    return scope or _window(text, last + 1)


def phrase_scope(text: Words, first: int, last: int) -> set[int]:
    """What a without or a fails to negates: the phrase that follows."""
    heads = [text.head(last), text.head(first)]
    heads += [child for child in text.children[first] if text.tokens[child].relation.startswith("obj")]
    top = next((head for head in heads if head > last and _is_trusted(text, head, last)), -1)
    return _below(text, top, last + 1) if top > 0 else _window(text, last + 1)


def neither_scope(text: Words, neither: int, nor: int) -> set[int]:
    """What a neither … nor negates: both and what is said of them."""
    after = range(nor + 1, _clause_end(text, nor + 1))
    return {*range(neither + 1, nor), *after}


def _with_predicate(text: Words, noun: int, last: int) -> set[int]:
    """A negated noun phrase, with the predicate that it is the subject of."""
    scope = _below(text, noun, last + 1) | {noun}
    verb = text.head(noun)
    is_subject = text.tokens[noun].relation.startswith("nsubj") and verb > noun
    if is_subject and not ACTING_VERBS.intersection(text.forms(verb)) and not _parted(text, last, verb):
        scope |= _below(text, verb, noun + 1)
    return scope


def _is_inner(text: Words, place: int) -> bool:
    """Whether a token only modifies or helps the one that is negated: not *very* bright, *does* not light."""
    token = text.tokens[place]
    return token.relation.startswith(("aux", "cop", "det", "advmod", "nummod")) and text.head(place) != place


def _is_existential(text: Words, noun: int) -> bool:
    return text.has_child(text.head(noun), "expl")


def _parted(text: Words, first: int, second: int) -> bool:
    """Whether a clause ends between two places."""
    start = first + 1 + _negates_reason(text, first)
    return any(text.is_boundary(place) for place in range(start, second))


def _is_trusted(text: Words, top: int, cue: int) -> bool:
    """Whether the tree's word for what a cue negates makes sense."""
    if top > cue:
        return top - cue <= FURTHEST and not _parted(text, cue, top)
    # What is negated follows its cue, but for "there is not" and "it does not".
    return top < cue and cue - top <= 3 and bool({"be", "have", "do"}.intersection(text.forms(top)))


def _below(text: Words, top: int, start: int) -> set[int]:
    """The tokens from `start` on that depend on `top`, without subjects and other clauses."""
    end = _boundary(text, start)
    scope: set[int] = set()
    waiting = [top]
    seen = {top}
    while waiting:
        place = waiting.pop()
        if start <= place < end:
            scope.add(place)
        kept = {child for child in _kept(text, place, top) if child not in seen and child >= start}
        seen |= kept
        waiting += kept
    return scope


def _kept(text: Words, place: int, top: int) -> Iterator[int]:
    """The dependents of a token that are negated with it."""
    is_clause = place == top or text.tokens[place].relation.startswith(("ccomp", "conj"))
    for child in text.children[place]:
        relation = text.tokens[child].relation
        if relation.partition(":")[0] in _OUTSIDE:
            continue
        if relation.startswith(_SUBJECTS) and is_clause and not text.has_child(place, "expl"):
            continue
        if relation.startswith("conj") and not _shares(text, place, child):
            continue
        if relation.startswith("advcl") and _stands_alone(text, child):
            continue
        if relation.startswith("ccomp") and not CLAUSE_VERBS.intersection(text.forms(place)):
            continue
        yield child


def _shares(text: Words, place: int, conjunct: int) -> bool:
    """Whether a conjunct shares the negation of what it is joined to; "not open and is closed" does not."""
    if text.has_child(conjunct, *_SUBJECTS, "aux", "cop"):
        return False
    return text.tokens[conjunct].tag not in _FINITE or text.tokens[place].tag in _FINITE


def _stands_alone(text: Words, clause: int) -> bool:
    marks = (text.words[child] for child in text.children[clause])
    return text.has_child(clause, *_SUBJECTS) or any(mark in BOUNDARIES for mark in marks)


def _negates_reason(text: Words, cue: int) -> bool:
    """Whether a cue negates the reason itself, as in "it is not because it is heavy"."""
    return text.word(cue + 1) in BECAUSE and (cue < 1 or "be" in text.forms(cue - 1))


def _boundary(text: Words, start: int) -> int:
    """Where the words end that a negation can reach: before but, because, a full stop, ", it"."""
    last = min(start + _LONGEST, len(text))
    for place in range(start + _negates_reason(text, start - 1), last):
        if text.is_boundary(place):
            return place
        after = text.word(place + 1)
        # "Its an open path" is how many write "it's an open path".
        starts_anew = {",": NEW_SUBJECTS, "its": ARTICLES}.get(text.words[place], frozenset())
        if after in starts_anew:
            return place
    return last


def _clause_end(text: Words, start: int) -> int:
    """Where the clause from `start` ends, judged by its words alone."""
    last = min(start + _WINDOW, len(text))
    for place in range(start, last):
        if text.ends(place) or (place > start and text.words[place] == "cause"):
            return place
        is_subject = text.words[place] in NEW_SUBJECTS and place + 1 < len(text)
        if place > start and is_subject and text.tokens[place + 1].pos in _PREDICATES:
            return place
    return last


def _window(text: Words, start: int) -> set[int]:
    return set(range(start, _clause_end(text, start)))
