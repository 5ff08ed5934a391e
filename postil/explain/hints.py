"""What to tell a pupil about an answer: what is right, what to look at again, what is not said yet.

Nothing here gives the reference away: a hint is made of the pupil's own words, and of the question's.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import chain, pairwise

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
    forms,
    forms_in,
    heads_of,
    is_finite,
    is_kind,
    is_label,
    is_plural,
    kind_of,
    lemma,
    lemmas,
    listed,
    named,
    negation_cues,
    noun_phrase,
    quoted,
    spoken,
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


class Asking(StrEnum):
    """What an indirect question asks for, by its first words."""

    WHAT = "what"
    WHAT_ELSE = "what else"
    WHO = "who"
    WHERE = "where"
    WHEN = "when"
    WHY = "why"
    HOW_MANY = "how many"


@dataclass(frozen=True, slots=True)
class IndirectQuestion:
    """An indirect question: its first word, what follows, and the lemmas of that.

    One that is not clear leads a pupil nowhere.
    """

    word: Asking
    rest: str = ""
    lemmas: tuple[str, ...] = ()
    is_clear: bool = True

    def __str__(self) -> str:
        return f"{self.word} {self.rest}".rstrip()

    def ending(self, word: str) -> IndirectQuestion:
        """The question with another word at its end."""
        return replace(self, rest=f"{self.rest} {word}", lemmas=(*self.lemmas, word))


def question_for(tree: Tree, missing: Iterable[Token], known: Collection[str]) -> IndirectQuestion | None:
    """An indirect question that the missing words of a reference answer, if one can be asked."""
    tops = [token for token in heads_of(trimmed(tuple(missing))) if carries_meaning(token)]
    return next((question for token in tops if (question := _question(tree, token, known))), None)


def anchor_for(tree: Tree, missing: Iterable[Token], known: Collection[str]) -> list[Token]:
    """The nearest thing above the missing words that the pupil has named: "the bulb"; empty where none is."""
    for top in heads_of(trimmed(tuple(missing))):
        predicate = predicate_over(tree, top)
        subject = subject_of(tree, predicate) if predicate is not None else None
        for token in (tree.head(top), subject):
            if token is None or token.pos not in ("NOUN", "PROPN"):
                continue
            # In "30 grams", the noun is only a unit behind its number.
            amount = any(number.index < token.index for number in tree.dependents(token, "nummod"))
            phrase = [] if amount else _known_words(tree, token, known)
            if phrase:
                return phrase
    return []


def _question(tree: Tree, top: Token, known: Collection[str]) -> IndirectQuestion | None:
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
        plural = is_plural((), noun) and _know([noun], known)
        return IndirectQuestion(Asking.HOW_MANY, noun.text.lower(), (lemma(noun),)) if plural else None
    verbs = _verb_group(tree, predicate)
    denied = not negation_cues(tree.document).isdisjoint(token.index for token in verbs)
    if denied or not is_finite(verbs) or not any(map(carries_meaning, verbs)) or not _know(verbs, known):
        return None
    if relation == "nsubj":
        many = any(token.tag == "VBP" for token in verbs)
        if many or lemma(predicate) in _STATES or tree.dependents(predicate, "obj", "xcomp", "ccomp"):
            return None  # "what makes" is half a question, and "what are" wants to know how many
        person = is_kind(top, "person.n.01")
        word, clear = Asking.WHO if person else Asking.WHAT, person or not _is_be(verbs)
        return IndirectQuestion(word, spoken(verbs, gaps=False), lemmas(verbs), clear)
    return _for_complement(tree, top, predicate, known)


def _is_be(verbs: Sequence[Token]) -> bool:
    """Whether a question would end in a form of "be"."""
    return verbs[-1].text.lower() in ("is", "are", "was", "were", "be")


def _for_another(tree: Tree, top: Token, known: Collection[str]) -> IndirectQuestion | None:
    """What to ask for a thing that is joined by "and" to one that was named: "what else the plant uses"."""
    first = tree.head(top)
    if is_predicate(tree, top):
        happens = top.pos == "VERB" and lemma(top) not in _STATES and not _is_denied(tree, top)
        more = IndirectQuestion(Asking.WHAT_ELSE, "happens", ("happen",)) if happens else None
        return _for_predicate(tree, top, known) or more
    question = _question(tree, first, known) if base(first) in ("obj", "obl", "nsubj") else None
    return replace(question, word=Asking.WHAT_ELSE) if question and question.word is Asking.WHAT else None


def _for_clause(tree: Tree, clause: Token, known: Collection[str]) -> IndirectQuestion | None:
    """What to ask for a clause: why, when, what for."""
    marks = tree.marks(clause)
    above = tree.head(clause)
    said = None if above is clause else _clause(tree, above, known)
    if marks & _CAUSES:
        return replace(said, word=Asking.WHY) if said else IndirectQuestion(Asking.WHY)
    if marks & _CONDITIONS:
        if said:
            return replace(said, word=Asking.WHEN)
        return IndirectQuestion(Asking.WHEN, "this is true", is_clear=False)
    return said.ending("for") if said and "to" in marks and tree.dependents(above, "obj") else None


def _for_predicate(tree: Tree, predicate: Token, known: Collection[str]) -> IndirectQuestion | None:
    """What to ask for a predicate whose subject is known: what it does, what happens to it, what it is."""
    subject = subject_of(tree, predicate)
    if subject is None or subject.pos not in ("NOUN", "PROPN") or predicate.pos == "AUX":
        return None
    if lemma(predicate) in _STATES or _is_denied(tree, predicate) or tree.dependents(subject, "nummod"):
        return None
    phrase = _known_phrase(tree, subject, known)
    if not phrase:
        return None
    name, thing = definite(phrase), lemmas(phrase)
    plural = is_plural(tuple(tree.below(subject)), subject)
    if tree.dependents(predicate, "cop"):
        verb = "are" if plural else "is"
        cases = [lemma(token) for token in tree.dependents(predicate, "case")]
        if cases:
            question = _whereabouts(
                predicate, cases, IndirectQuestion(Asking.WHAT, f"{name} {verb}", (*thing, "be"))
            )
            # "What the Sun is in" is no question.
            return question if question and question.word is not Asking.WHAT else None
        if predicate.pos == "ADJ":
            return IndirectQuestion(Asking.WHAT, f"{name} {verb} like", (*thing, "be", "like"))
        return IndirectQuestion(Asking.WHAT, f"{name} {verb}", (*thing, "be"), is_clear=False)
    somebody = (subject.pos == "PROPN" and not is_label(subject)) or is_kind(subject, "person.n.01")
    acts = tree.dependents(predicate, "obj") or somebody
    if acts and subject.relation != "nsubj:pass":
        return IndirectQuestion(Asking.WHAT, f"{name} {'do' if plural else 'does'}", (*thing, "do"))
    return IndirectQuestion(Asking.WHAT, f"happens to {name}", ("happen", *thing))


def _is_denied(tree: Tree, predicate: Token) -> bool:
    """Whether a predicate has a "not", so that asking for what happens would mislead."""
    cues = negation_cues(tree.document)
    return any(token.index in cues for token in tree.children[predicate.index])


def _for_complement(
    tree: Tree, top: Token, predicate: Token, known: Collection[str]
) -> IndirectQuestion | None:
    """What to ask for an object or an adjunct of a predicate that is known, as its subject is."""
    before = _clause(tree, predicate, known, without=top)
    if not before:
        return None
    if base(top) == "obj":
        return replace(before, is_clear=not _is_be(_verb_group(tree, predicate)))
    return _whereabouts(top, [lemma(token) for token in tree.dependents(top, "case")], before)


def _whereabouts(noun: Token, cases: Sequence[str], clause: IndirectQuestion) -> IndirectQuestion | None:
    """What to ask for a noun with a preposition: where, when, why, or what, the preposition at the end."""
    if len(cases) != 1:
        return replace(clause, word=Asking.WHY) if _CAUSES & set(cases) else None
    if is_kind(noun, "time_period.n.01"):
        return replace(clause, word=Asking.WHEN)
    if cases[0] in _PLACES and is_kind(noun, "physical_entity.n.01", "location.n.01"):
        return replace(clause, word=Asking.WHERE)
    return clause.ending(cases[0]) if cases[0] in _STRANDED else None


def _clause(
    tree: Tree, predicate: Token, known: Collection[str], without: Token | None = None
) -> IndirectQuestion | None:
    """A question with subject, verb and object of a predicate, where the pupil knows all of their words."""
    subject = subject_of(tree, predicate)
    group = _verb_group(tree, predicate)
    if subject is None or subject.tag in ("WDT", "WP") or not is_finite(group) or not _know(group, known):
        return None
    objects = [token for token in tree.dependents(predicate, "obj") if token is not without]
    phrases = [_known_phrase(tree, token, known) for token in (subject, *objects)]
    if not all(phrases):
        return None
    names = [definite(phrase) for phrase in phrases]
    start, after = (["there"], names[:1]) if tree.dependents(predicate, "expl") else (names[:1], names[1:])
    words = " ".join((*start, spoken(group, gaps=False), *after))
    return IndirectQuestion(Asking.WHAT, words, lemmas(chain(phrases[0], group, *phrases[1:])))


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


def _known_phrase(tree: Tree, head: Token, known: Collection[str]) -> list[Token]:
    """As `_known_words`, but none for "more blocks", which names no thing."""
    words = _known_words(tree, head, known)
    return [] if any(token.tag in ("JJR", "JJS", "RBR") for token in words) else words


def _known_words(tree: Tree, head: Token, known: Collection[str]) -> list[Token]:
    """A noun phrase in words that the pupil knows, without modifiers that are new; empty where it is new."""
    if not _know([head], known) or any(lemma(token) in ("neither", "nor") for token in tree.below(head)):
        return []
    phrase = [head]
    for child in tree.children[head.index]:
        words = list(tree.below(child))
        if _know(words, known):
            inside = base(child) in ("amod", "compound", "conj", "det", "flat", "nummod")
            phrase += words if inside or child.relation == "nmod:poss" else []
        elif base(child) in ("conj", "flat"):
            return []
    return sorted(phrase, key=lambda token: token.index)


def _know(tokens: Iterable[Token], known: Collection[str]) -> bool:
    """Whether the pupil knows all of these words."""
    return all(lemma(token) in known for token in tokens if carries_meaning(token))


_ORDER = (*CONTRADICTIONS, "missing", "more_general", "related", "similar", "extra")
# These are no faults by themselves; what is added is spoken of when nothing else is.
_MINOR = ("more_specific", "extra")
_HINTS = 2
# From this score on, two chunks that are not the same are near each other.
_CLOSE = 3
# These say more about a thing than "say more about it"; a quotation to look at again does not.
_TELLING = (Kind.NOT_YET, Kind.DOUBT, Kind.MORE_EXACT, Kind.MORE_ABOUT)
# The longest statement that is repeated to a pupil, in words.
_REPEATED = 14
_ARTICLES, _VERBS = frozenset(("the", "a", "an")), frozenset(("is", "are", "was", "were", "has", "have"))


def hints_for(
    differences: Sequence[Difference], sides: Sides, question: Document | None = None
) -> list[Statement]:
    """What to tell the pupil who wrote the source, about what the target says."""
    telling = [
        difference
        for difference in differences
        if difference.kind != "same"
        and words_matter(difference, *sides.documents)
        and (difference.kind != "missing" or is_new(difference, sides))
    ]
    if not telling:
        return [Statement(Kind.ALL_SAID)]
    if all(difference.kind in ("missing", "extra") for difference in differences):
        return [Statement(Kind.NOTHING_SAID), Statement(Kind.READ_AGAIN)]
    weighty = [difference for difference in telling if not is_adverb(difference, *sides.documents)]
    serious = [difference for difference in weighty if difference.kind not in _MINOR]
    hints = hint_list(serious or weighty, sides, question)
    if not serious and not any(difference.kind == "missing" for difference in telling):
        return [Statement(Kind.ALL_SAID), *hints]
    if not hints:
        hints = [Statement(Kind.MISSING_READ_AGAIN if serious else Kind.NEARLY_ALL_SAID)]
    # A pupil who is asked whether a statement is right is not praised for a part of it.
    doubted = any(difference.kind in ("negated", "opposite") for difference in serious)
    return hints if doubted else [*praise(sides, differences), *hints]


def hint_list(differences: Sequence[Difference], sides: Sides, question: Document | None) -> list[Statement]:
    """The first few hints that the differences give, the most serious first.

    Those that say less than another one, such as "say more about the ring", are left out.
    """
    texts = (sides.source.document, question)
    known = {lemma(token) for text in texts if text is not None for token in text.tokens}
    hints: list[Statement] = []
    for kind in _ORDER:
        alike = [difference for difference in differences if difference.kind == kind]
        hints += filter(None, _hints(kind, alike, sides, known))
    distinct: dict[tuple[Kind, tuple[str, ...]], Statement] = {}
    for hint in sorted(hints, key=lambda hint: hint.kind is Kind.MORE_ABOUT):
        telling = (other.lemmas for other in distinct.values() if other.kind in _TELLING)
        # A thing may be nothing but signs: then it has no lemma.
        if hint.kind is not Kind.MORE_ABOUT or not set(hint.lemmas[-1:]) & set(chain(*telling)):
            distinct.setdefault((hint.kind, hint.lemmas), hint)
    return sorted(distinct.values(), key=hints.index)[:_HINTS]


def praise(sides: Sides, differences: Sequence[Difference]) -> list[Statement]:
    """What the pupil is right about, where that reads well in a clause of the reference's words."""
    alike = [difference for difference in differences if difference.kind in ("same", "missing", "extra")]
    target = sides.target.document
    statement = common_statement(sides.source, target, alike, of_source=True)
    if statement is None or statement.verb is not Verb.SAY:
        return []
    words, known = forms(statement.tokens), forms_in(target)
    own = [lemma(token) for token in statement.tokens if carries_meaning(token)]
    slips = (word in _ARTICLES and after in _VERBS for word, after in pairwise(words))  # "the are in a path"
    if "because" in words or any(slips) or not known.issuperset(own):
        return []
    return [Statement(Kind.RIGHT_THAT, (statement.words,))]


