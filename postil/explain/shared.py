"""What two sentences both say: the statement that is left when all in which they differ is taken away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from postil.explain.clauses import Tree, bracketed, is_needy, subject_of
from postil.explain.differences import Difference
from postil.explain.links import quantities_in
from postil.explain.phrases import (
    base,
    carries_meaning,
    definite,
    heads_of,
    is_finite,
    is_label,
    is_plural,
    is_punctuation,
    lemma,
    listed,
    named,
    noun_phrase,
    spoken,
    tokens_of,
    wants_article,
    wordset,
)
from postil.language.document import Document, Token

# Without these dependents a sentence says less, but still something that it said before.
_LEFT_OUT = frozenset(
    ("obl", "nmod", "amod", "compound", "advmod", "advcl", "conj", "acl", "appos", "nummod", "discourse")
)
# What holds of all or of none of some things need not hold when the words about them are taken away.
_BOUND = wordset(
    "all every each any only most no none never few if unless until when hardly almost rarely seldom maybe"
    " perhaps probably likely possibly without except whether"
)
# Of "the same path" and "a closed path", "the path" is not what both say.
_COMPARING = wordset("same different other own another such")
# In headlines, a bare number of those who suffered this is a number of people.
_SUFFERED = wordset("kill injure wound hurt arrest detain charge sentence rescue trap drown")
_DEGREES = wordset("more less most least many much little few very")
_NO_THINGS = wordset("time way thing one kind lot bit reason answer")  # as in "at a time"
_NAMES = 3


@dataclass(frozen=True, slots=True)
class Statement:
    """What both say: a clause for "say that …", or the name of something for "are about …"."""

    words: str
    is_clause: bool


def common_statement(
    tree: Tree, other: Document, differences: Sequence[Difference], *, of_source: bool
) -> Statement | None:
    """The statement that both sentences make, in the words of the tree's; None where none is left to make."""
    tokens = tree.document.tokens
    roots = [token for token in tokens if token.head == token.index and not is_punctuation(token)]
    if len(roots) != 1 or any(token.text == "?" for token in tokens):
        return None
    root = roots[0]
    kept = _kept(tree.document, other, differences, of_source=of_source)
    counted = _counted_people(tree, root, differences, of_source=of_source)
    left = _pruned(tree, root, kept | ({root.index} if counted else set()))
    if left is None or sum(map(carries_meaning, left)) < 2 + bool(counted):
        return None
    if counted:
        if any(token.pos == "VERB" and token is not counted for token in left):
            return None
        return Statement(
            _said(tree, left, {root.index: "people", counted.index: f"were {counted.text}"}), True
        )
    subject = subject_of(tree, root)
    if subject is None:
        names = root.pos in ("NOUN", "PROPN") and not tree.dependents(root, "cop", "case", "aux")
        return Statement(_said(tree, left, {}), False) if names and not is_finite(left) else None
    if tree.marks(root) - {"because", "since", "cause"} or subject.tag in ("WP", "WDT"):
        return None
    helped = [token for token in left if token is root or token.head == root.index]
    return Statement(_said(tree, left, {}), True) if is_finite(helped) else None


def common_names(
    document: Document, other: Document, differences: Sequence[Difference], *, of_source: bool
) -> str:
    """The things that both sentences name, as a list; empty where there are none.

    Things that the other sentence calls by other words are left out: it does not mention them.
    """
    known = {lemma(token) for token in other.tokens}
    chunks: list[list[int]] = []
    same = [one.source if of_source else one.target for one in differences if one.kind == "same"]
    for numbers in sorted(same):
        goes_on = chunks and numbers[0] == chunks[-1][-1] + 1
        if goes_on and lemma(document.tokens[numbers[0] - 1]) == "of":
            chunks[-1] += numbers
        else:
            chunks.append(list(numbers))
    phrases = (_shared_part(tokens_of(document, numbers), document, known) for numbers in chunks)
    names = [name for phrase in phrases if phrase and ". " not in (name := _named(phrase))]
    names = [name for name in names if name.split()[-1] not in _NO_THINGS]
    names = [
        name for name in dict.fromkeys(names) if not any(name != other and name in other for other in names)
    ]
    return listed(names[:_NAMES])


def _shared_part(tokens: Sequence[Token], document: Document, known: set[str]) -> tuple[Token, ...]:
    """A noun phrase without the words that the other sentence does not have; empty where its noun is new."""
    phrase = noun_phrase(tokens)
    negating = {cue for negation in document.negations for cue in negation.cue}
    spare = bracketed(document) | negating
    if not all(lemma(token) in known for token in heads_of(phrase)) or any(
        token.index in spare or lemma(token) == "such" for token in phrase
    ):
        return ()
    new = [token for token in phrase if carries_meaning(token) and lemma(token) not in known]
    if not {lemma(token) for token in new} <= _DEGREES | _COMPARING and not all(map(is_label, new)):
        return ()  # Of the positive and the negative terminal, "the terminal" is not what both mention.
    return tuple(token for token in phrase if token not in new)


