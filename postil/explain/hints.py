"""What to tell a pupil about an answer: what is right, what to look at again, what is not said yet.

Nothing here gives the reference away: a hint is made of the pupil's own words, and of the question's.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise

from postil.explain.clauses import Tree, clause_with, is_predicate, predicate_over, subject_of
from postil.explain.differences import Difference, is_adverb, words_matter
from postil.explain.links import are_related, quantities_in
from postil.explain.phrases import (
    base,
    carries_meaning,
    definite,
    heads_of,
    is_finite,
    is_kind,
    is_label,
    is_plural,
    kind_of,
    lemma,
    listed,
    named,
    noun_phrase,
    quoted,
    spoken,
    tokens_of,
    trimmed,
    wordset,
)
from postil.explain.shared import common_statement
from postil.explain.wording import Sides, counted, figure, has_substance, is_new, unsure
from postil.language.document import Document, Token

# Indirect questions for what an answer has not said yet: "what happens to the salt", "where the bulb is".
#
# They are asked about the tree of the reference and use only words that the pupil knows already.

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


_ORDER = (
    "negated",
    "opposite",
    "number",
    "opinion",
    "certainty",
    "missing",
    "more_general",
    "related",
    "similar",
    "extra",
)
# These are no faults by themselves; what is added is spoken of when nothing else is.
_MINOR = ("more_specific", "extra")
_HINTS = 2
_MORE = "Say more about"
# From this score on, two chunks that are not the same are near each other.
_CLOSE = 3
# The longest statement that is repeated to a pupil, in words.
_REPEATED = 14
_ALL = "Your answer says all that it should."
_NOTHING = "Your answer does not say yet what it should. Read the question again."
_UNNAMED = "Something is still missing: read the question again."
_NEARLY = "Your answer says nearly all that it should."
_ARTICLES, _VERBS = frozenset(("the", "a", "an")), frozenset(("is", "are", "was", "were", "has", "have"))
_WORDINGS = {
    "more_general": "Be more exact about {0}.",
    "related": "Think again about {0}.",
    "similar": "Look again at {0}: {1} close, but not quite right.",
    "unlike": "Look again at {0}.",
}


def hints_for(
    differences: Sequence[Difference], source: Document, target: Document, question: Document | None = None
) -> str:
    """One to three sentences for the pupil who wrote the source, about what the target says."""
    sides = Sides(Tree.of(source), Tree.of(target), "", "")
    telling = [
        one
        for one in differences
        if one.kind != "same"
        and words_matter(one, source, target)
        and (one.kind != "missing" or is_new(one, sides))
    ]
    if not telling:
        return _ALL
    if all(one.kind in ("missing", "extra") for one in differences):
        return _NOTHING
    serious = [one for one in telling if one.kind not in _MINOR and not is_adverb(one, source, target)]
    minor = [one for one in telling if one.kind in _MINOR and not is_adverb(one, source, target)]
    found = hint_list(serious or minor, source, target, question)
    if not found:
        found = [_UNNAMED if serious else _NEARLY]
    if not serious and not any(one.kind == "missing" for one in telling):
        return " ".join((_ALL, *(hint for hint in found if hint != _NEARLY)))
    # Who is asked whether something is so is not told to be right about a part of it.
    doubted = any(one.kind in ("negated", "opposite") for one in serious)
    praised = () if doubted else tuple(praise(sides.source, target, differences))
    return " ".join((*praised, *found))


def hint_list(
    differences: Sequence[Difference], source: Document, target: Document, question: Document | None
) -> list[str]:
    """The first few hints that the differences give, the most serious first."""
    answer, reference = Tree.of(source), Tree.of(target)
    known = {lemma(token) for text in (source, question) if text is not None for token in text.tokens}
    found: list[str] = []
    for kind in _ORDER:
        found += _hints(kind, [one for one in differences if one.kind == kind], answer, reference, known)
    return _apart(list(dict.fromkeys(filter(None, found))))[:_HINTS]


def _apart(hints: Sequence[str]) -> list[str]:
    """Hints without those that say less than another one, such as "say more about the ring"."""
    kept: list[str] = []
    for hint in sorted(hints, key=lambda hint: hint.startswith(_MORE)):
        last = hint.rstrip(".?").split()[-1].strip("“”")
        if hint.startswith(_MORE) and any(last in other.split() or f"{last}." in other for other in kept):
            continue
        if _gist(hint) not in map(_gist, kept):
            kept.append(hint)
    return sorted(kept, key=hints.index)


def _gist(hint: str) -> tuple[str, ...]:
    """A hint without articles and endings: "what the girls do" asks no more than "what the girl does"."""
    words = (word.strip(".?“”") for word in hint.split())
    return tuple({"does": "do"}.get(word, word.rstrip("s")) for word in words if word != "the")


def praise(answer: Tree, target: Document, differences: Sequence[Difference]) -> Iterator[str]:
    """What the pupil is right about, where that can be said in a clause."""
    alike = [one for one in differences if one.kind in ("same", "missing", "extra")]
    statement = common_statement(answer, target, alike, of_source=True)
    if statement and statement.is_clause and _is_sound(statement.words, answer.document, target):
        yield f"You are right that {statement.words.removeprefix('that ')}."


def _is_sound(statement: str, answer: Document, target: Document) -> bool:
    """Whether a pupil's statement can be repeated as right: it reads well, in the reference's words."""
    words = statement.lower().split()
    slips = any(one in _ARTICLES and other in _VERBS for one, other in pairwise(words))  # "the are in a path"
    known = {form for token in target.tokens for form in (lemma(token), token.text.lower())}
    own = [one for one in answer.tokens if carries_meaning(one) and one.text.lower() in words]
    return "because" not in words and not slips and all(lemma(token) in known for token in own)


def _hints(
    kind: str, alike: Sequence[Difference], answer: Tree, reference: Tree, known: set[str]
) -> Iterator[str]:
    """The hints for the differences of one kind; those about mere wording share a sentence."""
    if kind in _WORDINGS and alike:
        phrases = [tokens_of(answer.document, one.source) for one in alike[:_HINTS]]
        names = [quoted(noun_phrase(words) or words) for words in phrases]
        if kind == "more_general" and len(phrases) == 1 and all(token.pos == "PRON" for token in phrases[0]):
            yield f"Say what you mean by {names[0]}."
            return
        if kind == "more_general":
            names = [
                definite(things)
                if (things := noun_phrase(words)) and not any(token.pos == "CCONJ" for token in things)
                else quoted(things or words)
                for words in phrases
            ]
        names = list(dict.fromkeys(names))
        if kind == "similar" and not all(_is_close(one, answer, reference) for one in alike[:_HINTS]):
            kind = "unlike"
        yield _WORDINGS[kind].format(listed(names), "they are" if len(names) > 1 else "it is")
        return
    if kind in ("opposite", "negated") and len(alike) > 1:
        # Two wrong words of one statement are doubted together.
        together = [token for one in alike for token in tokens_of(answer.document, one.source)]
        if clause_with(answer, together):
            yield _doubted(together, answer)
            return
    for one in alike:
        words, others = tokens_of(answer.document, one.source), tokens_of(reference.document, one.target)
        if kind == "missing":
            yield _missing(others, reference, known)
        elif kind in ("opposite", "negated"):
            yield _doubted(words, answer)
        elif kind == "number":
            yield _number(words, answer)
        elif kind == "certainty":
            yield _certainty(words, others)
        elif kind == "opinion":
            yield f"Look again at {quoted(words)}: is that the right way to judge it?"
        elif kind == "extra":
            things = noun_phrase(words)
            said = f"mention {named(things)}" if things else f"say {quoted(words)}"
            if has_substance(words) and (things or kind_of(words) in ("sentence", "clause")):
                yield f"You also {said}: does that belong here?"
                return


def _is_close(one: Difference, answer: Tree, reference: Tree) -> bool:
    """Whether a pupil's name for a thing is near the right one."""
    words, others = tokens_of(answer.document, one.source), tokens_of(reference.document, one.target)
    near = one.score is None or one.score >= _CLOSE
    return near and bool(noun_phrase(words)) and are_related(words, others)


