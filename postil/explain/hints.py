"""What to tell a pupil about an answer: what is right, what to look at again, what is not said yet.

Nothing here gives the reference away: a hint is made of the pupil's own words, and of the question's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from postil.explain.clauses import Tree, clause_with, subject_of
from postil.explain.differences import Difference, is_adverb, words_matter
from postil.explain.links import are_related, quantities_in
from postil.explain.phrases import (
    carries_meaning,
    is_plural,
    kind_of,
    lemma,
    listed,
    noun_phrase,
    quoted,
    spoken,
    tokens_of,
)
from postil.explain.questions import anchor_for, question_for
from postil.explain.shared import common_statement
from postil.explain.things import definite, named
from postil.explain.wording import Sides, counted, figure, has_substance, is_new, unsure
from postil.language.document import Document, Token

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
