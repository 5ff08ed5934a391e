"""The words for a judged answer: what the alignment shows, told so that it fits the label.

Grader and aligner look at an answer separately. Where they disagree, the label is what is said: a correct
answer is not reproached with anything, and no way of contradicting is invented. What the aligner found no
partner for may be there in other words, so nothing is called missing flatly; and words that are merely alike
are not set against each other, since such links are often wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from postil.data.judgements import CONTRADICTED, EXPRESSED, UNADDRESSED, FacetOutcome
from postil.data.labels import PARTLY, PLAIN_NAMES
from postil.data.questions import Facet
from postil.explain.clauses import Tree
from postil.explain.differences import Difference
from postil.explain.explanation import differing, shared, telling_differences, told, whole_text
from postil.explain.hints import hint_list, praise
from postil.explain.phrases import base, carries_meaning, lemma, quoted, tokens_of, wordset
from postil.explain.shared import common_names
from postil.explain.wording import Named, Sides, left_over, left_over_list
from postil.grading.decision import disagreement, unsaid
from postil.language.document import Document, Token

# Facets in words: what an answer says of the reference, what it leaves out, what it contradicts.

PLAIN_OUTCOMES = {EXPRESSED: "said", UNADDRESSED: "left out", CONTRADICTED: "contradicted"}
_NAMED = 2  # facets named in a sentence
_SENTENCES = {
    EXPRESSED: "The answer says",
    UNADDRESSED: "It leaves out",
    CONTRADICTED: "It contradicts",
}


def facet_text(facet: Facet) -> str:
    """A facet as people read it: its two terms, or its only one."""
    return f"{facet.first} – {facet.second}" if facet.second else facet.first


def facets_in_words(outcomes: Sequence[FacetOutcome]) -> str:
    """A sentence for each kind of outcome that there is, naming its facets."""
    if not outcomes:
        return "The reference has no facets."
    parts = []
    for label, start in _SENTENCES.items():
        named = list(dict.fromkeys(facet_text(one.facet) for one in outcomes if one.label == label))
        if named:
            parts.append(f"{start}: {'; '.join(named)}.")
    if outcomes and all(one.label != EXPRESSED for one in outcomes):
        parts.insert(0, "The answer says none of the reference's facets.")
    return " ".join(parts)


def short_list(outcomes: Sequence[FacetOutcome]) -> str:
    """Every facet under its outcome, in one line: "said: A; B · left out: C"."""
    parts = []
    for label, name in PLAIN_OUTCOMES.items():
        named = [facet_text(one.facet) for one in outcomes if one.label == label]
        if named:
            parts.append(f"{name}: {'; '.join(named)}")
    return " · ".join(parts)


def most_contradicted(outcomes: Sequence[FacetOutcome]) -> FacetOutcome | None:
    """Of several facets the one that the answer contradicts most, if it contradicts any."""
    against = [one for one in outcomes if one.label == CONTRADICTED]
    return max(against, key=lambda one: one.contradicted) if len(outcomes) > 1 and against else None


def spoken_against(label: str, outcomes: Sequence[FacetOutcome]) -> list[str]:
    """That facets speak against a label, as the end of a note to a teacher; nothing where they do not."""
    if not disagreement(label, outcomes):
        return []
    judged = f"please check: it was judged {PLAIN_NAMES[label]}"
    if label == "correct":
        names = [f"“{facet_text(one.facet)}”" for one in unsaid(outcomes)[:_NAMED]]
        found = "was" if len(names) == 1 else "were"
        return [f"{judged}, although {' and '.join(names)} {found} not found in it"]
    return [f"{judged}, although it seems to say all that the reference does"]


_AGAINST = ("negated", "opposite", "number", "opinion")
_NOT_SAID = "does not say in so many words"
# "They" may stand for what is not named, and other words for what is not said.
_LITERALLY = {
    "does not say that": f"{_NOT_SAID} that",
    "does not mention": "does not name",
    "leaves out": "does not repeat",
}
_CONDITIONS = frozenset(("if", "when", "unless", "whether", "until", "longer"))
_EMPTY = wordset("use have make do get go be need put take give say think know")
# Questions that lead nowhere.
_UNCLEAR = re.compile(r"when this is so\.$|what .* (is|are|was|were|be)\.$")
# What a pupil hears where no difference can be named, or before it is.
_PARTLY = "Your answer is partly right: something is still missing."
_WRONG = "Something in your answer is not right."
_RIGHT = "Your answer is right."
_OFF = "Your answer does not answer the question yet."
_NO_ANSWER = "This does not answer the question yet."
_AGAIN = "Read the question again."
# What no link was found for may be there all the same: a pupil is asked for it, not told that it is not.
_NOT_YET, _CLEARLY = "You have not yet said", "Say more clearly"


def for_teacher(
    differences: Sequence[Difference],
    source: Document,
    target: Document,
    label: str,
    outcomes: Sequence[FacetOutcome] = (),
    *,
    deferred: bool = False,
) -> str:
    """Say to a teacher in one to three sentences why an answer (the source) has its label.

    Where its facets speak against the label, one more sentence says so.
    """
    sides = Sides(Tree.of(source), Tree.of(target), "the answer", "the reference")
    against = spoken_against(label, outcomes)
    if label == "correct":
        # What was not found is said once.
        sentences = list(_correct(differences, sides, deferred=deferred and not against))
        sentences = sentences[:1] if against else sentences
    elif label == PARTLY:
        sentences = list(_partly(differences, sides))
    elif label == "contradictory":
        sentences = list(_contradicting(differences, sides, outcomes))
    elif label == "irrelevant":
        sentences = list(_off_the_point(differences, sides))
    else:
        sentences = ["the answer says nothing about the subject", f"the reference {whole_text(sides.target)}"]
    return told([*sentences, *against])


def for_student(
    differences: Sequence[Difference],
    source: Document,
    target: Document,
    label: str,
    question: Document | None = None,
    *,
    deferred: bool = False,
) -> str:
    """Say to a pupil what is right about an answer, or what to look at again; nothing is given away."""
    if label == "correct":
        return next(
            praise(Tree.of(source), target, differences), "Your answer looks right." if deferred else _RIGHT
        )
    if label == PARTLY:
        return _missing_hint(differences, source, target, question)
    if label == "contradictory":
        against = _contradictions(differences, Sides(Tree.of(source), Tree.of(target), "", ""))
        return " ".join(hint_list(against, source, target, question)) or _WRONG
    return f"{_OFF if label == 'irrelevant' else _NO_ANSWER} {_AGAIN}"


def _missing_hint(
    differences: Sequence[Difference], source: Document, target: Document, question: Document | None
) -> str:
    """What is right, and the one thing to say that can be asked for plainly.

    What is named too generally, or otherwise, is often meant well; and "say more about the material" sends
    a pupil anywhere.
    """
    if all(one.kind in ("missing", "extra") for one in differences):
        return _PARTLY
    praised = next(praise(Tree.of(source), target, differences), "")
    hints = hint_list(_of(differences, "missing"), source, target, question)
    asked = [hint for hint in hints if hint.startswith(_NOT_YET) and not _UNCLEAR.search(hint)]
    hint = asked[0].replace(_NOT_YET, _CLEARLY) if asked else "Something is still missing."
    return f"{praised} {hint}" if praised else hint if asked else _PARTLY


def _of(differences: Sequence[Difference], *kinds: str) -> list[Difference]:
    return [one for one in differences if one.kind in kinds]


def _both_name(differences: Sequence[Difference], sides: Sides) -> str:
    """The things that both name, in the reference's words."""
    return common_names(sides.target.document, sides.source.document, differences, of_source=False)