def _hints(
    kind: str, alike: Sequence[Difference], sides: Sides, known: set[str]
) -> Iterator[Statement | None]:
    """The hints for the differences of one kind; those about mere wording share a sentence."""
    answer = sides.source
    if kind in ("more_general", "related", "similar"):
        if alike:
            yield _about_wording(kind, alike[:_HINTS], sides)
        return
    if kind in ("opposite", "negated") and len(alike) > 1:
        # Two wrong words of one statement are doubted together.
        together = [token for difference in alike for token in sides.words(difference)[0]]
        if clause_with(answer, together):
            yield _doubted(together, answer)
            return
    for difference in alike:
        words, others = sides.words(difference)
        if kind == "missing":
            yield _missing(others, sides.target, known)
        elif kind in ("opposite", "negated"):
            yield _doubted(words, answer)
        elif kind == "number":
            yield Statement(Kind.LOOK_AGAIN, (_number(words, answer),), lemmas=lemmas(words))
        elif kind == "certainty":
            vague = unsure(words) and not unsure(others)
            yield _quoting(Kind.TOO_UNCERTAIN if vague else Kind.TOO_CERTAIN, words)
        elif kind == "opinion":
            yield _quoting(Kind.OPINION_DOUBT, words)
        elif kind == "extra" and has_substance(words):
            phrase = noun_phrase(words)
            if phrase:
                yield Statement(Kind.ALSO_MENTIONED, (named(phrase),), lemmas=lemmas(phrase))
                return
            if kind_of(words) in ("sentence", "clause"):
                yield _quoting(Kind.ALSO_SAID, words)
                return


