"""The words for a judged answer: what the alignment shows, told so that it fits the label.

Grader and aligner look at an answer separately. Where they disagree, the label is what is said: a correct
answer is not reproached with anything, and no way of contradicting is invented. What the aligner found no
partner for may be there in other words, so nothing is called missing flatly; and words that are merely alike
are not set against each other, since such links are often wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from postil.explain.clauses import Tree
from postil.explain.differences import Difference
from postil.explain.explanation import differing, shared, telling_differences, told, whole_text
from postil.explain.hints import ALL, NOTHING, hint_list, hints_for, praise
from postil.explain.statements import common_names
from postil.explain.wording import Sides, left_over, left_over_list
from postil.text.document import Document

PARTLY = "partially_correct_incomplete"
_AGAINST = ("negated", "opposite", "number", "opinion")
# "They" may stand for what is not named, and other words for what is not said.
_LITERALLY = {
    "does not say that": "does not say in so many words that",
    "does not mention": "does not name",
    "leaves out": "does not repeat",
}
_CONDITIONS = frozenset(("if", "when", "unless", "whether", "until", "longer"))
_NAMED = 2  # parts of the reference that are named as not found
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
    *,
    deferred: bool = False,
) -> str:
    """Say to a teacher in one to three sentences why an answer (the source) has its label."""
    sides = Sides(Tree.of(source), Tree.of(target), "the answer", "the reference")
    if label == "correct":
        return told(list(_correct(differences, sides, deferred=deferred)))
    if label == PARTLY:
        return told(list(_partly(differences, sides)))
    if label == "contradictory":
        return told(list(_contradicting(differences, sides)))
    if label == "irrelevant":
        return told(list(_off_the_point(differences, sides)))
    return told(["the answer says nothing about the subject", f"the reference {whole_text(sides.target)}"])


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
        told = _without(differences, "negated", "opposite", "related", "similar")
        said = hints_for(told, source, target, question)
        return _PARTLY if said.startswith((ALL, NOTHING)) else said.replace(_NOT_YET, _CLEARLY)
    if label == "contradictory":
        against = _of(differences, *_against(source, target))
        return " ".join(hint_list(against, source, target, question)) or _WRONG
    return f"{_OFF if label == 'irrelevant' else _NO_ANSWER} {_AGAIN}"


def _against(source: Document, target: Document) -> tuple[str, ...]:
    """The kinds of contradiction to believe: what holds under a condition is not denied by a "not"."""
    words = {token.text.lower() for text in (source, target) for token in text.tokens}
    return tuple(kind for kind in _AGAINST if kind != "negated" or not words & _CONDITIONS)


def _of(differences: Sequence[Difference], *kinds: str) -> list[Difference]:
    return [one for one in differences if one.kind in kinds]


def _without(differences: Sequence[Difference], *kinds: str) -> list[Difference]:
    return [one for one in differences if one.kind not in kinds]


def _both_name(differences: Sequence[Difference], sides: Sides) -> str:
    """The things that both name, in the reference's words."""
    return common_names(sides.target.document, sides.source.document, differences, of_source=False)


def _not_found(differences: Sequence[Difference], sides: Sides) -> str:
    """Parts of the reference that no words of the answer were found for, as a sentence goes on."""
    names = [name for one in _of(differences, "missing") if (name := left_over(one, sides))]
    if not names:
        return ""
    said = left_over_list(names[:_NAMED], denied=True)
    for flatly, literally in _LITERALLY.items():
        said = said.replace(flatly, literally, 1)
    return said


def _correct(differences: Sequence[Difference], sides: Sides, *, deferred: bool) -> Iterator[str]:
    """What matches; then what was not found, which did not count against the answer."""
    telling = telling_differences(differences, sides)
    if not telling:
        yield "the answer says the same as the reference"
        return
    statement = shared(differences, sides, "teacher")
    names = _both_name(differences, sides)
    if "the answer mentions" in statement:
        statement = f"the answer agrees with the reference: both mention {names}"
    yield statement or "the answer was judged correct"
    not_found = _not_found(telling, sides)
    if not_found:
        yield f"please check: it {not_found}" if deferred else f"it {not_found}"


def _partly(differences: Sequence[Difference], sides: Sides) -> Iterator[str]:
    """What both say, and what was not found; a figure that differs before that."""
    telling = telling_differences(differences, sides)
    if not telling:
        yield "the answer says much of what the reference says, but not all"
        return
    yield shared(differences, sides, "teacher") or "the answer says a part of what the reference says"
    yield from differing(_of(telling, "number"), sides, "teacher")[:1]
    not_found = _not_found(telling, sides)
    if not_found:
        yield f"it {not_found}"


def _contradicting(differences: Sequence[Difference], sides: Sides) -> Iterator[str]:
    """The contradiction, if the alignment shows one; else only that there is one, and with what."""
    against = _of(
        telling_differences(differences, sides), *_against(sides.source.document, sides.target.document)
    )
    if against:
        yield from differing(against, sides, "teacher")[:1]
        return
    yield f"the answer contradicts the reference, which {whole_text(sides.target)}"


def _off_the_point(differences: Sequence[Difference], sides: Sides) -> Iterator[str]:
    names = _both_name(differences, sides)
    if not names:
        yield f"the answer does not come to the point: the reference {whole_text(sides.target)}"
        return
    yield f"the answer mentions {names}, as the reference does, but does not come to the point"
    not_found = _not_found(telling_differences(differences, sides), sides)
    if not_found:
        yield f"it {not_found}"
