"""What two sentences both say, and what only one of them says, found by comparing their words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import dropwhile, pairwise

from postil.explain.clauses import (
    Tree,
    bracketed,
    clause_head,
    clause_with,
    condition_with,
    imperative_with,
    is_needy,
    subject_of,
)
from postil.explain.differences import Difference, quantities_in
from postil.explain.phrases import (
    article,
    base,
    carries_meaning,
    definite,
    excerpt,
    forms,
    forms_in,
    heads_of,
    is_finite,
    is_label,
    is_plural,
    is_punctuation,
    is_within,
    joined,
    kind_of,
    lemma,
    lemmas,
    listed,
    named,
    negation_cues,
    noun_phrase,
    quoted,
    shortened,
    spoken,
    tokens_of,
    trimmed,
    wants_article,
    without_shared_start,
    wordset,
)
from postil.explain.wording import Content, Verb
from postil.language.document import Document, Quantity, Token

# Without these dependents a sentence says less, but still something that it said before.
_LEFT_OUT = wordset("obl nmod amod compound advmod advcl conj acl appos nummod discourse")
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
_OPENINGS = (("the",), ("a",), ("an",), ("that",))


# Words with which a writer says that something may not be so.
_UNSURE = wordset(
    "may might could can would should maybe perhaps probably possibly likely unlikely possible think believe"
    " guess suppose seem appear suggest expect fear allege reportedly allegedly apparently claim plan vow"
)
# Nouns that tell nothing by themselves.
_VAGUE = wordset("one thing something anything everything nothing other way answer reason kind")
# The longest statement of a pupil that is repeated, in words.
_LONGEST = 14


@dataclass(frozen=True, slots=True)
class Sides:
    """Two sentences with their trees."""

    source: Tree
    target: Tree

    @classmethod
    def of(cls, source: Document, target: Document) -> Sides:
        """The trees of two documents."""
        return cls(Tree.of(source), Tree.of(target))

    @property
    def documents(self) -> tuple[Document, Document]:
        """The two documents, whose sentences begin with small letters."""
        return self.source.document, self.target.document

    def words(self, difference: Difference) -> tuple[tuple[Token, ...], tuple[Token, ...]]:
        """The words of both sides of a difference."""
        source, target = self.documents
        return tokens_of(source, difference.source), tokens_of(target, difference.target)

    def only(self, difference: Difference) -> tuple[tuple[Token, ...], Tree, Document]:
        """The words that only one sentence has, its tree, and the other sentence."""
        first, second = self.words(difference)
        if difference.kind == "extra":
            return first, self.source, self.target.document
        return second, self.target, self.source.document


def common_statement(
    tree: Tree, other: Document, differences: Sequence[Difference], *, of_source: bool
) -> Content | None:
    """What both sentences say or are about, in the words of the tree's sentence; None if nothing is left."""
    tokens = tree.document.tokens
    roots = [token for token in tokens if token.head == token.index and not is_punctuation(token)]
    if len(roots) != 1 or any(token.text == "?" for token in tokens):
        return None
    root = roots[0]
    kept = _kept(tree.document, other, differences, of_source=of_source)
    participle = _counted_people(tree, root, differences, of_source=of_source)
    left = _pruned(tree, root, kept | ({root.index} if participle else set()))
    if left is None or sum(map(carries_meaning, left)) < 2 + bool(participle):
        return None
    if participle:
        if any(token.pos == "VERB" and token is not participle for token in left):
            return None
        return _said(
            tree, left, Verb.SAY, {root.index: "people", participle.index: f"were {participle.text}"}
        )
    subject = subject_of(tree, root)
    if subject is None:
        names = root.pos in ("NOUN", "PROPN") and not tree.dependents(root, "cop", "case", "aux")
        return _said(tree, left, Verb.ABOUT) if names and not is_finite(left) else None
    if tree.marks(root) - {"because", "since", "cause"} or subject.tag in ("WP", "WDT"):
        return None
    helped = [token for token in left if token is root or token.head == root.index]
    return _said(tree, left, Verb.SAY) if is_finite(helped) else None


def common_names(
    document: Document, other: Document, differences: Sequence[Difference], *, of_source: bool
) -> str:
    """The things that both sentences name, as a list; empty where there are none.

    Things that the other sentence calls by other words are left out: it does not mention them.
    """
    known = {lemma(token) for token in other.tokens}
    chunks: list[list[int]] = []
    same = [
        difference.source if of_source else difference.target
        for difference in differences
        if difference.kind == "same"
    ]
    for numbers in sorted(same):
        goes_on = chunks and numbers[0] == chunks[-1][-1] + 1
        if goes_on and lemma(document.tokens[numbers[0] - 1]) == "of":
            chunks[-1] += numbers
        else:
            chunks.append(list(numbers))
    phrases: dict[tuple[str, ...], Sequence[Token]] = {}
    for chunk in chunks:
        phrase = _shared_part(tokens_of(document, chunk), document, known)
        ended = any(token.text.endswith(".") for token in phrase[:-1])
        if phrase and not ended and forms(phrase)[-1] not in _NO_THINGS:
            phrases.setdefault(lemmas(phrase), phrase)
    return listed(
        [
            _named(phrase)
            for words, phrase in phrases.items()
            if not any(words != others and is_within(words, others) for others in phrases)
        ][:_NAMES]
    )