def _number(words: Sequence[Token], answer: Tree) -> str:
    number = counted(answer, words)
    if not number:
        (quantity,) = quantities_in(answer.document, [token.index + 1 for token in words])
        kind = "figure" if quantity.unit else "number"
        more = sum(map(carries_meaning, words)) > quantity.end - quantity.start
        where = f"in {quoted(noun_phrase(words) or words)}"
        number = f"the {kind} {where if more else figure(answer.document, quantity)}"
    return f"Look again at {number}."


def _missing(words: Sequence[Token], reference: Tree, known: set[str]) -> str:
    asked = question_for(reference, words, known)
    if asked:
        return f"You have not yet said {asked}."
    anchor = anchor_for(reference, words, known)
    return f"Say more about {anchor}." if anchor else ""


def _doubted(words: Sequence[Token], answer: Tree) -> str:
    """The pupil's own statement, and a question whether it is so."""
    clause = clause_with(answer, words)
    if not clause or len(clause) > _REPEATED:
        return f"You say {quoted(words)}: is that right?"
    return f"You say that {spoken(clause, gaps=False)}: {_tag(clause, answer)}?"


def _tag(clause: Sequence[Token], answer: Tree) -> str:
    """The short question that fits a clause: "is it" after "the bulb is on", else "is that so"."""
    helpers = [token for token in clause if token.pos == "AUX" or token.tag == "MD"]
    negating = {cue for negation in answer.document.negations for cue in negation.cue}
    if len(helpers) != 1 or any(token.index in negating for token in clause):
        return "is that so"
    subject = subject_of(answer, answer.head(helpers[0]))
    if (
        subject is None
        or subject.pos not in ("NOUN", "PROPN")
        or lemma(helpers[0]) not in ("be", "can", "will")
    ):
        return "is that so"
    they = is_plural(tuple(answer.below(subject)), subject)
    return f"{helpers[0].text.lower()} {'they' if they else 'it'}"


def _certainty(words: Sequence[Token], others: Sequence[Token]) -> str:
    if unsure(words) and not unsure(others):
        return f"You say {quoted(words)}: can you be more certain?"
    return f"You say {quoted(words)}: how certain is that?"
