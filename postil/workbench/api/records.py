"""Records of the store as the API shows them."""

from __future__ import annotations

from typing import cast

from postil.workbench import records
from postil.workbench.api import answer_schemas, schemas
from postil.workbench.api.schemas import JobState, Kind, Label, Outcome
from postil.workbench.claims import FacetView
from postil.workbench.exports import feedback, points_of


def course(record: records.Course) -> schemas.Course:
    """A course."""
    return schemas.Course(
        id=record.id,
        name=record.name,
        created=record.created,
        questions=record.questions,
        answers=record.answers,
    )


def question(record: records.Question) -> schemas.Question:
    """A question."""
    return schemas.Question(
        id=record.id,
        course_id=record.course_id,
        text=record.text,
        references=list(record.references),
        points=record.points,
        created=record.created,
        answers=record.answers,
        judged=record.judged,
        decided=record.decided,
    )


def facets(record: records.Question, *, outdated: bool) -> schemas.Facets:
    """The facets of a question."""
    if record.facets is None:
        return schemas.Facets(facets=None, outdated=outdated)
    shown = [
        schemas.Facet(id=one.id, name=one.first, weight=one.weight, required=one.required)
        for one in record.facets
    ]
    return schemas.Facets(facets=shown, outdated=outdated)


def answer(asked: records.Question, view: records.View) -> answer_schemas.Answer:
    """An answer with all that is known of it."""
    return answer_schemas.Answer(
        id=view.answer.id,
        question_id=view.answer.question_id,
        key=view.answer.key,
        student=view.answer.student,
        text=view.answer.text,
        place=view.answer.place,
        group=view.answer.group,
        label=cast(Label | None, view.label),
        points=points_of(asked, view),
        doubtful=view.doubtful,
        feedback=feedback(view),
        judgement=None if view.judged is None else _judgement(view, view.judged),
        decision=None if view.decision is None else decision(view.decision),
        facets=[_facet(one) for one in view.facets],
    )


def decision(record: records.Decision) -> answer_schemas.Decision:
    """A decision."""
    return answer_schemas.Decision(
        id=record.id,
        answer_id=record.answer_id,
        label=cast(Label, record.label),
        source=record.source,
        made=record.made,
        undone=record.undone,
        machine_label=cast(Label | None, record.machine_label),
        ticked=None if record.ticked is None else dict(record.ticked),
    )


def job(record: records.Job) -> schemas.Job:
    """A job, with what it found out if that is of use to a program."""
    chosen = record.result.get("answers", []) if record.kind == "propose" else []
    found = record.result.get("names", []) if record.kind == "facets" else []
    return schemas.Job(
        id=record.id,
        question_id=record.question_id,
        kind=cast(Kind, record.kind),
        state=cast(JobState, record.state),
        phase=record.phase,
        done=record.done,
        total=record.total,
        error=record.error,
        answers=cast(list[int], chosen),
        facets=cast(list[str], found),
        created=record.created,
        started=record.started,
        finished=record.finished,
    )


def change(record: records.Change) -> schemas.Change:
    """What a regrade would change about an answer."""
    return schemas.Change(
        answer_id=record.answer.id,
        key=record.answer.key,
        before=cast(Label, record.before.label),
        after=cast(Label, record.after.label),
        confidence=record.after.confidence,
    )


def _judgement(view: records.View, judged: records.Judged) -> answer_schemas.Judgement:
    return answer_schemas.Judgement(
        label=cast(Label, judged.label),
        probabilities=dict(judged.probabilities),
        confidence=judged.confidence,
        deferred=judged.deferred,
        reference=judged.reference,
        explanation=view.note,
        made=judged.made,
    )


def _facet(view: FacetView) -> answer_schemas.AnswerFacet:
    return answer_schemas.AnswerFacet(
        id=view.facet.id,
        name=view.facet.first,
        outcome=cast(Outcome | None, view.label),
        decided=view.told,
    )