def _named(phrase: Sequence[Token]) -> str:
    """The name of a thing, "the bulb" for "each bulb"."""
    every = any(lemma(token) in ("each", "every", "any", "another") for token in phrase)
    return definite(phrase) if every else named(phrase).replace(" …", "")


def _kept(
    document: Document, other: Document, differences: Sequence[Difference], *, of_source: bool
) -> set[int]:
    """The tokens of the words that both sentences have, function words included."""
    kept = {token.index for token in document.tokens if not carries_meaning(token)}
    for one in differences:
        numbers, others = (one.source, one.target) if of_source else (one.target, one.source)
        if one.kind == "same":
            kept.update(number - 1 for number in numbers)
        elif one.kind in ("number", "more_specific", "more_general") and not _measures(document, numbers):
            kept.update(_shared_noun(tokens_of(document, numbers), tokens_of(other, others)))
        elif any(token.pos != "AUX" for token in tokens_of(document, numbers)) or one.kind == "negated":
            # A loose "not" must not get lost, nor "is" be said where the other sentence has "is not".
            kept.difference_update(number - 1 for number in numbers)
    return kept


def _measures(document: Document, numbers: Sequence[int]) -> bool:
    """Whether a quantity with a unit is among these words: "5 cm" without its 5 says nothing."""
    return any(quantity.unit for quantity in quantities_in(document, numbers))


def _shared_noun(tokens: Sequence[Token], others: Sequence[Token]) -> set[int]:
    """The words that phrases about the same noun share: "accident" of "bus accident" and "road accident"."""
    heads, lemmas = heads_of(tokens), {lemma(token) for token in others}
    if len(heads) != 1 or heads[0].pos not in ("NOUN", "PROPN") or lemma(heads[0]) not in lemmas:
        return set()
    kept = {token.index for token in tokens if lemma(token) in lemmas}
    dropped = {lemma(token) for token in tokens if token.index not in kept}
    return set() if dropped & _COMPARING else kept


def _counted_people(
    tree: Tree, root: Token, differences: Sequence[Difference], *, of_source: bool
) -> Token | None:
    """The participle in a headline such as "12 killed in …" whose number differs."""
    differs = any(
        one.kind == "number" and (one.source if of_source else one.target) == (root.index + 1,)
        for one in differences
    )
    suffered = [token for token in tree.dependents(root, "acl") if lemma(token) in _SUFFERED]
    return suffered[0] if differs and root.pos == "NUM" and suffered else None


def _pruned(tree: Tree, root: Token, kept: set[int]) -> list[Token] | None:
    """The words of a sentence without what is not kept; None where what is left would not follow from it."""
    left: list[Token] = []
    dropped: list[Token] = []
    todo = [root]
    while todo:
        token = todo.pop()
        if token.index in kept:
            left.append(token)
            todo += tree.children[token.index]
        elif token is root or _holds_up(token, tree.head(token)):
            return None
        else:
            dropped += tree.below(token)
    if dropped:
        negated = any(negation.kind == "word" for negation in tree.document.negations)
        if negated or not _BOUND.isdisjoint(lemma(token) for token in (*left, *dropped)):
            return None
        left = [token for token in left if not is_punctuation(token) or token.text == "%"]
    return sorted(left, key=lambda token: token.index)


def _holds_up(token: Token, head: Token) -> bool:
    """Whether a sentence falls apart without a word."""
    if base(token) not in _LEFT_OUT or token.relation == "obl:unmarked":
        return True
    if base(token) == "nummod":
        return not is_plural((), head)
    return base(token) == "obl" and is_needy(head)


def _said(tree: Tree, left: Sequence[Token], changed: dict[int, str]) -> str:
    """The words that are left, as a phrase; articles are put where a headline has none."""
    headline = not any(token.pos == "DET" for token in tree.document.tokens)
    bare = _bare_nouns(tree, left) if headline else set()
    words = [
        replace(token, text=("a " if token.index in bare else "") + changed.get(token.index, token.text))
        for token in left
    ]
    while words and lemma(words[0]) in ("because", "since", "cause"):
        del words[0]
    return spoken(words, gaps=False)


def _bare_nouns(tree: Tree, left: Sequence[Token]) -> set[int]:
    """Where noun phrases begin that want an article and have none."""
    places = {token.index for token in left}
    found: set[int] = set()
    for token in left:
        children = tree.children[token.index]
        kept = [child for child in children if child.index in places and child.index < token.index]
        shortened = len(kept) < len([child for child in children if child.index < token.index])
        phrase = [child for child in kept if base(child) != "case"] + [token]
        has_name = any(base(child) in ("flat", "appos", "nummod") for child in children)
        part = base(token) in ("compound", "flat", "amod")
        if not has_name and not part and wants_article(phrase, events=shortened):
            found.add(phrase[0].index)
    return found
