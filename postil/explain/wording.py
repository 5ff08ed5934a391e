"""The differences of two sentences in words, one by one; the same words serve two sentences and a teacher."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from postil.explain.clauses import Tree, clause_head, clause_with, condition_with, imperative_with
from postil.explain.differences import Difference, first_negates
from postil.explain.links import quantities_in
from postil.explain.phrases import (
    base,
    carries_meaning,
    heads_of,
    is_plural,
    joined,
    kind_of,
    lemma,
    listed,
    named,
    noun_phrase,
    quoted,
    spoken,
    tokens_of,
    trimmed,
    without_shared_start,
    wordset,
)
from postil.language.document import Document, Quantity, Token

# Words with which a writer says that something may not be so.
_UNSURE = wordset(
    "may might could can would should maybe perhaps probably possibly likely unlikely possible think believe"
    " guess suppose seem appear suggest expect fear allege reportedly allegedly apparently claim plan vow"
)


# Nouns that tell nothing by themselves.
_VAGUE = wordset("one thing something anything everything nothing other way answer reason kind")
# The longest statement of a pupil that is repeated, in words.
_LONGEST = 14
# Forms of words that state something.
_STATING = ("sentence", "verb")


@dataclass(frozen=True, slots=True)
class Sides:
    """Two sentences with their trees, and what they are called in an explanation."""

    source: Tree
    target: Tree
    first: str
    second: str

    def words(self, one: Difference) -> tuple[tuple[Token, ...], tuple[Token, ...]]:
        """The words of both sides of a difference."""
        return tokens_of(self.source.document, one.source), tokens_of(self.target.document, one.target)


@dataclass(frozen=True, slots=True)
class Named:
    """How words that only one sentence has are named: after "mention", "say" or, in quotes, "have"."""

    verb: str
    words: str


def contrast(one: Difference, sides: Sides) -> tuple[str, str]:
    """The two sides of a difference as quotations, without a preposition that they share."""
    first, second = without_shared_start(*sides.words(one))
    things = noun_phrase(first) or first, noun_phrase(second) or second
    if spoken(things[0]) != spoken(things[1]):
        first, second = things
    words, others = sides.words(one)
    return quoted(first or words), quoted(second or others)


def contradiction(one: Difference, sides: Sides) -> str:
    """A sentence about two things that cannot both hold, or not with the same certainty or opinion."""
    first, second = contrast(one, sides)
    one_side, other_side = sides.first, sides.second
    if one.kind == "number":
        return _number(one, sides)
    if one.kind == "opposite":
        return f"{one_side} says {first}, {other_side} the opposite, {second}"
    if one.kind == "certainty":
        return _certainty(one, sides, first, second)
    if one.kind == "opinion":
        return f"{one_side} and {other_side} express different opinions: {first} against {second}"
    if first_negates(one, sides.source.document, sides.target.document):
        return f"{one_side} denies what {other_side} says: {first} against {second}"
    return f"{one_side} says {first}, {other_side} denies it: {second}"


def unsure(tokens: Sequence[Token]) -> bool:
    """Whether a word such as "may" or "probably" is among these."""
    return any(lemma(token) in _UNSURE for token in tokens)


def _certainty(one: Difference, sides: Sides, first: str, second: str) -> str:
    doubts = [unsure(words) for words in sides.words(one)]
    if doubts[0] != doubts[1] and first != second:
        how = "less" if doubts[0] else "more"
        return f"{sides.first} is {how} certain: it says {first} where {sides.second} says {second}"
    against = f"{first} against {second}" if first != second else first
    return f"{sides.first} and {sides.second} differ in what they hold for certain: {against}"


def _number(one: Difference, sides: Sides) -> str:
    (quantity,) = quantities_in(sides.source.document, one.source)
    (other,) = quantities_in(sides.target.document, one.target)
    first, _ = sides.words(one)
    number = counted(sides.source, first)
    figures = figure(sides.source.document, quantity), figure(sides.target.document, other)
    if number:
        return f"{sides.first} gives {number} as {figures[0]}, {sides.second} as {figures[1]}"
    if len([token for token in first if carries_meaning(token)]) == quantity.end - quantity.start:
        return f"{sides.first} says {figures[0]} where {sides.second} says {figures[1]}"
    texts = contrast(one, sides)
    return f"{sides.first} says {texts[0]} where {sides.second} says {texts[1]}"


def figure(document: Document, quantity: Quantity) -> str:
    """A quantity as it is written."""
    return joined(document.tokens[quantity.start : quantity.end]).strip(".,;")


def counted(tree: Tree, tokens: Sequence[Token]) -> str:
    """What a number counts: "the number of bulbs", "the number killed"; empty where it counts nothing."""
    for token in tokens:
        head = tree.head(token)
        if base(token) == "nummod" and head.pos == "NOUN" and is_plural((), head) and head in tokens:
            things = [word for word in tokens if word.index > token.index and word.index <= head.index]
            unit = any(
                quantity.unit and quantity.start <= token.index < quantity.end
                for quantity in tree.document.quantities
            )
            return "" if unit else f"the number of {spoken(things)}"
        participles = [child for child in tree.dependents(token, "acl") if child.tag in ("VBN", "VBD")]
        if token.pos == "NUM" and len(tokens) == 1 and participles:
            return f"the number {participles[0].text.lower()}"
    return ""


def is_new(one: Difference, sides: Sides) -> bool:
    """Whether what only one sentence says is more than words that the other has too, in another order.

    What only the first says must tell something as well.
    """
    tree, other = (sides.source, sides.target) if one.kind == "extra" else (sides.target, sides.source)
    tokens = tokens_of(tree.document, one.source or one.target)
    if _is_said(tokens, other.document):
        return False
    if one.kind == "missing":
        return True
    clause = extra_clause(tree, tokens)
    describes = any(token.pos == "ADJ" for token in tokens) and not any(map(_is_speaker, clause))
    if not has_substance(tokens) and not (clause and describes):
        return False
    told = sum(map(carries_meaning, tokens))
    most = 2 * told >= sum(map(carries_meaning, clause)) if clause else kind_of(tokens) in _STATING
    things = noun_phrase(tokens)
    return most or (bool(things) and not _negates(things, tree.document))


def extra_clause(tree: Tree, tokens: Sequence[Token]) -> tuple[Token, ...]:
    """The clause of words that only a pupil has, where it stands in one piece: noisy trees may mislead."""
    clause = clause_with(tree, tokens)
    whole = bool(clause) and all(after.index <= one.index + 1 for one, after in pairwise(clause))
    return clause if whole and len(clause) <= _LONGEST and clause[0].tag != "WRB" else ()


def left_over(one: Difference, sides: Sides) -> Named:
    """What only one of two sentences says, named so that it is true and reads well."""
    tree, other = (sides.source, sides.target) if one.kind == "extra" else (sides.target, sides.source)
    tokens = trimmed(tokens_of(tree.document, one.source or one.target))
    known = {lemma(token) for token in other.document.tokens}
    things = noun_phrase(tokens)
    nouns = {lemma(token) for token in things if base(token) == "conj"} | set(map(lemma, heads_of(things)))
    if things and nouns.isdisjoint(known) and not _negates(things, tree.document):
        return Named("mention", named(things))
    condition = condition_with(tree, tokens)
    if condition:
        return Named("have", f"the condition {quoted(condition)}")
    clause = extra_clause(tree, tokens) if one.kind == "extra" else clause_with(tree, tokens)
    if kind_of(tokens) == "adverb":
        clause = ()
    said = spoken(clause, gaps=False) if clause else ""
    if clause and not _is_said(clause, other.document) and _is_whole(clause, said):
        return Named("say", said if said.startswith("that ") else f"that {said}")
    return Named("have", quoted(imperative_with(tree, tokens) or tokens))


def _is_whole(clause: Sequence[Token], said: str) -> bool:
    """Whether a clause can stand after "that": not "B nor C is in a path", not "is, the less it swings"."""
    starts_late = clause[0].pos in ("AUX", "VERB") and clause[0].tag != "VBG"
    return not starts_late and ("nor" not in said.split() or "neither" in said)


def together(found: Sequence[Difference], sides: Sides) -> list[Difference]:
    """Things that only one sentence says, those put together that are most of one clause."""
    groups: dict[int, list[Difference]] = {}
    for one in found:
        tree = sides.source if one.kind == "extra" else sides.target
        tokens = tokens_of(tree.document, one.source or one.target)
        words = [token for token in tokens if carries_meaning(token)]
        place = clause_head(tree, words[0]) if words else -1
        groups.setdefault(place, []).append(one)
    return [one for alike in groups.values() for one in _joined(alike, sides)]


def _joined(alike: Sequence[Difference], sides: Sides) -> Sequence[Difference]:
    tree = sides.source if alike[0].kind == "extra" else sides.target
    numbers = sorted({number for one in alike for number in (one.source or one.target)})
    words = tokens_of(tree.document, numbers)
    clause = clause_with(tree, words) if len(alike) > 1 else ()
    gone = sum(map(carries_meaning, words))
    if not clause or 2 * gone < sum(map(carries_meaning, clause)):
        return alike
    if alike[0].kind == "extra":
        return [replace(alike[0], source=tuple(numbers))]
    return [replace(alike[0], target=tuple(numbers))]


def _negates(tokens: Sequence[Token], document: Document) -> bool:
    cues = {cue for negation in document.negations for cue in negation.cue}
    return any(token.index in cues for token in tokens)


def has_substance(tokens: Sequence[Token]) -> bool:
    """Whether words tell something: they have a noun that is no label alone, and are no "I think"."""
    if any(map(_is_speaker, tokens)) or not tokens:
        return False
    nouns = [token for token in tokens if token.pos == "NOUN" and lemma(token) not in _VAGUE]
    return bool(nouns) and tokens[0].tag not in ("WDT", "WP") and lemma(tokens[0]) not in ("that", "this")


def _is_speaker(token: Token) -> bool:
    return lemma(token) in ("i", "we", "you", "me", "my")


def _is_said(clause: Sequence[Token], other: Document) -> bool:
    """Whether the other sentence has all the words of a clause, so that it cannot be called unsaid."""
    known = {lemma(token) for token in other.tokens} | {token.text.lower() for token in other.tokens}
    said = [
        lemma(token) in known or token.text.lower() in known for token in clause if carries_meaning(token)
    ]
    return all(said) and bool(said)


def is_within(name: Named, names: Sequence[Named]) -> bool:
    """Whether a longer name has all the words of this one: who does not say the whole does not say a part."""
    longer = [other for other in names if other != name and other.verb != "mention"]
    return any(f" {_bare(name)} " in f" {_bare(other)} " for other in longer)


def _bare(name: Named) -> str:
    """The words of a name without what was put before them."""
    words = re.sub(r"^(that|the condition) |[“”,…]", "", name.words)
    return re.sub(r"^(the|an?) ", "", words.replace("“", "")).lower()


def left_over_list(names: Sequence[Named], *, denied: bool) -> str:
    """Several things that only one sentence says, as one predicate: "mentions a and b and says that …"."""
    verbs = {"mention": "mentions", "say": "says", "have": "says"}
    if denied:
        verbs = {"mention": "does not mention", "say": "does not say", "have": "leaves out"}
    names = list(dict.fromkeys(names))
    parts = []
    for verb, text in verbs.items():
        items = [name.words for name in names if name.verb == verb and not is_within(name, names)]
        short = bool(items) and (items[0].startswith("the condition") or " " not in items[0])
        if verb == "have" and short and not denied:
            parts.append(f"has {listed(items)}")
        elif items:
            parts.append(f"{text} {listed(items, 'or' if denied and verb != 'have' else 'and')}")
    return listed(parts)


def details(differences: Sequence[Difference], sides: Sides) -> str:
    """A sentence about which side is more specific, and where."""
    pairs: dict[str, list[tuple[str, str]]] = {"more_specific": [], "more_general": []}
    for one in differences:
        first, second = contrast(one, sides)
        specific, general = (first, second) if one.kind == "more_specific" else (second, first)
        pairs[one.kind].append((specific, general))
    ours, theirs = pairs["more_specific"], pairs["more_general"]
    if ours and theirs:
        here, there = ("; ".join(f"{one} against {other}" for one, other in side) for side in (ours, theirs))
        return (
            f"{sides.first} is more specific in {'one place' if len(ours) == 1 else 'some places'} ({here}), "
            f"{sides.second} in {'another' if len(theirs) == 1 else 'others'} ({there})"
        )
    name, other_name = (sides.first, sides.second) if ours else (sides.second, sides.first)
    says = [f"{one} where {other_name} says just {other}" for one, other in ours or theirs]
    return f"{name} is more specific: it says {', and '.join(says)}"


def likeness(differences: Sequence[Difference], sides: Sides) -> str:
    """A sentence about words that are near each other in meaning and not the same."""
    texts = [contrast(one, sides) for one in differences]
    first, second = texts[0]
    more = "".join(f", and {one} where {sides.second} says {other}" for one, other in texts[1:])
    return f"{sides.first} says {first} where {sides.second} says {second}{more}"