def _shared_part(tokens: Sequence[Token], document: Document, known: set[str]) -> tuple[Token, ...]:
    """A noun phrase without the words that the other sentence does not have; empty where its noun is new."""
    phrase = noun_phrase(tokens)
    spare = bracketed(document) | negation_cues(document)
    if not all(lemma(token) in known for token in heads_of(phrase)) or any(
        token.index in spare or lemma(token) == "such" for token in phrase
    ):
        return ()
    new = [token for token in phrase if carries_meaning(token) and lemma(token) not in known]
    if not {lemma(token) for token in new} <= _DEGREES | _COMPARING and not all(map(is_label, new)):
        return ()  # Of the positive and the negative terminal, "the terminal" is not what both mention.
    return trimmed([token for token in phrase if token not in new])


def _named(phrase: Sequence[Token]) -> str:
    """The name of a thing, "the bulb" for "each bulb"."""
    every = any(lemma(token) in ("each", "every", "any", "another") for token in phrase)
    return definite(phrase) if every else named(phrase, gaps=False)


def _kept(
    document: Document, other: Document, differences: Sequence[Difference], *, of_source: bool
) -> set[int]:
    """The tokens of the words that both sentences have, function words included."""
    kept = {token.index for token in document.tokens if not carries_meaning(token)}
    for difference in differences:
        numbers, others = (
            (difference.source, difference.target) if of_source else (difference.target, difference.source)
        )
        if difference.kind == "same":
            kept.update(number - 1 for number in numbers)
        elif difference.kind in ("number", "more_specific", "more_general") and not any(
            quantity.unit for quantity in quantities_in(document, numbers)
        ):
            # But "5 cm" without its 5 says nothing.
            kept.update(_shared_noun(tokens_of(document, numbers), tokens_of(other, others)))
        elif (
            any(token.pos != "AUX" for token in tokens_of(document, numbers)) or difference.kind == "negated"
        ):
            # A loose "not" must not get lost, nor "is" be said where the other sentence has "is not".
            kept.difference_update(number - 1 for number in numbers)
    return kept


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
        difference.kind == "number"
        and (difference.source if of_source else difference.target) == (root.index + 1,)
        for difference in differences
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


def _said(tree: Tree, left: Sequence[Token], verb: Verb, changed: Mapping[int, str] = {}) -> Content:
    """The words that are left, as a phrase; articles are put where a headline has none."""
    headline = not any(token.pos == "DET" for token in tree.document.tokens)
    bare = _bare_nouns(tree, left) if headline else set()
    left = tuple(dropwhile(lambda token: lemma(token) in ("because", "since", "cause"), left))
    texts = {token.index: f"{article(token.text)} {token.text}" for token in left if token.index in bare}
    texts |= changed
    words = [replace(token, text=texts.get(token.index, token.text)) for token in left]
    return Content(verb, spoken(words, gaps=False), left)


def _bare_nouns(tree: Tree, left: Sequence[Token]) -> set[int]:
    """Where noun phrases begin that want an article and have none."""
    places = {token.index for token in left}
    starts: set[int] = set()
    for token in left:
        children = tree.children[token.index]
        before = [child for child in children if child.index in places and child.index < token.index]
        shortened = len(before) < len([child for child in children if child.index < token.index])
        phrase = [child for child in before if base(child) != "case"] + [token]
        has_name = any(base(child) in ("flat", "appos", "nummod") for child in children)
        part = base(token) in ("compound", "flat", "amod")
        if not has_name and not part and wants_article(phrase, events=shortened):
            starts.add(phrase[0].index)
    return starts


# What only one sentence says


def unsure(tokens: Sequence[Token]) -> bool:
    """Whether a word such as "may" or "probably" is among these."""
    return any(lemma(token) in _UNSURE for token in tokens)


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


def contrasted(difference: Difference, sides: Sides) -> tuple[tuple[Token, ...], tuple[Token, ...]]:
    """The words to set against each other in a difference, without a preposition that both sides share."""
    words, others = sides.words(difference)
    first, second = without_shared_start(words, others)
    things = noun_phrase(first) or first, noun_phrase(second) or second
    if forms(things[0]) != forms(things[1]):
        first, second = things
    return first or words, second or others


def contrast(difference: Difference, sides: Sides) -> tuple[str, str]:
    """The two sides of a difference as quotations."""
    first, second = contrasted(difference, sides)
    return quoted(first), quoted(second)


def is_new(difference: Difference, sides: Sides) -> bool:
    """Whether what only one sentence says is more than words that the other has too, in another order.

    What only the first says must tell something as well.
    """
    tokens, tree, other = sides.only(difference)
    if _is_said(tokens, other):
        return False
    if difference.kind == "missing":
        return True
    clause = _extra_clause(tree, tokens)
    describes = any(token.pos == "ADJ" for token in tokens) and not any(map(_is_speaker, clause))
    if not has_substance(tokens) and not (clause and describes):
        return False
    if clause and 2 * sum(map(carries_meaning, tokens)) >= sum(map(carries_meaning, clause)):
        return True
    phrase = noun_phrase(tokens)
    stated = not clause and kind_of(tokens) in ("sentence", "verb")
    return stated or (bool(phrase) and not _negates(phrase, tree.document))


