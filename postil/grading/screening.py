"""Warn a teacher, before grading, of questions that no grader can be fair to.

The organisers of the 2013 challenge took such questions out by hand (Dzikovska et al. 2013, section 3.3):
those that lean on a chart or a picture, and those with several unrelated right answers. Here are their two
reasons and those that a teacher's own table adds: a reference that is none, and two questions in one.

>>> from postil.data.questions import Question, Reference
>>> [one.kind for one in screen(Question("1", "What does the graph show?", (Reference("r", "It rises."),)))]
['missing_material']
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from postil.data.questions import Question
from postil.grading.asks import either, find_asks
from postil.grading.missing_material import missing_material
from postil.grading.poor_references import poor_references

Kind = Literal["missing_material", "many_right_answers", "poor_reference", "no_reference", "two_questions"]
KINDS: tuple[Kind, ...] = get_args(Kind)

_FOR_A_REASON = either(
    r"^(?:briefly )?(?:why|explain|justify|say why)\b|^give (?:a |your )?reasons?\b|\bevidence\b",
    r"^how (?:do|did|can|could) you (?:know|tell|decide)",
)
_GIVES_REASON = either(r"\b(?:because|since|so|therefore|due to|thus|hence)\b|\w[.;:—]\s*\w|^(?:yes|no), ")


@dataclass(frozen=True, slots=True)
class Concern:
    """Something to mend before grading: its kind, and a sentence that says what to do."""

    kind: Kind
    sentence: str


def screen(question: Question) -> tuple[Concern, ...]:
    """The concerns about a question and its references, in the order of `KINDS`; none is the good case."""
    asks = find_asks(question.text)
    material, choice = missing_material(question.text), _many_answers(question)
    # Where pupils choose their topic, or a picture holds it, the question does not tell what is off it.
    poor = poor_references(question, asks, topical=not material and not choice)
    missing = "" if question.references else "There is no reference: write down a fully right answer."
    sentences: list[tuple[Kind, str]] = [
        ("missing_material", material),
        ("many_right_answers", choice),
        *(("poor_reference", sentence) for sentence in poor),
        ("no_reference", missing),
        ("two_questions", _two_questions(question, asks)),
    ]
    return tuple(Concern(kind, sentence) for kind, sentence in sentences if sentence)


def _two_questions(question: Question, asks: Sequence[str]) -> str:
    """Two asks, unless the second is the reason for the first and every reference gives one too."""
    if len(asks) < 2:
        return ""
    texts = [reference.text for reference in question.references]
    if len(asks) == 2 and _FOR_A_REASON.search(asks[1]) and texts and all(map(_GIVES_REASON.search, texts)):
        return ""
    return "The question asks for more than one thing: split it, or check that each reference answers it all."


# Questions with several right answers.
_NUMBERS = {"two": 2, "2": 2, "three": 3, "3": 3, "four": 4, "4": 4, "five": 5, "5": 5}
_SOME = rf"(?P<{{}}>one|any|another|some|several|at least|{'|'.join(_NUMBERS)})"
_NO_SUM = r"(?!(?:plus|minus|times|divided|half|third|quarter|percent|hundred|squared|cubed)\b)"
_MANY = either(
    r"\b(?:give|name|list|state|suggest|describe|identify|mention|write|think of|provide|explain)\s+"
    rf"(?:me |us |just |at least )?{_SOME.format('listed')}\s+(?!sentences?|paragraphs?|words?|lines?)\w+",
    r"\b(?:give|provide|write|describe|think of|suggest)\s+(?:me |us )?(?:your own |an? )"
    r"(?:\w+ ){0,2}?(?:example|sentence|way|use|thing|reason)s?\b(?! for (?:your|the) (?:answer|choice))",
    rf"\bwhat (?:is|are|was|were|would be|might be|could be) {_SOME.format('asked')}\s+{_NO_SUM}\w+",
    r"\bwhat (?:is|are) (?:an |some )?(?:examples?|possible (?:reason|way|cause)s?)\b|\bname an? \w+",
    r"\bwhy do you think\b(?! so\b)|\bin your (?:own )?opinion\b|\bwhat do you think (?:of|about)\b",
    r"\bhow do you feel\b|\bwould you rather\b|\bdo you (?:prefer|like)\b|\byour favou?rite\b",
    r"\bwhat would you (?:do|say|choose)\b|\bimagine (?:that )?you(?:'re| are| were)\b|\bdescribe a time\b",
    r"^should (?:we|people|schools?|pupils|students|children|(?:the )?governments?|everyone|countries)\b",
)


def _many_answers(question: Question) -> str:
    """A question that lets pupils choose what to answer, with no more references than it asks for."""
    match = _MANY.search(question.text)
    if not match:
        return ""
    wanted = _NUMBERS.get((match["listed"] or match["asked"] or "").lower(), 1)
    if len(question.references) > wanted:
        return ""
    words = " ".join(match.group().split())
    return f"Several answers can be right (“{words}”): add a reference for each."
