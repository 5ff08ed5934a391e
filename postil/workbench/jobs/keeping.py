"""Between what the machine says of answers and what is kept of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from postil.data.judgements import Judgement, collapsed
from postil.data.labels import PARTLY, RESPONSE_SCHEMES
from postil.data.outcome import EXPRESSED, UNADDRESSED
from postil.grader import TOLD, bare, shortened
from postil.workbench.claims import Outcome, kept_outcome, looked_for
from postil.workbench.records import Answer, Decision, Judged, Question
from postil.workbench.store.tables import now

# By the words of an answer and the label that a person gave it: the facets that the person was asked about.
Ticks = Mapping[tuple[str, str], Mapping[str, bool]]


def kept(question: Question, answer: Answer, judgement: Judgement, ticks: Ticks) -> Judged:
    """What is kept of the judgement of an answer.

    Why a label was given that is only repeated after a person, the machine cannot say: it has no notes.
    """
    explanation = judgement.explanation
    noted = explanation if judgement.because != TOLD else None
    outcomes = _outcomes(question, judgement, ticks.get((_words(answer), judgement.label), {}))
    return Judged(
        answer_id=answer.id,
        label=judgement.label,
        probabilities=judgement.probabilities["5way"],
        score=judgement.score,
        confidence=judgement.confidence,
        deferred=judgement.deferred or _earns_nothing(question, judgement, outcomes),
        because=judgement.because,
        reference=judgement.reference,
        teacher=noted.teacher if noted else "",
        student=noted.student if noted else "",
        alignment=explanation.alignment if explanation else None,
        made=now(),
        facets=outcomes,
        looked_for=looked_for(question.facets),
    )


def _earns_nothing(question: Question, judgement: Judgement, outcomes: Sequence[Outcome]) -> bool:
    """Whether an answer is called partly right and yet says no part that counts: a person should look."""
    partly = judgement.label == PARTLY and judgement.because != TOLD
    return partly and bool(question.facets and outcomes) and all(one.label != EXPRESSED for one in outcomes)


def as_judged(one: Judged) -> Judgement:
    """A judgement as it was before it was explained and kept: no facets have spoken against it yet.

    If it was left to a person, it still is; whether only the facets were the reason is not kept.
    """
    labels = {name: scheme.collapse(one.label) or one.label for name, scheme in RESPONSE_SCHEMES.items()}
    chances = collapsed(one.probabilities)
    confidence = chances["2way"][labels["2way"]]
    return Judgement(labels, chances, one.score, confidence, one.deferred, one.reference, one.because)


def ticks_by_words(given: Sequence[Answer], decisions: Sequence[Decision]) -> Ticks:
    """What a person ticked, by the words of the answer and its label."""
    words = {answer.id: _words(answer) for answer in given}
    return {(words[one.answer_id], one.label): one.ticked for one in decisions if one.ticked is not None}


def _outcomes(question: Question, judgement: Judgement, told: Mapping[str, bool]) -> tuple[Outcome, ...]:
    """What became of the facets; a person's label that is repeated brings its ticks: equals earn the same."""
    explanation = judgement.explanation
    found = tuple(map(kept_outcome, explanation.facets)) if explanation else ()
    if judgement.because != TOLD:
        return found
    ticked = [
        Outcome(one.id, one.first, EXPRESSED if told[one.id] else UNADDRESSED, 1.0)
        for one in question.facets or ()
        if one.id in told
    ]
    names = {one.name for one in ticked}
    return (*ticked, *(one for one in found if one.name not in names))


def _words(answer: Answer) -> str:
    """What makes answers the same to the grader."""
    return bare(shortened(answer.text))
