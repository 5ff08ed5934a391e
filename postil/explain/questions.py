"""Indirect questions for what an answer has not said yet: "what happens to the salt", "where the bulb is".

They are asked about the tree of the reference and use only words that the pupil knows already.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from postil.explain.capitals import is_label
from postil.explain.clauses import Tree, is_predicate, predicate_over, subject_of
from postil.explain.phrases import (
    base,
    carries_meaning,
    heads_of,
    is_finite,
    is_plural,
    lemma,
    spoken,
    trimmed,
    wordset,
)
from postil.explain.things import definite, is_kind
from postil.language.document import Token

_PLACES = wordset("in on at inside within near under behind outside above below beside between around")
_CAUSES = wordset("because due since")
_STRANDED = wordset("to from with through by for into of about against onto in on")
_PARTICLES = wordset("out off on up down away over back")
# Verbs that tell how something is: nothing happens to it, and it does nothing.
_STATES = wordset(
    "have need mean contain include know show indicate weigh equal want like think believe see consist belong"
    " depend exist require be able help allow cause let"
)
_CONDITIONS = wordset("if when whenever unless until once while")


def question_for(tree: Tree, missing: Iterable[Token], known: Collection[str]) -> str:
    """An indirect question that the missing words of a reference answer; empty where none can be asked."""
    tokens = trimmed(tuple(missing))
    tops = [token for token in heads_of(tokens) if carries_meaning(token)]
    if not tops:
        return ""
    return next((asked for token in tops if (asked := _question(tree, token, known))), "")


def anchor_for(tree: Tree, missing: Iterable[Token], known: Collection[str]) -> str:
    """The nearest thing above the missing words that the pupil has named: "the bulb"; empty where none is."""
    for top in heads_of(trimmed(tuple(missing))):
        predicate = predicate_over(tree, top)
        subject = subject_of(tree, predicate) if predicate is not None else None
        for token in (tree.head(top), subject):
            if token is not None and token.pos in ("NOUN", "PROPN") and not _is_amount(tree, token):
                phrase = _known_words(tree, token, known)
                if phrase:
                    return definite(phrase)
    return ""


def _is_amount(tree: Tree, noun: Token) -> bool:
    """Whether a noun is a unit behind its number: "30 grams"."""
    return any(token.index < noun.index for token in tree.dependents(noun, "nummod"))


def _question(tree: Tree, top: Token, known: Collection[str]) -> str:
    relation = base(top)
    if relation == "advcl" or (relation == "root" and _CAUSES & tree.marks(top)):
        return _for_clause(tree, top, known)
    if relation == "conj":
        return _for_another(tree, top, known)
    predicate = predicate_over(tree, top)
    if predicate is top:
        return _for_predicate(tree, top, known)
    if predicate is None or relation not in ("nsubj", "obj", "obl", "nmod", "nummod"):
        return ""
    if relation == "nummod":
        noun = tree.head(top)
        return f"how many {noun.text.lower()}" if is_plural((), noun) and _knows(noun, known) else ""
    if relation == "nmod":
        return ""
    verbs = _verb_group(tree, predicate)
    if not _can_ask(tree, verbs) or not all(_knows(token, known) for token in verbs):
        return ""
    if relation == "nsubj":
        many = any(token.tag == "VBP" for token in verbs)
        if many or lemma(predicate) in _STATES or tree.dependents(predicate, "obj", "xcomp", "ccomp"):
            return ""  # "what makes" is half a question, and "what are" wants to know how many
        group = spoken(verbs, gaps=False)
        return f"{'who' if is_kind(top, 'person.n.01') else 'what'} {group}"
    return _for_complement(tree, top, predicate, known)


def _for_another(tree: Tree, top: Token, known: Collection[str]) -> str:
    """What to ask for a thing that is joined by "and" to one that was named: "what else the plant uses"."""
    first = tree.head(top)
    if is_predicate(tree, top):
        happens = top.pos == "VERB" and lemma(top) not in _STATES and not _is_denied(tree, top)
        return _for_predicate(tree, top, known) or ("what else happens" if happens else "")
    asked = _question(tree, first, known) if base(first) in ("obj", "obl", "nsubj") else ""
    return f"what else {asked.removeprefix('what ')}" if asked.startswith("what ") else ""


def _for_clause(tree: Tree, clause: Token, known: Collection[str]) -> str:
    """What to ask for a clause: why, when, what for."""
    marks = tree.marks(clause)
    above = tree.head(clause)
    said = "" if above is clause else _clause(tree, above, known)
    if marks & _CAUSES:
        return f"why {said}" if said else "why"
    if marks & _CONDITIONS:
        return f"when {said}" if said else "when this is so"
    return f"what {said} for" if "to" in marks and said and tree.dependents(above, "obj") else ""


def _for_predicate(tree: Tree, predicate: Token, known: Collection[str]) -> str:
    """What to ask for a predicate whose subject is known: what it does, what happens to it, what it is."""
    subject = subject_of(tree, predicate)
    if subject is None or subject.pos not in ("NOUN", "PROPN") or predicate.pos == "AUX":
        return ""
    if lemma(predicate) in _STATES or _is_denied(tree, predicate) or tree.dependents(subject, "nummod"):
        return ""
    phrase = _known_phrase(tree, subject, known)
    if not phrase:
        return ""
    plural = is_plural(tuple(tree.below(subject)), subject)
    if tree.dependents(predicate, "cop"):
        verb = "are" if plural else "is"
        cases = [lemma(token) for token in tree.dependents(predicate, "case")]
        if cases:
            asked = _whereabouts(predicate, cases, f"{phrase} {verb}")
            return "" if asked.startswith("what ") else asked  # "what the Sun is in" is no question
        like = " like" if predicate.pos == "ADJ" else ""
        return f"what {phrase} {verb}{like}"
    acts = tree.dependents(predicate, "obj") or _is_somebody(subject)
    if acts and subject.relation != "nsubj:pass":
        return f"what {phrase} {'do' if plural else 'does'}"
    return f"what happens to {phrase}"


def _is_somebody(subject: Token) -> bool:
    """Whether a subject is a person."""
    return (subject.pos == "PROPN" and not is_label(subject)) or is_kind(subject, "person.n.01")


def _is_denied(tree: Tree, predicate: Token) -> bool:
    """Whether a predicate has a "not", so that asking for what happens would mislead."""
    negating = {cue for negation in tree.document.negations for cue in negation.cue}
    return any(token.index in negating for token in tree.children[predicate.index])


def _can_ask(tree: Tree, verbs: Sequence[Token]) -> bool:
    """Whether a question can be built on some verbs: they have a tense, a meaning and no "not"."""
    negating = {cue for negation in tree.document.negations for cue in negation.cue}
    says = any(map(carries_meaning, verbs)) and not any(token.index in negating for token in verbs)
    return says and is_finite(verbs)


def _for_complement(tree: Tree, top: Token, predicate: Token, known: Collection[str]) -> str:
    """What to ask for an object or an adjunct of a predicate that is known, as its subject is."""
    before = _clause(tree, predicate, known, without=top)
    if not before:
        return ""
    if base(top) == "obj":
        return f"what {before}"
    cases = [lemma(token) for token in tree.dependents(top, "case")]
    return _whereabouts(top, cases, before)


def _whereabouts(noun: Token, cases: Sequence[str], before: str) -> str:
    """What to ask for a noun with a preposition: where, when, why, or what, the preposition at the end."""
    if len(cases) != 1:
        return f"why {before}" if _CAUSES & set(cases) else ""
    if is_kind(noun, "time_period.n.01"):
        return f"when {before}"
    if cases[0] in _PLACES and is_kind(noun, "physical_entity.n.01", "location.n.01"):
        return f"where {before}"
    return f"what {before} {cases[0]}" if cases[0] in _STRANDED else ""


def _clause(tree: Tree, predicate: Token, known: Collection[str], without: Token | None = None) -> str:
    """Subject, verb and object of a predicate, where the pupil knows all of their words."""
    subject = subject_of(tree, predicate)
    group = _verb_group(tree, predicate)
    knows = is_finite(group) and all(_knows(token, known) for token in group)
    if subject is None or subject.tag in ("WDT", "WP") or not knows:
        return ""
    objects = [token for token in tree.dependents(predicate, "obj") if token is not without]
    phrases = [_known_phrase(tree, token, known) for token in (subject, *objects)]
    if not all(phrases):
        return ""
    start = "there" if tree.dependents(predicate, "expl") else phrases[0]
    after = phrases[0:1] if start == "there" else phrases[1:]
    return " ".join((start, spoken(group, gaps=False), *after))


def _verb_group(tree: Tree, predicate: Token) -> list[Token]:
    """A predicate with its helpers, negation and particle, and what belongs to it when it is a noun."""
    negating = {cue for negation in tree.document.negations for cue in negation.cue}
    group = {predicate, *tree.dependents(predicate, "aux", "cop", "compound")}
    group.update(
        token
        for token in tree.children[predicate.index]
        if token.index in negating or (token.index == predicate.index + 1 and lemma(token) in _PARTICLES)
    )
    if predicate.pos not in ("VERB", "AUX"):
        for token in tree.dependents(predicate, "case", "det", "amod", "nmod"):
            group.update(tree.below(token))
    return sorted(group, key=lambda token: token.index)


def _known_phrase(tree: Tree, head: Token, known: Collection[str]) -> str:
    """A noun phrase in words that the pupil knows, as text; none for "more blocks", which names no thing."""
    words = _known_words(tree, head, known)
    return "" if any(token.tag in ("JJR", "JJS", "RBR") for token in words) else definite(words)


def _known_words(tree: Tree, head: Token, known: Collection[str]) -> list[Token]:
    """A noun phrase in words that the pupil knows, without modifiers that are new; empty where it is new."""
    if not _knows(head, known) or any(lemma(token) in ("neither", "nor") for token in tree.below(head)):
        return []
    kept: list[Token] = [head]
    for child in tree.children[head.index]:
        words = list(tree.below(child))
        if base(child) in ("conj", "flat") and not all(_knows(token, known) for token in words):
            return []
        relations = ("amod", "compound", "conj", "det", "flat", "nummod")
        if (base(child) in relations or child.relation == "nmod:poss") and all(
            _knows(token, known) for token in words
        ):
            kept += words
    return sorted(kept, key=lambda token: token.index)


def _knows(token: Token, known: Collection[str]) -> bool:
    return not carries_meaning(token) or lemma(token) in known