def _quoting(kind: Kind, words: Sequence[Token]) -> Statement:
    return Statement(kind, (quoted(words),), lemmas=lemmas(words))


def _about_wording(kind: str, alike: Sequence[Difference], sides: Sides) -> Statement:
    """A hint about words that are too general, or near the right ones, or not."""
    pairs = [sides.words(difference) for difference in alike]
    if kind == "more_general" and len(pairs) == 1 and all(token.pos == "PRON" for token in pairs[0][0]):
        return _quoting(Kind.MEANING, pairs[0][0])
    nouns = [noun_phrase(words) for words, _ in pairs]
    phrases = {forms(noun or words): noun or words for noun, (words, _) in zip(nouns, pairs, strict=True)}
    if kind == "more_general":
        hint = Kind.MORE_EXACT
    elif kind == "related":
        hint = Kind.THINK_AGAIN
    else:
        near = all(difference.score is None or difference.score >= _CLOSE for difference in alike)
        close = near and all(nouns) and all(are_related(*pair) for pair in pairs)
        hint = Kind.LOOK_AGAIN if not close else Kind.SEVERAL_CLOSE if len(phrases) > 1 else Kind.CLOSE
    names = [
        definite(phrase)
        if hint is Kind.MORE_EXACT and phrase in nouns and all(token.pos != "CCONJ" for token in phrase)
        else quoted(phrase)
        for phrase in phrases.values()
    ]
    return Statement(hint, (listed(names),), lemmas=lemmas(chain(*phrases.values())))


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
        about = (question.word, *question.lemmas)
        return Statement(Kind.NOT_YET, (str(question),), clear=question.is_clear, lemmas=about)
    anchor = anchor_for(reference, words, known)
    return Statement(Kind.MORE_ABOUT, (definite(anchor),), lemmas=lemmas(anchor)) if anchor else None


def _doubted(words: Sequence[Token], answer: Tree) -> Statement:
    """The pupil's own statement, and a question whether it is so."""
    clause = clause_with(answer, words)
    if not clause or len(clause) > _REPEATED:
        return _quoting(Kind.DOUBT_WORDS, words)
    return Statement(Kind.DOUBT, (spoken(clause, gaps=False), _tag(clause, answer)), lemmas=lemmas(clause))


def _tag(clause: Sequence[Token], answer: Tree) -> str:
    """The short question that fits a clause: "is it" after "the bulb is on", else "Is that right"."""
    helpers = [token for token in clause if token.pos == "AUX" or token.tag == "MD"]
    cues = negation_cues(answer.document)
    asks = len(helpers) == 1 and lemma(helpers[0]) in ("be", "can", "will")
    subject = subject_of(answer, answer.head(helpers[0])) if asks else None
    if (
        subject is None
        or subject.pos not in ("NOUN", "PROPN")
        or any(token.index in cues for token in clause)
    ):
        return "Is that right"
    they = is_plural(tuple(answer.below(subject)), subject)
    return f"{helpers[0].text.capitalize()} {'they' if they else 'it'}"