def _extra_clause(tree: Tree, tokens: Sequence[Token]) -> tuple[Token, ...]:
    """The clause of words that only a pupil has, where it stands in one piece: noisy trees may mislead."""
    clause = clause_with(tree, tokens)
    whole = bool(clause) and all(after.index <= token.index + 1 for token, after in pairwise(clause))
    return clause if whole and len(clause) <= _LONGEST and clause[0].tag != "WRB" else ()


def left_over(difference: Difference, sides: Sides) -> Content:
    """What only one of two sentences says, put so that it is true and reads well."""
    tokens, tree, other = sides.only(difference)
    tokens = trimmed(tokens)
    known = {lemma(token) for token in other.tokens}
    phrase = noun_phrase(tokens)
    nouns = {lemma(token) for token in phrase if base(token) == "conj"} | set(map(lemma, heads_of(phrase)))
    if phrase and nouns.isdisjoint(known) and not _negates(phrase, tree.document):
        return Content(Verb.MENTION, named(phrase), phrase)
    condition = condition_with(tree, tokens)
    if condition:
        return _quotation(condition, is_condition=True)
    clause = _extra_clause(tree, tokens) if difference.kind == "extra" else clause_with(tree, tokens)
    if clause and kind_of(tokens) != "adverb" and not _is_said(clause, other) and _is_whole(clause):
        clause = trimmed(clause[lemma(clause[0]) == "that" :])
        return Content(Verb.SAY, spoken(clause, gaps=False), clause)
    return _quotation(imperative_with(tree, tokens) or tokens)


def _quotation(tokens: tuple[Token, ...], *, is_condition: bool = False) -> Content:
    return Content(Verb.HAVE, excerpt(tokens), shortened(trimmed(tokens)), is_condition)


def _is_whole(clause: Sequence[Token]) -> bool:
    """Whether a clause can stand after "that": not "B nor C is in a path", not "is, the less it swings"."""
    starts_late = clause[0].pos in ("AUX", "VERB") and clause[0].tag != "VBG"
    lemmas = set(map(lemma, clause))
    return not starts_late and ("nor" not in lemmas or "neither" in lemmas)


def together(differences: Sequence[Difference], sides: Sides) -> list[Difference]:
    """Things that only one sentence says, those put together that are most of one clause."""
    groups: defaultdict[int, list[Difference]] = defaultdict(list)
    for difference in differences:
        tokens, tree, _ = sides.only(difference)
        words = [token for token in tokens if carries_meaning(token)]
        groups[clause_head(tree, words[0]) if words else -1].append(difference)
    return [difference for group in groups.values() for difference in _joined(group, sides)]


def _joined(group: Sequence[Difference], sides: Sides) -> Sequence[Difference]:
    both = replace(
        group[0],
        source=tuple(sorted({number for difference in group for number in difference.source})),
        target=tuple(sorted({number for difference in group for number in difference.target})),
    )
    words, tree, _ = sides.only(both)
    clause = clause_with(tree, words) if len(group) > 1 else ()
    most = 2 * sum(map(carries_meaning, words)) >= sum(map(carries_meaning, clause))
    return [both] if clause and most else group


def _negates(tokens: Sequence[Token], document: Document) -> bool:
    return not negation_cues(document).isdisjoint(token.index for token in tokens)


def has_substance(tokens: Sequence[Token]) -> bool:
    """Whether words say something: they have a real noun, not just a label, and are not just "I think"."""
    if any(map(_is_speaker, tokens)) or not tokens:
        return False
    nouns = [token for token in tokens if token.pos == "NOUN" and lemma(token) not in _VAGUE]
    return bool(nouns) and tokens[0].tag not in ("WDT", "WP") and lemma(tokens[0]) not in ("that", "this")


def _is_speaker(token: Token) -> bool:
    return lemma(token) in ("i", "we", "you", "me", "my")


def _is_said(clause: Sequence[Token], other: Document) -> bool:
    """Whether the other sentence has all the words of a clause, so that it cannot be called unsaid."""
    known = forms_in(other)
    words = [token for token in clause if carries_meaning(token)]
    return bool(words) and all(lemma(token) in known or token.text.lower() in known for token in words)


def without_parts(contents: Iterable[Content]) -> tuple[Content, ...]:
    """Contents without those whose words stand in another one, so that nothing is said twice."""
    distinct = {(content.verb, forms(content.tokens)): content for content in contents}
    words = {key: key[1][key[1][:1] in _OPENINGS :] for key in distinct}
    longer = [key for key in distinct if key[0] is not Verb.MENTION]
    return tuple(
        content
        for key, content in distinct.items()
        if not any(is_within(words[key], words[other]) for other in longer if other != key)
    )