def _not_found(differences: Sequence[Difference], sides: Sides) -> str:
    """Parts of the reference that no words of the answer were found for, as a sentence goes on."""
    missing = [
        one for one in _of(differences, "missing") if _tells(tokens_of(sides.target.document, one.target))
    ]
    named = [name for one in missing if (name := left_over(one, sides))]
    names = [name for name in named if not _is_mostly_said(name, sides)]
    if not names:
        return ""
    said = left_over_list(names[:_NAMED], denied=True)
    for flatly, literally in _LITERALLY.items():
        said = said.replace(flatly, literally, 1)
    return said


def _is_mostly_said(name: Named, sides: Sides) -> bool:
    """Whether the answer has half of the words of a statement: the rest may be there in other words."""
    known = {form for token in sides.source.document.tokens for form in (lemma(token), token.text.lower())}
    words = name.words.lower().split()
    own = [one for one in sides.target.document.tokens if carries_meaning(one) and one.text.lower() in words]
    said = [lemma(token) in known for token in own]
    return name.verb == "say" and 2 * sum(said) >= len(said)


def _correct(differences: Sequence[Difference], sides: Sides, *, deferred: bool) -> Iterator[str]:
    """What matches; then what was not found, which did not count against the answer."""
    telling = telling_differences(differences, sides)
    if not telling:
        same = _has_words_of(sides.source.document, sides.target.document)
        agrees = f"the answer agrees with the reference, which {whole_text(sides.target)}"
        yield "the answer says the same as the reference" if same else agrees
        return
    statement = shared(differences, sides, "teacher")
    names = _both_name(differences, sides)
    only_names = "the answer mentions" in statement
    if only_names:
        statement = f"the answer agrees with the reference: both mention {names}"
    statement = statement or _equal_words(differences, sides)
    check = "please check: " if deferred else ""
    if not statement:
        yield f"{check}the answer was judged correct; compare the reference, which {whole_text(sides.target)}"
        return
    yield statement
    not_found = _not_found(telling, sides)
    if only_names and _NOT_SAID not in not_found:  # what is right about them is for the reader to see
        yield f"{check}the reference {whole_text(sides.target)}"
    elif not_found:
        yield f"{check}it {not_found}"


