"""What to tell a pupil about an answer: what is right, what to look at again, what is not said yet.

Nothing here gives the reference away: a hint is made of the pupil's own words, and of the question's.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from postil.explain.clauses import Tree, clause_with, is_predicate, predicate_over, subject_of
from postil.explain.differences import (
    CONTRADICTIONS,
    Difference,
    are_related,
    is_adverb,
    quantities_in,
    words_matter,
)
from postil.explain.findings import Sides, common_statement, counted, figure, has_substance, is_new, unsure
from postil.explain.phrases import (
    base,
    carries_meaning,
    definite,
    forms_in,
    heads_of,
    is_finite,
    is_kind,
    is_label,
    is_plural,
    kind_of,
    lemma,
    listed,
    named,
    negation_cues,
    noun_phrase,
    quoted,
    spoken,
    tokens_of,
    trimmed,
    wordset,
)
from postil.explain.wording import Kind, Statement, Verb
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


@dataclass(frozen=True, slots=True)
class Question:
    """An indirect question: its first word, and what follows; one that is not clear leads a pupil nowhere."""

    word: str
    rest: str = ""
    is_clear: bool = True

    def __str__(self) -> str:
        return f"{self.word} {self.rest}".rstrip()


def question_for(tree: Tree, missing: Iterable[Token], known: Collection[str]) -> Question | None:
    """An indirect question that the missing words of a reference answer, if one can be asked."""
    tops = [token for token in heads_of(trimmed(tuple(missing))) if carries_meaning(token)]
    return next((question for token in tops if (question := _question(tree, token, known))), None)


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


def _question(tree: Tree, top: Token, known: Collection[str]) -> Question | None:
    relation = base(top)
    if relation == "advcl" or (relation == "root" and _CAUSES & tree.marks(top)):
        return _for_clause(tree, top, known)
    if relation == "conj":
        return _for_another(tree, top, known)
    predicate = predicate_over(tree, top)
    if predicate is top:
        return _for_predicate(tree, top, known)
    if predicate is None or relation not in ("nsubj", "obj", "obl", "nummod"):
        return None
    if relation == "nummod":
        noun = tree.head(top)
        plural = is_plural((), noun) and _knows(noun, known)
        return Question("how many", noun.text.lower()) if plural else None
    verbs = _verb_group(tree, predicate)
    if not _can_ask(tree, verbs) or not all(_knows(token, known) for token in verbs):
        return None
    if relation == "nsubj":
        many = any(token.tag == "VBP" for token in verbs)
        if many or lemma(predicate) in _STATES or tree.dependents(predicate, "obj", "xcomp", "ccomp"):
            return None  # "what makes" is half a question, and "what are" wants to know how many
        person = is_kind(top, "person.n.01")
        return Question("who" if person else "what", spoken(verbs, gaps=False), person or not _is_be(verbs))
    return _for_complement(tree, top, predicate, known)


def _is_be(verbs: Sequence[Token]) -> bool:
    """Whether a question would end in a form of "be"."""
    return verbs[-1].text.lower() in ("is", "are", "was", "were", "be")


def _for_another(tree: Tree, top: Token, known: Collection[str]) -> Question | None:
    """What to ask for a thing that is joined by "and" to one that was named: "what else the plant uses"."""
    first = tree.head(top)
    if is_predicate(tree, top):
        happens = top.pos == "VERB" and lemma(top) not in _STATES and not _is_denied(tree, top)
        return _for_predicate(tree, top, known) or (Question("what else", "happens") if happens else None)
    question = _question(tree, first, known) if base(first) in ("obj", "obl", "nsubj") else None
    return replace(question, word="what else") if question and question.word == "what" else None


def _for_clause(tree: Tree, clause: Token, known: Collection[str]) -> Question | None:
    """What to ask for a clause: why, when, what for."""
    marks = tree.marks(clause)
    above = tree.head(clause)
    said = "" if above is clause else _clause(tree, above, known)
    if marks & _CAUSES:
        return Question("why", said)
    if marks & _CONDITIONS:
        return Question("when", said) if said else Question("when", "this is true", is_clear=False)
    purpose = "to" in marks and said and tree.dependents(above, "obj")
    return Question("what", f"{said} for") if purpose else None


def _for_predicate(tree: Tree, predicate: Token, known: Collection[str]) -> Question | None:
    """What to ask for a predicate whose subject is known: what it does, what happens to it, what it is."""
    subject = subject_of(tree, predicate)
    if subject is None or subject.pos not in ("NOUN", "PROPN") or predicate.pos == "AUX":
        return None
    if lemma(predicate) in _STATES or _is_denied(tree, predicate) or tree.dependents(subject, "nummod"):
        return None
    phrase = _known_phrase(tree, subject, known)
    if not phrase:
        return None
    plural = is_plural(tuple(tree.below(subject)), subject)
    if tree.dependents(predicate, "cop"):
        verb = "are" if plural else "is"
        cases = [lemma(token) for token in tree.dependents(predicate, "case")]
        if cases:
            question = _whereabouts(predicate, cases, f"{phrase} {verb}")
            # "What the Sun is in" is no question.
            return question if question and question.word != "what" else None
        if predicate.pos == "ADJ":
            return Question("what", f"{phrase} {verb} like")
        return Question("what", f"{phrase} {verb}", is_clear=False)
    acts = tree.dependents(predicate, "obj") or _is_somebody(subject)
    if acts and subject.relation != "nsubj:pass":
        return Question("what", f"{phrase} {'do' if plural else 'does'}")
    return Question("what", f"happens to {phrase}")


def _is_somebody(subject: Token) -> bool:
    """Whether a subject is a person."""
    return (subject.pos == "PROPN" and not is_label(subject)) or is_kind(subject, "person.n.01")


def _is_denied(tree: Tree, predicate: Token) -> bool:
    """Whether a predicate has a "not", so that asking for what happens would mislead."""
    cues = negation_cues(tree.document)
    return any(token.index in cues for token in tree.children[predicate.index])


def _can_ask(tree: Tree, verbs: Sequence[Token]) -> bool:
    """Whether a question can be built on some verbs: they have a tense, a meaning and no "not"."""
    cues = negation_cues(tree.document)
    says = any(map(carries_meaning, verbs)) and not any(token.index in cues for token in verbs)
    return says and is_finite(verbs)


def _for_complement(tree: Tree, top: Token, predicate: Token, known: Collection[str]) -> Question | None:
    """What to ask for an object or an adjunct of a predicate that is known, as its subject is."""
    before = _clause(tree, predicate, known, without=top)
    if not before:
        return None
    if base(top) == "obj":
        return Question("what", before, is_clear=not _is_be(_verb_group(tree, predicate)))
    return _whereabouts(top, [lemma(token) for token in tree.dependents(top, "case")], before)


def _whereabouts(noun: Token, cases: Sequence[str], before: str) -> Question | None:
    """What to ask for a noun with a preposition: where, when, why, or what, the preposition at the end."""
    if len(cases) != 1:
        return Question("why", before) if _CAUSES & set(cases) else None
    if is_kind(noun, "time_period.n.01"):
        return Question("when", before)
    if cases[0] in _PLACES and is_kind(noun, "physical_entity.n.01", "location.n.01"):
        return Question("where", before)
    return Question("what", f"{before} {cases[0]}") if cases[0] in _STRANDED else None


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
    cues = negation_cues(tree.document)
    group = {predicate, *tree.dependents(predicate, "aux", "cop", "compound")}
    group.update(
        token
        for token in tree.children[predicate.index]
        if token.index in cues or (token.index == predicate.index + 1 and lemma(token) in _PARTICLES)
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


_ORDER = (*CONTRADICTIONS, "missing", "more_general", "related", "similar", "extra")
# These are no faults by themselves; what is added is spoken of when nothing else is.
_MINOR = ("more_specific", "extra")
_HINTS = 2
# From this score on, two chunks that are not the same are near each other.
_CLOSE = 3
# The longest statement that is repeated to a pupil, in words.
_REPEATED = 14
_ARTICLES, _VERBS = frozenset(("the", "a", "an")), frozenset(("is", "are", "was", "were", "has", "have"))


def hints_for(
    differences: Sequence[Difference], source: Document, target: Document, question: Document | None = None
) -> list[Statement]:
    """What to tell the pupil who wrote the source, about what the target says."""
    sides = Sides.of(source, target)
    telling = [
        difference
        for difference in differences
        if difference.kind != "same"
        and words_matter(difference, source, target)
        and (difference.kind != "missing" or is_new(difference, sides))
    ]
    if not telling:
        return [Statement(Kind.ALL_SAID)]
    if all(difference.kind in ("missing", "extra") for difference in differences):
        return [Statement(Kind.NOTHING_SAID), Statement(Kind.READ_AGAIN)]
    weighty = [difference for difference in telling if not is_adverb(difference, source, target)]
    serious = [difference for difference in weighty if difference.kind not in _MINOR]
    hints = hint_list(serious or weighty, source, target, question)
    if not serious and not any(difference.kind == "missing" for difference in telling):
        return [Statement(Kind.ALL_SAID), *hints]
    if not hints:
        hints = [Statement(Kind.MISSING_READ_AGAIN if serious else Kind.NEARLY_ALL_SAID)]
    # A pupil who is asked whether a statement is right is not praised for a part of it.
    doubted = any(difference.kind in ("negated", "opposite") for difference in serious)
    return hints if doubted else [*praise(sides.source, target, differences), *hints]


def hint_list(
    differences: Sequence[Difference], source: Document, target: Document, question: Document | None
) -> list[Statement]:
    """The first few hints that the differences give, the most serious first."""
    answer, reference = Tree.of(source), Tree.of(target)
    known = {lemma(token) for text in (source, question) if text is not None for token in text.tokens}
    hints: list[Statement] = []
    for kind in _ORDER:
        alike = [difference for difference in differences if difference.kind == kind]
        hints += filter(None, _hints(kind, alike, answer, reference, known))
    return _apart(list(dict.fromkeys(hints)))[:_HINTS]


def _apart(hints: Sequence[Statement]) -> list[Statement]:
    """Hints without those that say less than another one, such as "say more about the ring"."""
    kept: dict[tuple[Kind, tuple[str, ...]], Statement] = {}
    for hint in sorted(hints, key=lambda hint: hint.kind is Kind.MORE_ABOUT):
        words = " ".join(hint.words).split()
        if hint.kind is Kind.MORE_ABOUT and any(
            words[-1] in " ".join(other.words).split() for other in kept.values()
        ):
            continue
        kept.setdefault((hint.kind, _gist(words)), hint)
    return sorted(kept.values(), key=hints.index)


def _gist(words: Iterable[str]) -> tuple[str, ...]:
    """Words without articles and endings: "what the girls do" asks no more than "what the girl does"."""
    return tuple({"does": "do"}.get(word, word.strip("“”").rstrip("s")) for word in words if word != "the")


def praise(answer: Tree, target: Document, differences: Sequence[Difference]) -> list[Statement]:
    """What the pupil is right about, where that can be said in a clause."""
    alike = [difference for difference in differences if difference.kind in ("same", "missing", "extra")]
    statement = common_statement(answer, target, alike, of_source=True)
    if statement and statement.verb is Verb.SAY and _is_sound(statement.words, answer.document, target):
        return [Statement(Kind.RIGHT_THAT, (statement.words,))]
    return []


def _is_sound(statement: str, answer: Document, target: Document) -> bool:
    """Whether a pupil's statement can be repeated as right: it reads well, in the reference's words."""
    words = statement.lower().split()
    slips = any(
        word in _ARTICLES and after in _VERBS for word, after in pairwise(words)
    )  # "the are in a path"
    known = forms_in(target)
    own = [token for token in answer.tokens if carries_meaning(token) and token.text.lower() in words]
    return "because" not in words and not slips and all(lemma(token) in known for token in own)


def _hints(
    kind: str, alike: Sequence[Difference], answer: Tree, reference: Tree, known: set[str]
) -> Iterator[Statement | None]:
    """The hints for the differences of one kind; those about mere wording share a sentence."""
    if kind in ("more_general", "related", "similar"):
        if alike:
            yield _about_wording(kind, alike[:_HINTS], answer, reference)
        return
    if kind in ("opposite", "negated") and len(alike) > 1:
        # Two wrong words of one statement are doubted together.
        together = [token for difference in alike for token in tokens_of(answer.document, difference.source)]
        if clause_with(answer, together):
            yield _doubted(together, answer)
            return
    for difference in alike:
        words = tokens_of(answer.document, difference.source)
        others = tokens_of(reference.document, difference.target)
        if kind == "missing":
            yield _missing(others, reference, known)
        elif kind in ("opposite", "negated"):
            yield _doubted(words, answer)
        elif kind == "number":
            yield Statement(Kind.LOOK_AGAIN, (_number(words, answer),))
        elif kind == "certainty":
            vague = unsure(words) and not unsure(others)
            yield Statement(Kind.TOO_UNCERTAIN if vague else Kind.TOO_CERTAIN, (quoted(words),))
        elif kind == "opinion":
            yield Statement(Kind.OPINION_DOUBT, (quoted(words),))
        elif kind == "extra" and has_substance(words):
            phrase = noun_phrase(words)
            if phrase:
                yield Statement(Kind.ALSO_MENTIONED, (named(phrase),))
                return
            if kind_of(words) in ("sentence", "clause"):
                yield Statement(Kind.ALSO_SAID, (quoted(words),))
                return


def _about_wording(kind: str, alike: Sequence[Difference], answer: Tree, reference: Tree) -> Statement:
    """A hint about words that are too general, or near the right ones, or not."""
    phrases = [tokens_of(answer.document, difference.source) for difference in alike]
    nouns = [noun_phrase(words) for words in phrases]
    names = [quoted(noun or words) for noun, words in zip(nouns, phrases, strict=True)]
    if kind == "more_general":
        if len(phrases) == 1 and all(token.pos == "PRON" for token in phrases[0]):
            return Statement(Kind.MEANING, (names[0],))
        names = [
            definite(noun) if noun and not any(token.pos == "CCONJ" for token in noun) else name
            for noun, name in zip(nouns, names, strict=True)
        ]
    names = list(dict.fromkeys(names))
    if kind == "similar":
        close = all(_is_close(difference, answer, reference) for difference in alike)
        hint = Kind.LOOK_AGAIN if not close else Kind.SEVERAL_CLOSE if len(names) > 1 else Kind.CLOSE
    else:
        hint = Kind.MORE_EXACT if kind == "more_general" else Kind.THINK_AGAIN
    return Statement(hint, (listed(names),))


def _is_close(difference: Difference, answer: Tree, reference: Tree) -> bool:
    """Whether a pupil's name for a thing is near the right one."""
    words, others = (
        tokens_of(answer.document, difference.source),
        tokens_of(reference.document, difference.target),
    )
    near = difference.score is None or difference.score >= _CLOSE
    return near and bool(noun_phrase(words)) and are_related(words, others)


