"""The words for a judged answer: what the alignment shows, told so that it fits the label.

Grader and aligner look at an answer separately. Where they disagree, the label is what is said: a correct
answer is not reproached with what it leaves out, and no way of contradicting is invented.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from postil.explain.clauses import Tree
from postil.explain.differences import Difference
from postil.explain.explanation import differing, shared, telling_differences, told, whole_text
from postil.explain.hints import ALL, NOTHING, hint_list, hints_for, praise
from postil.explain.statements import common_names
from postil.explain.wording import Sides, left_over, left_over_list
from postil.text.document import Document

PARTLY = "partially_correct_incomplete"
_AGAINST = ("negated", "opposite", "number", "opinion")
_OTHER_WORDS = ("related", "similar")
_CHECKED = 2
# What a pupil hears where no difference can be named, or before it is.
_PARTLY = "Your answer is partly right: something is still missing."
_WRONG = "Something in your answer is not right."
_OFF = "Your answer does not say yet what was asked."
_NO_ANSWER = "This does not answer the question yet."
_AGAIN = "Read the question again."


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

    def hints(found: Sequence[Difference]) -> list[str]:
        return hint_list(found, source, target, question)

    if label == "correct":
        return next(
            praise(Tree.of(source), target, differences), "Your answer looks right." if deferred else ALL
        )
    if label == PARTLY:
        said = hints_for(_without(differences, "negated", "opposite"), source, target, question)
        return _PARTLY if said.startswith((ALL, NOTHING)) else said
    if label == "contradictory":
        against = _of(differences, *_AGAINST)
        # What is merely like the right word is not "close" in an answer that says the contrary.
        other = [replace(one, kind="related") for one in _of(differences, *_OTHER_WORDS)]
        return " ".join(hints(against) if against else (_WRONG, *hints(other)))
    if label != "irrelevant":
        return f"{_NO_ANSWER} {_AGAIN}"
    # "What else happens" is asked of those who have said something that happens.
    asked = [hint for hint in hints(_of(differences, "missing")) if " else " not in hint]
    return " ".join((_OFF, *(asked[:1] or [_AGAIN])))


def _of(differences: Sequence[Difference], *kinds: str) -> list[Difference]:
    return [one for one in differences if one.kind in kinds]


def _without(differences: Sequence[Difference], *kinds: str) -> list[Difference]:
    return [one for one in differences if one.kind not in kinds]


def _both_name(differences: Sequence[Difference], sides: Sides) -> str:
    """The things that both name, in the reference's words."""
    return common_names(sides.target.document, sides.source.document, differences, of_source=False)


def _correct(differences: Sequence[Difference], sides: Sides, *, deferred: bool) -> Iterator[str]:
    """What matches, and in which words; what was not found is asked for only where a person looks anyway."""
    telling = telling_differences(differences, sides)
    if not telling:
        yield "the answer says the same as the reference"
        return
    statement = shared(differences, sides, "teacher")
    names = _both_name(differences, sides)
    if "the answer mentions" in statement:
        statement = f"the answer agrees with the reference: both mention {names}"
    yield statement or "the answer says in other words what the reference says"
    if statement:
        yield from differing(_of(telling, "more_specific", *_OTHER_WORDS), sides, "teacher")[:1]
    missing = [name for one in _of(telling, "missing") if (name := left_over(one, sides))]
    if deferred and missing:
        yield f"please check whether it {left_over_list(missing[:_CHECKED], denied=False)}"


def _partly(differences: Sequence[Difference], sides: Sides) -> Iterator[str]:
    telling = _without(telling_differences(differences, sides), "negated", "opposite")
    if not telling:
        yield "the answer says much of what the reference says, but not all"
        return
    if all(one.kind in ("missing", "extra") for one in differences):
        yield "the answer says in other words a part of what the reference says"
        return
    yield shared(differences, sides, "teacher") or "the answer says a part of what the reference says"
    yield from differing(telling, sides, "teacher")[:2]


def _contradicting(differences: Sequence[Difference], sides: Sides) -> Iterator[str]:
    """The contradiction, if the alignment shows one; else only that there is one, and with what."""
    telling = telling_differences(differences, sides)
    against = _of(telling, *_AGAINST)
    if against:
        yield from differing(against, sides, "teacher")[:1]
        return
    yield f"the answer contradicts the reference, which {whole_text(sides.target)}"
    yield from differing(_of(telling, *_OTHER_WORDS), sides, "teacher")[:1]


def _off_the_point(differences: Sequence[Difference], sides: Sides) -> Iterator[str]:
    if all(one.kind in ("missing", "extra") for one in differences):
        yield f"the answer has nothing in common with the reference, which {whole_text(sides.target)}"
        return
    names = _both_name(differences, sides)
    if names:
        yield f"the answer mentions {names}, as the reference does, but does not come to the point"
    else:
        yield "the answer does not come to the point"
    missing = _of(telling_differences(differences, sides), "missing")
    yield from differing(missing, sides, "teacher")[:1]