def _has_words_of(one: Document, other: Document) -> bool:
    """Whether a text has all the words with a meaning that another has."""
    known = {lemma(token) for token in one.tokens}
    return all(lemma(token) in known for token in other.tokens if carries_meaning(token))


def _tells(tokens: Sequence[Token]) -> bool:
    return any(
        carries_meaning(token) and token.pos != "PRON" and lemma(token) not in _EMPTY for token in tokens
    )


def _equal_words(differences: Sequence[Difference], sides: Sides) -> str:
    """Words that speak for a correct answer where no statement or thing is shared; often there are none."""
    texts = sides.source.document, sides.target.document
    for one in _of(differences, "same"):
        phrases = [tokens_of(*side) for side in zip(texts, (one.source, one.target), strict=True)]
        ours, theirs = (quoted(tokens) for tokens in phrases)
        if all(map(_tells, phrases)) and "…" not in ours + theirs:
            if ours.lower() == theirs.lower():
                return f"the answer agrees with the reference: both say {theirs}"
            return f"the answer agrees with the reference: its {ours} says the same as {theirs}"
    return ""


def _partly(differences: Sequence[Difference], sides: Sides) -> Iterator[str]:
    """What both say, and what was not found; a figure that differs before that."""
    telling = telling_differences(differences, sides)
    if not telling:
        yield "the answer says much of what the reference says, but not all"
        return
    statement = shared(differences, sides, "teacher") or "the answer says a part of what the reference says"
    numbers, not_found = differing(_of(telling, "number"), sides, "teacher")[:1], _not_found(telling, sides)
    if not numbers and not not_found:
        yield f"the answer says only a part of what the reference does, which {whole_text(sides.target)}"
        return
    yield statement
    yield from numbers
    if not_found:
        yield f"it {not_found}"


def _contradicting(
    differences: Sequence[Difference], sides: Sides, outcomes: Sequence[FacetOutcome]
) -> Iterator[str]:
    """The contradiction, if alignment or facets show one; else only that there is one, and with what."""
    against = _contradictions(telling_differences(differences, sides), sides)
    if against:
        yield from differing(against, sides, "teacher")[:1]
        return
    point = most_contradicted(outcomes)
    if point:
        yield f"the answer contradicts one point of the reference: “{facet_text(point.facet)}”"
        return
    yield f"the answer contradicts the reference, which {whole_text(sides.target)}"


def _contradictions(differences: Sequence[Difference], sides: Sides) -> list[Difference]:
    """The contradictions to believe.

    What holds under a condition is not denied by a "not", and where the answer is about another thing than
    the reference, nothing is.
    """
    texts = sides.source.document, sides.target.document
    conditional = {token.text.lower() for text in texts for token in text.tokens} & _CONDITIONS
    missing = [token for one in _of(differences, "missing") for token in tokens_of(texts[1], one.target)]
    elsewhere = any(base(token).startswith("nsubj") and _tells([token]) for token in missing)
    kinds = [kind for kind in _AGAINST if kind != "negated" or not (conditional or elsewhere)]
    return [one for one in _of(differences, *kinds) if _holds(one, sides)]


def _holds(one: Difference, sides: Sides) -> bool:
    """Whether a contradiction can be told: "is" denies nothing; who says "east" and "west" says neither."""
    target = tokens_of(sides.target.document, one.target)
    if one.kind != "opposite":
        return _tells(target) and all(lemma(token) != "than" for token in target)
    source = tokens_of(sides.source.document, one.source)
    ours, theirs = ({lemma(token) for token in side if carries_meaning(token)} for side in (source, target))
    answer, reference = (
        {lemma(token) for token in tree.document.tokens} for tree in (sides.source, sides.target)
    )
    return not (theirs - ours <= answer or ours - theirs <= reference)


def _off_the_point(differences: Sequence[Difference], sides: Sides) -> Iterator[str]:
    names = _both_name(differences, sides)
    if not names:
        yield f"the answer does not come to the point: the reference {whole_text(sides.target)}"
        return
    yield f"the answer mentions {names}, as the reference does, but does not come to the point"
    not_found = _not_found(telling_differences(differences, sides), sides)
    if not_found:
        yield f"it {not_found}"
