"""Records of the store as the API shows them; most have a model with the same fields, and need no help."""

from __future__ import annotations

from dataclasses import asdict

from postil.workbench import records
from postil.workbench.api import schemas
from postil.workbench.claims import FacetView
from postil.workbench.exports import feedback, points_of
from postil.workbench.store.courses import get_course
from postil.workbench.store.database import Store
from postil.workbench.store.jobs import get_job
from postil.workbench.store.questions import get_question, is_outdated


def read_course(store: Store, course_id: int) -> schemas.Course:
    """A course as it is now."""
    return schemas.Course.model_validate(get_course(store, course_id))


def read_question(store: Store, question_id: int) -> schemas.Question:
    """A question as it is now."""
    return schemas.Question.model_validate(get_question(store, question_id))


def read_facets(store: Store, question_id: int) -> schemas.Facets:
    """The facets of a question as they are now."""
    outdated = is_outdated(store, question_id)
    facets = get_question(store, question_id).facets
    shown = facets and [
        schemas.Facet(id=facet.id, name=facet.first, weight=facet.weight, required=facet.required)
        for facet in facets
    ]
    return schemas.Facets.model_validate({"facets": shown, "outdated": outdated})


def read_job(store: Store, job_id: int) -> schemas.Job:
    """A job as it is now."""
    return show_job(get_job(store, job_id))


def show_job(job: records.Job) -> schemas.Job:
    """A job, with what it found out if that is of use to a program."""
    answers = job.result.get("answers", []) if job.kind == "propose" else []
    facets = job.result.get("names", []) if job.kind == "facets" else []
    return schemas.Job.model_validate({**asdict(job), "answers": answers, "facets": facets})


def show_answer(question: records.Question, view: records.View) -> schemas.Answer:
    """An answer with all that is known of it."""
    return schemas.Answer.model_validate(
        {
            **asdict(view.answer),
            "label": view.label,
            "points": points_of(question, view),
            "doubtful": view.doubtful,
            "feedback": feedback(view),
            "judgement": None if view.judged is None else _show_judgement(view.judged, view.note),
            "decision": view.decision,
            "facets": [_show_facet(facet) for facet in view.facets],
        }
    )


def show_change(change: records.Change) -> schemas.Change:
    """What a regrade would change about an answer."""
    return schemas.Change.model_validate(
        {
            "answer_id": change.answer.id,
            "key": change.answer.key,
            "before": change.before.label,
            "after": change.after.label,
            "confidence": change.after.confidence,
        }
    )


def _show_judgement(judged: records.Judged, note: str) -> dict[str, object]:
    same = ("label", "probabilities", "confidence", "deferred", "reference", "made")
    return {**{name: getattr(judged, name) for name in same}, "explanation": note}


def _show_facet(view: FacetView) -> dict[str, object]:
    return {"id": view.facet.id, "name": view.facet.first, "outcome": view.label, "decided": view.told}