def _number(words: Sequence[Token], answer: Tree) -> str:
    """What to call a number: "the number of bulbs", "the figure 5 cm"."""
    number = counted(answer, words)
    if number:
        return number
    (quantity,) = quantities_in(answer.document, [token.index + 1 for token in words])
    kind = "figure" if quantity.unit else "number"
    if sum(map(carries_meaning, words)) > quantity.end - quantity.start:
        return f"the {kind} in {quoted(noun_phrase(words) or words)}"
    return f"the {kind} {figure(answer.document, quantity)}"


def _missing(words: Sequence[Token], reference: Tree, known: set[str]) -> Statement | None:
    question = question_for(reference, words, known)
    if question:
        return Statement(Kind.NOT_YET, (str(question),), clear=question.is_clear)
    anchor = anchor_for(reference, words, known)
    return Statement(Kind.MORE_ABOUT, (anchor,)) if anchor else None


def _doubted(words: Sequence[Token], answer: Tree) -> Statement:
    """The pupil's own statement, and a question whether it is so."""
    clause = clause_with(answer, words)
    if not clause or len(clause) > _REPEATED:
        return Statement(Kind.DOUBT_WORDS, (quoted(words),))
    return Statement(Kind.DOUBT, (spoken(clause, gaps=False), _tag(clause, answer)))


def _tag(clause: Sequence[Token], answer: Tree) -> str:
    """The short question that fits a clause: "is it" after "the bulb is on", else "Is that right"."""
    helpers = [token for token in clause if token.pos == "AUX" or token.tag == "MD"]
    cues = negation_cues(answer.document)
    if len(helpers) != 1 or any(token.index in cues for token in clause):
        return "Is that right"
    subject = subject_of(answer, answer.head(helpers[0]))
    if (
        subject is None
        or subject.pos not in ("NOUN", "PROPN")
        or lemma(helpers[0]) not in ("be", "can", "will")
    ):
        return "Is that right"
    they = is_plural(tuple(answer.below(subject)), subject)
    return f"{helpers[0].text.capitalize()} {'they' if they else 'it'}"
